//! Idle jobs and old records, by a clock that is moved and by that of the system.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::super::{Accepting, Bridge, BridgeConfig, BridgeReply};
use super::{INPUT, ManualClock, assert_empty, good, intent, shared, task, told};
use crate::error::Stage;
use crate::pipeline::CancelOutcome;
use crate::request::Request;
use crate::runtime;

fn config(job_ttl_ms: u64, replay_ttl_ms: u64) -> BridgeConfig {
    BridgeConfig {
        max_jobs: 5000,
        max_replay_entries: 5000,
        max_replay_bytes: 1 << 30,
        job_ttl_ms,
        replay_ttl_ms,
        ..BridgeConfig::new([("a", intent(4000))])
    }
}

fn core_only() -> Request {
    Request::new(INPUT).fields([""; 0])
}

fn ready(accepting: Accepting) -> BridgeReply {
    match accepting {
        Accepting::Ready(reply) => reply,
        Accepting::Pending(_) => panic!("pending"),
    }
}

#[test]
fn idle_time_begins_anew_with_each_accepted_step() {
    let clock = Arc::new(ManualClock::default());
    let bridge = Bridge::with_clock(config(100, 50), shared(&clock)).unwrap();
    let session = bridge.connect().unwrap();
    let first = task(session.prepare("a", core_only()));
    assert_eq!(
        first.expires_at.as_deref(),
        Some("2027-01-15T08:00:00.100Z")
    );
    clock.pass(99);
    let next = ready(session.accept(&first.job_id, &first.step_token, "{bad"));
    let second = task(next.clone());
    assert_eq!(
        second.expires_at.as_deref(),
        Some("2027-01-15T08:00:00.199Z")
    );
    clock.pass(60);
    // Neither a refusal nor a repetition is a step.
    let refused = ready(session.accept(&first.job_id, "forged", "{}"));
    assert_eq!(told(&refused), "BRIDGE_STEP_CONFLICT/bridge");
    let again = ready(session.accept(&first.job_id, &first.step_token, "{bad"));
    assert_eq!(again.to_json(), next.to_json());
    clock.pass(39);
    assert_eq!(bridge.usage().active_jobs, 1);
    clock.pass(1);
    let expired = ready(session.accept(&first.job_id, "whatever", "x".repeat(9999)));
    assert_eq!(told(&expired), "BRIDGE_JOB_EXPIRED/bridge");
    // The record goes after its own time, whether or not it is used.
    clock.pass(49);
    let cancelled = session.cancel(&first.job_id, CancelOutcome::Refusal, None);
    assert_eq!(cancelled.to_json(), expired.to_json());
    clock.pass(1);
    let gone = session.cancel(&first.job_id, CancelOutcome::Refusal, None);
    assert_eq!(told(&gone), "BRIDGE_JOB_NOT_FOUND/bridge");
    assert_empty(&bridge);
}

#[test]
fn both_lifetimes_may_pass_between_two_looks() {
    let clock = Arc::new(ManualClock::default());
    let bridge = Bridge::with_clock(config(100, 50), shared(&clock)).unwrap();
    let session = bridge.connect().unwrap();
    let _ = task(session.prepare("a", core_only()));
    clock.pass(149);
    assert_eq!(bridge.usage().records, 1);
    let _ = task(session.prepare("a", core_only()));
    clock.pass(1_000_000);
    assert_empty(&bridge);
}

#[test]
fn without_lifetimes_time_changes_nothing() {
    let clock = Arc::new(ManualClock::default());
    let bridge = Bridge::with_clock(config(0, 0), shared(&clock)).unwrap();
    let session = bridge.connect().unwrap();
    let first = task(session.prepare("a", core_only()));
    assert_eq!(first.expires_at, None);
    clock.pass(1 << 40);
    let reply = ready(session.accept(&first.job_id, &first.step_token, good(Stage::Core)));
    assert_eq!(told(&reply), "result");
    clock.pass(1 << 40);
    assert_eq!(bridge.usage().records, 1);
}

/// The active jobs and the records in the ledger, without looking at the clock.
fn records(bridge: &Bridge) -> (u64, u64) {
    let usage = bridge.0.state().ledger.usage();
    (usage.active_jobs, usage.records)
}

fn within(limit: Duration, done: impl Fn() -> bool) -> Duration {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < limit, "it never came");
        std::thread::sleep(Duration::from_millis(2));
    }
    begun.elapsed()
}

#[test]
fn one_timer_ends_thousands_of_jobs_that_nobody_asks_for() {
    // Long enough for a slow machine to prepare all jobs before the first of them ends.
    let bridge = Bridge::new(config(3000, 300)).unwrap();
    let session = bridge.connect().unwrap();
    let wake = Arc::clone(bridge.0.wake.as_ref().unwrap());
    let jobs: Vec<_> = (0..3000)
        .map(|_| task(session.prepare("a", core_only())))
        .collect();
    let (held, last) = (&jobs[0], jobs[2999].clone());
    // A submission that is being checked ends with its job.
    let accept = || {
        let (id, token) = (&*last.job_id, &*last.step_token);
        json!({ "jobId": id, "stepToken": token, "candidateText": good(Stage::Core) }).into()
    };
    let Ok((_work, _)) = session.claim(accept()) else {
        panic!("not claimed")
    };
    let Err(Accepting::Pending(shared)) = session.claim(accept()) else {
        panic!("not shared")
    };
    assert_eq!(records(&bridge), (3000, 3000));
    // The bridge, this test and one timer.
    assert_eq!(Arc::strong_count(&wake), 3);
    let outcome = runtime::handle().block_on(async {
        tokio::time::timeout(Duration::from_secs(10), shared)
            .await
            .unwrap()
    });
    assert_eq!(told(&outcome), "BRIDGE_JOB_EXPIRED/bridge");
    within(Duration::from_secs(10), || records(&bridge).0 == 0);
    within(Duration::from_secs(10), || records(&bridge).1 == 0);
    let gone = session.cancel(&held.job_id, CancelOutcome::Aborted, None);
    assert_eq!(told(&gone), "BRIDGE_JOB_NOT_FOUND/bridge");
    // With nothing left to end there is no timer, and the next job begins one.
    within(Duration::from_secs(10), || Arc::strong_count(&wake) == 2);
    let _ = task(session.prepare("a", core_only()));
    assert_eq!(Arc::strong_count(&wake), 3);
    within(Duration::from_secs(10), || records(&bridge) == (0, 0));
}

#[test]
fn a_nearer_end_wakes_the_timer() {
    // Long enough for a slow machine to see the record before it goes.
    let bridge = Bridge::new(config(3_600_000, 500)).unwrap();
    let session = bridge.connect().unwrap();
    let first = task(session.prepare("a", core_only()));
    // Until the timer sleeps towards the far end.
    std::thread::sleep(Duration::from_millis(20));
    let _ = session.cancel(&first.job_id, CancelOutcome::Aborted, None);
    assert_eq!(records(&bridge), (0, 1));
    within(Duration::from_secs(10), || records(&bridge) == (0, 0));
}

#[test]
fn the_timer_holds_nothing() {
    let bridge = Bridge::new(config(3_600_000, 3_600_000)).unwrap();
    let session = bridge.connect().unwrap();
    let _ = task(session.prepare("a", core_only()));
    let wake = Arc::clone(bridge.0.wake.as_ref().unwrap());
    let weak = Arc::downgrade(&bridge.0);
    assert_eq!(Arc::strong_count(&wake), 3);
    drop((bridge, session));
    within(Duration::from_secs(10), || weak.upgrade().is_none());
    within(Duration::from_secs(10), || Arc::strong_count(&wake) == 1);
}
