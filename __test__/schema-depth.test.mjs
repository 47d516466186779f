// A schema that nests deeper than 63 levels: what maxSchemaDepth accepts can be used to the end, with
// parse, through a Bridge and over MCP.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { expect, test } from 'vitest';
import { call, replyOf, withServer } from './support/mcp.mjs';
import { core, dataOf, INPUT, parseWith, refusal, scripted, sources } from './support/model.mjs';

const DEPTHS = [63, 64, 65, 100, 127];
const LIMITS = { maxSchemaDepth: 128, maxCandidateDepth: 512 };

/** Makes nested objects; the innermost value is at this depth of schemas. */
const nested = (depth) => {
  let schema = { type: 'string', pattern: '^\\d+$' };
  let value = '000123';
  let wrong = 'letters';
  for (let i = 1; i < depth; i++) {
    schema = { type: 'object', properties: { a: schema }, required: ['a'] };
    value = { a: value };
    wrong = { a: wrong };
  }
  return {
    schema: { type: 'object', properties: { root: schema }, required: ['root'] },
    data: { root: value },
    wrong: { root: wrong },
    path: `/data/root${'/a'.repeat(depth - 1)}`,
  };
};
const candidateOf = (data, path) =>
  JSON.stringify({ ...dataOf(data), evidence: [{ path, mode: 'semantic', sources }] });

test.each(DEPTHS)('parse at %i levels', async (depth) => {
  const { schema, data, wrong, path } = nested(depth);
  const good = candidateOf(data, path);
  const config = { schema, limits: LIMITS };
  expect((await parseWith(scripted(core(), good), config)).data).toEqual(data);
  // The innermost rule is checked: a wrong value is a fault that is repaired.
  const executor = scripted(core(), candidateOf(wrong, path), good);
  expect((await parseWith(executor, config)).data).toEqual(data);
  expect(executor.requests).toHaveLength(3);
  expect(executor.requests[2].input.repair.diagnostic).toContain(path);
});

test.each(DEPTHS)('a Bridge at %i levels', async (depth) => {
  const { schema, data, path } = nested(depth);
  const intent = new Intent({ schema, limits: LIMITS });
  const bridge = createIntentBridge({ instances: { default: intent } });
  const session = bridge.connect();
  const { jobId, stepToken } = await session.prepare({ instance: 'default', input: INPUT });
  const next = await session.accept({ jobId, stepToken, candidateText: core() });
  const candidateText = candidateOf(data, path);
  const last = await session.accept({ jobId, stepToken: next.stepToken, candidateText });
  expect(last.kind, JSON.stringify(last.error)).toBe('result');
  expect(last.result.data).toEqual(data);
  await bridge.close();
  await intent.dispose();
});

test('MCP', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'intent-depth-'));
  const file = join(dir, 'config.mjs');
  const instances = Object.fromEntries(
    DEPTHS.map((depth) => [`d${depth}`, { schema: nested(depth).schema, limits: LIMITS }]),
  );
  writeFileSync(file, `export default ${JSON.stringify({ instances })}`);
  try {
    await withServer(
      async (server) => {
        await server.open();
        for (const depth of DEPTHS) {
          const { data, path } = nested(depth);
          const ask = async (name, args) =>
            replyOf(await server.ask(call(`${name} ${depth} ${args.stepToken}`, name, args)));
          const first = await ask('intent_prepare', { instance: `d${depth}`, input: INPUT });
          const { jobId } = first;
          const next = await ask('intent_accept', {
            jobId,
            stepToken: first.stepToken,
            candidateText: core(),
          });
          const last = await ask('intent_accept', {
            jobId,
            stepToken: next.stepToken,
            candidateText: candidateOf(data, path),
          });
          expect(last.kind, JSON.stringify(last.error)).toBe('result');
          expect(last.result.data).toEqual(data);
        }
      },
      ['--config', file],
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('a refusal names the limit', () => {
  refusal(
    () => new Intent({ schema: nested(64).schema, limits: { maxSchemaDepth: 63 } }),
    'LIMIT_EXCEEDED',
    'config',
    /limits\.maxSchemaDepth \(63\)/,
  );
});
