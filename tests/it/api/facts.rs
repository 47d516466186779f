//! What a program can act on: the answer of a service as data, and whether to try again.

use std::net::TcpListener;

use intent_runtime::executor::api::{ApiExecutor, Protocol, Secret};
use intent_runtime::executor::{ModelReply, ModelUsage};
use intent_runtime::{HttpFact, IntentError};
use serde_json::{Value, json};

use super::support::*;

fn failed(bytes: Vec<u8>) -> IntentError {
    ask(&executor(Server::raw_and_close(bytes).base())).unwrap_err()
}

fn answered(status: u16, headers: &str, body: &Value) -> IntentError {
    failed(response(status, headers, body.to_string().as_bytes()))
}

#[test]
fn of_a_failure() {
    let headers = "x-request-id: req_1\r\nretry-after: 7\r\n";
    let body = json!({ "error": { "type": "t", "code": "c.1", "param": 7, "message": "PROVIDER-SECRET" } });
    assert_eq!(
        answered(503, headers, &body).http(),
        Some(&HttpFact {
            status: 503,
            request_id: Some("req_1".into()),
            retry_after_ms: Some(7000),
            kind: Some("t".into()),
            code: Some("c.1".into()),
            param: Some("7".into()),
        })
    );
    let headers = format!("x-request-id: {KEY}\r\nretry-after: soon\r\n");
    let body = json!({ "error": { "type": KEY, "code": "two words", "param": null } });
    let bare = HttpFact {
        status: 400,
        ..HttpFact::default()
    };
    assert_eq!(answered(400, &headers, &body).http(), Some(&bare));
    // What is no answer of a service has none.
    for error in [
        failed(Vec::new()),
        failed(response(200, "", b"{}")),
        ask(&executor("http://127.0.0.1:1/v1")).unwrap_err(),
    ] {
        assert_eq!(error.http(), None, "{error}");
    }
}

#[test]
fn statuses_that_may_pass() {
    for (status, retryable) in [
        (301, false),
        (400, false),
        (401, false),
        (403, false),
        (404, false),
        (408, true),
        (409, true),
        (413, false),
        (422, false),
        (429, true),
        (500, true),
        (502, true),
        (503, true),
        (529, true),
    ] {
        let error = answered(status, "", &json!({ "error": { "code": "c" } }));
        assert_eq!(error.retryable(), retryable, "{error}");
    }
    for error in [
        json!({ "error": { "code": "insufficient_quota" } }),
        json!({ "error": { "type": "insufficient_quota", "code": null } }),
    ] {
        assert!(!answered(429, "retry-after: 1\r\n", &error).retryable());
    }
    // Even where the word is hidden, since the key is a part of it.
    let body = json!({ "error": { "code": "insufficient_quota" } });
    let server = Server::json(429, &body);
    let mut config = config(server.base());
    config.api_key = Secret::new("quota").into();
    let error = ask(&ApiExecutor::new(config).unwrap()).unwrap_err();
    assert_eq!(
        (error.retryable(), error.http().unwrap().code.as_deref()),
        (false, None)
    );
}

#[test]
fn connections_that_may_do_next_time() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{";
    for (name, bytes, retryable) in [
        ("closed without an answer", "", true),
        ("closed in the head", "HTTP/1.1 200 OK\r\ncontent-", true),
        ("closed in the body", head, true),
        ("closed in a chunk", chunked, true),
        ("no HTTP", "SSH-2.0-OpenSSH_9.0\r\n\r\n", false),
        (
            "no gzip",
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
            false,
        ),
        (
            "no envelope",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
            false,
        ),
        (
            "two lengths",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} ",
            false,
        ),
    ] {
        let error = failed(bytes.as_bytes().to_vec());
        assert_eq!(error.retryable(), retryable, "{name}: {error}");
    }
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let refused = ask(&executor(format!("http://127.0.0.1:{port}/v1"))).unwrap_err();
    assert!(refused.retryable(), "{refused}");
    let no_tls = format!("https://{}/v1", Server::without_tls().address);
    let error = ask(&executor(no_tls)).unwrap_err();
    assert!(!error.retryable(), "{error}");
    let mut lost = config("http://gateway.example/v1");
    lost.environment.lookup = Some(std::sync::Arc::new(|_: &str| {
        Ok(vec!["93.184.216.34".parse().unwrap()])
    }));
    let error = ask(&ApiExecutor::new(lost).unwrap()).unwrap_err();
    assert!(!error.retryable(), "{error}");
}

#[test]
fn of_a_reply() {
    for protocol in [Protocol::Responses, Protocol::ChatCompletions] {
        for (model, told) in [
            (json!("org/model-1:free@v2"), Some("org/model-1:free@v2")),
            (json!(KEY), None),
            (json!("two words"), None),
            (json!(7), None),
            (json!(null), None),
        ] {
            let mut body = match protocol {
                Protocol::Responses => responses_envelope("{}"),
                Protocol::ChatCompletions => chat_envelope("{}"),
            };
            body["model"] = model;
            body["usage"]["prompt_tokens_details"] = json!({ "cached_tokens": 5 });
            body["usage"]["completion_tokens_details"] = json!({ "reasoning_tokens": 0 });
            let headers = "x-request-id: req_2\r\n";
            let server = Server::raw(response(200, headers, body.to_string().as_bytes()));
            let mut config = config(server.base());
            config.protocol = protocol;
            let reply = ask(&ApiExecutor::new(config).unwrap()).unwrap();
            let info = reply.info();
            assert_eq!(info.model.as_deref(), told);
            assert_eq!(info.request_id.as_deref(), Some("req_2"));
            assert_eq!(
                info.usage,
                Some(ModelUsage {
                    input_tokens: Some(11),
                    output_tokens: Some(7),
                    cached_input_tokens: Some(5),
                    reasoning_tokens: Some(0),
                })
            );
        }
    }
    let body = json!({ "status": "incomplete", "model": "m-2" });
    let reply = ask(&executor(Server::json(200, &body).base())).unwrap();
    assert!(
        matches!(&reply, ModelReply::Incomplete { info, .. } if info.model.as_deref() == Some("m-2"))
    );
}
