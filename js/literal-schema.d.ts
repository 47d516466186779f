// How the compiler checks a schema that is written in place: the names of `type` and the keywords, at
// any depth. It checks no other schema (a union, an open type, the type of a library, a type
// parameter); the constructor checks each one at run time.

import type { JSONSchemaTypeName } from '../index';

/**
 * Whether a type is a union. The recursive unions of schema libraries say nothing precise, and to
 * follow them never ends.
 */
export type IsUnion<TType, TWhole = TType> = TType extends unknown
  ? [TWhole] extends [TType]
    ? false
    : true
  : never;

/**
 * What a config must be besides `IntentConfig`. It is `unknown` while nothing is to be checked: an
 * intersection with the type of `schema` would make TypeScript 5.2 read `required` as `string[]`.
 */
export type CheckedConfig<TSchema, TUnknown> =
  IsLiteralSchema<TSchema> extends true
    ? { readonly schema?: CheckedSchema<TSchema, TUnknown> | undefined }
    : unknown;

/**
 * Whether a schema was written in place. The first line answers for a type parameter, so that a
 * generic function over schemas compiles.
 */
type IsLiteralSchema<TSchema> = [TSchema] extends [NoSchema]
  ? false
  : true extends IsUnion<TSchema>
    ? false
    : TSchema extends { readonly '~standard': unknown } | { readonly static: unknown }
      ? false
      : string extends keyof TSchema
        ? false
        : {} extends TSchema
          ? false
          : TSchema extends { readonly type: infer TName }
            ? string extends TName
              ? false
              : true
            : true;

type CheckedSchema<TSchema, TUnknown> = TSchema extends readonly unknown[]
  ? { readonly [TAt in keyof TSchema]: CheckedSchema<TSchema[TAt], TUnknown> }
  : TSchema extends object
    ? IsLiteralSchema<TSchema> extends true
      ? {
          readonly [TName in keyof TSchema]: CheckedKeyword<TName, TSchema[TName], TUnknown>;
        }
      : unknown
    : unknown;

type CheckedKeyword<TName, TValue, TUnknown> = TName extends 'type'
  ? CheckedTypeName<TValue>
  : TName extends KeywordOfSchemas
    ? CheckedSchema<TValue, TUnknown>
    : TName extends KeywordOfNamedSchemas
      ? { readonly [TName in keyof TValue]: CheckedSchema<TValue[TName], TUnknown> }
      : TName extends KeywordOfValues | `x-${string}` | `~${string}` | symbol
        ? unknown
        : [TUnknown] extends ['annotate']
          ? unknown
          : UnknownKeyword<TName>;

type CheckedTypeName<TName> = TName extends readonly unknown[]
  ? { readonly [TAt in keyof TName]: CheckedTypeName<TName[TAt]> }
  : TName extends JSONSchemaTypeName
    ? unknown
    : string extends TName
      ? unknown
      : MustBeOneOf<'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'>;

declare const mark: unique symbol;

/** No schema has this type. */
interface NoSchema {
  readonly [mark]: never;
}

/** In a message of the compiler: what may stand in this place. No value has this type. */
interface MustBeOneOf<TName> {
  readonly [mark]: TName;
}

/** In a message of the compiler: JSON Schema has no such keyword. No value has this type. */
interface UnknownKeyword<TName> {
  readonly [mark]: TName;
}

/** Keywords with a schema, or a list of them. */
type KeywordOfSchemas =
  | 'additionalItems'
  | 'additionalProperties'
  | 'allOf'
  | 'anyOf'
  | 'contains'
  | 'else'
  | 'if'
  | 'items'
  | 'not'
  | 'oneOf'
  | 'prefixItems'
  | 'propertyNames'
  | 'then'
  | 'unevaluatedItems'
  | 'unevaluatedProperties';

/** Keywords with schemas by name. */
type KeywordOfNamedSchemas =
  | '$defs'
  | 'definitions'
  | 'dependentSchemas'
  | 'patternProperties'
  | 'properties';

/** The others. */
type KeywordOfValues =
  | '$comment'
  | '$id'
  | '$ref'
  | '$schema'
  | '_customMessages'
  | '_description'
  | '_label'
  | '_required'
  | 'const'
  | 'contentEncoding'
  | 'contentMediaType'
  | 'contentSchema'
  | 'default'
  | 'dependencies'
  | 'dependentRequired'
  | 'deprecated'
  | 'description'
  | 'enum'
  | 'exactLength'
  | 'examples'
  | 'exclusiveMaximum'
  | 'exclusiveMinimum'
  | 'format'
  | 'maxContains'
  | 'maxItems'
  | 'maxLength'
  | 'maxProperties'
  | 'maximum'
  | 'minContains'
  | 'minItems'
  | 'minLength'
  | 'minProperties'
  | 'minimum'
  | 'multipleOf'
  | 'pattern'
  | 'readOnly'
  | 'required'
  | 'title'
  | 'uniqueItems'
  | 'writeOnly';
