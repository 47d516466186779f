//! Tells JavaScript of a recognition while it goes on.

use std::sync::Arc;

use super::events::{Event, EventKind};
use super::host::Outbox;
use crate::candidate::IntentResult;
use crate::error::Stage;
use crate::observer::ParseObserver;
use crate::report::ModelCall;

/// The outcome comes with its report.
pub(super) const REPORT: u8 = 1;
/// Reports the core result as soon as there is one.
const CORE: u8 = 2;
/// Reports each question and its outcome.
const QUESTIONS: u8 = 4;

/// Makes events of what one task tells.
pub(super) struct Teller {
    id: u32,
    told: u8,
    outbox: Outbox,
}

impl Teller {
    /// `None` where nothing is to be told.
    pub(super) fn new(id: u32, told: u8, outbox: Outbox) -> Option<Arc<Self>> {
        (told & (CORE | QUESTIONS) != 0).then(|| Arc::new(Self { id, told, outbox }))
    }

    fn put(&self, what: u8, kind: EventKind, text: impl FnOnce() -> String) {
        if self.told & what != 0 {
            self.outbox.put(Event::of(self.id, kind, text()));
        }
    }
}

impl ParseObserver for Teller {
    fn core(&self, result: &Arc<IntentResult>) {
        self.put(CORE, EventKind::Core, || result.to_json());
    }

    fn asked(&self, stage: Stage, repair: bool) {
        self.put(QUESTIONS, EventKind::Asked, || {
            format!(r#"{{"stage":"{}","repair":{repair}}}"#, stage.as_str())
        });
    }

    fn answered(&self, call: &ModelCall) {
        // Faults may name what the model wrote.
        self.put(QUESTIONS, EventKind::Answered, || {
            let call = ModelCall {
                faults: Vec::new(),
                ..call.clone()
            };
            serde_json::to_string(&call).unwrap_or_default()
        });
    }
}
