//! Finds the places of a quote in a text as whole words.
//!
//! A quote never begins or ends inside a run of ASCII letters and digits. Full-width ones count as
//! what they stand for, so that `１2` is one run. Other scripts have no runs: Chinese is written
//! without spaces, and any part of it may be quoted.

use crate::budget::{Budget, Exhausted};

/// The bytes of text per tick of the budget.
const BYTES_PER_TICK: usize = 64;

/// True if a character belongs to a run that a quote may not cut.
pub(super) const fn in_run(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}')
}

/// Converts a full-width ASCII character to ASCII; returns any other character unchanged.
pub(super) const fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => match char::from_u32(c as u32 - 0xfee0) {
            Some(ascii) => ascii,
            None => c,
        },
        '\u{3000}' => ' ',
        other => other,
    }
}

/// Returns whether a quote contains a letter or a digit of some script.
pub(crate) fn has_letter_or_digit(quote: &str) -> bool {
    quote.chars().any(char::is_alphanumeric)
}

/// True if neither end of a place cuts a run.
pub(super) fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(quote), Some(after)) =
        (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return false;
    };
    let cut = |left: &str, right: &str| {
        left.chars().next_back().is_some_and(in_run) && right.chars().next().is_some_and(in_run)
    };
    !cut(before, quote) && !cut(quote, after)
}

/// The place of a quote in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteMatch {
    /// As whole words, first at this byte.
    At(usize),
    /// Only inside longer words, first at this byte.
    Inside(usize),
    /// Nowhere.
    Nowhere,
}

/// Returns the first place of a quote as whole words, else its first place inside longer words.
pub(crate) fn find(text: &str, quote: &str, budget: &Budget) -> Result<QuoteMatch, Exhausted> {
    // Searching is fast, so the clock is read only for long texts, of which there may be many.
    const SHORT: usize = 4096;
    if text.len() >= SHORT {
        budget.look()?;
    }
    let Some(first) = memchr::memmem::find(text.as_bytes(), quote.as_bytes()) else {
        return Ok(QuoteMatch::Nowhere);
    };
    if is_whole(text, first, first + quote.len()) {
        return Ok(QuoteMatch::At(first));
    }
    let mut places = Occurrences::new(text.as_bytes(), quote.as_bytes(), first, budget);
    while let Some(at) = places.next()? {
        if is_whole(text, at, at + quote.len()) {
            return Ok(QuoteMatch::At(at));
        }
    }
    Ok(QuoteMatch::Inside(first))
}

/// Counts the places of a quote as whole words from a byte on, including overlapping ones.
pub(super) fn count(
    text: &str,
    quote: &str,
    from: usize,
    budget: &Budget,
) -> Result<usize, Exhausted> {
    // Most quotes occur once, which a search finds out faster.
    let second = text
        .as_bytes()
        .get(from + 1..)
        .and_then(|rest| memchr::memmem::find(rest, quote.as_bytes()));
    let mut count = usize::from(is_whole(text, from, from + quote.len()));
    let Some(second) = second else {
        return Ok(count);
    };
    let mut places = Occurrences::new(text.as_bytes(), quote.as_bytes(), from + 1 + second, budget);
    while let Some(at) = places.next()? {
        count += usize::from(is_whole(text, at, at + quote.len()));
    }
    Ok(count)
}

/// Iterates over the places of a needle, including overlapping ones, in time linear in the text
/// (Knuth, Morris and Pratt).
pub(super) struct Occurrences<'a> {
    text: &'a [u8],
    needle: &'a [u8],
    /// For each prefix of the needle, the length that is still matched when the next byte differs.
    border: Vec<u32>,
    at: usize,
    matched: usize,
    budget: &'a Budget,
}

impl<'a> Occurrences<'a> {
    /// Starts at a byte.
    pub(super) fn new(text: &'a [u8], needle: &'a [u8], from: usize, budget: &'a Budget) -> Self {
        let mut border = vec![0u32; needle.len()];
        let mut matched = 0;
        for at in 1..needle.len() {
            while matched > 0 && needle[at] != needle[matched] {
                matched = border[matched - 1] as usize;
            }
            if needle[at] == needle[matched] {
                matched += 1;
            }
            // A candidate is far shorter than what a u32 counts.
            border[at] = u32::try_from(matched).unwrap_or(0);
        }
        Self {
            text,
            needle,
            border,
            at: from,
            matched: 0,
            budget,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<usize>, Exhausted> {
        if self.needle.is_empty() {
            return Ok(None);
        }
        while let Some(&byte) = self.text.get(self.at) {
            if self.at.is_multiple_of(BYTES_PER_TICK) {
                self.budget.tick()?;
            }
            self.at += 1;
            while self.matched > 0 && byte != self.needle[self.matched] {
                self.matched = self.border[self.matched - 1] as usize;
            }
            if byte == self.needle[self.matched] {
                self.matched += 1;
            }
            if self.matched == self.needle.len() {
                self.matched = self.border[self.matched - 1] as usize;
                return Ok(Some(self.at - self.needle.len()));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, quote: &str) -> QuoteMatch {
        find(text, quote, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn whole_words_only() {
        for (text, quote, expected) in [
            ("Change order 000123", "o", QuoteMatch::Inside(7)),
            ("order 000123", "123", QuoteMatch::Inside(9)),
            ("order 000123", "000123", QuoteMatch::At(6)),
            ("订单000123的状态", "000123", QuoteMatch::At(6)),
            ("订单000123的状态", "单0", QuoteMatch::Inside(3)),
            ("订单０００１２３", "１２３", QuoteMatch::Inside(15)),
            ("a1２", "1", QuoteMatch::Inside(1)),
            ("000123 or 123", "123", QuoteMatch::At(10)),
            ("e-mail me", "mail", QuoteMatch::At(2)),
            ("caf\u{e9}", "caf", QuoteMatch::At(0)),
            ("aaa", "aa", QuoteMatch::Inside(0)),
            ("x", "y", QuoteMatch::Nowhere),
            ("-a-", "-", QuoteMatch::At(0)),
        ] {
            assert_eq!(found(text, quote), expected, "{text} {quote}");
        }
    }

    #[test]
    fn counts_overlapping_places() {
        let count = |text: &str, quote: &str| {
            let QuoteMatch::At(at) = found(text, quote) else {
                return 0;
            };
            count(text, quote, at, &Budget::unlimited()).unwrap()
        };
        assert_eq!(count("a a a a", "a a"), 3);
        assert_eq!(count("中中中", "中中"), 2);
        assert_eq!(count("aab aa aab", "aa"), 1);
        assert_eq!(count("b", "b"), 1);
    }

    #[test]
    fn agrees_with_a_search_at_every_byte() {
        let mut seed = 7u32;
        let mut next = |most: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as usize % most
        };
        for _ in 0..20_000 {
            let alphabet = ["a", "b", " ", "中", "１", "é"];
            let mut write = |most: usize| -> String {
                (0..next(most) + 1)
                    .map(|_| alphabet[next(alphabet.len())])
                    .collect()
            };
            let (text, quote) = (write(14), write(3));
            let all: Vec<usize> = (0..text.len())
                .filter(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(&quote)))
                .collect();
            let whole: Vec<usize> = all
                .iter()
                .copied()
                .filter(|&at| is_whole(&text, at, at + quote.len()))
                .collect();
            let expected = match (whole.first(), all.first()) {
                (Some(&at), _) => QuoteMatch::At(at),
                (None, Some(&at)) => QuoteMatch::Inside(at),
                (None, None) => QuoteMatch::Nowhere,
            };
            assert_eq!(found(&text, &quote), expected, "{text:?} {quote:?}");
            if let Some(&at) = whole.first() {
                let counted = count(&text, &quote, at, &Budget::unlimited()).unwrap();
                assert_eq!(counted, whole.len(), "{text:?} {quote:?}");
            }
        }
    }
}
