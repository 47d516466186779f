//! A schema in few words, for a model that gets the shape of its answer in the system text.
//!
//! The notation is TypeScript's, which takes less than half of the tokens of JSON Schema (of the
//! core candidate 112 in place of 269, o200k). Keys keep their quotes, since JSON is to be written:
//! `{"a": string, "b"?: number[], "c": "x"|"y"|null}`.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The schema in this notation; `None` where it says more than shapes.
pub(super) fn from_schema(schema: &str) -> Option<String> {
    let mut out = String::new();
    node(&serde_json::from_str(schema).ok()?, &mut out)?;
    Some(out)
}

fn node(schema: &Value, out: &mut String) -> Option<()> {
    let schema = schema.as_object()?;
    if let Some(values) = schema.get("enum") {
        return only(schema, &["enum", "type"]).and_then(|()| choice(values.as_array()?, out));
    }
    let types = match schema.get("type")? {
        Value::String(one) => vec![&**one],
        Value::Array(several) => several.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    let mut known = vec!["type"];
    for &name in &types {
        match name {
            "object" => known.extend(["properties", "required", "additionalProperties"]),
            "array" => known.push("items"),
            _ => {}
        }
    }
    only(schema, &known)?;
    for (i, &name) in types.iter().enumerate() {
        if i > 0 {
            out.push('|');
        }
        match name {
            "object" => object(schema, out)?,
            "array" => array(schema, out)?,
            "string" | "number" | "boolean" | "null" => out.push_str(name),
            _ => return None,
        }
    }
    Some(())
}

/// `None` where a schema has another keyword.
fn only(schema: &Map<String, Value>, known: &[&str]) -> Option<()> {
    schema
        .keys()
        .all(|key| known.contains(&&**key))
        .then_some(())
}

fn choice(values: &[Value], out: &mut String) -> Option<()> {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push('|');
        }
        (!value.is_array() && !value.is_object()).then_some(())?;
        write!(out, "{value}").ok()?;
    }
    (!values.is_empty()).then_some(())
}

fn object(schema: &Map<String, Value>, out: &mut String) -> Option<()> {
    (schema.get("additionalProperties") == Some(&Value::Bool(false))).then_some(())?;
    let none = Vec::new();
    let required = schema
        .get("required")
        .map_or(Some(&none), Value::as_array)?;
    out.push('{');
    for (i, (key, value)) in schema.get("properties")?.as_object()?.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let mark = if required.iter().any(|name| name == key) {
            ""
        } else {
            "?"
        };
        write!(out, "{}{mark}: ", Value::from(&**key)).ok()?;
        node(value, out)?;
    }
    out.push('}');
    Some(())
}

fn array(schema: &Map<String, Value>, out: &mut String) -> Option<()> {
    let items = schema.get("items")?;
    // A union binds less than the brackets.
    let union = [items.get("enum"), items.get("type")]
        .into_iter()
        .flatten()
        .any(|list| list.as_array().is_some_and(|list| list.len() > 1));
    out.push_str(if union { "(" } else { "" });
    node(items, out)?;
    out.push_str(if union { ")[]" } else { "[]" });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::from_schema;
    use crate::prompt::{BRIEF_CORE_SCHEMA, CORE_SCHEMA};

    #[test]
    fn the_core_candidate() {
        let blockers = r#"{"clarificationReason": string|null, "questions": {"question": string, "options": string[]}[], "confirmationReason": string|null, "conditionReason": string|null}"#;
        let action = r#""query"|"analyze"|"generate"|"modify"|"delete"|"execute"|"other"|null"#;
        let item = format!(
            r#"{{"action": {action}, "target": string|null, "requirements": string[], "blockers": {blockers}}}"#
        );
        assert_eq!(
            from_schema(&CORE_SCHEMA.text).unwrap(),
            format!(
                r#"{{"normalizedInput": string, "primaryIntent": string|null, "requirements": string[], "prohibitions": string[], "intents": {item}[]}}"#
            )
        );
    }

    /// Whatever the form of proof, the core candidate has a shape and no more.
    #[test]
    fn the_brief_core_candidate() {
        let whole = from_schema(&CORE_SCHEMA.text).unwrap();
        let brief = from_schema(&BRIEF_CORE_SCHEMA.text).unwrap();
        // Its blockers may be null; nothing else differs.
        assert_eq!(brief, whole.replacen("}}[]", "}|null}[]", 1));
        assert_ne!(brief, whole);
    }

    #[test]
    fn shapes_alone() {
        for (schema, notation) in [
            (
                r#"{"type":"object","properties":{},"additionalProperties":false}"#,
                Some("{}"),
            ),
            (
                r#"{"type":"object","properties":{"a b\"":{"type":"number"}},"additionalProperties":false}"#,
                Some(r#"{"a b\""?: number}"#),
            ),
            (
                r#"{"type":"array","items":{"enum":["a",1]}}"#,
                Some(r#"("a"|1)[]"#),
            ),
            (
                r#"{"type":"array","items":{"type":"array","items":{"type":["boolean","null"]}}}"#,
                Some("(boolean|null)[][]"),
            ),
            (r#"{"type":"object","properties":{}}"#, None),
            (r#"{"type":"string","minLength":1}"#, None),
            (r#"{"type":"integer"}"#, None),
            (r#"{"type":"array"}"#, None),
            (r#"{"enum":[]}"#, None),
            (r#"{"enum":[{}]}"#, None),
            (r##"{"$ref":"#"}"##, None),
            (r#"{"anyOf":[{"type":"string"}]}"#, None),
            (r#"{"type":["object","null"]}"#, None),
            (
                r#"{"type":["object","null"],"properties":{},"additionalProperties":false}"#,
                Some("{}|null"),
            ),
            (
                r#"{"type":["string","null"],"items":{"type":"null"}}"#,
                None,
            ),
            ("true", None),
            ("{", None),
        ] {
            assert_eq!(from_schema(schema).as_deref(), notation, "{schema}");
        }
    }
}
