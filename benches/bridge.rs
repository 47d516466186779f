//! Measures a call with 0, 100, 10,000 and 100,000 retained records; the cost must be the same.
//!
//! `cargo bench --no-default-features --bench bridge`
//! The sizes take turns, a hundred calls each, so that other load on the machine affects all of them
//! alike. The minimum of many turns is the cost of the calls themselves. (A harness that measures one
//! size after the other, such as criterion, also measures how the load changes over time.)

#![expect(
    clippy::print_stdout,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark prints, and has no caller to give an error to"
)]

use std::hint::black_box;
use std::time::Instant;

use intent_runtime::bridge::{Accepting, Bridge, BridgeConfig, BridgeReply, Session, Task};
use intent_runtime::pipeline::CancelOutcome;
use intent_runtime::{Intent, IntentConfig, Request};

const SIZES: [u64; 4] = [0, 100, 10_000, 100_000];
const TURNS: usize = 300;
const CALLS_OF_A_TURN: usize = 100;

/// Needs a record.
const AGAIN: &str = "the same accept again";

const CORE: &str = r#"{"normalizedInput":"Query order 000123.","primaryIntent":"Query order","requirements":[],"prohibitions":[],"intents":[{"action":"query","target":"order 000123","requirements":[],"blockers":{"clarificationReason":null,"questions":[],"confirmationReason":null,"conditionReason":null}}]}"#;

/// A bridge that is full with this number of records: every further job drops the oldest.
struct Full {
    session: Session,
    /// A job whose record is kept, because it is used repeatedly.
    kept: Option<Task>,
}

type Call = fn(&Full);

fn full(records: u64) -> Full {
    let intent = Intent::new(IntentConfig::default()).unwrap();
    let bridge = Bridge::new(BridgeConfig {
        max_replay_entries: records.max(1),
        max_replay_bytes: 2_147_483_647,
        ..BridgeConfig::new([("a", intent)])
    })
    .unwrap();
    let session = bridge.connect().unwrap();
    let mut kept = None;
    for _ in 0..records {
        kept = Some(prepare(&session));
        accept(&session, kept.as_ref().unwrap());
    }
    assert_eq!(bridge.usage().records, records);
    Full { session, kept }
}

fn prepare(session: &Session) -> Task {
    match session.prepare("a", Request::new("Query order 000123.")) {
        BridgeReply::Task(task) => task,
        other => panic!("{}", other.to_json()),
    }
}

fn accept(session: &Session, task: &Task) {
    match session.accept(&task.job_id, &task.step_token, CORE) {
        Accepting::Ready(reply @ BridgeReply::Result(_)) => drop(black_box(reply)),
        Accepting::Ready(other) => panic!("{}", other.to_json()),
        Accepting::Pending(_) => panic!("a thread hop"),
    }
}

fn main() {
    let bridges = SIZES.map(full);
    let calls: [(&str, Call); 3] = [
        ("prepare + accept", |full| {
            accept(&full.session, &prepare(&full.session));
        }),
        ("prepare + cancel", |full| {
            let task = prepare(&full.session);
            black_box(
                full.session
                    .cancel(&task.job_id, CancelOutcome::Aborted, None),
            );
        }),
        (AGAIN, |full| {
            if let Some(task) = &full.kept {
                accept(&full.session, task);
            }
        }),
    ];
    println!(
        "{:24}{:>10}{:>12}{:>12}",
        "", "records", "least µs", "median µs"
    );
    for (name, call) in calls {
        let mut turns = SIZES.map(|_| Vec::with_capacity(TURNS));
        for _ in 0..TURNS {
            for (full, turns) in bridges.iter().zip(&mut turns) {
                let begun = Instant::now();
                for i in 0..CALLS_OF_A_TURN {
                    call(full);
                    // The kept job is used before its record is the oldest.
                    if i % 50 == 0
                        && let Some(task) = &full.kept
                    {
                        accept(&full.session, task);
                    }
                }
                turns.push(begun.elapsed().as_secs_f64() * 1e6 / CALLS_OF_A_TURN as f64);
            }
        }
        for (size, turns) in SIZES.iter().zip(&mut turns) {
            if name == AGAIN && *size == 0 {
                continue;
            }
            turns.sort_by(f64::total_cmp);
            println!(
                "{name:24}{size:>10}{:>12.2}{:>12.2}",
                turns[0],
                turns[TURNS / 2]
            );
        }
    }
}
