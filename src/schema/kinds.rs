//! The kinds of JSON values that a schema allows, and the annotation of evidence.

use serde_json::{Map, Value};

/// The annotation that gives a level of evidence.
pub(super) const MARK: &str = "x-evidence";

/// Formats whose values are derived from words (`next Friday`).
const DERIVED_FORMATS: &[&str] = &["date", "date-time", "time", "duration"];

/// The kinds of JSON values that a place can hold; a superset of them where the exact set is hard to
/// determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Default for Kinds {
    fn default() -> Self {
        Self::ALL
    }
}

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(0b1_1111);
    /// Strings and numbers.
    pub(super) const PROVABLE: Self = Self(0b0_0001);
    pub(super) const OBJECT: Self = Self(0b0_0010);
    pub(super) const ARRAY: Self = Self(0b0_0100);
    const BOOLEAN: Self = Self(0b0_1000);
    pub(super) const NULL: Self = Self(0b1_0000);
    pub(super) const CONTAINERS: Self = Self::OBJECT.or(Self::ARRAY);

    pub(super) fn of_name(name: &str) -> Self {
        match name {
            "string" | "number" | "integer" => Self::PROVABLE,
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            "boolean" => Self::BOOLEAN,
            "null" => Self::NULL,
            _ => Self::NONE,
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::String(_) | Value::Number(_) => Self::PROVABLE,
            Value::Object(_) => Self::OBJECT,
            Value::Array(_) => Self::ARRAY,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Null => Self::NULL,
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The kinds that the assertions of one schema allow; keywords that apply other schemas do not count.
pub(super) fn kinds_of(assertions: &Map<String, Value>) -> Kinds {
    let of_values = |values: &[Value]| {
        values
            .iter()
            .fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::of_value(value)))
    };
    let mut kinds = Kinds::ALL;
    for (keyword, value) in assertions {
        let said = match (keyword.as_str(), value) {
            ("type", Value::String(name)) => Kinds::of_name(name),
            ("type", Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .fold(Kinds::NONE, |kinds, name| kinds.or(Kinds::of_name(name))),
            ("enum", Value::Array(values)) => of_values(values),
            ("const", value) => Kinds::of_value(value),
            _ => continue,
        };
        kinds = kinds.and(said);
    }
    kinds
}

/// Returns whether they determine the text of a value, or its form by a format of dates and times.
pub(super) fn gives_text(assertions: &Map<String, Value>) -> bool {
    let format = assertions.get("format").and_then(Value::as_str);
    assertions.contains_key("enum")
        || assertions.contains_key("const")
        || format.is_some_and(|format| DERIVED_FORMATS.contains(&format))
}
