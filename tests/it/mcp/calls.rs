//! Order and cancellation of calls, over the Bridge.

use serde_json::{Value, json};

use super::host::*;

fn cancelled(id: i64) -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "no longer needed" } }).to_string()
}

#[tokio::test]
async fn calls_take_effect_in_the_order_in_which_they_came() {
    let mut host = Host::ready().await;
    for _ in 0..50 {
        let task = host
            .call(
                "intent_prepare",
                json!({ "instance": "plain", "input": "x" }),
            )
            .await;
        let submit = |text: String| json!({ "jobId": task["jobId"], "stepToken": task["stepToken"], "candidateText": text });
        let lines = [
            call_line(1, "intent_accept", submit(core())),
            call_line(2, "intent_accept", submit("{}".into())),
            call_line(3, "intent_accept", submit(core())),
            call_line(4, "intent_cancel", json!({ "jobId": task["jobId"] })),
        ];
        host.line(lines.join("\n")).await;
        let mut replies = [Value::Null, Value::Null, Value::Null, Value::Null];
        for _ in 0..4 {
            let answer = host.answer().await;
            replies[answer["id"].as_u64().unwrap() as usize - 1] = reply(&answer);
        }
        // The first submission claimed the step: the second conflicts, the third shares it.
        assert_eq!(replies[1]["error"]["code"], "BRIDGE_STEP_CONFLICT");
        assert_eq!(replies[0]["kind"], "result");
        assert_eq!(replies[0], replies[2]);
        // The job had its result when the cancellation came.
        assert_eq!(replies[0], replies[3]);
    }
}

#[tokio::test]
async fn a_cancelled_prepare_leaves_no_job() {
    let mut host = Host::ready().await;
    let mut answered = 0;
    for _ in 0..200 {
        let prepare = json!({ "instance": "orders", "input": "x" });
        host.line([call_line(1, "intent_prepare", prepare), cancelled(1)].join("\n"))
            .await;
        host.line(call_line(2, "intent_cancel", json!({ "jobId": "none" })))
            .await;
        while host.answer().await["id"] != 2 {
            answered += 1;
        }
        // Withdrawn before its answer was sent, or after: the two crossed.
        assert_eq!(host.bridge.usage().active_jobs, 0);
    }
    assert!(answered < 200, "no cancellation was in time");
}

#[tokio::test]
async fn a_cancelled_accept_takes_the_same_submission_again() {
    let mut host = Host::ready().await;
    let mut answered = 0;
    for _ in 0..100 {
        let task = host
            .call(
                "intent_prepare",
                json!({ "instance": "plain", "input": "x" }),
            )
            .await;
        let submit = json!({ "jobId": task["jobId"], "stepToken": task["stepToken"], "candidateText": core() });
        host.line([call_line(1, "intent_accept", submit.clone()), cancelled(1)].join("\n"))
            .await;
        host.line(call_line(2, "intent_accept", submit)).await;
        loop {
            let answer = host.answer().await;
            assert_eq!(reply(&answer)["kind"], "result");
            if answer["id"] == 2 {
                break;
            }
            answered += 1;
        }
    }
    assert!(answered < 100, "no cancellation was in time");
    // The id may be used again afterwards.
    host.still_there().await;
}
