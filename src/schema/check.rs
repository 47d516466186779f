//! Checks a schema before an instance is made of it.

use serde_json::{Map, Value};

use super::keywords::{self, ValueShape};
use super::path::Path;
use super::snapshot::Snapshot;
use super::{Origin, Schema, formats, tokens};
#[cfg(feature = "http")]
use crate::definition::ProofForm;
use crate::limits::Limits;

/// A finding about one place of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A JSON Pointer into the schema, `""` for its root.
    pub path: String,
    /// The fault, and how to fix it.
    pub message: String,
}

/// The report of [`check_schema`].
#[derive(Debug, Clone)]
pub struct SchemaReport {
    /// The reasons why no instance can be made; empty if one can.
    pub refused: Vec<Finding>,
    /// Parts that are accepted, but allow more values than they seem to.
    pub loose: Vec<Finding>,
    /// The dialect by whose rules it is read.
    pub dialect: Option<&'static str>,
    /// Whether the answer's schema meets the strict mode of services; `None` if the schema is refused,
    /// or without the feature `http`.
    pub strict: Option<bool>,
    /// The approximate number of tokens that the schema takes in a question.
    pub tokens: usize,
}

/// Checks a schema without an instance, and reports all findings.
#[must_use]
pub fn check_schema(value: Value, origin: Origin, limits: &Limits) -> SchemaReport {
    let written = value.to_string();
    let mut loose = Vec::new();
    if let Value::Object(root) = &value {
        LooseFinder { found: &mut loose }.schema(root, &Path::ROOT);
    }
    if value.as_object().is_some_and(Map::is_empty) {
        return SchemaReport {
            refused: Vec::new(),
            loose: Vec::new(),
            dialect: None,
            strict: None,
            tokens: tokens::estimate("{}"),
        };
    }
    match Snapshot::all_refusals(value, origin, limits) {
        Err(refused) => SchemaReport {
            refused: refused
                .into_iter()
                .map(|(path, error)| Finding {
                    path,
                    message: error.message().to_owned(),
                })
                .collect(),
            loose,
            dialect: None,
            strict: None,
            tokens: tokens::estimate(&written),
        },
        Ok(snapshot) => SchemaReport {
            refused: Vec::new(),
            loose,
            dialect: Some(snapshot.dialect.name()),
            tokens: tokens::estimate(&snapshot.text),
            strict: strict(&Schema::of(snapshot, limits)),
        },
    }
}

#[cfg(feature = "http")]
fn strict(schema: &Schema) -> Option<bool> {
    let fields: Vec<&str> = schema.fields().collect();
    let selection = schema.select(&fields).ok()?;
    // The strict question is that of `full`, without context.
    Some(selection.output_schema(ProofForm::Full, 0).is_strict())
}

#[cfg(not(feature = "http"))]
fn strict(_: &Schema) -> Option<bool> {
    None
}

/// Walks a schema and finds the parts that allow more than they seem to.
struct LooseFinder<'f> {
    found: &'f mut Vec<Finding>,
}

impl LooseFinder<'_> {
    fn note(&mut self, path: &Path<'_>, message: impl Into<String>) {
        self.found.push(Finding {
            path: path.pointer(),
            message: message.into(),
        });
    }

    fn schema(&mut self, schema: &Map<String, Value>, path: &Path<'_>) {
        self.shape(schema, path);
        for (key, value) in schema {
            let place = path.key(key);
            let Some(keyword) = keywords::find(key) else {
                self.unknown(key, &place);
                continue;
            };
            if keyword.shape == ValueShape::Format {
                self.format(value, schema, &place);
            }
            keywords::each_schema(keyword.shape, value, &place, |inner, place| {
                self.schema(inner, place);
            });
        }
    }

    fn unknown(&mut self, key: &str, place: &Path<'_>) {
        if keywords::is_extension(key) || keywords::DROPPED.contains(&key) || key == "exactLength" {
            return;
        }
        if key == "nullable" {
            self.note(
                place,
                "\"nullable\" allows no null; use \"type\": [..., \"null\"]",
            );
        } else if !keywords::is_refused(key) {
            self.note(
                place,
                format!(
                    "{}: as an annotation it checks nothing",
                    keywords::unknown(key)
                ),
            );
        }
    }

    fn format(&mut self, value: &Value, schema: &Map<String, Value>, place: &Path<'_>) {
        let Some(name) = value.as_str().filter(|name| !formats::is_asserted(name)) else {
            return;
        };
        let by = if schema.contains_key("pattern") {
            "the \"pattern\" beside it alone is checked"
        } else {
            "it checks nothing; a \"pattern\" would"
        };
        self.note(
            place,
            format!(
                "the format {} is an annotation: {by}",
                crate::text::quoted(name)
            ),
        );
    }

    /// Finds what a schema allows because a keyword is missing.
    fn shape(&mut self, schema: &Map<String, Value>, path: &Path<'_>) {
        const SAYS: [&str; 12] = [
            "type",
            "enum",
            "const",
            "$ref",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "properties",
            "items",
            "pattern",
        ];
        let is = |name: &str| {
            schema.get("type").is_some_and(|types| match types {
                Value::Array(types) => types.iter().any(|one| one == name),
                one => one == name,
            })
        };
        if !SAYS.iter().any(|key| schema.contains_key(*key)) {
            self.note(
                path,
                "any value passes: there is neither \"type\" nor \"enum\"",
            );
        }
        let closes = [
            "additionalProperties",
            "unevaluatedProperties",
            "patternProperties",
        ];
        // The selection closes the root.
        let open = !closes.iter().any(|key| schema.contains_key(*key));
        if is("object") && open && !path.is_root() {
            self.note(
                path,
                "keys that it does not name pass: \"additionalProperties\" is not false",
            );
        }
        if is("array")
            && !["items", "prefixItems", "contains"]
                .iter()
                .any(|key| schema.contains_key(*key))
        {
            self.note(path, "items of any kind pass: there is no \"items\"");
        }
    }
}
