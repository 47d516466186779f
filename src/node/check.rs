//! Candidates that a test writes, taken through the pipeline at once and without an executor.

use std::sync::Arc;

use napi_derive::napi;

use super::error_whole;
use super::intent::NativeIntent;
use super::request::{Unread, raw_request};
use crate::budget::Budget;
use crate::error::IntentError;
use crate::materials::Materials;
use crate::pipeline::{Pipeline, Transition};
use crate::request::Request;

/// Gives an instance's pipeline these candidates, one after the other, as JSON: `{ asked }`, the payload
/// of the question that follows; `{ result }`; or `{ error }`, with `{ answered }`, how many candidates
/// were taken before it.
///
/// It runs on the calling thread, whatever it takes: who calls it waits for the outcome.
#[napi(catch_unwind)]
#[must_use]
pub fn check_candidates(
    intent: &NativeIntent,
    parts: String,
    unread: Option<Vec<Unread>>,
    candidates: Vec<String>,
) -> String {
    match checked(intent, raw_request(&parts, unread).into(), &candidates) {
        Ok(outcome) => outcome,
        Err((error, answered)) => {
            format!(
                r#"{{"error":{},"answered":{answered}}}"#,
                error_whole(&error)
            )
        }
    }
}

fn checked(
    intent: &NativeIntent,
    request: Request,
    candidates: &[String],
) -> Result<String, (IntentError, usize)> {
    let first = |error| (error, 0);
    let definition = Arc::clone(intent.intent().definition());
    let materials = Materials::new(&definition, request).map_err(first)?;
    let (mut pipeline, mut question) = Pipeline::start(definition, materials).map_err(first)?;
    for (answered, text) in candidates.iter().enumerate() {
        let transition = pipeline
            .accept_candidate(text, &Budget::unlimited())
            .unwrap_or_else(|_| Transition::Failed(pipeline.exhausted()));
        match transition {
            Transition::Ask(next, request) => (pipeline, question) = (next, request),
            Transition::Done(result) => return Ok(format!(r#"{{"result":{}}}"#, result.to_json())),
            Transition::Failed(error) => return Err((error, answered)),
        }
    }
    Ok(format!(r#"{{"asked":{}}}"#, question.payload))
}
