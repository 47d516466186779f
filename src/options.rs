//! Options that arrive as JSON.
//!
//! A configuration has a mirror in which each option may be left out ([`options!`]). It is read
//! once and merged once over the defaults; what a type or a range must be is said in one place,
//! [`Must`].

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::error::{ErrorKind, Fault, Got, IntentError, Must};
use crate::text::quoted;

/// The name of a whole configuration in messages; its members go without it.
pub(crate) const CONFIG: &str = "config";

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
    /// Whether a text must not be shown.
    is_secret: &'a dyn Fn(&str) -> bool,
}

impl<'a> Given<'a> {
    /// A whole configuration. No message shows a text of it that is a secret.
    pub(crate) fn whole(value: Value, is_secret: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            name: CONFIG.into(),
            value,
            is_secret,
        }
    }

    /// The error for a value of the wrong type or range. A value of the right type is shown, any
    /// other only by its type.
    pub(crate) fn refused(&self, must: Must<'_>) -> IntentError {
        let got = match (must, &self.value) {
            (Must::Integer { .. }, Value::Number(number)) => Got::Number(number),
            (Must::OneOf(_), Value::String(text)) if (self.is_secret)(text) => Got::OtherText,
            (Must::OneOf(_), Value::String(text)) => Got::Text(text),
            (_, value) => Got::Type(value),
        };
        let name = &self.name;
        ErrorKind::Config(Fault::Value { name, must, got }).error()
    }

    /// The members of an object that has known keys alone.
    pub(crate) fn members(self, known: &[&str]) -> Result<Members<'a>, IntentError> {
        let members = self.entries()?;
        match members
            .values
            .keys()
            .find(|key| !known.contains(&key.as_str()))
        {
            Some(key) => {
                let of = &members.name;
                Err(ErrorKind::Config(Fault::UnknownKey { of, key, known }).error())
            }
            None => Ok(members),
        }
    }

    /// The members of an object that has names of the caller's own.
    pub(crate) fn entries(self) -> Result<Members<'a>, IntentError> {
        match self.value {
            Value::Object(values) => Ok(Members {
                name: self.name,
                values,
                is_secret: self.is_secret,
            }),
            _ => Err(self.refused(Must::Be("an object"))),
        }
    }

    /// The elements of an array; what was given, where it is none.
    pub(crate) fn elements(self) -> Result<impl Iterator<Item = Self>, Self> {
        let Value::Array(values) = self.value else {
            return Err(self);
        };
        let (whole, is_secret) = (self.name, self.is_secret);
        Ok(values.into_iter().enumerate().map(move |(i, value)| Self {
            name: format!("{whole}[{i}]").into(),
            value,
            is_secret,
        }))
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
            None => Err(self.refused(Must::Integer { least, most })),
        }
    }
}

/// What an object holds.
pub(crate) struct Members<'a> {
    name: Cow<'a, str>,
    values: Map<String, Value>,
    is_secret: &'a dyn Fn(&str) -> bool,
}

impl<'a> Members<'a> {
    /// One option, where it is given.
    pub(crate) fn take<T: FromJson>(&mut self, key: &str) -> Result<Option<T>, IntentError> {
        self.given(key).map(T::from_json).transpose()
    }

    /// One option as it was given.
    pub(crate) fn given(&mut self, key: &str) -> Option<Given<'a>> {
        let value = self.values.shift_remove(key)?;
        let name = match &*self.name {
            CONFIG => key.to_owned(),
            whole => format!("{whole}.{key}"),
        };
        let is_secret = self.is_secret;
        Some(Given {
            name: name.into(),
            value,
            is_secret,
        })
    }

    /// Every member by its own name.
    pub(crate) fn each(self) -> impl Iterator<Item = (String, Given<'a>)> {
        let Self {
            name: whole,
            values,
            is_secret,
        } = self;
        values.into_iter().map(move |(key, value)| {
            let name = if is_secret(&key) {
                format!("{whole}: one of them")
            } else {
                format!("{whole}[{}]", quoted(&key))
            };
            (
                key,
                Given {
                    name: name.into(),
                    value,
                    is_secret,
                },
            )
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

/// # Errors
/// `CONFIG_INVALID` for a value outside its range.
pub(crate) fn within(name: &str, value: u64, least: u64, most: u64) -> Result<(), IntentError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let must = Must::Integer { least, most };
    let got = Got::Count(value);
    Err(ErrorKind::Config(Fault::Value { name, must, got }).error())
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
            _ => Err(given.refused(Must::Be("a string"))),
        }
    }
}

impl FromJson for Map<String, Value> {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        given.entries().map(|members| members.values)
    }
}
