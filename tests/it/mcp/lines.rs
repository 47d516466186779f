//! What hosts and broken pipes send.

use serde_json::{Value, json};

use super::host::*;

#[tokio::test]
async fn requests_before_initialize_are_answered_and_nothing_ends_the_session() {
    let mut host = Host::new();
    let answer = host.ask("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["intent_prepare", "intent_accept", "intent_cancel"]);
    let answer = host.ask("ping", json!({})).await;
    assert_eq!(answer["result"], json!({}));
    let answer = host.ask("nonsense", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    // Known to newer revisions, which want to be told more.
    let answer = host.ask("server/discover", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // A tool without a name is no call of a tool.
    let answer = host.ask("tools/call", json!({})).await;
    assert_invalid(&answer);
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null,"reason":5}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"$/lsp","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"lone":"\ud800"}}"#,
        "garbage",
        "",
        " ",
        "\r",
        "\t\r",
        "{",
        "}",
        "[",
        "\"",
        "null nothing",
        "{\"a\":}",
        r#"INFO: {"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        "\u{0}\u{1}",
        "😀",
    ] {
        host.line(line).await;
    }
    host.line(b"\xff\xfe\x00garbage\xc3\x28").await;
    host.still_there().await;
    let answer = host.initialize("2025-06-18").await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "intent-runtime");
    host.still_there().await;
}

#[tokio::test]
async fn json_that_is_no_message_is_refused_without_an_id() {
    let mut host = Host::ready().await;
    for line in [
        "{}",
        "[]",
        "1",
        "null",
        "\"x\"",
        "[1]",
        "[[]]",
        "[1,{},null]",
        r#"{"jsonrpc":"2.0","method":7}"#,
        r#"{"id":true,"jsonrpc":"2.0"}"#,
    ] {
        host.line(line).await;
        let answer = host.answer().await;
        assert_refused(&answer, -32600);
        assert!(answer.get("id").is_none(), "{line}: {answer}");
    }
    host.still_there().await;
}

#[tokio::test]
async fn line_endings_marks_and_white_space() {
    let mut host = Host::new();
    for line in [
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n",
        "\u{feff} {\"jsonrpc\":\"2.0\",\t\"id\":1,\"method\":\"ping\"} \r\n",
        "\r\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null,\"more\":1}\n\n",
    ] {
        host.bytes(line).await;
        assert_eq!(
            host.answer().await,
            json!({ "jsonrpc": "2.0", "id": 1, "result": {} })
        );
    }
}

#[tokio::test]
async fn ids_come_back_as_they_were_written() {
    let mut host = Host::ready().await;
    for id in [
        "0",
        "-0",
        "\"\"",
        "1.5",
        "1.0",
        "1e2",
        "1E400",
        "-7",
        "9007199254740993",
        "123456789012345678901234567890",
        r#""a\u0062\n""#,
        r#""\ud800""#,
        "\"中😀\"",
        "18446744073709551615",
    ] {
        host.line(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
            .await;
        let raw = host.raw().await;
        assert_eq!(
            raw,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
        host.line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"no"}}}}"#
        ))
        .await;
        let raw = host.raw().await;
        assert!(
            raw.starts_with(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":"#
            )),
            "{raw}"
        );
        host.line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"nonsense"}}"#
        ))
        .await;
        let raw = host.raw().await;
        assert!(
            raw.starts_with(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601"#
            )),
            "{raw}"
        );
    }
    // JSON-RPC has null for an id, MCP has not.
    host.line(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)
        .await;
    let answer = host.answer().await;
    assert_refused(&answer, -32600);
    assert_eq!(answer.get("id"), Some(&Value::Null));
    host.line(r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{}}"#)
        .await;
    assert_invalid(&host.answer().await);
    // In use twice: two answers.
    host.line(concat!(
        r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#,
        "
",
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#
    ))
    .await;
    let answers = [host.answer().await, host.answer().await];
    assert!(answers.iter().all(|answer| answer["id"] == 5));
    let tools = |answer: &&Value| answer["result"]["tools"].is_array();
    assert_eq!(answers.iter().filter(tools).count(), 1);
    let pong = |answer: &&Value| answer["result"] == json!({});
    assert_eq!(answers.iter().filter(pong).count(), 1);
}

#[tokio::test]
async fn a_line_whose_id_can_be_read_is_answered() {
    let mut host = Host::ready().await;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let arguments = format!(
        r#"{{"name":"intent_prepare","arguments":{{"instance":"plain","input":"x","fields":{deep}}}}}"#
    );
    let deepest = format!("{}{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    for params in [
        r#"{"name":"intent_prepare","arguments":{"instance":"plain","input":"\ud800"}}"#,
        r#"{"name":"intent_prepare","arguments":{"instance":"plain","input":"\udc00\ud800"}}"#,
        arguments.as_str(),
        deepest.as_str(),
        r#"{"name":"intent_prepare","arguments":{"n":1e999}}"#,
        r#"{"name":"intent_prepare","arguments":{bad}}"#,
        "{\"name\":\"intent_prepare\",\"arguments\":{\"input\":\"raw\ttab\"}}",
    ] {
        for (line, id) in [
            (
                format!(r#"{{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{params}}}"#),
                json!(41),
            ),
            (
                format!(
                    r#"{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":"last"}}"#
                ),
                json!("last"),
            ),
        ] {
            host.line(&line).await;
            let answer = host.answer().await;
            assert_eq!(answer["id"], id);
            assert_invalid(&answer);
            host.line(line.replace("tools/call", "tools/list")).await;
            let answer = host.answer().await;
            assert_eq!(answer["id"], id);
            assert_refused(&answer, -32600);
        }
    }
    host.line(
        b"{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":{\"x\":\"\xff\"}}",
    )
    .await;
    assert_invalid(&host.answer().await);
    for line in [
        r#"{"id":43,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":43,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":43}"#,
        r#"{"jsonrpc":"2.0","id":43,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":43,"method":"ping","params":"x"}"#,
        r#"{"jsonrpc":"2.0","id":7,"id":43,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":43,"method":"ping"} trailing"#,
        r#"{"jsonrpc":"2.0","id":43,"method":"ping""#,
    ] {
        host.line(line).await;
        let answer = host.answer().await;
        assert_eq!(answer["id"], 43, "{line}");
        assert_refused(&answer, -32600);
    }
    host.still_there().await;
}

#[tokio::test]
async fn refusals_do_not_repeat_what_was_sent() {
    let mut host = Host::ready().await;
    host.line(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"SECRET":"SECRET\ud800"}}"#,
    )
    .await;
    assert!(!host.raw().await.contains("SECRET"));
    host.line(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":["SECRET"]}"#)
        .await;
    assert!(!host.raw().await.contains("SECRET"));
}

#[tokio::test]
async fn a_batch_is_as_many_lines() {
    let mut host = Host::ready().await;
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "intent_prepare", "arguments": { "instance": "plain", "input": "x" } } },
        { "jsonrpc": "2.0", "id": 3, "method": "nonsense" },
        { "id": 4 },
    ]);
    host.line(batch.to_string()).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(host.answer().await);
    }
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers[0]["result"], json!({}));
    assert_eq!(reply(&answers[1])["kind"], "task");
    assert_refused(&answers[2], -32601);
    assert_refused(&answers[3], -32600);
    // A member that cannot be read is refused alone.
    host.line(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"x":"\ud800"}}]"#).await;
    let mut answers = [host.answer().await, host.answer().await];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(
        (&answers[0]["id"], &answers[1]["id"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(answers[0]["result"], json!({}));
    assert_invalid(&answers[1]);
    // As many as fit in a line.
    let many = format!(
        "[{}]",
        vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 5000].join(",")
    );
    host.line(many).await;
    for _ in 0..5000 {
        assert_eq!(host.answer().await["result"], json!({}));
    }
    host.still_there().await;
}

#[tokio::test]
async fn byte_by_byte_with_four_byte_characters() {
    let mut host = Host::with_pipes(1);
    let line = call_line(
        "😀",
        "intent_prepare",
        json!({ "instance": "plain", "input": "买😀\u{10ffff}" }),
    ) + "\r\n";
    host.bytes(line).await;
    let answer = host.answer().await;
    assert_eq!(answer["id"], "😀");
    let payload: Value = serde_json::from_str(reply(&answer)["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload["currentInput"], "买😀\u{10ffff}");
}

#[tokio::test]
async fn a_last_line_needs_no_newline() {
    let mut host = Host::new();
    host.bytes(r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"intent_prepare","arguments":{"instance":"plain","input":"x"}}}"#).await;
    host.end_of_input().await;
    let answers = host.rest().await;
    assert_eq!(reply(&answers["8"])["kind"], "task");
    let mut host = Host::new();
    host.bytes(r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"#)
        .await;
    host.end_of_input().await;
    assert_invalid(&host.rest().await["8"]);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_read_past_and_answered() {
    let mut host = Host::ready().await;
    let long = "x".repeat(20 << 20);
    // The official TypeScript SDK writes the id last.
    for (line, id) in [
        (
            json!({ "method": "tools/call", "params": { "name": "intent_prepare", "arguments": { "input": long, "id": 1 } }, "jsonrpc": "2.0", "id": 77 }),
            json!(77),
        ),
        (
            json!({ "jsonrpc": "2.0", "id": "first", "method": "tools/call", "params": { "x": long } }),
            json!("first"),
        ),
    ] {
        host.line(line.to_string()).await;
        let answer = host.answer().await;
        assert_eq!(answer["id"], id);
        assert_invalid(&answer);
        assert!(
            reply(&answer)["error"]["message"]
                .as_str()
                .unwrap()
                .contains("16777216")
        );
    }
    host.line(json!({ "method": "ping", "params": long, "id": 5 }).to_string())
        .await;
    assert_refused(&host.answer().await, -32600);
    host.line(&long).await;
    host.still_there().await;
    // Large, but not too large: it reaches the tool.
    let input = "x".repeat(15 << 20);
    let reply = host
        .call(
            "intent_prepare",
            json!({ "instance": "plain", "input": input }),
        )
        .await;
    assert_eq!(reply["error"]["code"], "LIMIT_EXCEEDED");
    // The end of input ends such a line as well.
    host.bytes(format!(
        r#"{{"id":6,"method":"tools/call","params":"{long}"#
    ))
    .await;
    host.end_of_input().await;
    assert_invalid(&host.rest().await["6"]);
}
