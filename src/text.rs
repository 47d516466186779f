//! Rules of text: what is blank, how names are quoted in messages, JSON Pointer.

use std::fmt::{self, Write};

use serde_json::Value;

/// The kind of a value in JavaScript's words, for a message.
pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

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
