//! Finds values that occur only in the sources that `evidenceFrom` excludes.
//!
//! Texts are compared by their letters and digits, in lower case and in one width, so that a copied
//! value is found although its spelling changed.

use super::whole_words::{Occurrences, in_run, narrow};
use crate::budget::{Budget, Exhausted};

/// The origin of a value with fewer letters and digits cannot be determined.
const SHORTEST: usize = 2;

/// The letters and digits of a text.
#[derive(Debug, Default)]
pub(super) struct Skeleton {
    text: String,
    /// Offsets in `text` at which an indivisible part begins or ends, in order.
    borders: Vec<usize>,
}

impl Skeleton {
    pub(super) fn of(text: &str) -> Self {
        let mut skeleton = Self::default();
        // True if the previous character belongs to a run.
        let mut open = false;
        for c in text.chars() {
            if !c.is_alphanumeric() {
                open = false;
                continue;
            }
            let run = in_run(c);
            if !(open && run) {
                skeleton.borders.push(skeleton.text.len());
            }
            skeleton.text.extend(narrow(c).to_lowercase());
            open = run;
        }
        skeleton.borders.push(skeleton.text.len());
        skeleton
    }

    fn is_long_enough(&self) -> bool {
        self.text.chars().nth(SHORTEST - 1).is_some()
    }

    /// Returns whether another text occurs in this one as whole words.
    fn contains(&self, other: &Self, budget: &Budget) -> Result<bool, Exhausted> {
        budget.tick()?;
        let needle = other.text.as_bytes();
        let text = self.text.as_bytes();
        let Some(first) = memchr::memmem::find(text, needle) else {
            return Ok(false);
        };
        let is_border = |at: usize| self.borders.binary_search(&at).is_ok();
        let mut places = Occurrences::new(text, needle, first, budget);
        while let Some(at) = places.next()? {
            if is_border(at) && is_border(at + needle.len()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the value occurs in a text of the first list and in none of the second.
    pub(super) fn is_only_in(
        &self,
        others: &[Self],
        allowed: &[Self],
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        if !self.is_long_enough() {
            return Ok(false);
        }
        let any = |texts: &[Self]| -> Result<bool, Exhausted> {
            for text in texts {
                if text.contains(self, budget)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        Ok(any(others)? && !any(allowed)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_known_again() {
        let only = |value: &str, other: &str, allowed: &str| {
            Skeleton::of(value)
                .is_only_in(
                    &[Skeleton::of(other)],
                    &[Skeleton::of(allowed)],
                    &Budget::unlimited(),
                )
                .unwrap()
        };
        for (value, other, allowed, expected) in [
            (
                "mallory@evil.com",
                "send it to Mallory@Evil.com now",
                "refund me",
                true,
            ),
            ("MALLORY AT EVIL", "mallory at evil", "refund me", true),
            (
                "mallory@evil.com",
                "mallory@evil.com",
                "to mallory@evil.com",
                false,
            ),
            ("red", "ordered", "in red", false),
            ("red", "ordered", "blue", false),
            ("北京", "北京大学", "首都", true),
            ("L", "size L", "large", false),
            ("ＡＢＣ１", "code abc1", "x", true),
            ("--", "--", "x", false),
        ] {
            assert_eq!(
                only(value, other, allowed),
                expected,
                "{value} {other} {allowed}"
            );
        }
    }
}
