// Tests what an editor shows, through TypeScript's language service.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { fromNpm } from '../support/registries.mjs';
import { PACKAGES } from './rows.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
let editor;

beforeAll(async () => {
  const modules = await fromNpm(['libraries'], PACKAGES);
  const own = join(modules, '@devcodex', 'intent-runtime');
  mkdirSync(dirname(own), { recursive: true });
  if (!existsSync(own)) symlinkSync(root, own, 'junction');
  editor = editorOf(createRequire(join(modules, 'x.js'))('typescript'), dirname(modules));
});

/** Returns the texts that an editor shows at the marks of a file, and the errors of the file. */
const editorOf = (ts, folder) => {
  const options = {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
    types: [],
  };
  return (code) => {
    const file = join(folder, 'editor.mts');
    const text = `import { Intent } from '@devcodex/intent-runtime';\nimport { z } from 'zod';\n${code}`;
    writeFileSync(file, text);
    const service = ts.createLanguageService({
      ...ts.sys,
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      getScriptFileNames: () => [file],
      getScriptVersion: () => '1',
      getScriptSnapshot: (name) => {
        const content = ts.sys.readFile(name);
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
      },
      getCurrentDirectory: () => folder,
      getCompilationSettings: () => options,
      getDefaultLibFileName: (of) => ts.getDefaultLibFilePath(of),
    });
    const hovers = [...text.matchAll(/\w+\/\*\?\*\//g)].map(({ index }) =>
      ts
        .displayPartsToString(service.getQuickInfoAtPosition(file, index)?.displayParts)
        .replace(/\s+/g, ' '),
    );
    const errors = service
      .getSemanticDiagnostics(file)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    service.dispose();
    return { hovers, errors };
  };
};

const SCHEMA = `{ type: 'object', required: ['orderId'],
  properties: { orderId: { type: 'string' }, note: { type: 'string' }, count: { type: 'number' } } }`;
const ZOD =
  'z.object({ orderId: z.string(), note: z.string().optional(), count: z.number().optional() })';
const WHOLE = '{ orderId: string; note?: string | undefined; count?: number | undefined; }';
const PART = '{ orderId: string; count?: number | undefined; }';

test.each([
  ['a literal schema', SCHEMA],
  ['Zod', ZOD],
])('%s hovers as a flat object', (_, schema) => {
  const { hovers, errors } = editor(`const intent/*?*/ = new Intent({ schema: ${schema} });
const { data/*?*/ } = await intent.parse({ input: 'x' });
const part/*?*/ = (await intent.parse({ input: 'x', fields: ['orderId', 'count'] })).data;
const some/*?*/ = (await intent.parse({ input: 'x', fields: ['note'] as string[] })).data;
const none/*?*/ = (await intent.parse({ input: 'x', fields: [] })).data;
const { result: { data: reported/*?*/ } } = await intent.parseWithReport({ input: 'x', fields: ['orderId', 'count'] });
const result = await intent.parse/*?*/({ input: 'x', fields: ['orderId', 'count'] });
export { data, part, some, none, reported, result };`);
  expect(errors).toEqual([]);
  const [intent, data, part, some, none, reported, parse] = hovers;
  expect(intent).toBe(`const intent: Intent<${WHOLE}>`);
  expect(data).toBe(`const data: ${WHOLE}`);
  expect(part).toBe(`const part: ${PART}`);
  expect(some).toBe(
    `const some: ${WHOLE.replace('orderId: string', 'orderId?: string | undefined')}`,
  );
  expect(none).toBe('const none: {}');
  expect(reported).toBe(`const reported: ${PART}`);
  expect(parse).toContain(`Promise<IntentResult<${PART}>>`);
});

const NAMES = 'MustBeOneOf<';

test.each([
  ['type: str', "{ type: 'object', properties: { a: { type: 'str' } } }", '"str"', NAMES],
  ['a name in a list', "{ type: 'object', properties: { a: { type: ['string', 'nul'] } } }", NAMES],
  [
    'a type in items',
    "{ type: 'object', properties: { a: { type: 'array', items: { type: 'x' } } } }",
    '"x"',
    NAMES,
  ],
  ['a type at the root', "{ type: 'obj', properties: {} }", '"obj"', NAMES],
  ['tpye', "{ type: 'object', properties: { a: { tpye: 'string' } } }", 'UnknownKeyword<"tpye">'],
  [
    'nullable',
    "{ type: 'object', properties: { a: { type: 'string', nullable: true } } }",
    'UnknownKeyword<"nullable">',
  ],
  [
    'required: true',
    "{ type: 'object', properties: { a: { required: true } } }",
    'readonly string[]',
  ],
  ['a type in place of a schema', "{ type: 'object', properties: { a: 'string' } }", "'string'"],
  ['a number', '5', "'number'", 'JSONSchema'],
  ['null', 'null', "'null'", 'JSONSchema'],
  [
    'an option with a typo',
    "{ type: 'object', properties: {} }, langauge: 'en'",
    "write 'language'",
  ],
])('%s: one error, to the point', (_, schema, ...parts) => {
  const { errors } = editor(`export const intent = new Intent({ schema: ${schema} });`);
  expect(errors).toHaveLength(1);
  const [message] = errors;
  expect(message).not.toContain('overload');
  expect(message.length).toBeLessThan(400);
  for (const part of parts) expect(message).toContain(part);
});

test('a typo in fields: one error with a suggestion', () => {
  const { errors } = editor(`const intent = new Intent({ schema: ${SCHEMA} });
export const result = await intent.parse({ input: 'x', fields: ['orderid'] });`);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(`Did you mean '"orderId"'?`);
  expect(errors[0]).not.toContain('overload');
});

test.each([
  ['a plain object', 'async () => result'],
  [
    'one that reads the request',
    'async (request: { input: string }) => ({ ...result, input: request.input })',
  ],
])('a mock of Pick<Intent, "parse"> needs no cast: %s', (_, parse) => {
  const { errors } = editor(`interface Order { orderId: string }
declare const result: import('@devcodex/intent-runtime').IntentResult<Order>;
export const mock: Pick<Intent<Order>, 'parse'> = { parse: ${parse} };`);
  expect(errors).toEqual([]);
});
