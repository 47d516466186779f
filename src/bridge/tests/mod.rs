//! Tests that look behind the API: the ledger against a simple model, races, lifetimes.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a random run tells what it saw, and how to see it again"
)]

mod lifetimes;
mod model;
mod races;
mod shapes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Bridge, BridgeReply, Clock};
use crate::error::Stage;

/// A clock that stands until it is moved.
#[derive(Debug, Default)]
struct ManualClock(AtomicU64);

impl ManualClock {
    fn pass(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }

    fn ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.ms())
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(WALL_MS + self.ms())
    }
}

/// When the manual clock begins, in milliseconds since 1970.
const WALL_MS: u64 = 1_800_000_000_000;

const INPUT: &str = "Query order 000123.";

/// A schema with one field, for instances that have a data stage.
fn schema() -> serde_json::Value {
    serde_json::json!({
        "type": "object",
        "properties": { "orderId": { "type": "string", "description": "Order id." } },
        "required": ["orderId"],
    })
}

/// A candidate that its stage accepts.
fn good(stage: Stage) -> String {
    match stage {
        Stage::Data => serde_json::json!({
            "data": { "orderId": "000123" },
            "evidence": [{ "path": "/data/orderId", "mode": "exact", "sources": SOURCES }],
            "descriptionChecks": [{ "path": "/data/orderId", "verdict": "satisfied", "explanation": "stated", "sources": SOURCES }],
            "fieldResults": [{ "path": "/data/orderId", "status": "extracted", "explanation": "stated" }],
            "issues": [],
        }),
        _ => serde_json::json!({
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
        }),
    }
    .to_string()
}

const SOURCES: [Source; 1] = [Source {
    source_id: "input",
    quote: "000123",
}];

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    source_id: &'static str,
    quote: &'static str,
}

#[track_caller]
fn task(reply: BridgeReply) -> super::Task {
    match reply {
        BridgeReply::Task(task) => task,
        other => panic!("no task: {}", other.to_json()),
    }
}

/// `CODE/stage` of an error, else the kind.
fn told(reply: &BridgeReply) -> String {
    match reply {
        BridgeReply::Error { error, .. } => format!("{}/{}", error.code(), error.stage()),
        other => other.kind().to_owned(),
    }
}

/// Nothing is left of any job.
#[track_caller]
fn assert_empty(bridge: &Bridge) {
    let usage = bridge.usage();
    assert_eq!(
        (usage.active_jobs, usage.records, usage.bytes),
        (0, 0, 0),
        "{usage:?}"
    );
    let state = bridge.0.state();
    assert!(state.ledger.is_clear());
}

/// An instance that refuses candidates of more than `max_output_bytes`.
fn intent(max_output_bytes: u64) -> crate::Intent {
    crate::Intent::new(crate::IntentConfig {
        schema: Some((schema(), crate::schema::Origin::Json)),
        limits: crate::Limits {
            max_output_bytes,
            max_intent_count: 3,
            ..crate::Limits::default()
        },
        ..crate::IntentConfig::default()
    })
    .unwrap()
}

fn shared(clock: &Arc<ManualClock>) -> Arc<dyn Clock> {
    Arc::clone(clock) as Arc<dyn Clock>
}
