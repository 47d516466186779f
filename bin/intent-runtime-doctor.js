#!/usr/bin/env node
'use strict';
// intent-runtime-doctor <baseURL> [--model M]: finds the options of createApiExecutor for a service.

const { parseArgs } = require('node:util');
const { version } = require('../package.json');

// `| head` closes the pipe when it has read enough; this is not an error.
process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1));

const HELP = `intent-runtime-doctor ${version}: finds the createApiExecutor options for a service

  intent-runtime-doctor <baseURL> [--model M] [--timeout seconds] [--json]

  <baseURL>            root of the API, as in http://127.0.0.1:8080/v1
  --model M            the model's name; by default the service's model, if it has only one
  --timeout seconds    the timeout of one request, default 120
  --json               prints one JSON object instead of text
  --help, --version

  INTENT_API_KEY       the key, if the service needs one; it is never displayed

It sends at most twelve requests, and none contains your data. The exit code is 0 if a whole recognition
was completed, 1 if none was, and 2 if the command line is wrong.
`;

class UsageError extends Error {}

const readOptions = () => {
  let read;
  try {
    read = parseArgs({
      allowPositionals: true,
      options: {
        model: { type: 'string' },
        timeout: { type: 'string', default: '120' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error.message.split('. ')[0]}. See --help.`);
  }
  const { values, positionals } = read;
  if (values.help || values.version) return values;
  if (positionals.length !== 1)
    throw new UsageError('one base URL is needed, as in http://127.0.0.1:8080/v1. See --help.');
  const timeoutMs = Number(values.timeout) * 1000;
  if (!(timeoutMs >= 1 && timeoutMs <= 2147483647))
    throw new UsageError('--timeout must be a number of seconds.');
  return { ...values, timeoutMs: Math.ceil(timeoutMs), baseURL: positionals[0] };
};

const main = async () => {
  const options = readOptions();
  if (options.help || options.version) {
    process.stdout.write(options.help ? HELP : `${version}\n`);
    return 0;
  }
  const { run } = require('../js/doctor/command.js');
  return run({ ...options, apiKey: process.env.INTENT_API_KEY || undefined });
};

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`intent-runtime-doctor: ${error.message}\n`);
    process.exitCode = error instanceof UsageError || error.code === 'CONFIG_INVALID' ? 2 : 1;
  },
);
