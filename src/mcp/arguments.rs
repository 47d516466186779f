//! Checks arguments against a tool's own schema before the Bridge gets them.
//!
//! A host's model must be able to correct the call by the refusal, so the refusal names the place and
//! the rule. It never repeats the value, which may be a user's text.
//!
//! Two habits of hosts are read as what they mean. A host whose schemas are strict cannot leave a key
//! out and sends `null`: a `null` for an optional key is an absent one. A client that flattens unions
//! sends the messages of `context` as one string of JSON: exactly a message array is read back as one,
//! since each role would be lost otherwise.

use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::tools::{ToolName, tools};
use crate::error::{ErrorKind, IntentError, InvalidArgument};
use crate::text::{quoted, shown};

/// # Errors
/// `INPUT_INVALID` with the first thing that is wrong.
pub(super) fn check(tool: ToolName, arguments: &Value) -> Result<(), IntentError> {
    static VALIDATORS: LazyLock<Vec<Option<Validator>>> = LazyLock::new(|| {
        let compile = |schema| jsonschema::validator_for(&Value::Object(schema)).ok();
        tools()
            .iter()
            .map(|tool| compile((*tool.input_schema).clone()))
            .collect()
    });
    let validator = VALIDATORS.get(tool as usize).and_then(Option::as_ref);
    match validator.and_then(|validator| validator.iter_errors(arguments).next()) {
        None => Ok(()),
        Some(error) => {
            let (place, what) = (tool.as_str(), &*explain(&error));
            Err(ErrorKind::Input(InvalidArgument::At { place, what }).error())
        }
    }
}

/// The arguments in the form that [`check`] reads.
pub(super) fn read(tool: ToolName, mut arguments: Value) -> Value {
    let Some(parts) = arguments.as_object_mut() else {
        return arguments;
    };
    if let Some(declared) = tools().get(tool as usize) {
        let part = |name: &str| declared.input_schema.get(name);
        let required = |key: &str| {
            part("required")
                .and_then(Value::as_array)
                .is_some_and(|names| names.iter().any(|name| name == key))
        };
        let known = |key: &str| part("properties").is_some_and(|named| named.get(key).is_some());
        parts.retain(|key, value| !value.is_null() || required(key) || !known(key));
    }
    if tool == ToolName::Prepare
        && let Some(context) = parts.get_mut("context")
        && let Some(messages) = context.as_str().and_then(messages)
    {
        *context = messages;
    }
    arguments
}

/// Returns the messages in a text that is the JSON of a message array.
fn messages(text: &str) -> Option<Value> {
    // Most contexts are prose.
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let messages: Value = serde_json::from_str(text).ok()?;
    let is_message = |message: &Value| {
        message.as_object().is_some_and(|message| {
            message.len() == 2
                && message.get("content").is_some_and(Value::is_string)
                && message
                    .get("role")
                    .and_then(Value::as_str)
                    .is_some_and(|role| matches!(role, "user" | "assistant" | "tool"))
        })
    };
    let items = messages.as_array()?;
    (!items.is_empty() && items.iter().all(is_message)).then_some(messages)
}

fn explain(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().as_str();
    let place = if path.is_empty() {
        "arguments".into()
    } else {
        format!("arguments{}", shown(path))
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let key = unexpected.first().map_or("", String::as_str);
            format!("{place} has the unknown key {}", quoted(key))
        }
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            format!("{place} lacks the required key {}", quoted(key))
        }
        ValidationErrorKind::AnyOf { context } => {
            // The error of the branch with the value's type says more than "no branch matches".
            let of_its_type = |errors: &&Vec<ValidationError<'static>>| {
                errors.iter().all(|inner| {
                    inner.instance_path().as_str() != path
                        || !matches!(inner.kind(), ValidationErrorKind::Type { .. })
                })
            };
            match context
                .iter()
                .find(of_its_type)
                .and_then(|errors| errors.first())
            {
                Some(inner) => explain(inner),
                None => format!("{place} has none of the types that the tool's schema allows"),
            }
        }
        ValidationErrorKind::Type { .. }
            if path == "/candidateText" && error.instance().is_object() =>
        {
            format!(
                "{place} must be a string, got an object: send its JSON text, as JSON.stringify gives it"
            )
        }
        _ => format!("{place}: {}", error.masked_with("the value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use serde_json::json;

    #[test]
    fn every_schema_compiles() {
        for tool in tools() {
            assert!(
                jsonschema::validator_for(&Value::Object((*tool.input_schema).clone())).is_ok()
            );
        }
    }

    #[test]
    fn what_the_types_allow_passes() {
        use ToolName::{Accept, Cancel, Prepare};
        for (tool, arguments) in [
            (Prepare, json!({ "instance": "a", "input": "x" })),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "fields": [], "context": "" }),
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "fields": ["__proto__"], "context": [{ "role": "tool", "content": "" }] }),
            ),
            (
                Accept,
                json!({ "jobId": "j", "stepToken": "s", "candidateText": "" }),
            ),
            (Cancel, json!({ "jobId": "j" })),
            (
                Cancel,
                json!({ "jobId": "j", "outcome": "refusal", "detail": "" }),
            ),
        ] {
            check(tool, &arguments).unwrap();
        }
    }

    #[test]
    fn null_is_absent_where_a_key_is_optional() {
        use ToolName::{Accept, Cancel, Prepare};
        for (tool, given, meant) in [
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "fields": null, "context": null, "evidence": null }),
                json!({ "instance": "a", "input": "x" }),
            ),
            (
                Cancel,
                json!({ "jobId": "j", "outcome": null, "detail": null }),
                json!({ "jobId": "j" }),
            ),
            // Required and unknown keys stay, for the check to refuse.
            (
                Accept,
                json!({ "jobId": null, "stepToken": null, "candidateText": null }),
                json!({ "jobId": null, "stepToken": null, "candidateText": null }),
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "signal": null }),
                json!({ "instance": "a", "input": "x", "signal": null }),
            ),
            (Prepare, json!([null]), json!([null])),
        ] {
            assert_eq!(read(tool, given), meant);
        }
    }

    #[test]
    fn a_context_that_is_the_json_of_messages_is_read_back() {
        let read_context = |context: Value| {
            let arguments = json!({ "instance": "a", "input": "x", "context": context });
            read(ToolName::Prepare, arguments)["context"].take()
        };
        let messages = json!([
            { "role": "user", "content": "Which orders?" },
            { "content": "000123 and 000124", "role": "assistant" },
            { "role": "tool", "content": "" },
        ]);
        assert_eq!(read_context(Value::String(messages.to_string())), messages);
        assert_eq!(
            read_context(Value::String(format!(" \n{messages:#}\t"))),
            messages
        );
        for text in [
            "",
            "[]",
            "[1]",
            "[note] the user is in a hurry",
            "background",
            r#"{"role":"user","content":"x"}"#,
            r#"[{"role":"system","content":"x"}]"#,
            r#"[{"role":"user","content":1}]"#,
            r#"[{"role":"user"}]"#,
            r#"[{"role":"user","content":"x","name":"n"}]"#,
            r#"[{"role":"user","content":"x"},null]"#,
            r#"[{"role":"user","content":"x"}] and more"#,
        ] {
            assert_eq!(read_context(json!(text)), json!(text));
        }
        assert_eq!(read_context(messages.clone()), messages);
    }

    #[test]
    fn refusals_name_the_place_and_never_the_value() {
        use ToolName::{Accept, Cancel, Prepare};
        let secret = "SECRET-WORDS";
        for (tool, arguments, words) in [
            (Prepare, json!({}), "lacks the required key \"instance\""),
            (
                Prepare,
                json!({ "instance": "a" }),
                "lacks the required key \"input\"",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": [secret] }),
                "arguments/input",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "extra": secret }),
                "unknown key \"extra\"",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "signal": null }),
                "unknown key \"signal\"",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "fields": [1] }),
                "arguments/fields/0",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "context": { "a": secret } }),
                "arguments/context",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "context": [{ "role": secret, "content": "x" }] }),
                "arguments/context/0/role",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "context": [{ "role": "user" }] }),
                "\"content\"",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "context": [{ "role": "user", "content": "x", "$invalid": secret }] }),
                "$invalid",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "context": [secret] }),
                "arguments/context/0",
            ),
            (
                Accept,
                json!({ "stepToken": "s", "candidateText": "{}" }),
                "\"jobId\"",
            ),
            (
                Accept,
                json!({ "jobId": 1, "stepToken": "s", "candidateText": "{}" }),
                "arguments/jobId",
            ),
            (
                Accept,
                json!({ "jobId": "j", "stepToken": "s", "candidateText": { "x": secret } }),
                "arguments/candidateText",
            ),
            (
                Cancel,
                json!({ "jobId": "j", "outcome": secret }),
                "arguments/outcome",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": null }),
                "arguments/input",
            ),
            (
                Accept,
                json!({ "jobId": "j", "stepToken": "s", "candidateText": { "x": secret } }),
                "as JSON.stringify gives it",
            ),
            (
                Accept,
                json!({ "jobId": "j", "stepToken": "s", "candidateText": [secret] }),
                "arguments/candidateText",
            ),
        ] {
            let error = check(tool, &read(tool, arguments)).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InputInvalid);
            assert!(
                error.message().contains(words),
                "{words}: {}",
                error.message()
            );
            assert!(
                error.message().starts_with(tool.as_str()),
                "{}",
                error.message()
            );
            assert!(!error.message().contains(secret), "{}", error.message());
        }
        let long = "k".repeat(1 << 20);
        let error = check(Cancel, &json!({ "jobId": "j", long: 1 })).unwrap_err();
        assert!(error.message().len() < 400);
    }
}
