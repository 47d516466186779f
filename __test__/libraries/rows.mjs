// Libraries that make schemas: how each makes one of the same three fields, and what the types say
// of the data. A field that the types do not know is `JsonValue`, or a name that is not checked.

export const PACKAGES = {
  '@sinclair/typebox': '0.34.52',
  '@types/json-schema': '7.0.15',
  '@valibot/to-json-schema': '1.8.0',
  arktype: '2.2.10',
  effect: '4.1.0',
  'openapi-types': '12.1.3',
  typebox: '1.4.3',
  typescript: '5.9.3',
  'typescript-5.2': 'npm:typescript@5.2.2',
  valibot: '1.5.0',
  zod: '4.6.7',
  'zod-to-json-schema': '3.25.2',
};

const ZOD =
  'z.object({ orderId: z.string(), amount: z.number().optional(), items: z.array(z.object({ sku: z.string() })) })';
const VALIBOT =
  'v.object({ orderId: v.string(), amount: v.optional(v.number()), items: v.array(v.object({ sku: v.string() })) })';
const TYPEBOX =
  'Type.Object({ orderId: Type.String(), amount: Type.Optional(Type.Number()), items: Type.Array(Type.Object({ sku: Type.String() })) })';
const EFFECT =
  'Schema.Struct({ orderId: Schema.String, amount: Schema.optionalKey(Schema.Number), items: Schema.Array(Schema.Struct({ sku: Schema.String })) })';

/** Name, imports, the schema as an expression, and whether the types know its fields. */
export const VALUES = [
  ['Zod 4', "import { z } from 'zod';", ZOD, true],
  ['z.toJSONSchema', "import { z } from 'zod';", `z.toJSONSchema(${ZOD})`, false],
  [
    'zod-to-json-schema',
    "import { zodToJsonSchema } from 'zod-to-json-schema'; import { z } from 'zod/v3';",
    `zodToJsonSchema(${ZOD})`,
    false,
  ],
  [
    'Valibot toJsonSchema',
    "import * as v from 'valibot'; import { toJsonSchema } from '@valibot/to-json-schema';",
    `toJsonSchema(${VALIBOT})`,
    false,
  ],
  [
    'Valibot toStandardJsonSchema',
    "import * as v from 'valibot'; import { toStandardJsonSchema } from '@valibot/to-json-schema';",
    `toStandardJsonSchema(${VALIBOT})`,
    true,
  ],
  ['TypeBox 0.34', "import { Type } from '@sinclair/typebox';", TYPEBOX, true],
  ['TypeBox 1', "import { Type } from 'typebox';", TYPEBOX, false],
  [
    'ArkType',
    "import { type } from 'arktype';",
    "type({ orderId: 'string', 'amount?': 'number', items: type({ sku: 'string' }).array() })",
    true,
  ],
  [
    'Effect toStandardJSONSchemaV1',
    "import { Schema } from 'effect';",
    `Schema.toStandardJSONSchemaV1(${EFFECT})`,
    true,
  ],
  [
    'Effect toJsonSchemaDocument',
    "import { Schema } from 'effect';",
    `Schema.toJsonSchemaDocument(${EFFECT}).schema`,
    false,
  ],
];

/** Types alone: name, import, type of the schema. */
export const TYPES = [
  ["json-schema's JSONSchema7", "import type { JSONSchema7 } from 'json-schema';", 'JSONSchema7'],
  [
    "openapi-types' OpenAPIV3",
    "import type { OpenAPIV3 } from 'openapi-types';",
    'OpenAPIV3.SchemaObject',
  ],
  [
    "openapi-types' OpenAPIV3_1",
    "import type { OpenAPIV3_1 } from 'openapi-types';",
    'OpenAPIV3_1.SchemaObject',
  ],
];
