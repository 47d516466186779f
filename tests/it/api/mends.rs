//! Refusals that name the option which mends them, in the words of the services that people have.

use intent_runtime::executor::api::{
    ApiExecutor, ApiExecutorConfig, ApiKey, Format, OutputLimit, Protocol,
};
use serde_json::{Value, json};

use super::support::*;

/// The message for an answer to these options.
fn told(status: u16, body: &str, change: impl FnOnce(&mut ApiExecutorConfig)) -> String {
    let server = Server::raw(response(status, "", body.as_bytes()));
    let mut config = config(server.base());
    config.protocol = Protocol::ChatCompletions;
    change(&mut config);
    let error = ask(&ApiExecutor::new(config).unwrap()).unwrap_err();
    assert!(!error.message().contains("PROVIDER-SECRET"), "{error}");
    error.message().to_owned()
}

const STORE: &str = "body: { store: null }";
const OBJECT: &str = "format: \"json_object\"";
const TOKENS: &str = "outputLimit: \"max_tokens\"";

#[test]
fn fields_that_a_service_does_not_know() {
    let mistral = |field: &str| json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", field], "msg": "Extra inputs are not permitted", "input": "PROVIDER-SECRET" }] });
    let openai = |message: &str, param: Value| json!({ "error": { "message": format!("{message} PROVIDER-SECRET"), "type": "invalid_request_error", "param": param, "code": null } });
    for (status, body, mends) in [
        (422, mistral("store"), vec![STORE]),
        (422, mistral("max_completion_tokens"), vec![TOKENS]),
        (
            422,
            json!({ "object": "error", "message": { "detail": [{ "loc": ["body", "store"] }, { "loc": ["body", "max_completion_tokens"] }] } }),
            vec![STORE, TOKENS],
        ),
        // Gemini's compatible endpoint
        (
            400,
            json!([{ "error": { "code": 400, "message": "Invalid JSON payload received. Unknown name \"store\": Cannot find field.", "status": "INVALID_ARGUMENT" } }]),
            vec![STORE],
        ),
        // DeepSeek, DashScope, OpenAI
        (
            400,
            openai("This response_format type is unavailable now", json!(null)),
            vec![OBJECT],
        ),
        (
            400,
            openai("Unsupported value", json!("response_format")),
            vec![OBJECT],
        ),
        (
            400,
            openai("'json_schema' is not supported", json!(null)),
            vec![OBJECT],
        ),
        (
            400,
            openai("Unsupported parameter: 'max_tokens'", json!("max_tokens")),
            vec![TOKENS],
        ),
        (
            400,
            openai(
                "parameter.enable_thinking must be set to false for non-streaming calls",
                json!(null),
            ),
            vec!["body: { enable_thinking: false }"],
        ),
        (400, json!({ "error": "unknown field: store" }), vec![STORE]),
        (400, json!("json: unknown field \"store\""), vec![STORE]),
        // What no field is named in, or not as a word, or by what it repeats of the request.
        (
            400,
            openai("the datastore is restored, see store_id", json!(null)),
            vec![],
        ),
        (
            400,
            json!({ "detail": [{ "loc": ["body", "messages"], "msg": "too long", "input": "in which store?" }] }),
            vec![],
        ),
        (
            400,
            openai("context length exceeded", json!("messages")),
            vec![],
        ),
        (500, mistral("store"), vec![]),
        (403, mistral("store"), vec![]),
    ] {
        let message = told(status, &body.to_string(), |_| {});
        for mend in [STORE, OBJECT, TOKENS, "enable_thinking"] {
            let expected = mends.iter().any(|m| m.contains(mend));
            assert_eq!(message.contains(mend), expected, "{mend}: {message}");
        }
    }
    assert!(told(400, "unknown field store in body", |_| {}).contains(STORE));
    assert!(
        !told(
            400,
            &format!("{{\"error\":\"store {}\"}}", "x".repeat(70_000)),
            |_| {}
        )
        .contains(STORE)
    );
}

/// Only what was sent can be mended.
#[test]
fn fields_that_were_not_sent() {
    let body = r#"{"error":"store, response_format, max_tokens, max_completion_tokens, json_object, max_output_tokens"}"#;
    for (change, says, says_not) in [
        (
            (|c| c.format = Format::Text) as fn(&mut ApiExecutorConfig),
            vec![STORE, TOKENS],
            vec!["format:"],
        ),
        (
            |c| c.format = Format::JsonObject,
            vec!["format: \"text\""],
            vec![OBJECT],
        ),
        (
            |c| c.output_limit = Some(OutputLimit::MaxTokens),
            vec!["outputLimit: \"max_completion_tokens\""],
            vec![TOKENS],
        ),
        (
            |c| c.output_limit = Some(OutputLimit::None),
            vec![STORE],
            vec!["outputLimit"],
        ),
        (
            |c| drop(c.body.insert("store".into(), Value::Null)),
            vec![OBJECT],
            vec![STORE],
        ),
        (
            |c| c.protocol = Protocol::Responses,
            vec![STORE, "outputLimit: \"none\""],
            vec![TOKENS],
        ),
    ] {
        let message = told(400, body, change);
        for mend in says {
            assert!(message.contains(mend), "{mend}: {message}");
        }
        for mend in says_not {
            assert!(!message.contains(mend), "{mend}: {message}");
        }
    }
    let message = told(400, r#"{"error":{"param":"text.format"}}"#, |c| {
        c.protocol = Protocol::Responses;
    });
    assert!(message.contains(OBJECT), "{message}");
}

#[test]
fn places_that_are_not_there() {
    for status in [404, 405] {
        let message = told(status, "", |_| {});
        let says = format!(
            "The service answered POST \"/v1/chat/completions\" with HTTP {status}; check baseURL, protocol and model."
        );
        assert_eq!(message, says);
    }
    let message = told(404, r#"{"error":{"code":"model_not_found"}}"#, |c| {
        c.protocol = Protocol::Responses;
    });
    assert!(
        message.contains("POST \"/v1/responses\" with HTTP 404 (code model_not_found)"),
        "{message}"
    );
}

#[test]
fn keys_and_credit() {
    let message = told(401, "", |c| c.api_key = ApiKey::None);
    assert!(message.contains("no apiKey was given"), "{message}");
    assert!(told(403, "", |_| {}).contains("check apiKey"));
    let spent = told(429, r#"{"error":{"code":"insufficient_quota"}}"#, |_| {});
    assert!(spent.contains("no credit left"), "{spent}");
    // Whose words are the object's own.
    let mistral = told(
        429,
        r#"{"object":"error","type":"rate_limited","code":"1300","message":"PROVIDER-SECRET"}"#,
        |_| {},
    );
    assert!(
        mistral.contains("(type rate_limited, code 1300); wait"),
        "{mistral}"
    );
    let gemini = told(
        429,
        r#"[{"error":{"code":429,"message":"PROVIDER-SECRET","status":"RESOURCE_EXHAUSTED"}}]"#,
        |_| {},
    );
    assert!(gemini.contains("(code 429); wait"), "{gemini}");
}
