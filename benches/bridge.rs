//! What a call costs beside 0 to 100,000 retained records: the same.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use intent_runtime::bridge::{Accepting, Bridge, BridgeConfig, BridgeReply, Session, Task};
use intent_runtime::pipeline::GaveUp;
use intent_runtime::{Intent, IntentConfig, Request};

const CORE: &str = r#"{"normalizedInput":"Query order 000123.","primaryIntent":"Query order","requirements":[],"prohibitions":[],"intents":[{"action":"query","target":"order 000123","requirements":[],"blockers":{"clarificationReason":null,"questions":[],"confirmationReason":null,"conditionReason":null}}]}"#;

fn begin(session: &Session) -> Task {
    match session.prepare("a", Request::new("Query order 000123.")) {
        BridgeReply::Task(task) => task,
        other => panic!("{}", other.to_json()),
    }
}

fn finish(session: &Session, task: &Task) -> BridgeReply {
    match session.accept(&task.job_id, &task.step_token, CORE) {
        Accepting::Ready(reply @ BridgeReply::Result(_)) => reply,
        Accepting::Ready(other) => panic!("{}", other.to_json()),
        Accepting::Pending(_) => panic!("a thread hop"),
    }
}

/// A bridge with so many records, as many as it takes: each new one drops the oldest.
fn full(records: u64) -> (Bridge, Session, Vec<Task>) {
    let intent = Intent::new(IntentConfig::default()).unwrap();
    let bridge = Bridge::new(BridgeConfig {
        max_replay_entries: records.max(1),
        max_replay_bytes: 2_147_483_647,
        ..BridgeConfig::new([("a", intent)])
    })
    .unwrap();
    let session = bridge.connect().unwrap();
    let tasks = (0..records)
        .map(|_| {
            let task = begin(&session);
            finish(&session, &task);
            task
        })
        .collect();
    assert_eq!(bridge.usage().records, records);
    (bridge, session, tasks)
}

fn calls(c: &mut Criterion) {
    for records in [0, 100, 10_000, 100_000] {
        let (_bridge, session, tasks) = full(records);
        c.bench_with_input(BenchmarkId::new("prepare+accept", records), &(), |b, ()| {
            b.iter(|| black_box(finish(&session, &begin(&session))));
        });
        c.bench_with_input(BenchmarkId::new("prepare+cancel", records), &(), |b, ()| {
            b.iter(|| {
                let task = begin(&session);
                black_box(session.cancel(&task.job_id, GaveUp::Aborted, None))
            });
        });
        drop(tasks);
        let (_bridge, session, tasks) = full(records.max(1));
        let mut at = 0;
        c.bench_with_input(
            BenchmarkId::new("accept again", records.max(1)),
            &(),
            |b, ()| {
                b.iter_batched(
                    || {
                        at = (at + 7919) % tasks.len();
                        &tasks[at]
                    },
                    |task| black_box(finish(&session, task)),
                    BatchSize::SmallInput,
                );
            },
        );
    }
}

criterion_group!(benches, calls);
criterion_main!(benches);
