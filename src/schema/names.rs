//! Marks in property names, which keep the meaning of `patternProperties`.
//!
//! `jsonschema` matches property names with engines of its own, whose regular expressions are not
//! those of ECMAScript. So it never sees a pattern of the schema: where a schema has
//! `patternProperties`, every property name it sees (in the schema and in the data alike) carries
//! a mark for each pattern that matches it, and the pattern that it looks for is the mark, a
//! literal text. Names are equal with marks exactly when they are equal without.

use std::borrow::Cow;

use ecma_pattern::Pattern;

use crate::budget::{Budget, Exhausted};

/// The place of a pattern among those of a schema.
pub(super) type PatternId = usize;

/// Delimits marks. A name that holds it gets an escape behind each.
const DELIMITER: char = '\u{10ffff}';
const ESCAPE: char = 'x';

/// The patterns that names are marked for.
#[derive(Clone, Copy)]
pub(super) struct NameMarks<'g> {
    pub(super) patterns: &'g [Pattern],
    pub(super) of_names: &'g [PatternId],
}

impl NameMarks<'_> {
    /// The name with its marks.
    pub(super) fn mark<'n>(
        &self,
        name: &'n str,
        budget: &Budget,
    ) -> Result<Cow<'n, str>, Exhausted> {
        if self.of_names.is_empty() && !name.contains(DELIMITER) {
            return Ok(Cow::Borrowed(name));
        }
        let mut marked = String::with_capacity(name.len() + 8);
        for c in name.chars() {
            marked.push(c);
            if c == DELIMITER {
                marked.push(ESCAPE);
            }
        }
        marked.push(DELIMITER);
        for id in self.of_names {
            budget.tick()?;
            if self.patterns[*id].is_match(name, budget)? {
                marked.push_str(&id.to_string());
                marked.push(DELIMITER);
            }
        }
        Ok(Cow::Owned(marked))
    }
}

/// The regular expression that matches the names with the mark of a pattern.
pub(super) fn mark_of(id: PatternId) -> String {
    format!("{DELIMITER}{id}{DELIMITER}")
}

/// The name without its marks.
pub(super) fn unmarked(name: &str) -> Cow<'_, str> {
    if !name.contains(DELIMITER) {
        return Cow::Borrowed(name);
    }
    let mut plain = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if c == DELIMITER && chars.next_if_eq(&ESCAPE).is_none() {
            break;
        }
        plain.push(c);
    }
    Cow::Owned(plain)
}

/// A JSON Pointer without the marks in its tokens.
pub(super) fn unmarked_pointer(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains(DELIMITER) {
        return Cow::Borrowed(pointer);
    }
    let tokens: Vec<_> = pointer.split('/').map(unmarked).collect();
    Cow::Owned(tokens.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_off_again() {
        let patterns = [Pattern::new("^a").unwrap(), Pattern::new("b$").unwrap()];
        let marks = NameMarks {
            patterns: &patterns,
            of_names: &[0, 1],
        };
        let none = NameMarks {
            patterns: &[],
            of_names: &[],
        };
        let budget = Budget::unlimited();
        let hostile = format!("{DELIMITER}0{DELIMITER}{ESCAPE}{DELIMITER}");
        for name in [
            "",
            "a",
            "ab",
            "b",
            "x",
            "\u{10ffff}",
            &hostile,
            "a\u{10ffff}0\u{10ffff}b",
        ] {
            for marks in [marks, none] {
                let marked = marks.mark(name, &budget).unwrap();
                assert_eq!(unmarked(&marked), name);
            }
            let marked = marks.mark(name, &budget).unwrap();
            for (id, pattern) in patterns.iter().enumerate() {
                assert_eq!(
                    marked.contains(&mark_of(id)),
                    pattern.is_match(name, &budget).unwrap(),
                    "{name:?} {id}"
                );
            }
        }
        assert_eq!(none.mark("plain", &budget).unwrap(), "plain");
        assert_eq!(
            unmarked_pointer(&format!("/a{DELIMITER}0{DELIMITER}/b~1{DELIMITER}/0")),
            "/a/b~1/0"
        );
    }
}
