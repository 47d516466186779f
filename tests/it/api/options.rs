//! Options for services that want something else than OpenAI's own.

use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use intent_runtime::executor::BoxFuture;
use intent_runtime::executor::api::{
    ApiExecutor, ApiExecutorConfig, ApiKey, Format, KeyError, KeySource, OutputLimit, Protocol,
    Secret,
};
use intent_runtime::{ErrorCode, IntentError, Stage};
use serde_json::{Map, Value, json};

use super::support::*;

const BOTH: [Protocol; 2] = [Protocol::Responses, Protocol::ChatCompletions];

fn server(protocol: Protocol) -> Server {
    Server::json(
        200,
        &match protocol {
            Protocol::Responses => responses_envelope("{}"),
            Protocol::ChatCompletions => chat_envelope("{}"),
        },
    )
}

/// What a service sees of one question with these options.
fn seen(protocol: Protocol, change: impl FnOnce(&mut ApiExecutorConfig)) -> Seen {
    let server = server(protocol);
    let mut config = config(server.base());
    config.protocol = protocol;
    change(&mut config);
    ask(&ApiExecutor::new(config).unwrap()).unwrap();
    server.seen().remove(0)
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other}"),
    }
}

fn keys(body: &Value) -> Vec<&String> {
    body.as_object().unwrap().keys().collect()
}

#[test]
fn json_object() {
    for protocol in BOTH {
        let body = seen(protocol, |config| config.format = Format::JsonObject).json();
        let system = body
            .pointer("/instructions")
            .or(body.pointer("/messages/0/content"));
        assert_eq!(
            system.unwrap(),
            &format!("Do it.\n\nOutput schema (JSON Schema): {}", schema().text)
        );
        let format = body
            .pointer("/text/format")
            .or(body.pointer("/response_format"));
        assert_eq!(format, Some(&json!({ "type": "json_object" })));
    }
}

#[test]
fn output_limits() {
    for (limit, sent) in [
        (None, "max_completion_tokens"),
        (
            Some(OutputLimit::MaxCompletionTokens),
            "max_completion_tokens",
        ),
        (Some(OutputLimit::MaxTokens), "max_tokens"),
        (Some(OutputLimit::None), ""),
    ] {
        let body = seen(Protocol::ChatCompletions, |config| {
            config.output_limit = limit;
        })
        .json();
        let limits: Vec<_> = keys(&body)
            .into_iter()
            .filter(|key| key.contains("max"))
            .collect();
        assert_eq!(limits, if sent.is_empty() { vec![] } else { vec![sent] });
        assert!(sent.is_empty() || body[sent] == 8192);
    }
    let body = seen(Protocol::Responses, |config| {
        config.output_limit = Some(OutputLimit::None);
    });
    assert!(body.json().get("max_output_tokens").is_none());
    for limit in [OutputLimit::MaxTokens, OutputLimit::MaxCompletionTokens] {
        let mut config = config("https://x.example");
        config.output_limit = Some(limit);
        let error = ApiExecutor::new(config).unwrap_err();
        assert!(error.message().contains("outputLimit"), "{error}");
    }
}

#[test]
fn bodies_are_merged_last() {
    for (protocol, limit) in [
        (Protocol::Responses, "max_output_tokens"),
        (Protocol::ChatCompletions, "max_completion_tokens"),
    ] {
        let before = seen(protocol, |_| {}).json();
        let own = json!({
            "enable_thinking": false, "__proto__": { "a": null }, "temperature": 0.7,
            "store": true, (limit): 5, "nothing": null, "max_tokens": [1],
        });
        let body = seen(protocol, |config| config.body = fields(own.clone())).json();
        for (name, value) in own.as_object().unwrap() {
            match value {
                Value::Null => assert_eq!(body.get(name), None),
                value => assert_eq!(&body[name], value),
            }
        }
        for kept in [
            "model",
            "stream",
            "messages",
            "input",
            "instructions",
            "text",
        ] {
            assert_eq!(body.get(kept), before.get(kept));
        }
        // Each field is there once, whoever wrote it.
        let sent = seen(protocol, |config| config.body = fields(own));
        assert_eq!(
            String::from_utf8(sent.body)
                .unwrap()
                .matches("\"store\"")
                .count(),
            1
        );

        let taken = json!({ "store": null, (limit): null });
        let body = seen(protocol, |config| config.body = fields(taken)).json();
        assert!(body.get("store").is_none() && body.get(limit).is_none());
    }
    let body = seen(Protocol::ChatCompletions, |config| {
        config.output_limit = Some(OutputLimit::MaxTokens);
        config.body = fields(json!({ "max_tokens": null }));
    });
    assert!(body.json().get("max_tokens").is_none());
}

#[test]
fn bodies_leave_the_question_alone() {
    for (name, says) in [
        ("model", "option model"),
        ("messages", "the question"),
        ("input", "the question"),
        ("instructions", "the question"),
        ("stream", "read whole"),
        ("tools", "no tools"),
        ("functions", "no tools"),
        ("response_format", "option format"),
        ("text", "option format"),
    ] {
        for value in [json!(null), json!("x")] {
            let mut config = config("https://x.example");
            config.body = fields(json!({ "seed": 1, (name): value }));
            let error = ApiExecutor::new(config).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ConfigInvalid);
            assert!(
                error
                    .message()
                    .contains(&format!("body must not have the field \"{name}\""))
            );
            assert!(error.message().contains(says), "{error}");
        }
    }
}

#[test]
fn headers_are_sent() {
    for protocol in BOTH {
        let seen = seen(protocol, |config| {
            config.headers = vec![
                ("X-Application".into(), Secret::new("orders; a=\"b\"")),
                ("api-key".into(), Secret::new("k\tk")),
                ("user-agent".into(), Secret::new("ours/1")),
                ("Accept".into(), Secret::new("*/*")),
            ];
        });
        assert_eq!(seen.header("x-application"), Some("orders; a=\"b\""));
        assert_eq!(seen.header("api-key"), Some("k\tk"));
        assert_eq!(seen.header("user-agent"), Some("ours/1"));
        assert_eq!(seen.header("accept"), Some("*/*"));
        assert_eq!(
            seen.header("authorization"),
            Some(&*format!("Bearer {KEY}"))
        );
    }
}

#[test]
fn headers_that_are_refused() {
    for (name, value, says) in [
        ("authorization", "v4lue-0123", "is written from apiKey"),
        ("Authorization", "v4lue-0123", "is written from apiKey"),
        ("HOST", "v4lue-0123", "cannot be set"),
        ("content-type", "v4lue-0123", "cannot be set"),
        ("Content-Length", "v4lue-0123", "cannot be set"),
        ("content-anything", "v4lue-0123", "cannot be set"),
        ("transfer-encoding", "v4lue-0123", "cannot be set"),
        ("Connection", "v4lue-0123", "cannot be set"),
        ("", "v4lue-0123", "no name"),
        ("a b", "v4lue-0123", "no name"),
        ("é", "v4lue-0123", "no name"),
        ("x\n", "v4lue-0123", "no name"),
        ("x", "", "non-blank"),
        ("x", " \t", "non-blank"),
        ("x", "v4lue-0123\r\ny: z", "cannot be sent"),
        ("x", " v4lue-0123", "cannot be sent"),
        ("x", "v4lue-0123\u{0}", "cannot be sent"),
        ("x", "v4lue-0123 é", "cannot be sent"),
        ("X-App", "v4lue-0123", "given twice"),
    ] {
        let mut config = config("https://x.example");
        config.headers = vec![
            ("x-app".into(), Secret::new("orders")),
            (name.into(), Secret::new(value)),
        ];
        let error = ApiExecutor::new(config).expect_err(name);
        assert_eq!(
            (error.code(), error.stage()),
            (ErrorCode::ConfigInvalid, Stage::Config)
        );
        assert!(error.message().contains(says), "{name}: {error}");
        assert!(error.message().starts_with("headers["), "{error}");
        assert!(!error.message().contains("v4lue"), "{error}");
    }
}

/// A service that repeats a header's value tells nobody.
#[test]
fn header_values_are_secret() {
    let secret = "Token hunter2-0123456789";
    for told in ["hunter2-0123456789", "x.hunter2-0123456789"] {
        let body = json!({ "error": { "type": told, "code": "c", "param": told } });
        let server = Server::json(400, &body);
        let mut config = config(server.base());
        config.headers = vec![("x-key".into(), Secret::new(secret))];
        let shown = format!("{config:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
        let executor = ApiExecutor::new(config).unwrap();
        assert!(!format!("{executor:?}").contains("hunter2"));
        let error = fails(&executor, "MODEL_REQUEST_FAILED/model");
        assert!(error.message().contains("(code c)"), "{error}");
    }
}

#[test]
fn no_key() {
    for protocol in BOTH {
        let seen = seen(protocol, |config| config.api_key = ApiKey::None);
        assert_eq!(seen.header("authorization"), None);
    }
    let value = json!({ "provider": "openai", "model": "m", "baseURL": "http://127.0.0.1:1/v1" });
    ApiExecutor::from_value(&value, None).unwrap();
    let value = json!({ "provider": "openai", "model": "m" });
    let error = ApiExecutor::from_value(&value, None).unwrap_err();
    assert!(error.message().contains("apiKey is missing"), "{error}");
}

/// Every kind of source is asked for each request, one that waits included.
#[test]
fn keys_of_a_source() {
    struct Rotating(AtomicUsize);

    impl KeySource for Rotating {
        fn key(&self) -> BoxFuture<'_, Result<Secret, KeyError>> {
            let n = self.0.fetch_add(1, SeqCst);
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok(Secret::new(format!("key-{n}")))
            })
        }
    }

    let count = || {
        let n = AtomicUsize::new(0);
        move || Secret::new(format!("key-{}", n.fetch_add(1, SeqCst)))
    };
    let (first, second) = (count(), count());
    for source in [
        ApiKey::from_source(Rotating(AtomicUsize::new(0))),
        ApiKey::from_source(move || ready(Ok(first()))),
        ApiKey::from_fn(move || Ok(second())),
    ] {
        let server = server(Protocol::Responses);
        let mut config = config(server.base());
        config.api_key = source;
        assert!(!format!("{config:?}").contains("key-"), "{config:?}");
        let executor = ApiExecutor::new(config).unwrap();
        for _ in 0..3 {
            ask(&executor).unwrap();
        }
        let keys: Vec<_> = server
            .seen()
            .iter()
            .map(|seen| seen.header("authorization").unwrap().to_owned())
            .collect();
        assert_eq!(keys, ["Bearer key-0", "Bearer key-1", "Bearer key-2"]);
        assert_eq!(server.connections(), 1);
    }
}

#[test]
fn sources_that_give_no_key() {
    let server = server(Protocol::Responses);
    for (given, says) in [
        ("", "blank key"),
        (" \n", "blank key"),
        ("hunter2-0\nx: y", "cannot be sent"),
        (" hunter2-0", "cannot be sent"),
    ] {
        let mut config = config(server.base());
        config.api_key = ApiKey::from_fn(move || Ok(Secret::new(given)));
        let error = fails(
            &ApiExecutor::new(config).unwrap(),
            "MODEL_AUTH_FAILED/model",
        );
        assert!(error.message().contains(says), "{error}");
        assert!(!error.message().contains("hunter2"), "{error}");
        let fixed = executor(server.base()).with_key(Secret::new(given));
        fails(&fixed, "MODEL_AUTH_FAILED/model");
    }
    let mut config = config(server.base());
    config.api_key = ApiKey::from_fn(|| Err("the vault said hunter2".into()));
    let error = fails(
        &ApiExecutor::new(config.clone()).unwrap(),
        "MODEL_AUTH_FAILED/model",
    );
    assert!(!format!("{error} {error:?}").contains("hunter2"));
    let cause = error
        .cause()
        .and_then(|cause| cause.downcast_ref::<KeyError>());
    assert_eq!(cause.unwrap().to_string(), "the vault said hunter2");
    // An error of this crate says itself what it is.
    config.api_key =
        ApiKey::from_fn(|| Err(IntentError::of(ErrorCode::ModelRateLimited, "wait").into()));
    fails(
        &ApiExecutor::new(config.clone()).unwrap(),
        "MODEL_RATE_LIMITED/model",
    );
    config.api_key = ApiKey::from_fn(|| panic!("no"));
    fails(
        &ApiExecutor::new(config.clone()).unwrap(),
        "MODEL_REQUEST_FAILED/model",
    );
    // One that never answers is given up with the question.
    config.api_key = ApiKey::from_source(std::future::pending::<Result<Secret, KeyError>>);
    let executor = ApiExecutor::new(config).unwrap();
    let question = intent_runtime::executor::api::Question {
        instructions: "i",
        payload: "p",
        output: intent_runtime::executor::api::OutputFormat::Object,
    };
    assert!(poll_for(executor.ask(&question), Duration::from_millis(50)).is_none());
    assert_eq!(server.connections(), 0);
}

#[test]
fn other_keys_over_the_same_connections() {
    let server = server(Protocol::Responses);
    let first = executor(server.base());
    ask(&first).unwrap();
    ask(&first.with_key(Secret::new("k-2"))).unwrap();
    ask(&first.with_key(ApiKey::None)).unwrap();
    let keys: Vec<_> = server
        .seen()
        .iter()
        .map(|seen| seen.header("authorization").map(str::to_owned))
        .collect();
    assert_eq!(
        keys,
        [
            Some(format!("Bearer {KEY}")),
            Some("Bearer k-2".to_owned()),
            None
        ]
    );
    assert_eq!(server.connections(), 1);
}

#[test]
fn wrong_types() {
    let with = |over: Value| {
        let mut value = json!({ "provider": "openai", "model": "m", "apiKey": "sk-0123456789" });
        value.as_object_mut().unwrap().extend(fields(over));
        ApiExecutor::from_value(&value, None)
            .unwrap_err()
            .message()
            .to_owned()
    };
    for (over, says) in [
        (
            json!({ "headers": [] }),
            "headers must be a plain object, got an array.",
        ),
        (
            json!({ "headers": null }),
            "headers must be a plain object, got null.",
        ),
        (
            json!({ "headers": { "x": 1 } }),
            "headers[\"x\"] must be a string, got a number.",
        ),
        (
            json!({ "headers": { "x-sk-0123456789": 1 } }),
            "headers: one of them must be a string",
        ),
        (
            json!({ "headers": { "sk-0123456789:": "x" } }),
            "headers: one of them is no name",
        ),
        (
            json!({ "headers": { "host": "h" } }),
            "headers[\"host\"] is written by this package",
        ),
        (
            json!({ "body": "sk-0123456789" }),
            "body must be a plain object, got a string.",
        ),
        (
            json!({ "body": { "model": "m" } }),
            "body must not have the field \"model\"",
        ),
        (
            json!({ "outputLimit": "max" }),
            "outputLimit must be \"max_completion_tokens\", \"max_tokens\" or \"none\", got \"max\".",
        ),
        (
            json!({ "outputLimit": "max_tokens" }),
            "outputLimit names a field of protocol",
        ),
    ] {
        let message = with(over);
        assert!(message.contains(says), "{message}");
        assert!(!message.contains("sk-0123456789"), "{message}");
    }
}
