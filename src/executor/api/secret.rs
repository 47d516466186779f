//! A text that no formatting can print.

use std::fmt;

use reqwest::header::HeaderValue;

/// An API key. `Debug` prints a placeholder, and nothing else prints it at all; it leaves this
/// module as a header that is marked sensitive, and nowhere else.
#[derive(Clone)]
pub struct Secret(Box<str>);

impl Secret {
    /// Of a key.
    #[must_use]
    pub fn new(key: impl Into<Box<str>>) -> Self {
        Self(key.into())
    }

    /// Whether the key is empty or white space alone.
    pub(super) fn is_blank(&self) -> bool {
        crate::text::is_blank(&self.0)
    }

    /// Whether a text contains the key. An empty key is in no text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        !self.0.is_empty() && text.contains(&*self.0)
    }

    /// `Bearer <key>` (RFC 6750, section 2.1), or `None` where the key cannot stand in a header:
    /// control or non-ASCII characters, or white space at its ends, which RFC 9110 (section 5.5)
    /// does not count to a field's value, so that the service would see another key.
    pub(super) fn bearer(&self) -> Option<HeaderValue> {
        if !self.0.is_ascii() || self.0.trim_ascii().len() != self.0.len() {
            return None;
        }
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
