// The MCP Inspector's two command lines: one call for each run, and one that keeps a connection.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MCP_TOOLS } from '@devcodex/intent-runtime/mcp';
import { describe, expect, inject, test } from 'vitest';
import { command } from '../support/mcp.mjs';
import { goRound } from '../support/mcp-session.mjs';
import { configFile, directory } from './files.mjs';

const installed = inject('npm');
const run = promisify(execFile);

describe.skipIf(!installed)('the Inspector', () => {
  const home = directory();
  // Its settings, its daemon and its socket stay in a directory of this test's.
  const env = {
    ...process.env,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    TMPDIR: home,
    MCP_INSPECTOR_SECRET_STORE: 'memory',
    NO_COLOR: '1',
  };
  const inspector = (client, ...args) => {
    const file = join(installed.modules, '@modelcontextprotocol/inspector/clients', client);
    return run(installed.node, [file, ...args], { env, timeout: 60_000 });
  };
  // Hosts have a configuration file of this form for a server.
  const hosts = join(home, 'mcp.json');
  const args = [command, '--config', configFile()];
  const mcpServers = { orders: { command: process.execPath, args } };
  writeFileSync(hosts, JSON.stringify({ mcpServers }));
  const cli = async (...request) => {
    const from = ['--cli', '--config', hosts, '--server', 'orders'];
    const { stdout } = await inspector('launcher/build/index.js', ...from, ...request);
    return JSON.parse(stdout);
  };

  test('--cli lists the tools and finds nothing that hosts trip over', async () => {
    expect((await cli('--method', 'tools/list', '--strict')).tools).toEqual(MCP_TOOLS);
  });

  test('--cli calls a tool', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'intent_prepare'];
    const given = ['--tool-arg', 'instance=orders', '--tool-arg', 'input=hello'];
    const { structuredContent } = await cli(...call, ...given);
    expect(structuredContent).toMatchObject({ kind: 'task', stage: 'core' });
  });

  test('mcpdo goes through a whole session', async () => {
    const mcpdo = async (...args) => {
      // A tool's error is an exit code of its own; the result is on standard output all the same.
      const done = await inspector('mcpdo/build/mcp-bin.js', '--format', 'json', ...args).catch(
        (failed) => {
          if (!failed.stdout) throw failed;
          return failed;
        },
      );
      return JSON.parse(done.stdout);
    };
    try {
      await mcpdo('--config', hosts, 'connect', 'orders');
      await goRound(async (name, args) => {
        const call = ['tools/call', name, '--tool-args-json', JSON.stringify(args)];
        const reply = await mcpdo('--connection', 'orders', ...call);
        return (reply.result ?? reply).structuredContent;
      });
    } finally {
      await mcpdo('daemon', 'stop');
    }
  });
});
