//! What a Bridge keeps of jobs that are over.

use intent_runtime::bridge::{Bridge, BridgeConfig, BridgeReply, Task, Usage};
use intent_runtime::pipeline::CancelOutcome;
use intent_runtime::{ErrorCode, Intent, IntentConfig, Request};

use crate::counting::{live, turn};

const CORE: &str = r#"{"normalizedInput":"Query.","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;

fn bridge(change: impl FnOnce(&mut BridgeConfig)) -> Bridge {
    let intent = Intent::new(IntentConfig::default()).unwrap();
    let mut config = BridgeConfig::new([("a", intent)]);
    change(&mut config);
    Bridge::new(config).unwrap()
}

fn prepare(session: &intent_runtime::bridge::Session) -> Task {
    match session.prepare("a", Request::new("Query order 000123.")) {
        BridgeReply::Task(task) => task,
        other => panic!("refused: {}", other.to_json()),
    }
}

fn cancel(session: &intent_runtime::bridge::Session, task: &Task) {
    match session.cancel(&task.job_id, CancelOutcome::Aborted, None) {
        BridgeReply::Error { error, .. } => assert_eq!(error.code(), ErrorCode::ModelAborted),
        other => panic!("not cancelled: {}", other.to_json()),
    }
}

/// Jobs that end in every way leave memory where it was after the first thousands.
#[test]
fn jobs_leave_no_trace() {
    const JOBS: u32 = 20_000;
    let _turn = turn();
    let bridge = bridge(|_| {});
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut session = bridge.connect().unwrap();
    let mut after_first = 0;
    for job in 1..=JOBS {
        let task = prepare(&session);
        let accept = |candidate: &str| {
            let accepting = session.accept(&task.job_id, &task.step_token, candidate);
            runtime.block_on(accepting.reply()).kind()
        };
        match job % 4 {
            0 => assert_eq!(accept(CORE), "result"),
            1 => assert_eq!(accept("{bad"), "task"),
            2 => cancel(&session, &task),
            _ => {}
        }
        // What was abandoned goes with its session.
        if job % 40 == 0 {
            session.close();
            session = bridge.connect().unwrap();
        }
        if job == JOBS / 10 {
            after_first = live();
        }
    }
    let grown = live().saturating_sub(after_first);
    assert!(grown < 32 << 10, "grown by {grown} bytes");
    bridge.close();
    assert_eq!(bridge.usage(), Usage::default());
}

/// A bridge that was full of records and is empty again holds no more than a new one.
#[test]
fn a_large_store_is_given_back() {
    const RECORDS: usize = 10_000;
    let _turn = turn();
    let bridge = bridge(|config| {
        config.max_replay_entries = 2 * RECORDS as u64;
        config.max_replay_bytes = 2_000_000_000;
    });
    drop(bridge.connect().unwrap());
    let before = live();
    for _ in 0..2 {
        let session = bridge.connect().unwrap();
        for _ in 0..RECORDS {
            let task = prepare(&session);
            cancel(&session, &task);
        }
        let full = live() - before;
        session.close();
        drop(session);
        let kept = live().saturating_sub(before);
        assert!(full > RECORDS * 500, "{full}");
        assert!(kept < full / 20, "{kept} of {full} bytes are kept");
    }
}
