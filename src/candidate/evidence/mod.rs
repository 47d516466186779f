//! Evidence: the rules that bind a value to quotes, and the places of the quotes.
//!
//! | rule | place |
//! |---|---|
//! | the places of a quote as whole words | `whole_words` |
//! | the difference of a quote that almost matches | `difference` |
//! | the numbers in a text | `numerals` |
//! | the runs of digits in a quote | `digits` |
//! | the level of a value, the sources that may give values | `policy` |
//! | the binding of a value to its quotes | `bind` |
//! | values that occur only in excluded sources | `excluded` |
//! | places as UTF-16 spans | `spans` |
//!
//! The page `docs/evidence.md` describes these rules for users.

mod bind;
mod difference;
mod digits;
mod excluded;
mod numerals;
mod policy;
mod spans;
mod whole_words;

pub(crate) use bind::{Binder, Unbound, has_number};
pub(crate) use difference::{Difference, Folded};
pub use policy::{EvidenceLevel, EvidencePolicy, EvidenceSource};
pub(crate) use policy::{Policy, Rule};
pub use spans::{EvidenceEntry, EvidenceMode, EvidenceSpan};
pub(crate) use spans::{Spans, write_entry};
pub(crate) use whole_words::{QuoteMatch, find, has_letter_or_digit};

/// A quote that stands in a source as whole words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote<'a> {
    /// The number of the source: 0 is the input, then the context in order.
    pub(crate) source: usize,
    pub(crate) text: &'a str,
    /// The byte offset of its first place.
    pub(crate) at: usize,
}
