// `evidence` of `intent_prepare`, from the tool call to the result.

import { Intent } from '@devcodex/intent-runtime';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coreCandidate, dataCandidate } from '../examples/demo/stand-in.mjs';

const schema = {
  type: 'object',
  properties: { orderId: { type: 'string', description: 'The order number.' } },
  required: ['orderId'],
};
const input = 'Delete order 000123';
let client;
let service;

beforeAll(async () => {
  const [host, server] = InMemoryTransport.createLinkedPair();
  service = await serveIntentMcp({
    instances: { full: new Intent({ schema }), brief: new Intent({ schema, proof: 'brief' }) },
    transport: server,
  });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(host);
});
afterAll(async () => {
  await client.close();
  await service.close();
});

const call = async (name, args) =>
  (await client.callTool({ name, arguments: args })).structuredContent;

/** Goes through the stages with the demo's stand-in; gives the last reply. */
const recognise = async (request, write) => {
  let reply = await call('intent_prepare', request);
  while (reply.kind === 'task') {
    const { jobId, stepToken, payload } = reply;
    const materials = JSON.parse(payload);
    const candidate = reply.stage === 'data' ? write(materials) : coreCandidate(materials);
    const candidateText = JSON.stringify(candidate);
    reply = await call('intent_accept', { jobId, stepToken, candidateText });
  }
  return reply;
};

const EVIDENCE = [
  {
    path: '/data/orderId',
    mode: 'exact',
    spans: [{ source: 'input', start: 13, end: 19, quote: '000123', occurrences: 1 }],
  },
];

test.each([
  ['full', dataCandidate],
  ['brief', () => ({ data: { orderId: '000123' } })],
])('evidence: true gives the places, with proof %s', async (instance, write) => {
  const reply = await recognise({ instance, input, evidence: true }, write);
  expect(reply.kind).toBe('result');
  expect(reply.result.data).toEqual({ orderId: '000123' });
  expect(reply.result.evidence).toEqual(EVIDENCE);
  const [{ spans }] = reply.result.evidence;
  for (const { start, end, quote } of spans) expect(input.slice(start, end)).toBe(quote);
});

// Hosts that fill in every optional key send null for one that is absent.
test.each([[false], [undefined], [null]])('evidence: %s gives none', async (evidence) => {
  const reply = await recognise({ instance: 'full', input, evidence }, dataCandidate);
  expect(reply.kind).toBe('result');
  expect(reply.result).not.toHaveProperty('evidence');
});

test.each([['yes'], [1], [[]]])('evidence: %j is refused', async (evidence) => {
  const reply = await call('intent_prepare', { instance: 'full', input, evidence });
  expect(reply).toMatchObject({ kind: 'error', error: { code: 'INPUT_INVALID' } });
  expect(reply.error.message).toContain('evidence');
});
