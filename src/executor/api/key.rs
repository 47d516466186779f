//! The sources of a request's key.

use std::error::Error;
use std::fmt;
use std::future::{Future, ready};
use std::sync::Arc;

use reqwest::header::HeaderValue;

use super::secret::{Secret, UNSENDABLE};
use crate::error::{ErrorKind, IntentError};
use crate::executor::BoxFuture;

/// The reason why a source gave no key. An [`IntentError`] passes through as it is; the text of any other
/// error is not shown, since it may hold a key, and the error becomes the cause.
pub type KeyError = Box<dyn Error + Send + Sync>;

/// Gives the key for one request, each time anew: a token that expires, a key that rotates.
///
/// Implemented for closures that return a future.
pub trait KeySource: Send + Sync {
    /// The key. Dropping the future gives the request up.
    fn key(&self) -> BoxFuture<'_, Result<Secret, KeyError>>;
}

impl<F, Answer> KeySource for F
where
    F: Fn() -> Answer + Send + Sync,
    Answer: Future<Output = Result<Secret, KeyError>> + Send + 'static,
{
    fn key(&self) -> BoxFuture<'_, Result<Secret, KeyError>> {
        Box::pin(self())
    }
}

/// The key of an executor.
#[derive(Clone)]
pub enum ApiKey {
    /// One key for all requests.
    Fixed(Secret),
    /// A source that is asked for each request.
    Source(Arc<dyn KeySource>),
    /// No key: no `authorization` header is sent. Only beside a base URL.
    None,
}

impl ApiKey {
    /// A source that is asked for each request, on a thread of this crate.
    #[must_use]
    pub fn from_source(source: impl KeySource + 'static) -> Self {
        Self::Source(Arc::new(source))
    }

    /// A function that has the key at hand; see [`ApiKey::from_source`] for one that waits.
    #[must_use]
    pub fn from_fn(source: impl Fn() -> Result<Secret, KeyError> + Send + Sync + 'static) -> Self {
        Self::from_source(move || ready(source()))
    }

    /// The key of one request.
    pub(super) async fn for_request(&self) -> Result<Option<Secret>, IntentError> {
        match self {
            Self::Fixed(key) => Ok(Some(key.clone())),
            Self::Source(source) => source.key().await.map(Some).map_err(key_error),
            Self::None => Ok(None),
        }
    }
}

impl From<Secret> for ApiKey {
    fn from(key: Secret) -> Self {
        Self::Fixed(key)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fixed(_) => "Secret",
            Self::Source(_) => "Source",
            Self::None => "None",
        })
    }
}

/// The header for a key that has just come; one that was given at construction was checked there.
pub(super) fn authorization(key: &Secret) -> Result<HeaderValue, IntentError> {
    if key.is_blank() {
        return Err(ErrorKind::NoKey("a blank key").error());
    }
    key.bearer()
        .ok_or_else(|| ErrorKind::NoKey(&format!("a key that {UNSENDABLE}")).error())
}

fn key_error(error: KeyError) -> IntentError {
    match error.downcast::<IntentError>() {
        Ok(error) => *error,
        Err(error) => {
            let why = "no key: its source failed; its own error is the cause of this one";
            ErrorKind::NoKey(why).error().with_cause(Arc::new(error))
        }
    }
}
