// A fair JavaScript counterpart of the hot parts: JSON.parse, Ajv with the same schema, and the
// same checks of a candidate in plain code. It omits parts that would make it slower (limits, strict JSON,
// sessions, errors with all faults), so a ratio to it is conservative.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Ajv } from 'ajv';

const blank = (text) => typeof text !== 'string' || text.trim() === '';
const fail = () => {
  throw new Error('not acceptable');
};
const texts = (list) => (Array.isArray(list) && !list.some(blank) ? list : fail());
const keys = (object, ...names) =>
  Object.keys(object).length === names.length && names.every((name) => name in object)
    ? object
    : fail();
const ACTIONS = new Set(['query', 'analyze', 'generate', 'modify', 'delete', 'execute', 'other']);

const assemble = (input, candidate) => {
  keys(candidate, 'normalizedInput', 'primaryIntent', 'requirements', 'prohibitions', 'intents');
  if (blank(candidate.normalizedInput)) fail();
  return {
    input,
    normalizedInput: candidate.normalizedInput,
    primaryIntent: candidate.primaryIntent,
    requirements: texts(candidate.requirements),
    intents: candidate.intents.map((item, i) => {
      keys(item, 'action', 'target', 'requirements', 'blockers');
      const b = keys(
        item.blockers,
        'clarificationReason',
        'questions',
        'confirmationReason',
        'conditionReason',
      );
      if (!ACTIONS.has(item.action) && b.questions.length === 0) fail();
      const reasons = [b.clarificationReason, b.confirmationReason, b.conditionReason].filter(
        Boolean,
      );
      return {
        id: `i${i + 1}`,
        action: item.action,
        target: item.target,
        requirements: texts(item.requirements),
        status: reasons.length ? 'conditional' : 'ready',
        ...(reasons.length ? { reason: reasons.join('\n') } : {}),
      };
    }),
    prohibitions: texts(candidate.prohibitions),
    data: {},
  };
};

const resolve = (root, path) =>
  path
    .slice(1)
    .split('/')
    .reduce((node, token) => node?.[token.replaceAll('~1', '/').replaceAll('~0', '~')], root);

const leaves = (node, path, out) => {
  if (typeof node !== 'object' || node === null || Object.keys(node).length === 0) out.push(path);
  else
    for (const [key, value] of Object.entries(node))
      leaves(value, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, out);
  return out;
};

export class Counterpart {
  constructor(schema, instructions) {
    this.schema = structuredClone(schema);
    this.instructions = instructions;
    this.validate = schema
      ? new Ajv({ allErrors: true, strict: false }).compile({
          ...schema,
          additionalProperties: false,
        })
      : undefined;
    this.described = schema
      ? Object.entries(schema.properties)
          .filter(([, s]) => s.description)
          .map(([name]) => `/data/${name}`)
      : [];
    this.jobs = new Map();
  }

  #task(job, stage) {
    job.token = randomBytes(24).toString('base64url');
    const payload = {
      structuredLanguage: 'en',
      currentInput: job.input,
      context: [],
      schemaReference: this.schema ?? {},
      ...(stage === 'data'
        ? {
            checkedDefault: job.core,
            selectedSchema: this.schema,
            selectedFields: Object.keys(this.schema.properties),
          }
        : {}),
    };
    return {
      kind: 'task',
      jobId: job.id,
      stepToken: job.token,
      stage,
      instructions: this.instructions,
      payload: JSON.stringify(payload),
      format: { kind: 'json_object' },
    };
  }

  prepare(input, fields) {
    const job = { id: randomUUID(), input, fields };
    this.jobs.set(job.id, job);
    return this.#task(job, 'core');
  }

  async accept({ jobId, stepToken, candidateText }) {
    const job = this.jobs.get(jobId);
    if (job?.token !== stepToken) fail();
    job.digest = createHash('sha256').update(candidateText).digest('hex');
    const candidate = JSON.parse(candidateText);
    if (!job.core) {
      job.core = assemble(job.input, candidate);
      if (!this.schema || job.fields?.length === 0) return this.#finish(job, job.core);
      return this.#task(job, 'data');
    }
    this.#check(job, candidate);
    return this.#finish(job, { ...job.core, data: candidate.data });
  }

  #finish(job, result) {
    this.jobs.delete(job.id);
    return { kind: 'result', result: structuredClone(result) };
  }

  #check(job, candidate) {
    keys(candidate, 'data', 'evidence', 'descriptionChecks', 'fieldResults', 'issues');
    const sourced = (entry) => {
      for (const { sourceId, quote } of entry.sources)
        if (sourceId !== 'input' || blank(quote) || !job.input.includes(quote)) fail();
      return entry.path;
    };
    const evidence = new Set();
    for (const entry of candidate.evidence) {
      keys(entry, 'path', 'mode', 'sources');
      const value = resolve(candidate, sourced(entry));
      if (
        value === undefined ||
        (entry.mode === 'exact' && !entry.sources.some((s) => s.quote === value))
      )
        fail();
      evidence.add(entry.path);
    }
    for (const path of leaves(candidate.data, '/data', [])) if (!evidence.has(path)) fail();
    const checked = new Set(
      candidate.descriptionChecks.map((entry) =>
        sourced(keys(entry, 'path', 'verdict', 'explanation', 'sources')),
      ),
    );
    for (const path of this.described)
      if (resolve(candidate, path) !== undefined && !checked.has(path)) fail();
    const results = new Map(
      candidate.fieldResults.map((entry) => [
        keys(entry, 'path', 'status', 'explanation').path,
        entry,
      ]),
    );
    for (const name of Object.keys(this.schema.properties)) {
      const { status, explanation } = results.get(`/data/${name}`) ?? fail();
      if (blank(explanation) || (status === 'extracted') !== name in candidate.data) fail();
    }
    if (!this.validate(candidate.data)) fail();
  }

  async parse(input, fields, executor) {
    let task = this.prepare(input, fields);
    for (;;) {
      const { text } = await executor.generate({ ...task, input: JSON.parse(task.payload) });
      const reply = await this.accept({
        jobId: task.jobId,
        stepToken: task.stepToken,
        candidateText: text,
      });
      if (reply.kind === 'result') return reply.result;
      task = reply;
    }
  }
}
