//! Rules of text: what is blank, how names are quoted in messages, JSON Pointer.

use std::fmt::{self, Write};

pub use ecma_pattern::is_white_space as is_ecma_space;
pub use ecma_pattern::message::{quoted, shown};
pub use strict_json::pointer::{
    array_index, pointer_tokens, push_token, unescape_token, write_token,
};
pub use strict_json::text::{json_string_len, push_json_string};

/// True if a text is empty or only white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_ecma_space)
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
}
