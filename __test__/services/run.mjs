// Starts the services: each in a process of its own, on a free port of loopback, with a
// configuration of this test's, and ended by its process.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { core, order } from '../support/model.mjs';

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a program and waits until its `ready` URL answers. */
const start = async ({ program, args, env, cwd, ready, port }) => {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env } });
  let output = '';
  const note = (chunk) => {
    output = (output + chunk).slice(-4000);
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  const ended = new Promise((resolve) => child.on('close', resolve));
  const origin = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
    rmSync(cwd, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) break;
    const answer = await fetch(origin + ready).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer !== undefined) return { baseURL: `${origin}/v1`, origin, stop };
    await sleep(250);
  }
  await stop();
  throw new Error(`${program} does not answer: ${output}`);
};

const scratch = () => mkdtempSync(join(tmpdir(), 'intent-service-'));

/** The behaviour of a service, by a word in the input. */
export const WORDS = {
  UNAUTHORISED: {
    error: {
      message: 'Incorrect API key provided: SERVICE-SECRET.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    },
    status: 401,
  },
  BUSY: { error: { message: 'SERVICE-SECRET', type: 'rate_limit_error' }, status: 429 },
  BROKEN: { error: { message: 'SERVICE-SECRET', type: 'server_error' }, status: 500 },
  LONG: { content: '{"normalizedInput":"Que', finishReason: 'length' },
  FILTERED: { content: 'I must not', finishReason: 'content_filter' },
  TOOL: { toolCalls: [{ name: 'look_up', arguments: {} }] },
};

/** aimock of CopilotKit: both protocols of OpenAI. */
export const startAimock = async (modules) => {
  const [cwd, port] = [scratch(), await freePort()];
  const fixture = (userMessage, response) => ({ match: { userMessage }, response });
  const fixtures = [
    ...Object.entries(WORDS).map(([word, response]) => fixture(word, response)),
    fixture('"repair"', { content: core() }),
    fixture('FENCED', { content: `\`\`\`json\n${core()}\n\`\`\`` }),
    fixture('"selectedFields"', { content: order }),
    fixture('"structuredLanguage"', { content: core() }),
  ];
  mkdirSync(join(cwd, 'fixtures'));
  writeFileSync(join(cwd, 'fixtures', 'all.json'), JSON.stringify({ fixtures }));
  const cli = join(modules, '@copilotkit/aimock/dist/cli.js');
  const args = [cli, '-p', String(port), '-f', 'fixtures', '--log-level', 'warn'];
  return start({ program: process.execPath, args, cwd, port, ready: '/' });
};

/** mock-llm: Chat Completions by rules. */
export const startMockLlm = async (modules) => {
  const [cwd, port] = [scratch(), await freePort()];
  const rule = (match, text) => ({
    path: '/v1/chat/completions',
    match,
    response: {
      status: 200,
      content: JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        model: 'any',
        choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      }),
    },
  });
  // The last rule that matches wins. JSON is YAML.
  const rules = [
    rule('@', core()),
    rule("contains(body.messages[-1].content, 'selectedFields')", order),
  ];
  writeFileSync(join(cwd, 'mock-llm.yaml'), JSON.stringify({ rules }));
  const args = [join(modules, '@dwmkerr/mock-llm/dist/main.js'), '--config', 'mock-llm.yaml'];
  const env = { PORT: String(port), HOST: '127.0.0.1' };
  return start({ program: process.execPath, args, env, cwd, port, ready: '/health' });
};

export const LITELLM_KEY = 'sk-litellm-master-1234';

/**
 * LiteLLM's proxy, with three models: `mocked` answers by itself, `through` passes Chat
 * Completions on to `upstream`, `bridged` is a service without Responses (as vLLM was) in front of
 * which LiteLLM speaks it.
 */
export const startLiteLlm = async (programs, upstream) => {
  const [cwd, port] = [scratch(), await freePort()];
  const model = (model_name, params) => ({
    model_name,
    litellm_params: { api_key: 'none', ...params },
  });
  const config = {
    model_list: [
      model('mocked', { model: 'openai/gpt-4o-mini', mock_response: core() }),
      model('through', { model: 'openai/gpt-4o-mini', api_base: upstream }),
      model('bridged', { model: 'hosted_vllm/any', api_base: upstream }),
    ],
    general_settings: { master_key: LITELLM_KEY },
    router_settings: { disable_cooldowns: true, num_retries: 0 },
  };
  writeFileSync(join(cwd, 'config.yaml'), JSON.stringify(config));
  const args = ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)];
  return start({
    program: join(programs, 'litellm'),
    args: [...args, '--telemetry', 'False'],
    // Nothing of it leaves this machine.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', NO_PROXY: '127.0.0.1' },
    cwd,
    port,
    ready: '/health/liveliness',
  });
};
