// What the demo prints, for people who read Chinese or English.

const colours = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const paint = (code) => (text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
const bold = paint('1');
const dim = paint('2');
const red = paint('31');
const green = paint('32');
const yellow = paint('33');
const cyan = paint('36');

const STATUS = {
  ready: green('ready 可执行'),
  needs_clarification: yellow('needs clarification 需澄清'),
  awaiting_confirmation: yellow('awaiting confirmation 待确认'),
  conditional: yellow('conditional 有条件'),
};

/** A text of a model or a user, made safe for a terminal. */
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

/** Shows one recognition. */
export function show({ text, result, error, turns, ms, model, missing, wantsData }) {
  if (model) {
    print(dim(`Answered by ${safe(model)}. / 由 ${safe(model)} 回答。`));
  } else {
    print(yellow('A stand-in answered, not a model: a few rules in examples/demo/rules.mjs.'));
    print(yellow('由替身回答（examples/demo/rules.mjs 中的几条规则），不是真实模型。'));
    if (missing)
      print(yellow(`For a real model ${missing} is missing. / 要用真实模型，还缺 ${missing}。`));
    print(
      dim(
        'Real model 真实模型: INTENT_API_KEY=… INTENT_MODEL=… [INTENT_BASE_URL=…] npm run demo -- "…"',
      ),
    );
  }

  heading('Input 输入');
  print(`  ${cutAt(safe(text), 400)}`);

  const shown = result ?? error?.partialResult;
  if (shown) showResult(shown, wantsData && result !== null);
  if (error) showError(error, process.stdout);
  // Only what the package has checked can be shown as evidence.
  const checked = result !== null || error.code === 'DATA_EXTRACTION_FAILED';
  if (shown)
    showEvidence(shown, checked ? turns.findLast(({ stage }) => stage === 'data') : undefined);
  showStages(turns, ms);
}

function showResult(
  { normalizedInput, primaryIntent, intents, requirements, prohibitions, data },
  withData,
) {
  heading('Understood 理解');
  print(`  ${safe(normalizedInput)}`);
  if (primaryIntent !== null) print(`  ${dim('primary 主要')} ${safe(primaryIntent)}`);

  heading('Intents 意图');
  if (intents.length === 0) print(dim('  none 无'));
  for (const { id, action, target, requirements: own, status, reason, clarification } of intents) {
    print(
      `  ${dim(id)} ${bold(action ?? '?')} ${target === null ? dim('no target 无对象') : safe(target)}  ${STATUS[status]}`,
    );
    for (const requirement of own) print(`     • ${safe(requirement)}`);
    for (const line of reason?.split('\n') ?? [])
      print(`     ${dim('because 原因')} ${safe(line)}`);
    for (const { question, options } of clarification ?? []) {
      print(
        `     ${yellow('?')} ${safe(question)}${options.length > 0 ? dim(` [${options.map(safe).join(' | ')}]`) : ''}`,
      );
    }
  }
  if (requirements.length > 0) {
    heading('Requirements 总体要求');
    for (const requirement of requirements) print(`  • ${safe(requirement)}`);
  }
  if (prohibitions.length > 0) {
    heading('Prohibitions 禁止');
    for (const prohibition of prohibitions) print(`  ${red('✗')} ${safe(prohibition)}`);
  }
  if (withData) {
    heading('Data 数据');
    if (Object.keys(data).length === 0) print(dim('  none 无'));
    for (const [field, value] of Object.entries(data))
      print(`  ${safe(field)} = ${green(safe(JSON.stringify(value)))}`);
  }
}

/** An error with its issues, also of what failed before a recognition. */
export function showError(error, stream = process.stderr) {
  const out = error?.code
    ? `${error.code} (${error.stage}): ${error.message}`
    : String(error?.message ?? error);
  const print = (line) => stream.write(`${line}\n`);
  print(`\n${red(bold('Error 错误'))} ${safe(out)}`);
  for (const { code, path, message } of error?.issues ?? []) {
    print(`  ${red('!')} ${safe(path ?? '/')} ${dim(code)} ${safe(message)}`);
  }
}

/** Where each thing stands in the text: the candidate's own evidence for data, a search for the rest. */
function showEvidence({ input, intents, requirements, prohibitions }, dataTurn) {
  heading('Evidence 依据');
  const place = (words) => {
    const at = input.indexOf(words);
    return at < 0
      ? dim('in other words 经改写')
      : `${quote(words)} ${dim(`input[${at}..${at + words.length}]`)}`;
  };
  for (const { id, target, requirements: own } of intents) {
    for (const words of [target, ...own])
      if (words !== null) print(`  ${id} ${dim('←')} ${place(words)}`);
  }
  for (const words of requirements) print(`  • ${dim('←')} ${place(words)}`);
  for (const words of prohibitions) print(`  ${red('✗')} ${dim('←')} ${place(words)}`);
  const { evidence } = dataTurn ? JSON.parse(dataTurn.text) : { evidence: [] };
  for (const { path, mode, sources } of evidence) {
    const quotes = sources
      .map((source) => `${quote(source.quote)} ${dim(source.sourceId)}`)
      .join(', ');
    print(`  ${safe(path)} ${dim('←')} ${quotes} ${dim(mode)}`);
  }
}

function showStages(turns, total) {
  heading('Stages 阶段');
  for (const { stage, repair, outcome, ms, usage } of turns) {
    const tokens = usage
      ? dim(` ${usage.inputTokens ?? '?'} → ${usage.outputTokens ?? '?'} tokens`)
      : '';
    print(`  ${stage}${repair ? ' (repair 修复)' : ''} ${took(ms ?? 0)} ${dim(outcome)}${tokens}`);
  }
  print(`  ${dim('total 合计')} ${took(total)}`);
}
