//! The object that `createApiExecutor` takes, as JSON.

use serde_json::{Map, Value};

use super::config::{ApiExecutorConfig, Format, OutputLimit, Protocol, Provider, invalid};
use super::headers;
use super::key::ApiKey;
use super::secret::Secret;
use crate::error::IntentError;
use crate::limits::MAX_SAFE_INTEGER;
use crate::text::{kind, quoted};

/// The keys of the object, for messages.
const KEYS: &str = "provider, protocol, model, apiKey, baseURL, maxOutputTokens, maxResponseBytes, format, outputLimit, headers, body";

impl ApiExecutorConfig {
    /// Of the object that `createApiExecutor` takes, as JSON. A key that is absent stands for one
    /// that is `undefined`; `null` is a value of the wrong type. `apiKey` may be absent, which
    /// [`ApiExecutor::new`](super::ApiExecutor::new) refuses without a base URL.
    ///
    /// # Errors
    /// `CONFIG_INVALID` on an unknown key, a required one that is missing, and a wrong type.
    pub fn from_value(value: &Value) -> Result<Self, IntentError> {
        let Value::Object(given) = value else {
            return Err(invalid(format!(
                "createApiExecutor takes an object, got {}.",
                kind(value)
            )));
        };
        if let Some(key) = given
            .keys()
            .find(|key| !KEYS.split(", ").any(|k| k == *key))
        {
            return Err(invalid(format!(
                "createApiExecutor: unknown key {}; it takes {KEYS}.",
                quoted(key)
            )));
        }
        let provider = choice(given, "provider", Provider::ALL, Provider::from_text)?
            .ok_or_else(|| missing("provider"))?;
        let model = text(given, "model")?.ok_or_else(|| missing("model"))?;
        let api_key = match text(given, "apiKey")? {
            Some(key) => Secret::new(key).into(),
            None => ApiKey::None,
        };
        let mut config = Self::new(provider, model, api_key);
        if let Some(protocol) = choice(given, "protocol", Protocol::ALL, Protocol::from_text)? {
            config.protocol = protocol;
        }
        if let Some(format) = choice(given, "format", Format::ALL, Format::from_text)? {
            config.format = format;
        }
        config.output_limit = choice(
            given,
            "outputLimit",
            OutputLimit::ALL,
            OutputLimit::from_text,
        )?;
        config.base_url = text(given, "baseURL")?.map(str::to_owned);
        if let Some(tokens) = count(given, "maxOutputTokens")? {
            config.max_output_tokens = tokens;
        }
        if let Some(bytes) = count(given, "maxResponseBytes")? {
            config.max_response_bytes = bytes;
        }
        for (name, value) in members(given, "headers")?.into_iter().flatten() {
            let Value::String(value) = value else {
                return Err(invalid(format!(
                    "{} must be a string, got {}.",
                    headers::label(name, config.secrets().key),
                    kind(value)
                )));
            };
            config
                .headers
                .push((name.clone(), Secret::new(value.as_str())));
        }
        config.body = members(given, "body")?.cloned().unwrap_or_default();
        Ok(config)
    }
}

fn missing(key: &str) -> IntentError {
    invalid(format!("createApiExecutor: {key} is missing."))
}

fn text<'v>(given: &'v Map<String, Value>, key: &str) -> Result<Option<&'v str>, IntentError> {
    match given.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(invalid(format!(
            "{key} must be a string, got {}.",
            kind(other)
        ))),
    }
}

fn members<'v>(
    given: &'v Map<String, Value>,
    key: &str,
) -> Result<Option<&'v Map<String, Value>>, IntentError> {
    match given.get(key) {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members)),
        Some(other) => Err(invalid(format!(
            "{key} must be an object, got {}.",
            kind(other)
        ))),
    }
}

fn choice<T: Copy + std::fmt::Display>(
    given: &Map<String, Value>,
    key: &str,
    all: &[T],
    read: fn(&str) -> Option<T>,
) -> Result<Option<T>, IntentError> {
    let Some(value) = given.get(key) else {
        return Ok(None);
    };
    value.as_str().and_then(read).map(Some).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| quoted(&one.to_string())).collect();
        let api_key = given.get("apiKey").and_then(Value::as_str);
        let got = match value.as_str() {
            Some(text) if may_hold_key(text, &Secret::new(api_key.unwrap_or_default())) => {
                "another text".to_owned()
            }
            Some(text) => quoted(text),
            None => kind(value).to_owned(),
        };
        invalid(format!("{key} must be {}, got {got}.", any_of(&names)))
    })
}

/// `a, b or c`.
fn any_of(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// True if a message must not repeat a value: it holds the key, or it reads like one that was
/// given in the wrong place.
pub(super) fn may_hold_key(text: &str, key: &Secret) -> bool {
    let reads_like_one = text.len() >= 20 && !text.contains([':', '/', ' ']);
    reads_like_one || key.is_in(text)
}

fn count(given: &Map<String, Value>, key: &str) -> Result<Option<u64>, IntentError> {
    let Some(value) = given.get(key) else {
        return Ok(None);
    };
    value
        .as_u64()
        .filter(|n| (1..=MAX_SAFE_INTEGER).contains(n))
        .map(Some)
        .ok_or_else(|| {
            let got = match value {
                Value::Number(number) => number.to_string(),
                other => kind(other).to_owned(),
            };
            invalid(format!("{key} must be a positive safe integer, got {got}."))
        })
}
