//! Decides which schemas may be sent with `strict: true`.
//!
//! The rule is OpenAI's ("Structured Outputs", section "Supported schemas"), read narrowly: what
//! that page does not name as supported is not. A schema that would do and is sent with
//! `strict: false` costs a little certainty, which the local check of every answer gives back; one
//! that would not do and is sent with `strict: true` costs the whole call (HTTP 400).
//!
//! - The root is an object, and neither `anyOf` nor a reference.
//! - Every object has `additionalProperties: false`, and names all its properties in `required`.
//! - Every node has a `type` (a name or several), or is an `anyOf`, or is a reference into the
//!   schema with nothing beside it. An array has `items`.
//! - Keywords: those of [`KEYWORDS`] and no others; formats: those of [`FORMATS`].
//! - Patterns without look-around, backreferences and `\p`.
//! - At most 5,000 properties, 10 levels of objects, 1,000 enum values; 120,000 characters of
//!   property names, definition names, enum and const values together; and 15,000 in one enum
//!   that has more than 250 strings.

use serde_json::{Map, Value};

const KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

const TYPES: &[&str] = &[
    "string", "number", "boolean", "integer", "object", "array", "null",
];

const FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

const MAX_PROPERTIES: usize = 5000;
const MAX_LEVELS: usize = 10;
const MAX_ENUM_VALUES: usize = 1000;
const MAX_NAMES: usize = 120_000;
const LARGE_ENUM: usize = 250;
const MAX_LARGE_ENUM: usize = 15_000;

#[cfg(feature = "http")]
impl crate::executor::OutputSchema {
    /// True if the schema meets strict mode; looked at once.
    pub(crate) fn is_strict(&self) -> bool {
        *self.strict.get_or_init(|| meets_strict_mode(&self.text))
    }
}

/// True if a schema, as JSON text, may be sent with `strict: true`.
#[must_use]
pub fn meets_strict_mode(schema: &str) -> bool {
    serde_json::from_str(schema).is_ok_and(|root| value_meets_strict_mode(&root))
}

/// [`meets_strict_mode`] of a schema that is no text yet.
pub(crate) fn value_meets_strict_mode(root: &Value) -> bool {
    let is_object = root.get("type").is_some_and(|t| t == "object");
    let mut sizes = Sizes::default();
    is_object
        && root.get("anyOf").is_none()
        && root.get("$ref").is_none()
        && node(root, root, 0, &mut sizes)
        && sizes.fit()
}

#[derive(Default)]
struct Sizes {
    properties: usize,
    enum_values: usize,
    names: usize,
}

impl Sizes {
    const fn fit(&self) -> bool {
        self.properties <= MAX_PROPERTIES
            && self.enum_values <= MAX_ENUM_VALUES
            && self.names <= MAX_NAMES
    }

    fn name(&mut self, name: &str) {
        self.names += name.chars().count();
    }
}

fn node(root: &Value, schema: &Value, levels: usize, sizes: &mut Sizes) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    if !schema.keys().all(|key| KEYWORDS.contains(&key.as_str())) {
        return false;
    }
    if let Some(reference) = schema.get("$ref") {
        return schema.len() == 1 && resolves(root, reference);
    }
    // Definitions count for as many levels as their own nesting: a reference is not followed.
    let definitions = ["$defs", "definitions"].iter().all(|key| {
        schema.get(*key).is_none_or(|all| {
            all.as_object().is_some_and(|all| {
                all.iter().all(|(name, schema)| {
                    sizes.name(name);
                    node(root, schema, 0, sizes)
                })
            })
        })
    });
    let branches = schema.get("anyOf").map(|branches| {
        branches.as_array().is_some_and(|branches| {
            !branches.is_empty() && branches.iter().all(|one| node(root, one, levels, sizes))
        })
    });
    let types = schema.get("type").map(types);
    let typed = match (&types, branches) {
        (Some(None), _) | (_, Some(false)) | (None, None) => false,
        (Some(Some(_)), _) | (None, Some(true)) => true,
    };
    let has = |name| matches!(&types, Some(Some(types)) if types.contains(&name));
    definitions
        && typed
        && values(schema, sizes)
        && schema.get("format").is_none_or(is_format)
        && schema.get("pattern").is_none_or(is_plain_pattern)
        && if has("object") {
            levels < MAX_LEVELS && object(root, schema, levels + 1, sizes)
        } else {
            ["properties", "required", "additionalProperties"]
                .iter()
                .all(|key| !schema.contains_key(*key))
        }
        && match schema.get("items") {
            Some(items) => has("array") && node(root, items, levels, sizes),
            None => !has("array"),
        }
}

/// Returns the names of `type`; `None` if the value has none.
fn types(value: &Value) -> Option<Vec<&str>> {
    let names: Vec<&str> = match value {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    (!names.is_empty() && names.iter().all(|name| TYPES.contains(name))).then_some(names)
}

fn object(root: &Value, schema: &Map<String, Value>, levels: usize, sizes: &mut Sizes) -> bool {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return false;
    };
    let required: Option<std::collections::HashSet<&str>> = schema
        .get("required")
        .and_then(Value::as_array)
        .and_then(|names| names.iter().map(Value::as_str).collect());
    let all_required = match required {
        Some(names) => {
            names.len() == properties.len() && properties.keys().all(|key| names.contains(&**key))
        }
        None => properties.is_empty() && !schema.contains_key("required"),
    };
    sizes.properties += properties.len();
    all_required
        && schema.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.iter().all(|(name, schema)| {
            sizes.name(name);
            node(root, schema, levels, sizes)
        })
}

/// Counts `enum` and `const`.
fn values(schema: &Map<String, Value>, sizes: &mut Sizes) -> bool {
    if let Some(constant) = schema.get("const") {
        sizes.name(constant.as_str().unwrap_or_default());
    }
    let Some(listed) = schema.get("enum") else {
        return true;
    };
    let Some(listed) = listed.as_array().filter(|listed| !listed.is_empty()) else {
        return false;
    };
    let before = sizes.names;
    listed
        .iter()
        .filter_map(Value::as_str)
        .for_each(|value| sizes.name(value));
    sizes.enum_values += listed.len();
    listed.len() <= LARGE_ENUM || sizes.names - before <= MAX_LARGE_ENUM
}

fn is_format(format: &Value) -> bool {
    format.as_str().is_some_and(|name| FORMATS.contains(&name))
}

/// Look-around, backreferences and Unicode classes are beyond the service's matcher.
fn is_plain_pattern(pattern: &Value) -> bool {
    let Some(pattern) = pattern.as_str() else {
        return false;
    };
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest
                .next()
                .is_some_and(|c| matches!(c, '1'..='9' | 'k' | 'p' | 'P')) =>
            {
                return false;
            }
            '(' if rest.as_str().starts_with('?') && !rest.as_str().starts_with("?:") => {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// True if a reference points at something in the schema itself.
fn resolves(root: &Value, reference: &Value) -> bool {
    reference
        .as_str()
        .and_then(|reference| reference.strip_prefix('#'))
        .is_some_and(|pointer| root.pointer(pointer).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(property: &Value) -> Value {
        json!({ "type": "object", "properties": { "a": property }, "required": ["a"], "additionalProperties": false })
    }

    fn strict(schema: &Value) -> bool {
        meets_strict_mode(&schema.to_string())
    }

    #[test]
    fn what_strict_mode_takes() {
        for property in [
            json!({ "type": "string", "description": "d", "title": "t" }),
            json!({ "type": ["string", "null"], "enum": ["x", null] }),
            json!({ "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1 }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "type": "string", "format": "date", "pattern": "^(?:a|b)\\d$" }),
            json!({ "type": "string", "const": "x" }),
            json!({ "$ref": "#" }),
            of(&json!({ "type": "boolean" })),
            json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        ] {
            assert!(strict(&of(&property)), "{property}");
        }
        let mut with_definitions = of(&json!({ "$ref": "#/$defs/d" }));
        with_definitions["$defs"] = json!({ "d": { "type": "string" } });
        assert!(strict(&with_definitions));
    }

    #[test]
    fn what_it_does_not() {
        for property in [
            json!({}),
            json!(true),
            json!({ "description": "anything" }),
            json!({ "enum": ["x"] }),
            json!({ "type": "text" }),
            json!({ "type": [] }),
            json!({ "type": "string", "minLength": 1 }),
            json!({ "type": "string", "maxLength": 9 }),
            json!({ "type": "string", "format": "uri" }),
            json!({ "type": "string", "pattern": "(?=a)" }),
            json!({ "type": "string", "pattern": "(a)\\1" }),
            json!({ "type": "string", "pattern": "\\p{L}" }),
            json!({ "type": "string", "default": "x" }),
            json!({ "type": "string", "enum": [] }),
            json!({ "type": "array" }),
            json!({ "type": "array", "items": [{ "type": "string" }] }),
            json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
            json!({ "type": "string", "items": { "type": "string" } }),
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "object", "properties": { "b": { "type": "string" } }, "required": [], "additionalProperties": false }),
            json!({ "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"] }),
            json!({ "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"], "additionalProperties": true }),
            json!({ "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b", "c"], "additionalProperties": false }),
            json!({ "type": "string", "properties": {} }),
            json!({ "type": "string", "allOf": [{ "type": "string" }] }),
            json!({ "type": "string", "oneOf": [{ "type": "string" }] }),
            json!({ "allOf": [{ "type": "string" }] }),
            json!({ "oneOf": [{ "type": "string" }] }),
            json!({ "type": "string", "not": { "const": "x" } }),
            json!({ "anyOf": [] }),
            json!({ "anyOf": [{}] }),
            json!({ "$ref": "#/$defs/none" }),
            json!({ "$ref": "other.json" }),
            json!({ "$ref": "#", "description": "d" }),
            json!({ "type": "object", "properties": {}, "additionalProperties": false, "patternProperties": {} }),
        ] {
            assert!(!strict(&of(&property)), "{property}");
        }
        for root in [
            json!({ "type": ["object", "null"], "properties": {}, "additionalProperties": false }),
            json!({ "anyOf": [of(&json!({ "type": "string" }))] }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": of(&json!({ "type": "string" })) } }),
            json!([]),
            json!({}),
        ] {
            assert!(!strict(&root), "{root}");
        }
        assert!(!meets_strict_mode("{"));
        assert!(!meets_strict_mode(&"[".repeat(100_000)));
    }

    #[test]
    fn the_core_schema_always_passes() {
        for form in [crate::ProofForm::Full, crate::ProofForm::Brief] {
            assert!(meets_strict_mode(&crate::prompt::core_schema(form).text));
        }
    }

    #[test]
    fn sizes() {
        let nested = |levels| (0..levels).fold(json!({ "type": "null" }), |inner, _| of(&inner));
        assert!(strict(&nested(10)));
        assert!(!strict(&nested(11)));
        let listed = |count: usize, width: usize| {
            let values: Vec<_> = (0..count).map(|i| format!("{i:0width$}")).collect();
            of(&json!({ "type": "string", "enum": values }))
        };
        assert!(strict(&listed(1000, 15)));
        assert!(!strict(&listed(1001, 4)));
        assert!(strict(&listed(250, 400)));
        assert!(!strict(&listed(251, 60)));
        assert!(strict(&of(
            &json!({ "type": "string", "const": "x".repeat(119_999) })
        )));
        assert!(!strict(&of(
            &json!({ "type": "string", "const": "x".repeat(120_000) })
        )));
        let wide = |count: usize| {
            let names: Vec<_> = (0..count).map(|i| i.to_string()).collect();
            let properties: Map<_, _> = names
                .iter()
                .map(|name| (name.clone(), json!({ "type": "null" })))
                .collect();
            json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
        };
        assert!(strict(&wide(5000)));
        assert!(!strict(&wide(5001)));
    }
}
