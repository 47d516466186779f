'use strict';
// The HTML page of a report: one file that loads nothing from outside and follows the theme of the
// reader's system. The figures are HTML; the cases are JSON that a small script shows fifty at a time.

const { percent, short } = require('./progress.js');

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => ESCAPES[c]);

/** Writes JSON that is safe inside a script element. */
const inScript = (value) =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #59636e; --paper: #fff; --soft: #f4f5f7;
  --line: #d8dde3; --good: #1a7f4b; --bad: #b3261e; --bar: #3e7bb6; --mark: #ffe08a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --quiet: #9aa5b1; --paper: #14171a;
  --soft: #1e2226; --line: #343a41; --good: #55c98b; --bad: #ff8a80; --bar: #6ea8dc; --mark: #6b5600; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.quiet { color: var(--quiet); } .good { color: var(--good); } .bad { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; padding: 0; }
.figures > div { background: var(--soft); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .9rem; }
.figures b { display: block; font-size: 1.35rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .2rem .6rem .2rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--quiet); } td.n { white-space: nowrap; font-variant-numeric: tabular-nums; }
.share { display: inline-block; width: 8rem; max-width: 100%; height: .6rem; background: var(--soft);
  border: 1px solid var(--line); border-radius: .3rem; overflow: hidden; }
.share i { display: block; height: 100%; background: var(--bar); }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 1rem; }
select, input, button { font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line);
  border-radius: .35rem; padding: .25rem .5rem; max-width: 100%; } input[type=search] { flex: 1 1 12rem; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 .75rem; }
article h3 { margin: 0 0 .35rem; font-size: 1rem; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border-radius: .35rem;
  padding: .5rem .7rem; margin: .35rem 0; max-height: 20rem; overflow: auto; }
mark { background: var(--mark); color: inherit; border-radius: .15rem; }
article table { table-layout: fixed; } article td { overflow-wrap: anywhere; }
article th:first-child { width: 42%; } article td code { display: block; }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .55rem;
  font-size: .85rem; color: var(--quiet); } details { margin-top: .4rem; } summary { cursor: pointer; color: var(--quiet); }
nav { display: flex; margin: .5rem 0; gap: .5rem; align-items: center; flex-wrap: wrap; }
`;

/** The page up to the list of cases. */
function pageBegin(report, { title = 'Recognition report', comparison } = {}) {
  const { right, wrong, failed, shutOut } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p class="quiet">Executor ${escaped(report.executor)}, package ${escaped(report.package)}, ${report.total} cases${report.interrupted ? ', interrupted' : ''}.</p>
<div class="figures">
${figure(right.share === null ? 'none' : percent(right.share), intervalOf(right))}
${figure(right.right, 'right')}${figure(wrong, 'wrong')}${figure(failed, 'without an answer')}${figure(shutOut.total, 'shut out')}
${report.time ? figure(`${report.time.median.toFixed(0)} ms`, `median of a case; p95 ${report.time.p95.toFixed(0)} ms`) : ''}
</div>
${comparison ? comparisonSection(comparison) : ''}
${stages(report.stages)}
${rates('By language', report.langs)}
${rates('By tag', report.tags)}
${rates('By check', report.checks)}
${counts('Causes of repairs', report.causes)}
${counts('Errors', report.ends)}
${counts('Shut out', shutOut.reasons)}
<h2>Cases that are not right</h2>
<noscript><p>The list of cases needs JavaScript; the page loads nothing from elsewhere.</p></noscript>
<form id="filter"><select id="tag" aria-label="Tag"></select><select id="lang" aria-label="Language"></select>
<select id="check" aria-label="Check"></select><input id="find" type="search" placeholder="Find in texts" aria-label="Find in texts"></form>
<nav id="pages"></nav>
<div id="cases"></div>
<script type="application/json" id="data">[
`;
}

const pageEntry = (entry) => inScript(pageCase(entry));

/** The data of a case for the list. */
function pageCase({ id, lang, tags = [], state, failed = [], case: one = {}, got = {}, why }) {
  return {
    id,
    lang,
    tags,
    state,
    note: one.note,
    input: one.input,
    context: one.context,
    failed: why
      ? [{ check: 'shut out', expected: 'a schema that is supported', got: why }]
      : failed,
    got: got.result ?? got.error,
    evidence: got.result?.evidence,
  };
}

const pageEnd = (leftOut) => `
]</script>
<script>(${script})(${leftOut});</script>
</body>
</html>
`;

const figure = (value, label) =>
  `<div><b>${escaped(value)}</b><span class="quiet">${escaped(label)}</span></div>`;

const intervalOf = ({ interval }) =>
  interval === null
    ? 'nothing judged'
    : `right; 95 % ${percent(interval[0])} to ${percent(interval[1])}`;

function rates(title, all) {
  const rows = Object.entries(all).sort(([, a], [, b]) => a.share - b.share);
  if (rows.length === 0) return '';
  const row = ([name, one]) =>
    `<tr><td>${escaped(name)}</td><td class="n">${percent(one.share)}</td><td class="n">${one.right}/${one.total}</td>` +
    `<td><span class="share"><i style="width:${(100 * one.share).toFixed(1)}%"></i></span></td>` +
    `<td class="n quiet">${one.interval.map(percent).join(' to ')}</td></tr>`;
  return `<h2>${title}</h2><div class="wide"><table><tr><th></th><th>right</th><th>cases</th><th></th><th>95 %</th></tr>${rows.map(row).join('\n')}</table></div>`;
}

function counts(title, list) {
  if (list.length === 0) return '';
  const row = ({ what, times }) => `<tr><td class="n">${times}</td><td>${escaped(what)}</td></tr>`;
  return `<h2>${title}</h2><div class="wide"><table>${list.slice(0, 100).map(row).join('\n')}</table></div>`;
}

function stages(all) {
  const row = ([name, one]) => {
    const tokens = [one.inputTokens, one.outputTokens].map((sum) =>
      sum ? short(sum.sum) : 'unknown',
    );
    const times = one.time
      ? [one.time.median, one.time.p95].map((ms) => `${ms.toFixed(1)} ms`)
      : ['', ''];
    const cells = [
      one.questions,
      percent(one.firstAnswerAccepted.share ?? 0),
      one.repairs,
      one.repaired,
      ...times,
      ...tokens,
    ];
    return `<tr><td>${name}</td>${cells.map((cell) => `<td class="n">${cell}</td>`).join('')}</tr>`;
  };
  const heads = [
    '',
    'questions',
    'first answer accepted',
    'repairs',
    'mended',
    'median',
    'p95',
    'tokens in',
    'tokens out',
  ];
  const rows = Object.entries(all).filter(([, one]) => one.questions > 0);
  return `<h2>By stage</h2><div class="wide"><table><tr>${heads.map((one) => `<th>${one}</th>`).join('')}</tr>${rows.map(row).join('')}</table></div>`;
}

function comparisonSection({ paired, lost, won, probability, alpha, significantLoss }) {
  const verdict = significantLoss
    ? '<span class="bad">a significant loss</span>'
    : 'no significant loss';
  return `<h2>Against the baseline</h2><p>${paired} cases in both: ${won.length} won, ${lost.length} lost; ${verdict}
(exact paired test, p = ${probability.toPrecision(2)}, bound ${alpha}).</p>${
    lost.length === 0
      ? ''
      : `<p class="quiet">Lost: ${lost.slice(0, 200).map(escaped).join(', ')}</p>`
  }`;
}

/** This function runs in the page. It writes everything as text, never as HTML. */
function script(leftOut) {
  const PER_PAGE = 50;
  const all = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const el = (name, props, ...children) => {
    const node = Object.assign(document.createElement(name), props);
    node.append(...children.filter((child) => child != null));
    return node;
  };
  const fill = (id, title, values) => {
    byId(id).append(el('option', { value: '', textContent: title }));
    for (const value of [...new Set(values)].sort())
      byId(id).append(el('option', { value, textContent: value }));
  };
  const general = (check) => check.replace(/\/\d+(?=\/|$)/g, '/*');
  fill(
    'tag',
    'every tag',
    all.flatMap((one) => one.tags),
  );
  fill(
    'lang',
    'every language',
    all.flatMap((one) => one.lang ?? []),
  );
  fill(
    'check',
    'every check',
    all.flatMap((one) => one.failed.map(({ check }) => general(check))),
  );
  let page = 0;
  let shown = all;

  const json = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1));

  /** Shows a text with marked evidence; overlapping spans become one. */
  const marked = (text, source, evidence) => {
    const spans = (evidence ?? [])
      .flatMap((entry) => entry.spans)
      .filter((span) => span.source === source)
      .sort((a, b) => a.start - b.start);
    const box = el('div', { className: 'text', dir: 'auto' });
    let end = 0;
    for (const span of spans) {
      const start = Math.max(end, span.start);
      if (span.end <= start) continue;
      box.append(text.slice(end, start), el('mark', { textContent: text.slice(start, span.end) }));
      end = span.end;
    }
    box.append(text.slice(end));
    return box;
  };

  const caseNode = (one) => {
    const node = el('article', {});
    node.append(
      el(
        'h3',
        {},
        el('code', { textContent: one.id }),
        ' ',
        ...[one.state, one.lang, ...one.tags]
          .filter(Boolean)
          .flatMap((tag) => [el('span', { className: 'tag', textContent: tag }), ' ']),
      ),
    );
    if (one.note) node.append(el('p', { className: 'quiet', textContent: one.note }));
    const context =
      typeof one.context === 'string'
        ? [{ role: 'background', content: one.context }]
        : (one.context ?? []);
    context.forEach((message, i) => {
      node.append(
        el('span', { className: 'quiet', textContent: message.role }),
        marked(message.content, `context:${i}`, one.evidence),
      );
    });
    if (one.input !== undefined) node.append(marked(one.input, 'input', one.evidence));
    const rows = one.failed.map(({ check, expected, got }) =>
      el(
        'tr',
        {},
        el('td', {}, el('code', { textContent: check })),
        el('td', {}, el('pre', { textContent: json(expected) ?? '' })),
        el('td', {}, el('pre', { textContent: json(got) ?? '' })),
      ),
    );
    const heads = ['check', 'expected', 'got'].map((textContent) => el('th', { textContent }));
    node.append(el('div', { className: 'wide' }, el('table', {}, el('tr', {}, ...heads), ...rows)));
    if (one.got) {
      const more = el('details', {}, el('summary', { textContent: 'the whole outcome' }));
      more.addEventListener(
        'toggle',
        () =>
          more.open &&
          more.children.length === 1 &&
          more.append(el('pre', { textContent: json(one.got) })),
      );
      node.append(more);
    }
    return node;
  };

  const draw = () => {
    const pages = Math.max(1, Math.ceil(shown.length / PER_PAGE));
    page = Math.min(page, pages - 1);
    const button = (textContent, to) => {
      const node = el('button', { type: 'button', textContent, disabled: to < 0 || to >= pages });
      node.addEventListener('click', () => {
        page = to;
        draw();
        byId('filter').scrollIntoView();
      });
      return node;
    };
    const more = leftOut > 0 ? `; ${leftOut} more are in the journal` : '';
    byId('pages').replaceChildren(
      button('‹', page - 1),
      el('span', {
        textContent: `${shown.length} of ${all.length}${more}, page ${page + 1} of ${pages}`,
      }),
      button('›', page + 1),
    );
    byId('cases').replaceChildren(
      ...shown.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map(caseNode),
    );
  };

  const filter = () => {
    const [tag, lang, check] = ['tag', 'lang', 'check'].map((id) => byId(id).value);
    const find = byId('find').value.toLowerCase();
    shown = all.filter(
      (one) =>
        (tag === '' || one.tags.includes(tag)) &&
        (lang === '' || one.lang === lang) &&
        (check === '' || one.failed.some((failed) => general(failed.check) === check)) &&
        (find === '' || JSON.stringify(one).toLowerCase().includes(find)),
    );
    page = 0;
    draw();
  };
  byId('filter').addEventListener('input', filter);
  byId('filter').addEventListener('submit', (event) => event.preventDefault());
  draw();
}

module.exports = { pageBegin, pageEntry, pageEnd };
