//! Texts as JSON strings, as `JSON.stringify` writes them.

use std::fmt::Write;

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

/// A text as UTF-16.
#[must_use]
pub fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
