//! Responses that are failures: the code by HTTP status, and the part of the body that may be shown.

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};

use super::config::ApiExecutorConfig;
use super::envelope::{error_object, utf8, word};
use super::secret::Secrets;
use super::transport::HttpResponse;
use super::{facts, remedies};
use crate::error::facts::NO_CREDIT;
use crate::error::{ErrorKind, HttpFact, IntentError};
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
    let body_error = error_object(body);
    let mut details = body_error.details(context.hidden);
    let status = response.status.as_u16();
    if !details.is_empty() {
        details = format!(" ({details})");
    }
    let endpoint = match status {
        404 | 405 => format!(" POST {}", quoted(context.path)),
        _ => String::new(),
    };
    let remedy = match status {
        400 | 422 => remedies::find(body, context.config).unwrap_or_default(),
        _ => String::new(),
    };
    let advice = match status {
        401 | 403 if context.hidden.key.is_none() => {
            "no apiKey was given (is the variable set that it comes from?)"
        }
        401 | 403 => "check apiKey and what it may use",
        429 if body_error.is(NO_CREDIT) => {
            "the account has no credit left, and waiting does not help"
        }
        429 => "wait, or check the quota, and ask again",
        404 | 405 => "check baseURL, protocol and model",
        300..=399 => "redirects are not followed, so give the final baseURL",
        _ => &remedy,
    };
    let (endpoint, details) = (&*endpoint, &*details);
    let error = ErrorKind::Status {
        status,
        endpoint,
        details,
        advice,
    }
    .error()
    .with_http(HttpFact {
        status,
        request_id: facts::request_id(&response.headers, context.hidden),
        retry_after_ms: facts::retry_after_ms(&response.headers),
        kind: word(body_error.kind, context.hidden),
        code: word(body_error.code, context.hidden),
        param: word(body_error.param, context.hidden),
    });
    // The retry flag may show the meaning of the code even if the code itself is hidden.
    if body_error.is(NO_CREDIT) {
        error.with_retryable(false)
    } else {
        error
    }
}

/// Returns the reason why the body of a 2xx response cannot be read, as far as its headers show it.
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
