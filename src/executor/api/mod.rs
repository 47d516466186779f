//! Executors for OpenAI-compatible HTTP services (docs/models.md).
//!
//! ```text
//!  config ──► ApiExecutor ──► question ──► responses │ chat   body of the request
//!    │            │                              ▲
//! address         └──► transport ── HttpResponse ──► failure │ responses │ chat ──► ModelReply
//! secret               tls, environment                 envelope
//! ```
//!
//! One question is one request: no retry, no other model, format or protocol. The readers of
//! envelopes, [`responses::read`] and [`chat::read`], are pure functions on bytes.

mod address;
mod body;
pub mod chat;
mod config;
mod connection;
mod envelope;
mod environment;
mod extra;
mod facts;
mod failure;
mod headers;
mod key;
mod notation;
mod options;
mod proxy;
mod question;
mod remedies;
pub mod responses;
mod reuse;
mod secret;
mod tls;
mod transport;
mod wrapping;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinHandle;

pub use super::strict::meets_strict_mode;
pub use address::{Lookup, is_private};
pub use config::{ApiExecutorConfig, Format, OutputLimit, Protocol, Provider};
pub use environment::{Environment, FallbackRoots, Variable};
pub use key::{ApiKey, KeyError, KeySource};
pub use question::{OutputFormat, Question};
pub use secret::Secret;

use crate::error::{ErrorKind, IntentError};
use crate::executor::{BoxFuture, ModelExecutor, ModelReply, ModelRequest};
use crate::runtime;
use secret::Secrets;
use transport::Transport;

/// A model behind an OpenAI-compatible service. Clones share their connections.
#[derive(Clone)]
pub struct ApiExecutor {
    inner: Arc<Inner>,
    key: ApiKey,
}

struct Inner {
    id: String,
    config: ApiExecutorConfig,
    transport: Transport,
}

impl ApiExecutor {
    /// Checks a configuration. Opens nothing and reads nothing.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, naming the option.
    pub fn new(config: ApiExecutorConfig) -> Result<Self, IntentError> {
        let checked = config.check()?;
        let key = config.api_key.clone();
        let inner = Arc::new(Inner {
            id: format!("api:{}", config.provider),
            transport: Transport::new(
                checked.endpoint,
                checked.headers,
                config.max_response_bytes,
                config.connect_timeout,
                config.environment.clone(),
            ),
            config,
        });
        Ok(Self { inner, key })
    }

    /// This executor, its connections too, with another key. A fixed key that cannot be sent is
    /// refused when a question is put.
    #[must_use]
    pub fn with_key(&self, key: impl Into<ApiKey>) -> Self {
        Self {
            inner: self.inner.clone(),
            key: key.into(),
        }
    }

    /// Builds an executor from the object that `createApiExecutor` takes, as JSON; `fallback_roots`
    /// serve if the system has no certificates.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, naming the option.
    pub fn from_value(
        value: &Value,
        fallback_roots: Option<FallbackRoots>,
    ) -> Result<Self, IntentError> {
        let mut config = ApiExecutorConfig::from_value(value)?;
        config.environment.fallback_roots = fallback_roots;
        Self::new(config)
    }

    /// Puts one question. [`ModelExecutor::generate`] is this with what a stage asks; a question
    /// of another origin may do without a schema.
    ///
    /// The future may be polled anywhere. Dropping it closes the connection.
    pub fn ask(
        &self,
        question: &Question<'_>,
    ) -> BoxFuture<'static, Result<ModelReply, IntentError>> {
        let (inner, key) = (self.inner.clone(), self.key.clone());
        let body = inner.body(question);
        Box::pin(detached(async move { inner.exchange(&key, body?).await }))
    }
}

impl ModelExecutor for ApiExecutor {
    fn id(&self) -> &str {
        &self.inner.id
    }

    fn generate(
        &self,
        request: Arc<ModelRequest>,
    ) -> BoxFuture<'_, Result<ModelReply, IntentError>> {
        let (inner, key) = (self.inner.clone(), self.key.clone());
        Box::pin(detached(async move {
            let body = inner.body(&Question::from(&*request))?;
            drop(request);
            inner.exchange(&key, body).await
        }))
    }
}

impl Inner {
    fn body(&self, question: &Question<'_>) -> Result<Vec<u8>, IntentError> {
        crate::failpoint::hit("question", question.payload);
        match self.config.protocol {
            Protocol::Responses => responses::body(&self.config, question),
            Protocol::ChatCompletions => chat::body(&self.config, question),
        }
        .map_err(|error| ErrorKind::OutputSchema(&error.to_string()).error())
    }

    async fn exchange(&self, key: &ApiKey, body: Vec<u8>) -> Result<ModelReply, IntentError> {
        let key = key.for_request().await?;
        let authorization = key.as_ref().map(key::authorization).transpose()?;
        let response = self.transport.post(authorization, body).await?;
        let hidden = Secrets {
            key: key.as_ref(),
            headers: &self.config.headers,
        };
        if !response.status.is_success() {
            return Err(failure::of_status(
                &response,
                &failure::FailureContext {
                    config: &self.config,
                    path: self.transport.path(),
                    hidden,
                },
            ));
        }
        let mut reply = match self.config.protocol {
            Protocol::Responses => responses::read_hiding(&response.body, hidden),
            Protocol::ChatCompletions => chat::read_hiding(&response.body, hidden),
        }
        .map_err(|error| match failure::unreadable(&response) {
            Some(why) => envelope::reply_error(&why),
            None => error,
        })?;
        reply.info_mut().request_id = facts::request_id(&response.headers, hidden);
        Ok(reply)
    }
}

/// Runs work on the crate's own runtime, wherever the future that waits for it is polled, and
/// ends it when that future is dropped.
async fn detached(
    work: impl Future<Output = Result<ModelReply, IntentError>> + Send + 'static,
) -> Result<ModelReply, IntentError> {
    struct AbortOnDrop<T>(JoinHandle<T>);

    impl<T> Drop for AbortOnDrop<T> {
        fn drop(&mut self) {
            self.0.abort();
        }
    }

    let runtime = runtime::started().ok_or_else(no_thread)?;
    let mut task = AbortOnDrop(runtime.spawn(work));
    (&mut task.0)
        .await
        .unwrap_or_else(|_| Err(ErrorKind::Internal("the request to the service").error()))
}

/// The error where the system gives no thread for the request.
fn no_thread() -> IntentError {
    ErrorKind::NoThread("call the model").error()
}

/// Shows neither the key nor anything that could contain it.
impl fmt::Debug for ApiExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiExecutor")
            .field("id", &self.inner.id)
            .field("protocol", &self.inner.config.protocol)
            .field("model", &self.inner.config.model)
            .finish_non_exhaustive()
    }
}
