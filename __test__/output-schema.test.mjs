// The output schema of the data stage in the full form: what it shares, what it leaves away, what it costs.

import { checkSchema } from '@devcodex/intent-runtime';
import Ajv from 'ajv';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { core, dataOf, parseWith, scripted } from './support/model.mjs';

const described = {
  type: 'object',
  properties: { orderId: { type: 'string', description: 'Order id.' } },
  required: ['orderId'],
  additionalProperties: false,
};
const bare = { ...described, properties: { orderId: { type: 'string' } } };
const answer = (checks) => dataOf({ orderId: '000123' }, { described: checks });
const check = ['/data/orderId'];

/** The output schema that an executor is given for these fields. */
const schemaFor = async (schema, candidate, context) => {
  const executor = scripted(core(), JSON.stringify(candidate));
  const request = { input: 'Query order 000123.', context };
  await parseWith(executor, { schema, request });
  return executor.requests[1].outputSchema;
};
const tokens = (value) => encode(JSON.stringify(value)).length;

describe('sources', () => {
  test('are defined once, with the names of the request', async () => {
    const schema = await schemaFor(described, answer(check), 'Six digits.');
    const { evidence, descriptionChecks } = schema.properties;
    for (const { items } of [evidence, descriptionChecks])
      expect(items.properties.sources).toEqual({ $ref: '#/$defs/sources' });
    expect(schema.$defs.sources.items.properties.sourceId.enum).toEqual(['input', 'context:0']);
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(answer(check))).toBe(true);
    const strange = answer(check);
    strange.evidence[0].sources = [{ sourceId: 'context:1', quote: '000123' }];
    expect(validate(strange)).toBe(false);
  });

  test.each(['$defs', 'definitions'])('leave the names of %s to the caller', async (container) => {
    const $ref = `#/${container}/sources`;
    const schema = await schemaFor(
      {
        ...described,
        properties: { orderId: { $ref } },
        [container]: { sources: { type: 'string', maxLength: 6, description: 'Order id.' } },
      },
      answer(check),
    );
    expect(schema[container].sources).toMatchObject({ type: 'string', maxLength: 6 });
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(answer(check))).toBe(true);
    expect(validate({ ...answer(check), data: { orderId: '0001234' } })).toBe(false);
    expect(
      validate({ ...answer(check), evidence: [{ ...answer(check).evidence[0], sources: 'x' }] }),
    ).toBe(false);
  });
});

test('where nothing is described, no check is asked for', async () => {
  const schema = await schemaFor(bare, answer([]));
  const validate = new Ajv({ strict: false }).compile(schema);
  expect(validate(answer([]))).toBe(true);
  expect(validate(answer(check))).toBe(false);
});

test.each([
  ['with descriptions', described, answer(check), 425],
  ['without', bare, answer([]), 350],
])('what it adds to the fields, %s', async (_, fields, candidate, most) => {
  const schema = await schemaFor(fields, candidate);
  expect(schema.properties.data).toEqual(fields);
  expect(tokens(schema) - tokens(fields)).toBeLessThanOrEqual(most);
  expect(checkSchema(fields).strict).toBe(true);
});
