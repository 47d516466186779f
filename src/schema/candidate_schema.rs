//! The JSON Schema of a data candidate around the selected schema (docs/candidates.md).

use serde_json::{Map, Value, json};

use crate::error::{DataIssueCode, IssueCategory};

/// The facts of a request that the schema of its answer depends on.
#[derive(Clone, Copy)]
pub(super) struct EnvelopeParts<'a> {
    /// The pointers of the selected fields.
    pub(super) fields: &'a [String],
    /// The names of the sources.
    pub(super) sources: &'a [String],
    /// Whether any description can apply to the data.
    pub(super) describes: bool,
    /// The name of [`sources`] among the definitions.
    pub(super) quoted: &'a str,
}

/// A longer list of names is replaced by any string, to save tokens.
const MOST_NAMES: usize = 64;

/// The schema of a name: one of the list, or any string if the list is long.
fn name_schema(names: &[String]) -> Value {
    if names.len() > MOST_NAMES {
        return json!({ "type": "string" });
    }
    json!({ "type": "string", "enum": names })
}

/// The envelope of the brief form, with the schema of `data` in it.
pub(super) fn brief(data: Value, parts: EnvelopeParts<'_>) -> Map<String, Value> {
    let text = json!({ "type": "string" });
    let quotes = list_of(&[
        ("path", text.clone()),
        ("source", name_schema(parts.sources)),
        ("quote", text.clone()),
    ]);
    let mut kinds = vec!["violated", "undetermined", "not_applicable"];
    kinds.extend(codes());
    let notes = list_of(&[
        ("path", json!({ "type": ["string", "null"] })),
        ("kind", one_of(&kinds)),
        ("why", text),
    ]);
    object_of(&[("data", data), ("quotes", quotes), ("notes", notes)])
}

/// The codes that a model may give, without the reserved ones.
fn codes() -> Vec<&'static str> {
    DataIssueCode::ALL
        .iter()
        .filter(|code| code.category() != IssueCategory::Processing)
        .map(|code| code.as_str())
        .collect()
}

/// The sources of evidence and of checks: one definition that both share.
pub(super) fn sources(parts: EnvelopeParts<'_>) -> Value {
    let quote = json!({ "type": "string" });
    list_of(&[("sourceId", name_schema(parts.sources)), ("quote", quote)])
}

/// The envelope of the full form, with the schema of `data` in it. It uses only what OpenAI's strict mode accepts.
pub(super) fn full(data: Value, parts: EnvelopeParts<'_>) -> Map<String, Value> {
    let text = json!({ "type": "string" });
    let sources = if parts.describes {
        json!({ "$ref": format!("#/$defs/{}", parts.quoted) })
    } else {
        sources(parts)
    };
    let codes = codes();
    let categories = [
        IssueCategory::BusinessInformation,
        IssueCategory::Definition,
    ];
    let evidence = list_of(&[
        ("path", text.clone()),
        ("mode", one_of(&["exact", "semantic"])),
        ("sources", sources.clone()),
    ]);
    let checks = if parts.describes {
        list_of(&[
            ("path", text.clone()),
            (
                "verdict",
                one_of(&["satisfied", "violated", "undetermined"]),
            ),
            ("explanation", text.clone()),
            ("sources", sources),
        ])
    } else {
        // There is nothing to check.
        json!({ "type": "array", "items": text.clone(), "maxItems": 0 })
    };
    let results = list_of(&[
        ("path", name_schema(parts.fields)),
        (
            "status",
            one_of(&["extracted", "not_provided", "not_applicable", "issue"]),
        ),
        ("explanation", text.clone()),
    ]);
    let issues = list_of(&[
        ("code", one_of(&codes)),
        ("category", one_of(&categories.map(IssueCategory::as_str))),
        ("path", json!({ "type": ["string", "null"] })),
        ("message", text),
    ]);
    object_of(&[
        ("data", data),
        ("evidence", evidence),
        ("descriptionChecks", checks),
        ("fieldResults", results),
        ("issues", issues),
    ])
}

fn one_of(texts: &[&str]) -> Value {
    json!({ "type": "string", "enum": texts })
}

fn list_of(properties: &[(&str, Value)]) -> Value {
    json!({ "type": "array", "items": object_of(properties) })
}

fn object_of(properties: &[(&str, Value)]) -> Map<String, Value> {
    let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let schemas: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), Value::Object(schemas));
    object.insert("required".to_owned(), json!(names));
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}
