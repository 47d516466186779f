//! The text of every error, from its facts: what is wrong, where, what came instead, and how to
//! mend it. Each is a sentence with a full stop.

use std::fmt::{self, Display, Formatter};

use super::kind::{BridgeFault, ErrorKind, Fault, Got, Must};
use crate::limits::{Limit, MAX_SAFE_INTEGER};
use crate::pipeline::GaveUp;
use crate::schema::closest;
use crate::text::{is_blank, kind, quoted};

/// UTF-8 bytes of a model's own words at most.
const MAX_DETAIL_BYTES: usize = 2048;

/// An object with more keys than these does not list them.
const MOST_KEYS: usize = 11;

impl Display for ErrorKind<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Config(ref fault) | Self::Input(ref fault) => fault.fmt(f),
            Self::UnknownField {
                name, any: false, ..
            } => write!(
                f,
                "fields names {}, but the instance has no schema with fields; give it a schema, or leave out fields.",
                quoted(name)
            ),
            Self::UnknownField { name, nearest, .. } => {
                write!(
                    f,
                    "fields names {}, which the schema does not define",
                    quoted(name)
                )?;
                match nearest {
                    Some(near) => write!(f, "; did you mean {}?", quoted(near)),
                    None => f.write_str("."),
                }
            }
            Self::Limit {
                limit,
                max,
                actual,
                place,
            } => {
                if let Some(place) = place {
                    write!(f, "{place}: ")?;
                }
                let (what, unit, mend) = counted(limit);
                f.write_str(what)?;
                if let Some(actual) = actual {
                    write!(f, " of {actual} {unit}")?;
                }
                write!(
                    f,
                    " exceeds limits.{} ({max}); {mend}, or raise the limit.",
                    limit.name()
                )
            }
            Self::Busy {
                running,
                waiting: 0,
            } => write!(
                f,
                "The number of parses running exceeds limits.maxConcurrentParses ({running}); raise it, or let \
                 parses wait for a slot: limits.maxQueuedParses (0)."
            ),
            Self::Busy { running, waiting } => write!(
                f,
                "The number of parses waiting for a slot exceeds limits.maxQueuedParses ({waiting}), while \
                 limits.maxConcurrentParses ({running}) are running; raise one of them, or try again later."
            ),
            Self::NoExecutor => f.write_str(
                "parse needs an executor; pass one to the constructor, or use a Bridge.",
            ),
            Self::Disposed => f.write_str("The instance was disposed; create a new one."),
            Self::Deadline { ms, running: None } => write!(
                f,
                "The recognition did not end within timeoutMs ({ms}); allow more time, or ask a faster model."
            ),
            Self::Deadline {
                ms,
                running: Some(running),
            } => write!(
                f,
                "The recognition waited for a slot until timeoutMs ({ms}) had passed; \
                 limits.maxConcurrentParses ({running}) were running."
            ),
            Self::GaveUp { how, detail } => {
                f.write_str(match how {
                    GaveUp::Aborted => "The recognition was cancelled",
                    GaveUp::Refusal => "The model refused",
                    GaveUp::Incomplete => "The model's output is incomplete",
                })?;
                match detail.filter(|detail| !is_blank(detail)) {
                    Some(detail) => {
                        write!(
                            f,
                            ": {}",
                            &detail[..detail.floor_char_boundary(MAX_DETAIL_BYTES)]
                        )
                    }
                    None => f.write_str("."),
                }
            }
            Self::Unsettled { issues } => {
                let s = if issues == 1 { "" } else { "s" };
                write!(
                    f,
                    "The fields could not be extracted: {issues} issue{s} to settle, see issues."
                )
            }
            Self::Bridge(ref fault) => fault.fmt(f),
            Self::NoThread => f.write_str(
                "The system gives no thread to check the candidate; try again when the machine has \
                 threads and memory to spare.",
            ),
            Self::Internal(what) => write!(
                f,
                "A fault inside intent-runtime ended {what}; please report it."
            ),
        }
    }
}

impl Display for Fault<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Value { name, must, got } => write!(f, "{name} must be {must}, got {got}."),
            Self::UnknownKey { of, key, known } => {
                write!(f, "{of}: unknown key {}", quoted(key))?;
                match closest(key, known.iter().copied()) {
                    Some(near) => write!(f, " (did you mean {}?).", quoted(near)),
                    None if known.len() <= MOST_KEYS => {
                        write!(f, "; it takes {}.", known.join(", "))
                    }
                    None => f.write_str("."),
                }
            }
            Self::Rule(rule) => rule.fmt(f),
        }
    }
}

impl Display for BridgeFault<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Closed { what } => {
                write!(
                    f,
                    "The {what} is closed, and its jobs are gone; open a new one."
                )
            }
            Self::NoJob => f.write_str(
                "This session has no such job; it may have gone with its session or bridge, or to \
                 make room. Prepare it again.",
            ),
            Self::Expired { ms } => write!(
                f,
                "The job was idle for longer than jobTtlMs ({ms}); prepare it again."
            ),
            Self::Ended => {
                f.write_str("The job has ended; cancel tells its outcome, prepare begins another.")
            }
            Self::OtherStep => f.write_str(
                "stepToken is not that of the job's present step; take it from the last task.",
            ),
            Self::OtherCandidate => f.write_str(
                "stepToken was used with another candidate; only the same text to the byte is the \
                 same submission.",
            ),
            Self::Checking => {
                f.write_str("Another candidate of this step is being checked; wait for its reply.")
            }
            Self::MaxJobs { max, oldest: [] } => write!(
                f,
                "As many jobs are active as maxJobs ({max}) allows; all of them belong to other sessions."
            ),
            Self::MaxJobs { max, oldest } => write!(
                f,
                "As many jobs are active as maxJobs ({max}) allows; cancel what is no longer needed; the \
                 oldest of this session: {}.",
                oldest.join(", ")
            ),
            Self::MaxReplayEntries { max } => write!(
                f,
                "As many jobs are active as maxReplayEntries ({max}) allows records; cancel what is no \
                 longer needed."
            ),
            Self::MaxReplayBytes { max, bytes } => write!(
                f,
                "The record of this job would count {bytes} bytes, which with the other active jobs \
                 exceeds maxReplayBytes ({max}); the call changed nothing."
            ),
            Self::NoInstance { name, names, more } => {
                let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
                let more = if more { ", ..." } else { "" };
                let (name, names) = (quoted(name), names.join(", "));
                write!(
                    f,
                    "The bridge has no instance {name}; it has {names}{more}."
                )
            }
            Self::NoRandom(error) => write!(f, "The system gives no random bytes: {error}."),
        }
    }
}

impl Display for Must<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Be(words) => f.write_str(words),
            Self::Integer { least: 0, most: 1 } => f.write_str("0 or 1"),
            Self::Integer {
                least: 0,
                most: MAX_SAFE_INTEGER,
            } => f.write_str("0 or a positive safe integer"),
            Self::Integer {
                most: MAX_SAFE_INTEGER,
                ..
            } => f.write_str("a positive safe integer"),
            Self::Integer { least, most } => write!(f, "an integer from {least} to {most}"),
            Self::OneOf([first @ .., last]) if !first.is_empty() => {
                let first: Vec<_> = first.iter().map(|text| quoted(text)).collect();
                write!(f, "{} or {}", first.join(", "), quoted(last))
            }
            Self::OneOf(texts) => f.write_str(&quoted(&texts.concat())),
        }
    }
}

impl Display for Got<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nothing => f.write_str("nothing"),
            Self::Type(value) => f.write_str(kind(value)),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::OtherText => f.write_str("another text"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// What a limit counts, the unit of its figure, and what helps besides a higher limit.
const fn counted(limit: Limit) -> (&'static str, &'static str, &'static str) {
    use Limit as L;
    match limit {
        L::InputBytes => ("The input", "bytes", "shorten it"),
        L::ContextBytes => ("The context", "bytes", "shorten it"),
        L::ContextMessages => ("The context", "messages", "leave older ones out"),
        L::SchemaBytes => ("The schema", "bytes", "use a smaller one"),
        L::SchemaDepth => ("The nesting of schemas", "levels", "use a flatter schema"),
        L::SchemaProperties => (
            "The number of properties",
            "properties",
            "use a smaller schema",
        ),
        L::RequestBytes => (
            "The request to the model",
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
            "values",
            "ask for fewer fields",
        ),
        L::IntentCount => ("The candidate", "intents", "shorten the input"),
        L::EvidenceEntries => ("The candidate", "entries", "ask for fewer fields"),
        L::IssueCount => ("The candidate", "issues", "ask for fewer fields"),
        L::ValidationMs => (
            "The time to check the candidate",
            "ms",
            "use a simpler schema",
        ),
        L::ValidationQueueEntries => (
            "The number of candidates that are checked or wait for it",
            "candidates",
            "try again later",
        ),
        // `ErrorKind::Busy` says more.
        L::ConcurrentParses | L::QueuedParses => {
            ("The number of parses", "parses", "try again later")
        }
        L::SchemaCacheEntries => (
            "The number of selections",
            "selections",
            "select fewer fields",
        ),
    }
}
