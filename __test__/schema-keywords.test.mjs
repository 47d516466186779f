// The keywords that the compiler allows in a schema written in place are those that the docs list.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const sorted = (names) => [...new Set(names)].sort();

test('js/literal-schema.d.ts and docs/schema.md name the same keywords', () => {
  const types = read('js/literal-schema.d.ts');
  const typed = [...types.matchAll(/^type KeywordOf\w+ =([^;]+);/gm)].flatMap(([, names]) =>
    [...names.matchAll(/'([^']+)'/g)].map(([, name]) => name),
  );
  const table = /## Keywords\n([\s\S]+?)\n\n- /.exec(read('docs/schema.md'))[1];
  const rows = table
    .split('\n')
    .filter((row) => row.startsWith('| `') && !/\| refused \| refused/.test(row));
  const told = rows.flatMap((row) =>
    [...row.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const keywords = told.filter((name) => name !== 'x-*' && !/#/.test(name));
  expect(typed.length).toBeGreaterThan(50);
  expect(sorted([...typed, 'type'])).toEqual(sorted([...keywords, '$schema']));
});
