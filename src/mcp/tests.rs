//! Tests that a real session cannot time: their calls wait at a gate.

use std::sync::{Arc, Mutex, mpsc as std_mpsc};
use std::time::Duration;

use rmcp::model::{ServerJsonRpcMessage, ServerResult};
use rmcp::transport::Transport as _;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::bridge::JobStatus;
use crate::request::RawRequest;

use super::wire::{Source, Transport, incoming, outgoing};
use super::{Incoming, McpServer, McpService, Outgoing, Pending, ToolActions};

const PATIENCE: Duration = Duration::from_secs(10);
const MOMENT: Duration = Duration::from_millis(100);

/// Notes its calls. `accept` waits at the gate; `prepare` of "hold" blocks the line until the test
/// releases it, and "panic" panics.
struct Desk {
    done: Mutex<Vec<String>>,
    gate: Arc<Semaphore>,
    hold: Mutex<std_mpsc::Receiver<()>>,
}

impl Desk {
    fn note(&self, what: impl Into<String>) {
        self.done.lock().unwrap().push(what.into());
    }

    fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }
}

impl ToolActions for Desk {
    fn prepare(&self, request: RawRequest) -> Value {
        let input = request.text("input").unwrap().to_owned();
        self.note(format!("prepare {input}"));
        match input.as_str() {
            "hold" => self.hold.lock().unwrap().recv().unwrap(),
            "panic" => panic!("as asked"),
            _ => {}
        }
        json!({ "kind": "task", "jobId": input })
    }

    fn accept(&self, request: RawRequest) -> Pending {
        let text = request.text("candidateText").unwrap().to_owned();
        self.note(format!("accept {text}"));
        assert_ne!(text, "panic at once");
        let gate = Arc::clone(&self.gate);
        Box::pin(async move {
            assert_ne!(text, "panic later");
            gate.acquire().await.unwrap().forget();
            json!({ "kind": "result", "result": {} })
        })
    }

    fn cancel(&self, request: RawRequest) -> Value {
        self.note(format!("cancel {}", request.text("jobId").unwrap()));
        json!({ "kind": "error", "error": {} })
    }

    fn job_status(&self, job_id: &str) -> JobStatus {
        self.note(format!("status {job_id}"));
        JobStatus::Open
    }

    fn close(&self) {
        self.note("close");
    }
}

struct Line {
    desk: Arc<Desk>,
    let_go: std_mpsc::Sender<()>,
    service: McpService,
    incoming: Option<Incoming>,
    outgoing: Outgoing,
}

fn serve() -> Line {
    let (let_go, hold) = std_mpsc::channel();
    let desk = Arc::new(Desk {
        done: Mutex::default(),
        gate: Arc::new(Semaphore::new(0)),
        hold: Mutex::new(hold),
    });
    let tools: Arc<dyn ToolActions> = Arc::<Desk>::clone(&desk);
    let (service, incoming, outgoing) = McpServer::of(tools, ["a"], "1").serve_messages();
    Line {
        desk,
        let_go,
        service,
        incoming: Some(incoming),
        outgoing,
    }
}

impl Line {
    fn push(&self, message: &Value) {
        assert!(self.incoming.as_ref().unwrap().push(message.to_string()));
    }

    fn prepare(&self, id: i64, input: &str) {
        let arguments = json!({ "instance": "a", "input": input });
        self.call(id, "intent_prepare", &arguments);
    }

    fn accept(&self, id: i64, text: &str) {
        let arguments = json!({ "jobId": "j", "stepToken": "s", "candidateText": text });
        self.call(id, "intent_accept", &arguments);
    }

    fn call(&self, id: i64, name: &str, arguments: &Value) {
        let params = json!({ "name": name, "arguments": arguments });
        self.push(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    fn cancel(&self, id: i64) {
        let params = json!({ "requestId": id });
        self.push(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
        );
    }

    async fn answer(&mut self) -> Value {
        let text = timeout(PATIENCE, self.outgoing.next())
            .await
            .unwrap()
            .unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// When everything that was pushed has been read.
    async fn read(&mut self) {
        self.push(&json!({ "jsonrpc": "2.0", "id": "read", "method": "ping" }));
        assert_eq!(self.answer().await["id"], "read");
    }

    async fn until(&self, what: &str) {
        let until = async {
            while !self.desk.done().iter().any(|done| done == what) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, until).await.unwrap();
    }
}

#[tokio::test]
async fn a_call_cancelled_before_its_turn_is_left_undone() {
    let mut line = serve();
    line.prepare(1, "hold");
    line.until("prepare hold").await;
    line.prepare(2, "never");
    line.accept(3, "never");
    line.prepare(4, "after");
    line.cancel(2);
    line.cancel(3);
    line.read().await;
    line.let_go.send(()).unwrap();
    let ids = [line.answer().await, line.answer().await].map(|answer| answer["id"].clone());
    assert!(
        ids.contains(&json!(1)) && ids.contains(&json!(4)),
        "{ids:?}"
    );
    assert_eq!(line.desk.done(), ["prepare hold", "prepare after"]);
}

#[tokio::test]
async fn a_prepare_cancelled_while_it_runs_is_taken_back() {
    let mut line = serve();
    line.prepare(1, "hold");
    line.until("prepare hold").await;
    line.cancel(1);
    line.read().await;
    line.let_go.send(()).unwrap();
    line.until("cancel hold").await;
    // It has no answer either, not even at the end.
    line.read().await;
    line.incoming = None;
    assert!(line.outgoing.next().await.is_none());
    line.service.closed().await;
    assert_eq!(line.desk.done(), ["prepare hold", "cancel hold", "close"]);
}

#[tokio::test]
async fn an_answered_prepare_is_not_taken_back() {
    let mut line = serve();
    line.prepare(1, "kept");
    assert_eq!(line.answer().await["id"], 1);
    line.cancel(1);
    line.read().await;
    line.service.close().await;
    assert_eq!(line.desk.done(), ["prepare kept", "close"]);
}

#[tokio::test]
async fn a_cancellation_that_crosses_the_answer_takes_prepare_back() {
    let mut line = serve();
    line.prepare(1, "crossed");
    line.until("prepare crossed").await;
    // Long enough for the answer to wait in the queue, where the host has not read it.
    tokio::time::sleep(MOMENT).await;
    line.cancel(1);
    line.until("cancel crossed").await;
    assert_eq!(line.answer().await["id"], 1);
    // The answer that came meanwhile is kept, and so is one of an id that is used again.
    line.prepare(2, "kept");
    assert_eq!(line.answer().await["id"], 2);
    line.prepare(1, "kept, too");
    assert_eq!(line.answer().await["id"], 1);
    line.cancel(1);
    line.cancel(2);
    line.read().await;
    let done = [
        "prepare crossed",
        "cancel crossed",
        "prepare kept",
        "prepare kept, too",
    ];
    assert_eq!(line.desk.done(), done);
}

#[tokio::test]
async fn a_cancelled_accept_has_no_answer_and_holds_up_nothing() {
    let mut line = serve();
    line.accept(1, "x");
    line.until("accept x").await;
    line.cancel(1);
    line.read().await;
    // Still at the gate, and no reason to wait at the end.
    line.incoming = None;
    let end = async {
        assert!(line.outgoing.next().await.is_none());
        line.service.closed().await;
    };
    timeout(PATIENCE, end).await.unwrap();
}

#[tokio::test]
async fn a_panic_ends_its_call_only() {
    let mut line = serve();
    line.prepare(1, "panic");
    line.accept(2, "panic at once");
    line.accept(3, "panic later");
    for _ in 0..3 {
        let answer = line.answer().await;
        let reply = &answer["result"]["structuredContent"];
        assert_eq!(reply["error"]["code"], "MODEL_REQUEST_FAILED", "{answer}");
        let about_a_job = answer["id"] != 1;
        assert_eq!(reply["job"] == "open", about_a_job, "{answer}");
        assert_eq!(reply.get("job").is_some(), about_a_job, "{answer}");
        assert_eq!(answer["result"]["isError"], true);
    }
    line.prepare(4, "x");
    assert_eq!(line.answer().await["id"], 4);
}

#[tokio::test]
async fn the_end_waits_for_every_answer() {
    for closed in [false, true] {
        let mut line = serve();
        line.accept(1, "x");
        line.until("accept x").await;
        let service = line.service.clone();
        let closing = async {
            if closed {
                service.close().await;
            } else {
                service.closed().await;
            }
        };
        let mut closing = std::pin::pin!(closing);
        if !closed {
            line.incoming = None;
        }
        assert!(timeout(MOMENT, &mut closing).await.is_err());
        line.desk.gate.add_permits(1);
        timeout(PATIENCE, &mut closing).await.unwrap();
        assert_eq!(line.answer().await["id"], 1);
        assert_eq!(line.desk.done(), ["accept x", "close"]);
    }
}

#[tokio::test]
async fn the_end_of_input_is_reported_when_nothing_runs() {
    let (output, mut answers) = outgoing();
    let closing = watch::Sender::new(false);
    let (push, texts) = incoming(&output, closing.clone());
    let mut transport = Transport::new(Source::Texts(texts), output, closing.subscribe());
    assert!(push.push(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#));
    drop(push);
    let (_, id) = transport.receive().await.unwrap().into_request().unwrap();
    for _ in 0..3 {
        assert!(timeout(MOMENT, transport.receive()).await.is_err());
    }
    let answer = ServerJsonRpcMessage::response(ServerResult::empty(()), id);
    transport.send(answer).await.unwrap();
    assert!(transport.receive().await.is_none());
    assert_eq!(
        answers.next().await.unwrap(),
        r#"{"jsonrpc":"2.0","id":"a","result":{}}"#
    );
}

/// Calls that run, and as many messages that wait.
const MOST: i64 = 1024;

/// Fills what is read ahead: calls that run, then messages that wait.
async fn filled() -> Line {
    let line = serve();
    for id in 0..MOST {
        line.accept(id, "x");
    }
    let all_run = async {
        while line.desk.done().len() < MOST as usize {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, all_run).await.unwrap();
    for id in MOST..2 * MOST {
        line.accept(id, "x");
    }
    line
}

#[tokio::test]
async fn messages_that_wait_are_bounded_and_the_others_are_refused() {
    let mut line = filled().await;
    for id in 2 * MOST..2 * MOST + 10 {
        line.accept(id, "x");
    }
    line.push(&json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" }));
    // No id, no answer.
    line.cancel(7);
    for id in 2 * MOST..2 * MOST + 10 {
        let answer = line.answer().await;
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["isError"], true);
        let message = &answer["result"]["structuredContent"]["error"]["message"];
        assert!(
            message.as_str().unwrap().contains("1024 messages"),
            "{message}"
        );
    }
    let answer = line.answer().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!("ping"), &json!(-32600))
    );
    // All that waited is answered, and what comes then is read.
    line.desk.gate.add_permits(2 * MOST as usize);
    for _ in 0..2 * MOST {
        assert_eq!(
            line.answer().await["result"]["structuredContent"]["kind"],
            "result"
        );
    }
    line.read().await;
}

#[tokio::test]
async fn a_host_that_sends_without_end_and_takes_nothing_is_cut_off() {
    let line = filled().await;
    let incoming = line.incoming.as_ref().unwrap();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let refused = (0..10 * MOST)
        .take_while(|_| incoming.push(ping.as_str()))
        .count();
    assert_eq!(refused, MOST as usize);
}
