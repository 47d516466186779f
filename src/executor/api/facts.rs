//! Facts in the headers of a response: the id of the request, and the time to wait.

use std::time::SystemTime;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use super::envelope::is_plain;
use super::secret::Secrets;
use crate::limits::MAX_SAFE_INTEGER;

/// The headers in which services give the id of a request for their support; the first one counts.
const REQUEST_IDS: [&str; 8] = [
    "x-request-id",
    "request-id",
    "x-requestid",
    "apim-request-id",
    "x-ms-request-id",
    "x-amzn-requestid",
    "x-goog-request-id",
    "cf-ray",
];

/// The most characters of an identifier.
const MOST: usize = 128;

/// The service's name for a request.
pub(super) fn request_id(headers: &HeaderMap, hidden: Secrets<'_>) -> Option<String> {
    REQUEST_IDS
        .iter()
        .filter_map(|name| headers.get(*name)?.to_str().ok())
        .find(|id| is_plain(id, MOST, "-_.:/=+") && !hidden.are_in(id))
        .map(str::to_owned)
}

/// The time that a service asks to wait: `retry-after-ms` as OpenAI and Azure send it, else
/// `retry-after` in seconds or as a date (RFC 9110, section 10.2.3). A date is compared with the date
/// of the answer, if it has one: the two clocks may differ.
pub(super) fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let date = |name: &str| httpdate::parse_http_date(text(name)?).ok();
    if let Some(ms) = text("retry-after-ms").and_then(|ms| milliseconds(ms, 1.0)) {
        return Some(ms);
    }
    let after = RETRY_AFTER.as_str();
    text(after)
        .and_then(|seconds| milliseconds(seconds, 1000.0))
        .or_else(|| {
            let now = date(DATE.as_str()).unwrap_or_else(SystemTime::now);
            let wait = date(after)?.duration_since(now).unwrap_or_default();
            u64::try_from(wait.as_millis()).ok()
        })
}

/// A number of some unit, `1` and `1.5` alike.
fn milliseconds(number: &str, unit: f64) -> Option<u64> {
    let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let ms = number.parse::<f64>().ok().filter(|_| plain)? * unit;
    (ms <= MAX_SAFE_INTEGER as f64).then_some(ms.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::secret::Secret;
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            let name: reqwest::header::HeaderName = name.parse().unwrap();
            (name, value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn waits() {
        let date = ("date", "Wed, 02 Dec 2026 10:00:00 GMT");
        for (pairs, ms) in [
            (vec![("retry-after", "7")], Some(7_000)),
            (vec![("retry-after", " 0 ")], Some(0)),
            (vec![("retry-after", "1.5")], Some(1_500)),
            (vec![("retry-after", "3600")], Some(3_600_000)),
            (
                vec![("retry-after-ms", "250"), ("retry-after", "1")],
                Some(250),
            ),
            (vec![("retry-after-ms", "0.2")], Some(1)),
            (
                vec![("retry-after-ms", "soon"), ("retry-after", "1")],
                Some(1_000),
            ),
            (
                vec![date, ("retry-after", "Wed, 02 Dec 2026 10:00:30 GMT")],
                Some(30_000),
            ),
            (
                vec![date, ("retry-after", "Wednesday, 02-Dec-26 10:00:01 GMT")],
                Some(1_000),
            ),
            (
                vec![date, ("retry-after", "Wed, 02 Dec 2026 09:00:00 GMT")],
                Some(0),
            ),
            (
                vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")],
                Some(0),
            ),
            (vec![("retry-after", "")], None),
            (vec![("retry-after", "-1")], None),
            (vec![("retry-after", "1e3")], None),
            (vec![("retry-after", "inf")], None),
            (vec![("retry-after", "soon")], None),
            (vec![("retry-after", "99999999999999999999")], None),
            (vec![], None),
        ] {
            assert_eq!(retry_after_ms(&headers(&pairs)), ms, "{pairs:?}");
        }
        let far = [("retry-after", "Tue, 01 Jan 2999 00:00:00 GMT")];
        assert!(retry_after_ms(&headers(&far)).is_some_and(|ms| ms > 1_000_000_000));
    }

    #[test]
    fn request_ids() {
        let key = Secret::new("sk-0123456789");
        let hidden = Secrets {
            key: Some(&key),
            headers: &[],
        };
        let long = "a".repeat(129);
        for (pairs, id) in [
            (
                vec![("x-request-id", "req_0a-1.b:c/d=+")],
                Some("req_0a-1.b:c/d=+"),
            ),
            (
                vec![("cf-ray", "8f-FRA"), ("request-id", "req_1")],
                Some("req_1"),
            ),
            (
                vec![("x-request-id", "two words"), ("cf-ray", "8f-FRA")],
                Some("8f-FRA"),
            ),
            (vec![("x-request-id", "sk-0123456789")], None),
            (vec![("x-request-id", "x-sk-0123456789-y")], None),
            (vec![("x-request-id", "")], None),
            (vec![("x-request-id", &long)], None),
            (vec![("x-request-id", "<script>")], None),
            (vec![("x-other", "req_1")], None),
        ] {
            assert_eq!(
                request_id(&headers(&pairs), hidden).as_deref(),
                id,
                "{pairs:?}"
            );
        }
    }
}
