//! `Intent` for JavaScript.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Either;
use napi_derive::napi;

use super::api::NativeApiExecutor;
use super::events::Events;
use super::host::Host;
use super::js_executor::JsExecutor;
use super::observer::{EventObserver, REPORT};
use super::request::{Unread, places, raw_request};
use super::{error_whole, read_json};
use crate::cancel::Cancel;
use crate::definition::IntentConfig;
use crate::error::{ErrorCode, IntentError};
use crate::intent::Intent;
use crate::observer::ContainedObserver;
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

#[napi]
impl Host {
    /// Begins a recognition. `wanted` adds up the flags of [`super::observer`].
    #[napi(catch_unwind)]
    pub fn parse(
        &self,
        env: Env,
        id: u32,
        intent: &NativeIntent,
        parts: String,
        unread: Option<Vec<Unread>>,
        aborted: bool,
        wanted: u8,
    ) -> Events {
        let cancel = Cancel::new();
        if aborted {
            cancel.set();
        }
        let observer = EventObserver::new(id, wanted, self.outbox());
        let observed = match &observer {
            Some(observer) => ContainedObserver::new(observer.clone()),
            None => ContainedObserver::default(),
        };
        let by_javascript = intent.asks_javascript();
        // It begins on this thread, so that calls get their slots in order.
        let begun = intent
            .intent()
            .begin(raw_request(&parts, unread).into(), cancel.clone());
        self.cancels.borrow_mut().insert(id, cancel);
        let parse = async move {
            let outcome = begun.finish(observed).await;
            if let Some(observer) = observer {
                observer.ended(&outcome);
            }
            let (result, report) = outcome?;
            if wanted & REPORT == 0 {
                return Ok(result.to_json());
            }
            let report = serde_json::to_string(&report).unwrap_or_default();
            Ok(format!(
                "{{\"result\":{},\"report\":{report}}}",
                result.to_json()
            ))
        };
        if by_javascript {
            self.begin(env, id, Box::pin(parse))
        } else {
            self.spawn(env, id, parse)
        }
    }

    /// Disposes an instance; its recognitions end with the events that are returned.
    #[napi(catch_unwind)]
    pub fn dispose(&self, env: Env, intent: &NativeIntent) -> Events {
        self.run_after(env, || intent.intent().dispose())
    }

    /// Settles once nothing of the instance is running.
    #[napi(catch_unwind)]
    pub fn idle(&self, env: Env, id: u32, intent: &NativeIntent) -> Events {
        let intent = intent.intent().clone();
        self.begin(
            env,
            id,
            Box::pin(async move {
                intent.idle().await;
                Ok("null".to_owned())
            }),
        )
    }
}
