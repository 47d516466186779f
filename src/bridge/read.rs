//! The JSON forms of the three calls: what is read of them before anything is looked up.
//!
//! A part of the wrong type is kept as its error until its turn in the order of checks comes.

use serde_json::{Map, Value};

use super::job::read_id;
use super::ledger::Cancelled;
use crate::error::IntentError;
use crate::materials::{Request, invalid, refusal};
use crate::pipeline::GaveUp;
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
    pub(super) job_id: Option<String>,
    pub(super) step_token: Result<String, IntentError>,
    pub(super) candidate: Result<String, IntentError>,
}

/// `{ jobId, stepToken, candidateText }`
pub(super) fn accept(value: Value) -> Result<Accept, IntentError> {
    let mut parts = object(value)?;
    let accept = Accept {
        job_id: text(parts.shift_remove("jobId"), "jobId").ok(),
        step_token: text(parts.shift_remove("stepToken"), "stepToken"),
        candidate: text(parts.shift_remove("candidateText"), "candidateText"),
    };
    nothing_else(&parts)?;
    Ok(accept)
}

/// A cancellation.
pub(super) struct Cancel {
    pub(super) job_id: Option<String>,
    pub(super) outcome: Result<GaveUp, IntentError>,
    pub(super) detail: Result<Option<String>, IntentError>,
}

/// `{ jobId, outcome?, detail? }`
pub(super) fn cancel(value: Value) -> Result<Cancel, IntentError> {
    let mut parts = object(value)?;
    let job_id = text(parts.shift_remove("jobId"), "jobId").ok();
    let outcome = match parts.shift_remove("outcome") {
        None => Ok(GaveUp::Aborted),
        Some(value) => match value.as_str() {
            Some("cancelled") => Ok(GaveUp::Aborted),
            Some("refusal") => Ok(GaveUp::Refusal),
            Some("incomplete") => Ok(GaveUp::Incomplete),
            Some(other) => Err(invalid(format!("{OUTCOME_RULE}, got {}.", quoted(other)))),
            None => Err(invalid(refusal(Some(&value), OUTCOME_RULE))),
        },
    };
    let detail = match parts.shift_remove("detail") {
        None => Ok(None),
        Some(detail) => text(Some(detail), "detail").map(Some),
    };
    nothing_else(&parts)?;
    Ok(Cancel {
        job_id,
        outcome,
        detail,
    })
}

const OUTCOME_RULE: &str = "outcome must be \"cancelled\", \"refusal\" or \"incomplete\"";

impl Cancel {
    pub(super) fn read(&self) -> Cancelled<'_> {
        cancelled(
            self.job_id.as_deref(),
            self.outcome.clone(),
            self.detail
                .as_ref()
                .map(Option::as_deref)
                .map_err(Clone::clone),
        )
    }
}

pub(super) fn cancelled<'a>(
    job_id: Option<&str>,
    outcome: Result<GaveUp, IntentError>,
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
        job: job_id.and_then(read_id),
        how,
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
