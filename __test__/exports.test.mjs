// The values of each entry, by `import * as` and by `require`: these, and no others.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const EXPORTS = {
  '.': [
    ...['ACTIONS', 'DATA_ISSUE_CODES', 'DEFAULT_LIMITS', 'ERROR_CODES', 'STATUSES'],
    ...['Intent', 'IntentDataError', 'IntentError', 'IntentParseError'],
    ...['checkSchema', 'followUp', 'openQuestions'],
  ],
  './adapters/ai-sdk': ['fromLanguageModel'],
  './adapters/api': ['createApiExecutor', 'readChatCompletion', 'readCompletedResponse'],
  './bridge': ['createIntentBridge'],
  './eval': [
    ...['EvaluationError', 'PUBLIC_SETS', 'checkWrong', 'evaluate', 'goldExecutor', 'readCases'],
    ...['readPublicSet', 'recording', 'replaying', 'score'],
  ],
  './evidence': ['renderEvidence'],
  './executors': ['fallback', 'retrying'],
  './mcp': ['MCP_TOOLS', 'serveIntentMcp'],
  './testing': [
    ...['coreCandidate', 'dataCandidate', 'recordingExecutor', 'replayingExecutor'],
    ...['scriptedExecutor'],
  ],
};

test('every entry is in this table', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
  expect(entries.sort()).toEqual(Object.keys(EXPORTS).sort());
});

/** The names that a process of its own sees; under vitest an import has a way of its own. */
const namesOf = (entry) => {
  const code = `
    import { createRequire } from 'node:module';
    import * as imported from '${entry}';
    const required = createRequire(import.meta.url)('${entry}');
    const ours = (name) => name !== 'default' && name !== 'module.exports';
    console.log(JSON.stringify([Object.keys(imported).filter(ours).sort(), Object.getOwnPropertyNames(required).sort()]));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout);
};

test.each(Object.entries(EXPORTS))('%s', (entry, names) => {
  const [imported, required] = namesOf(manifest.name + entry.slice(1));
  expect(imported).toEqual([...names].sort());
  expect(required).toEqual([...names].sort());
});
