//! JSON Pointer (RFC 6901).

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Appends one reference token to a JSON Pointer (RFC 6901), escaped.
pub fn push_token(pointer: &mut String, token: &str) {
    // A string takes all that is written to it.
    let _ = write_token(pointer, token);
}

/// Writes one reference token of a JSON Pointer, escaped. It is written in pieces, so that a writer
/// that has enough ends it early.
pub fn write_token(out: &mut impl Write, token: &str) -> fmt::Result {
    const PIECE: usize = 256;
    out.write_char('/')?;
    let mut rest = token;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        for plain in piece.split_inclusive(['~', '/']) {
            match plain.as_bytes().last() {
                Some(b'~') => write!(out, "{}~0", &plain[..plain.len() - 1])?,
                Some(b'/') => write!(out, "{}~1", &plain[..plain.len() - 1])?,
                _ => out.write_str(plain)?,
            }
        }
        rest = after;
    }
    Ok(())
}

/// The unescaped tokens of a JSON Pointer; `None` where the pointer or an escape is malformed.
#[must_use]
pub fn pointer_tokens(pointer: &str) -> Option<Vec<Cow<'_, str>>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer
        .strip_prefix('/')?
        .split('/')
        .map(unescape_token)
        .collect()
}

/// One token with `~0` and `~1` read; `None` on any other `~`.
#[must_use]
pub fn unescape_token(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => match chars.next() {
                Some('0') => out.push('~'),
                Some('1') => out.push('/'),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    Some(Cow::Owned(out))
}

/// A canonical array index (RFC 6901, section 4): no leading zero, no `-`.
#[must_use]
pub fn array_index(token: &str) -> Option<usize> {
    let canonical = token == "0"
        || (!token.is_empty()
            && !token.starts_with('0')
            && token.bytes().all(|b| b.is_ascii_digit()));
    if canonical { token.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers() {
        assert_eq!(pointer_tokens("/a~1b/~0c/0").unwrap(), ["a/b", "~c", "0"]);
        assert_eq!(pointer_tokens("/").unwrap(), [""]);
        for bad in ["a", "/~", "/~2", "/a~"] {
            assert!(pointer_tokens(bad).is_none(), "{bad}");
        }
        assert_eq!(array_index("0"), Some(0));
        assert_eq!(array_index("10"), Some(10));
        for bad in ["01", "-", "", "+1", "1.0", "99999999999999999999999"] {
            assert_eq!(array_index(bad), None, "{bad}");
        }
    }
}
