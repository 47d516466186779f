//! Options of an executor: [`ApiExecutorConfig`] in full, and how a JavaScript object becomes one.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

use super::address;
use super::secret::Secret;
use super::surroundings::Surroundings;
use crate::error::{ErrorCode, IntentError, codes};
use crate::limits::MAX_SAFE_INTEGER;
use crate::text::{is_blank, quoted};

codes! {
    /// Whose dialect of a protocol is spoken, and where without a base URL.
    Provider {
        /// OpenAI, and what is compatible with it.
        OpenAi = "openai",
        /// xAI.
        Xai = "xai",
    }
}

impl Provider {
    const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Xai => "https://api.x.ai/v1",
        }
    }
}

codes! {
    /// The endpoint, and the shape of request and reply. Never probed.
    Protocol {
        /// `POST {base}/responses`.
        Responses = "responses",
        /// `POST {base}/chat/completions`.
        ChatCompletions = "chat-completions",
    }
}

impl Protocol {
    const fn path(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::ChatCompletions => "chat/completions",
        }
    }
}

codes! {
    /// What is asked of the service about the form of its answer. Never changed on its own.
    Format {
        /// Structured output by JSON Schema.
        JsonSchema = "json_schema",
        /// Nothing: the answer is text that holds a candidate.
        Text = "text",
    }
}

/// Options of an [`ApiExecutor`](super::ApiExecutor).
#[derive(Debug, Clone)]
pub struct ApiExecutorConfig {
    /// Whose service, or whose preset where [`base_url`](Self::base_url) names another.
    pub provider: Provider,
    /// Default: [`Protocol::Responses`].
    pub protocol: Protocol,
    /// A model's name that the service accepts.
    pub model: String,
    /// Sent as a bearer token, shown nowhere.
    pub api_key: Secret,
    /// The root of the API, without the endpoint. Default: the provider's own.
    pub base_url: Option<String>,
    /// Tokens that one answer may have. Default: 8192.
    pub max_output_tokens: u64,
    /// Bytes of one response's body after decompression. Default: 8 MiB.
    pub max_response_bytes: u64,
    /// Default: [`Format::JsonSchema`].
    pub format: Format,
    /// Name lookup, TCP, proxy and TLS together. Default: 30 s.
    pub connect_timeout: Duration,
    /// Proxies and certificates. Default: those of the process.
    pub surroundings: Surroundings,
}

/// The keys of the JavaScript object, for messages.
const KEYS: &str =
    "provider, protocol, model, apiKey, baseURL, maxOutputTokens, maxResponseBytes, format";

impl ApiExecutorConfig {
    /// The defaults for a service, a model and a key.
    #[must_use]
    pub fn new(provider: Provider, model: impl Into<String>, api_key: Secret) -> Self {
        Self {
            provider,
            protocol: Protocol::Responses,
            model: model.into(),
            api_key,
            base_url: None,
            max_output_tokens: 8192,
            max_response_bytes: 8_388_608,
            format: Format::JsonSchema,
            connect_timeout: Duration::from_secs(30),
            surroundings: Surroundings::of_process(),
        }
    }

    /// Of the object that `createApiExecutor` takes, as JSON. A key that is absent stands for one
    /// that is `undefined`; `null` is a value of the wrong type.
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
        let api_key = text(given, "apiKey")?.ok_or_else(|| missing("apiKey"))?;
        let mut config = Self::new(provider, model, Secret::new(api_key));
        if let Some(protocol) = choice(given, "protocol", Protocol::ALL, Protocol::from_text)? {
            config.protocol = protocol;
        }
        if let Some(format) = choice(given, "format", Format::ALL, Format::from_text)? {
            config.format = format;
        }
        config.base_url = text(given, "baseURL")?.map(str::to_owned);
        if let Some(tokens) = count(given, "maxOutputTokens")? {
            config.max_output_tokens = tokens;
        }
        if let Some(bytes) = count(given, "maxResponseBytes")? {
            config.max_response_bytes = bytes;
        }
        Ok(config)
    }

    /// Checks the values, whichever way they came.
    pub(super) fn check(&self) -> Result<Checked, IntentError> {
        if is_blank(&self.model) {
            return Err(invalid(
                "model must be a non-blank string: the name of a model of the service.",
            ));
        }
        if self.api_key.is_blank() {
            return Err(invalid("apiKey must be a non-blank string."));
        }
        let authorization = self.api_key.bearer().ok_or_else(|| {
            invalid(
                "apiKey cannot be sent in an HTTP header: it has white space at its ends, or characters other than visible ASCII.",
            )
        })?;
        for (name, value) in [
            ("maxOutputTokens", self.max_output_tokens),
            ("maxResponseBytes", self.max_response_bytes),
        ] {
            if value == 0 || value > MAX_SAFE_INTEGER {
                return Err(invalid(format!(
                    "{name} must be a positive safe integer, got {value}."
                )));
            }
        }
        let text = self
            .base_url
            .as_deref()
            .unwrap_or_else(|| self.provider.base_url());
        let base = address::base_url(text).map_err(|fault| {
            // A text that may hold a credential is not repeated.
            if text.contains(['@', '?', '#']) || may_hold_key(text, &self.api_key) {
                invalid(format!("baseURL {fault}."))
            } else {
                invalid(format!("baseURL {fault}, got {}.", quoted(text)))
            }
        })?;
        Ok(Checked {
            endpoint: address::endpoint(&base, self.protocol.path()),
            authorization,
        })
    }
}

/// What the checks make of a configuration.
pub(super) struct Checked {
    pub(super) endpoint: Url,
    pub(super) authorization: HeaderValue,
}

fn invalid(message: impl Into<String>) -> IntentError {
    IntentError::of(ErrorCode::ConfigInvalid, message)
}

fn missing(key: &str) -> IntentError {
    invalid(format!("createApiExecutor: {key} is missing."))
}

/// What a value is, in JavaScript's words.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
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
        invalid(format!("{key} must be {}, got {got}.", names.join(" or ")))
    })
}

/// Whether a message must not repeat a value: it holds the key, or it reads like one that was
/// given in the wrong place.
fn may_hold_key(text: &str, key: &Secret) -> bool {
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
