//! The kinds of failures. Each has the facts of a failure; its message, code, default stage and limit
//! are derived from them.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use serde_json::{Number, Value};
use thiserror::Error;

use super::message::{
    LimitExcess, OneOf, advice_clause, and_more, detail, key_suggestion, name_list, plural,
    suggestion,
};
use super::{ErrorCode, IntentError, Stage};
use crate::json::Kind;
use crate::limits::{Limit, MAX_SAFE_INTEGER};
use crate::pipeline::CancelOutcome;
use crate::text::{quoted, shown};

/// A kind of failure with its facts. [`ErrorKind::error`] and [`ErrorKind::at_stage`] make the error.
#[derive(Debug, Error)]
#[cfg_attr(
    any(not(feature = "node"), test),
    allow(dead_code, reason = "some kinds need HTTP or JavaScript")
)]
pub(crate) enum ErrorKind<'a> {
    // Options and requests.
    #[error("{0}")]
    Config(InvalidArgument<'a>),
    #[error("{0}")]
    Input(InvalidArgument<'a>),
    #[error("{0}")]
    Schema(InvalidArgument<'a>),
    #[error("{0}; use a smaller schema.")]
    SchemaTooCostly(&'a str),
    #[error("fields names {}, which the schema does not define{}", quoted(.name), suggestion(*.nearest))]
    UnknownField {
        name: &'a str,
        nearest: Option<&'a str>,
    },
    #[error("fields names {}, but the instance has no schema with fields; give it a schema, or leave out fields.", quoted(.name))]
    NoFields { name: &'a str },

    // Limits. `actual` is the complete count; `None` if counting stopped at the limit.
    #[error("{}", LimitExcess { limit: *.limit, max: *.max, actual: *.actual, place: *.place })]
    Limit {
        limit: Limit,
        max: u64,
        actual: Option<u64>,
        place: Option<&'a str>,
    },
    #[error(
        "As many parses run as limits.maxConcurrentParses ({running}) allows; raise it, or let parses wait for a slot: limits.maxQueuedParses (0)."
    )]
    NoSlot { running: u64 },
    #[error(
        "As many parses wait for a slot as limits.maxQueuedParses ({waiting}) allows, while limits.maxConcurrentParses ({running}) run; raise one of them, or try again later."
    )]
    NoQueue { running: u64, waiting: u64 },

    // A recognition.
    #[error("parse needs an executor; pass one to the constructor, or use a Bridge.")]
    NoExecutor,
    #[error("The instance was disposed; create a new one.")]
    Disposed,
    #[error(
        "The recognition did not end within timeoutMs ({ms}); allow more time, or ask a faster model."
    )]
    Deadline { ms: u128 },
    #[error(
        "The recognition waited for a slot until timeoutMs ({ms}) had passed; limits.maxConcurrentParses ({running}) were running."
    )]
    DeadlineInQueue { ms: u128, running: u64 },
    #[error("The recognition was cancelled{}", detail(*.0))]
    Aborted(Option<&'a str>),
    #[error("The model refused{}", detail(*.0))]
    Refusal(Option<&'a str>),
    #[error("The model's output is incomplete{}", detail(*.0))]
    Incomplete(Option<&'a str>),
    #[error("The {stage} candidate is not acceptable: {}{}.", shown(.first), and_more(*.more))]
    Candidate {
        stage: Stage,
        first: &'a str,
        more: usize,
    },
    #[error("The fields could not be extracted: {} to settle, see issues.", plural(*.issues, "issue"))]
    Unsettled { issues: usize },
    #[error(
        "The system gives no thread to {0}; try again when the machine has threads and memory to spare."
    )]
    NoThread(&'a str),
    #[error("The executor {0}.")]
    Executor(&'a str),
    #[error("A fault inside intent-runtime ended {0}; please report it.")]
    Internal(&'a str),

    // A service over HTTP.
    #[error("The service answered{endpoint} with HTTP {status}{details}{}.", advice_clause(.advice))]
    Status {
        status: u16,
        endpoint: &'a str,
        details: &'a str,
        advice: &'a str,
    },
    #[error("The reply of the service {0}.")]
    Reply(&'a str),
    #[error(
        "The response of the service exceeds maxResponseBytes ({max}); look at what it sends, or raise the option."
    )]
    ResponseTooLong { max: u64 },
    #[error("The response of the service broke off: {0}.")]
    BrokeOff(&'a str),
    #[error("The connection to the service at {host} broke off before a response came: {why}.")]
    NoResponse { host: &'a str, why: &'a str },
    #[error("Could not connect to the service at {host}{proxy}: {why}.")]
    NoConnection {
        host: &'a str,
        proxy: &'a str,
        why: &'a str,
    },
    #[error("Connecting to the service at {host} took longer than {seconds} s.")]
    ConnectTimeout { host: &'a str, seconds: f64 },
    #[error("The HTTP client could not be set up: {0}.")]
    NoClient(&'a str),
    #[error("apiKey gave {0}.")]
    NoKey(&'a str),
    #[error("outputSchema cannot be sent: {0}.")]
    OutputSchema(&'a str),

    // A Bridge.
    #[error("The {what} is closed, and its jobs are gone; open a new one.")]
    BridgeClosed { what: &'a str },
    #[error("The bridge has no instance {}; it has {}.", quoted(.name), name_list(.names, *.more))]
    NoInstance {
        name: &'a str,
        names: &'a [&'a str],
        more: bool,
    },
    #[error(
        "This session has no such job; it may have gone with its session or bridge, or to make room. Prepare it again."
    )]
    NoJob,
    #[error("The job was idle for longer than jobTtlMs ({ms}); prepare it again.")]
    JobExpired { ms: u64 },
    #[error("The job has ended; cancel tells its outcome, prepare begins another.")]
    JobEnded,
    #[error("stepToken is not that of the job's present step; take it from the last task.")]
    OtherStep,
    #[error(
        "stepToken was used with another candidate; only the same text to the byte is the same submission."
    )]
    OtherCandidate,
    #[error("Another candidate of this step is being checked; wait for its reply.")]
    CandidateInCheck,
    #[error(
        "As many jobs are active as maxJobs ({max}) allows; all of them belong to other sessions."
    )]
    MaxJobsElsewhere { max: u64 },
    #[error("As many jobs are active as maxJobs ({max}) allows; cancel what is no longer needed; the oldest of this session: {}.", .oldest.join(", "))]
    MaxJobs { max: u64, oldest: &'a [Arc<str>] },
    #[error(
        "As many jobs are active as maxReplayEntries ({max}) allows records; cancel what is no longer needed."
    )]
    MaxReplayEntries { max: u64 },
    #[error(
        "The record of this job would count {bytes} bytes, which with the other active jobs exceeds maxReplayBytes ({max}); the call changed nothing."
    )]
    MaxReplayBytes { max: u64, bytes: u64 },
    #[error("The system gives no random bytes: {0}.")]
    NoRandom(getrandom::Error),
}

/// A fault of an option or of a part of a request or schema.
#[derive(Debug, Error)]
pub(crate) enum InvalidArgument<'a> {
    #[error("{name} must be {must}, got {got}.")]
    Value {
        name: &'a str,
        must: Must<'a>,
        got: Got<'a>,
    },
    #[error("{name} holds a lone surrogate, which no text can carry.")]
    Surrogate { name: &'a str },
    #[error("{of}: unknown key {}{}", quoted(.key), key_suggestion(.key, .known))]
    UnknownKey {
        of: &'a str,
        key: &'a str,
        known: &'a [&'a str],
    },
    #[error("{place}: {what}.")]
    At { place: &'a str, what: &'a str },
    /// A rule that applies only here, as a whole sentence.
    #[error("{0}")]
    Rule(&'a str),
}

/// The requirement on a value.
#[derive(Debug, Clone, Copy, Error)]
pub(crate) enum Must<'a> {
    #[error("{0}")]
    Be(&'a str),
    #[error(fmt = range)]
    Integer { least: u64, most: u64 },
    #[error("{}", OneOf(.0))]
    OneOf(&'a [&'a str]),
}

/// The given value, as a message shows it.
#[derive(Debug, Clone, Copy, Error)]
pub(crate) enum Got<'a> {
    /// The type of a value that is not shown, because it may be secret or long.
    #[error("{}", Kind::from(*.0))]
    Type(&'a Value),
    /// The kind of a value that JSON cannot carry, such as `a bigint`; `nothing` for an absent one.
    #[error("{0}")]
    Kind(&'a str),
    /// A value as JSON, truncated if it is long.
    #[error("{}", shown(&.0.to_string()))]
    Json(&'a Value),
    /// A text that may be shown.
    #[error("{}", quoted(.0))]
    Text(&'a str),
    /// A text that may be secret.
    #[error("another text")]
    OtherText,
    #[error("{0}")]
    Number(&'a Number),
    #[error("{0}")]
    Count(u64),
}

fn range(least: &u64, most: &u64, f: &mut Formatter<'_>) -> fmt::Result {
    match (*least, *most) {
        (0, 1) => f.write_str("0 or 1"),
        (0, MAX_SAFE_INTEGER) => f.write_str("0 or a positive safe integer"),
        (_, MAX_SAFE_INTEGER) => f.write_str("a positive safe integer"),
        (least, most) => write!(f, "an integer from {least} to {most}"),
    }
}

impl ErrorKind<'_> {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Config(_) => ErrorCode::ConfigInvalid,
            Self::Schema(_) => ErrorCode::SchemaUnsupported,
            Self::Input(_) | Self::NoInstance { .. } => ErrorCode::InputInvalid,
            Self::UnknownField { .. } | Self::NoFields { .. } => ErrorCode::UnknownField,
            Self::Limit { .. }
            | Self::SchemaTooCostly(_)
            | Self::NoSlot { .. }
            | Self::NoQueue { .. }
            | Self::MaxJobsElsewhere { .. }
            | Self::MaxJobs { .. }
            | Self::MaxReplayEntries { .. }
            | Self::MaxReplayBytes { .. } => ErrorCode::LimitExceeded,
            Self::NoExecutor => ErrorCode::ExecutorNotConfigured,
            Self::Disposed => ErrorCode::InstanceDisposed,
            Self::Deadline { .. } | Self::DeadlineInQueue { .. } => ErrorCode::ModelTimeout,
            Self::Aborted(_) => ErrorCode::ModelAborted,
            Self::Refusal(_) => ErrorCode::ModelRefused,
            Self::Incomplete(_) => ErrorCode::ModelOutputIncomplete,
            Self::Candidate { .. } => ErrorCode::ModelOutputInvalid,
            Self::Unsettled { .. } => ErrorCode::DataExtractionFailed,
            Self::NoThread(_) | Self::ResponseTooLong { .. } => ErrorCode::ResourceLimit,
            Self::NoKey(_)
            | Self::Status {
                status: 401 | 403, ..
            } => ErrorCode::ModelAuthFailed,
            Self::Status { status: 429, .. } => ErrorCode::ModelRateLimited,
            Self::ConnectTimeout { .. } => ErrorCode::ModelTimeout,
            Self::Internal(_)
            | Self::Executor(_)
            | Self::Status { .. }
            | Self::Reply(_)
            | Self::BrokeOff(_)
            | Self::NoResponse { .. }
            | Self::NoConnection { .. }
            | Self::NoClient(_)
            | Self::OutputSchema(_)
            | Self::NoRandom(_) => ErrorCode::ModelRequestFailed,
            Self::BridgeClosed { .. } | Self::NoJob => ErrorCode::BridgeJobNotFound,
            Self::JobExpired { .. } => ErrorCode::BridgeJobExpired,
            Self::JobEnded | Self::OtherStep | Self::OtherCandidate | Self::CandidateInCheck => {
                ErrorCode::BridgeStepConflict
            }
        }
    }

    /// The default stage.
    const fn stage(&self) -> Stage {
        match self {
            Self::SchemaTooCostly(_) => Stage::Config,
            Self::NoSlot { .. } | Self::NoQueue { .. } => Stage::Input,
            Self::MaxJobsElsewhere { .. }
            | Self::MaxJobs { .. }
            | Self::MaxReplayEntries { .. }
            | Self::MaxReplayBytes { .. }
            | Self::NoRandom(_) => Stage::Bridge,
            _ => self.code().default_stage(),
        }
    }

    /// The name, the value and the count of the limit that was exceeded.
    const fn limit(&self) -> Option<(&'static str, u64, Option<u64>)> {
        Some(match *self {
            Self::Limit {
                limit, max, actual, ..
            } => (limit.name(), max, actual),
            Self::NoSlot { running } => (Limit::ConcurrentParses.name(), running, None),
            Self::NoQueue { waiting, .. } => (Limit::QueuedParses.name(), waiting, None),
            Self::MaxJobs { max, .. } | Self::MaxJobsElsewhere { max } => ("maxJobs", max, None),
            Self::MaxReplayEntries { max } => ("maxReplayEntries", max, None),
            Self::ResponseTooLong { max } => ("maxResponseBytes", max, None),
            Self::MaxReplayBytes { max, .. } => ("maxReplayBytes", max, None),
            _ => return None,
        })
    }

    /// Makes the error at the default stage.
    pub(crate) fn error(&self) -> IntentError {
        self.at_stage(self.stage())
    }

    /// Makes the error at a given stage.
    pub(crate) fn at_stage(&self, stage: Stage) -> IntentError {
        let error = IntentError::new(self.code(), stage, self.to_string());
        match self.limit() {
            Some((name, max, actual)) => error.with_limit(name, max, actual),
            None => error,
        }
    }
}

impl<'a> From<(CancelOutcome, Option<&'a str>)> for ErrorKind<'a> {
    fn from((outcome, detail): (CancelOutcome, Option<&'a str>)) -> Self {
        match outcome {
            CancelOutcome::Aborted => Self::Aborted(detail),
            CancelOutcome::Refusal => Self::Refusal(detail),
            CancelOutcome::Incomplete => Self::Incomplete(detail),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each message with the code, the stage and the limit that follow from the same facts.
    #[test]
    fn facts_make_the_message_the_code_and_the_limit() {
        let (name, long) = ("timeoutMs", "k".repeat(1000));
        let must = Must::Integer { least: 0, most: 9 };
        let (value, number) = (json!({ "a": 1 }), Number::from(10));
        for (kind, expected) in [
            (
                ErrorKind::Config(InvalidArgument::Value {
                    name,
                    must,
                    got: Got::Number(&number),
                }),
                "CONFIG_INVALID (config): timeoutMs must be an integer from 0 to 9, got 10.",
            ),
            (
                ErrorKind::Input(InvalidArgument::Value {
                    name: "input",
                    must: Must::Be("a string"),
                    got: Got::Type(&value),
                }),
                "INPUT_INVALID (input): input must be a string, got an object.",
            ),
            (
                ErrorKind::Config(InvalidArgument::UnknownKey {
                    of: "limits",
                    key: "maxInputByte",
                    known: &["maxInputBytes"],
                }),
                "CONFIG_INVALID (config): limits: unknown key \"maxInputByte\" (did you mean \"maxInputBytes\"?).",
            ),
            (
                ErrorKind::Config(InvalidArgument::UnknownKey {
                    of: "config",
                    key: "x",
                    known: &["proof", "limits"],
                }),
                "CONFIG_INVALID (config): config: unknown key \"x\"; it takes proof, limits.",
            ),
            (
                ErrorKind::Schema(InvalidArgument::Value {
                    name: "schema.type",
                    must: Must::OneOf(&["a", "b", "c"]),
                    got: Got::Json(&value),
                }),
                "SCHEMA_UNSUPPORTED (config): schema.type must be \"a\", \"b\" or \"c\", got {\"a\":1}.",
            ),
            (
                ErrorKind::UnknownField {
                    name: "a",
                    nearest: Some("b"),
                },
                "UNKNOWN_FIELD (input): fields names \"a\", which the schema does not define; did you mean \"b\"?",
            ),
            (
                ErrorKind::Status {
                    status: 429,
                    endpoint: "",
                    details: " (code x)",
                    advice: "wait",
                },
                "MODEL_RATE_LIMITED (model): The service answered with HTTP 429 (code x); wait.",
            ),
            (
                ErrorKind::JobExpired { ms: 5 },
                "BRIDGE_JOB_EXPIRED (bridge): The job was idle for longer than jobTtlMs (5); prepare it again.",
            ),
        ] {
            assert_eq!(kind.error().to_string(), expected);
        }
        let fault = InvalidArgument::UnknownKey {
            of: "config",
            key: &long,
            known: &[],
        };
        assert!(ErrorKind::Config(fault).to_string().len() < 200);
        let (limit, max, actual, place) = (Limit::InputBytes, 3, Some(5), None);
        let error = ErrorKind::Limit {
            limit,
            max,
            actual,
            place,
        }
        .at_stage(Stage::Input);
        assert_eq!(
            error.message(),
            "The input of 5 bytes exceeds limits.maxInputBytes (3); shorten it, or raise the limit."
        );
        let fact = error.limit().unwrap();
        assert_eq!(
            (&*fact.name, fact.max, fact.actual),
            ("maxInputBytes", 3, Some(5))
        );
    }

    #[test]
    fn ranges_have_one_text() {
        for (least, most, text) in [
            (0, 1, "0 or 1"),
            (0, MAX_SAFE_INTEGER, "0 or a positive safe integer"),
            (1, MAX_SAFE_INTEGER, "a positive safe integer"),
            (1, 100, "an integer from 1 to 100"),
        ] {
            assert_eq!(Must::Integer { least, most }.to_string(), text);
        }
    }
}
