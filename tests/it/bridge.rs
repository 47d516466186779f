//! The Bridge as a Rust host uses it: both stages, repairs, repetition, capacity.

use intent_runtime::bridge::{Bridge, BridgeConfig, BridgeReply, Session, Task};
use intent_runtime::pipeline::CancelOutcome;
use intent_runtime::schema::Origin;
use intent_runtime::{ErrorCode, Intent, IntentConfig, IntentError, Limits, Request, Stage};
use serde_json::{Value, json};

const INPUT: &str = "Query order 000123.";

fn orders(limits: Limits) -> Intent {
    let schema = json!({
        "type": "object",
        "properties": { "orderId": { "type": "string", "description": "Order id." } },
        "required": ["orderId"],
    });
    Intent::new(IntentConfig {
        schema: Some((schema, Origin::Json)),
        limits,
        ..IntentConfig::default()
    })
    .unwrap()
}

pub(crate) fn core() -> String {
    json!({
        "normalizedInput": INPUT,
        "primaryIntent": "Query order",
        "requirements": [],
        "prohibitions": [],
        "intents": [{
            "action": "query",
            "target": "order 000123",
            "requirements": [],
            "blockers": { "clarificationReason": null, "questions": [], "confirmationReason": null, "conditionReason": null },
        }],
    })
    .to_string()
}

pub(crate) fn data() -> Value {
    let sources = json!([{ "sourceId": "input", "quote": "000123" }]);
    json!({
        "data": { "orderId": "000123" },
        "evidence": [{ "path": "/data/orderId", "mode": "exact", "sources": sources }],
        "descriptionChecks": [{ "path": "/data/orderId", "verdict": "satisfied", "explanation": "stated", "sources": sources }],
        "fieldResults": [{ "path": "/data/orderId", "status": "extracted", "explanation": "stated" }],
        "issues": [],
    })
}

struct Host {
    intent: Intent,
    bridge: Bridge,
    session: Session,
}

fn host(limits: Limits, change: impl FnOnce(&mut BridgeConfig)) -> Host {
    let intent = orders(limits);
    let mut config = BridgeConfig::new([("orders", intent.clone())]);
    change(&mut config);
    let bridge = Bridge::new(config).unwrap();
    let session = bridge.connect().unwrap();
    Host {
        intent,
        bridge,
        session,
    }
}

impl Host {
    fn plain() -> Self {
        host(Limits::default(), |_| {})
    }

    fn prepare(&self) -> Task {
        task(self.session.prepare("orders", Request::new(INPUT)))
    }

    fn prepare_core(&self) -> Task {
        task(
            self.session
                .prepare("orders", Request::new(INPUT).fields([""; 0])),
        )
    }

    async fn accept(&self, task: &Task, candidate: impl Into<String>) -> BridgeReply {
        self.session
            .accept(&task.job_id, &task.step_token, candidate)
            .await
    }
}

#[track_caller]
fn task(reply: BridgeReply) -> Task {
    match reply {
        BridgeReply::Task(task) => task,
        other => panic!("no task: {}", other.to_json()),
    }
}

#[track_caller]
fn error(reply: &BridgeReply, code: ErrorCode, stage: Stage) -> &IntentError {
    match reply {
        BridgeReply::Error { error, .. } if error.code() == code && error.stage() == stage => error,
        other => panic!("not {code}/{stage}: {}", other.to_json()),
    }
}

fn payload(task: &Task) -> Value {
    serde_json::from_str(&task.request.payload).unwrap()
}

#[tokio::test]
async fn two_stages_and_their_repetition() {
    let host = Host::plain();
    let first = host.prepare();
    let second_reply = host.accept(&first, core()).await;
    let second = task(second_reply.clone());
    assert_eq!(
        (first.request.stage, second.request.stage),
        (Stage::Core, Stage::Data)
    );
    assert_eq!(first.job_id, second.job_id);
    assert_ne!(first.step_token, second.step_token);
    assert!(first.expires_at.is_none());
    let keys: Vec<String> = payload(&second)
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        keys,
        [
            "structuredLanguage",
            "currentInput",
            "context",
            "schemaReference",
            "checkedDefault",
            "selectedSchema",
            "selectedFields"
        ]
    );
    let again = host.accept(&first, core()).await;
    assert_eq!(again.to_json(), second_reply.to_json());
    let other = host.accept(&first, core() + " ").await;
    error(&other, ErrorCode::BridgeStepConflict, Stage::Bridge);

    let outcome = host.accept(&second, data().to_string()).await;
    let BridgeReply::Result(result) = &outcome else {
        panic!("{}", outcome.to_json())
    };
    assert_eq!(
        Value::Object(result.data.clone()),
        json!({ "orderId": "000123" })
    );
    for (step, candidate, expected) in [
        (&second, data().to_string(), &outcome),
        (&first, core(), &second_reply),
    ] {
        assert_eq!(
            host.accept(step, candidate).await.to_json(),
            expected.to_json()
        );
    }
    let cancelled = host
        .session
        .cancel(&first.job_id, CancelOutcome::Aborted, None);
    assert_eq!(cancelled.to_json(), outcome.to_json());
}

#[tokio::test]
async fn a_repair_asks_the_same_stage_again_and_counts_for_each() {
    let host = Host::plain();
    let first = host.prepare();
    let repair = task(host.accept(&first, "{bad").await);
    assert_eq!(repair.request.stage, Stage::Core);
    assert_eq!(payload(&repair)["repair"]["candidate"], "{bad");
    let second = task(host.accept(&repair, core()).await);
    assert!(payload(&second).get("repair").is_none());
    let mut wrong = data();
    wrong["evidence"] = json!([]);
    let repair = task(host.accept(&second, wrong.to_string()).await);
    assert_eq!(payload(&repair)["repair"]["candidate"], wrong.to_string());
    let ended = host.accept(&repair, wrong.to_string()).await;
    let ended = error(&ended, ErrorCode::ModelOutputInvalid, Stage::Data);
    assert!(ended.partial_result().unwrap().data.is_empty());
}

#[tokio::test]
async fn a_large_data_candidate_is_checked_on_a_worker() {
    let host = Host::plain();
    let second = task(host.accept(&host.prepare(), core()).await);
    let large = data().to_string() + &" ".repeat(100_000);
    let first = host
        .session
        .accept(&second.job_id, &second.step_token, large.clone());
    let same = host
        .session
        .accept(&second.job_id, &second.step_token, large.clone());
    let other = host
        .session
        .accept(&second.job_id, &second.step_token, "{}");
    let (first, same, other) = tokio::join!(first.reply(), same.reply(), other.reply());
    assert_eq!(first.kind(), "result", "{}", first.to_json());
    assert_eq!(first.to_json(), same.to_json());
    error(&other, ErrorCode::BridgeStepConflict, Stage::Bridge);
    assert_eq!(host.accept(&second, large).await.to_json(), first.to_json());
}

#[tokio::test]
async fn what_ends_a_job_is_the_outcome_of_its_submission() {
    let large = || data().to_string() + &" ".repeat(200_000);
    for how in 0..3 {
        // The worker may be the faster one; not always.
        let interrupted = async || {
            let host = Host::plain();
            let second = task(host.accept(&host.prepare(), core()).await);
            let waiting = host
                .session
                .accept(&second.job_id, &second.step_token, large());
            let (code, stage) = match how {
                0 => {
                    let _ = host
                        .session
                        .cancel(&second.job_id, CancelOutcome::Refusal, None);
                    (ErrorCode::ModelRefused, Stage::Data)
                }
                1 => {
                    host.intent.dispose();
                    (ErrorCode::InstanceDisposed, Stage::Data)
                }
                _ => {
                    host.bridge.close();
                    (ErrorCode::BridgeJobNotFound, Stage::Bridge)
                }
            };
            let outcome = waiting.await;
            assert_eq!(host.bridge.usage().active_jobs, 0);
            host.intent.idle().await;
            if outcome.kind() == "result" {
                return false;
            }
            let error = error(&outcome, code, stage);
            assert_eq!(error.partial_result().is_some(), how < 2);
            if how < 2 {
                let again = host.accept(&second, large()).await;
                assert_eq!(again.to_json(), outcome.to_json());
            }
            true
        };
        let mut times = 0;
        for _ in 0..30 {
            times += u32::from(interrupted().await);
        }
        assert!(times > 0);
    }
}

/// As the seed's `resubmitAfterSizeRejection`.
#[tokio::test]
async fn a_candidate_that_is_too_large_may_be_submitted_anew() {
    let limits = Limits {
        max_output_bytes: 2048,
        ..Limits::default()
    };
    let host = host(limits, |_| {});
    let first = host.prepare();
    for large in ["x".repeat(2049), "中".repeat(683)] {
        let refused = host.accept(&first, large).await;
        let refused = error(&refused, ErrorCode::LimitExceeded, Stage::Core);
        assert!(refused.partial_result().is_none());
    }
    let second = task(host.accept(&first, core()).await);
    let refused = host.accept(&second, "x".repeat(2049)).await;
    let refused = error(&refused, ErrorCode::LimitExceeded, Stage::Data);
    assert!(refused.partial_result().is_some());
    assert_eq!(
        host.accept(&second, data().to_string()).await.kind(),
        "result"
    );
}

#[tokio::test]
async fn a_step_that_does_not_fit_leaves_job_and_token() {
    let host = host(Limits::default(), |config| config.max_replay_bytes = 1024);
    let first = host.prepare();
    for _ in 0..2 {
        let refused = host.accept(&first, core()).await;
        error(&refused, ErrorCode::LimitExceeded, Stage::Bridge);
    }
    let cancelled = host
        .session
        .cancel(&first.job_id, CancelOutcome::Aborted, None);
    error(&cancelled, ErrorCode::ModelAborted, Stage::Core);
    host.prepare();
}

/// The documented sum, with a bridge that has exactly as much room and one that lacks a byte.
#[tokio::test]
async fn the_bytes_of_a_record_are_those_of_its_json() {
    let count = async |host: &Host| -> u64 {
        let first = host.prepare();
        let materials = json!({ "currentInput": INPUT, "context": [] })
            .to_string()
            .len();
        let repair = host.accept(&first, "{bad").await;
        let second = host.accept(&task(repair.clone()), core()).await;
        let second_task = task(second.clone());
        let core_result = payload(&second_task)["checkedDefault"].to_string().len();
        let expected = materials + core_result + repair.to_json().len() + second.to_json().len();
        assert_eq!(host.bridge.usage().bytes, expected as u64);
        let outcome = host.accept(&second_task, data().to_string()).await;
        let expected = expected + 2 * outcome.to_json().len();
        match outcome {
            BridgeReply::Result(_) => assert_eq!(host.bridge.usage().bytes, expected as u64),
            refused => {
                error(&refused, ErrorCode::LimitExceeded, Stage::Bridge);
            }
        }
        host.bridge.usage().bytes
    };
    let needed = count(&Host::plain()).await;
    let exact = host(Limits::default(), |config| config.max_replay_bytes = needed);
    assert_eq!(count(&exact).await, needed);
    let scant = host(Limits::default(), |config| {
        config.max_replay_bytes = needed - 1;
    });
    assert!(count(&scant).await < needed);
}

#[tokio::test]
async fn ended_jobs_make_room_and_active_ones_do_not() {
    let host = host(Limits::default(), |config| config.max_replay_entries = 3);
    let (mut ended, core) = (Vec::new(), core());
    for _ in 0..2 {
        let first = host.prepare_core();
        assert_eq!(host.accept(&first, &*core).await.kind(), "result");
        ended.push(first);
    }
    let active = host.prepare();
    assert_eq!(host.accept(&ended[0], &*core).await.kind(), "result");
    host.prepare();
    let gone = host.accept(&ended[1], &*core).await;
    error(&gone, ErrorCode::BridgeJobNotFound, Stage::Bridge);
    assert_eq!(host.accept(&ended[0], &*core).await.kind(), "result");
    host.prepare();
    let gone = host
        .session
        .cancel(&ended[0].job_id, CancelOutcome::Aborted, None);
    error(&gone, ErrorCode::BridgeJobNotFound, Stage::Bridge);
    let full = host.session.prepare("orders", Request::new(INPUT));
    error(&full, ErrorCode::LimitExceeded, Stage::Bridge);
    task(host.accept(&active, core).await);
}

#[tokio::test]
async fn a_refusal_for_max_jobs_names_the_oldest_of_the_session() {
    let host = host(Limits::default(), |config| config.max_jobs = 10);
    let jobs: Vec<Task> = (0..10).map(|_| host.prepare()).collect();
    let refused = host.session.prepare("orders", Request::new(INPUT));
    let refused = error(&refused, ErrorCode::LimitExceeded, Stage::Bridge);
    let at = |task: &Task| refused.message().find(&*task.job_id);
    let places: Vec<_> = jobs.iter().map(at).collect();
    assert!(places[..8].iter().all(Option::is_some) && places[..8].is_sorted());
    assert_eq!(places[8..], [None, None]);
    let other = host.bridge.connect().unwrap();
    let refused = other.prepare("orders", Request::new(INPUT));
    let refused = error(&refused, ErrorCode::LimitExceeded, Stage::Bridge);
    assert!(
        jobs.iter()
            .all(|job| !refused.message().contains(&*job.job_id))
    );
}

#[tokio::test]
async fn sessions_share_nothing_but_capacity() {
    let host = Host::plain();
    let first = host.prepare();
    let other = host.bridge.connect().unwrap();
    let foreign = other.accept(&first.job_id, &first.step_token, core()).await;
    error(&foreign, ErrorCode::BridgeJobNotFound, Stage::Bridge);
    let foreign = other.cancel(&first.job_id, CancelOutcome::Aborted, None);
    error(&foreign, ErrorCode::BridgeJobNotFound, Stage::Bridge);
    other.close();
    other.close();
    let closed = other.prepare("orders", Request::new(INPUT));
    error(&closed, ErrorCode::BridgeJobNotFound, Stage::Bridge);
    task(host.accept(&first, core()).await);
    // The last handle closes its session; a reply that is waited for is one.
    let mut dropped = host.bridge.connect().unwrap();
    let second = task(dropped.prepare("orders", Request::new(INPUT)));
    dropped = host.bridge.connect().unwrap();
    assert_eq!(host.bridge.usage().active_jobs, 1);
    let unknown = dropped.cancel(&second.job_id, CancelOutcome::Aborted, None);
    error(&unknown, ErrorCode::BridgeJobNotFound, Stage::Bridge);
    host.bridge.close();
    assert_eq!(
        host.bridge.usage(),
        intent_runtime::bridge::Usage::default()
    );
    assert!(host.bridge.connect().is_err());
    assert!(!host.intent.is_disposed());
}

#[tokio::test]
async fn disposal_ends_the_jobs_of_that_instance_alone() {
    let (a, b) = (orders(Limits::default()), orders(Limits::default()));
    let bridge = Bridge::new(BridgeConfig::new([("a", a.clone()), ("b", b)])).unwrap();
    let session = bridge.connect().unwrap();
    let one = task(session.prepare("a", Request::new(INPUT)));
    let other = task(session.prepare("b", Request::new(INPUT)));
    a.dispose();
    let ended = session
        .accept(&one.job_id, "anything", "x".repeat(1 << 20))
        .await;
    error(&ended, ErrorCode::InstanceDisposed, Stage::Core);
    task(
        session
            .accept(&other.job_id, &other.step_token, core())
            .await,
    );
    let refused = session.prepare("a", Request::new(" "));
    error(&refused, ErrorCode::InstanceDisposed, Stage::Input);
}
