//! Handshake, tools, the loop, the end.

use std::time::{Duration, Instant};

use intent_runtime::Bridge;
use intent_runtime::mcp::{tools, tools_json};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::host::*;

#[tokio::test]
async fn the_server_introduces_itself() {
    let mut host = Host::new();
    let answer = host.initialize("2025-06-18").await;
    let result = &answer["result"];
    assert_eq!(
        result["serverInfo"],
        json!({ "name": "intent-runtime", "version": "1.2.3" })
    );
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    let instructions = result["instructions"].as_str().unwrap();
    for word in [
        "\"orders\", \"plain\"",
        "intent_prepare",
        "intent_accept",
        "intent_cancel",
        "`job`",
    ] {
        assert!(instructions.contains(word), "{word}");
    }
}

#[tokio::test]
async fn every_revision_is_negotiated() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // Has no handshake.
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let mut host = Host::new();
        let answer = host.initialize(asked).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
        // What follows has the shape of a revision with a handshake.
        let task = host
            .call(
                "intent_prepare",
                json!({ "instance": "plain", "input": "x" }),
            )
            .await;
        assert_eq!(task["kind"], "task");
        host.still_there().await;
    }
}

#[tokio::test]
async fn a_client_without_handshake_is_served() {
    let mut host = Host::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let answer = host.ask("server/discover", json!({ "_meta": meta })).await;
    let versions = answer["result"]["supportedVersions"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    let answer = host.ask("tools/list", json!({ "_meta": meta })).await;
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 3);
    let params = json!({ "_meta": meta, "name": "intent_prepare", "arguments": { "instance": "plain", "input": "x" } });
    let answer = host.ask("tools/call", params).await;
    assert_eq!(
        answer["result"]["structuredContent"]["kind"], "task",
        "{answer}"
    );
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[tokio::test]
async fn the_tools_are_declared_once() {
    let mut host = Host::ready().await;
    let listed = host.ask("tools/list", json!({})).await["result"]["tools"].clone();
    assert_eq!(
        serde_json::from_str::<Value>(&tools_json()).unwrap(),
        listed
    );
    let names: Vec<&str> = tools().iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["intent_prepare", "intent_accept", "intent_cancel"]);
    for tool in listed.as_array().unwrap() {
        assert!(tool["description"].as_str().unwrap().contains("job"));
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert_eq!(tool["annotations"], json!({ "readOnlyHint": true }));
    }
}

#[tokio::test]
async fn two_stages_a_repair_a_replay_and_a_cancel() {
    let mut host = Host::ready().await;
    let task = host
        .call(
            "intent_prepare",
            json!({ "instance": "orders", "input": "查询订单 000123" }),
        )
        .await;
    assert_eq!(
        (&task["kind"], &task["stage"]),
        (&json!("task"), &json!("core"))
    );
    let submit = |task: &Value, text: &str| json!({ "jobId": task["jobId"], "stepToken": task["stepToken"], "candidateText": text });

    let repair = host.call("intent_accept", submit(&task, "{}")).await;
    assert_eq!(
        (&repair["kind"], &repair["stage"]),
        (&json!("task"), &json!("core"))
    );
    assert!(
        serde_json::from_str::<Value>(repair["payload"].as_str().unwrap()).unwrap()["repair"]
            .is_object()
    );

    let second = host.call("intent_accept", submit(&repair, &core())).await;
    assert_eq!(second["stage"], "data");
    let result = host.call("intent_accept", submit(&second, &data())).await;
    assert_eq!(result["result"]["data"], json!({ "orderId": "000123" }));
    assert_eq!(
        host.call("intent_accept", submit(&second, &data())).await,
        result
    );
    assert_eq!(
        host.call("intent_accept", submit(&task, "{}")).await,
        repair
    );
    assert_eq!(
        host.call("intent_cancel", json!({ "jobId": task["jobId"] }))
            .await,
        result
    );

    let other = host
        .call(
            "intent_prepare",
            json!({ "instance": "plain", "input": "x" }),
        )
        .await;
    let ended = host
        .call(
            "intent_cancel",
            json!({ "jobId": other["jobId"], "outcome": "refusal", "detail": "no" }),
        )
        .await;
    assert_eq!(ended["error"]["code"], "MODEL_REFUSED");
}

#[tokio::test]
async fn what_is_no_call_of_a_tool_is_a_tool_result() {
    let mut host = Host::ready().await;
    for params in [
        json!({ "name": "intent_run", "arguments": {} }),
        json!({ "name": "", "arguments": {} }),
        json!({ "name": "intent_prepare" }),
        json!({ "name": "intent_prepare", "arguments": null }),
        json!({ "name": "intent_prepare", "arguments": [] }),
        json!({ "name": "intent_prepare", "arguments": "{}" }),
        json!({ "name": "intent_prepare", "arguments": { "instance": "none", "input": "x" } }),
        json!({ "name": "intent_prepare", "arguments": { "instance": "toString", "input": "x" } }),
        json!({ "name": "intent_prepare", "arguments": { "instance": "plain", "input": " \u{feff}" } }),
        json!({ "name": "intent_prepare", "arguments": { "instance": "plain", "input": null } }),
        json!({ "name": "intent_prepare", "arguments": { "instance": "plain", "input": "x", "fields": 7 } }),
        json!({ "name": "intent_accept", "arguments": {} }),
        json!({ "name": "intent_accept", "arguments": { "jobId": 1, "stepToken": "", "candidateText": "" } }),
        json!({ "name": "intent_cancel", "arguments": { "jobId": "x", "outcome": "done" } }),
        json!({ "name": 7 }),
        json!({ "arguments": {} }),
        json!({}),
        json!([]),
        json!("x"),
        json!({ "name": "intent_cancel", "arguments": { "jobId": "x" }, "_meta": 5 }),
    ] {
        let answer = host.ask("tools/call", params).await;
        assert_invalid(&answer);
    }
    host.line(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call"}"#)
        .await;
    assert_invalid(&host.answer().await);
    assert_eq!(host.bridge.usage().records, 0);
    let gone = host
        .call(
            "intent_accept",
            json!({ "jobId": "x", "stepToken": "y", "candidateText": "{}" }),
        )
        .await;
    assert_eq!(gone["error"]["code"], "BRIDGE_JOB_NOT_FOUND");
}

#[tokio::test]
async fn hosts_may_send_null_for_an_absent_key_and_messages_as_text() {
    let mut host = Host::ready().await;
    let messages = json!([{ "role": "assistant", "content": "000123 or 000124?" }]);
    let task = host
        .call(
            "intent_prepare",
            json!({
                "instance": "plain",
                "input": "The second one.",
                "fields": null,
                "evidence": null,
                "context": messages.to_string(),
            }),
        )
        .await;
    assert_eq!(task["kind"], "task", "{task}");
    let payload: Value = serde_json::from_str(task["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload["context"][0]["role"], "assistant");
    let gone = host
        .call(
            "intent_cancel",
            json!({ "jobId": task["jobId"], "outcome": null, "detail": null }),
        )
        .await;
    assert_eq!(gone["error"]["code"], "MODEL_ABORTED", "{gone}");
}

#[tokio::test]
async fn other_methods_are_protocol_errors() {
    let mut host = Host::ready().await;
    for (method, params, code) in [
        ("nonsense", json!({}), -32601),
        ("resources/read", json!({ "uri": "a:b" }), -32601),
        ("tasks/get", json!({ "taskId": "x" }), -32601),
        ("notifications/initialized", json!({}), -32601),
        ("initialize", json!({ "protocolVersion": 5 }), -32602),
        ("initialize", json!({}), -32602),
        ("ping", json!([]), -32600),
        ("logging/setLevel", json!({ "level": "debug" }), -32601),
        (
            "subscriptions/listen",
            json!({ "notifications": {} }),
            -32601,
        ),
    ] {
        assert_refused(&host.ask(method, params).await, code);
    }
    host.still_there().await;
    // A second handshake is answered like the first.
    assert_eq!(
        host.initialize("2024-11-05").await["result"]["protocolVersion"],
        "2024-11-05"
    );
}

#[tokio::test]
async fn five_calls_and_the_end_are_five_answers() {
    for _ in 0..50 {
        let mut host = Host::new();
        for id in 0..5 {
            host.line(call_line(
                id,
                "intent_prepare",
                json!({ "instance": "orders", "input": "x" }),
            ))
            .await;
        }
        host.end_of_input().await;
        let answers = host.rest().await;
        assert_eq!(answers.len(), 5);
        assert!(
            answers
                .values()
                .all(|answer| reply(answer)["kind"] == "task")
        );
        timeout(Duration::from_secs(1), host.service.closed())
            .await
            .unwrap();
        let usage = host.bridge.usage();
        assert_eq!((usage.sessions, usage.records), (0, 0));
    }
}

#[tokio::test]
async fn five_hundred_calls_at_once_with_large_answers() {
    let mut host = Host::with_pipes(1 << 16);
    let input = "查询\"订单\"\\ ".repeat(600);
    let text = (0..500)
        .map(|id| {
            call_line(
                id,
                "intent_prepare",
                json!({ "instance": "orders", "input": input }),
            ) + "\n"
        })
        .collect::<String>();
    // The host reads nothing before it has written everything.
    host.bytes(text).await;
    host.end_of_input().await;
    let answers = host.rest().await;
    assert_eq!(answers.len(), 500);
    for answer in answers.values() {
        let payload = reply(answer)["payload"].as_str().unwrap().to_owned();
        assert_eq!(
            serde_json::from_str::<Value>(&payload).unwrap()["currentInput"],
            input
        );
    }
}

#[tokio::test]
async fn a_host_that_never_reads_is_not_read_without_end() {
    let mut host = Host::with_pipes(1 << 12);
    let ping = format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "id": "x".repeat(1000), "method": "ping" })
    );
    // One write that stands still, however slow the machine is with those before it.
    let mut taken = 0;
    while timeout(Duration::from_secs(2), host.bytes(&ping))
        .await
        .is_ok()
    {
        taken += 1;
        assert!(taken < 50_000, "everything was taken");
    }
    // It can still be closed, though nobody takes the answers.
    let begun = Instant::now();
    timeout(PATIENCE, host.service.close()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn closed_output_ends_the_session() {
    let mut host = Host::ready().await;
    host.close_output();
    host.line(call_line(
        1,
        "intent_prepare",
        json!({ "instance": "plain", "input": "x" }),
    ))
    .await;
    timeout(Duration::from_secs(2), host.service.closed())
        .await
        .unwrap();
    assert_eq!(host.bridge.usage().sessions, 0);
}

#[tokio::test]
async fn close_answers_what_was_accepted_and_may_be_called_again() {
    let mut host = Host::ready().await;
    let task = host
        .call(
            "intent_prepare",
            json!({ "instance": "plain", "input": "x" }),
        )
        .await;
    assert_eq!(task["kind"], "task");
    assert_eq!(host.bridge.usage().active_jobs, 1);
    let begun = Instant::now();
    let (first, second) = (host.service.clone(), host.service.clone());
    tokio::join!(first.close(), second.close(), host.service.closed());
    host.service.close().await;
    assert!(begun.elapsed() < Duration::from_millis(900));
    assert!(host.next().await.is_none());
    assert_eq!(host.bridge.usage().active_jobs, 0);
    // The bridge serves on.
    assert!(host.bridge.connect().is_ok());

    // A call is accepted, and the pipe is too narrow for its answer.
    let mut host = Host::with_pipes(1 << 10);
    host.initialize("2025-06-18").await;
    host.line(call_line(
        7,
        "intent_prepare",
        json!({ "instance": "plain", "input": "x" }),
    ))
    .await;
    until_jobs(&host.bridge, 1).await;
    let service = host.service.clone();
    let ((), answers) = tokio::join!(service.close(), host.rest());
    assert_eq!(reply(&answers["7"])["kind"], "task");
    assert_eq!(answers.len(), 1);
}

/// Waits until so many jobs are active.
async fn until_jobs(bridge: &Bridge, jobs: u64) {
    let reached = async {
        while bridge.usage().active_jobs != jobs {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, reached).await.unwrap();
}

#[tokio::test]
async fn messages_of_a_foreign_transport() {
    let bridge = bridge();
    let (service, incoming, mut outgoing) = server(&bridge).serve_messages();
    assert!(incoming.push(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#));
    assert!(incoming.push(call_line(
        0,
        "intent_prepare",
        json!({ "instance": "plain", "input": "a\nb" })
    )));
    let answer: Value = serde_json::from_str(&outgoing.next().await.unwrap()).unwrap();
    assert_eq!(
        (&answer["id"], &reply(&answer)["kind"]),
        (&json!(0), &json!("task"))
    );
    assert!(incoming.push("{\"jsonrpc\":\"2.0\",\n\"id\":\"\\ud800\",\"method\":\"ping\"}"));
    assert_eq!(
        outgoing.next().await.unwrap(),
        r#"{"jsonrpc":"2.0","id":"\ud800","result":{}}"#
    );
    let long = json!({ "method": "tools/call", "params": "x".repeat(17 << 20), "jsonrpc": "2.0", "id": 9 });
    assert!(incoming.push(long.to_string()));
    let answer: Value = serde_json::from_str(&outgoing.next().await.unwrap()).unwrap();
    assert_invalid(&answer);
    assert!(incoming.push(call_line(
        1,
        "intent_prepare",
        json!({ "instance": "plain", "input": "b" })
    )));
    until_jobs(&bridge, 2).await;
    service.close().await;
    let answer: Value = serde_json::from_str(&outgoing.next().await.unwrap()).unwrap();
    assert_eq!(answer["id"], 1);
    assert_eq!(outgoing.next().await, None);
    assert!(!incoming.push("{}"));
    assert_eq!(bridge.usage().sessions, 0);

    // Either side's handle may simply be dropped.
    let (service, incoming, _outgoing) = server(&bridge).serve_messages();
    drop(incoming);
    timeout(PATIENCE, service.closed()).await.unwrap();
    let (service, _incoming, outgoing) = server(&bridge).serve_messages();
    drop(outgoing);
    timeout(PATIENCE, service.closed()).await.unwrap();
    // Dropping the service's handle ends nothing.
    let (service, incoming, mut outgoing) = server(&bridge).serve_messages();
    drop(service);
    assert!(incoming.push(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
    assert!(outgoing.next().await.is_some());
}
