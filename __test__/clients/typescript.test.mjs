// The official TypeScript SDK of version 2, in each of its ways to begin.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Intent } from '@devcodex/intent-runtime';
import { MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { describe, expect, inject, test } from 'vitest';
import { command, ordersConfig } from '../support/mcp.mjs';
import { goRound } from '../support/mcp-session.mjs';
import { configFile } from './files.mjs';

const installed = inject('npm');

describe.skipIf(!installed)('SDK 2', async () => {
  const require = createRequire(join(installed?.modules ?? '/', 'x.js'));
  const use = (name) => import(pathToFileURL(require.resolve(name)).href);
  const { Client, InMemoryTransport } = installed ? await use('@modelcontextprotocol/client') : {};
  const { StdioClientTransport } = installed ? await use('@modelcontextprotocol/client/stdio') : {};

  const overStdio = async () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [command, '--config', configFile()],
      stderr: 'inherit',
    });
  const inMemory = async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await serveIntentMcp({ instances: { orders: new Intent(ordersConfig) }, transport: ours });
    return theirs;
  };

  const ways = { stdio: overStdio, memory: inMemory };
  const modes = {
    'the handshake': [undefined, '2025-11-25'],
    'server/discover first': [{ mode: 'auto' }, '2026-07-28'],
    'no handshake': [{ mode: { pin: '2026-07-28' } }, '2026-07-28'],
  };
  const cases = Object.keys(ways).flatMap((way) => Object.keys(modes).map((mode) => [way, mode]));

  test.each(cases)('a whole session over %s by %s', async (way, mode) => {
    const [versionNegotiation, revision] = modes[mode];
    const options = versionNegotiation && { versionNegotiation };
    const client = new Client({ name: 'sdk2', version: '1' }, options);
    await client.connect(await ways[way]());
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect(client.getServerVersion().name).toBe('intent-runtime');
      expect(client.getInstructions()).toContain('"orders"');
      const { tools } = await client.listTools();
      expect(tools).toEqual(MCP_TOOLS);
      await goRound(async (name, args) => {
        const { structuredContent, isError } = await client.callTool({ name, arguments: args });
        expect(isError).toBe(structuredContent.kind === 'error');
        return structuredContent;
      });
    } finally {
      await client.close();
    }
  });
});
