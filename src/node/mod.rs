//! The Node.js addon: the only place that names napi.
//!
//! JavaScript and Rust meet in [`host::Host`], one for each environment (the main thread, each
//! worker). A call into the host runs what can run at once and returns [`events::Event`]s: "ask the
//! executor this", "here is the outcome". Rust never calls a JavaScript function but one, the
//! `notify` of the host, which asks for a drain. So whatever an executor does happens in
//! JavaScript frames, where it can be contained.
//!
//! Values cross as JSON text, read by the engine on each side: numbers stay numbers, `__proto__`
//! stays a key, and it is the faster way. Failures cross as data, too.

#![expect(
    unreachable_pub,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "what napi exports is public to JavaScript, not to Rust, and takes what napi converts to"
)]

mod api;
mod bridge;
mod check;
mod events;
mod flat;
mod host;
mod intent;
mod js_executor;
mod mcp;
mod observer;
mod queue;
mod request;
mod schema;
mod text;

use napi_derive::napi;

use crate::error::{ErrorCode, HttpFact, IntentError, Stage};

/// The version of the addon, to be compared with the package's.
#[napi(catch_unwind)]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The lists that `js/constants.js` repeats, as JSON; a test compares them.
#[napi(catch_unwind)]
#[must_use]
pub fn constants() -> String {
    use crate::{DataIssueCode, IntentAction, IntentStatus, Limits};
    let limits: serde_json::Map<_, _> = Limits::NAMES
        .iter()
        .map(|&(name, default)| (name.to_owned(), default.into()))
        .collect();
    serde_json::json!({
        "ACTIONS": IntentAction::ALL,
        "STATUSES": IntentStatus::ALL,
        "ERROR_CODES": ErrorCode::ALL,
        "DATA_ISSUE_CODES": DataIssueCode::ALL,
        "DEFAULT_LIMITS": limits,
    })
    .to_string()
}

/// Returns the parts that are the same in every request: `[core instructions, data instructions, core
/// schema]` for the full form, then the same three for the brief form.
#[napi(catch_unwind)]
#[must_use]
pub fn prompts() -> Vec<String> {
    use crate::prompt::{core_schema, instructions};
    use crate::{ProofForm, Stage};
    [ProofForm::Full, ProofForm::Brief]
        .into_iter()
        .flat_map(|form| {
            [
                instructions(Stage::Core, form).to_string(),
                instructions(Stage::Data, form).to_string(),
                core_schema(form).text.to_string(),
            ]
        })
        .collect()
}

/// JSON that `js/` wrote.
fn read_json(text: &str, code: ErrorCode) -> Result<serde_json::Value, IntentError> {
    crate::json::value(text)
        .map_err(|error| IntentError::of(code, format!("the value cannot be read: {error}.")))
}

/// An error with everything that `js/errors.js` makes of it.
fn error_whole(error: &IntentError) -> String {
    let mut json = error_json(error);
    json.pop();
    let mut add = |key: &str, value: serde_json::Result<String>| {
        if let Ok(value) = value {
            json.push_str(",\"");
            json.push_str(key);
            json.push_str("\":");
            json.push_str(&value);
        }
    };
    add("retryable", serde_json::to_string(&error.retryable()));
    if let Some(limit) = error.limit() {
        add("limit", serde_json::to_string(limit));
    }
    if !error.faults().is_empty() {
        add("faults", serde_json::to_string(error.faults()));
    }
    if let Some(http) = error.http() {
        add("http", serde_json::to_string(http));
    }
    if let Some(report) = error.report() {
        add("report", serde_json::to_string(report));
    }
    json.push('}');
    json
}

/// True if the same call may succeed later, for errors that JavaScript makes.
#[napi(catch_unwind)]
#[must_use]
pub fn is_retryable(
    code: String,
    stage: String,
    status: Option<u32>,
    http_code: Option<String>,
    http_type: Option<String>,
) -> bool {
    let (Some(code), Some(stage)) = (ErrorCode::from_text(&code), Stage::from_text(&stage)) else {
        return false;
    };
    let http = status
        .and_then(|status| u16::try_from(status).ok())
        .map(|status| HttpFact {
            status,
            code: http_code,
            kind: http_type,
            ..HttpFact::default()
        });
    crate::error::is_retryable(code, stage, http.as_ref())
}

/// The one of the known names that was most likely meant by a misspelt one.
#[napi(catch_unwind)]
#[must_use]
pub fn closest(name: String, known: Vec<String>) -> Option<String> {
    crate::text::closest(&name, known.iter().map(String::as_str)).map(str::to_owned)
}

/// An error as `toJSON()` gives it.
fn error_json(error: &IntentError) -> String {
    serde_json::to_string(error).unwrap_or_else(|_| {
        r#"{"code":"MODEL_REQUEST_FAILED","stage":"model","message":"an error could not be written.","issues":[]}"#.to_owned()
    })
}
