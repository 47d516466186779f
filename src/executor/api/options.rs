//! The object that `createApiExecutor` takes, as JSON.

use serde_json::{Map, Value};

use super::config::{ApiExecutorConfig, Format, OutputLimit, Protocol, Provider};
use super::key::ApiKey;
use super::secret::Secret;
use crate::error::{IntentError, Must};
use crate::limits::MAX_SAFE_INTEGER;
use crate::options::{FromJson, Given, Integer, options, read, rule_error};
use crate::request::Unread;

/// Tokens, or bytes.
pub(super) type Count = Integer<1, MAX_SAFE_INTEGER>;

options! {
    /// The options of `createApiExecutor`, as far as they are given.
    ApiOptions {
        provider = "provider": Provider,
        protocol = "protocol": Protocol,
        model = "model": String,
        api_key = "apiKey": ApiKey,
        base_url = "baseURL": String,
        max_output_tokens = "maxOutputTokens": Count,
        max_response_bytes = "maxResponseBytes": Count,
        format = "format": Format,
        output_limit = "outputLimit": OutputLimit,
        headers = "headers": Vec<(String, Secret)>,
        body = "body": Map<String, Value>,
    }
}

impl ApiExecutorConfig {
    /// Reads the object that `createApiExecutor` takes, as JSON. A key that is absent stands for one
    /// that is `undefined`; `null` is a value of the wrong type. `apiKey` may be absent, which
    /// [`ApiExecutor::new`](super::ApiExecutor::new) refuses without a base URL.
    ///
    /// # Errors
    /// `CONFIG_INVALID` on an unknown key, a required one that is missing, and a wrong type.
    pub fn from_value(value: &Value) -> Result<Self, IntentError> {
        Self::read(value.clone(), &[])
    }

    pub(crate) fn read(value: Value, unread: &[Unread]) -> Result<Self, IntentError> {
        let key = value.get("apiKey").and_then(Value::as_str);
        let key = Secret::new(key.unwrap_or_default());
        let is_secret = |text: &str| may_hold_key(text, &key);
        let given: ApiOptions = read(value, unread, &is_secret)?;
        let provider = given.provider.ok_or_else(|| missing("provider"))?;
        let model = given.model.ok_or_else(|| missing("model"))?;
        let default = Self::new(provider, model, ApiKey::None);
        Ok(Self {
            protocol: given.protocol.unwrap_or(default.protocol),
            api_key: given.api_key.unwrap_or(default.api_key),
            base_url: given.base_url,
            max_output_tokens: given
                .max_output_tokens
                .map_or(default.max_output_tokens, |n| n.0),
            max_response_bytes: given
                .max_response_bytes
                .map_or(default.max_response_bytes, |n| n.0),
            format: given.format.unwrap_or(default.format),
            output_limit: given.output_limit,
            headers: given.headers.unwrap_or_default(),
            body: given.body.unwrap_or_default(),
            ..default
        })
    }
}

fn missing(name: &str) -> IntentError {
    rule_error(&format!("{name} is missing."))
}

impl FromJson for ApiKey {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        match given.value {
            Value::String(key) => Ok(Secret::new(key).into()),
            _ => Err(given.wrong_value(Must::Be("a string or a function that gives one"))),
        }
    }
}

impl FromJson for Secret {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        String::from_json(given).map(Self::new)
    }
}

/// Headers by name.
impl FromJson for Vec<(String, Secret)> {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        let headers = given.entries()?.each();
        headers
            .map(|(name, value)| Ok((name, Secret::from_json(value)?)))
            .collect()
    }
}

/// True if a message must not repeat a value: it holds the key, or it reads like one that was
/// given in the wrong place.
pub(super) fn may_hold_key(text: &str, key: &Secret) -> bool {
    let reads_like_one = text.len() >= 20 && !text.contains([':', '/', ' ']);
    reads_like_one || key.is_in(text)
}
