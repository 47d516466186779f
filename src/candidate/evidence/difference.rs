//! Finds the text that an inexact quote was meant to copy, and their difference.
//!
//! A model that copies a text often changes what it cannot see: the normal form of an accent, the
//! end of a line, a no-break space, the width of a comma. Both sides are folded until such
//! differences are gone; a place that is found then is the text to copy.

use std::fmt::Write as _;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::whole_words::{QuoteMatch, find, narrow};
use crate::budget::{Budget, Exhausted};
use crate::error::codes;
use crate::text::is_ecma_space;

codes! {
    /// A kind of difference that a reader does not see.
    Kind {
        NormalForm = "Unicode normal form (NFC or NFD)",
        Invisible = "invisible characters",
        Width = "full-width or half-width characters",
        Punctuation = "the form of quotation marks, dashes or other punctuation",
        LineEnd = "line ends",
        Space = "white space (a no-break space, a tab, how many)",
        Case = "capital and small letters",
    }
}

/// A text in which some kinds of differences are removed, with the origin of each byte.
#[derive(Default)]
pub(crate) struct Folded {
    text: String,
    /// For each byte, the bytes of the original character.
    from: Vec<(u32, u32)>,
}

impl Folded {
    pub(crate) fn of(text: &str) -> Self {
        Self::without(text, Kind::ALL)
    }

    fn without(text: &str, kinds: &[Kind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        let mut folded = Self::default();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let range = (position(at), position(at + c.len_utf8()));
            if has(Kind::Invisible) && is_invisible(c) {
                continue;
            }
            if c == '\r' && has(Kind::LineEnd) && chars.peek().is_some_and(|(_, c)| *c == '\n') {
                continue;
            }
            let c = if has(Kind::Width) { narrow(c) } else { c };
            if has(Kind::Space) && is_ecma_space(c) {
                // A space of any kind and number, and a line end beside it.
                if !folded.text.ends_with(' ') {
                    folded.push(' ', range);
                }
                continue;
            }
            let mut fold = |c: char| {
                let c = if has(Kind::Width) { narrow(c) } else { c };
                let c = if has(Kind::Punctuation) { plain(c) } else { c };
                if c == '…' && has(Kind::Punctuation) {
                    (0..3).for_each(|_| folded.push('.', range));
                } else if has(Kind::Case) {
                    c.to_lowercase().for_each(|c| folded.push(c, range));
                } else {
                    folded.push(c, range);
                }
            };
            if has(Kind::NormalForm) {
                decompose_canonical(c, fold);
            } else {
                fold(c);
            }
        }
        folded
    }

    fn push(&mut self, c: char, range: (u32, u32)) {
        self.text.push(c);
        self.from.resize(self.text.len(), range);
    }
}

/// Texts are far shorter than what a u32 counts.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

/// Punctuation in its ASCII form.
const fn plain(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '‛' | '′' | '「' | '」' | '『' | '』' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '、' => ',',
        '。' | '·' | '・' => '.',
        '【' | '〔' => '[',
        '】' | '〕' => ']',
        '《' | '〈' => '<',
        '》' | '〉' => '>',
        other => other,
    }
}

/// Returns the fewest kinds of differences that must be folded to make two texts equal.
fn kinds(meant: &str, quote: &str) -> Vec<Kind> {
    let equal = |kinds: &[Kind]| {
        let fold = |text: &str| {
            let folded = Folded::without(text, kinds).text;
            folded.trim_matches(is_ecma_space).to_owned()
        };
        fold(meant) == fold(quote)
    };
    if equal(&[]) {
        return Vec::new();
    }
    if let Some(kind) = Kind::ALL.iter().find(|kind| equal(&[**kind])) {
        return vec![*kind];
    }
    // Several kinds: keep those without which the others are not enough.
    let mut needed = Kind::ALL.to_vec();
    for kind in Kind::ALL {
        let others = needed.iter().filter(|other| *other != kind);
        let others: Vec<Kind> = others.copied().collect();
        if equal(&others) {
            needed = others;
        }
    }
    needed
}

/// The text that a quote was meant to copy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    kinds: Vec<Kind>,
    /// The text as it stands in the source.
    meant: String,
}

/// Longer texts are not included in a diagnostic, which has little room.
const LONGEST: usize = 600;

impl Difference {
    /// Finds the place in a source that differs from a quote only invisibly; `None` if no such place
    /// is whole words.
    pub(crate) fn find(
        source: &str,
        folded: &Folded,
        quote: &str,
        budget: &Budget,
    ) -> Result<Option<Self>, Exhausted> {
        let wanted = Folded::of(quote);
        let wanted = wanted.text.trim_matches(' ');
        if wanted.is_empty() {
            return Ok(None);
        }
        let at = match find(&folded.text, wanted, budget)? {
            QuoteMatch::At(at) => at,
            QuoteMatch::Inside(_) | QuoteMatch::Nowhere => return Ok(None),
        };
        let (first, last) = (folded.from.get(at), folded.from.get(at + wanted.len() - 1));
        let (Some((start, _)), Some((_, end))) = (first, last) else {
            return Ok(None);
        };
        let Some(meant) = source.get(*start as usize..*end as usize) else {
            return Ok(None);
        };
        Ok(Some(Self {
            kinds: kinds(meant, quote),
            meant: meant.to_owned(),
        }))
    }

    /// The difference.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        match names.as_slice() {
            [] => "white space around it".to_owned(),
            names => names.join(", "),
        }
    }

    /// Returns the text to copy as a JSON string with escapes for invisible characters; `None` if it is
    /// too long for a diagnostic.
    pub(crate) fn to_copy(&self) -> Option<String> {
        if self.meant.len() > LONGEST {
            return None;
        }
        let normal_form = self.kinds.contains(&Kind::NormalForm);
        let mut out = String::from("\"");
        for c in self.meant.chars() {
            let decomposes = || {
                let mut parts = 0;
                decompose_canonical(c, |_| parts += 1);
                parts > 1
            };
            match c {
                '"' | '\\' => {
                    out.push('\\');
                    out.push(c);
                }
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control()
                    || is_invisible(c)
                    || (is_ecma_space(c) && c != ' ')
                    || (normal_form && (is_combining_mark(c) || decomposes())) =>
                {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_with_the_text_to_copy() {
        for (source, quote, names, copy) in [
            (
                "au caf\u{e9} noir",
                "cafe\u{301}",
                "Unicode normal form (NFC or NFD)",
                "\"caf\\u00e9\"",
            ),
            (
                "au cafe\u{301} noir",
                "caf\u{e9}",
                "Unicode normal form (NFC or NFD)",
                "\"cafe\\u0301\"",
            ),
            ("one\r\ntwo", "one\ntwo", "line ends", "\"one\\r\\ntwo\""),
            (
                "10\u{a0}km away",
                "10 km",
                "white space (a no-break space, a tab, how many)",
                "\"10\\u00a0km\"",
            ),
            (
                "订单，尽快",
                "订单,尽快",
                "full-width or half-width characters",
                "\"订单，尽快\"",
            ),
            (
                "订单,尽快",
                "订单，尽快",
                "full-width or half-width characters",
                "\"订单,尽快\"",
            ),
            (
                "号码１２３",
                "号码123",
                "full-width or half-width characters",
                "\"号码１２３\"",
            ),
            (
                "say “hi” now",
                "say \"hi\"",
                "the form of quotation marks, dashes or other punctuation",
                "\"say “hi”\"",
            ),
            ("a\u{200b}b", "ab", "invisible characters", "\"a\\u200bb\""),
            (
                "Order NOW",
                "order now",
                "capital and small letters",
                "\"Order NOW\"",
            ),
            ("x", " x ", "white space around it", "\"x\""),
        ] {
            let budget = Budget::unlimited();
            let found = Difference::find(source, &Folded::of(source), quote, &budget).unwrap();
            let found = found.unwrap_or_else(|| panic!("{source:?} {quote:?}"));
            assert_eq!(found.names(), names, "{source:?} {quote:?}");
            assert_eq!(
                found.to_copy().as_deref(),
                Some(copy),
                "{source:?} {quote:?}"
            );
        }
    }

    #[test]
    fn other_texts_are_no_difference() {
        for (source, quote) in [
            ("order 12", "order 13"),
            ("abc", "b"),
            ("a", " "),
            ("", "x"),
        ] {
            let budget = Budget::unlimited();
            let found = Difference::find(source, &Folded::of(source), quote, &budget).unwrap();
            assert_eq!(found, None, "{source:?} {quote:?}");
        }
    }
}
