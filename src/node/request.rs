//! Requests of JavaScript, and the unread places of configurations.

use napi_derive::napi;

use crate::request::{RawRequest, Unread as Place, ValueFault};

/// A place whose value JSON cannot carry; of neither kind nor fault, if it is a text with a lone
/// surrogate.
#[napi(object)]
pub struct Unread {
    /// `request`, or a place such as `fields[1]`.
    pub place: String,
    /// The kind of the value, such as `a bigint`.
    pub kind: Option<String>,
    /// A fault of its own, as a sentence, in place of a kind.
    pub fault: Option<String>,
}

impl From<Unread> for Place {
    fn from(Unread { place, kind, fault }: Unread) -> Self {
        let found = match (fault, kind) {
            (Some(fault), _) => ValueFault::Rule(fault),
            (None, Some(kind)) => ValueFault::Kind(kind),
            (None, None) => ValueFault::Surrogate,
        };
        Self { place, found }
    }
}

/// The request of these parts, which are JSON that `js/` wrote.
pub(super) fn raw_request(parts: &str, unread: Option<Vec<Unread>>) -> RawRequest {
    match crate::json::value(parts) {
        Ok(parts) => {
            RawRequest::from(parts).with_unread(unread.into_iter().flatten().map(Into::into))
        }
        Err(error) => RawRequest::refused(format!("the request cannot be read: {error}.")),
    }
}

/// The places of a configuration.
pub(super) fn places(unread: Vec<Unread>) -> Vec<Place> {
    unread.into_iter().map(Into::into).collect()
}
