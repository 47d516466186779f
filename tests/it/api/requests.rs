//! What a service sees.

use std::sync::Arc;

use intent_runtime::Stage;
use intent_runtime::executor::api::{
    ApiExecutor, Format, OutputFormat, Protocol, Provider, Question,
};
use intent_runtime::executor::{
    ModelExecutor, ModelFormat, ModelReply, ModelRequest, OutputSchema,
};
use serde_json::json;

use super::support::*;

#[test]
fn responses() {
    let server = Server::json(200, &responses_envelope("{}"));
    let executor = executor(server.base());
    assert_eq!(executor.id(), "api:openai");
    assert!(matches!(ask(&executor), Ok(ModelReply::Complete { text, .. }) if text == "{}"));
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/responses HTTP/1.1");
    assert_eq!(
        seen.header("authorization"),
        Some(&*format!("Bearer {KEY}"))
    );
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("accept"), Some("application/json"));
    assert_eq!(seen.header("accept-encoding"), Some("gzip"));
    assert_eq!(seen.header("host"), Some(&*server.address.to_string()));
    assert_eq!(
        std::str::from_utf8(&seen.body).unwrap(),
        format!(
            r#"{{"model":"m-1","instructions":"Do it.","input":[{{"role":"user","content":"{{\"a\":\"é\\\"\"}}"}}],"max_output_tokens":8192,"store":false,"stream":false,"text":{{"format":{{"type":"json_schema","name":"intent_core","strict":true,"schema":{}}}}}}}"#,
            schema().text
        )
    );
}

#[test]
fn responses_of_xai() {
    let server = Server::json(200, &responses_envelope("{}"));
    let mut config = config(server.base());
    config.provider = Provider::Xai;
    let executor = ApiExecutor::new(config).unwrap();
    assert_eq!(executor.id(), "api:xai");
    ask(&executor).unwrap();
    let body = server.seen()[0].json();
    assert!(body.get("instructions").is_none());
    assert_eq!(
        body["input"],
        json!([{ "role": "system", "content": "Do it." }, { "role": "user", "content": "{\"a\":\"é\\\"\"}" }])
    );
}

#[test]
fn chat_completions() {
    let server = Server::json(200, &chat_envelope("{}"));
    let mut config = config(server.base());
    config.protocol = Protocol::ChatCompletions;
    config.max_output_tokens = 99;
    ask(&ApiExecutor::new(config).unwrap()).unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(
        std::str::from_utf8(&seen.body).unwrap(),
        format!(
            r#"{{"model":"m-1","messages":[{{"role":"system","content":"Do it."}},{{"role":"user","content":"{{\"a\":\"é\\\"\"}}"}}],"response_format":{{"type":"json_schema","json_schema":{{"name":"intent_core","strict":true,"schema":{}}}}},"max_completion_tokens":99,"store":false,"stream":false}}"#,
            schema().text
        )
    );
}

#[test]
fn other_shapes() {
    for protocol in [Protocol::Responses, Protocol::ChatCompletions] {
        let envelope = match protocol {
            Protocol::Responses => responses_envelope("{}"),
            Protocol::ChatCompletions => chat_envelope("{}"),
        };
        let server = Server::json(200, &envelope);
        let mut config = config(server.base());
        config.protocol = protocol;
        let format = |n: usize| {
            let body = server.seen()[n].json();
            let format = body.get("response_format").or(body.get("text")).cloned();
            match protocol {
                Protocol::Responses => format.map(|text| text["format"].clone()),
                Protocol::ChatCompletions => format,
            }
        };
        let put = |executor: &ApiExecutor, output: OutputFormat<'_>| {
            let (instructions, payload) = ("i", "p");
            block_on(executor.ask(&Question {
                instructions,
                payload,
                output,
            }))
            .unwrap();
        };

        let executor = ApiExecutor::new(config.clone()).unwrap();
        put(&executor, OutputFormat::Object);
        assert_eq!(format(0), Some(json!({ "type": "json_object" })));

        // Neither strict nor a name that the services take.
        let schema = OutputSchema::new(r#"{"type":"object","description":"\ud83d\ude00 1.0"}"#);
        let name = "not a name";
        put(
            &executor,
            OutputFormat::Schema {
                name,
                schema: &schema,
                described: false,
            },
        );
        let sent = format(1).unwrap();
        let sent = sent.get("json_schema").unwrap_or(&sent);
        assert_eq!(sent["strict"], json!(false));
        assert_eq!(sent["name"], json!("intent_candidate"));
        assert_eq!(sent["schema"]["description"], json!("😀 1.0"));

        config.format = Format::Text;
        let executor = ApiExecutor::new(config).unwrap();
        put(
            &executor,
            OutputFormat::Schema {
                name,
                schema: &schema,
                described: false,
            },
        );
        put(&executor, OutputFormat::Object);
        assert_eq!((format(2), format(3)), (None, None));
        for seen in server.seen() {
            assert!(seen.json().get("tools").is_none());
        }
    }
}

/// Both stages send their schema, through the trait.
#[test]
fn stages() {
    let server = Server::json(200, &responses_envelope("{}"));
    let executor: Arc<dyn ModelExecutor> = Arc::new(executor(server.base()));
    let data = Arc::new(OutputSchema::new(
        r#"{"type":"object","properties":{"data":{"type":"object"}},"required":["data"],"additionalProperties":false}"#,
    ));
    for (stage, format, output_schema) in [
        (
            Stage::Core,
            ModelFormat::JsonSchema {
                name: "intent_core",
            },
            Arc::new(schema()),
        ),
        (Stage::Data, ModelFormat::JsonObject, data),
    ] {
        block_on(executor.generate(Arc::new(ModelRequest {
            form: intent_runtime::ProofForm::Full,
            stage,
            instructions: "i".into(),
            payload: "{}".into(),
            format,
            output_schema,
        })))
        .unwrap();
    }
    let formats: Vec<_> = server
        .seen()
        .iter()
        .map(|seen| seen.json()["text"]["format"].clone())
        .map(|f| (f["name"].clone(), f["strict"].clone(), f["type"].clone()))
        .collect();
    assert_eq!(
        formats,
        [
            (json!("intent_core"), json!(true), json!("json_schema")),
            (json!("intent_data"), json!(false), json!("json_schema")),
        ]
    );
}

#[test]
fn a_schema_that_is_no_json_is_refused_before_anything_is_sent() {
    let server = Server::json(200, &responses_envelope("{}"));
    let schema = OutputSchema::new("{");
    let error = block_on(executor(server.base()).ask(&Question {
        instructions: "",
        payload: "",
        output: OutputFormat::Schema {
            name: "n",
            schema: &schema,
            described: false,
        },
    }))
    .unwrap_err();
    assert!(error.message().contains("outputSchema"), "{error}");
    assert_eq!(server.connections(), 0);
}

/// Base URLs against the exact request line and `Host`.
#[test]
fn base_urls() {
    let server = Server::json(200, &responses_envelope("{}"));
    let port = server.address.port();
    for (base, path, host) in [
        (
            "http://127.0.0.1:{port}/v1",
            "/v1/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://127.0.0.1:{port}/v1/",
            "/v1/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://127.0.0.1:{port}/v1//",
            "/v1/responses",
            "127.0.0.1:{port}",
        ),
        ("http://127.0.0.1:{port}", "/responses", "127.0.0.1:{port}"),
        ("http://127.0.0.1:{port}/", "/responses", "127.0.0.1:{port}"),
        (
            "http://127.0.0.1:{port}/tenant/openai/v1",
            "/tenant/openai/v1/responses",
            "127.0.0.1:{port}",
        ),
        (
            "HTTP://127.0.0.1:{port}/V1",
            "/V1/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://127.0.0.1:{port}/a%2Fb/%E4%b8%AD/c%20d",
            "/a%2Fb/%E4%b8%AD/c%20d/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://127.0.0.1:{port}/中",
            "/%E4%B8%AD/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://127.0.0.1:{port}/a//b",
            "/a//b/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://0x7f000001:{port}/v1",
            "/v1/responses",
            "127.0.0.1:{port}",
        ),
        (
            "http://[::ffff:127.0.0.1]:{port}/v1",
            "/v1/responses",
            "[::ffff:7f00:1]:{port}",
        ),
        (
            "http://localhost:{port}/v1",
            "/v1/responses",
            "localhost:{port}",
        ),
        (
            "http://LOCALHOST:{port}/v1",
            "/v1/responses",
            "localhost:{port}",
        ),
        (
            "http://localhost.:{port}/v1",
            "/v1/responses",
            "localhost.:{port}",
        ),
        (
            "http://bücher.localhost:{port}/v1",
            "/v1/responses",
            "xn--bcher-kva.localhost:{port}",
        ),
        (
            "http://１２７.0.0.1:{port}/v1",
            "/v1/responses",
            "127.0.0.1:{port}",
        ),
    ] {
        let fill = |text: &str| text.replace("{port}", &port.to_string());
        ask(&executor(fill(base))).unwrap_or_else(|e| panic!("{base}: {e}"));
        let seen = server.seen().pop().unwrap();
        assert_eq!(seen.line, format!("POST {path} HTTP/1.1"), "{base}");
        assert_eq!(seen.header("host"), Some(&*fill(host)), "{base}");
    }
}

#[test]
fn base_urls_of_ipv6() {
    // Machines without IPv6 exist; the literals themselves are tested beside their parser.
    let Some(server) = Server::on_ipv6(&responses_envelope("{}")) else {
        return;
    };
    let port = server.address.port();
    for (host, sent) in [("[::1]", "[::1]"), ("[0:0:0::1]", "[::1]")] {
        ask(&executor(format!("http://{host}:{port}/v1"))).unwrap();
        let seen = server.seen().pop().unwrap();
        assert_eq!(seen.line, "POST /v1/responses HTTP/1.1");
        assert_eq!(seen.header("host"), Some(&*format!("{sent}:{port}")));
    }
}

#[test]
fn connections_are_reused() {
    let server = Server::json(200, &responses_envelope("{}"));
    let executor = executor(server.base());
    for _ in 0..5 {
        ask(&executor).unwrap();
    }
    ask(&executor.clone()).unwrap();
    assert_eq!((server.connections(), server.seen().len()), (1, 6));
}
