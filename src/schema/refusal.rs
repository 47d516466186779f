//! The errors of refused schemas: the place and the fault.

use std::fmt::Display;

use crate::error::{ErrorKind, Got, IntentError, InvalidArgument, Must};

/// `place: what is wrong.`
pub(super) fn at(place: impl Display, what: impl Display) -> IntentError {
    let (place, what) = (&*place.to_string(), &*what.to_string());
    ErrorKind::Schema(InvalidArgument::At { place, what }).error()
}

/// `place must be this, got that.`
pub(super) fn must_be(place: impl Display, must: &str, got: Got<'_>) -> IntentError {
    let (name, must) = (&*place.to_string(), Must::Be(must));
    ErrorKind::Schema(InvalidArgument::Value { name, must, got }).error()
}

/// A rule that one place has, as a sentence.
pub(super) fn rule(rule: &str) -> IntentError {
    ErrorKind::Schema(InvalidArgument::Rule(rule)).error()
}
