// The official TypeScript SDK (the packages of its version 1) as the client.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Intent } from '@devcodex/intent-runtime';
import { MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, expect, test } from 'vitest';
import { command, ordersConfig, version } from './support/mcp.mjs';
import { goRound, sessionConfig } from './support/mcp-session.mjs';

const dir = mkdtempSync(join(tmpdir(), 'intent-sdk-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const config = join(dir, 'orders.mjs');
writeFileSync(config, sessionConfig);

const overStdio = async () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [command, '--config', config],
    stderr: 'inherit',
  });
const inMemory = async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const instances = { orders: new Intent(ordersConfig) };
  await serveIntentMcp({ instances, transport: ours });
  return theirs;
};

test.each([
  ['stdio', overStdio],
  ['memory', inMemory],
])('a whole session over %s', async (_, transport) => {
  const client = new Client({ name: 'sdk', version: '1' });
  await client.connect(await transport());
  try {
    expect(client.getServerVersion()).toMatchObject({ name: 'intent-runtime', version });
    expect(client.getInstructions()).toMatch(
      /"orders".*intent_prepare.*intent_accept.*intent_cancel/s,
    );
    await client.ping();
    expect((await client.listTools()).tools).toEqual(MCP_TOOLS);
    await goRound(async (name, args) => {
      const { content, structuredContent, isError } = await client.callTool({
        name,
        arguments: args,
      });
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
      expect(isError).toBe(structuredContent.kind === 'error');
      return structuredContent;
    });
    // A request for a missing feature is an error of the protocol, and the session continues.
    await expect(client.listResources()).rejects.toMatchObject({ code: -32601 });
    await client.ping();
  } finally {
    await client.close();
  }
});

test('a request that the client gives up leaves the session in order', async () => {
  const client = new Client({ name: 'sdk', version: '1' });
  await client.connect(await inMemory());
  for (let round = 0; round < 40; round++) {
    const controller = new AbortController();
    const given = client.callTool(
      { name: 'intent_prepare', arguments: { instance: 'orders', input: 'x' } },
      undefined,
      { signal: controller.signal },
    );
    controller.abort();
    await expect(given).rejects.toThrow();
  }
  const { structuredContent } = await client.callTool({
    name: 'intent_prepare',
    arguments: { instance: 'orders', input: 'x' },
  });
  expect(structuredContent.kind).toBe('task');
  await client.close();
});
