//! Evidence in results: places in UTF-16, so that `source.slice(start, end) === quote` in
//! JavaScript.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::Quote;
use super::whole_words::count;
use crate::budget::{Budget, Exhausted};
use crate::error::codes;
use crate::json::Sink;
use crate::materials::Materials;

codes! {
    /// The relation of a value to its quotes.
    EvidenceMode {
        /// It equals a quote, to the letter.
        Exact = "exact",
        /// It is put in other words, and bound by the rules of its level.
        Semantic = "semantic",
    }
}

/// The sources of one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceEntry {
    /// The value, by JSON Pointer from `/data`.
    pub path: String,
    /// The relation to its quotes.
    pub mode: EvidenceMode,
    /// The quotes and where they stand; at least one.
    pub spans: Vec<EvidenceSpan>,
}

/// A quote and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceSpan {
    /// `input`, or `context:<number>`.
    pub source: Cow<'static, str>,
    /// The start of its first place as whole words, in UTF-16 code units.
    pub start: usize,
    /// The end of that place.
    pub end: usize,
    /// The text of the place.
    pub quote: String,
    /// The number of places where the quote stands in the source as whole words, overlapping ones too.
    pub occurrences: usize,
}

/// The distance in bytes between two known UTF-16 positions.
const STRIDE: usize = 512;

/// UTF-16 positions of the bytes of a text.
struct Offsets<'t> {
    text: &'t str,
    /// The position of each byte that is a multiple of [`STRIDE`]; empty if the text is ASCII.
    known: Vec<usize>,
}

impl<'t> Offsets<'t> {
    fn of(text: &'t str) -> Self {
        let mut known = Vec::new();
        if !text.is_ascii() {
            let mut units = 0;
            for (at, byte) in text.bytes().enumerate() {
                if at.is_multiple_of(STRIDE) {
                    known.push(units);
                }
                units += begins(byte);
            }
        }
        Self { text, known }
    }

    fn at(&self, byte: usize) -> usize {
        let Some(last) = self.known.len().checked_sub(1) else {
            return byte;
        };
        // The end of the text begins no stride, even at a multiple.
        let stride = last.min(byte / STRIDE);
        let rest = self.text.as_bytes().get(stride * STRIDE..byte);
        let units = rest.unwrap_or_default().iter().copied().map(begins);
        self.known[stride] + units.sum::<usize>()
    }
}

/// The number of UTF-16 code units that begin with a byte of UTF-8.
const fn begins(byte: u8) -> usize {
    match byte {
        0x80..=0xbf => 0,
        0xf0.. => 2,
        _ => 1,
    }
}

/// Makes spans, and caches the offsets and counts that several of them need.
pub(crate) struct Spans<'a> {
    materials: &'a Materials,
    budget: &'a Budget,
    offsets: HashMap<usize, Offsets<'a>>,
    counts: HashMap<(usize, &'a str), usize>,
}

impl<'a> Spans<'a> {
    pub(crate) fn new(materials: &'a Materials, budget: &'a Budget) -> Self {
        Self {
            materials,
            budget,
            offsets: HashMap::new(),
            counts: HashMap::new(),
        }
    }

    /// Makes the entry of a value; a repeated quote has one span.
    pub(crate) fn entry(
        &mut self,
        path: &str,
        mode: EvidenceMode,
        quotes: &[Quote<'a>],
    ) -> Result<EvidenceEntry, Exhausted> {
        let mut spans = Vec::with_capacity(quotes.len());
        let mut seen = HashSet::new();
        for quote in quotes {
            self.budget.tick()?;
            let again = quotes.len() > 1 && !seen.insert((quote.source, quote.text));
            if !again && let Some(span) = self.span(quote)? {
                spans.push(span);
            }
        }
        Ok(EvidenceEntry {
            path: path.to_owned(),
            mode,
            spans,
        })
    }

    fn span(&mut self, quote: &Quote<'a>) -> Result<Option<EvidenceSpan>, Exhausted> {
        let Some(text) = self.materials.text(quote.source) else {
            return Ok(None);
        };
        // A short text is searched faster than its count is looked up.
        const SHORT: usize = 1024;
        let key = (quote.source, quote.text);
        let occurrences = if text.len() < SHORT {
            count(text, quote.text, quote.at, self.budget)?
        } else if let Some(count) = self.counts.get(&key) {
            *count
        } else {
            let found = count(text, quote.text, quote.at, self.budget)?;
            self.counts.insert(key, found);
            found
        };
        let offsets = self
            .offsets
            .entry(quote.source)
            .or_insert_with(|| Offsets::of(text));
        let start = offsets.at(quote.at);
        Ok(Some(EvidenceSpan {
            source: source_id(quote.source),
            start,
            end: start + quote.text.bytes().map(begins).sum::<usize>(),
            quote: quote.text.to_owned(),
            occurrences,
        }))
    }
}

fn source_id(source: usize) -> Cow<'static, str> {
    match source.checked_sub(1) {
        None => "input".into(),
        Some(index) => format!("context:{index}").into(),
    }
}

/// Writes a number without an allocation.
fn number(out: &mut impl Sink, mut number: usize) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        // A digit is less than ten.
        digits[at] += (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.raw(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Writes an entry as JSON.
pub(crate) fn write_entry(out: &mut impl Sink, entry: &EvidenceEntry) {
    out.raw("{\"path\":");
    out.string(&entry.path);
    out.raw(",\"mode\":");
    out.string(entry.mode.as_str());
    out.raw(",\"spans\":");
    out.list(&entry.spans, |out, span| {
        out.raw("{\"source\":");
        out.string(&span.source);
        out.raw(",\"start\":");
        number(out, span.start);
        out.raw(",\"end\":");
        number(out, span.end);
        out.raw(",\"quote\":");
        out.string(&span.quote);
        out.raw(",\"occurrences\":");
        number(out, span.occurrences);
        out.raw("}");
    });
    out.raw("}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_utf_16() {
        let mut text = String::new();
        let parts = ["a", "é", "中", "\u{1f600}", " "];
        for i in 0..3000 {
            text.push_str(parts[(i * 7 + i / 5) % parts.len()]);
        }
        for text in [
            text.as_str(),
            "plain",
            "",
            &"x".repeat(5000),
            &"中".repeat(512),
        ] {
            let offsets = Offsets::of(text);
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                assert_eq!(offsets.at(at), text[..at].encode_utf16().count(), "{at}");
            }
        }
    }
}
