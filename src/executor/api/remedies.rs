//! Finds the option that avoids a refusal, for a service that does not know a field which it was sent.
//!
//! Services say which field they mean in many ways: OpenAI in `error.param` or in its message,
//! Mistral and vLLM in the `loc` of a FastAPI `detail`, Gemini in the message of an error inside an
//! array. The body is searched only for the names of sent fields, as whole words, and no text of the
//! body is shown.

use serde_json::Value;

use super::config::{ApiExecutorConfig, Format, OutputLimit, Protocol};

/// The longest body that is searched; the error bodies of services are short.
const MOST: usize = 65_536;

/// Returns advice on options that avoid the refusal, to follow a semicolon; `None` if no sent field is named.
pub(super) fn find(body: &str, config: &ApiExecutorConfig) -> Option<String> {
    let words = words(body)?;
    let found: Vec<&str> = candidates(config)
        .into_iter()
        .filter(|(names, _)| names.iter().any(|name| has_word(&words, name)))
        .map(|(_, option)| option)
        .collect();
    (!found.is_empty()).then(|| {
        format!(
            "if the service does not take it, give {}",
            found.join(", and ")
        )
    })
}

/// The names that services use for a sent field, and the option that changes or omits it.
type Remedy = (&'static [&'static str], &'static str);

fn candidates(config: &ApiExecutorConfig) -> Vec<Remedy> {
    let mut remedies: Vec<Remedy> = Vec::new();
    let mut add = |names, option| remedies.push((names, option));
    const FORMATS: &[&str] = &["response_format", "json_schema", "text.format"];
    match config.format {
        Format::JsonSchema => add(FORMATS, "format: \"json_object\" (or \"text\")"),
        Format::JsonObject => add(
            &["response_format", "json_object", "text.format"],
            "format: \"text\" (or \"json_schema\")",
        ),
        Format::Text => {}
    }
    if !config.body.contains_key("store") {
        add(&["store"], "body: { store: null }");
    }
    match (config.protocol, config.output_limit) {
        (_, Some(OutputLimit::None)) => {}
        (Protocol::Responses, _) => add(
            &["max_output_tokens"],
            "outputLimit: \"none\" (or a smaller maxOutputTokens)",
        ),
        (Protocol::ChatCompletions, Some(OutputLimit::MaxTokens)) => add(
            &["max_tokens", "max_completion_tokens"],
            "outputLimit: \"max_completion_tokens\" (or \"none\", or a smaller maxOutputTokens)",
        ),
        (Protocol::ChatCompletions, _) => add(
            &["max_completion_tokens", "max_tokens"],
            "outputLimit: \"max_tokens\" (or \"none\", or a smaller maxOutputTokens)",
        ),
    }
    if !config.body.contains_key("enable_thinking") {
        add(&["enable_thinking"], "body: { enable_thinking: false }");
    }
    remedies
}

/// Returns the parts of an error body that may name fields, without those that repeat the request.
fn words(body: &str) -> Option<String> {
    if body.len() > MOST {
        return None;
    }
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return Some(body.to_owned());
    };
    let mut out = String::new();
    collect(
        value
            .as_array()
            .and_then(|all| all.first())
            .unwrap_or(&value),
        &mut out,
        0,
    );
    Some(out)
}

/// Collects the texts under keys that describe a fault, some levels deep.
fn collect(value: &Value, out: &mut String, depth: usize) {
    const KEYS: [&str; 10] = [
        "error", "errors", "detail", "details", "message", "msg", "param", "loc", "code", "type",
    ];
    if depth > 6 {
        return;
    }
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, out, depth + 1)),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| KEYS.contains(&&***key))
            .for_each(|(_, value)| collect(value, out, depth + 1)),
        _ => {}
    }
}

/// True if a text holds a name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}
