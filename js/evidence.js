'use strict';
// Renders evidence as a page: the sources with marked quotes, and the values beside them. The page is one
// HTML text without scripts and external resources; its content security policy forbids both.

const { IntentError } = require('./errors.js');
const { tokensOf, valueAt } = require('./pointer.js');

const WORDS = {
  en: {
    lang: 'en',
    title: 'Evidence',
    input: 'Input',
    roles: { user: 'User', assistant: 'Assistant', tool: 'Tool', background: 'Background' },
    fields: 'Fields',
    exact: 'to the letter',
    semantic: 'in other words',
    times: (count) => `stands ${count} times; the first is marked`,
    none: 'No field was extracted.',
    empty: '(empty)',
    proved:
      'What is marked stands in the texts as shown. That a value said in other words means what its quote says is the claim of the model, as far as its level does not bind it.',
  },
  zh: {
    lang: 'zh-CN',
    title: '证据',
    input: '输入',
    roles: { user: '用户', assistant: '助手', tool: '工具', background: '背景' },
    fields: '字段',
    exact: '与原文一致',
    semantic: '换了说法',
    times: (count) => `原文共出现 ${count} 次，标出的是第一处`,
    none: '没有提取到字段。',
    empty: '（空）',
    proved:
      '标出的文字确实在原文的这些位置。换了说法的值与原文意思是否一致，除其级别所约束的部分外，是模型的说法。',
  },
};

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters, and direction marks that could make a text look like another one. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

const escaped = (text) =>
  text
    .toWellFormed()
    .replace(/[&<>"']/g, (c) => ESCAPES[c])
    .replace(HIDDEN, (c) =>
      c === '\r'
        ? ''
        : `<span class="hidden">U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}</span>`,
    );

const invalid = (message) => new IntentError('INPUT_INVALID', { message });

/** Returns the sources with their ids, in order. */
const sourcesOf = ({ input, context }) => {
  if (typeof input !== 'string') throw invalid('input must be the text that was recognised.');
  const sources = [{ id: 'input', role: undefined, text: input }];
  const messages =
    typeof context === 'string'
      ? context === ''
        ? []
        : [{ role: 'background', content: context }]
      : (context ?? []);
  if (!Array.isArray(messages)) throw invalid('context must be a text or an array of messages.');
  for (const [i, message] of messages.entries()) {
    const text = message?.content;
    if (typeof text !== 'string') throw invalid(`context[${i}].content must be a text.`);
    sources.push({ id: `context:${i}`, role: String(message.role), text });
  }
  return sources;
};

const LONGEST_VALUE = 2000;

const shown = (value) => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
};

/** Groups the spans of all entries by source, and checks each against its text. */
const spansOf = (evidence, sources) => {
  const bySource = new Map(sources.map((source) => [source.id, []]));
  for (const [i, entry] of evidence.entries()) {
    for (const [j, span] of entry.spans.entries()) {
      const spans = bySource.get(span.source);
      const text = sources.find((source) => source.id === span.source)?.text;
      if (spans === undefined || text.slice(span.start, span.end) !== span.quote)
        throw invalid(
          `evidence[${i}].spans[${j}] does not stand in ${span.source}: pass the input and the context that were recognised.`,
        );
      spans.push({ ...span, number: i + 1, id: `q${i + 1}-${j + 1}` });
    }
  }
  return bySource;
};

/**
 * Marks the spans of a text. The text is cut at every start and end, so that overlapping and nested spans
 * are each marked completely.
 */
const marked = (text, spans) => {
  const cuts = new Set([0, text.length]);
  for (const { start, end } of spans) cuts.add(start).add(end);
  const places = [...cuts].sort((a, b) => a - b);
  const begun = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  let open = [];
  let next = 0;
  let out = '';
  for (let i = 0; i + 1 < places.length; i++) {
    const [from, to] = [places[i], places[i + 1]];
    open = open.filter((span) => span.end > from);
    const labels = [];
    while (next < begun.length && begun[next].start === from) {
      labels.push(begun[next]);
      open.push(begun[next]);
      next++;
    }
    const part = escaped(text.slice(from, to));
    const tags = labels.map(
      ({ id, number }) => `<sup id="${id}"><a href="#f${number}">${number}</a></sup>`,
    );
    if (open.length === 0) out += part;
    else {
      const deep = Math.min(open.length, 3);
      const hue = (open[open.length - 1].number * 67) % 360;
      out += `${tags.join('')}<mark class="d${deep}" style="--h:${hue}">${part}</mark>`;
    }
  }
  return out;
};

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--ground:#f6f7f9;--card:#fff;--line:#dfe3e8;--l:86%;--l2:76%}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa5b4;--ground:#11151b;--card:#1a2029;--line:#2c3542;--l:28%;--l2:38%}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem;font:16px/1.6 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;color:var(--ink);background:var(--ground)}
h1{font-size:1.25rem;margin:0 auto 1rem;max-width:72rem}
h2{font-size:.8rem;font-weight:600;color:var(--soft);margin:0 0 .4rem;letter-spacing:.03em}
main{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:1rem;max-width:72rem;margin:auto}
@media (max-width:45rem){main{grid-template-columns:minmax(0,1fr)}body{padding:1rem}}
section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.9rem 1rem;margin-bottom:1rem}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
mark{color:inherit;background:hsl(var(--h) 70% var(--l));border-radius:.2em;padding:.08em 0;-webkit-box-decoration-break:clone;box-decoration-break:clone}
mark.d2{background:hsl(var(--h) 75% var(--l2));box-shadow:0 .12em 0 hsl(var(--h) 60% 50%)}
mark.d3{background:hsl(var(--h) 75% var(--l2));box-shadow:0 .12em 0 hsl(var(--h) 60% 50%),0 .24em 0 hsl(calc(var(--h) + 67) 60% 50%)}
sup{font-size:.65em;line-height:0;unicode-bidi:isolate;scroll-margin:5rem}
sup a,dt a{color:var(--soft);text-decoration:none;padding:0 .15em;font-weight:600}
sup:target,dt:target{outline:2px solid hsl(210 90% 55%);border-radius:.2em}
dl{margin:0}dt{display:flex;gap:.4rem;flex-wrap:wrap;align-items:baseline;margin-top:.9rem;scroll-margin:5rem}dt:first-of-type{margin-top:0}
code{font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft);overflow-wrap:anywhere}
.mode{font-size:.75rem;color:var(--soft);border:1px solid var(--line);border-radius:1em;padding:0 .5em}
dd{margin:.15rem 0 0}dd.value{font-weight:600;overflow-wrap:anywhere;white-space:pre-wrap}
dd.quote{font-size:.9rem;color:var(--soft);overflow-wrap:anywhere}dd.quote a{color:inherit}
.hidden{font-size:.65em;color:var(--soft);border:1px solid var(--line);border-radius:.3em;padding:0 .25em;unicode-bidi:isolate}
p.note{max-width:72rem;margin:0 auto;color:var(--soft);font-size:.85rem}
`;

const sourceHtml = ({ id, role, text }, spans, words) => {
  const name = role === undefined ? words.input : (words.roles[role] ?? role);
  const body = text === '' ? words.empty : marked(text, spans);
  return `<section><h2>${escaped(name)} <code>${escaped(id)}</code></h2><div class="text" dir="auto">${body}</div></section>`;
};

const fieldHtml = (entry, i, data, words) => {
  const number = i + 1;
  const quotes = entry.spans.map(({ source, quote, occurrences }, j) => {
    const more = occurrences > 1 ? ` <span class="mode">${words.times(occurrences)}</span>` : '';
    return `<dd class="quote"><a href="#q${number}-${j + 1}">“<bdi>${escaped(quote)}</bdi>”</a> <code>${escaped(source)}</code>${more}</dd>`;
  });
  return (
    `<dt id="f${number}"><a href="#q${number}-1">${number}</a><code>${escaped(entry.path)}</code>` +
    `<span class="mode">${entry.mode === 'exact' ? words.exact : words.semantic}</span></dt>` +
    `<dd class="value"><bdi>${escaped(shown(valueAt(data, tokensOf(entry.path).slice(1))))}</bdi></dd>${quotes.join('')}`
  );
};

/** The language of the labels: the requested one, otherwise that of the input. */
const wordsFor = (language, input) => {
  if (language !== undefined && typeof language !== 'string')
    throw invalid('language must be a BCP 47 tag such as "en" or "zh-CN".');
  const chinese = language === undefined ? /\p{sc=Han}/u.test(input) : /^zh\b/i.test(language);
  return chinese ? WORDS.zh : WORDS.en;
};

const renderEvidence = (result, texts) => {
  const evidence = result?.evidence;
  if (!Array.isArray(evidence))
    throw invalid('the result has no evidence; ask for it with parse({ input, evidence: true }).');
  if (typeof texts !== 'object' || texts === null)
    throw invalid('the second argument must be { input, context } as they were recognised.');
  const sources = sourcesOf(texts);
  const words = wordsFor(texts.language, texts.input);
  const spans = spansOf(evidence, sources);
  const left = sources.map((source) => sourceHtml(source, spans.get(source.id), words)).join('');
  const fields = evidence.map((entry, i) => fieldHtml(entry, i, result.data, words)).join('');
  const right = fields === '' ? `<p>${words.none}</p>` : `<dl>${fields}</dl>`;
  return `<!doctype html>
<html lang="${words.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${words.title}</title><style>${STYLE}</style></head>
<body><h1>${words.title}</h1><main><div>${left}</div><div><section><h2>${words.fields}</h2>${right}</section></div></main>
<p class="note">${words.proved}</p></body></html>
`;
};

exports.renderEvidence = renderEvidence;
