//! Decides where a candidate is checked: on the calling thread if the check is short, otherwise on a
//! worker thread. A data candidate is checked within `maxValidationMs`; the validator of a large
//! schema is compiled before that time begins. The first question about a large schema is written on a
//! worker too, with the check of the core candidate.
//!
//! The worker threads have the queue itself. This module counts the validations that wait or run, and
//! refuses one that exceeds the limit. Cancelled work stops when it next checks its budget, and counts
//! until then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::activity::{Active, Activity};
use crate::budget::{Budget, Exhausted};
use crate::error::{ErrorKind, IntentError, Stage};
use crate::executor::ModelReply;
use crate::limits::{Limit, Limits};
use crate::pipeline::{Pipeline, Transition};
use crate::runtime;

/// A core candidate of at most so many bytes is checked on the calling thread. The check takes some
/// 20 ns for a byte of the worst text, in which every second byte begins a value.
const INLINE_CORE_BYTES: usize = 64 << 10;

/// A core candidate of at most so many bytes is also checked there if it has few values: texts take
/// some 2 ns for a byte.
const INLINE_CORE_TEXT_BYTES: usize = 256 << 10;

/// The commas and brackets of a core candidate that has few values.
const INLINE_CORE_MARKS: usize = 16 << 10;

/// A data candidate of at most so many bytes is tried on the calling thread first.
const INLINE_DATA_BYTES: usize = 32 << 10;

/// Data is tried there only where `maxCandidateDepth` is at most this.
const INLINE_DEPTH: u64 = 64;

/// The time for one try on the calling thread: an event loop must not notice it.
const INLINE_BUDGET: Duration = Duration::from_millis(2);

/// The validations of one instance.
#[derive(Debug)]
pub(crate) struct ValidationQueue {
    running: Arc<Activity>,
    max_running: u64,
    inline: bool,
    time: Duration,
}

/// Sets the flag when `check_on_worker` ends or is dropped, because then no caller waits.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns whether the check of a core candidate is short enough for an event loop.
fn is_short_core(text: &str) -> bool {
    let marks = || memchr::memchr3_iter(b',', b'[', b'{', text.as_bytes());
    text.len() <= INLINE_CORE_BYTES
        || (text.len() <= INLINE_CORE_TEXT_BYTES
            && marks().take(INLINE_CORE_MARKS + 1).count() <= INLINE_CORE_MARKS)
}

impl ValidationQueue {
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

    /// Returns the transition if the check is short; `None` if it needs a worker.
    pub(crate) fn check_now(&self, pipeline: &Pipeline, reply: &ModelReply) -> Option<Transition> {
        let ModelReply::Complete { text, .. } = reply else {
            return pipeline.accept(reply, &Budget::unlimited()).ok();
        };
        let inline = match pipeline.stage() {
            Stage::Data => self.inline && text.len() <= INLINE_DATA_BYTES && pipeline.is_ready(),
            _ => is_short_core(text) && pipeline.is_next_written(),
        };
        if !inline {
            // A candidate over its size limit is refused before any other check.
            return pipeline.check_size(text).err().map(Transition::Failed);
        }
        panic_as_error(pipeline, || {
            let budget = Budget::until(Instant::now() + INLINE_BUDGET).provisional();
            pipeline.accept(reply, &budget)
        })
        .ok()
    }

    /// Checks on a worker thread; a data candidate within the time limit.
    pub(crate) async fn check_on_worker(
        &self,
        pipeline: &Pipeline,
        reply: Arc<ModelReply>,
    ) -> Transition {
        let is_data = pipeline.stage() == Stage::Data;
        // Only data candidates count against the limit; the size of a core candidate bounds its cost.
        let most = if is_data { self.max_running } else { u64::MAX };
        let Some(place) = self.running.enter(most) else {
            let full = ErrorKind::Limit {
                limit: Limit::ValidationQueueEntries,
                max: self.max_running,
                actual: None,
                place: None,
            };
            return Transition::Failed(pipeline.complete(full.at_stage(Stage::Data)));
        };
        let given_up = CancelOnDrop(Arc::default());
        let place = if pipeline.is_ready() {
            place
        } else {
            match prepare_on_worker(pipeline, place).await {
                Ok(place) => place,
                Err(error) => return Transition::Failed(error),
            }
        };
        let mut budget = Budget::unlimited().or_given_up(Arc::clone(&given_up.0));
        let timer = if is_data {
            let deadline = Instant::now() + self.time;
            budget = budget.and_until(deadline);
            let Some(runtime) = runtime::started() else {
                return Transition::Failed(pipeline.no_thread());
            };
            let _in_runtime = runtime.enter();
            Some(tokio::time::sleep_until(deadline.into()))
        } else {
            None
        };
        let work = pipeline.clone();
        let task = runtime::run_on_worker(move || {
            let _place = place;
            // While it waited, its time may have passed, or its caller may have cancelled.
            budget.look()?;
            panic_as_error(&work, || work.accept(&reply, &budget))
        });
        let Some(task) = task else {
            return Transition::Failed(pipeline.no_thread());
        };
        let late = async {
            match timer {
                Some(timer) => timer.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            done = task => match done {
                Ok(Ok(transition)) => transition,
                Ok(Err(Exhausted)) => Transition::Failed(pipeline.exhausted()),
                Err(_) => Transition::Failed(panicked(pipeline)),
            },
            () = late => Transition::Failed(pipeline.exhausted()),
        }
    }
}

/// Compiles the validator on a worker thread; returns the place in the queue.
async fn prepare_on_worker(pipeline: &Pipeline, place: Active) -> Result<Active, IntentError> {
    let work = pipeline.clone();
    let task = runtime::run_on_worker(move || (work.prepare(), place));
    let task = task.ok_or_else(|| pipeline.no_thread())?;
    let (prepared, place) = task.await.map_err(|_| panicked(pipeline))?;
    prepared.map(|()| place)
}

/// Turns a panic in a check into an error of the recognition.
fn panic_as_error(
    pipeline: &Pipeline,
    check: impl FnOnce() -> Result<Transition, Exhausted>,
) -> Result<Transition, Exhausted> {
    crate::catch_panic::catch_panic(check)
        .unwrap_or_else(|| Ok(Transition::Failed(panicked(pipeline))))
}

fn panicked(pipeline: &Pipeline) -> IntentError {
    pipeline.complete(ErrorKind::Internal("the check of the candidate").error())
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use serde_json::{Value, json};

    use super::*;
    use crate::definition::Definition;
    use crate::error::ErrorCode;
    use crate::materials::Materials;
    use crate::request::Request;
    use crate::schema::Origin;
    use crate::schema::stack::NO_THREAD;

    fn core_stage(schema: Option<Value>, limits: Limits) -> Pipeline {
        let schema = schema.map(|schema| (schema, Origin::Json));
        let definition = Arc::new(Definition::new("en", schema, 1, limits).unwrap());
        let materials = Materials::new(&definition, Request::new("Query order 7.")).unwrap();
        Pipeline::start(definition, materials).unwrap().0
    }

    fn core(normalized: &str) -> ModelReply {
        complete(&json!({
            "normalizedInput": normalized, "primaryIntent": null, "requirements": [],
            "prohibitions": [], "intents": [],
        }))
    }

    fn complete(candidate: &Value) -> ModelReply {
        let text = candidate.to_string();
        let info = crate::executor::ReplyInfo::default();
        ModelReply::Complete { text, info }
    }

    fn wait<T>(future: impl Future<Output = T>) -> T {
        let builder = &mut tokio::runtime::Builder::new_current_thread();
        builder.build().unwrap().block_on(future)
    }

    #[test]
    fn large_core_candidates_leave_the_calling_thread() {
        let queue = ValidationQueue::new(&Limits::default());
        let pipeline = core_stage(None, Limits::default());
        let small = core("Query.");
        assert!(matches!(
            queue.check_now(&pipeline, &small),
            Some(Transition::Done(_))
        ));
        let text = core(&"x".repeat(INLINE_CORE_BYTES));
        assert!(matches!(
            queue.check_now(&pipeline, &text),
            Some(Transition::Done(_))
        ));
        let large = core(&"x,".repeat(INLINE_CORE_BYTES / 2));
        assert!(queue.check_now(&pipeline, &large).is_none());
        // A candidate that is too long needs no worker.
        let past = core(&"x".repeat(300_000));
        assert!(matches!(
            queue.check_now(&pipeline, &past),
            Some(Transition::Failed(_))
        ));
        // The limits of validation are those of data; no time at all is always too short.
        let limits = Limits {
            max_validation_ms: 0,
            max_validation_queue_entries: 1,
            ..Limits::default()
        };
        let queue = ValidationQueue::new(&limits);
        let _place = queue.running.enter(1).unwrap();
        let done = wait(queue.check_on_worker(&pipeline, Arc::new(large)));
        assert!(matches!(done, Transition::Done(_)), "{done:?}");
    }

    /// Schemas that nest deeper than a thread's usual stack is meant for.
    fn deep() -> Value {
        let mut schema = json!({ "type": "null" });
        for _ in 0..30 {
            schema = json!({ "items": schema });
        }
        json!({ "type": "object", "properties": { "v": schema } })
    }

    fn data() -> ModelReply {
        let sources = json!([{ "sourceId": "input", "quote": "7" }]);
        complete(&json!({
            "data": { "v": [[[null]]] },
            "evidence": [{ "path": "/data/v/0/0/0", "mode": "semantic", "sources": sources }],
            "descriptionChecks": [],
            "fieldResults": [{ "path": "/data/v", "status": "extracted", "explanation": "e" }],
            "issues": [],
        }))
    }

    /// It is no fault of the data, so it is no repair; and it is not remembered.
    #[test]
    fn a_system_without_threads_is_a_fault_of_the_machine() {
        let limits = Limits {
            max_schema_depth: 64,
            ..Limits::default()
        };
        let queue = ValidationQueue::new(&limits);
        let pipeline = core_stage(Some(deep()), limits);
        let asked = queue.check_now(&pipeline, &core("Query."));
        let Some(Transition::Ask(pipeline, _)) = asked else {
            panic!("{asked:?}")
        };
        let refused = |transition: Transition| match transition {
            Transition::Failed(error) => {
                assert_eq!(error.code(), ErrorCode::ResourceLimit);
                assert_eq!(error.stage(), Stage::Data);
                assert!(error.message().contains("gives no thread"), "{error}");
            }
            other => panic!("{other:?}"),
        };
        NO_THREAD.set(true);
        for _ in 0..2 {
            // No worker, and no thread with more stack either.
            refused(wait(queue.check_on_worker(&pipeline, Arc::new(data()))));
            refused(pipeline.accept(&data(), &Budget::unlimited()).unwrap());
            assert!(pipeline.prepare().is_err());
        }
        NO_THREAD.set(false);
        let done = wait(queue.check_on_worker(&pipeline, Arc::new(data())));
        assert!(matches!(done, Transition::Done(_)), "{done:?}");
        assert!(matches!(
            queue.check_now(&pipeline, &data()),
            Some(Transition::Done(_))
        ));
    }

    /// The first answer compiles, and that takes no part in the time that is allowed.
    #[test]
    fn a_large_schema_is_written_and_compiled_on_a_worker_before_the_time_begins() {
        let many: Vec<Value> = (0..60)
            .map(|i| json!({ "minItems": i, "description": "d" }))
            .collect();
        let choices = json!({ "oneOf": many });
        let fields: serde_json::Map<String, Value> = (0..40)
            .map(|i| (format!("f{i}"), choices.clone()))
            .collect();
        let schema = json!({ "type": "object", "properties": fields });
        let queue = ValidationQueue::new(&Limits::default());
        let pipeline = core_stage(Some(schema), Limits::default());
        // The question that follows contains the schema, so a worker writes it at the first time.
        assert!(queue.check_now(&pipeline, &core("Query.")).is_none());
        let asked = wait(queue.check_on_worker(&pipeline, Arc::new(core("Query."))));
        let Transition::Ask(data_stage, question) = asked else {
            panic!("{asked:?}")
        };
        let again = queue.check_now(&pipeline, &core("Query."));
        let Some(Transition::Ask(_, written)) = again else {
            panic!("{again:?}")
        };
        assert_eq!(written.payload, question.payload);
        let pipeline = data_stage;
        assert!(!pipeline.is_ready());
        let empty = complete(&json!({
            "data": {}, "evidence": [], "descriptionChecks": [], "fieldResults": [], "issues": [],
        }));
        assert!(queue.check_now(&pipeline, &empty).is_none());
        let asked = wait(async {
            let mut checked = std::pin::pin!(queue.check_on_worker(&pipeline, Arc::new(empty)));
            let begun =
                std::future::poll_fn(|cx| Poll::Ready(checked.as_mut().poll(cx).is_pending()));
            assert!(begun.await);
            // A compilation that takes longer than the check may: its time begins afterwards.
            std::thread::sleep(queue.time + Duration::from_millis(100));
            checked.await
        });
        assert!(matches!(asked, Transition::Ask(..)), "{asked:?}");
        assert!(pipeline.is_ready());
    }
}
