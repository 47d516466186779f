//! A million jobs leave memory where it was after the first ten thousand.
//!
//! Takes its time; run alone: `cargo test --profile fast --no-default-features --test it
//! million -- --ignored --nocapture`.

use intent_runtime::bridge::{Bridge, BridgeConfig, BridgeReply, Task};
use intent_runtime::pipeline::GaveUp;
use intent_runtime::{Intent, IntentConfig, Request};

/// Resident memory of this process.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
#[ignore = "takes minutes and wants the process for itself"]
#[cfg(target_os = "linux")]
fn a_million_jobs_leave_no_trace() {
    const JOBS: u32 = 1_000_000;
    let intent = Intent::new(IntentConfig::default()).unwrap();
    let bridge = Bridge::new(BridgeConfig::new([("a", intent)])).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let core = r#"{"normalizedInput":"Query.","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;
    let mut session = bridge.connect().unwrap();
    let mut after_first = 0;
    for job in 1..=JOBS {
        let BridgeReply::Task(Task {
            job_id, step_token, ..
        }) = session.prepare("a", Request::new("Query order 000123."))
        else {
            panic!("refused");
        };
        match job % 4 {
            0 => {
                let reply = runtime.block_on(session.accept(&job_id, &step_token, core).reply());
                assert_eq!(reply.kind(), "result");
            }
            1 => {
                let reply = runtime.block_on(session.accept(&job_id, &step_token, "{bad").reply());
                assert_eq!(reply.kind(), "task");
            }
            2 => {
                let _ = session.cancel(&job_id, GaveUp::Aborted, None);
            }
            _ => {}
        }
        // What was abandoned goes with its session.
        if job % 40 == 0 {
            session.close();
            session = bridge.connect().unwrap();
        }
        if job % 100_000 == 0 || job == 10_000 {
            let bytes = resident_bytes();
            println!("{job:>8} jobs: {} KiB, {:?}", bytes / 1024, bridge.usage());
            if job == 10_000 {
                after_first = bytes;
            }
        }
    }
    let grown = resident_bytes().saturating_sub(after_first);
    assert!(grown < 512 << 10, "grown by {grown} bytes");
    bridge.close();
    assert_eq!(bridge.usage(), intent_runtime::bridge::Usage::default());
}

/// A bridge that was full of records and is empty again holds no more than a new one.
#[test]
#[ignore = "wants the process for itself"]
#[cfg(target_os = "linux")]
fn a_large_store_is_given_back() {
    let intent = Intent::new(IntentConfig::default()).unwrap();
    let bridge = Bridge::new(BridgeConfig {
        max_replay_entries: 200_000,
        max_replay_bytes: 2_000_000_000,
        ..BridgeConfig::new([("a", intent)])
    })
    .unwrap();
    let mut sizes = Vec::new();
    for _ in 0..4 {
        let session = bridge.connect().unwrap();
        for _ in 0..100_000 {
            let BridgeReply::Task(task) = session.prepare("a", Request::new("Query order 000123."))
            else {
                panic!("refused");
            };
            let _ = session.cancel(&task.job_id, GaveUp::Aborted, None);
        }
        let full = resident_bytes();
        session.close();
        sizes.push(resident_bytes());
        println!(
            "100000 records: {} KiB, none: {} KiB",
            full / 1024,
            sizes[sizes.len() - 1] / 1024
        );
    }
    // The allocator may keep pages for the next time, but no more each time.
    assert!(sizes[3] <= sizes[1] + (1 << 20), "{sizes:?}");
}
