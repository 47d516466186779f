//! Options of an executor, and what they must be.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::environment::Environment;
use super::extra::Extra;
use super::key::ApiKey;
use super::options::{Count, may_hold_key};
use super::secret::{Secret, Secrets, UNSENDABLE};
use super::{address, headers};
use crate::error::{IntentError, codes};
use crate::options::rule_error;
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
    /// The form of the answer that the service is asked for. It never changes on its own.
    Format {
        /// Structured output by JSON Schema.
        JsonSchema = "json_schema",
        /// A JSON object; the schema stands behind the instructions.
        JsonObject = "json_object",
        /// Nothing: the answer is text that holds a candidate.
        Text = "text",
    }
}

codes! {
    /// The field of Chat Completions that bounds an answer.
    OutputLimit {
        /// OpenAI's own.
        MaxCompletionTokens = "max_completion_tokens",
        /// The older one, which many services know alone.
        MaxTokens = "max_tokens",
        /// None: the service's own bound holds. The one that the Responses protocol takes as well.
        None = "none",
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
    pub api_key: ApiKey,
    /// The root of the API, without the endpoint. Default: the provider's own.
    pub base_url: Option<String>,
    /// Tokens that one answer may have. Default: 8192.
    pub max_output_tokens: u64,
    /// Bytes of one response's body after decompression. Default: 8 MiB.
    pub max_response_bytes: u64,
    /// Default: [`Format::JsonSchema`].
    pub format: Format,
    /// The field that bounds an answer. Default: that of the protocol.
    pub output_limit: Option<OutputLimit>,
    /// Headers of one's own; the values are as secret as the key.
    pub headers: Vec<(String, Secret)>,
    /// Fields of one's own in the body, merged last; `null` takes a field away.
    pub body: Map<String, Value>,
    /// Name lookup, TCP, proxy and TLS together. Default: 30 s.
    pub connect_timeout: Duration,
    /// Proxies and certificates. Default: those of the process.
    pub environment: Environment,
}

impl ApiExecutorConfig {
    /// The defaults for a service, a model and a key.
    #[must_use]
    pub fn new(provider: Provider, model: impl Into<String>, api_key: impl Into<ApiKey>) -> Self {
        Self {
            provider,
            protocol: Protocol::Responses,
            model: model.into(),
            api_key: api_key.into(),
            base_url: None,
            max_output_tokens: 8192,
            max_response_bytes: 8_388_608,
            format: Format::JsonSchema,
            output_limit: None,
            headers: Vec::new(),
            body: Map::new(),
            connect_timeout: Duration::from_secs(30),
            environment: Environment::from_process(),
        }
    }

    /// Checks the values, whichever way they came.
    pub(super) fn check(&self) -> Result<Checked, IntentError> {
        if is_blank(&self.model) {
            return Err(rule_error(
                "model must be a non-blank string: the name of a model of the service.",
            ));
        }
        self.check_key()?;
        self.check_output_limit()?;
        let headers = headers::check(&self.headers, self.secrets().key)
            .map_err(|fault| rule_error(&format!("{fault}.")))?;
        Extra(&self.body)
            .check()
            .map_err(|fault| rule_error(&format!("{fault}.")))?;
        Count::check("maxOutputTokens", self.max_output_tokens)?;
        Count::check("maxResponseBytes", self.max_response_bytes)?;
        Ok(Checked {
            endpoint: address::endpoint(&self.base()?, self.protocol.path()),
            headers,
        })
    }

    /// A key that a source will give is checked when it comes.
    fn check_key(&self) -> Result<(), IntentError> {
        match &self.api_key {
            ApiKey::Fixed(key) if key.is_blank() => {
                Err(rule_error("apiKey must be a non-blank string."))
            }
            ApiKey::Fixed(key) if key.bearer().is_none() => {
                Err(rule_error(&format!("apiKey {UNSENDABLE}.")))
            }
            ApiKey::None if self.base_url.is_none() => Err(rule_error(
                "apiKey is missing (is the variable set that it comes from?); it may be left out only beside a baseURL.",
            )),
            _ => Ok(()),
        }
    }

    fn check_output_limit(&self) -> Result<(), IntentError> {
        match (self.protocol, self.output_limit) {
            (
                Protocol::Responses,
                Some(OutputLimit::MaxCompletionTokens | OutputLimit::MaxTokens),
            ) => Err(rule_error(
                "outputLimit names a field of protocol \"chat-completions\"; with \"responses\" it can only be \"none\".",
            )),
            _ => Ok(()),
        }
    }

    fn base(&self) -> Result<Url, IntentError> {
        let text = self
            .base_url
            .as_deref()
            .unwrap_or_else(|| self.provider.base_url());
        address::base_url(text).map_err(|fault| {
            // A text that may hold a credential is not repeated.
            let empty = Secret::new("");
            if text.contains(['@', '?', '#'])
                || may_hold_key(text, self.secrets().key.unwrap_or(&empty))
                || self.secrets().are_in(text)
            {
                rule_error(&format!("baseURL {fault}."))
            } else {
                rule_error(&format!("baseURL {fault}, got {}.", quoted(text)))
            }
        })
    }

    /// The secrets of the configuration, which no message may show.
    pub(super) fn secrets(&self) -> Secrets<'_> {
        Secrets {
            key: match &self.api_key {
                ApiKey::Fixed(key) => Some(key),
                _ => None,
            },
            headers: &self.headers,
        }
    }
}

/// A checked configuration.
pub(super) struct Checked {
    pub(super) endpoint: Url,
    pub(super) headers: HeaderMap,
}
