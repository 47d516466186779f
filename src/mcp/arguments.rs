//! Arguments against a tool's own schema, before the Bridge sees them.
//!
//! A host's model reads the refusal and must be able to mend the call from it, so it names the
//! place and the rule; the value itself, which may be a user's text, is never repeated.

use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::tools::{ToolName, tools};
use crate::error::{ErrorCode, IntentError};
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
        Some(error) => Err(IntentError::of(
            ErrorCode::InputInvalid,
            format!("{}: {}.", tool.as_str(), explain(&error)),
        )),
    }
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
            // The form that the value has the type of says more than that none fits.
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
        _ => format!("{place}: {}", error.masked_with("the value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn refusals_name_the_place_and_never_the_value() {
        use ToolName::{Accept, Cancel, Prepare};
        let secret = "SECRET-WORDS";
        for (tool, arguments, words) in [
            (Prepare, json!({}), "instance"),
            (Prepare, json!({ "instance": "a" }), "\"input\""),
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
                json!({ "instance": "a", "input": "x", "fields": null }),
                "arguments/fields",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "fields": [1] }),
                "arguments/fields/0",
            ),
            (
                Prepare,
                json!({ "instance": "a", "input": "x", "context": null }),
                "arguments/context",
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
                Cancel,
                json!({ "jobId": "j", "detail": null }),
                "arguments/detail",
            ),
        ] {
            let error = check(tool, &arguments).unwrap_err();
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
