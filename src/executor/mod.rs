//! Executors reach a model: one small trait, with the built-in services in [`api`].

#[cfg(feature = "http")]
pub mod api;
mod retry;
pub mod strict;

pub use retry::{Fallback, Retrying};

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
    /// The form that the stage asks for.
    pub format: ModelFormat,
    /// JSON Schema of the candidate, both stages.
    pub output_schema: Arc<OutputSchema>,
    /// The amount that the answer writes to prove a value.
    pub form: ProofForm,
}

/// The format that a stage asks for.
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
    /// The unique number of this schema in the process.
    pub key: u32,
    /// True if it meets strict mode, once an executor has looked.
    #[cfg(feature = "http")]
    pub(crate) strict: std::sync::OnceLock<bool>,
}

impl OutputSchema {
    /// Wraps a compact JSON text.
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

/// The reply of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelReply {
    /// A whole answer.
    Complete {
        /// The candidate.
        text: String,
        /// Facts that the service gave.
        info: ReplyInfo,
    },
    /// The model refused.
    Refusal {
        /// More about it, for people.
        detail: Option<String>,
        /// Facts that the service gave.
        info: ReplyInfo,
    },
    /// The model stopped early.
    Incomplete {
        /// More about it, for people.
        detail: Option<String>,
        /// Facts that the service gave.
        info: ReplyInfo,
    },
}

impl ModelReply {
    /// Facts that the service gave.
    #[must_use]
    pub fn info(&self) -> &ReplyInfo {
        match self {
            Self::Complete { info, .. }
            | Self::Refusal { info, .. }
            | Self::Incomplete { info, .. } => info,
        }
    }

    /// The same, to be completed.
    pub fn info_mut(&mut self) -> &mut ReplyInfo {
        match self {
            Self::Complete { info, .. }
            | Self::Refusal { info, .. }
            | Self::Incomplete { info, .. } => info,
        }
    }
}

/// Facts that a service gave beside its answer. They are for reports and decide nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplyInfo {
    /// Tokens.
    pub usage: Option<ModelUsage>,
    /// The model that answered.
    pub model: Option<String>,
    /// The service's name for the request.
    pub request_id: Option<String>,
}

impl From<Option<ModelUsage>> for ReplyInfo {
    fn from(usage: Option<ModelUsage>) -> Self {
        Self {
            usage,
            ..Self::default()
        }
    }
}

/// Tokens of one call. A number that the service does not report is `None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelUsage {
    /// Read by the model, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Written by the model, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The input tokens that the service had in its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// The output tokens that the model used only for thinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}
