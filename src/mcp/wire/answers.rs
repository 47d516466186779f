//! Answers of JSON-RPC as text.

use rmcp::model::{ErrorCode, ErrorData};
use serde::Serialize;
use serde_json::value::RawValue;

use super::message::{Called, Message};
use crate::mcp::reply;
use crate::mcp::tools::unread_job_status;

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome<R> {
    Result(R),
    Error(ErrorData),
}

/// An answer as JSON text.
pub(super) fn answer<R: Serialize>(id: Option<&RawValue>, outcome: &Outcome<R>) -> String {
    #[derive(Serialize)]
    struct Answer<'a, R> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a RawValue>,
        #[serde(flatten)]
        outcome: &'a Outcome<R>,
    }
    let answer = Answer {
        jsonrpc: "2.0",
        id,
        outcome,
    };
    serde_json::to_string(&answer).unwrap_or_default()
}

/// The answer to a refused message, as JSON text.
pub(super) fn refusal(message: Message) -> Option<String> {
    let Message::Refused { id, call, why } = message else {
        return None;
    };
    Some(if let Some(Called(tool)) = call {
        let job = unread_job_status(tool.as_deref());
        let mut result = reply::tool_result(reply::invalid(format!("{why}."), job));
        // Only revisions without a handshake know it, and they treat it as given.
        result.result_type = None;
        answer(id.as_deref(), &Outcome::Result(result))
    } else {
        let error = ErrorData::new(ErrorCode::INVALID_REQUEST, why, None);
        answer(id.as_deref(), &Outcome::<()>::Error(error))
    })
}
