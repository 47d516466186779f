//! Errors of connections that failed or broke.

use std::error::Error;
use std::io;
use std::time::Duration;

use reqwest::Url;

use super::address::PublicAddress;
use super::tls;
use crate::error::{ErrorKind, IntentError};
use crate::text::{quoted, shown};

/// The attempt to connect that failed.
pub(super) struct Attempt<'a> {
    pub(super) endpoint: &'a Url,
    /// The variable that names the proxy.
    pub(super) proxy: Option<&'static str>,
    /// The time that connecting may take.
    pub(super) time: Duration,
    /// Faults of certificate files.
    pub(super) notes: &'a [String],
}

/// Returns the error for a failure before the response. reqwest's own text has the whole URL and
/// little of the cause.
pub(super) fn connect_error(error: &reqwest::Error, attempt: &Attempt<'_>) -> IntentError {
    if let Some(own) = causes(error).find_map(|cause| cause.downcast_ref::<IntentError>()) {
        return own.clone();
    }
    let host = quoted(attempt.endpoint.authority());
    let why = reason(error, attempt.notes);
    let (host, why) = (&*host, &*why);
    if !error.is_connect() {
        let hinted;
        let why = if attempt.endpoint.scheme() == "http" && is_no_http(error) {
            hinted = format!("{why}. Is it a port of https? That wants a baseURL of https://");
            &hinted
        } else {
            why
        };
        let kind = ErrorKind::NoResponse { host, why };
        return kind.error().with_retryable(is_broken(error));
    }
    if error.is_timeout() {
        let seconds = attempt.time.as_secs_f64();
        return ErrorKind::ConnectTimeout { host, seconds }.error();
    }
    let proxy = match attempt.proxy {
        Some(variable) => format!(" (through the proxy of {variable})"),
        None => String::new(),
    };
    let proxy = &proxy;
    let kind = ErrorKind::NoConnection { host, proxy, why };
    kind.error().with_retryable(is_broken(error))
}

/// Returns the error for a response that broke off.
pub(super) fn body_error(error: &reqwest::Error, notes: &[String]) -> IntentError {
    ErrorKind::BrokeOff(&reason(error, notes))
        .error()
        .with_retryable(is_broken(error))
}

/// The cause of an error, for people, to follow a colon.
pub(super) fn reason(error: &reqwest::Error, notes: &[String]) -> String {
    let mut deepest = String::new();
    for cause in causes(error) {
        if let Some(refused) = cause.downcast_ref::<PublicAddress>() {
            return refused.to_string();
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return tls::reason(tls, notes);
        }
        deepest = cause.to_string();
    }
    shown(&deepest).into_owned()
}

/// Returns whether a connection was refused or broke for a reason other than its content, so that
/// another attempt may succeed.
fn is_broken(error: &reqwest::Error) -> bool {
    use io::ErrorKind as E;
    let by_accident = causes(error).any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let ended = cause
            .downcast_ref::<hyper::Error>()
            .is_some_and(|error| error.is_incomplete_message() || error.is_closed());
        ended
            || matches!(
                kind,
                Some(
                    E::ConnectionRefused
                        | E::ConnectionReset
                        | E::ConnectionAborted
                        | E::NotConnected
                        | E::BrokenPipe
                        | E::UnexpectedEof
                        | E::TimedOut
                        | E::HostUnreachable
                        | E::NetworkUnreachable
                        | E::NetworkDown
                )
            )
    });
    by_accident && !causes(error).any(<dyn Error + 'static>::is::<rustls::Error>)
}

/// True if the response is not HTTP.
fn is_no_http(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
        .any(hyper::Error::is_parse)
}

/// Iterates over an error and its sources.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&cause| {
        // `source` of an I/O error passes over the error that it was made of.
        match cause.downcast_ref::<io::Error>().map(io::Error::get_ref) {
            Some(Some(inner)) => Some(inner as &(dyn Error + 'static)),
            _ => cause.source(),
        }
    })
}
