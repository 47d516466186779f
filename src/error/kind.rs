//! Why something failed, as facts. The code, the limit and the retry follow from them here; the
//! message is written in one place, `message.rs`.

use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;

use super::{ErrorCode, IntentError, Stage};
use crate::limits::Limit;
use crate::pipeline::GaveUp;

/// Why something failed. [`ErrorKind::error`] and [`ErrorKind::at`] make the error.
pub(crate) enum ErrorKind<'a> {
    /// An option is not what it must be.
    Config(Fault<'a>),
    /// A part of a request is not what it must be.
    Input(Fault<'a>),
    /// `fields` names what the schema does not define.
    UnknownField {
        name: &'a str,
        /// The field that was most likely meant.
        nearest: Option<&'a str>,
        /// Whether there is any field at all.
        any: bool,
    },
    /// More than an instance accepts.
    Limit {
        limit: Limit,
        max: u64,
        /// What was counted, where the counting went on to the end.
        actual: Option<u64>,
        /// The place in the schema.
        place: Option<&'a dyn Display>,
    },
    /// Every place for a parse is taken.
    Busy { running: u64, waiting: u64 },
    /// `parse` without an executor.
    NoExecutor,
    /// The instance was disposed.
    Disposed,
    /// `timeoutMs` passed; `running` parses held every slot where this one still waited for its own.
    Deadline { ms: u128, running: Option<u64> },
    /// The model, or who asked it, gave up.
    GaveUp {
        how: GaveUp,
        detail: Option<&'a str>,
    },
    /// The data stage ended with so many issues.
    Unsettled { issues: usize },
    /// A call of a Bridge cannot be done.
    Bridge(BridgeFault<'a>),
    /// The system gives no thread to check a candidate.
    NoThread,
    /// A fault of this package ended something.
    Internal(&'a str),
}

/// What is wrong with an option, or with a part of a request.
pub(crate) enum Fault<'a> {
    /// The type or the range.
    Value {
        name: &'a str,
        must: Must<'a>,
        got: Got<'a>,
    },
    /// A key that nobody knows, of an object that has `known` ones.
    UnknownKey {
        of: &'a str,
        key: &'a str,
        known: &'a [&'a str],
    },
    /// A rule that only this place has, as a sentence.
    Rule(&'a dyn Display),
}

/// Why a call of a Bridge cannot be done.
pub(crate) enum BridgeFault<'a> {
    /// `what`, the bridge or the session, is closed.
    Closed { what: &'a str },
    /// The session has no such job, or no longer.
    NoJob,
    /// The job was idle for longer than this.
    Expired { ms: u64 },
    /// The job has ended, and this call is for one that has not.
    Ended,
    /// The token is not that of the present step.
    OtherStep,
    /// The token was used with another candidate.
    OtherCandidate,
    /// Another candidate of the step is being checked.
    Checking,
    /// As many jobs are active as may be; `oldest` are those of the session.
    MaxJobs { max: u64, oldest: &'a [Arc<str>] },
    /// There is no record for one more job.
    MaxReplayEntries { max: u64 },
    /// The record of a job would have these bytes.
    MaxReplayBytes { max: u64, bytes: u64 },
    /// The bridge has instances of these names, of which `more` are not told.
    NoInstance {
        name: &'a str,
        names: &'a [&'a str],
        more: bool,
    },
    /// The system gives no random bytes.
    NoRandom(&'a dyn Display),
}

/// What a value must be.
#[derive(Clone, Copy)]
pub(crate) enum Must<'a> {
    /// In words, such as `a string`.
    Be(&'a str),
    /// An integer of a range.
    Integer { least: u64, most: u64 },
    /// One of these texts.
    OneOf(&'a [&'a str]),
}

/// What a value is instead.
#[derive(Clone, Copy)]
pub(crate) enum Got<'a> {
    /// It was left out.
    Nothing,
    /// The type of a value, where the value itself may be secret, long, or of no interest.
    Type(&'a Value),
    /// A text that may be shown.
    Text(&'a str),
    /// A text that may be secret.
    OtherText,
    /// A number.
    Number(&'a dyn Display),
}

impl ErrorKind<'_> {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Config(_) => ErrorCode::ConfigInvalid,
            Self::Input(_) => ErrorCode::InputInvalid,
            Self::UnknownField { .. } => ErrorCode::UnknownField,
            Self::Limit { .. } | Self::Busy { .. } => ErrorCode::LimitExceeded,
            Self::NoExecutor => ErrorCode::ExecutorNotConfigured,
            Self::Disposed => ErrorCode::InstanceDisposed,
            Self::Deadline { .. } => ErrorCode::ModelTimeout,
            Self::GaveUp { how, .. } => match how {
                GaveUp::Aborted => ErrorCode::ModelAborted,
                GaveUp::Refusal => ErrorCode::ModelRefused,
                GaveUp::Incomplete => ErrorCode::ModelOutputIncomplete,
            },
            Self::Unsettled { .. } => ErrorCode::DataExtractionFailed,
            Self::Bridge(fault) => fault.code(),
            Self::NoThread => ErrorCode::ResourceLimit,
            Self::Internal(_) => ErrorCode::ModelRequestFailed,
        }
    }

    /// The name, the value and the excess of the limit that was passed.
    const fn limit(&self) -> Option<(&'static str, u64, Option<u64>)> {
        match *self {
            Self::Limit {
                limit, max, actual, ..
            } => Some((limit.name(), max, actual)),
            Self::Busy {
                running,
                waiting: 0,
            } => Some((Limit::ConcurrentParses.name(), running, None)),
            Self::Busy { waiting, .. } => Some((Limit::QueuedParses.name(), waiting, None)),
            Self::Bridge(ref fault) => fault.limit(),
            _ => None,
        }
    }

    const fn stage(&self) -> Stage {
        match self {
            Self::Bridge(BridgeFault::NoInstance { .. }) => Stage::Input,
            Self::Bridge(_) => Stage::Bridge,
            _ => self.code().default_stage(),
        }
    }

    /// The error at its own stage.
    pub(crate) fn error(&self) -> IntentError {
        self.at(self.stage())
    }

    /// The error at a stage.
    pub(crate) fn at(&self, stage: Stage) -> IntentError {
        let error = IntentError::new(self.code(), stage, self.to_string());
        match self.limit() {
            Some((name, max, actual)) => error.with_limit(name, max, actual),
            None => error,
        }
    }
}

impl BridgeFault<'_> {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Closed { .. } | Self::NoJob => ErrorCode::BridgeJobNotFound,
            Self::Expired { .. } => ErrorCode::BridgeJobExpired,
            Self::Ended | Self::OtherStep | Self::OtherCandidate | Self::Checking => {
                ErrorCode::BridgeStepConflict
            }
            Self::MaxJobs { .. } | Self::MaxReplayEntries { .. } | Self::MaxReplayBytes { .. } => {
                ErrorCode::LimitExceeded
            }
            Self::NoInstance { .. } => ErrorCode::InputInvalid,
            Self::NoRandom(_) => ErrorCode::ModelRequestFailed,
        }
    }

    const fn limit(&self) -> Option<(&'static str, u64, Option<u64>)> {
        match *self {
            Self::MaxJobs { max, .. } => Some(("maxJobs", max, None)),
            Self::MaxReplayEntries { max } => Some(("maxReplayEntries", max, None)),
            Self::MaxReplayBytes { max, .. } => Some(("maxReplayBytes", max, None)),
            _ => None,
        }
    }
}
