//! The JSON of requests, replies and options, as it is read and written.

use serde_json::{Value, json};

use super::super::{Accepting, Bridge, BridgeConfig, BridgeReply, Session};
use super::{INPUT, good, intent, task, told};
use crate::error::Stage;
use crate::prompt;
use crate::request::Request;

fn session() -> Session {
    let config = BridgeConfig::new([("orders", intent(4000))]);
    Bridge::new(config).unwrap().connect().unwrap()
}

fn ready(accepting: Accepting) -> BridgeReply {
    match accepting {
        Accepting::Ready(reply) => reply,
        Accepting::Pending(_) => panic!("pending"),
    }
}

fn message(reply: &BridgeReply) -> &str {
    match reply {
        BridgeReply::Error { error, .. } => error.message(),
        other => panic!("{}", other.to_json()),
    }
}

#[test]
fn replies_have_the_keys_of_the_documentation() {
    let session = session();
    let reply = session.prepare("orders", Request::new(INPUT).fields([""; 0]));
    let first = task(reply.clone());
    let schema: Value = serde_json::from_str(&prompt::CORE_SCHEMA.text).unwrap();
    assert_eq!(
        reply.to_json(),
        json!({
            "kind": "task",
            "jobId": &*first.job_id,
            "stepToken": &*first.step_token,
            "stage": "core",
            "instructions": &**prompt::CORE_INSTRUCTIONS,
            "payload": &*first.request.payload,
            "format": { "kind": "json_schema", "name": "intent_core", "schema": schema },
        })
        .to_string()
    );
    let result = ready(session.accept(&first.job_id, &first.step_token, good(Stage::Core)));
    assert_eq!(
        result.to_json(),
        r#"{"kind":"result","result":{"input":"Query order 000123.","normalizedInput":"Query order 000123.","primaryIntent":"Query order","requirements":[],"intents":[{"id":"i1","action":"query","target":"order 000123","requirements":[],"status":"ready"}],"prohibitions":[],"data":{}}}"#
    );
    let error = session.prepare("orders", Request::new(" "));
    assert_eq!(
        error.to_json(),
        r#"{"kind":"error","error":{"code":"INPUT_INVALID","stage":"input","message":"input must contain non-whitespace text.","issues":[]}}"#
    );
    for reply in [reply, result, error] {
        assert_eq!(reply.to_json(), serde_json::to_string(&reply).unwrap());
        assert_eq!(
            serde_json::to_value(&reply).unwrap(),
            serde_json::from_str::<Value>(&reply.to_json()).unwrap()
        );
    }
}

#[test]
fn what_is_wrong_is_named_in_the_order_of_checks() {
    let session = session();
    let prepare = |request: Value| session.prepare_value(request);
    for (request, expected) in [
        (json!(null), "request must be an object, got null."),
        (
            json!({ "instance": 1, "input": "", "extra": 1 }),
            "request: unknown key \"extra\"; it takes instance, input, fields, context, evidence.",
        ),
        (
            json!({ "input": "" }),
            "instance must be a string, got nothing.",
        ),
        (
            json!({ "instance": "none", "input": "" }),
            "The bridge has no instance \"none\"; it has \"orders\".",
        ),
        (
            json!({ "instance": "orders" }),
            "input must be a string, got nothing.",
        ),
        (
            json!({ "instance": "orders", "input": " " }),
            "input must contain non-whitespace text.",
        ),
    ] {
        let reply = prepare(request);
        assert_eq!(told(&reply), "INPUT_INVALID/input");
        assert_eq!(message(&reply), expected);
    }

    let first = task(prepare(
        json!({ "instance": "orders", "input": INPUT, "fields": [] }),
    ));
    let (job, token) = (&*first.job_id, &*first.step_token);
    let accept = |request: Value| ready(session.accept_value(request));
    for (request, expected) in [
        (json!("x"), "request must be an object, got a string."),
        (
            json!({ "extra": 1 }),
            "request: unknown key \"extra\"; it takes jobId, stepToken, candidateText.",
        ),
        (
            json!({ "jobId": job, "candidateText": 1 }),
            "stepToken must be a string, got nothing.",
        ),
        (
            json!({ "jobId": job, "stepToken": token, "candidateText": 1 }),
            "candidateText must be a string, got a number.",
        ),
    ] {
        let reply = accept(request);
        assert_eq!(told(&reply), "INPUT_INVALID/input");
        assert_eq!(message(&reply), expected);
    }
    for request in [
        json!({}),
        json!({ "jobId": 1, "stepToken": 1, "candidateText": 1 }),
        json!({ "jobId": job.to_uppercase(), "stepToken": token, "candidateText": "{}" }),
        json!({ "stepToken": token, "candidateText": "{}" }),
    ] {
        assert_eq!(told(&accept(request)), "BRIDGE_JOB_NOT_FOUND/bridge");
    }
    let size =
        accept(json!({ "jobId": job, "stepToken": "forged", "candidateText": "x".repeat(4001) }));
    assert_eq!(told(&size), "LIMIT_EXCEEDED/core");
    assert_eq!(
        message(&size),
        "The candidate of 4001 bytes exceeds limits.maxOutputBytes (4000); ask for fewer fields, or raise the limit."
    );

    let cancel = |request: Value| session.cancel_value(request);
    for (request, expected) in [
        (json!([]), "request must be an object, got an array."),
        (
            json!({ "jobId": job, "outcome": "stopped" }),
            "outcome must be \"cancelled\", \"refusal\" or \"incomplete\", got \"stopped\".",
        ),
        (
            json!({ "jobId": job, "outcome": null }),
            "outcome must be \"cancelled\", \"refusal\" or \"incomplete\", got null.",
        ),
        (
            json!({ "jobId": job, "detail": 7 }),
            "detail must be a string, got a number.",
        ),
        (
            json!({ "jobId": job, "detail": "中".repeat(683) }),
            "detail must be of at most 2048 UTF-8 bytes, got 2049.",
        ),
        (
            json!({ "jobId": job, "signal": 1 }),
            "request: unknown key \"signal\"; it takes jobId, outcome, detail.",
        ),
    ] {
        let reply = cancel(request);
        assert_eq!(told(&reply), "INPUT_INVALID/input");
        assert_eq!(message(&reply), expected);
    }
    assert_eq!(
        told(&cancel(json!({ "outcome": "stopped" }))),
        "BRIDGE_JOB_NOT_FOUND/bridge"
    );
    let ended = cancel(json!({ "jobId": job, "outcome": "refusal", "detail": "中".repeat(682) }));
    assert_eq!(told(&ended), "MODEL_REFUSED/core");
    assert!(message(&ended).ends_with(&"中".repeat(682)));
    // Once the arguments are right, a job that has ended gives its terminal reply.
    assert_eq!(
        told(&cancel(json!({ "jobId": job, "outcome": "stopped" }))),
        "INPUT_INVALID/input"
    );
    assert_eq!(cancel(json!({ "jobId": job })).to_json(), ended.to_json());
}

#[test]
fn options_are_checked() {
    let config = || BridgeConfig::new([("orders", intent(4000))]);
    let set = config()
        .options(&json!({ "maxJobs": 1, "maxReplayEntries": 2.0, "maxReplayBytes": 2_147_483_647_u64, "jobTtlMs": 0, "replayTtlMs": 4 }))
        .unwrap();
    assert_eq!(
        (
            set.max_jobs,
            set.max_replay_entries,
            set.max_replay_bytes,
            set.job_ttl_ms,
            set.replay_ttl_ms
        ),
        (1, 2, 2_147_483_647, 0, 4)
    );
    for (options, expected) in [
        (json!(7), "config must be a plain object, got a number."),
        (
            json!({ "maxJob": 1 }),
            "config: unknown key \"maxJob\" (did you mean \"maxJobs\"?).",
        ),
        (
            json!({ "maxJobs": 0 }),
            "maxJobs must be an integer from 1 to 2147483647, got 0.",
        ),
        (
            json!({ "maxJobs": 1.5 }),
            "maxJobs must be an integer from 1 to 2147483647, got 1.5.",
        ),
        (
            json!({ "maxReplayEntries": null }),
            "maxReplayEntries must be an integer from 1 to 2147483647, got null.",
        ),
        (
            json!({ "maxReplayBytes": 2_147_483_648_u64 }),
            "maxReplayBytes must be an integer from 1 to 2147483647, got 2147483648.",
        ),
        (
            json!({ "jobTtlMs": -1 }),
            "jobTtlMs must be an integer from 0 to 2147483647, got -1.",
        ),
        (
            json!({ "replayTtlMs": "1" }),
            "replayTtlMs must be an integer from 0 to 2147483647, got a string.",
        ),
    ] {
        let error = config().options(&options).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("CONFIG_INVALID (config): {expected}")
        );
    }
    for config in [
        BridgeConfig::default(),
        BridgeConfig {
            max_jobs: 0,
            ..config()
        },
        BridgeConfig {
            replay_ttl_ms: 1 << 31,
            ..config()
        },
        BridgeConfig::new([("a", intent(9)), ("a", intent(9))]),
    ] {
        assert_eq!(
            Bridge::new(config).unwrap_err().code().as_str(),
            "CONFIG_INVALID"
        );
    }
}
