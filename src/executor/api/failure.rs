//! Answers that are failures: the code by HTTP status, and what may be told of the body.

use reqwest::StatusCode;

use super::envelope::{error_words, fields, object, utf8};
use super::secret::Secrets;
use super::transport::Answer;
use crate::error::{ErrorCode, IntentError};

fields! { Failure { error } }

/// The error for a status other than 2xx.
pub(super) fn of_status(answer: &Answer, hidden: Secrets<'_>) -> IntentError {
    let failure: Option<Failure<'_>> = utf8(&answer.body).ok().and_then(object);
    let words = error_words(failure.and_then(|failure| failure.error), hidden);
    let status = answer.status.as_u16();
    let (code, advice) = match answer.status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (
            ErrorCode::ModelAuthFailed,
            "; check apiKey and what it may use",
        ),
        StatusCode::TOO_MANY_REQUESTS => (
            ErrorCode::ModelRateLimited,
            "; wait, or check the quota, and ask again",
        ),
        StatusCode::NOT_FOUND => (
            ErrorCode::ModelRequestFailed,
            "; check baseURL, protocol and model",
        ),
        other if other.is_redirection() => (
            ErrorCode::ModelRequestFailed,
            "; redirects are not followed, so give the final baseURL",
        ),
        _ => (ErrorCode::ModelRequestFailed, ""),
    };
    let words = if words.is_empty() {
        words
    } else {
        format!(" ({words})")
    };
    IntentError::of(
        code,
        format!("The service answered with HTTP {status}{words}{advice}."),
    )
}

/// Why a body of a 2xx answer is none that can be read: what the headers say of it.
pub(super) fn unreadable(answer: &Answer) -> Option<String> {
    let header = |value: &Option<reqwest::header::HeaderValue>| {
        value
            .as_ref()
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let status = answer.status.as_u16();
    let encoding = header(&answer.content_encoding);
    if answer.body.is_empty() {
        Some(format!("has no body (HTTP {status})"))
    } else if !encoding.is_empty() && encoding != "identity" {
        Some("has a content-encoding that was not asked for".to_owned())
    } else if header(&answer.content_type).starts_with("text/event-stream") {
        Some("is an event stream, and none was asked for".to_owned())
    } else if header(&answer.content_type).starts_with("text/html") {
        Some("is an HTML page; check baseURL".to_owned())
    } else {
        None
    }
}
