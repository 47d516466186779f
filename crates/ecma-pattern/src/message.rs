//! Names in messages. Shared by the crates of this workspace; not part of the public API.

use std::borrow::Cow;
use std::fmt::Write;

/// A name as it may stand in a message: at most 100 characters, control characters escaped,
/// in double quotes.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", shown(name))
}

/// [`quoted`] without the quotes, for paths.
#[must_use]
pub fn shown(name: &str) -> Cow<'_, str> {
    const MOST: usize = 100;
    let risky = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if name.len() <= MOST && !name.chars().any(risky) {
        return Cow::Borrowed(name);
    }
    let mut out = String::new();
    for (count, c) in name.chars().enumerate() {
        if count == MOST {
            out.push('…');
            break;
        }
        if risky(c) {
            let _ = write!(out, "\\u{:04x}", c as u32);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}
