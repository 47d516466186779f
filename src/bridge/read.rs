//! The JSON forms of the three calls: what is read of them before anything is looked up.
//!
//! A part of the wrong type is kept as its error until its turn in the order of checks comes.

use serde_json::{Map, Value};

use super::ledger::{Cancelled, Named};
use crate::error::IntentError;
use crate::materials::{Request, invalid, refusal};
use crate::pipeline::CancelOutcome;
use crate::text::quoted;

/// UTF-8 bytes of the detail of a cancellation at most.
const MAX_DETAIL_BYTES: usize = 2048;

/// `{ instance, input, fields?, context? }`
pub(super) fn prepare(value: Value) -> Result<(Result<String, IntentError>, Request), IntentError> {
    let mut parts = object(value)?;
    let instance = text(parts.shift_remove("instance"), "instance");
    Ok((instance, Request::from_value(Value::Object(parts))?))
}

/// A submission whose candidate is not looked at yet.
pub(super) struct Accept {
    /// What is wrong with the request as a whole.
    pub(super) shape: Result<(), IntentError>,
    pub(super) job_id: Option<String>,
    pub(super) step_token: Result<String, IntentError>,
    pub(super) candidate: Result<String, IntentError>,
}

/// `{ jobId, stepToken, candidateText }`
pub(super) fn accept(value: Value) -> Accept {
    let (shape, mut parts) = about_a_job(value);
    let accept = Accept {
        shape: Ok(()),
        job_id: text(parts.shift_remove("jobId"), "jobId").ok(),
        step_token: text(parts.shift_remove("stepToken"), "stepToken"),
        candidate: text(parts.shift_remove("candidateText"), "candidateText"),
    };
    let shape = shape.and_then(|()| nothing_else(&parts));
    Accept { shape, ..accept }
}

/// A cancellation.
pub(super) struct Cancel {
    /// What is wrong with the request as a whole.
    pub(super) shape: Result<(), IntentError>,
    pub(super) job_id: Option<String>,
    pub(super) outcome: Result<CancelOutcome, IntentError>,
    pub(super) detail: Result<Option<String>, IntentError>,
}

/// `{ jobId, outcome?, detail? }`
pub(super) fn cancel(value: Value) -> Cancel {
    let (shape, mut parts) = about_a_job(value);
    let job_id = text(parts.shift_remove("jobId"), "jobId").ok();
    let outcome = match parts.shift_remove("outcome") {
        None => Ok(CancelOutcome::Aborted),
        Some(value) => match value.as_str() {
            Some("cancelled") => Ok(CancelOutcome::Aborted),
            Some("refusal") => Ok(CancelOutcome::Refusal),
            Some("incomplete") => Ok(CancelOutcome::Incomplete),
            Some(other) => Err(invalid(format!("{OUTCOME_RULE}, got {}.", quoted(other)))),
            None => Err(invalid(refusal(Some(&value), OUTCOME_RULE))),
        },
    };
    let detail = match parts.shift_remove("detail") {
        None => Ok(None),
        Some(detail) => text(Some(detail), "detail").map(Some),
    };
    let shape = shape.and_then(|()| nothing_else(&parts));
    Cancel {
        shape,
        job_id,
        outcome,
        detail,
    }
}

const OUTCOME_RULE: &str = "outcome must be \"cancelled\", \"refusal\" or \"incomplete\"";

impl Cancel {
    pub(super) fn read(&self) -> Cancelled<'_> {
        let detail = self.detail.as_ref().map(Option::as_deref);
        Cancelled {
            shape: self.shape.clone(),
            ..cancelled(
                self.job_id.as_deref(),
                self.outcome.clone(),
                detail.map_err(Clone::clone),
            )
        }
    }
}

pub(super) fn cancelled<'a>(
    job_id: Option<&str>,
    outcome: Result<CancelOutcome, IntentError>,
    detail: Result<Option<&'a str>, IntentError>,
) -> Cancelled<'a> {
    let how = outcome.and_then(|outcome| {
        let detail = detail?;
        match detail.map(str::len) {
            Some(bytes) if bytes > MAX_DETAIL_BYTES => Err(invalid(format!(
                "detail must be of at most {MAX_DETAIL_BYTES} UTF-8 bytes, got {bytes}."
            ))),
            _ => Ok((outcome, detail)),
        }
    });
    Cancelled {
        shape: Ok(()),
        job: Named::read(job_id),
        how,
    }
}

/// The parts of a request about a job, and what is wrong with it as a whole: the job is read all the
/// same, for the reply to tell what became of it.
fn about_a_job(value: Value) -> (Result<(), IntentError>, Map<String, Value>) {
    match value {
        Value::Object(mut parts) => match parts.shift_remove("$invalid") {
            Some(Value::String(message)) => (Err(invalid(message)), parts),
            Some(other) => {
                parts.insert("$invalid".to_owned(), other);
                (Ok(()), parts)
            }
            None => (Ok(()), parts),
        },
        other => (object(other).map(drop), Map::new()),
    }
}

/// The parts of a request. What could not be put into JSON stands as `{ "$invalid": "message" }`.
fn object(value: Value) -> Result<Map<String, Value>, IntentError> {
    match value {
        Value::Object(parts) if !matches!(parts.get("$invalid"), Some(Value::String(_))) => {
            Ok(parts)
        }
        other => Err(invalid(refusal(
            Some(&other),
            "the request must be an object",
        ))),
    }
}

fn text(value: Option<Value>, name: &str) -> Result<String, IntentError> {
    match value {
        Some(Value::String(text)) => Ok(text),
        other => Err(invalid(refusal(
            other.as_ref(),
            &format!("{name} must be a string"),
        ))),
    }
}

fn nothing_else(parts: &Map<String, Value>) -> Result<(), IntentError> {
    match parts.keys().next() {
        Some(key) => Err(invalid(format!("unknown request key {}.", quoted(key)))),
        None => Ok(()),
    }
}
