//! Observers of a recognition while it goes on.

use std::fmt;
use std::sync::Arc;

use crate::candidate::IntentResult;
use crate::contain::contained;
use crate::error::Stage;
use crate::report::ModelCall;

/// Receives the events of one recognition as they happen. Each method returns soon: the recognition
/// waits for it. A panic in one changes nothing.
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

/// An observer, if there is one, whose panics are contained.
#[derive(Clone, Default)]
pub(crate) struct Observed(Option<Arc<dyn ParseObserver>>);

impl Observed {
    pub(crate) fn by(observer: Arc<dyn ParseObserver>) -> Self {
        Self(Some(observer))
    }

    pub(crate) fn tell(&self, tell: impl FnOnce(&dyn ParseObserver)) {
        if let Some(observer) = &self.0 {
            let _ = contained(|| tell(&**observer));
        }
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observed").field(&self.0.is_some()).finish()
    }
}
