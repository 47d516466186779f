// Reads the notation of source/*.txt; README.md explains it.

/** The blocks of a source file, one for each case. */
export function parseBlocks(text, file) {
  const blocks = [];
  let head = { tags: [], lang: '' };
  let block;
  for (const [index, line] of text.split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    if (line.trim() === '' || line.startsWith('//')) continue;
    const [, mark, rest] = /^(\S+)(?: (.*))?$/.exec(line.trimEnd()) ?? [];
    const value = rest ?? '';
    if (mark === '#') {
      const [tags, lang] = value.split(' ');
      head = { tags: tags.split(','), lang };
    } else if (mark === ':') {
      block = newBlock(head, value, place);
      blocks.push(block);
    } else if (READ[mark] === undefined || block === undefined) {
      throw new Error(`${place}: ${mark} is no mark of the notation`);
    } else READ[mark](block, value, place);
  }
  return blocks;
}

const newBlock = ({ tags, lang }, note, place) => {
  const [, more, text] = /^(?:\(([^)]*)\) ?)?(.*)$/.exec(note);
  return {
    tags: [...tags, ...(more ? more.split(',') : [])],
    lang,
    note: text,
    place,
    input: undefined,
    intents: [],
    requirements: [],
    prohibitions: [],
    wrong: [],
    data: {},
    quotes: {},
    issues: [],
    verdicts: {},
    absent: {},
    config: {},
  };
};

const last = (block) => block.intents.at(-1);

const READ = {
  __proto__: null,
  '>': (block, text) => {
    const line = text.replaceAll('\\n', '\n');
    block.input = block.input === undefined ? line : `${block.input}\n${line}`;
  },
  b: (block, text) => {
    block.context = text;
  },
  u: (block, text) => message(block, 'user', text),
  a: (block, text) => message(block, 'assistant', text),
  t: (block, text) => message(block, 'tool', text),
  i: (block, text) => {
    const [, actions, target] = /^(\S+) (.*)$/.exec(text);
    block.intents.push({
      actions: actions.split('/').map((one) => (one === '-' ? null : one)),
      target: target === '-' ? null : marked(target),
      requirements: [],
    });
  },
  '*': (block, text) => last(block).requirements.push(marked(text)),
  '?': (block, text) => {
    const [reason, question, ...options] = text.split(' | ');
    Object.assign(last(block), {
      clarification: marked(reason),
      question: marked(question),
      options,
    });
  },
  '!': (block, text) => {
    last(block).confirmation = marked(text);
  },
  '&': (block, text) => {
    last(block).condition = marked(text);
  },
  r: (block, text) => block.requirements.push(marked(text)),
  p: (block, text) => block.prohibitions.push(marked(text)),
  'p?': (block) => {
    block.anyProhibitions = true;
  },
  n: (block, text) => {
    block.normalized = marked(text);
  },
  m: (block, text) => {
    block.primary = marked(text);
  },
  order: (block) => {
    block.anyOrder = true;
  },
  nowhere: (block, text) => {
    block.nowhere = text.split(' | ');
  },
  s: (block, text) => {
    const [schema, fields] = text.split(' ');
    block.schema = schema;
    if (fields) block.fields = fields.split(',');
  },
  d: (block, text, place) => {
    block.data = json(text, place);
  },
  q: (block, text) => {
    const [, pointer, quote] = /^(\S+) (.*)$/.exec(text);
    block.quotes[pointer] ??= [];
    block.quotes[pointer].push(quote);
  },
  e: (block, text) => {
    const [, code, path, message] = /^(\S+) (\S+) (.*)$/.exec(text);
    block.issues.push({ code, path: path === '-' ? null : path, message });
  },
  v: (block, text) => {
    const [, pointer, verdict, explanation] = /^(\S+) (\S+) (.*)$/.exec(text);
    block.verdicts[pointer] = { verdict, explanation };
  },
  na: (block, text) => {
    block.absent[text] = 'not_applicable';
  },
  c: (block, text, place) => {
    block.config = json(text, place);
  },
  x: (block, text) => block.wrong.push(text),
};

function message(block, role, content) {
  block.context ??= [];
  block.context.push({ role, content: content.replaceAll('\\n', '\n') });
}

function json(text, place) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${place}: ${error.message}`);
  }
}

/**
 * Reads a text such as `delete order [8814] ~~ 8841`. The gold text consists of the words outside brackets
 * and the first alternative of each bracket; the expectation is one alternative of each bracket, and none of
 * the words after `~~`.
 */
export function marked(text) {
  const [said, none] = text.split(' ~~ ');
  const all = [];
  const gold = said.replace(/\[([^\]]*)\]/g, (_, listed) => {
    const words = listed.split('|');
    all.push(words.length === 1 ? words[0] : words);
    return words[0];
  });
  return {
    gold,
    expect: { ...(all.length > 0 && { all }), ...(none && { none: none.split('|') }) },
  };
}
