//! Bytes of a host: whatever comes, the connection ends when its input does, every line that is
//! written is a message, and every request that can be read has its answer.

use std::sync::LazyLock;
use std::time::Duration;

use intent_runtime::mcp::McpServer;
use intent_runtime::{Bridge, BridgeConfig, Intent, IntentConfig};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
});

pub fn run(data: &[u8]) {
    let Some((first, input)) = data.split_first() else {
        return;
    };
    let piece = 1 + usize::from(*first) * 4;
    let intent = Intent::new(IntentConfig::default()).unwrap();
    let bridge = Bridge::new(BridgeConfig::new([("default", intent)])).unwrap();
    let server = McpServer::new(&bridge, ["default"], "0.0.0").unwrap();
    let output = RUNTIME.block_on(async {
        let (host, served) = tokio::io::duplex(1 << 16);
        let (from_host, to_host) = tokio::io::split(served);
        let (mut answers, mut questions) = tokio::io::split(host);
        let service = server.serve_lines(from_host, to_host);
        let write = async {
            for piece in input.chunks(piece) {
                if questions.write_all(piece).await.is_err() {
                    break;
                }
            }
            let _ = questions.shutdown().await;
        };
        let mut output = Vec::new();
        let whole = async {
            tokio::join!(write, answers.read_to_end(&mut output))
                .1
                .unwrap();
            service.closed().await;
        };
        tokio::time::timeout(Duration::from_secs(20), whole)
            .await
            .expect("the connection does not end with its input");
        output
    });
    let output = String::from_utf8(output).expect("output is UTF-8");
    assert!(output.is_empty() || output.ends_with('\n'));
    let answers: Vec<Value> = output
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            assert_eq!(value["jsonrpc"], "2.0", "{line}");
            value
        })
        .collect();
    assert_eq!(bridge.usage().active_jobs, 0, "the session is closed");
    let cancels = input
        .windows(9)
        .any(|window| window.eq_ignore_ascii_case(b"cancelled"));
    if cancels || input.contains(&b'\\') {
        return; // A cancelled request has no answer.
    }
    for line in input.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(message)) = serde_json::from_slice(line) else {
            continue;
        };
        let readable = match message.get("id") {
            Some(Value::Number(number)) => number.is_i64(),
            Some(Value::String(_)) => true,
            _ => false,
        };
        if readable && message.get("method").is_some_and(Value::is_string) {
            assert!(
                answers
                    .iter()
                    .any(|answer| answer.get("id") == message.get("id")),
                "no answer to {}\n{output}",
                String::from_utf8_lossy(line)
            );
        }
    }
}
