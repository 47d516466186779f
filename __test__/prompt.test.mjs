// The content and the token cost of a request: the instructions and the core schema (docs/candidates.md; the
// token budgets are goals of this project).

import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, test } from 'vitest';
import { core, order, orderSchema, parseWith, scripted } from './support/model.mjs';

let first;
let second;
beforeAll(async () => {
  const executor = scripted(core(), order);
  await parseWith(executor, { schema: orderSchema });
  [first, second] = executor.requests;
});

describe('tokens', () => {
  for (const [name, encode] of Object.entries({ o200k, cl100k })) {
    test(name, () => {
      expect(encode(first.instructions).length).toBeLessThanOrEqual(650);
      expect(encode(second.instructions).length).toBeLessThanOrEqual(600);
      expect(encode(JSON.stringify(first.format.schema)).length).toBeLessThanOrEqual(270);
    });
  }
});

test('the instructions name the parts of a candidate', () => {
  for (const part of [
    ...['normalizedInput', 'primaryIntent', 'requirements', 'prohibitions', 'intents', 'action'],
    ...['target', 'blockers', 'clarificationReason', 'questions', 'options'],
    ...['confirmationReason', 'conditionReason', 'structuredLanguage', 'currentInput', 'context'],
    ...['schemaReference', 'repair', 'candidate', 'diagnostic'],
    ...['query', 'analyze', 'generate', 'modify', 'delete', 'execute', 'other'],
  ])
    expect(first.instructions).toContain(part);
  for (const part of [
    ...['data', 'evidence', 'descriptionChecks', 'fieldResults', 'issues', 'checkedDefault'],
    ...['selectedSchema', 'selectedFields', 'sourceId', 'quote', 'exact', 'semantic'],
    ...['satisfied', 'violated', 'undetermined', 'extracted', 'not_provided', 'not_applicable'],
    ...['DATA_REQUIRED_MISSING', 'DATA_AMBIGUOUS', 'DATA_CONFLICT', 'DATA_DEPENDENCY_MISSING'],
    ...['DATA_CARDINALITY_MISMATCH', 'DATA_VALUE_UNREPRESENTABLE', 'DATA_CONSTRAINT_VIOLATED'],
    ...['DATA_DESCRIPTION_UNDETERMINED', 'business_information', 'definition', 'repair'],
  ])
    expect(second.instructions).toContain(part);
  expect(second.instructions).not.toContain('DATA_SOURCE_INVALID');
});

test('the core schema satisfies strict mode', () => {
  const known = [
    'type',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'anyOf',
  ];
  const walk = (schema) => {
    for (const key of Object.keys(schema)) expect(known).toContain(key);
    if (schema.properties) {
      expect(schema.additionalProperties).toBe(false);
      expect(schema.required).toEqual(Object.keys(schema.properties));
      Object.values(schema.properties).forEach(walk);
    }
    if (schema.items) walk(schema.items);
    (schema.anyOf ?? []).forEach(walk);
  };
  walk(first.format.schema);
  expect(first.format.schema.type).toBe('object');
});

test('the schemas describe the candidates that are accepted', async () => {
  const { default: Ajv } = await import('ajv');
  const ajv = new Ajv({ strict: false });
  const [ofCore, ofData] = [first, second].map(({ outputSchema }) => ajv.compile(outputSchema));
  expect(ofCore(JSON.parse(core()))).toBe(true);
  expect(ofData(JSON.parse(order))).toBe(true);
  expect(ofCore({ ...JSON.parse(core()), more: 1 })).toBe(false);
  const { issues, ...rest } = JSON.parse(order);
  expect(issues).toEqual([]);
  expect(ofData(rest)).toBe(false);
});
