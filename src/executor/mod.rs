//! How a model is reached: one small trait, with the built-in services in [`api`].

#[cfg(feature = "http")]
pub mod api;
pub mod strict;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::definition::ProofForm;
use crate::error::{IntentError, Stage};

/// A boxed future, as [`ModelExecutor::generate`] returns it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Puts one question to a model.
///
/// Dropping the future gives the call up; an implementation then stops its work (an HTTP
/// executor closes its connection).
pub trait ModelExecutor: Send + Sync {
    /// A name for people.
    fn id(&self) -> &str;

    /// Asks the model. An [`IntentError`] passes through to the caller as it is.
    fn generate(
        &self,
        request: Arc<ModelRequest>,
    ) -> BoxFuture<'_, Result<ModelReply, IntentError>>;
}

/// A question, complete in itself.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// [`Stage::Core`] or [`Stage::Data`].
    pub stage: Stage,
    /// The system text of the stage.
    pub instructions: Arc<str>,
    /// The materials as JSON text.
    pub payload: Arc<str>,
    /// What the stage asks for in the contract's terms.
    pub format: ModelFormat,
    /// JSON Schema of the candidate, both stages.
    pub output_schema: Arc<OutputSchema>,
    /// How much the answer writes to prove a value.
    pub form: ProofForm,
}

/// What a stage asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFormat {
    /// A JSON object of this schema; the schema is [`ModelRequest::output_schema`].
    JsonSchema {
        /// Its name, `intent_core`.
        name: &'static str,
    },
    /// Any JSON object; the instructions describe it.
    JsonObject,
}

/// A JSON Schema as text, shared by all requests that carry it.
#[derive(Debug)]
pub struct OutputSchema {
    /// Compact JSON.
    pub text: Box<str>,
    /// Tells this schema from every other of the process.
    pub key: u32,
    /// Whether it meets strict mode, once an executor has looked.
    #[cfg(feature = "http")]
    pub(crate) strict: std::sync::OnceLock<bool>,
}

impl OutputSchema {
    /// Of a compact JSON text.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>) -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Self {
            text: text.into(),
            key: LAST.fetch_add(1, Ordering::Relaxed),
            #[cfg(feature = "http")]
            strict: std::sync::OnceLock::new(),
        }
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelReply {
    /// A whole answer.
    Complete {
        /// The candidate.
        text: String,
        /// Tokens, where the service told.
        usage: Option<ModelUsage>,
    },
    /// The model refused.
    Refusal {
        /// More about it, for people.
        detail: Option<String>,
        /// Tokens, where the service told.
        usage: Option<ModelUsage>,
    },
    /// The model stopped early.
    Incomplete {
        /// More about it, for people.
        detail: Option<String>,
        /// Tokens, where the service told.
        usage: Option<ModelUsage>,
    },
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelUsage {
    /// Read by the model.
    pub input_tokens: Option<u64>,
    /// Written by the model.
    pub output_tokens: Option<u64>,
}
