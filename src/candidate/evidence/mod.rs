//! Evidence: what binds a value to what was said, and where that stands.
//!
//! | rule | place |
//! |---|---|
//! | where a quote stands as whole words | `whole_words` |
//! | what a near miss differs by | `difference` |
//! | which numbers a text says | `numerals` |
//! | which runs of digits a quote holds | `digits` |
//! | which level a value has, which sources may give values | `policy` |
//! | whether a value is bound to its quotes | `bind` |
//! | whether only sources that may not give it hold a value | `elsewhere` |
//! | places as UTF-16 spans | `spans` |
//!
//! The page `docs/evidence.md` describes these rules for users.

mod bind;
mod difference;
mod digits;
mod elsewhere;
mod numerals;
mod policy;
mod spans;
mod whole_words;

pub(crate) use bind::{Binder, Unbound, says_number};
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
    /// The byte of its first place.
    pub(crate) at: usize,
}
