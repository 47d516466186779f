//! Fields of a caller's own in the body of a request.
//!
//! They are merged last: one of them replaces the executor's field of that name, and `null` removes
//! the field. The fields that a recognition depends on cannot be changed.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use crate::text::quoted;

/// Returns the reason why a caller may not set a field.
fn reserved(name: &str) -> Option<&'static str> {
    Some(match name {
        "model" => "give the option model",
        "messages" | "input" | "instructions" => "it holds the question of the recognition",
        "stream" => "answers are read whole",
        "tools" | "functions" => "a recognition calls no tools",
        "response_format" | "text" => "give the option format",
        _ => return None,
    })
}

/// The `body` of a configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extra<'a>(pub(super) &'a Map<String, Value>);

impl Extra<'_> {
    /// # Errors
    /// The fault of one of the fields.
    pub(super) fn check(self) -> Result<(), String> {
        match self.0.keys().find_map(|name| Some((name, reserved(name)?))) {
            Some((name, why)) => Err(format!(
                "body must not have the field {}: {why}",
                quoted(name)
            )),
            None => Ok(()),
        }
    }

    /// A field of the executor, unless the caller replaces or removes it.
    pub(super) fn unless_given<T>(self, name: &str, value: T) -> Option<T> {
        (!self.0.contains_key(name)).then_some(value)
    }
}

/// The fields that are sent.
impl Serialize for Extra<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        for (name, value) in self.0.iter().filter(|(_, value)| !value.is_null()) {
            out.serialize_entry(name, value)?;
        }
        out.end()
    }
}
