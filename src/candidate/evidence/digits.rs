//! Long runs of digits: an order number, a phone number, a card.
//!
//! A run of digits in a value must stand in a quote; width and separators do not count. It must
//! begin and end where a run of the quote does: `0001234` does not prove `000123`. There are
//! two exceptions, as people shorten numbers: a value may leave out the country code after a `+`,
//! and may be the last four digits of a run of eight or more.

use super::whole_words::{Occurrences, narrow};
use crate::budget::{Budget, Exhausted};

/// Shorter runs are not checked.
const LONG: usize = 4;

/// The digits of a text. Runs with only separators between them form a chain.
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// All digits, chain after chain.
    digits: Vec<u8>,
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    /// The start and the end of the run in `digits`.
    start: usize,
    end: usize,
    /// True if it begins a chain.
    first: bool,
    /// True if a plus stands right before it.
    plus: bool,
}

impl Run {
    const fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Separators inside one number.
const fn separates(c: char) -> bool {
    matches!(
        c,
        ' ' | '-' | '.' | ',' | '/' | '(' | ')' | '\u{2010}'..='\u{2015}' | '\u{2212}'
    ) || (crate::text::is_ecma_space(c) && !matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}'))
}

impl Chains {
    pub(super) fn of(text: &str) -> Self {
        let mut chains = Self::default();
        let mut open = false;
        let mut joined = false;
        let mut before = ' ';
        for c in text.chars().map(narrow) {
            if c.is_ascii_digit() {
                if !open {
                    chains.runs.push(Run {
                        start: chains.digits.len(),
                        end: chains.digits.len(),
                        first: !joined,
                        plus: before == '+',
                    });
                    open = true;
                }
                // A digit of ASCII is one byte.
                chains.digits.push(c as u8);
                if let Some(run) = chains.runs.last_mut() {
                    run.end += 1;
                }
                joined = true;
            } else {
                open = false;
                joined = joined && separates(c);
            }
            before = c;
        }
        chains
    }

    /// Returns whether some run is long enough to be checked.
    pub(super) fn is_long(&self) -> bool {
        self.runs.iter().any(|run| run.len() >= LONG)
    }

    /// The chains, as ranges of `runs`.
    fn chains(&self) -> impl Iterator<Item = &[Run]> {
        self.runs.chunk_by(|_, next| !next.first)
    }

    /// Returns the first long run or chain of digits that occurs in none of the quotes; `None` if all
    /// occur.
    pub(super) fn missing(
        &self,
        quotes: &[Self],
        budget: &Budget,
    ) -> Result<Option<String>, Exhausted> {
        for chain in self.chains() {
            budget.tick()?;
            if !chain.iter().any(|run| run.len() >= LONG)
                || self.occurs_in(chain, quotes, budget)?
            {
                continue;
            }
            for run in chain.iter().filter(|run| run.len() >= LONG) {
                if !self.occurs_in(std::slice::from_ref(run), quotes, budget)? {
                    let digits = &self.digits[run.start..run.end];
                    return Ok(Some(digits.iter().map(|&byte| byte as char).collect()));
                }
            }
        }
        Ok(None)
    }

    fn occurs_in(&self, runs: &[Run], quotes: &[Self], budget: &Budget) -> Result<bool, Exhausted> {
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
            return Ok(true);
        };
        let needle = &self.digits[first.start..last.end];
        for quote in quotes {
            let mut places = Occurrences::new(&quote.digits, needle, 0, budget);
            while let Some(at) = places.next()? {
                if quote.is_at_borders(at, at + needle.len()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns whether a place begins and ends at borders of runs of one chain.
    fn is_at_borders(&self, start: usize, end: usize) -> bool {
        const COUNTRY_CODE: usize = 3;
        const TAIL: usize = 4;
        const LONG_ENOUGH_FOR_A_TAIL: usize = 8;
        let at = |place: usize| self.runs.partition_point(|run| run.end <= place);
        let (Some(first), Some(last)) = (self.runs.get(at(start)), self.runs.get(at(end - 1)))
        else {
            return false;
        };
        let begins = first.start == start
            || (first.plus && start - first.start <= COUNTRY_CODE)
            || (end - start == TAIL && first.end == end && first.len() >= LONG_ENOUGH_FOR_A_TAIL);
        let one_chain = !self.runs[at(start) + 1..=at(end - 1)]
            .iter()
            .any(|run| run.first);
        begins && last.end == end && one_chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurs_in(value: &str, quote: &str) -> bool {
        let (value, quote) = (Chains::of(value), Chains::of(quote));
        value
            .missing(&[quote], &Budget::unlimited())
            .unwrap()
            .is_none()
    }

    #[test]
    fn separators_and_width_are_left_aside() {
        for (value, quote) in [
            ("13800138000", "+86 138 0013 8000"),
            ("8613800138000", "+86 138 0013 8000"),
            ("13800138000", "+8613800138000"),
            ("138-0013-8000", "13800138000"),
            ("02155551234", "(021) 5555-1234"),
            ("1234.50", "1,234.50"),
            ("12345", "１２３４５"),
            ("１２３４５", "12345"),
            ("2026/12/05", "2026-12-05"),
            ("2026-12-05", "2026年12月5日"),
            ("AB-1234-X", "AB1234X"),
            ("7890", "6222 0212 3456 7890"),
            ("7890", "6222021234567890"),
            ("8000", "138 0013 8000"),
            ("123", "order"),
            ("4111 1111 1111 1111", "4111-1111-1111-1111"),
        ] {
            assert!(occurs_in(value, quote), "{value} {quote}");
        }
    }

    #[test]
    fn other_digits_do_not_stand() {
        for (value, quote) in [
            ("777777", "000123"),
            ("000123", "0001234"),
            ("0001234", "000123"),
            ("1234", "000123 4"),
            ("12345", "123 then 45"),
            ("3456", "1234567"),
            ("12000", "1万2"),
            ("20261205", "2026年12月5日"),
            ("1234", "12345"),
        ] {
            assert!(!occurs_in(value, quote), "{value} {quote}");
        }
    }
}
