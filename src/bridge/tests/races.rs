//! Calls of several threads at once end in one outcome each, and give all of their capacity back.

use std::collections::BTreeMap;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::super::clock::SystemClock;
use super::super::{Accepting, Bridge, BridgeConfig, BridgeReply};
use super::{INPUT, assert_empty, good, intent, task, told};
use crate::error::Stage;
use crate::pipeline::CancelOutcome;
use crate::request::Request;
use crate::{Intent, runtime};

/// A bridge that checks every candidate on a worker thread.
fn on_workers(config: BridgeConfig) -> Bridge {
    Bridge::build(config, Arc::new(SystemClock::new()), true, false).unwrap()
}

/// The reply, which must not take long.
fn wait(accepting: Accepting) -> BridgeReply {
    runtime::handle().block_on(async {
        tokio::time::timeout(Duration::from_secs(20), accepting.reply())
            .await
            .expect("a submission hangs")
    })
}

fn core_only() -> Request {
    Request::new(INPUT).fields([""; 0])
}

#[test]
fn ten_thousand_cancellations_race_with_acceptance() {
    let intent = intent(4000);
    let bridge = on_workers(BridgeConfig {
        max_jobs: 2,
        ..BridgeConfig::new([("a", intent.clone())])
    });
    let session = bridge.connect().unwrap();
    let (jobs, to_cancel) = mpsc::channel::<(Arc<str>, u32)>();
    let (replies, cancelled) = mpsc::channel();
    let canceller = {
        let session = session.clone();
        thread::spawn(move || {
            for (job, spins) in to_cancel {
                for _ in 0..spins {
                    std::hint::spin_loop();
                }
                replies
                    .send(session.cancel(&job, CancelOutcome::Aborted, None))
                    .unwrap();
            }
        })
    };
    let mut seen = BTreeMap::<String, u32>::new();
    for round in 0..10_000_u32 {
        let first = task(session.prepare("a", core_only()));
        let repaired = round % 4 == 0;
        let candidate = if repaired {
            "{bad".to_owned()
        } else {
            good(Stage::Core)
        };
        jobs.send((Arc::clone(&first.job_id), round * 7919 % 20_000))
            .unwrap();
        let accepting = session.accept(&first.job_id, &first.step_token, candidate.clone());
        let shared = session.accept(&first.job_id, &first.step_token, candidate.clone());
        let (accepted, shared) = (wait(accepting), wait(shared));
        let cancelled = cancelled.recv().unwrap();
        *seen.entry(told(&accepted)).or_default() += 1;
        match (told(&accepted).as_str(), told(&cancelled).as_str()) {
            // Not even submitted when the job ended.
            ("BRIDGE_STEP_CONFLICT/bridge", "MODEL_ABORTED/core") => {}
            ("task", "MODEL_ABORTED/core") if repaired => {}
            ("MODEL_ABORTED/core", "MODEL_ABORTED/core") => {}
            ("result", "result") if !repaired => {}
            other => panic!("{other:?}"),
        }
        if told(&accepted) != "BRIDGE_STEP_CONFLICT/bridge" {
            assert_eq!(accepted.to_json(), shared.to_json());
            let again = wait(session.accept(&first.job_id, &first.step_token, candidate));
            assert_eq!(accepted.to_json(), again.to_json());
        }
        let ended = session.cancel(&first.job_id, CancelOutcome::Refusal, None);
        assert_eq!(ended.to_json(), cancelled.to_json());
        assert_eq!(bridge.usage().active_jobs, 0);
    }
    println!("{seen:?}");
    assert!(
        seen["MODEL_ABORTED/core"] > 10 && seen["result"] > 10,
        "{seen:?}"
    );
    drop(jobs);
    canceller.join().unwrap();
    let _ = (
        task(session.prepare("a", core_only())),
        task(session.prepare("a", core_only())),
    );
    session.close();
    assert_empty(&bridge);
    settle_down(&intent);
}

#[test]
fn sessions_instances_and_the_bridge_end_among_submissions() {
    const THREADS: usize = 4;
    let mut seen = BTreeMap::<String, u32>::new();
    for round in 0..40_usize {
        let instances = [intent(4000), intent(4000)];
        let bridge = on_workers(BridgeConfig {
            max_jobs: 12,
            max_replay_entries: 20,
            ..BridgeConfig::new(["a", "b"].into_iter().zip(instances.clone()))
        });
        let begin = Arc::new(Barrier::new(THREADS + 1));
        let hosts: Vec<_> = (0..THREADS)
            .map(|host| {
                let (bridge, begin) = (bridge.clone(), Arc::clone(&begin));
                thread::spawn(move || host_of_jobs(&bridge, &begin, host))
            })
            .collect();
        begin.wait();
        thread::sleep(Duration::from_micros(300 * (round as u64 % 10)));
        instances[0].dispose();
        thread::sleep(Duration::from_micros(300));
        if round % 2 == 0 {
            bridge.close();
        } else {
            instances[1].dispose();
        }
        for host in hosts {
            for outcome in host.join().unwrap() {
                *seen.entry(outcome).or_default() += 1;
            }
        }
        assert_eq!(bridge.usage().active_jobs, 0);
        assert!(bridge.usage().records <= 20);
        bridge.close();
        assert_empty(&bridge);
        instances.iter().for_each(settle_down);
    }
    println!("{seen:?}");
    for outcome in [
        "result",
        "INSTANCE_DISPOSED/core",
        "BRIDGE_JOB_NOT_FOUND/bridge",
    ] {
        assert!(seen.contains_key(outcome), "never seen: {outcome}");
    }
}

/// A host that works until instance and bridge are gone: what its submissions came to.
fn host_of_jobs(bridge: &Bridge, begin: &Barrier, host: usize) -> Vec<String> {
    let mut outcomes = Vec::new();
    begin.wait();
    for round in 0.. {
        let Ok(session) = bridge.connect() else { break };
        let mut waiting = Vec::new();
        let mut open = false;
        for name in ["a", "b", "b"] {
            match session.prepare(name, core_only()) {
                BridgeReply::Task(task) => {
                    open = true;
                    let first = session.accept(&task.job_id, &task.step_token, "{bad");
                    waiting.push((task.clone(), first));
                    if (round + host).is_multiple_of(5) {
                        let other =
                            session.accept(&task.job_id, &task.step_token, good(Stage::Core));
                        waiting.push((task, other));
                    }
                }
                refusal => match told(&refusal).as_str() {
                    "LIMIT_EXCEEDED/bridge" | "BRIDGE_JOB_NOT_FOUND/bridge" => open = true,
                    "INSTANCE_DISPOSED/input" => {}
                    other => panic!("{other}"),
                },
            }
        }
        if (round + host).is_multiple_of(7) {
            session.close();
        }
        for (first, accepting) in waiting {
            let mut reply = wait(accepting);
            while let BridgeReply::Task(next) = reply {
                assert_eq!(next.job_id, first.job_id);
                reply = wait(session.accept(&next.job_id, &next.step_token, good(Stage::Core)));
            }
            let outcome = told(&reply);
            assert!(
                [
                    "result",
                    "INSTANCE_DISPOSED/core",
                    "BRIDGE_JOB_NOT_FOUND/bridge",
                    "BRIDGE_STEP_CONFLICT/bridge",
                ]
                .contains(&outcome.as_str())
                // The queue of the instance's worker threads.
                || outcome == "LIMIT_EXCEEDED/data",
                "{outcome}"
            );
            outcomes.push(outcome);
        }
        if !open {
            break;
        }
    }
    outcomes
}

#[test]
fn one_submission_of_many_is_the_step() {
    let bridge = on_workers(BridgeConfig::new([("a", intent(4000))]));
    let session = bridge.connect().unwrap();
    for _ in 0..200 {
        let first = task(session.prepare("a", core_only()));
        let begin = Barrier::new(4);
        let replies: Vec<BridgeReply> = thread::scope(|scope| {
            let submit = |candidate: String| {
                let (session, first, begin) = (&session, &first, &begin);
                scope.spawn(move || {
                    begin.wait();
                    wait(session.accept(&first.job_id, &first.step_token, candidate))
                })
            };
            let hosts = [0, 0, 1, 1].map(|spaces| submit(good(Stage::Core) + &" ".repeat(spaces)));
            hosts.map(|host| host.join().unwrap()).into()
        });
        let results: Vec<&BridgeReply> = replies.iter().filter(|r| r.kind() == "result").collect();
        assert_eq!(results.len(), 2);
        assert_eq!(results[0].to_json(), results[1].to_json());
        for refused in replies.iter().filter(|reply| reply.kind() != "result") {
            assert_eq!(told(refused), "BRIDGE_STEP_CONFLICT/bridge");
        }
    }
    bridge.close();
    assert_empty(&bridge);
}

/// A submission is decided although its future was dropped, or never looked at.
#[test]
fn a_submission_needs_nobody_who_waits() {
    let bridge = on_workers(BridgeConfig::new([("a", intent(4000))]));
    let session = bridge.connect().unwrap();
    for dropped in [true, false].repeat(25) {
        let first = task(session.prepare("a", core_only()));
        let accept = || session.accept(&first.job_id, &first.step_token, good(Stage::Core));
        let mut unseen = Some(accept());
        assert!(matches!(unseen, Some(Accepting::Pending(_))));
        if dropped {
            unseen = None;
        }
        // Nobody asks for it, and the job ends all the same.
        let begun = Instant::now();
        while bridge.usage().active_jobs > 0 {
            assert!(begun.elapsed() < Duration::from_secs(20), "{dropped}");
            thread::sleep(Duration::from_micros(100));
        }
        assert_eq!(told(&wait(accept())), "result");
        drop(unseen);
    }
    bridge.close();
    assert_empty(&bridge);
}

/// Work that was given up is gone.
fn settle_down(intent: &Intent) {
    runtime::handle().block_on(async {
        tokio::time::timeout(Duration::from_secs(20), intent.idle())
            .await
            .expect("a check hangs");
    });
}
