//! Observers of a running recognition.

use std::fmt;
use std::sync::Arc;

use crate::candidate::IntentResult;
use crate::catch_panic::catch_panic;
use crate::error::Stage;
use crate::report::ModelCall;

/// Receives the events of one recognition as they happen. Each method must return soon, because the
/// recognition waits for it. A panic in a method has no effect.
///
/// See [`Intent::parse_observed`](crate::Intent::parse_observed).
pub trait ParseObserver: Send + Sync {
    /// The core result stands. The question for the data, if there is one, goes out next.
    fn core(&self, result: &Arc<IntentResult>) {
        let _ = result;
    }

    /// A question goes out.
    fn asked(&self, stage: Stage, repair: bool) {
        let _ = (stage, repair);
    }

    /// The outcome of the question is known: its answer was checked, or there is none.
    fn answered(&self, call: &ModelCall) {
        let _ = call;
    }
}

/// An optional observer whose panics are contained.
#[derive(Clone, Default)]
pub(crate) struct ContainedObserver(Option<Arc<dyn ParseObserver>>);

impl ContainedObserver {
    pub(crate) fn new(observer: Arc<dyn ParseObserver>) -> Self {
        Self(Some(observer))
    }

    pub(crate) fn notify(&self, notify: impl FnOnce(&dyn ParseObserver)) {
        if let Some(observer) = &self.0 {
            let _ = catch_panic(|| notify(&**observer));
        }
    }
}

impl fmt::Debug for ContainedObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ContainedObserver")
            .field(&self.0.is_some())
            .finish()
    }
}
