// The demo's output for people, in the language of the input.

const { FORCE_COLOR: forced, NO_COLOR: never, TERM: terminal } = process.env;
const colours =
  forced === undefined
    ? Boolean(process.stdout.isTTY) && !never && terminal !== 'dumb'
    : !['0', 'false'].includes(forced);
const paint = (code) => (text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
const bold = paint('1');
const dim = paint('2');
const red = paint('31');
const green = paint('32');
const yellow = paint('33');
const cyan = paint('36');

/** Makes a text of a model or a user safe for a terminal. */
const safe = (text) =>
  String(text).replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`,
  );
const cutAt = (text, most) =>
  [...text].length > most ? `${[...text].slice(0, most).join('')}…` : text;
const quote = (text) => cyan(`«${cutAt(safe(text), 60)}»`);
const took = (ms) => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`);

const print = (line = '') => process.stdout.write(`${line}\n`);
const heading = (title) => print(`\n${bold(title)}`);

/** Shows one recognition. `unread` has the clauses that no rule of the stand-in reads. */
export function show({ words, text, result, error, unread, turns, ms, model, missing, wantsData }) {
  showWhoAnswered({ words, turns, model, missing });
  heading(words.input);
  print(`  ${cutAt(safe(text), 400)}`);
  if (unread.length > 0) {
    showUnread(words, unread);
  } else {
    const shown = result ?? error?.partialResult;
    if (shown) showResult(words, shown, wantsData && result !== null);
    if (error) showError(words, error, process.stdout);
    if (shown) {
      showPlaces(words, shown);
      showEvidence(words, result?.evidence ?? []);
    }
  }
  showStages(words, turns, ms);
}

function showWhoAnswered({ words, turns, model, missing }) {
  if (model) {
    const answered = turns.some(({ outcome }) => outcome !== 'failed');
    print(dim(answered ? words.answeredBy(safe(model)) : words.noAnswerFrom(safe(model))));
    return;
  }
  print(yellow(words.rulesAnswered));
  print(dim(words.rulesCan));
  if (missing) print(yellow(words.missing(missing)));
  print(dim(words.realModel));
}

function showUnread(words, unread) {
  print(`\n${yellow(bold(words.noRule))}`);
  for (const part of unread) print(`  ${yellow('?')} ${words.noRuleFor} ${quote(part)}`);
  print(`  ${dim(words.tryThis)}`);
}

const colourOf = (status) => (status === 'ready' ? green : yellow);

function showResult(words, result, withData) {
  const { normalizedInput, primaryIntent, intents, requirements, prohibitions, data } = result;
  heading(words.understood);
  print(`  ${safe(normalizedInput)}`);
  if (primaryIntent !== null) print(`  ${dim(words.primary)} ${safe(primaryIntent)}`);

  heading(words.intents);
  if (intents.length === 0) print(`  ${dim(words.none)}`);
  for (const intent of intents) showIntent(words, intent);
  if (requirements.length > 0) {
    heading(words.requirements);
    for (const requirement of requirements) print(`  • ${safe(requirement)}`);
  }
  if (prohibitions.length > 0) {
    heading(words.prohibitions);
    for (const prohibition of prohibitions) print(`  ${red('✗')} ${safe(prohibition)}`);
  }
  if (withData) {
    heading(words.data);
    if (Object.keys(data).length === 0) print(`  ${dim(words.none)}`);
    for (const [field, value] of Object.entries(data))
      print(`  ${safe(field)} = ${green(safe(JSON.stringify(value)))}`);
  }
}

function showIntent(words, { id, action, target, requirements, status, reason, clarification }) {
  const object = target === null ? dim(words.noTarget) : safe(target);
  print(
    `  ${dim(id)} ${bold(words.action[action] ?? action ?? '?')} ${object}  ${colourOf(status)(words.status[status])}`,
  );
  for (const requirement of requirements) print(`     • ${safe(requirement)}`);
  for (const line of reason?.split('\n') ?? []) print(`     ${dim(words.because)} ${safe(line)}`);
  for (const { question, options } of clarification ?? []) {
    const choice = options.length > 0 ? dim(` [${options.map(safe).join(' | ')}]`) : '';
    print(`     ${yellow('?')} ${safe(question)}${choice}`);
  }
}

/** Shows an error with its issues; it may have occurred before a recognition. */
export function showError(words, error, stream = process.stderr) {
  const out = error?.code
    ? `${error.code} (${error.stage}): ${error.message}`
    : String(error?.message ?? error);
  const print = (line) => stream.write(`${line}\n`);
  print(`\n${red(bold(words.error))} ${safe(out)}`);
  for (const { code, path, message } of error?.issues ?? []) {
    print(`  ${red('!')} ${safe(path ?? '/')} ${dim(code)} ${safe(message)}`);
  }
}

/** Shows where the words of the result occur in the input; the demo finds these places, and the package does not prove them. */
function showPlaces(words, { input, intents, requirements, prohibitions }) {
  const found = [
    ...intents.flatMap(({ id, target, requirements: own }) =>
      [target, ...own].filter((text) => text !== null).map((text) => [id, text]),
    ),
    ...requirements.map((text) => ['•', text]),
    ...prohibitions.map((text) => [red('✗'), text]),
  ];
  if (found.length === 0) return;
  heading(words.foundAt);
  for (const [mark, text] of found) {
    const at = input.indexOf(text);
    const place =
      at < 0 ? dim(words.reworded) : `${quote(text)} ${dim(`input[${at}..${at + text.length}]`)}`;
    print(`  ${mark} ${dim('←')} ${place}`);
  }
}

/** Shows the evidence of the package: each quote with its source and position. */
function showEvidence(words, evidence) {
  if (evidence.length === 0) return;
  heading(words.evidence);
  for (const { path, mode, spans } of evidence) {
    const quotes = spans
      .map(
        ({ source, start, end, quote: text }) =>
          `${quote(text)} ${dim(`${source}[${start}..${end}]`)}`,
      )
      .join(', ');
    print(`  ${safe(path)} ${dim('←')} ${quotes} ${dim(mode)}`);
  }
}

function showStages(words, turns, total) {
  heading(words.stages);
  for (const { stage, repair, outcome, ms, usage } of turns) {
    const tokens = usage
      ? dim(` ${usage.inputTokens ?? '?'} → ${usage.outputTokens ?? '?'} tokens`)
      : '';
    const name = repair ? `${stage} (${words.repair})` : stage;
    print(`  ${name} ${took(ms ?? 0)} ${dim(words.outcome[outcome] ?? outcome)}${tokens}`);
  }
  print(`  ${dim(words.total)} ${took(total)}`);
}
