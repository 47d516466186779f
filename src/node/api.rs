//! Built-in executors for JavaScript.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use serde_json::{Map, Value, json};

use super::error_whole;
use super::host::{Event, Host};
use super::intent::read_json;
use crate::error::{ErrorCode, IntentError};
use crate::executor::api::{ApiExecutor, FallbackRoots, Question, Shape, chat, responses};
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

/// Builds an executor; an error comes back as JSON. `roots` are PEM certificates for a system that
/// has none.
#[napi(catch_unwind)]
pub fn create_api_executor(
    config: String,
    roots: Option<Vec<String>>,
) -> Either<NativeApiExecutor, String> {
    let build = || -> Result<NativeApiExecutor, IntentError> {
        let config = read_json(&config, ErrorCode::ConfigInvalid)?;
        let roots = roots.map(|roots| -> FallbackRoots { Arc::new(move || roots.clone()) });
        Ok(NativeApiExecutor {
            executor: ApiExecutor::from_value(&config, roots)?,
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

#[napi]
impl Host {
    /// Puts a question of JavaScript's own; without a schema it asks for a JSON object.
    #[napi(catch_unwind)]
    #[allow(
        clippy::too_many_arguments,
        reason = "flat arguments are the cheapest way across; napi's expansion meets the lint only in part"
    )]
    pub fn generate(
        &self,
        env: Env,
        id: u32,
        executor: &NativeApiExecutor,
        instructions: String,
        payload: String,
        name: Option<String>,
        schema: Option<String>,
    ) -> Vec<Event> {
        let schema = schema.map(OutputSchema::new);
        let name = name.unwrap_or_else(|| "intent_candidate".to_owned());
        let shape = schema
            .as_ref()
            .map_or(Shape::Object, |schema| Shape::Schema {
                name: &name,
                schema,
            });
        let asked = executor.executor.ask(&Question {
            instructions: &instructions,
            payload: &payload,
            shape,
        });
        self.begin_elsewhere(env, id, async move { Ok(reply_json(&asked.await?)) })
    }

    /// Gives up a task of [`Host::generate`]: its future is dropped, its connection closed.
    #[napi(catch_unwind)]
    pub fn give_up(&self, env: Env, id: u32) {
        self.end_elsewhere(env, id);
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
