// The table of services in docs/models.md and docs/zh/models.md, made of the rows.
//
//   node __test__/stand-ins/table.mjs    writes both
//
// A test compares them with the rows.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rows } from './rows.mjs';

/** The services that have a recipe page. */
export const RECIPES = {
  openai: 'openai',
  azure: 'azure',
  gemini: 'gemini',
  deepseek: 'deepseek',
  qwen: 'qwen',
  moonshot: 'kimi',
  glm: 'glm',
  ark: 'doubao',
  vllm: 'vllm',
  ollama: 'ollama',
  'llama-cpp': 'llama-cpp',
};

const WORDS = {
  en: {
    page: 'docs/models.md',
    head: ['service', '`baseURL`', 'Responses', 'Chat Completions', 'options besides'],
    yes: 'yes',
    no: 'no',
    preset: 'default',
    none: 'none',
    name: ({ name }) => name,
  },
  zh: {
    page: 'docs/zh/models.md',
    head: ['服务', '`baseURL`', 'Responses', 'Chat Completions', '其余选项'],
    yes: '有',
    no: '无',
    preset: '默认',
    none: '无',
    name: ({ name, nameZh }) => nameZh ?? name,
  },
};

/** Writes a value as JavaScript source. */
export const literal = (value) => {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, one]) => `${name}: ${literal(one)}`);
  return `{ ${members.join(', ')} }`;
};

/** Returns the options other than `baseURL`, `model` and `apiKey`. */
export const optionsOf = ({ provider, options }) =>
  Object.entries({ ...(provider && { provider }), ...options });

const lineOf = (row, words) => {
  const name = words.name(row);
  const recipe = RECIPES[row.id];
  const options = optionsOf(row).map(([key, value]) => `\`${key}: ${literal(value)}\``);
  const has = (endpoint) => (row.endpoints.includes(endpoint) ? words.yes : words.no);
  return [
    recipe === undefined ? name : `[${name}](recipes/${recipe}.md)`,
    row.preset ? words.preset : `\`${row.baseURL}\``,
    has('responses'),
    has('chat-completions'),
    options.length === 0 ? words.none : options.join(', '),
  ];
};

export const tableOf = (language) => {
  const words = WORDS[language];
  const lines = [words.head, words.head.map(() => '---'), ...rows.map((row) => lineOf(row, words))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

const MARKS = /(<!-- services: [^>]*-->\n)[\s\S]*?(<!-- \/services -->)/;
const fileOf = (page) => fileURLToPath(new URL(`../../${page}`, import.meta.url));

/** `[page, text as it is, text as the rows have it]` of both languages. */
export const pages = () =>
  Object.entries(WORDS).map(([language, { page }]) => {
    const text = readFileSync(fileOf(page), 'utf8');
    if (!MARKS.test(text)) throw new Error(`${page} has no place for the table of services`);
    return [
      page,
      text,
      text.replace(MARKS, (_, open, close) => `${open}\n${tableOf(language)}\n\n${close}`),
    ];
  });

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [page, , text] of pages()) writeFileSync(fileOf(page), text);
