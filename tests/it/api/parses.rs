//! Whole recognitions through a service.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use intent_runtime::executor::api::ApiExecutor;
use intent_runtime::schema::Origin;
use intent_runtime::{Cancel, Intent, IntentConfig, Request, Stage};
use serde_json::{Value, json};

use super::support::*;

fn core(of: &str) -> String {
    json!({ "normalizedInput": of, "primaryIntent": null, "requirements": [], "prohibitions": [], "intents": [
        { "action": "query", "target": "order 000123", "requirements": [], "blockers": { "clarificationReason": null, "questions": [], "confirmationReason": null, "conditionReason": null } },
    ] })
    .to_string()
}

fn data() -> String {
    json!({
        "data": { "orderId": "000123" },
        "evidence": [{ "path": "/data/orderId", "mode": "exact", "sources": [{ "sourceId": "input", "quote": "000123" }] }],
        "descriptionChecks": [],
        "fieldResults": [{ "path": "/data/orderId", "status": "extracted", "explanation": "stated" }],
        "issues": [],
    })
    .to_string()
}

fn intent(executor: ApiExecutor, change: impl FnOnce(&mut IntentConfig)) -> Intent {
    let mut config = IntentConfig {
        executor: Some(Arc::new(executor)),
        ..IntentConfig::default()
    };
    change(&mut config);
    Intent::new(config).unwrap()
}

/// Core, then data, both with a schema in strict mode.
#[test]
fn both_stages() {
    let server = Server::new(|stream, seen| {
        let payload: Value =
            serde_json::from_str(seen.json()["input"][0]["content"].as_str().unwrap()).unwrap();
        let text = match payload.get("checkedDefault") {
            None => core("Query order 000123."),
            Some(_) => data(),
        };
        let body = responses_envelope(&text).to_string();
        stream.write_all(&response(200, "", body.as_bytes()))?;
        Ok(true)
    });
    let schema = json!({ "type": "object", "properties": { "orderId": { "type": "string" } }, "required": ["orderId"] });
    let intent = intent(executor(server.base()), |config| {
        config.schema = Some((schema, Origin::Json));
    });
    let result = block_on(intent.parse(Request::new("Query order 000123."))).unwrap();
    assert_eq!(
        Value::Object(result.data.clone()),
        json!({ "orderId": "000123" })
    );
    let formats: Vec<_> = server
        .seen()
        .iter()
        .map(|seen| seen.json()["text"]["format"].clone())
        .map(|format| (format["name"].clone(), format["strict"].clone()))
        .collect();
    assert_eq!(
        formats,
        [
            (json!("intent_core"), json!(true)),
            (json!("intent_data"), json!(true))
        ]
    );
    assert_eq!(server.connections(), 1);
}

/// 1,000 parses, 64 at a time: each its own result, over at most 64 connections.
#[test]
fn a_thousand_at_concurrency_64() {
    let server = Server::new(|stream, seen| {
        let payload: Value =
            serde_json::from_str(seen.json()["input"][0]["content"].as_str().unwrap()).unwrap();
        let text = core(payload["currentInput"].as_str().unwrap());
        let body = responses_envelope(&text).to_string();
        stream.write_all(&response(200, "", body.as_bytes()))?;
        Ok(true)
    });
    let intent = intent(executor(server.base()), |config| {
        config.limits.max_concurrent_parses = 64;
    });
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, SeqCst);
                    if n >= 1000 {
                        break;
                    }
                    let input = format!("Query {n}.");
                    let result = block_on(intent.parse(Request::new(&*input))).unwrap();
                    assert_eq!(result.normalized_input, input);
                }
            });
        }
    });
    assert_eq!(server.seen().len(), 1000);
    assert!(server.connections() <= 64, "{}", server.connections());
}

/// A deadline, a cancellation and a disposal end a slow body at once, and its connection.
#[test]
fn every_end_closes_the_connection() {
    for end in ["MODEL_TIMEOUT", "MODEL_ABORTED", "INSTANCE_DISPOSED"] {
        let server = Server::new(|stream, _| {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(20));
            }
        });
        let intent = intent(executor(server.base()), |config| {
            if end == "MODEL_TIMEOUT" {
                config.timeout_ms = 200;
            }
        });
        let cancel = Cancel::new();
        let (later, instance) = (cancel.clone(), intent.clone());
        let ender = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            match end {
                "MODEL_ABORTED" => later.set(),
                "INSTANCE_DISPOSED" => instance.dispose(),
                _ => {}
            }
        });
        let start = Instant::now();
        let error = block_on(intent.parse_until(Request::new("x"), cancel)).unwrap_err();
        assert_eq!((error.code().as_str(), error.stage()), (end, Stage::Core));
        assert!(start.elapsed() < Duration::from_secs(2));
        server.wait_closed(1);
        ender.join().unwrap();
    }
}
