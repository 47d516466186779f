// The official conformance suite, as far as it applies to a server of three tools over stdio.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Intent } from '@devcodex/intent-runtime';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { describe, expect, inject, test } from 'vitest';
import { directory } from './files.mjs';
import { listen, toCommand } from './http.mjs';

const installed = inject('npm');
const run = promisify(execFile);

const APPLIES = ['server-initialize', 'ping', 'tools-list'];

/** The scenarios that do not apply, with the reasons. */
const DOES_NOT = {
  'its server must have the tools of the suite’s own example server': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'json-schema-2020-12',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  'there are no resources': [
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
  'there are no prompts, and so nothing to complete': [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'completion-complete',
  ],
  'nothing is logged over the protocol': ['logging-set-level'],
  'it is about HTTP, and the server has no socket': [
    'server-sse-polling',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
};

describe.skipIf(!installed)('conformance', () => {
  const suite = (...args) => {
    const file = join(installed.modules, '@modelcontextprotocol/conformance/dist/index.js');
    return run(installed.node, [file, ...args], { cwd: directory(), timeout: 60_000 });
  };

  test('every scenario of the suite is run or left out for a reason', async () => {
    const { stdout } = await suite('list', '--server');
    const known = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
    expect([...APPLIES, ...Object.values(DOES_NOT).flat()].sort()).toEqual(known.sort());
  });

  const ways = {
    'over stdio': toCommand,
    'over the SDK’s HTTP transport': async (transport) => {
      await serveIntentMcp({ instances: { default: new Intent() }, transport });
    },
  };
  const cases = Object.keys(ways).flatMap((way) => APPLIES.map((scenario) => [scenario, way]));
  test.each(cases)('%s %s', async (scenario, way) => {
    const { url, close } = await listen(ways[way]);
    try {
      const { stdout } = await suite('server', '--url', url, '--scenario', scenario);
      const [, passed, all, failed] = /Passed: (\d+)\/(\d+), (\d+) failed/.exec(stdout);
      expect(Number(passed)).toBeGreaterThan(0);
      expect({ passed, failed }, stdout).toEqual({ passed: all, failed: '0' });
    } finally {
      await close();
    }
  });
});
