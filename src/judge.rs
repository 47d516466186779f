//! Where a candidate is checked: at once on the calling thread where that is short, else on a
//! worker thread within `maxValidationMs`.
//!
//! Work that is given up stops at its next check and holds its place in the queue until then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::budget::{Budget, Exhausted};
use crate::error::{ErrorCode, IntentError, Stage};
use crate::executor::ModelReply;
use crate::limits::{Limits, exceeded};
use crate::pipeline::{Pipeline, Transition};
use crate::runtime;
use crate::signal::Activity;

/// A data candidate of at most so many bytes is tried on the calling thread first.
const INLINE_DATA_BYTES: usize = 32 << 10;

/// And only where candidates nest no deeper.
const INLINE_DEPTH: u64 = 64;

/// How long that may take: an event loop must not notice it.
const INLINE_BUDGET: Duration = Duration::from_millis(2);

/// The validations of one instance.
#[derive(Debug)]
pub(crate) struct Judge {
    running: Arc<Activity>,
    max_running: u64,
    inline: bool,
    time: Duration,
}

/// Sets the flag when dropped: whoever waited has gone.
struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Judge {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            running: Arc::default(),
            max_running: limits.max_validation_queue_entries,
            time: Duration::from_millis(limits.max_validation_ms),
            // Deep candidates need the stack of a worker thread.
            inline: limits.max_candidate_depth <= INLINE_DEPTH
                && Duration::from_millis(limits.max_validation_ms) >= INLINE_BUDGET,
        }
    }

    /// Returns once no validation is waiting or running.
    pub(crate) async fn idle(&self) {
        self.running.idle().await;
    }

    /// The transition where it can be told at once.
    pub(crate) fn at_once(&self, pipeline: &Pipeline, reply: &ModelReply) -> Option<Transition> {
        let ModelReply::Complete { text, .. } = reply else {
            return pipeline.accept(reply, &Budget::unlimited()).ok();
        };
        if pipeline.stage() == Stage::Data && (text.len() > INLINE_DATA_BYTES || !self.inline) {
            // What is past its size needs no look at the rest.
            return pipeline.check_size(text).err().map(Transition::Failed);
        }
        contained(pipeline, || {
            let budget = Budget::until(Instant::now() + INLINE_BUDGET).provisional();
            pipeline.accept(reply, &budget)
        })
        .ok()
    }

    /// The transition, on a worker thread and within the time that is allowed.
    pub(crate) async fn on_a_worker(
        &self,
        pipeline: &Pipeline,
        reply: Arc<ModelReply>,
    ) -> Transition {
        let Some(place) = self.running.enter(self.max_running) else {
            let error = exceeded(
                Stage::Data,
                "maxValidationQueueEntries",
                self.max_running,
                "the number of validations waiting or running",
            );
            return Transition::Failed(pipeline.complete(error));
        };
        let deadline = Instant::now() + self.time;
        let given_up = GiveUp(Arc::default());
        let budget = Budget::until(deadline).or_given_up(Arc::clone(&given_up.0));
        let work = pipeline.clone();
        let (task, timer) = {
            let _in_runtime = runtime::handle().enter();
            let task = tokio::task::spawn_blocking(move || {
                let _place = place;
                // It may have waited past its time, or for nobody.
                budget.look()?;
                contained(&work, || work.accept(&reply, &budget))
            });
            (task, tokio::time::sleep_until(deadline.into()))
        };
        tokio::select! {
            biased;
            done = task => match done {
                Ok(Ok(transition)) => transition,
                Ok(Err(Exhausted)) => Transition::Failed(pipeline.exhausted()),
                Err(_) => Transition::Failed(panicked(pipeline)),
            },
            () = timer => Transition::Failed(pipeline.exhausted()),
        }
    }
}

/// A panic in a check is an error of the recognition, not the end of the process.
fn contained(
    pipeline: &Pipeline,
    check: impl FnOnce() -> Result<Transition, Exhausted>,
) -> Result<Transition, Exhausted> {
    catch_unwind(AssertUnwindSafe(check))
        .unwrap_or_else(|_| Ok(Transition::Failed(panicked(pipeline))))
}

fn panicked(pipeline: &Pipeline) -> IntentError {
    pipeline.complete(IntentError::new(
        ErrorCode::ModelRequestFailed,
        Stage::Model,
        "an internal fault ended the check of the candidate; please report it.",
    ))
}
