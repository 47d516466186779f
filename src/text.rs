//! Rules of text: what is blank, how names are quoted in messages, JSON Pointer.

use std::borrow::Cow;
use std::fmt::{self, Write};

pub use ecma_pattern::is_white_space as is_ecma_space;
pub use ecma_pattern::message::{quoted, shown};

/// True if a text is empty or only white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_ecma_space)
}

/// Returns the position of the next byte that a JSON string must escape: a control character, a
/// double quote or a backslash (RFC 8259, section 7). Reads eight bytes at a time.
pub(crate) fn next_special(bytes: &[u8], from: usize) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    /// The high bit of each byte that is less than `n`, for n up to 128; a byte past a hit may
    /// be set in error, so a hit says only that the eight hold one.
    const fn less(word: u64, n: u64) -> u64 {
        word.wrapping_sub(LOW * n) & !word & HIGH
    }
    let special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let mut at = from;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        let quote = less(word ^ (LOW * 0x22), 1);
        let backslash = less(word ^ (LOW * 0x5c), 1);
        if less(word, 0x20) | quote | backslash != 0 {
            break;
        }
        at += 8;
    }
    bytes
        .get(at..)?
        .iter()
        .position(|&byte| special(byte))
        .map(|ahead| at + ahead)
}

/// The UTF-8 length of a text as a JSON string, quotes included, as `JSON.stringify` writes it.
#[must_use]
pub fn json_string_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut more = 2;
    let mut from = 0;
    while let Some(at) = next_special(bytes, from) {
        more += match bytes[at] {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
            _ => 5,
        };
        from = at + 1;
    }
    bytes.len() + more
}

/// Appends a text as a JSON string, as `JSON.stringify` writes it.
pub fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    while let Some(at) = next_special(text.as_bytes(), from) {
        out.push_str(&text[from..at]);
        match text.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            control => {
                let _ = write!(out, "\\u{control:04x}");
            }
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// Names, quoted, the first of them.
pub(crate) fn listed<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    let names: Vec<String> = names
        .into_iter()
        .take(8)
        .map(|name| quoted(name.as_ref()))
        .collect();
    names.join(", ")
}

/// The one of the known names that was most likely meant by a misspelt one.
pub(crate) fn closest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    // Longer texts are no typo, and the distance costs the product of two lengths.
    const LONGEST: usize = 32;
    if name.len() > LONGEST {
        return None;
    }
    let most = (name.chars().count() / 3).clamp(1, 3);
    known
        .filter(|known| known.len() <= LONGEST)
        .map(|known| (distance(name, known), known))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours; case
/// alone is no difference.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    let mut before = vec![0; right.len() + 1];
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (last[j + 1] + 1)
                .min(row[j] + 1)
                .min(last[j] + usize::from(a != b));
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

/// Cuts a text after 200 characters.
pub(crate) fn cut(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Appends one reference token to a JSON Pointer (RFC 6901), escaped.
pub fn push_token(pointer: &mut String, token: &str) {
    // A string takes all that is written to it.
    let _ = write_token(pointer, token);
}

/// Writes one reference token of a JSON Pointer, escaped. It is written in pieces, so that a writer
/// that has enough ends it early.
pub(crate) fn write_token(out: &mut impl Write, token: &str) -> fmt::Result {
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

/// Returns the first bytes of the displayed text, at most `most`; the bytes after them are not kept
/// anywhere.
pub(crate) fn first_bytes(what: impl fmt::Display, most: usize) -> String {
    struct First {
        text: String,
        most: usize,
    }
    impl Write for First {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            let room = self.most - self.text.len();
            let fits = piece.floor_char_boundary(room);
            self.text.push_str(&piece[..fits]);
            if fits < piece.len() {
                // Nothing may follow a piece that was cut.
                self.most = self.text.len();
                return Err(fmt::Error);
            }
            Ok(())
        }
    }
    let mut first = First {
        text: String::new(),
        most,
    };
    let _ = write!(first, "{what}");
    first.text
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
    fn blank_is_ecmascript_white_space() {
        for text in [
            "",
            " ",
            "\n\t\u{b}\u{c}\r",
            "\u{feff}",
            "\u{a0}\u{3000}\u{2028}",
        ] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in ["\u{85}", "\u{200b}", "\u{180e}", "x"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }

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

    #[test]
    fn pointers_are_written_as_far_as_they_are_wanted() {
        let long = "a~/中".repeat(1000);
        let mut whole = String::new();
        push_token(&mut whole, &long);
        assert_eq!(whole, format!("/{}", "a~0~1中".repeat(1000)));
        struct Token<'t>(&'t str);
        impl fmt::Display for Token<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_token(f, self.0)
            }
        }
        for most in 0..40 {
            let cut = first_bytes(Token(&long), most);
            assert_eq!(cut, whole[..whole.floor_char_boundary(most)]);
        }
        assert_eq!(first_bytes(Token("a/b"), 300), "/a~1b");
    }

    #[test]
    fn names_are_cut_and_escaped() {
        assert_eq!(quoted("a\nb"), "\"a\\u000ab\"");
        assert_eq!(shown(&"x".repeat(200)).chars().count(), 101);
    }

    #[test]
    fn json_string_length_agrees_with_the_writer() {
        let mut texts = vec![
            "中😀\u{7f}\u{2028}".to_owned(),
            "a\"\\\n\r\t\u{8}\u{c}\u{1}".to_owned(),
        ];
        for length in 0..20 {
            for (at, special) in
                (0..length).zip("\"\\\u{0}\u{1f}\u{20}\u{21}\u{80}中\n[]".chars().cycle())
            {
                let mut text = "x".repeat(length);
                text.insert(at, special);
                texts.push(text);
            }
        }
        for text in &texts {
            assert_eq!(
                json_string_len(text),
                serde_json::to_string(text).unwrap().len()
            );
        }
    }
}
