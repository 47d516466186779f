//! Built-in executors for JavaScript.

use std::sync::{Arc, OnceLock};

use napi::Env;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use serde_json::{Map, Value, json};

use super::events::Events;
use super::host::Host;
use super::request::{Unread, places};
use super::{error_whole, read_json};
use crate::error::{ErrorCode, IntentError};
use crate::executor::api::{
    ApiExecutor, ApiExecutorConfig, ApiKey, OutputFormat, Question, Secret, chat, responses,
};
use crate::executor::{ModelExecutor, ModelReply, OutputSchema};

/// An executor that needs no JavaScript.
#[napi]
pub struct NativeApiExecutor {
    executor: ApiExecutor,
}

impl NativeApiExecutor {
    pub(super) fn executor(&self) -> &ApiExecutor {
        &self.executor
    }
}

/// The roots that Node.js carries, for a system that has none.
static ROOTS: OnceLock<Vec<String>> = OnceLock::new();

/// Builds an executor; an error comes back as JSON. `roots` are PEM certificates for a system that
/// has none, given once; `keyed` says that each question brings its key.
#[napi(catch_unwind)]
pub fn create_api_executor(
    config: String,
    unread: Vec<Unread>,
    roots: Option<Vec<String>>,
    keyed: bool,
) -> Either<NativeApiExecutor, String> {
    if let Some(roots) = roots {
        // Another thread of JavaScript may have given them: they are the same.
        let _ = ROOTS.set(roots);
    }
    let build = || -> Result<NativeApiExecutor, IntentError> {
        let config = read_json(&config, ErrorCode::ConfigInvalid)?;
        let mut config = ApiExecutorConfig::read(config, &places(unread))?;
        config.environment.fallback_roots =
            Some(Arc::new(|| ROOTS.get().cloned().unwrap_or_default()));
        if keyed {
            config.api_key = ApiKey::from_fn(|| Err("JavaScript asks the function".into()));
        }
        Ok(NativeApiExecutor {
            executor: ApiExecutor::new(config)?,
        })
    };
    match build() {
        Ok(executor) => Either::A(executor),
        Err(error) => Either::B(error_whole(&error)),
    }
}

#[napi]
impl NativeApiExecutor {
    /// `api:<provider>`
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> String {
        ModelExecutor::id(&self.executor).to_owned()
    }
}

/// Reads an envelope that the caller has: 0 Responses, 1 Chat Completions.
///
/// Returns a reply as JSON under `reply`, or an error under `error`.
#[napi(catch_unwind)]
pub fn read_envelope(protocol: u8, envelope: String) -> String {
    let read = match protocol {
        0 => responses::read(envelope.as_bytes()),
        _ => chat::read(envelope.as_bytes()),
    };
    match read {
        Ok(reply) => format!("{{\"reply\":{}}}", reply_json(&reply)),
        Err(error) => format!("{{\"error\":{}}}", error_whole(&error)),
    }
}

/// A question of JavaScript's own.
#[napi(object, object_to_js = false)]
pub struct ApiQuestion {
    /// The system text.
    pub instructions: String,
    /// The user message.
    pub payload: String,
    /// The schema's name.
    pub name: String,
    /// The schema as JSON; without one a JSON object is asked for.
    pub schema: Option<String>,
    /// True if the instructions describe the schema.
    pub described: bool,
    /// The key of this question, where the executor has none.
    pub key: Option<String>,
}

#[napi]
impl Host {
    /// Puts a question.
    #[napi(catch_unwind)]
    pub fn generate(
        &self,
        env: Env,
        id: u32,
        executor: &NativeApiExecutor,
        question: ApiQuestion,
    ) -> Events {
        let schema = question.schema.map(OutputSchema::new);
        let output = schema
            .as_ref()
            .map_or(OutputFormat::Object, |schema| OutputFormat::Schema {
                name: &question.name,
                schema,
                described: question.described,
            });
        let executor = match question.key {
            Some(key) => executor.executor.with_key(Secret::new(key)),
            None => executor.executor.clone(),
        };
        let asked = executor.ask(&Question {
            instructions: &question.instructions,
            payload: &question.payload,
            output,
        });
        self.spawn(env, id, async move { Ok(reply_json(&asked.await?)) })
    }

    /// Cancels a task of [`Host::generate`]: its future is dropped, its connection closed.
    #[napi(catch_unwind)]
    pub fn cancel(&self, env: Env, id: u32) {
        self.abort_spawned(env, id);
    }
}

/// `ModelReply` as `index.d.ts` has it.
fn reply_json(reply: &ModelReply) -> String {
    let (outcome, key, text) = match reply {
        ModelReply::Complete { text, .. } => ("complete", "text", Some(text)),
        ModelReply::Refusal { detail, .. } => ("refusal", "detail", detail.as_ref()),
        ModelReply::Incomplete { detail, .. } => ("incomplete", "detail", detail.as_ref()),
    };
    let mut parts = Map::from_iter([("outcome".to_owned(), Value::from(outcome))]);
    if let Some(text) = text {
        parts.insert(key.to_owned(), text.as_str().into());
    }
    let info = reply.info();
    if let Some(usage) = &info.usage {
        parts.insert("usage".to_owned(), json!(usage));
    }
    if let Some(model) = &info.model {
        parts.insert("model".to_owned(), model.as_str().into());
    }
    if let Some(request_id) = &info.request_id {
        parts.insert("requestId".to_owned(), request_id.as_str().into());
    }
    Value::Object(parts).to_string()
}
