// The public types of `@devcodex/intent-runtime/bridge`.

import type {
  Intent,
  IntentConfig,
  IntentParseRequest,
  IntentResult,
  ModelRequest,
  SerializedIntentError,
} from '../index';

/** The instances and capacities of a bridge. All sessions of the bridge share the capacities. */
export interface BridgeConfig {
  /**
   * The instances by the names that `prepare` uses; at least one. An Intent remains the caller's: `close`
   * does not dispose of it. For a configuration, the bridge creates an Intent and disposes of it when it
   * closes.
   */
  instances: Record<string, Intent<any> | IntentConfig>;
  /**
   * The largest number of open jobs.
   * @defaultValue 32
   */
  maxJobs?: number | undefined;
  /**
   * The largest number of job records, open and ended.
   * @defaultValue 128
   */
  maxReplayEntries?: number | undefined;
  /**
   * The largest size of all records together, in UTF-8 bytes.
   * @defaultValue 8388608
   */
  maxReplayBytes?: number | undefined;
  /**
   * Ends a job after this idle time in milliseconds; 0 means never.
   * @deprecated Close sessions and cancel jobs instead.
   * @defaultValue 0
   */
  jobTtlMs?: number | undefined;
  /**
   * Drops the record of an ended job after this time in milliseconds; 0 means never.
   * @deprecated The capacities suffice.
   * @defaultValue 0
   */
  replayTtlMs?: number | undefined;
}

/** The request of {@link BridgeSession.prepare}. */
export interface PrepareRequest extends Omit<IntentParseRequest, 'signal'> {
  /** One of the names of {@link BridgeConfig.instances}. */
  instance: string;
}

/** The request of {@link BridgeSession.accept}. */
export interface AcceptRequest {
  /** The id of the job, from its tasks. */
  jobId: string;
  /** The token of the task that is answered; each new task has a new one. */
  stepToken: string;
  /** The complete candidate as JSON text. */
  candidateText: string;
}

/** The request of {@link BridgeSession.cancel}. */
export interface CancelRequest {
  /** The id of the job, from its tasks. */
  jobId: string;
  /**
   * The reason: the host cancelled the job, the model refused, or its answer was cut off.
   * @defaultValue 'cancelled'
   */
  outcome?: 'cancelled' | 'refusal' | 'incomplete' | undefined;
  /** A text for people, part of the error's message; at most 2048 UTF-8 bytes. */
  detail?: string | undefined;
}

/**
 * The state of the job after a call that failed. `open`: the job is open, at the same step; submit a
 * corrected candidate with the same `stepToken`. `ended`: the job has ended or does not exist; prepare
 * again.
 */
export type JobStatus = 'open' | 'ended';

/**
 * The reply to every call: a task for the host's model, the result, or an error of this call.
 * `job` says whether the job is still open after an error; the code alone does not.
 */
export type BridgeReply =
  | {
      kind: 'task';
      /** The id of the job, for `accept` and `cancel`. */
      jobId: string;
      /** The token of this step, for `accept`. */
      stepToken: string;
      /** `core` recognises the intents, `data` the fields of the schema. */
      stage: 'core' | 'data';
      /** The system text for the host's model. */
      instructions: string;
      /** The materials as JSON text: the user message. */
      payload: string;
      /** The output format to request from the model. */
      format: ModelRequest['format'];
      /** The time at which the idle job ends, in ISO 8601; present only with {@link BridgeConfig.jobTtlMs}. */
      expiresAt?: string;
    }
  | { kind: 'result'; result: IntentResult }
  | {
      kind: 'error';
      /** Present in replies of `accept` and `cancel`; a `prepare` that fails creates no job. */
      job?: JobStatus;
      error: SerializedIntentError;
    };

/** A session of a bridge. It owns its jobs: no other session can use their ids. */
export interface BridgeSession {
  /** Begins a job and returns its first task. */
  prepare(request: PrepareRequest): BridgeReply;
  /** Submits a candidate for the job's current step. An error has `job: 'open'` or `'ended'`. */
  accept(request: AcceptRequest): Promise<BridgeReply>;
  /** Ends a job, or returns the outcome of a job that has ended. */
  cancel(request: CancelRequest): BridgeReply;
  /** Releases the session's jobs. You may call it more than once. */
  close(): void;
}

/** A bridge: it gives the steps of a recognition to a host that has its own model. */
export interface IntentBridge {
  /**
   * Opens a session.
   *
   * @throws IntentError `BRIDGE_JOB_NOT_FOUND` on a closed bridge.
   */
  connect(): BridgeSession;
  /** Releases all jobs, but does not dispose of the caller's Intents. You may call it more than once. */
  close(): void;
}

/**
 * Creates a bridge.
 * @throws IntentError `CONFIG_INVALID`, stage `config`.
 *
 * @example
 * ```ts
 * const bridge = createIntentBridge({ instances: { default: new Intent() } });
 * const session = bridge.connect();
 * let reply = session.prepare({ instance: 'default', input });
 * while (reply.kind === 'task') {
 *   const { jobId, stepToken } = reply;
 *   reply = await session.accept({ jobId, stepToken, candidateText: await ask(reply) });
 * }
 * session.close();
 * ```
 */
export declare function createIntentBridge(config: BridgeConfig): IntentBridge;
