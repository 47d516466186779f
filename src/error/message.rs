//! Parts of messages.

use std::fmt::{self, Display, Formatter};

use crate::limits::Limit;
use crate::text::{closest, is_blank, quoted};

/// The most UTF-8 bytes of the detail of a refusal or a cancellation.
pub(crate) const MAX_DETAIL_BYTES: usize = 2048;

/// A message lists the known keys of an object only up to this number.
const MOST_KEYS: usize = 11;

/// Returns `: ` and the detail, or a full stop if there is none.
pub(super) fn detail(detail: Option<&str>) -> String {
    match detail.filter(|detail| !is_blank(detail)) {
        Some(detail) => format!(
            ": {}",
            &detail[..detail.floor_char_boundary(MAX_DETAIL_BYTES)]
        ),
        None => ".".to_owned(),
    }
}

/// Ends a sentence with the name that was most likely meant.
pub(super) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || ".".to_owned(),
        |name| format!("; did you mean {}?", quoted(name)),
    )
}

/// Ends a sentence with the key that was most likely meant, or with all known keys.
pub(super) fn key_suggestion(key: &str, known: &[&str]) -> String {
    match closest(key, known.iter().copied()) {
        Some(near) => format!(" (did you mean {}?).", quoted(near)),
        None if known.len() <= MOST_KEYS => format!("; it takes {}.", known.join(", ")),
        None => ".".to_owned(),
    }
}

/// Returns `; ` and the advice; empty for none.
pub(super) fn advice_clause(advice: &str) -> String {
    let semicolon = if advice.is_empty() { "" } else { "; " };
    format!("{semicolon}{advice}")
}

/// Returns a note on the number of faults besides the one that is shown; empty for none.
pub(super) fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(" (and {more} more; error.faults lists them)"),
    }
}

/// Lists names; `more` adds `...` for those left out.
pub(super) fn name_list(names: &[&str], more: bool) -> String {
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    names.join(", ") + if more { ", ..." } else { "" }
}

pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `"a", "b" or "c"`.
pub(super) struct OneOf<'a>(pub(super) &'a [&'a str]);

impl Display for OneOf<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let last = self.0.len().saturating_sub(1);
        for (i, text) in self.0.iter().enumerate() {
            f.write_str(match i {
                0 => "",
                i if i == last => " or ",
                _ => ", ",
            })?;
            f.write_str(&quoted(text))?;
        }
        Ok(())
    }
}

/// An amount that exceeds a limit.
pub(super) struct LimitExcess<'a> {
    pub(super) limit: Limit,
    pub(super) max: u64,
    pub(super) actual: Option<u64>,
    pub(super) place: Option<&'a str>,
}

impl Display for LimitExcess<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (what, unit, fix) = limit_words(self.limit);
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(what)?;
        if let Some(actual) = self.actual {
            write!(f, " of {actual} {unit}")?;
        }
        let (name, max) = (self.limit.name(), self.max);
        write!(
            f,
            " exceeds limits.{name} ({max}); {fix}, or raise the limit."
        )
    }
}

/// Returns the thing that a limit counts, the unit of its figure, and the remedy besides a higher
/// limit.
const fn limit_words(limit: Limit) -> (&'static str, &'static str, &'static str) {
    use Limit as L;
    match limit {
        L::InputBytes => ("The input", "bytes", "shorten it"),
        L::ContextBytes => ("The context", "bytes", "shorten it"),
        L::ContextMessages => ("The context", "messages", "leave older ones out"),
        L::SchemaBytes => ("The schema", "bytes", "use a smaller one"),
        L::SchemaDepth => ("The nesting of schemas", "levels", "use a flatter schema"),
        L::SchemaProperties => ("The number of properties", "", "use a smaller schema"),
        L::RequestBytes => (
            "The question",
            "bytes",
            "give less context, or fewer fields",
        ),
        L::OutputBytes => ("The candidate", "bytes", "ask for fewer fields"),
        L::CandidateDepth => (
            "The nesting of the candidate",
            "levels",
            "use a flatter schema",
        ),
        L::CandidateNodes => (
            "The number of values in the candidate",
            "",
            "ask for fewer fields",
        ),
        L::IntentCount => ("The candidate", "intents", "shorten the input"),
        L::EvidenceEntries => (
            "The candidate",
            "entries of evidence",
            "ask for fewer fields",
        ),
        L::IssueCount => ("The candidate", "issues", "ask for fewer fields"),
        L::ValidationMs => (
            "The time to check the candidate",
            "ms",
            "use a simpler schema",
        ),
        L::ValidationQueueEntries => (
            "The number of checks waiting or running",
            "",
            "try again later",
        ),
        L::ConcurrentParses | L::QueuedParses => ("The number of parses", "", "try again later"),
        L::SchemaCacheEntries => ("The number of selections", "", "select fewer fields"),
    }
}
