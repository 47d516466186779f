// Schemas of the libraries that people use, as they install them: each is taken, infers what it
// can, and costs the type checker little. TypeScript counts what it instantiates, so no clock decides.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { TSC } from '../support/project.mjs';
import { fromNpm } from '../support/registries.mjs';
import { PACKAGES, TYPES, VALUES } from './rows.mjs';

const MOST_INSTANTIATIONS = 20_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
let folder;
let compilers;

beforeAll(async () => {
  const modules = await fromNpm(['libraries'], PACKAGES);
  folder = dirname(modules);
  const own = join(modules, '@devcodex', 'intent-runtime');
  mkdirSync(dirname(own), { recursive: true });
  if (!existsSync(own)) symlinkSync(root, own, 'junction');
  compilers = {
    7: TSC,
    5.9: join(modules, 'typescript', 'bin', 'tsc'),
    5.2: join(modules, 'typescript-5.2', 'bin', 'tsc'),
  };
});

/** Returns the number of instantiations of the compiler for a file, and its errors. */
const check = async (compiler, file, text) => {
  writeFileSync(join(folder, file), text);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'esnext.disposable'],
    types: [],
  };
  const project = join(folder, `${file}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [file] }));
  const args = [compiler, '-p', project, '--extendedDiagnostics'];
  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error);
  const complaints = stdout.split('\n').filter((line) => line.includes('error TS'));
  return { complaints, instantiations: Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]) };
};

const fileOf = (name, kind) => `${name.replace(/\W+/g, '-')}-${kind}.mts`;

const KNOWN = `
const orderId: string = data.orderId;
const amount: number | undefined = data.amount;
const sku: string | undefined = data.items[0]?.sku;
// @ts-expect-error no such field
data.other;
export const known = [orderId, amount, sku];
`;
const UNKNOWN = 'export const some: unknown = data;\n';

describe.each(['7', '5.9'])('TypeScript %s', (version) => {
  const costs = async (name, imports, declaration, uses) => {
    const compiler = compilers[version];
    const library = `${imports}\n${declaration}\n`;
    const alone = await check(
      compiler,
      fileOf(name, 'alone'),
      `${library}export const alone = schema;\n`,
    );
    const together = await check(
      compiler,
      fileOf(name, 'with'),
      `import { Intent } from '@devcodex/intent-runtime';\n${library}
const intent = new Intent({ schema });
const { data } = await intent.parse({ input: 'x' });
export const none = await intent.parse({ input: 'x', fields: [], evidence: true });
export const { report } = await intent.parseWithReport({ input: 'x' });
${uses}`,
    );
    expect([...alone.complaints, ...together.complaints]).toEqual([]);
    const more = together.instantiations - alone.instantiations;
    // That of the package itself is never nothing: the figure was read.
    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThan(MOST_INSTANTIATIONS);
  };

  test.each(VALUES)('%s', (name, imports, expression, known) =>
    costs(name, imports, `const schema = ${expression};`, known ? KNOWN : UNKNOWN),
  );
  test.each(TYPES)('%s', (name, imports, type) =>
    costs(name, imports, `declare const schema: ${type};`, UNKNOWN),
  );
});

const LITERALS = readFileSync(join(root, '__test__', 'types', 'literal-schema.ts'), 'utf8');

test.each(['7', '5.9', '5.2'])(
  'TypeScript %s checks a schema written in place',
  async (version) => {
    const { complaints } = await check(compilers[version], 'literal-schema.mts', LITERALS);
    expect(complaints).toEqual([]);
  },
);

/** The schema of a row, made by the library itself. */
const made = async (name, imports, expression) => {
  const file = join(folder, fileOf(name, 'value').replace('.mts', '.mjs'));
  writeFileSync(file, `${imports}\nexport const schema = () => ${expression};\n`);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)).schema();
};
const { checkSchema, Intent } = await import('@devcodex/intent-runtime');

test.each(VALUES)('%s is taken', async (name, imports, expression) => {
  const schema = await made(name, imports, expression);
  expect(checkSchema(schema).refused).toEqual([]);
  expect(new Intent({ schema })).toBeInstanceOf(Intent);
});

const effect = "import { Schema } from 'effect';";
const valibot =
  "import * as v from 'valibot'; import { toStandardJsonSchema } from '@valibot/to-json-schema';";
const struct = (field) => `Schema.toStandardJSONSchemaV1(Schema.Struct({ a: ${field} }))`;
const object = (field) => `toStandardJsonSchema(v.object({ a: ${field} }))`;

test.each([
  ['Effect Date, which it writes as a string', effect, struct('Schema.Date')],
  ['Effect BigInt, which it writes as a string', effect, struct('Schema.BigInt')],
  ['Effect Schema.Unknown', effect, struct('Schema.Unknown'), 'Schema.toJsonSchemaDocument'],
  ['Effect instanceOf', effect, struct('Schema.instanceOf(RegExp)'), 'schema.properties.a: '],
  [
    'what the message says for Effect',
    effect,
    'Schema.toJsonSchemaDocument(Schema.Struct({ a: Schema.Unknown })).schema',
  ],
  ['Valibot unknown', valibot, object('v.unknown()')],
  ['Valibot date', valibot, object('v.date()'), 'The "date" schema cannot be converted'],
])('%s', async (name, imports, expression, message) => {
  const schema = await made(name, imports, expression);
  const refused = checkSchema(schema).refused.map((finding) => finding.message);
  expect(refused).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
});
