//! Translates older drafts into the supported dialect with the same meaning.
//!
//! | draft | read as | difference, and its translation |
//! |---|---|---|
//! | 04 | Draft-7 | `id` is dropped like `$id`; `exclusiveMaximum: true` beside `maximum` becomes the number |
//! | 06 | Draft-7 | nothing |
//! | 2019-09 | 2020-12 | `items` as an array becomes `prefixItems`, `additionalItems` beside it `items` |
//!
//! A keyword that a draft does not know is no constraint there. One that would become one by the
//! change of dialect (`const` in draft 04, `if` in draft 06) is refused, as is the one rule that
//! 2020-12 changed: `unevaluatedItems` beside `contains`. The snapshot names the dialect that it
//! is read as.

use serde_json::{Map, Value};

use super::keywords::Dialect;
use super::path::Path;
use super::refusal::{at, must_be};
use crate::error::{Got, IntentError};

/// A published draft of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Draft {
    D04,
    D06,
    D07,
    D2019,
    D2020,
}

impl Draft {
    /// The draft that a `$schema` names.
    pub(super) fn of_id(id: &str) -> Option<Self> {
        let id = id.strip_suffix('#').unwrap_or(id);
        let rest = id
            .strip_prefix("https://json-schema.org/")
            .or_else(|| id.strip_prefix("http://json-schema.org/"))?;
        Some(match rest {
            "draft-04/schema" => Self::D04,
            "draft-06/schema" => Self::D06,
            "draft-07/schema" => Self::D07,
            "draft/2019-09/schema" => Self::D2019,
            "draft/2020-12/schema" => Self::D2020,
            _ => return None,
        })
    }

    /// The dialect whose rules it is read by.
    pub(super) const fn read_as(self) -> Dialect {
        match self {
            Self::D04 | Self::D06 | Self::D07 => Dialect::Draft7,
            Self::D2019 | Self::D2020 => Dialect::Draft202012,
        }
    }

    /// The name in messages.
    const fn name(self) -> &'static str {
        match self {
            Self::D04 => "draft 04",
            Self::D06 => "draft 06",
            Self::D07 => "Draft-7",
            Self::D2019 => "2019-09",
            Self::D2020 => "2020-12",
        }
    }

    /// Keywords of the dialect that this draft does not have.
    const fn unknown(self) -> &'static [&'static str] {
        match self {
            Self::D04 => &["const", "contains", "propertyNames", "if", "then", "else"],
            Self::D06 => &["if", "then", "else"],
            Self::D2019 => &["prefixItems"],
            Self::D07 | Self::D2020 => &[],
        }
    }

    /// Translates one schema, without the schemas inside it, into its dialect.
    pub(super) fn translate(
        self,
        schema: &mut Map<String, Value>,
        path: &Path<'_>,
    ) -> Result<(), IntentError> {
        if let Some(key) = self.unknown().iter().find(|key| schema.contains_key(**key)) {
            let name = self.name();
            let what =
                format_args!("\"{key}\" is no keyword of {name}; name a newer dialect in $schema");
            return Err(at(path.key(key), what));
        }
        match self {
            Self::D04 => {
                schema.shift_remove("id");
                exclusive(schema, path, "exclusiveMaximum", "maximum")?;
                exclusive(schema, path, "exclusiveMinimum", "minimum")
            }
            Self::D2019 => {
                if schema.contains_key("unevaluatedItems") && schema.contains_key("contains") {
                    let what = "\"unevaluatedItems\" beside \"contains\" means something else in \
                                2019-09 than in 2020-12, which the schema is read as";
                    return Err(at(path, what));
                }
                item_list(schema);
                Ok(())
            }
            Self::D06 | Self::D07 | Self::D2020 => Ok(()),
        }
    }
}

/// Draft 04 marks a bound as exclusive where later drafts have a bound of its own.
fn exclusive(
    schema: &mut Map<String, Value>,
    path: &Path<'_>,
    mark: &str,
    bound: &str,
) -> Result<(), IntentError> {
    match schema.get(mark) {
        None => Ok(()),
        Some(Value::Bool(false)) => {
            schema.shift_remove(mark);
            Ok(())
        }
        Some(Value::Bool(true)) => match schema.shift_remove(bound) {
            Some(value) => {
                schema.insert(mark.to_owned(), value);
                Ok(())
            }
            None => {
                let what = format_args!("true needs \"{bound}\" beside it in draft 04");
                Err(at(path.key(mark), what))
            }
        },
        Some(other) => {
            let must = "true or false in draft 04";
            Err(must_be(path.key(mark), must, Got::Json(other)))
        }
    }
}

/// 2020-12 has `prefixItems` for the list, and `items` for what comes after it.
fn item_list(schema: &mut Map<String, Value>) {
    let rest = schema.shift_remove("additionalItems");
    if !schema.get("items").is_some_and(Value::is_array) {
        // Without a list, `additionalItems` says nothing.
        return;
    }
    if let Some(list) = schema.shift_remove("items") {
        schema.insert("prefixItems".to_owned(), list);
    }
    if let Some(rest) = rest {
        schema.insert("items".to_owned(), rest);
    }
}
