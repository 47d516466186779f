// The public types of `@devcodex/intent-runtime/bridge`.

import type {
  Intent,
  IntentConfig,
  IntentParseRequest,
  IntentResult,
  ModelRequest,
  SerializedIntentError,
} from '../index';

/** What a bridge serves, and how much it keeps. All capacities are shared by all its sessions. */
export interface BridgeConfig {
  /**
   * At least one, by the name that `prepare` gives. An Intent stays the caller's: no `close` disposes
   * it. A configuration becomes an Intent of the bridge's own, disposed with it.
   */
  instances: Record<string, Intent<any> | IntentConfig>;
  /**
   * Jobs that have not ended, at most.
   * @defaultValue 32
   */
  maxJobs?: number | undefined;
  /**
   * Job records kept, active and ended, at most.
   * @defaultValue 128
   */
  maxReplayEntries?: number | undefined;
  /**
   * UTF-8 bytes of what all records hold, at most.
   * @defaultValue 8388608
   */
  maxReplayBytes?: number | undefined;
  /**
   * Ends a job that was idle for so long; 0 never.
   * @deprecated Close sessions and cancel jobs in place of it.
   * @defaultValue 0
   */
  jobTtlMs?: number | undefined;
  /**
   * Drops an ended job's record after so long; 0 never.
   * @deprecated The capacities suffice.
   * @defaultValue 0
   */
  replayTtlMs?: number | undefined;
}

/** What {@link BridgeSession.prepare} takes. */
export interface PrepareRequest extends Omit<IntentParseRequest, 'signal'> {
  /** One of the names of {@link BridgeConfig.instances}. */
  instance: string;
}

/** What {@link BridgeSession.accept} takes. */
export interface AcceptRequest {
  jobId: string;
  /** Of the task that is answered; each new task has a new one. */
  stepToken: string;
  /** The complete candidate as JSON text. */
  candidateText: string;
}

/** What {@link BridgeSession.cancel} takes. */
export interface CancelRequest {
  jobId: string;
  /**
   * Why: given up, refused by the model, or stopped before the end of its answer.
   * @defaultValue 'cancelled'
   */
  outcome?: 'cancelled' | 'refusal' | 'incomplete' | undefined;
  /** For people; at most 2048 UTF-8 bytes. */
  detail?: string | undefined;
}

/**
 * What an error left of the job that the call was about. `open`: the job lives, with the step that it
 * had; submit a corrected candidate with the same `stepToken`. `ended`: there is nothing left to submit
 * to; prepare again.
 */
export type JobStatus = 'open' | 'ended';

/**
 * The answer to every call: a task for the host's model, the result, or an error of this call.
 * The error's `job` says whether the job lives on; its code alone does not tell.
 */
export type BridgeReply =
  | {
      kind: 'task';
      jobId: string;
      stepToken: string;
      stage: 'core' | 'data';
      instructions: string;
      payload: string;
      format: ModelRequest['format'];
      /** ISO time; only with {@link BridgeConfig.jobTtlMs}. */
      expiresAt?: string;
    }
  | { kind: 'result'; result: IntentResult }
  | {
      kind: 'error';
      /** In replies of `accept` and `cancel`; `prepare` that fails has made no job. */
      job?: JobStatus;
      error: SerializedIntentError;
    };

/** The owner of its jobs: no other session can use their ids. */
export interface BridgeSession {
  /** Begins a job. */
  prepare(request: PrepareRequest): BridgeReply;
  /** Submits a candidate for the job's present step. An error says `job: 'open'` or `'ended'`. */
  accept(request: AcceptRequest): Promise<BridgeReply>;
  /** Ends a job, or tells how it ended. */
  cancel(request: CancelRequest): BridgeReply;
  /** Releases the session's jobs. May be called more than once. */
  close(): void;
}

/** Hands the steps of a recognition to a host that has its own model. */
export interface IntentBridge {
  /**
   * @throws IntentError `BRIDGE_JOB_NOT_FOUND` on a closed bridge.
   */
  connect(): BridgeSession;
  /** Releases all jobs, and never an Intent. May be called more than once. */
  close(): void;
}

/**
 * Makes a bridge.
 *
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
