//! `Intent` for JavaScript.

use std::sync::Arc;

use napi::bindgen_prelude::Either;
use napi_derive::napi;
use serde_json::Value;

use super::api::NativeApiExecutor;
use super::error_whole;
use super::js_executor::JsExecutor;
use super::request::{Unread, places};
use crate::definition::IntentConfig;
use crate::error::{ErrorCode, IntentError};
use crate::intent::Intent;
use crate::schema::Origin;

/// An instance.
#[napi]
pub struct NativeIntent {
    intent: Intent,
    asks_javascript: bool,
}

impl NativeIntent {
    pub(super) fn intent(&self) -> &Intent {
        &self.intent
    }

    /// True if its executor is a JavaScript object.
    pub(super) fn asks_javascript(&self) -> bool {
        self.asks_javascript
    }
}

/// Builds an instance; an error comes back as JSON.
///
/// `config` holds what JSON can hold, `unread` tells the rest; `schema` is apart, with `standard` if
/// a Standard Schema gave it; `executor` is the id of a JavaScript executor, `api` an API executor of
/// this package.
#[napi(catch_unwind)]
pub fn create_intent(
    config: String,
    unread: Vec<Unread>,
    schema: Option<String>,
    standard: bool,
    executor: Option<String>,
    api: Option<&NativeApiExecutor>,
) -> Either<NativeIntent, String> {
    let build = || -> Result<NativeIntent, IntentError> {
        let mut config = IntentConfig::read(
            read_json(&config, ErrorCode::ConfigInvalid)?,
            &places(unread),
        )?;
        let origin = if standard {
            Origin::Standard
        } else {
            Origin::Json
        };
        config.schema = match schema {
            Some(schema) => Some((read_json(&schema, ErrorCode::SchemaUnsupported)?, origin)),
            None => None,
        };
        let asks_javascript = executor.is_some();
        if let Some(id) = executor {
            config.executor = Some(Arc::new(JsExecutor::new(id)));
        } else if let Some(api) = api {
            config.executor = Some(Arc::new(api.executor().clone()));
        }
        Ok(NativeIntent {
            intent: Intent::new(config)?,
            asks_javascript,
        })
    };
    match build() {
        Ok(intent) => Either::A(intent),
        Err(error) => Either::B(error_whole(&error)),
    }
}

/// JSON that `js/` wrote.
pub(super) fn read_json(text: &str, code: ErrorCode) -> Result<Value, IntentError> {
    crate::json::value(text)
        .map_err(|error| IntentError::of(code, format!("the value cannot be read: {error}.")))
}
