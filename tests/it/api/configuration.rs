//! What is refused before anything is opened, and the address rule for names.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use intent_runtime::executor::ModelExecutor as _;
use intent_runtime::executor::api::{
    ApiExecutor, ApiExecutorConfig, Format, Protocol, Provider, Secret,
};
use intent_runtime::{ErrorCode, Stage};
use serde_json::{Value, json};

use super::support::*;

fn with(over: &Value) -> Value {
    let mut value = json!({ "provider": "openai", "model": "m", "apiKey": "k" });
    for (key, over) in over.as_object().unwrap() {
        // `{}` stands for `undefined`, which JSON has not.
        if over == &json!({}) {
            value.as_object_mut().unwrap().remove(key);
        } else {
            value[key] = over.clone();
        }
    }
    value
}

#[test]
fn refused() {
    for (over, says) in [
        (
            json!({ "provider": "other" }),
            "provider must be \"openai\" or \"xai\", got \"other\".",
        ),
        // A key in the wrong place is a key.
        (
            json!({ "provider": "sk-0123456789abcdefghij" }),
            "provider must be \"openai\" or \"xai\", got another text.",
        ),
        (
            json!({ "protocol": "xsk-0x", "apiKey": "sk-0" }),
            "protocol must be \"responses\" or \"chat-completions\", got another text.",
        ),
        (
            json!({ "baseURL": "sk-0123456789abcdefghij" }),
            "baseURL must be an absolute http or https URL.",
        ),
        (json!({ "provider": {} }), "provider is missing"),
        (
            json!({ "provider": 1 }),
            "provider must be \"openai\" or \"xai\", got a number.",
        ),
        (json!({ "model": "" }), "model must be a non-blank string"),
        (
            json!({ "model": " \u{feff}" }),
            "model must be a non-blank string",
        ),
        (
            json!({ "model": 1 }),
            "model must be a string, got a number",
        ),
        (json!({ "model": {} }), "model is missing"),
        (json!({ "apiKey": "" }), "apiKey must be a non-blank string"),
        (json!({ "apiKey": {} }), "apiKey is missing"),
        (
            json!({ "apiKey": null }),
            "apiKey must be a string or a function that gives one, got null",
        ),
        (json!({ "apiKey": "a\nb" }), "apiKey cannot be sent"),
        (json!({ "apiKey": "ab\n" }), "apiKey cannot be sent"),
        (json!({ "apiKey": " ab" }), "apiKey cannot be sent"),
        (json!({ "apiKey": "clé" }), "apiKey cannot be sent"),
        (json!({ "apiKey": "a\u{0}" }), "apiKey cannot be sent"),
        (
            json!({ "protocol": "messages" }),
            "protocol must be \"responses\" or \"chat-completions\", got \"messages\".",
        ),
        (
            json!({ "format": "json" }),
            "format must be \"json_schema\", \"json_object\" or \"text\", got \"json\".",
        ),
        (
            json!({ "format": null }),
            "format must be \"json_schema\", \"json_object\" or \"text\", got null.",
        ),
        (
            json!({ "maxOutputTokens": 0 }),
            "maxOutputTokens must be a positive safe integer, got 0.",
        ),
        (
            json!({ "maxOutputTokens": 1.5 }),
            "maxOutputTokens must be a positive safe integer, got 1.5.",
        ),
        (
            json!({ "maxOutputTokens": "1" }),
            "maxOutputTokens must be a positive safe integer, got a string.",
        ),
        (
            json!({ "maxResponseBytes": -1 }),
            "maxResponseBytes must be a positive safe integer, got -1.",
        ),
        (
            json!({ "maxResponseBytes": 9_007_199_254_740_992_u64 }),
            "maxResponseBytes must be a positive safe integer",
        ),
        (
            json!({ "extra": 1 }),
            "unknown key \"extra\"; it takes provider, protocol, model",
        ),
        (json!({ "__proto__": 1 }), "unknown key \"__proto__\""),
        (json!({ "provider, protocol": 1 }), "unknown key"),
        (
            json!({ "baseURL": "" }),
            "baseURL must be an absolute http or https URL, got \"\".",
        ),
        (
            json!({ "baseURL": 1 }),
            "baseURL must be a string, got a number.",
        ),
        (
            json!({ "baseURL": "gateway" }),
            "baseURL must be an absolute http or https URL, got \"gateway\".",
        ),
        (
            json!({ "baseURL": "ftp://x/v1" }),
            "baseURL must be an absolute http or https URL",
        ),
        (
            json!({ "baseURL": "//host/v1" }),
            "baseURL must be an absolute http or https URL",
        ),
        (
            json!({ "baseURL": "https://exa mple/v1" }),
            "baseURL must not contain white space",
        ),
        (
            json!({ "baseURL": "https://x.example:99999/v1" }),
            "baseURL is no URL: invalid port number",
        ),
        (
            json!({ "baseURL": "https://user:hunter2@x.example/v1" }),
            "baseURL must not carry credentials",
        ),
        (
            json!({ "baseURL": "https://x.example/v1?key=hunter2" }),
            "baseURL must not have a query or fragment",
        ),
        (
            json!({ "baseURL": "http://8.8.8.8/v1" }),
            "plain http to 8.8.8.8",
        ),
        (
            json!({ "baseURL": "http://0x8080808/v1" }),
            "plain http to 8.8.8.8",
        ),
        (
            json!({ "baseURL": "http://[2001:4860:4860::8888]/v1" }),
            "plain http to 2001:4860:4860::8888",
        ),
        (
            json!({ "baseURL": "http://0.0.0.0/v1" }),
            "plain http to 0.0.0.0",
        ),
    ] {
        let error = ApiExecutor::from_value(&with(&over), None).expect_err(&over.to_string());
        assert_eq!(
            (error.code(), error.stage()),
            (ErrorCode::ConfigInvalid, Stage::Config)
        );
        assert!(error.message().contains(says), "{over}: {error}");
        assert!(!error.message().contains("hunter2"), "{error}");
    }
    for value in [json!(null), json!([]), json!("x")] {
        assert!(ApiExecutor::from_value(&value, None).is_err());
    }
}

#[test]
fn taken() {
    let config = ApiExecutorConfig::from_value(&with(&json!({}))).unwrap();
    assert_eq!(config.provider, Provider::OpenAi);
    assert_eq!(config.protocol, Protocol::Responses);
    assert_eq!(config.format, Format::JsonSchema);
    assert_eq!(config.base_url, None);
    assert_eq!(
        (config.max_output_tokens, config.max_response_bytes),
        (8192, 8_388_608)
    );
    assert_eq!(config.connect_timeout.as_secs(), 30);
    for over in [
        json!({ "provider": "xai", "protocol": "chat-completions", "format": "text" }),
        json!({ "maxOutputTokens": 9_007_199_254_740_991_u64, "maxResponseBytes": 1 }),
        json!({ "apiKey": "with space and\ttab" }),
        json!({ "baseURL": "https://gateway.example.com/v1" }),
        json!({ "baseURL": "https://8.8.8.8/v1" }),
        json!({ "baseURL": "http://gateway.example.com/v1" }),
        json!({ "baseURL": "http://localhost:1/v1" }),
        json!({ "baseURL": "http://127.9.9.9/v1" }),
        json!({ "baseURL": "http://[::1]:8080/v1" }),
        json!({ "baseURL": "http://10.0.0.5/v1" }),
        json!({ "baseURL": "http://172.31.255.1/v1" }),
        json!({ "baseURL": "http://192.168.1.9/v1" }),
        json!({ "baseURL": "http://[fd00::1]/v1" }),
        json!({ "baseURL": "http://169.254.1.1/v1" }),
    ] {
        let executor =
            ApiExecutor::from_value(&with(&over), None).unwrap_or_else(|e| panic!("{over}: {e}"));
        assert!(executor.id().starts_with("api:"));
    }
}

#[test]
fn the_rust_configuration_is_checked_too() {
    for change in [
        (|config: &mut ApiExecutorConfig| config.max_response_bytes = 0) as fn(&mut _),
        |config| config.max_output_tokens = u64::MAX,
        |config| config.model.clear(),
        |config| config.api_key = Secret::new("\n").into(),
        |config| config.base_url = Some("http://1.1.1.1".into()),
    ] {
        let mut config = config("https://x.example");
        change(&mut config);
        assert_eq!(
            ApiExecutor::new(config).unwrap_err().code(),
            ErrorCode::ConfigInvalid
        );
    }
}

/// A name over plain http is resolved when a connection is made; one public answer refuses it.
#[test]
fn names_over_plain_http() {
    let server = Server::json(200, &responses_envelope("{}"));
    let port = server.address.port();
    let at = |answers: &'static [&str]| {
        let mut config = config(format!("http://gateway.example:{port}/v1"));
        config.environment.lookup = Some(Arc::new(move |name: &str| {
            assert_eq!(name, "gateway.example");
            Ok(answers
                .iter()
                .map(|a| a.parse::<IpAddr>().unwrap())
                .collect())
        }));
        ApiExecutor::new(config).unwrap()
    };
    ask(&at(&["127.0.0.1"])).unwrap();
    ask(&at(&["::ffff:127.0.0.1"])).unwrap();
    assert_eq!(
        server.seen()[0].header("host"),
        Some(&*format!("gateway.example:{port}"))
    );
    for (answers, public) in [
        (&["93.184.216.34"][..], "93.184.216.34"),
        (&["127.0.0.1", "93.184.216.34"], "93.184.216.34"),
        (&["93.184.216.34", "127.0.0.1"], "93.184.216.34"),
        (&["127.0.0.1", "0.0.0.0"], "0.0.0.0"),
        (&["::ffff:8.8.8.8"], "::ffff:8.8.8.8"),
    ] {
        let error = fails(&at(answers), "MODEL_REQUEST_FAILED/model");
        let why = format!(
            "\"gateway.example\" resolves to {public}, which is not private, and plain http goes to loopback and private addresses only"
        );
        assert!(error.message().contains(&why), "{error}");
    }
    fails(&at(&[]), "MODEL_REQUEST_FAILED/model");
    assert_eq!(server.seen().len(), 2);

    let mut config = config("http://gateway.example/v1");
    config.environment.lookup = Some(Arc::new(|_: &str| Err(io::Error::other("no such name"))));
    let error = fails(
        &ApiExecutor::new(config).unwrap(),
        "MODEL_REQUEST_FAILED/model",
    );
    assert!(error.message().contains("no such name"), "{error}");
}
