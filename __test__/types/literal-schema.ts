// The compiler's check of an inline schema. `npm run test:libraries` compiles this file
// under TypeScript 7, 5.9 and 5.2; nothing here runs.

import { Intent, type IntentConfig, type JSONSchema } from '@devcodex/intent-runtime';

// Right schemas keep their exact types.
const right = new Intent({
  schema: {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', 'x-evidence': 'exact' },
      b: { type: 'array', items: { type: ['string', 'null'] } },
    },
  },
});
const { data } = await right.parse({ input: 'x' });
export const a: string = data.a;
export const b: (string | null)[] | undefined = data.b;
const asConst = {
  type: 'object',
  required: ['a'],
  properties: { a: { type: 'string' }, b: { $ref: '#/$defs/x' } },
  $defs: { x: { type: 'string' } },
} as const;
export const c: string = (await new Intent({ schema: asConst }).parse({ input: 'x' })).data.a;
const skipping = new Intent({ schema: asConst, dataWithoutIntent: 'skip' });
const skipped = (await skipping.parse({ input: 'x' })).data;
// @ts-expect-error it may be missing
export const d: string = skipped.a;
const annotated = new Intent({
  unknownKeywords: 'annotate',
  schema: {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string', errorMessage: 'x' } },
  },
});
export const e: string = (await annotated.parse({ input: 'x' })).data.a;

// Names of types that there are not.
// @ts-expect-error str
void new Intent({ schema: { type: 'object', properties: { a: { type: 'str' } } } });
// @ts-expect-error nul
void new Intent({ schema: { type: 'object', properties: { a: { type: ['string', 'nul'] } } } });
void new Intent({
  // @ts-expect-error strng
  schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'strng' } } } },
});
void new Intent({
  // @ts-expect-error nope
  schema: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'nope' }] } } },
});
void new Intent({
  schema: {
    type: 'object',
    properties: { a: { $ref: '#/$defs/b' } },
    // @ts-expect-error strin
    $defs: { b: { type: 'strin' } },
  },
});
// @ts-expect-error obj
void new Intent({ schema: { type: 'obj', properties: {} } });
// @ts-expect-error str, in a constant
void new Intent({ schema: { type: 'object', properties: { a: { type: 'str' } } } as const });

// Keywords that there are not.
// @ts-expect-error tpye
void new Intent({ schema: { type: 'object', properties: { a: { tpye: 'string' } } } });
// @ts-expect-error tpye
void new Intent({ schema: { tpye: 'object', properties: {} } });
void new Intent({
  // @ts-expect-error nullable
  schema: { type: 'object', properties: { a: { type: 'string', nullable: true } } },
});

// Schemas of open types, and generic functions over schemas, are checked at run time.
const wide = { type: 'object', properties: { a: { type: 'str' } } };
void new Intent({ schema: wide });
declare const open: JSONSchema;
void new Intent({ schema: open });
void new Intent({ schema: { type: 'object', properties: { a: open } } });
declare const config: IntentConfig;
void new Intent(config);
void new Intent({ schema: JSON.parse('{}') });
export const generic = <TSchema extends JSONSchema>(schema: TSchema) => new Intent({ schema });
export const whole = <TSchema extends JSONSchema>(given: IntentConfig<TSchema>) =>
  new Intent(given);
export class Shop<TSchema extends JSONSchema> {
  readonly intent;
  constructor(schema: TSchema) {
    this.intent = new Intent({ schema, unknownKeywords: 'refuse' });
  }
}
