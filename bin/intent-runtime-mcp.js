#!/usr/bin/env node
'use strict';
// intent-runtime-mcp [--config <file.mjs>] [--language <tag>]: runs the stdio MCP server.

const { statSync, writeSync } = require('node:fs');
const { resolve } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { parseArgs } = require('node:util');
const { version } = require('../package.json');

const HELP = `intent-runtime-mcp ${version}: recognises intents for an MCP host, over stdio

  intent-runtime-mcp [--config <file.mjs>] [--language <tag>]

  --config <file.mjs>  its default export has instances: { name: IntentConfig or Intent };
                       by default there is one instance "default" without fields
  --language <tag>     the language of results, such as zh-CN, or auto for that of the input;
                       for instances that do not set one
  --help               prints this text
  --version            prints the version
`;

/** Writes a text synchronously and completely. If the reader has closed the stream, the text is dropped. */
const write = (descriptor, text) => {
  try {
    writeSync(descriptor, text);
  } catch {}
};

/** Describes a thrown value in one line; a configuration may throw any value. */
const lineOf = (thrown) => {
  let text;
  try {
    text = String(thrown?.message ?? thrown);
  } catch {
    text = 'a value that cannot be shown was thrown';
  }
  return text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, 2000);
};

/** The error for a mistake at start-up; only its message is printed. */
class StartUpError extends Error {}

/** Returns the place of an error in a configuration, as " (file:line)". */
const placeOf = (thrown) => {
  try {
    const [, url, line] = /(file:\/\/[^\s()]+?):(\d+)/.exec(thrown.stack);
    return ` (${fileURLToPath(url)}:${line})`;
  } catch {
    return '';
  }
};

/** Finds the place of a syntax error: the error of an import has no place, but the error of `--check` has. */
const syntaxPlaceOf = (file) => {
  const { spawnSync } = require('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  const [place] = String(stderr).split('\n');
  return place.startsWith(file) ? ` (${place})` : '';
};

const fail = (thrown) => {
  const place = thrown instanceof StartUpError ? '' : placeOf(thrown);
  write(2, `intent-runtime-mcp: ${lineOf(thrown)}${place}\n`);
  process.exit(1);
};

const readOptions = (args) => {
  try {
    const { values } = parseArgs({
      args,
      options: {
        config: { type: 'string' },
        language: { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    // The first sentence names the mistake; the others mention options that this command does not have.
    throw new StartUpError(`${lineOf(error).split('. ')[0]}. See --help.`);
  }
};

/** Redirects the output of a configuration to process.stdout and its console to standard error. */
const keepStdoutForProtocol = () => {
  const get = () => process.stderr;
  Object.defineProperty(process, 'stdout', { get });
  // A module that was loaded before (NODE_OPTIONS) may already have used the console.
  Object.defineProperty(console, '_stdout', { get });
};

const loadConfig = async (file) => {
  const path = resolve(file);
  // The event loop is empty, so an import that has not ended never ends.
  const stuck = () => fail(new StartUpError(`--config ${file} waits for what never comes.`));
  process.once('beforeExit', stuck);
  let module;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      throw new StartUpError(`--config ${file}: there is no file ${path}.`);
    }
    const place = placeOf(error) || (error instanceof SyntaxError ? syntaxPlaceOf(path) : '');
    throw new StartUpError(`--config ${file} cannot be loaded: ${lineOf(error)}${place}`);
  }
  process.off('beforeExit', stuck);
  const instances = module.default?.instances;
  if (typeof instances !== 'object' || instances === null || Array.isArray(instances)) {
    throw new StartUpError(
      `--config ${file}: the default export must be { instances: { name: IntentConfig } }.`,
    );
  }
  return instances;
};

const checkLanguage = (language) => {
  const { Intent } = require('../js/index.js');
  try {
    new Intent({ language }).dispose();
  } catch (error) {
    throw new StartUpError(`--${lineOf(error)}`);
  }
};

/** Adds this language to a configuration that does not set one. It reads no other property. */
const withLanguage = (config, language) => {
  if (language === undefined || typeof config !== 'object' || config === null) return config;
  const descriptors = Object.getOwnPropertyDescriptors(config);
  const { language: own } = { language: undefined, ...descriptors };
  if (own !== undefined && (own.get !== undefined || own.value !== undefined)) return config;
  descriptors.language = { value: language, enumerable: true };
  return Object.create(Object.getPrototypeOf(config), descriptors);
};

/** Creates an Intent for each configuration, and disposes of the ones that it created. */
const buildInstances = (given, file, language) => {
  const { Intent } = require('../js/index.js');
  const { isIntent } = require('../js/intent.js');
  const own = [];
  const instances = {};
  for (const name of Object.keys(given)) {
    let intent;
    try {
      const value = given[name];
      if (!isIntent(value) && value?.constructor?.name === 'Intent') {
        throw new StartUpError(
          'this Intent is of another copy of the package; give its IntentConfig instead.',
        );
      }
      intent = isIntent(value) ? value : new Intent(withLanguage(value, language));
      if (intent !== value) own.push(intent);
    } catch (error) {
      throw new StartUpError(`--config ${file}: instances.${name}: ${lineOf(error)}`);
    }
    Object.defineProperty(instances, name, { value: intent, enumerable: true });
  }
  if (Object.keys(instances).length === 0) {
    throw new StartUpError(`--config ${file}: instances must have at least one entry.`);
  }
  return { instances, own };
};

const main = async () => {
  const { config, language, help, version: showVersion } = readOptions(process.argv.slice(2));
  if (help || showVersion) {
    write(1, help ? HELP : `${version}\n`);
    return;
  }
  keepStdoutForProtocol();
  // Before the service listens, no request has been accepted that needs an answer.
  let stop = () => process.exit(0);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop());
  if (language !== undefined) checkLanguage(language);
  const given = config === undefined ? { default: {} } : await loadConfig(config);
  const { instances, own } = buildInstances(given, config, language);
  const { serveIntentMcp } = require('../js/mcp.js');
  const service = await serveIntentMcp({ instances });
  stop = () => service.close().catch(fail);
  await service.closed;
  await Promise.all(own.map((intent) => intent.dispose()));
  // A configuration may have open timers or sockets, but the service has ended.
  process.exit(0);
};

// This also handles errors that a configuration leaves unhandled: one line instead of a stack trace.
process.on('uncaughtException', fail);
main().catch(fail);
