//! Many at once.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use intent_runtime::executor::ModelReply;
use intent_runtime::executor::api::{OutputFormat, Question};

use super::support::*;

/// 1,000 requests, 64 at a time: each gets its own reply, over at most 64 connections.
#[test]
fn a_thousand_at_concurrency_64() {
    let server = Server::new(|stream, seen| {
        let text = seen.json()["input"][0]["content"].clone();
        let body = responses_envelope(text.as_str().unwrap()).to_string();
        stream.write_all(&response(200, "", body.as_bytes()))?;
        Ok(true)
    });
    let executor = executor(server.base());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, SeqCst);
                    if n >= 1000 {
                        break;
                    }
                    let payload = format!("{{\"n\":{n}}}");
                    let reply = block_on(executor.ask(&Question {
                        instructions: "i",
                        payload: &payload,
                        output: OutputFormat::Object,
                    }));
                    match reply {
                        Ok(ModelReply::Complete { text, .. }) => assert_eq!(text, payload),
                        other => panic!("{other:?}"),
                    }
                }
            });
        }
    });
    assert_eq!(server.seen().len(), 1000);
    assert!(server.most_open() <= 64, "{}", server.most_open());
    assert!(server.connections() <= 64, "{}", server.connections());
}
