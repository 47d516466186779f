//! A host in memory that writes raw bytes and reads what comes back, line by line.

use std::collections::HashMap;
use std::time::Duration;

use intent_runtime::bridge::{Bridge, BridgeConfig};
use intent_runtime::mcp::{McpServer, McpService};
use intent_runtime::schema::Origin;
use intent_runtime::{Intent, IntentConfig};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::time::timeout;

pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) const BLOCKERS: &str = r#"{"clarificationReason":null,"questions":[],"confirmationReason":null,"conditionReason":null}"#;

/// An acceptable core candidate.
pub(super) fn core() -> String {
    format!(
        r#"{{"normalizedInput":"查询订单 000123。","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[{{"action":"query","target":"订单 000123","requirements":[],"blockers":{BLOCKERS}}}]}}"#
    )
}

/// An acceptable data candidate.
pub(super) fn data() -> String {
    let sources = json!([{ "sourceId": "input", "quote": "000123" }]);
    json!({
        "data": { "orderId": "000123" },
        "evidence": [{ "path": "/data/orderId", "mode": "exact", "sources": sources }],
        "descriptionChecks": [],
        "fieldResults": [{ "path": "/data/orderId", "status": "extracted", "explanation": "stated" }],
        "issues": []
    })
    .to_string()
}

pub(super) fn bridge() -> Bridge {
    let orders = Intent::new(IntentConfig {
        language: "zh-CN".into(),
        schema: Some((
            json!({ "type": "object", "properties": { "orderId": { "type": "string" } }, "required": ["orderId"] }),
            Origin::Json,
        )),
        ..IntentConfig::default()
    });
    let plain = Intent::new(IntentConfig::default());
    let mut config = BridgeConfig::new([("orders", orders.unwrap()), ("plain", plain.unwrap())]);
    config.max_jobs = 2000;
    config.max_replay_entries = 4000;
    config.max_replay_bytes = 1 << 30;
    Bridge::new(config).unwrap()
}

pub(super) fn server(bridge: &Bridge) -> McpServer {
    McpServer::new(bridge, ["orders", "plain"], "1.2.3").unwrap()
}

pub(super) struct Host {
    pub(super) bridge: Bridge,
    pub(super) service: McpService,
    write: Option<DuplexStream>,
    lines: Option<Lines<BufReader<DuplexStream>>>,
    last: i64,
}

impl Host {
    pub(super) fn new() -> Self {
        Self::with_pipes(1 << 16)
    }

    pub(super) fn with_pipes(bytes: usize) -> Self {
        let bridge = bridge();
        let (read, write) = duplex(bytes);
        let (answers, output) = duplex(bytes);
        let service = server(&bridge).serve_lines(read, output);
        Self {
            bridge,
            service,
            write: Some(write),
            lines: Some(BufReader::new(answers).lines()),
            last: 1000,
        }
    }

    /// After the handshake.
    pub(super) async fn ready() -> Self {
        let mut host = Self::new();
        host.initialize("2025-06-18").await;
        host
    }

    pub(super) async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "raw", "version": "1" } });
        let answer = self.ask("initialize", params).await;
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        answer
    }

    pub(super) async fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let write = self.write.as_mut().unwrap();
        timeout(PATIENCE, write.write_all(bytes.as_ref()))
            .await
            .unwrap()
            .unwrap();
    }

    pub(super) async fn line(&mut self, line: impl AsRef<[u8]>) {
        self.bytes([line.as_ref(), b"\n"].concat()).await;
    }

    pub(super) async fn end_of_input(&mut self) {
        self.write.take().unwrap().shutdown().await.unwrap();
    }

    pub(super) fn close_output(&mut self) {
        self.lines = None;
    }

    /// The next line, or `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Value> {
        let lines = self.lines.as_mut().unwrap();
        let line = timeout(PATIENCE, lines.next_line())
            .await
            .expect("an answer")
            .unwrap()?;
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0");
        Some(answer)
    }

    /// The next line as it is.
    pub(super) async fn raw(&mut self) -> String {
        let lines = self.lines.as_mut().unwrap();
        timeout(PATIENCE, lines.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap()
    }

    pub(super) async fn answer(&mut self) -> Value {
        self.next().await.expect("an answer before the end")
    }

    /// Everything until the end, by id.
    pub(super) async fn rest(&mut self) -> HashMap<String, Value> {
        let mut answers = HashMap::new();
        while let Some(answer) = self.next().await {
            let id = answer["id"].to_string();
            assert!(answers.insert(id, answer).is_none());
        }
        answers
    }

    /// A request and the next answer, which must be its own.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.line(
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        )
        .await;
        let answer = self.answer().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(super) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self
            .ask(
                "tools/call",
                json!({ "name": name, "arguments": arguments }),
            )
            .await;
        reply(&answer)
    }

    /// Nothing came in between, and the session goes on.
    pub(super) async fn still_there(&mut self) {
        assert_eq!(self.ask("ping", json!({})).await["result"], json!({}));
    }
}

/// The reply in a tool result, which must have the shape that docs/mcp.md describes.
pub(super) fn reply(answer: &Value) -> Value {
    let result = answer["result"]
        .as_object()
        .unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(
        result.keys().collect::<Vec<_>>(),
        ["content", "structuredContent", "isError"]
    );
    let reply = result["structuredContent"].clone();
    let [item] = result["content"].as_array().unwrap().as_slice() else {
        panic!("{answer}")
    };
    assert_eq!(item["type"], "text");
    let text: Value = serde_json::from_str(item["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, reply);
    assert_eq!(result["isError"], reply["kind"] == "error");
    reply
}

pub(super) fn assert_invalid(answer: &Value) {
    let reply = reply(answer);
    assert_eq!(reply["error"]["code"], "INPUT_INVALID", "{reply}");
    assert_eq!(reply["error"]["stage"], "input");
    assert_eq!(reply["error"]["issues"], json!([]));
}

pub(super) fn assert_refused(answer: &Value, code: i64) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
}

pub(super) fn call_line(id: impl Into<Value>, name: &str, arguments: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": { "name": name, "arguments": arguments } }).to_string()
}
