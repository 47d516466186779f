//! The keywords of both dialects, and the requirements of the meta-schemas on their values.
//!
//! One table answers every question about a keyword: whether a dialect has it, what shape its
//! value has, and so where the schemas inside a schema are. Everything that walks a schema reads
//! this table, so no two passes can differ on what a keyword position is.

use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::path::Path;
use crate::text::{closest, quoted};

/// A dialect that schemas are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Draft-7, also for a schema without `$schema` that uses no newer keyword.
    Draft7,
    /// 2020-12.
    Draft202012,
}

impl Dialect {
    /// The `$schema` of this dialect.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The name in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Draft7 => "Draft-7",
            Self::Draft202012 => "2020-12",
        }
    }
}

/// The shape of a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueShape {
    /// A schema.
    Schema,
    /// Schemas by name.
    Schemas,
    /// Schemas by regular expression.
    PatternSchemas,
    /// A list of schemas, not empty.
    SchemaList,
    /// A schema, or (Draft-7) a list of schemas.
    Items,
    /// By name, a schema or a list of names.
    Dependencies,
    /// By name, a list of names.
    NameLists,
    /// A list of distinct names.
    Names,
    /// A reference.
    Reference,
    /// A regular expression.
    Pattern,
    /// The name of a format.
    Format,
    /// A type name or a list of distinct ones.
    Type,
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A boolean in 2020-12; Draft-7 does not know the keyword.
    NewFlag,
    /// A number.
    Number,
    /// A number above 0.
    Positive,
    /// An integer from 0.
    Count,
    /// A list of any values.
    Values,
    /// A schema in 2020-12 that nothing is validated against.
    Opaque,
    /// Anything.
    Any,
    /// The dialect.
    Dialect,
}

/// The dialects that have a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    Both,
    /// Draft-7 alone.
    Old,
    /// 2020-12 alone; a schema without `$schema` that uses one is 2020-12.
    New,
    /// 2020-12 alone by the standards, and a sign of it like [`Since::New`], but also accepted in Draft-7,
    /// where it is common and harmless.
    Backported,
}

pub(super) struct Keyword {
    pub(super) name: &'static str,
    pub(super) shape: ValueShape,
    pub(super) since: Since,
}

const fn keyword(name: &'static str, shape: ValueShape, since: Since) -> Keyword {
    Keyword { name, shape, since }
}

/// Sorted by name, for [`find`].
pub(super) const KEYWORDS: &[Keyword] = {
    use Since::{Backported, Both, New, Old};
    use ValueShape::*;
    &[
        keyword("$comment", Text, Both),
        keyword("$defs", Schemas, Backported),
        keyword("$ref", Reference, Both),
        keyword("$schema", Dialect, Both),
        keyword("additionalItems", Schema, Old),
        keyword("additionalProperties", Schema, Both),
        keyword("allOf", SchemaList, Both),
        keyword("anyOf", SchemaList, Both),
        keyword("const", Any, Both),
        keyword("contains", Schema, Both),
        keyword("contentEncoding", Text, Both),
        keyword("contentMediaType", Text, Both),
        keyword("contentSchema", Opaque, Both),
        keyword("default", Any, Both),
        keyword("definitions", Schemas, Both),
        keyword("dependencies", Dependencies, Old),
        keyword("dependentRequired", NameLists, New),
        keyword("dependentSchemas", Schemas, New),
        keyword("deprecated", NewFlag, Both),
        keyword("description", Text, Both),
        keyword("else", Schema, Both),
        keyword("enum", Values, Both),
        keyword("examples", Values, Both),
        keyword("exclusiveMaximum", Number, Both),
        keyword("exclusiveMinimum", Number, Both),
        keyword("format", Format, Both),
        keyword("if", Schema, Both),
        keyword("items", Items, Both),
        keyword("maxContains", Count, New),
        keyword("maxItems", Count, Both),
        keyword("maxLength", Count, Both),
        keyword("maxProperties", Count, Both),
        keyword("maximum", Number, Both),
        keyword("minContains", Count, New),
        keyword("minItems", Count, Both),
        keyword("minLength", Count, Both),
        keyword("minProperties", Count, Both),
        keyword("minimum", Number, Both),
        keyword("multipleOf", Positive, Both),
        keyword("not", Schema, Both),
        keyword("oneOf", SchemaList, Both),
        keyword("pattern", Pattern, Both),
        keyword("patternProperties", PatternSchemas, Both),
        keyword("prefixItems", SchemaList, New),
        keyword("properties", Schemas, Both),
        keyword("propertyNames", Schema, Both),
        keyword("readOnly", Flag, Both),
        keyword("required", Names, Both),
        keyword("then", Schema, Both),
        keyword("title", Text, Both),
        keyword("type", Type, Both),
        keyword("unevaluatedItems", Schema, New),
        keyword("unevaluatedProperties", Schema, New),
        keyword("uniqueItems", Flag, Both),
        keyword("writeOnly", Flag, Both),
    ]
};

/// Keywords of other tools that do not constrain values: dropped from the snapshot.
pub(super) const DROPPED: &[&str] = &[
    "$id",
    "_customMessages",
    "_description",
    "_label",
    "_required",
];

/// Refused at the root, because their meaning would depend on the selected fields.
pub(super) const NOT_AT_ROOT: &[&str] = &[
    "$ref",
    "allOf",
    "anyOf",
    "const",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedProperties",
];

/// Keywords of the standard that are refused, with the reason.
const REFUSED: &[(&str, &str)] = &[
    (
        "$anchor",
        "use a JSON Pointer reference such as \"#/$defs/name\"",
    ),
    ("$dynamicAnchor", "dynamic references are not supported"),
    ("$dynamicRef", "dynamic references are not supported"),
    (
        "$recursiveAnchor",
        "recursive references of 2019-09 are not supported",
    ),
    ("$recursiveRef", "use \"$ref\": \"#\" for recursion"),
    (
        "$vocabulary",
        "only the two standard dialects are supported",
    ),
];

/// For each ASCII character, the position of the first keyword that begins with it or a later one.
const FIRST: [u8; 129] = {
    let mut first = [0; 129];
    let (mut byte, mut at) = (0, 0);
    while byte < first.len() {
        while at < KEYWORDS.len() && (KEYWORDS[at].name.as_bytes()[0] as usize) < byte {
            at += 1;
        }
        first[byte] = at as u8;
        byte += 1;
    }
    first
};

/// The keyword of this name; every pass over a schema asks this for every key.
pub(super) fn find(name: &str) -> Option<&'static Keyword> {
    let byte = usize::from(*name.as_bytes().first()?);
    let range = usize::from(*FIRST.get(byte)?)..usize::from(*FIRST.get(byte + 1)?);
    KEYWORDS[range].iter().find(|keyword| keyword.name == name)
}

/// True if a key has a meaning in a dialect that is not supported, so that it cannot be an annotation.
pub(super) fn is_refused(name: &str) -> bool {
    REFUSED.iter().any(|(refused, _)| *refused == name)
}

/// True if a key is an annotation of the user's own.
pub(super) fn is_extension(name: &str) -> bool {
    name.starts_with("x-")
}

/// Calls `f` with every object that is a schema directly below a keyword, and with its place.
pub(super) fn each_schema(
    shape: ValueShape,
    value: &Value,
    place: &Path<'_>,
    mut f: impl FnMut(&Map<String, Value>, &Path<'_>),
) {
    let mut each = |schema: &Value, place: &Path<'_>| {
        if let Value::Object(schema) = schema {
            f(schema, place);
        }
    };
    match (shape, value) {
        (ValueShape::SchemaList | ValueShape::Items, Value::Array(list)) => {
            for (index, schema) in list.iter().enumerate() {
                each(schema, &place.index(index));
            }
        }
        (ValueShape::Schema | ValueShape::Items, schema) => each(schema, place),
        (
            ValueShape::Schemas | ValueShape::PatternSchemas | ValueShape::Dependencies,
            Value::Object(map),
        ) => {
            for (key, schema) in map {
                each(schema, &place.key(key));
            }
        }
        _ => {}
    }
}

/// Keywords of other schema languages, and their equivalents in JSON Schema.
const FOREIGN: [(&str, &str); 6] = [
    ("nullable", "write \"type\": [\"string\", \"null\"]"),
    ("property", "the fields stand under \"properties\""),
    ("props", "the fields stand under \"properties\""),
    ("fields", "the fields stand under \"properties\""),
    ("optional", "what \"required\" does not name is optional"),
    ("values", "a choice is \"enum\""),
];

/// Returns the reason for refusing a key that no dialect has.
pub(super) fn unknown(name: &str) -> String {
    if let Some((_, instead)) = FOREIGN.iter().find(|(foreign, _)| *foreign == name) {
        return format!("unknown keyword {}; {instead}", quoted(name));
    }
    if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        return format!("{} is not supported: {reason}", quoted(name));
    }
    let shown = quoted(name);
    match nearest(name) {
        Some(near) => format!("unknown keyword {shown} (did you mean \"{near}\"?)"),
        None => format!(
            "unknown keyword {shown} (names of fields stand under \"properties\"; annotations of \
             your own start with \"x-\")"
        ),
    }
}

/// Returns the keyword that was most likely meant.
fn nearest(name: &str) -> Option<&'static str> {
    closest(name, KEYWORDS.iter().map(|k| k.name).chain(["exactLength"]))
}

/// The description of a schema, for messages.
pub(super) const SCHEMA: &str =
    "a schema (an object such as { \"type\": \"string\" }, or a boolean)";

/// Returns what the value of a keyword must be, if it is not that by the dialect's meta-schema. Schemas
/// inside the value are not checked.
pub(super) fn fault(shape: ValueShape, dialect: Dialect, value: &Value) -> Option<&'static str> {
    let is_schema = value.is_object() || value.is_boolean();
    let is_list = value.as_array().is_some_and(|list| !list.is_empty());
    let newer = dialect == Dialect::Draft202012;
    let (good, expected) = match shape {
        ValueShape::Schema => (is_schema, SCHEMA),
        ValueShape::Schemas | ValueShape::PatternSchemas | ValueShape::Dependencies => {
            (value.is_object(), "an object")
        }
        ValueShape::SchemaList => (is_list, "an array of schemas with at least one entry"),
        ValueShape::Items if newer => (
            is_schema,
            "a schema; a list of schemas is \"prefixItems\" in 2020-12",
        ),
        ValueShape::Items => (
            is_schema || is_list,
            "a schema or an array of schemas with at least one entry",
        ),
        ValueShape::NameLists => (
            value
                .as_object()
                .is_some_and(|map| map.values().all(is_names)),
            "an object whose values are arrays of distinct strings",
        ),
        ValueShape::Names => (
            is_names(value),
            "an array of distinct strings: the names of required properties, beside \
             \"properties\"",
        ),
        ValueShape::Reference
        | ValueShape::Pattern
        | ValueShape::Format
        | ValueShape::Text
        | ValueShape::Dialect => (value.is_string(), "a string"),
        ValueShape::Type => (
            is_type(value),
            "one of \"null\", \"boolean\", \"integer\", \"number\", \"string\", \"array\", \
             \"object\", or a non-empty array of distinct ones",
        ),
        ValueShape::Flag => (value.is_boolean(), "true or false"),
        ValueShape::NewFlag => (!newer || value.is_boolean(), "true or false"),
        ValueShape::Number => (value.is_number(), "a number"),
        ValueShape::Positive => (value.as_f64().is_some_and(|n| n > 0.0), "a number above 0"),
        ValueShape::Count => (is_count(value), "a non-negative integer"),
        ValueShape::Values => (value.is_array(), "an array"),
        ValueShape::Opaque => (!newer || is_schema, SCHEMA),
        ValueShape::Any => (true, ""),
    };
    (!good).then_some(expected)
}

/// A list of distinct strings.
pub(super) fn is_names(value: &Value) -> bool {
    let Some(list) = value.as_array() else {
        return false;
    };
    let mut seen = std::collections::HashSet::with_capacity(list.len());
    list.iter()
        .all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}

fn is_type(value: &Value) -> bool {
    let known = |name: &Value| {
        name.as_str()
            .is_some_and(|name| Kinds::of_name(name) != Kinds::NONE)
    };
    match value {
        Value::Array(list) => !list.is_empty() && list.iter().all(known) && is_names(value),
        other => known(other),
    }
}

fn is_count(value: &Value) -> bool {
    value.is_u64() || value.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KEYWORDS.windows(2).all(|w| w[0].name < w[1].name));
    }

    #[test]
    fn typos_find_their_keyword() {
        for (typo, meant) in [
            ("maxLenght", "maxLength"),
            ("requierd", "required"),
            ("propertes", "properties"),
            ("Type", "type"),
            ("descripton", "description"),
            ("additionalproperties", "additionalProperties"),
            ("tpye", "type"),
            ("exactlength", "exactLength"),
        ] {
            assert_eq!(nearest(typo), Some(meant), "{typo}");
        }
        for other in ["nullable", "discriminator", "widget", "q", &"é".repeat(200)] {
            assert_eq!(nearest(other), None, "{other}");
        }
    }
}
