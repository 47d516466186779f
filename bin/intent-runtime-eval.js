#!/usr/bin/env node
'use strict';
// intent-runtime-eval <cases.jsonl> --executor <file.mjs>: measures recognition.

const { existsSync, statSync, writeSync } = require('node:fs');
const { resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { parseArgs } = require('node:util');
const { version } = require('../package.json');

// `| head` closes the pipe when it has read enough; this is not an error.
process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1));

const HELP = `intent-runtime-eval ${version}: measures how often a recognition is right

  intent-runtime-eval <cases.jsonl> --executor <file.mjs | gold> [options]
  intent-runtime-eval --set <name> --data <folder> --executor <file.mjs | gold> [options]

  --executor <file.mjs>   its default export is a ModelExecutor, or { executor, config } with a
                          partial IntentConfig; "gold" answers with the gold answer of each case
  --set <name>            acebench-zh, acebench-en, bfcl, clinc150 or nlupp, read from --data
  --data <folder>         where the files of the public set are
  --tag, --lang, --id     selects cases; each may be given several times
  --limit <n>             runs only the first n of them

  --concurrency <n>       number of cases that run at the same time (default 4)
  --journal <file>        saves each finished case and each answer
  --resume                continues the run of that journal; answered questions are not repeated
  --record <file>         saves every answer; --replay <file> answers from it, without a model

  --json <file>           writes the report for later runs and programs
  --html <file>           writes the report as one page
  --baseline <old.json>   exit code 1 if the loss against that report is significant,
  --alpha <p>             that is, if its probability in an exact paired test is below p (default 0.05)
  --at-least <share>      exit code 1 if a smaller share is right, as in 0.9
  --wrong                 scores the wrong answers of the cases; exit code 1 if one passes
  --price <in,out>        prices of a million input and output tokens, for the cost
  --quiet                 prints one line at the end
  --help, --version
`;

const OPTIONS = {
  executor: { type: 'string' },
  set: { type: 'string' },
  data: { type: 'string' },
  tag: { type: 'string', multiple: true },
  lang: { type: 'string', multiple: true },
  id: { type: 'string', multiple: true },
  limit: { type: 'string' },
  concurrency: { type: 'string' },
  journal: { type: 'string' },
  resume: { type: 'boolean' },
  record: { type: 'string' },
  replay: { type: 'string' },
  json: { type: 'string' },
  html: { type: 'string' },
  baseline: { type: 'string' },
  alpha: { type: 'string' },
  'at-least': { type: 'string' },
  wrong: { type: 'boolean' },
  price: { type: 'string' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
};

/** The error for a mistake in the options; only its message is printed. */
class UsageError extends Error {}

const write = (descriptor, text) => {
  try {
    writeSync(descriptor, text);
  } catch {
    // The stream was closed by its reader, so there is nothing to report.
  }
};

const oneLine = (text) =>
  String(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, 2000);

const fail = (thrown) => {
  write(2, `intent-runtime-eval: ${oneLine(thrown?.message ?? thrown)}\n`);
  process.exit(1);
};

const readOptions = () => {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(`${oneLine(error.message).split('. ')[0]}. See --help.`);
  }
};

const number = (values, name, { min, max, whole }) => {
  if (values[name] === undefined) return undefined;
  const value = Number(values[name]);
  const fits = value >= min && value <= max && (!whole || Number.isInteger(value));
  if (values[name].trim() !== '' && fits) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new UsageError(`--${name} must be ${kind} from ${min} to ${max}.`);
};

const readPrices = ({ price }) => {
  if (price === undefined) return undefined;
  const [input, output] = price.split(',').map(Number);
  if (!(input >= 0) || !(output >= 0))
    throw new UsageError('--price takes two numbers, as in --price 0.15,0.60.');
  return { input, output };
};

/** Reads the cases from a file or from a public set. */
const readSource = ({ values, positionals }, { readPublicSet }) => {
  const [file, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`one file of cases, not also ${oneLine(more[0])}.`);
  if ((file === undefined) === (values.set === undefined))
    throw new UsageError('give a file of cases, or --set and --data. See --help.');
  if (file !== undefined) {
    if (!isFile(file)) throw new UsageError(`there is no file ${resolve(file)}.`);
    return file;
  }
  if (values.data === undefined) throw new UsageError('--set needs --data <folder>.');
  return () => readPublicSet(values.set, values.data);
};

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const loadExecutor = async (values, { goldExecutor, replaying, recording }) => {
  if (values.replay !== undefined) {
    if (values.executor !== undefined || values.record !== undefined)
      throw new UsageError('--replay stands without --executor and --record.');
    return { executor: replaying(values.replay) };
  }
  if (values.executor === undefined)
    throw new UsageError('--executor is missing: a file that exports a ModelExecutor, or "gold".');
  const loaded =
    values.executor === 'gold'
      ? { executor: goldExecutor() }
      : await importExecutor(values.executor);
  if (values.record === undefined) return loaded;
  return { ...loaded, executor: recording(loaded.executor, values.record) };
};

const importExecutor = async (file) => {
  const path = resolve(file);
  if (!isFile(path)) throw new UsageError(`--executor ${file}: there is no file ${path}.`);
  let given;
  try {
    given = (await import(pathToFileURL(path).href)).default;
  } catch (error) {
    throw new UsageError(
      `--executor ${file} cannot be loaded: ${oneLine(error?.message ?? error)}`,
    );
  }
  const { executor, config } =
    typeof given?.generate === 'function' ? { executor: given } : (given ?? {});
  if (typeof executor?.generate !== 'function' || typeof executor.id !== 'string')
    throw new UsageError(
      `--executor ${file}: the default export must be a ModelExecutor ({ id, generate }) or { executor, config }.`,
    );
  return { executor, config };
};

/** Ends a run at the first interrupt and reports the finished cases; the second interrupt ends the process. */
const interruptible = () => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      write(2, 'Stopping; what is done is kept. Once more ends at once.\n');
      controller.abort();
    });
  return controller.signal;
};

const main = async () => {
  const options = readOptions();
  const { values } = options;
  if (values.help || values.version) {
    write(1, values.help ? HELP : `${version}\n`);
    return 0;
  }
  if (values.resume && !(values.journal && existsSync(values.journal)))
    throw new UsageError('--resume needs --journal with the file of the run that goes on.');
  const kit = require('../js/eval.js');
  const { Progress } = require('../js/eval/progress.js');
  const { terminalReport } = require('../js/eval/terminal.js');
  const prices = readPrices(values);
  const cases = readSource(options, kit);
  const selection = {
    cases,
    tags: values.tag,
    lang: values.lang,
    ids: values.id,
    limit: number(values, 'limit', { min: 1, max: 1e9, whole: true }),
    concurrency: number(values, 'concurrency', { min: 1, max: 1000, whole: true }),
  };
  const atLeast = number(values, 'at-least', { min: 0, max: 1 });
  const alpha = number(values, 'alpha', { min: 0, max: 1 });
  const { executor, config } = await loadExecutor(values, kit);
  const progress = new Progress(process.stderr, prices);
  const signal = interruptible();
  const wrong = [];
  const report = await kit.evaluate({
    ...selection,
    executor,
    config,
    signal,
    journal: values.journal,
    resume: values.resume,
    json: values.json,
    html: values.html,
    baseline: values.baseline,
    alpha,
    onCase: (entry) => entry.state !== 'right' && wrong.length < 20 && wrong.push(entry),
    onProgress: values.quiet ? undefined : (state) => progress.show(state),
  });
  progress.end();
  const missed =
    values.wrong && !signal.aborted ? await kit.checkWrong({ ...selection, config }) : undefined;
  const { comparison } = report;
  const text = terminalReport(report, { prices, comparison, wrong, missed });
  const [headline] = text.split('\n');
  const caught = missed ? `; ${missed.caught} of ${missed.total} wrong answers caught` : '';
  write(1, values.quiet ? `${headline}${caught}\n` : text);
  if (executor.otherInstructions > 0)
    write(
      2,
      `${executor.otherInstructions} answers were recorded under other instructions than those of today.\n`,
    );
  if (signal.aborted) return 130;
  const below = atLeast !== undefined && !(report.right.share >= atLeast);
  return below || comparison?.significantLoss || missed?.missed.length > 0 ? 1 : 0;
};

main().then((code) => process.exit(code), fail);
