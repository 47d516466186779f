//! Facts of an error that a program can act on beside its code: the limit that was passed, the HTTP answer of
//! a service, and whether the same call may succeed later.

use serde::{Deserialize, Serialize};

use super::{ErrorCode, Stage};

/// The limit behind `LIMIT_EXCEEDED` or `RESOURCE_LIMIT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitFact {
    /// The name of the option, such as `maxInputBytes`.
    pub name: String,
    /// Its value.
    pub max: u64,
    /// The count, if the counting went on to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<u64>,
}

/// The answer of a service that was no success. It holds no text of the body beyond short words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpFact {
    /// The HTTP status.
    pub status: u16,
    /// The service's name for the request, for its support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The time that the service asks to wait, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// `error.type` of the body.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `error.code` of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `error.param` of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
}

/// An account without credit: waiting does not help.
pub(crate) const NO_CREDIT: &str = "insufficient_quota";

/// True if the same call may succeed later, as far as code, stage and HTTP answer tell. A broken or
/// refused connection has the code of many failures that stay, so whoever met it says so
/// ([`crate::IntentError::with_retryable`]).
#[must_use]
pub fn is_retryable(code: ErrorCode, stage: Stage, http: Option<&HttpFact>) -> bool {
    match code {
        ErrorCode::ModelRateLimited => !http.is_some_and(|http| {
            [&http.code, &http.kind]
                .into_iter()
                .any(|word| word.as_deref() == Some(NO_CREDIT))
        }),
        ErrorCode::ModelRequestFailed => {
            http.is_some_and(|http| matches!(http.status, 408 | 409 | 500..=599))
        }
        // A timeout of connecting: the deadline of a recognition has the stage that it interrupted.
        ErrorCode::ModelTimeout => stage == Stage::Model,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(status: u16, code: Option<&str>, kind: Option<&str>) -> HttpFact {
        HttpFact {
            status,
            code: code.map(str::to_owned),
            kind: kind.map(str::to_owned),
            ..HttpFact::default()
        }
    }

    #[test]
    fn what_may_be_tried_again() {
        use ErrorCode as C;
        let failed = |status| {
            is_retryable(
                C::ModelRequestFailed,
                Stage::Model,
                Some(&http(status, None, None)),
            )
        };
        for status in [408, 409, 500, 502, 503, 529, 599] {
            assert!(failed(status), "{status}");
        }
        for status in [301, 400, 404, 413, 422] {
            assert!(!failed(status), "{status}");
        }
        let limited =
            |fact: Option<HttpFact>| is_retryable(C::ModelRateLimited, Stage::Model, fact.as_ref());
        assert!(limited(None));
        assert!(limited(Some(http(429, Some("rate_limit_exceeded"), None))));
        assert!(!limited(Some(http(429, Some(NO_CREDIT), None))));
        assert!(!limited(Some(http(429, None, Some(NO_CREDIT)))));
        assert!(is_retryable(C::ModelTimeout, Stage::Model, None));
        for stage in [Stage::Core, Stage::Data] {
            assert!(!is_retryable(C::ModelTimeout, stage, None), "{stage}");
        }
        for &code in C::ALL {
            if !matches!(
                code,
                C::ModelRateLimited | C::ModelRequestFailed | C::ModelTimeout
            ) {
                assert!(
                    !is_retryable(code, Stage::Model, Some(&http(503, None, None))),
                    "{code}"
                );
            }
        }
        assert!(!is_retryable(C::ModelRequestFailed, Stage::Model, None));
    }
}
