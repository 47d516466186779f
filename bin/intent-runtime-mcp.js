#!/usr/bin/env node
'use strict';
// intent-runtime-mcp [--config <file.mjs>]: the stdio MCP server.

const { resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { parseArgs } = require('node:util');
const { version } = require('../package.json');

const HELP = `intent-runtime-mcp ${version}: recognises intents for an MCP host, over stdio

  intent-runtime-mcp [--config <file.mjs>]

  --config <file.mjs>  its default export has instances: { name: IntentConfig or Intent };
                       without it one instance "default" of {} is served
  --help               this text
  --version            the version
`;

/** A mistake at start-up: one message of at most three lines, exit code 1. */
class StartUpError extends Error {}

const firstLines = (text) => String(text).split('\n').filter(Boolean).slice(0, 2).join(' ');

const readOptions = (args) => {
  try {
    const { values } = parseArgs({
      args,
      options: {
        config: { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    throw new StartUpError(`${firstLines(error.message)} See --help.`);
  }
};

/** The configuration's own console writes to standard error: standard output is the protocol's. */
const divertConsole = () => {
  const { Console } = require('node:console');
  const diverted = new Console({ stdout: process.stderr, stderr: process.stderr });
  for (const name of Object.keys(diverted)) {
    if (typeof diverted[name] === 'function') console[name] = diverted[name];
  }
};

const loadConfig = async (file) => {
  let module;
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new StartUpError(
      `--config ${file} cannot be loaded: ${firstLines(error?.message ?? error)}`,
    );
  }
  const config = module.default;
  const instances = typeof config === 'object' && config !== null ? config.instances : undefined;
  if (typeof instances !== 'object' || instances === null || Array.isArray(instances)) {
    throw new StartUpError(
      `--config ${file}: the default export must be { instances: { name: IntentConfig } }.`,
    );
  }
  return instances;
};

/** Builds what is no Intent yet; what is built here is disposed here. */
const buildInstances = (given, file) => {
  const { Intent } = require('../js/index.js');
  const { isIntent } = require('../js/intent.js');
  const own = [];
  const instances = {};
  for (const name of Object.keys(given)) {
    let intent;
    try {
      const value = given[name];
      intent = isIntent(value) ? value : new Intent(value);
      if (intent !== value) own.push(intent);
    } catch (error) {
      throw new StartUpError(`--config ${file}: instances.${name}: ${firstLines(error.message)}`);
    }
    Object.defineProperty(instances, name, { value: intent, enumerable: true });
  }
  if (Object.keys(instances).length === 0) {
    throw new StartUpError(`--config ${file}: instances must hold at least one.`);
  }
  return { instances, own };
};

const main = async () => {
  const { config, help, version: showVersion } = readOptions(process.argv.slice(2));
  if (help || showVersion) {
    process.stdout.write(help ? HELP : `${version}\n`);
    return;
  }
  divertConsole();
  const given = config === undefined ? { default: {} } : await loadConfig(config);
  const { instances, own } = buildInstances(given, config);
  const { serveIntentMcp } = require('../js/mcp.js');
  const service = await serveIntentMcp({ instances });
  const stop = () => void service.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  await service.closed;
  await Promise.all(own.map((intent) => intent.dispose()));
  // A configuration may hold timers or sockets of its own; the service has ended all the same.
  process.exit(0);
};

main().catch((error) => {
  const message =
    error instanceof StartUpError ? error.message : firstLines(error?.message ?? error);
  process.stderr.write(`intent-runtime-mcp: ${message}\n`);
  process.exit(1);
});
