// The compiler checks the values of `type` and the keywords of an inline schema, at any depth. It does
// not check other schemas (a union, an open type, the type of a library, a type parameter); the
// constructor checks all of them at run time.

import type { JSONSchemaTypeName } from '../index';

/**
 * `true` for a union. The recursive unions of schema libraries give no precise type, and TypeScript
 * cannot follow them to an end.
 */
export type IsUnion<TType, TWhole = TType> = TType extends unknown
  ? [TWhole] extends [TType]
    ? false
    : true
  : never;

/**
 * The type that a config must have in addition to `IntentConfig`. It is `unknown` if the schema is not
 * inline: an intersection with the type of `schema` would make TypeScript 5.2 read `required` as `string[]`.
 */
export type CheckedConfig<TSchema, TUnknown> =
  IsLiteralSchema<TSchema> extends true
    ? { readonly schema?: CheckedSchema<TSchema, TUnknown> | undefined }
    : unknown;

/**
 * `true` for an inline schema. The first line handles a type parameter, so that a generic function over
 * schemas compiles.
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

/** Part of a compiler message: the values that are allowed here. No value has this type. */
interface MustBeOneOf<TName> {
  readonly [mark]: TName;
}

/** Part of a compiler message: JSON Schema has no such keyword. No value has this type. */
interface UnknownKeyword<TName> {
  readonly [mark]: TName;
}

/** Keywords whose value is a schema, or a list of schemas. */
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

/** Keywords whose value has schemas by name. */
type KeywordOfNamedSchemas =
  | '$defs'
  | 'definitions'
  | 'dependentSchemas'
  | 'patternProperties'
  | 'properties';

/** The other keywords. */
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
