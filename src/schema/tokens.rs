//! Estimates the number of tokens of a text.
//!
//! No tokeniser is part of the crate: their tables are larger than the crate itself. What they have
//! in common is enough for an estimate: a usual word is one token, a long one several, a run of
//! punctuation one or two, digits go by threes, and Chinese by a little less than a character.
//! A test holds the estimate against `o200k`.

/// The kinds of characters that tokenisers keep apart.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Space,
    Mark,
    Han,
    Other,
}

const fn kind(c: char) -> Kind {
    match c {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        ' ' | '\n' | '\t' | '\r' => Kind::Space,
        '!'..='~' => Kind::Mark,
        '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}' => Kind::Han,
        _ => Kind::Other,
    }
}

/// Returns the approximate number of tokens of a text.
pub(super) fn estimate(text: &str) -> usize {
    // In hundredths of a token.
    let mut sum = 0;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let kind_of_run = kind(first);
        let mut length = 1;
        while let Some(&next) = chars.peek() {
            // A capital begins a word of its own: `orderId` is two.
            let same = kind(next) == kind_of_run
                || (kind_of_run == Kind::Upper && length == 1 && kind(next) == Kind::Lower);
            if !same {
                break;
            }
            chars.next();
            length += 1;
            if kind_of_run == Kind::Upper && length == 2 && kind(next) == Kind::Lower {
                while chars.next_if(char::is_ascii_lowercase).is_some() {
                    length += 1;
                }
                break;
            }
        }
        sum += cost(kind_of_run, length);
    }
    sum.div_ceil(100)
}

/// A run in hundredths of a token.
const fn cost(kind: Kind, length: usize) -> usize {
    match kind {
        Kind::Lower if length <= 9 => 100,
        Kind::Lower => 100 + 20 * (length - 9),
        Kind::Upper if length <= 4 => 100,
        Kind::Upper => 100 + 25 * (length - 4),
        Kind::Digit => 100 * length.div_ceil(3),
        // One space belongs to the word behind it.
        Kind::Space => {
            if length == 1 {
                0
            } else {
                100
            }
        }
        Kind::Mark if length <= 3 => 100,
        Kind::Mark => 100 * length.div_ceil(3),
        Kind::Han => 70 * length,
        Kind::Other => 60 * length,
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn estimates_are_near_o200k() {
        // Counted with o200k_base.
        for (text, tokens) in [
            ("", 0),
            (
                r#"{"type":"object","properties":{"orderId":{"type":"string","description":"The order number, with leading zeros."}},"required":["orderId"]}"#,
                29,
            ),
            (
                r#"{"type":"object","properties":{"金额":{"type":"number","description":"退款金额，单位为元，不含运费"}}}"#,
                33,
            ),
        ] {
            let about = estimate(text);
            assert!(
                about.abs_diff(tokens) * 4 <= tokens,
                "{text}: {about}, not {tokens}"
            );
        }
    }
}
