//! Headers of a caller's own.

use reqwest::header::{HeaderMap, HeaderName};

use super::secret::{Secret, UNSENDABLE};
use crate::text::quoted;

/// Headers that say how the request itself is sent, and the one that carries the key.
fn is_reserved(name: &HeaderName) -> bool {
    let name = name.as_str();
    matches!(
        name,
        "authorization" | "host" | "transfer-encoding" | "connection"
    ) || name.starts_with("content-")
}

/// A header in a message; not by its name, where the key was given in place of one.
pub(super) fn label(name: &str, key: Option<&Secret>) -> String {
    if key.is_some_and(|key| key.is_in(name)) {
        "headers: one of them".to_owned()
    } else {
        format!("headers[{}]", quoted(name))
    }
}

/// The headers of a configuration.
///
/// # Errors
/// The fault of one of them, without its value.
pub(super) fn check(given: &[(String, Secret)], key: Option<&Secret>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(given.len());
    for (name, value) in given {
        let what = label(name, key);
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("{what} is no name that a header can have"))?;
        if name == "authorization" {
            return Err(format!("{what} is written from apiKey; give the key there"));
        }
        if is_reserved(&name) {
            return Err(format!(
                "{what} is written by this package and cannot be set"
            ));
        }
        if value.is_blank() {
            return Err(format!("{what} must be a non-blank string"));
        }
        let value = value
            .header()
            .ok_or_else(|| format!("{what} {UNSENDABLE}"))?;
        if headers.insert(name, value).is_some() {
            return Err(format!(
                "{what} is given twice; names differ by more than case"
            ));
        }
    }
    Ok(headers)
}
