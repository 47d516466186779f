//! Texts that no formatting can print: API keys and the values of headers.

use std::fmt;
use std::sync::Arc;

use reqwest::header::HeaderValue;

/// An API key, or the value of a header. `Debug` prints a placeholder, and nothing else prints it
/// at all; it leaves this module as a header that is marked sensitive, and nowhere else.
#[derive(Clone)]
pub struct Secret(Arc<str>);

/// A part of a secret that is shorter than this is an ordinary word (`Token`, `orders`).
const MIN_PART_BYTES: usize = 8;

/// The reason why a secret cannot be sent; the text follows its name.
pub(super) const UNSENDABLE: &str = "cannot be sent in an HTTP header: it has white space at its ends, or characters other than visible ASCII";

impl Secret {
    /// Wraps a key, or a header's value.
    #[must_use]
    pub fn new(secret: impl Into<Arc<str>>) -> Self {
        Self(secret.into())
    }

    /// True if the secret is empty or white space alone.
    pub(super) fn is_blank(&self) -> bool {
        crate::text::is_blank(&self.0)
    }

    /// True if a text contains the secret, or a part of it that tells much (`Token sk-...` holds
    /// the key `sk-...`). An empty secret is in no text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        text.contains(&*self.0)
            || self
                .0
                .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '-'))
                .any(|part| part.len() >= MIN_PART_BYTES && text.contains(part))
    }

    /// `Bearer <key>` (RFC 6750, section 2.1), where [`Secret::header`] gives a value.
    pub(super) fn bearer(&self) -> Option<HeaderValue> {
        self.is_header_value()
            .then(|| sensitive(&format!("Bearer {}", self.0)))?
    }

    /// The value of a header, or `None` where the secret cannot stand in one.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        self.is_header_value().then(|| sensitive(&self.0))?
    }

    /// Returns whether the secret has only visible ASCII and no white space at its ends. RFC 9110 (section
    /// 5.5) strips such white space, so that the service would see another value.
    fn is_header_value(&self) -> bool {
        self.0.is_ascii() && self.0.trim_ascii().len() == self.0.len()
    }
}

/// `None` on control characters.
fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The secrets of one request, which no message may show.
#[derive(Clone, Copy, Default)]
pub(super) struct Secrets<'a> {
    pub(super) key: Option<&'a Secret>,
    pub(super) headers: &'a [(String, Secret)],
}

impl Secrets<'_> {
    pub(super) fn are_in(self, text: &str) -> bool {
        self.key.is_some_and(|key| key.is_in(text))
            || self.headers.iter().any(|(_, value)| value.is_in(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_secret_are_secret() {
        let token = Secret::new("Token sk-0123456789/ab");
        for text in ["x sk-0123456789 y", "Token sk-0123456789/ab"] {
            assert!(token.is_in(text), "{text}");
        }
        for text in ["Token", "ab", "sk-012345678", ""] {
            assert!(!token.is_in(text), "{text}");
        }
        assert!(!Secret::new("").is_in(""));
        let headers = [("x-app".to_owned(), token)];
        let (key, headers) = (Some(&Secret::new("k-1")), &headers[..]);
        let secrets = Secrets { key, headers };
        assert!(secrets.are_in("a k-1") && secrets.are_in("sk-0123456789"));
        assert!(!secrets.are_in("orders") && !Secrets::default().are_in("k-1"));
    }
}
