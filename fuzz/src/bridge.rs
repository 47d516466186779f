//! Sequences of calls on a bridge, with a clock of the fuzzer's. A model with every rule is in
//! src/bridge/tests; here the order of calls is the fuzzer's, and what must always hold is asked
//! after each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use intent_runtime::bridge::{Accepting, Bridge, Clock, Session};
use intent_runtime::pipeline::CancelOutcome;
use intent_runtime::schema::Origin;
use intent_runtime::{BridgeConfig, BridgeReply, Intent, IntentConfig, Request};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::bytes::Bytes;

struct Manual(AtomicU64);

impl Clock for Manual {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + self.now()
    }
}

const CORE: &str = r#"{"normalizedInput":"n","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;
const DATA: &str = r#"{"data":{"a":"b"},"evidence":[{"path":"/data/a","mode":"exact","sources":[{"sourceId":"input","quote":"b"}]}],"descriptionChecks":[],"fieldResults":[{"path":"/data/a","status":"extracted","explanation":"e"}],"issues":[]}"#;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
});

struct Job {
    session: usize,
    id: String,
    token: String,
    /// What was answered, to be answered again.
    answered: Vec<(String, String, String)>,
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let clock = Arc::new(Manual(AtomicU64::new(0)));
    let plain = Intent::new(IntentConfig::default()).unwrap();
    let fields = Intent::new(IntentConfig {
        schema: Some((
            json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
            Origin::Json,
        )),
        ..IntentConfig::default()
    })
    .unwrap();
    let config = BridgeConfig {
        max_jobs: 1 + bytes.below(5) as u64,
        max_replay_entries: 1 + bytes.below(8) as u64,
        max_replay_bytes: [300, 5_000, 20_000, 1 << 20][bytes.below(4)],
        job_ttl_ms: [0, 100][bytes.below(2)],
        replay_ttl_ms: [0, 50][bytes.below(2)],
        ..BridgeConfig::new([("plain", plain.clone()), ("fields", fields.clone())])
    };
    let (jobs_most, records_most, bytes_most) = (
        config.max_jobs,
        config.max_replay_entries,
        config.max_replay_bytes,
    );
    let clock_of_bridge: Arc<dyn Clock> = clock.clone();
    let Ok(bridge) = Bridge::with_clock(config, clock_of_bridge) else {
        return;
    };
    let mut sessions: Vec<Session> = vec![bridge.connect().unwrap()];
    let mut jobs: Vec<Job> = Vec::new();
    let mut steps = 0;
    while !bytes.is_empty() && steps < 200 {
        steps += 1;
        let s = bytes.below(sessions.len());
        match bytes.below(16) {
            0..=3 => {
                let instance = bytes.pick(&["plain", "fields", "fields", "toString"]);
                let mut request = Request::new(bytes.pick(&["b c", "b", " ", ""]));
                if bytes.one_in(3) {
                    request = request.background("b".repeat(bytes.below(200)));
                }
                if bytes.one_in(6) {
                    request = request.fields([bytes.name()]);
                }
                if let BridgeReply::Task(task) = sessions[s].prepare(instance, request) {
                    assert_ne!(instance, "toString");
                    jobs.push(Job {
                        session: s,
                        id: task.job_id.to_string(),
                        token: task.step_token.to_string(),
                        answered: Vec::new(),
                    });
                }
            }
            4..=9 if !jobs.is_empty() => {
                let j = bytes.below(jobs.len());
                let owner = jobs[j].session;
                let by = if bytes.one_in(8) { s } else { owner };
                let again = bytes
                    .one_in(3)
                    .then(|| jobs[j].answered.last().cloned())
                    .flatten();
                let (token, candidate) = match &again {
                    Some((token, candidate, _)) => (token.clone(), candidate.clone()),
                    None => {
                        let token = if bytes.one_in(8) {
                            "x".repeat(32)
                        } else {
                            jobs[j].token.clone()
                        };
                        let candidate = match bytes.below(6) {
                            0 | 1 => CORE.to_owned(),
                            2 | 3 => DATA.to_owned(),
                            4 => String::from_utf8_lossy(bytes.take(40)).into_owned(),
                            _ => "x".repeat(300_000),
                        };
                        (token, candidate)
                    }
                };
                let accepting = sessions[by].accept(&jobs[j].id, &token, candidate.clone());
                let reply = match accepting {
                    Accepting::Ready(reply) => reply,
                    Accepting::Pending(reply) => RUNTIME
                        .block_on(async {
                            tokio::time::timeout(Duration::from_secs(20), reply).await
                        })
                        .expect("a submission that never ends"),
                };
                let json = reply.to_json();
                assert_eq!(serde_json::to_string(&reply).unwrap(), json);
                if by != owner {
                    assert!(json.contains("BRIDGE_JOB_NOT_FOUND"), "{json}");
                    continue;
                }
                let gone = json.contains("BRIDGE_JOB_NOT_FOUND");
                if let Some((_, _, before)) = &again {
                    // To the byte, unless time or room took the record, or the job ended.
                    let ended = ["INSTANCE_DISPOSED", "BRIDGE_JOB_EXPIRED"];
                    assert!(
                        *before == json || gone || ended.iter().any(|end| json.contains(end)),
                        "{before}\n{json}"
                    );
                    continue;
                }
                let refused = ["BRIDGE_STEP_CONFLICT", "INPUT_INVALID", "LIMIT_EXCEEDED"];
                if !gone && !refused.iter().any(|code| json.contains(code)) {
                    jobs[j].answered.push((token, candidate, json));
                }
                if let BridgeReply::Task(task) = &reply {
                    assert_eq!(*task.job_id, *jobs[j].id);
                    assert_ne!(*task.step_token, *jobs[j].token);
                    jobs[j].token = task.step_token.to_string();
                }
            }
            10 | 11 if !jobs.is_empty() => {
                let j = bytes.below(jobs.len());
                let how = bytes.pick(&[CancelOutcome::Aborted, CancelOutcome::Refusal, CancelOutcome::Incomplete]);
                let detail = "d".repeat(bytes.pick(&[0, 5, 2048, 2049]));
                let job = &jobs[j];
                let reply = sessions[job.session]
                    .cancel(&job.id, how, Some(&detail))
                    .to_json();
                if detail.len() > 2048 {
                    assert!(
                        reply.contains("INPUT_INVALID") || reply.contains("BRIDGE_JOB_NOT_FOUND"),
                        "{reply}"
                    );
                } else {
                    // An ended job says how it ended, and says it again.
                    let again = sessions[job.session]
                        .cancel(&job.id, CancelOutcome::Aborted, None)
                        .to_json();
                    assert!(
                        again == reply || again.contains("BRIDGE_JOB_NOT_FOUND"),
                        "{reply}\n{again}"
                    );
                }
            }
            12 => drop(
                clock
                    .0
                    .fetch_add(bytes.below(120) as u64, Ordering::Relaxed),
            ),
            13 if sessions.len() < 4 => {
                if let Ok(session) = bridge.connect() {
                    sessions.push(session);
                }
            }
            14 => {
                let value = serde_json::from_slice(bytes.take(60)).unwrap_or(json!({ "jobId": 1 }));
                for reply in [
                    sessions[s].prepare_value(value),
                    sessions[s]
                        .cancel_value(json!({ "jobId": bytes.text(), "outcome": bytes.text() })),
                ] {
                    if let BridgeReply::Task(task) = reply {
                        sessions[s].cancel(&task.job_id, CancelOutcome::Aborted, None);
                    }
                }
            }
            15 => match bytes.below(12) {
                0 => sessions[s].close(),
                1 => bridge.close(),
                2 => fields.dispose(),
                3 => plain.dispose(),
                _ => {}
            },
            _ => {}
        }
        let usage = bridge.usage();
        assert!(
            usage.active_jobs <= jobs_most && usage.active_jobs <= usage.records,
            "{usage:?}"
        );
        assert!(
            usage.records <= records_most && usage.bytes <= bytes_most,
            "{usage:?}"
        );
        assert!(usage.records > 0 || usage.bytes == 0, "{usage:?}");
    }
    // Whatever happened, an end leaves nothing.
    plain.dispose();
    fields.dispose();
    assert_eq!(bridge.usage().active_jobs, 0);
    bridge.close();
    let usage = bridge.usage();
    assert_eq!(
        (usage.sessions, usage.records, usage.bytes),
        (0, 0, 0),
        "{usage:?}"
    );
    drop(sessions);
}
