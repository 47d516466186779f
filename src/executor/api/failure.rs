//! Responses that are failures: the code by HTTP status, and what may be told of the body.

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};

use super::config::ApiExecutorConfig;
use super::envelope::{error_object, utf8, word};
use super::secret::Secrets;
use super::transport::HttpResponse;
use super::{facts, mends};
use crate::error::{ErrorCode, HttpFact, IntentError};
use crate::text::quoted;

/// The request that failed, for messages.
pub(super) struct FailureContext<'a> {
    pub(super) config: &'a ApiExecutorConfig,
    pub(super) path: &'a str,
    pub(super) hidden: Secrets<'a>,
}

/// The error for a status other than 2xx.
pub(super) fn of_status(response: &HttpResponse, context: &FailureContext<'_>) -> IntentError {
    let body = utf8(&response.body).unwrap_or_default();
    let told = error_object(body);
    let words = told.words(context.hidden);
    let status = response.status.as_u16();
    let words = if words.is_empty() {
        words
    } else {
        format!(" ({words})")
    };
    let (what, advice) = match status {
        401 | 403 if context.hidden.key.is_none() => (
            String::new(),
            Some("no apiKey was given (is the variable set that it comes from?)".to_owned()),
        ),
        401 | 403 => (
            String::new(),
            Some("check apiKey and what it may use".to_owned()),
        ),
        429 if told.is(NO_CREDIT) => (
            String::new(),
            Some("the account has no credit left, and waiting does not help".to_owned()),
        ),
        429 => (
            String::new(),
            Some("wait, or check the quota, and ask again".to_owned()),
        ),
        404 | 405 => (
            format!(" POST {}", quoted(context.path)),
            Some("check baseURL, protocol and model".to_owned()),
        ),
        300..=399 => (
            String::new(),
            Some("redirects are not followed, so give the final baseURL".to_owned()),
        ),
        400 | 422 => (String::new(), mends::of(body, context.config)),
        _ => (String::new(), None),
    };
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    let code = match status {
        401 | 403 => ErrorCode::ModelAuthFailed,
        429 => ErrorCode::ModelRateLimited,
        _ => ErrorCode::ModelRequestFailed,
    };
    let error = IntentError::of(
        code,
        format!("The service answered{what} with HTTP {status}{words}{advice}."),
    )
    .with_http(HttpFact {
        status,
        request_id: facts::request_id(&response.headers, context.hidden),
        retry_after_ms: facts::retry_after_ms(&response.headers),
        kind: word(told.kind, context.hidden),
        code: word(told.code, context.hidden),
        param: word(told.param, context.hidden),
    });
    // The word itself may be hidden; what it means is not.
    if told.is(NO_CREDIT) {
        error.with_retryable(false)
    } else {
        error
    }
}

/// An account without credit.
const NO_CREDIT: &str = "insufficient_quota";

/// Why the body of a 2xx response cannot be read, as far as its headers tell.
pub(super) fn unreadable(response: &HttpResponse) -> Option<String> {
    let status = response.status.as_u16();
    let encoding = response.header(CONTENT_ENCODING).to_ascii_lowercase();
    let kind = response.header(CONTENT_TYPE).to_ascii_lowercase();
    if response.body.is_empty() {
        Some(format!("has no body (HTTP {status})"))
    } else if !encoding.is_empty() && !matches!(&*encoding, "identity" | "gzip" | "x-gzip") {
        Some("has a content-encoding that was not asked for".to_owned())
    } else if kind.starts_with("text/event-stream") {
        Some("is an event stream, and none was asked for".to_owned())
    } else if kind.starts_with("text/html") {
        Some("is an HTML page; check baseURL".to_owned())
    } else {
        None
    }
}
