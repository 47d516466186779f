//! Options that arrive as JSON.
//!
//! A configuration has a mirror in which each option may be left out ([`options!`]). It is read
//! once and merged once over the defaults. [`Must`] has the texts for types and ranges.

use std::borrow::Cow;
use std::fmt::Display;

use serde_json::{Map, Value};

use crate::error::{ErrorKind, Got, IntentError, InvalidArgument, Must};
use crate::request::{Unread, ValueFault};
use crate::text::quoted;

/// The name of a whole configuration in messages; its members go without it.
pub(crate) const CONFIG: &str = "config";

/// Reads a configuration; `unread` has the places whose value JSON cannot carry. No message shows a
/// text of it that is a secret.
pub(crate) fn read<T: FromJson>(
    value: Value,
    unread: &[Unread],
    is_secret: &dyn Fn(&str) -> bool,
) -> Result<T, IntentError> {
    let whole = OptionContext { unread, is_secret };
    T::from_json(whole.given(CONFIG.into(), None, value))
}

/// The facts of a configuration as a whole.
#[derive(Clone, Copy)]
struct OptionContext<'a> {
    unread: &'a [Unread],
    /// Returns whether no message may show a text.
    is_secret: &'a dyn Fn(&str) -> bool,
}

impl<'a> OptionContext<'a> {
    /// An option; its place is its name, but for a name of the caller's own.
    fn given(self, name: Cow<'a, str>, place: Option<&str>, value: Value) -> Given<'a> {
        let place = place.unwrap_or(&name);
        let unread = self.unread.iter().find(|unread| unread.place == place);
        let found = unread.map(|unread| &unread.found);
        Given {
            name,
            value,
            found,
            whole: self,
        }
    }
}

/// A type that an option can have.
pub(crate) trait FromJson: Sized {
    /// # Errors
    /// `CONFIG_INVALID`, naming the option.
    fn from_json(given: Given<'_>) -> Result<Self, IntentError>;
}

/// One option as it was given.
pub(crate) struct Given<'a> {
    /// Its name in messages, such as `limits.maxInputBytes`.
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: Value,
    /// The fault of a value that JSON cannot carry; the value is then `null`.
    found: Option<&'a ValueFault>,
    whole: OptionContext<'a>,
}

impl<'a> Given<'a> {
    /// Returns the error for a value of the wrong type or range. The error shows a value of the right
    /// type; for any other it shows only the type.
    pub(crate) fn wrong_value(&self, must: Must<'_>) -> IntentError {
        let name = &self.name;
        if let Some(found) = self.found {
            return ErrorKind::Config(found.to_argument(name, must)).error();
        }
        let got = match (must, &self.value) {
            (Must::Integer { .. }, Value::Number(number)) => Got::Number(number),
            (Must::OneOf(_), Value::String(text)) if (self.whole.is_secret)(text) => Got::OtherText,
            (Must::OneOf(_), Value::String(text)) => Got::Text(text),
            (_, value) => Got::Type(value),
        };
        ErrorKind::Config(InvalidArgument::Value { name, must, got }).error()
    }

    /// Reads an object with known keys only.
    pub(crate) fn members(self, known: &[&str]) -> Result<Members<'a>, IntentError> {
        let members = self.entries()?;
        match members
            .values
            .keys()
            .find(|key| !known.contains(&key.as_str()))
        {
            Some(key) => {
                let of = &members.name;
                Err(ErrorKind::Config(InvalidArgument::UnknownKey { of, key, known }).error())
            }
            None => Ok(members),
        }
    }

    /// Reads an object whose keys the caller chooses.
    pub(crate) fn entries(self) -> Result<Members<'a>, IntentError> {
        match self.value {
            Value::Object(values) => Ok(Members {
                name: self.name,
                values,
                whole: self.whole,
            }),
            _ => Err(self.wrong_value(Must::Be("a plain object"))),
        }
    }

    pub(crate) fn elements(
        self,
        must: Must<'static>,
    ) -> Result<impl Iterator<Item = Self>, IntentError> {
        let Value::Array(values) = self.value else {
            return Err(self.wrong_value(must));
        };
        let (name, whole) = (self.name, self.whole);
        Ok(values
            .into_iter()
            .enumerate()
            .map(move |(i, value)| whole.given(format!("{name}[{i}]").into(), None, value)))
    }

    /// An integer of a range, however it is written.
    pub(crate) fn integer(self, least: u64, most: u64) -> Result<u64, IntentError> {
        let number = self.value.as_f64().filter(|number| number.fract() == 0.0);
        match number.filter(|number| (least as f64..=most as f64).contains(number)) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked above"
            )]
            Some(number) => Ok(number as u64),
            None => Err(self.wrong_value(Must::Integer { least, most })),
        }
    }
}

pub(crate) struct Members<'a> {
    name: Cow<'a, str>,
    values: Map<String, Value>,
    whole: OptionContext<'a>,
}

impl<'a> Members<'a> {
    /// Takes and reads one option, if it is given.
    pub(crate) fn take<T: FromJson>(&mut self, key: &str) -> Result<Option<T>, IntentError> {
        self.given(key).map(T::from_json).transpose()
    }

    /// Takes one option unread.
    pub(crate) fn given(&mut self, key: &str) -> Option<Given<'a>> {
        let value = self.values.shift_remove(key)?;
        let name = match &*self.name {
            CONFIG => key.to_owned(),
            whole => format!("{whole}.{key}"),
        };
        Some(self.whole.given(name.into(), None, value))
    }

    /// Every member by its own name.
    pub(crate) fn each(self) -> impl Iterator<Item = (String, Given<'a>)> {
        let Self {
            name: of,
            values,
            whole,
        } = self;
        values.into_iter().map(move |(key, value)| {
            let place = format!("{of}.{key}");
            let name = if (whole.is_secret)(&key) {
                format!("{of}: one of them")
            } else {
                format!("{of}[{}]", quoted(&key))
            };
            (key, whole.given(name.into(), Some(&place), value))
        })
    }
}

/// Declares the mirror of a configuration: every option with its name and type, each of which may
/// be left out.
macro_rules! options {
    ($(#[$doc:meta])* $name:ident { $($field:ident = $key:literal: $type:ty,)+ }) => {
        $(#[$doc])*
        pub(crate) struct $name { $(pub(crate) $field: Option<$type>,)+ }

        impl $crate::options::FromJson for $name {
            fn from_json(given: $crate::options::Given<'_>) -> Result<Self, $crate::error::IntentError> {
                let mut members = given.members(&[$($key),+])?;
                Ok(Self { $($field: members.take($key)?,)+ })
            }
        }
    };
}
pub(crate) use options;

/// An integer of a range.
pub(crate) struct Integer<const LEAST: u64, const MOST: u64>(pub(crate) u64);

impl<const LEAST: u64, const MOST: u64> Integer<LEAST, MOST> {
    /// The same check for a value that did not come as JSON.
    pub(crate) fn check(name: &str, value: u64) -> Result<(), IntentError> {
        within(name, value, LEAST, MOST)
    }
}

/// Returns the error for a rule other than types and ranges; `rule` is a sentence.
pub(crate) fn rule_error(rule: &str) -> IntentError {
    ErrorKind::Config(InvalidArgument::Rule(rule)).error()
}

/// # Errors
/// `CONFIG_INVALID` for a value outside its range.
pub(crate) fn within(
    name: impl Display,
    value: u64,
    least: u64,
    most: u64,
) -> Result<(), IntentError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let name = &name.to_string();
    let must = Must::Integer { least, most };
    let got = Got::Count(value);
    Err(ErrorKind::Config(InvalidArgument::Value { name, must, got }).error())
}

impl<const LEAST: u64, const MOST: u64> FromJson for Integer<LEAST, MOST> {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        given.integer(LEAST, MOST).map(Self)
    }
}

impl FromJson for String {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        match given.value {
            Value::String(text) => Ok(text),
            _ => Err(given.wrong_value(Must::Be("a string"))),
        }
    }
}

impl FromJson for Map<String, Value> {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        given.entries().map(|members| members.values)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    options! {
        /// Every kind of option.
        Mirror {
            text = "text": String,
            count = "count": Integer<1, 9>,
            stage = "stage": crate::Stage,
            limits = "limits": crate::Limits,
            levels = "levels": crate::EvidencePolicy,
            sources = "sources": Vec<crate::EvidenceSource>,
        }
    }

    fn read(value: Value) -> Result<Mirror, String> {
        read_with(value, &[])
    }

    fn read_with(value: Value, unread: &[Unread]) -> Result<Mirror, String> {
        super::read(value, unread, &|text| text.contains("KEY"))
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn each_option_may_be_left_out() {
        let none = read(json!({})).unwrap();
        assert!(none.text.is_none() && none.count.is_none());
        assert!(none.stage.is_none() && none.limits.is_none());
        assert!(none.levels.is_none() && none.sources.is_none());
        let some = read(
            json!({ "text": "", "count": 2.0, "stage": "core", "limits": { "maxInputBytes": 7 } }),
        )
        .unwrap();
        assert_eq!(
            (some.text.as_deref(), some.count.map(|n| n.0)),
            (Some(""), Some(2))
        );
        let limits = some.limits.unwrap();
        assert_eq!((limits.max_input_bytes, limits.max_intent_count), (7, 100));
        assert_eq!(some.stage, Some(crate::Stage::Core));
    }

    #[test]
    fn what_is_wrong_is_named_and_a_secret_is_not() {
        for (value, message) in [
            (json!(7), "config must be a plain object, got a number."),
            (
                json!({ "cuont": 1 }),
                "config: unknown key \"cuont\" (did you mean \"count\"?).",
            ),
            (
                json!({ "zzzzzz": 1 }),
                "config: unknown key \"zzzzzz\"; it takes text, count, stage, limits, levels, sources.",
            ),
            (json!({ "text": null }), "text must be a string, got null."),
            (
                json!({ "count": 0 }),
                "count must be an integer from 1 to 9, got 0.",
            ),
            (
                json!({ "count": 1.5 }),
                "count must be an integer from 1 to 9, got 1.5.",
            ),
            (
                json!({ "count": "1" }),
                "count must be an integer from 1 to 9, got a string.",
            ),
            (
                json!({ "limits": { "maxInputBytes": -1 } }),
                "limits.maxInputBytes must be a positive safe integer, got -1.",
            ),
            (
                json!({ "limits": { "maxFoo": 1 } }),
                "limits: unknown key \"maxFoo\".",
            ),
            (
                json!({ "stage": "cores" }),
                "stage must be \"config\", \"input\", \"core\", \"data\", \"model\" or \"bridge\", got \"cores\".",
            ),
            (
                json!({ "stage": "a KEY" }),
                "stage must be \"config\", \"input\", \"core\", \"data\", \"model\" or \"bridge\", got another text.",
            ),
        ] {
            assert_eq!(read(value).err().as_deref(), Some(message));
        }
    }

    #[test]
    fn what_json_cannot_carry_is_refused_in_its_turn() {
        let kind = || ValueFault::Kind("a bigint".to_owned());
        for (value, place, found, message) in [
            (
                json!({ "limits": { "maxInputBytes": null } }),
                "limits.maxInputBytes",
                kind(),
                "limits.maxInputBytes must be a positive safe integer, got a bigint.",
            ),
            (
                json!({ "limits": null, "count": 0 }),
                "limits",
                kind(),
                "count must be an integer from 1 to 9, got 0.",
            ),
            (
                json!({ "levels": { "/a\"b": "any", "/x": null } }),
                "levels./x",
                kind(),
                "levels[\"/x\"] must be \"exact\", \"bound\" or \"any\", got a bigint.",
            ),
            (
                json!({ "levels": { "a KEY": null } }),
                "levels.a KEY",
                ValueFault::Surrogate,
                "levels: one of them holds a lone surrogate, which no text can carry.",
            ),
            (
                json!({ "sources": ["input", null] }),
                "sources[1]",
                ValueFault::Surrogate,
                "sources[1] holds a lone surrogate, which no text can carry.",
            ),
        ] {
            let place = place.to_owned();
            let refusal = read_with(value, &[Unread { place, found }]).err();
            assert_eq!(refusal.as_deref(), Some(message));
        }
    }
}
