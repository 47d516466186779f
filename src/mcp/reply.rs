//! Replies of the Bridge as tool results: one text item with the whole reply as JSON, the same
//! reply as `structuredContent`, and `isError` for the kind `error`.

use rmcp::model::CallToolResult;
use serde_json::Value;

use crate::bridge::{BridgeReply, JobStatus};
use crate::error::{ErrorKind, IntentError, InvalidArgument};

/// The tool result of a reply.
pub(super) fn tool_result(reply: Value) -> CallToolResult {
    if reply.get("kind").is_some_and(|kind| kind == "error") {
        CallToolResult::structured_error(reply)
    } else {
        CallToolResult::structured(reply)
    }
}

/// The JSON of a reply.
pub(super) fn to_json(reply: &BridgeReply) -> Value {
    // A schema inside it is text, which `to_value` reads to a depth of 128 only.
    let by_text = || crate::json::value(&serde_json::to_string(reply).ok()?).ok();
    serde_json::to_value(reply)
        .ok()
        .or_else(by_text)
        .unwrap_or_default()
}

/// Returns the reply for an error, in the Bridge's form; `job` if the call concerns a job.
pub(super) fn error_reply(error: IntentError, job: Option<JobStatus>) -> Value {
    to_json(&BridgeReply::Error { error, job })
}

/// Returns the reply to a call that does not match the schema of a tool.
pub(super) fn invalid(message: impl Into<String>, job: Option<JobStatus>) -> Value {
    let error = ErrorKind::Input(InvalidArgument::Rule(&message.into())).error();
    error_reply(error, job)
}
