//! Reports a recognition to JavaScript while it goes on.

use std::sync::Arc;

use super::events::{Event, EventKind};
use super::queue::Outbox;
use crate::candidate::IntentResult;
use crate::error::{IntentError, Stage};
use crate::observer::ParseObserver;
use crate::report::{ModelCall, ParseReport};

/// The outcome comes with its report.
pub(super) const REPORT: u8 = 1;
/// Reports the core result as soon as there is one.
const CORE: u8 = 2;
/// Reports each question and its outcome, for the tracing channels.
const QUESTIONS: u8 = 4;
/// Reports the end of the recognition, for the tracing channels.
const TRACED_REPORT: u8 = 8;

/// Makes events of the progress of one task.
pub(super) struct EventObserver {
    id: u32,
    wanted: u8,
    outbox: Outbox,
}

impl EventObserver {
    /// `None` where no progress is wanted.
    pub(super) fn new(id: u32, wanted: u8, outbox: Outbox) -> Option<Arc<Self>> {
        (wanted & !REPORT != 0).then(|| Arc::new(Self { id, wanted, outbox }))
    }

    pub(super) fn ended(&self, outcome: &Result<(Arc<IntentResult>, ParseReport), IntentError>) {
        let report = match outcome {
            Ok((_, report)) => Some(report),
            Err(error) => error.report().map(AsRef::as_ref),
        };
        let Some(ParseReport { duration, calls }) = report else {
            return;
        };
        self.put(TRACED_REPORT, EventKind::Report, || {
            let calls = calls.iter().map(without_faults).collect();
            let report = ParseReport {
                duration: *duration,
                calls,
            };
            serde_json::to_string(&report).unwrap_or_default()
        });
    }

    fn put(&self, flag: u8, kind: EventKind, text: impl FnOnce() -> String) {
        if self.wanted & flag != 0 {
            self.outbox.put(Event::of(self.id, kind, text()));
        }
    }
}

impl ParseObserver for EventObserver {
    fn core(&self, result: &Arc<IntentResult>) {
        self.put(CORE, EventKind::Core, || result.to_json());
    }

    fn asked(&self, stage: Stage, repair: bool) {
        self.put(QUESTIONS, EventKind::Asked, || {
            format!(r#"{{"stage":"{}","repair":{repair}}}"#, stage.as_str())
        });
    }

    fn answered(&self, call: &ModelCall) {
        self.put(QUESTIONS, EventKind::Answered, || {
            serde_json::to_string(&without_faults(call)).unwrap_or_default()
        });
    }
}

/// A call as the tracing channels publish it: faults may contain a text of the model.
fn without_faults(call: &ModelCall) -> ModelCall {
    ModelCall {
        faults: Vec::new(),
        ..call.clone()
    }
}
