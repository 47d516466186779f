//! Tasks of one JavaScript environment.
//!
//! A task is a future that the JavaScript thread polls itself, inside the call that made it ready:
//! a recognition with a JavaScript executor crosses no thread at all. Where another thread wakes a
//! task (a timer, a worker that validated), `notify` asks JavaScript to come and drain. Work that
//! needs no JavaScript runs on the crate's own threads and only its outcome comes here.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tokio::task::AbortHandle;

use super::events::{Event, Events, Outcome};
use super::js_executor::{self, PendingCalls};
use super::queue::{Draining, Notify, Outbox, Shared, TaskWaker};
use crate::cancel::Cancel;
use crate::catch_panic::{CatchPanic, catch_panic};
use crate::error::{ErrorKind, IntentError};
use crate::executor::{ModelReply, ReplyInfo};
use crate::{prompt, runtime};

type Task = Pin<Box<dyn Future<Output = Outcome>>>;

/// The meeting point of one JavaScript environment with Rust.
#[napi(custom_finalize)]
pub struct Host {
    shared: Arc<Shared>,
    tasks: RefCell<BTreeMap<u32, Task>>,
    spawned: RefCell<BTreeMap<u32, AbortHandle>>,
    pub(super) cancels: RefCell<BTreeMap<u32, Cancel>>,
    calls: PendingCalls,
    /// Tasks that have not ended.
    open: RefCell<BTreeSet<u32>>,
    /// True if the process is kept alive for these tasks.
    kept_alive: Cell<bool>,
}

impl ObjectFinalize for Host {
    fn finalize(self, _env: Env) -> Result<()> {
        for task in self.spawned.borrow().values() {
            task.abort();
        }
        Ok(())
    }
}

#[napi]
impl Host {
    /// `notify` is called when [`Host::drain`] has something to give.
    #[napi(constructor, catch_unwind)]
    pub fn new(notify: Function<'_, (), Unknown<'static>>) -> Result<Self> {
        let notify: Notify = notify
            .build_threadsafe_function::<()>()
            .callee_handled::<true>()
            .weak::<true>()
            .build_callback(|_| Ok(()))?;
        Ok(Self {
            shared: Shared::new(notify),
            tasks: RefCell::default(),
            spawned: RefCell::default(),
            cancels: RefCell::default(),
            calls: PendingCalls::default(),
            open: RefCell::default(),
            kept_alive: Cell::new(false),
        })
    }

    /// Returns the events since the last call of the host.
    #[napi(catch_unwind)]
    pub fn drain(&self, env: Env) -> Events {
        self.shared.queue().notified = false;
        self.run_ready(env, Vec::new())
    }

    /// Ends a recognition with `MODEL_ABORTED`.
    #[napi(catch_unwind)]
    pub fn abort(&self, env: Env, id: u32) -> Events {
        self.run_after(env, || {
            if let Some(cancel) = self.cancels.borrow().get(&id) {
                cancel.set();
            }
        })
    }

    /// The executor's answer: `outcome` 0 complete, 1 refusal, 2 incomplete. `info` is JSON with
    /// `usage`, `model` and `requestId` as far as the executor gave them.
    #[napi(catch_unwind)]
    pub fn answer(
        &self,
        env: Env,
        call: u32,
        outcome: u8,
        text: Option<String>,
        info: Option<String>,
    ) -> Events {
        let info = info.map_or_else(ReplyInfo::default, |info| js_executor::read_info(&info));
        let reply = match outcome {
            0 => ModelReply::Complete {
                text: text.unwrap_or_default(),
                info,
            },
            1 => ModelReply::Refusal { detail: text, info },
            _ => ModelReply::Incomplete { detail: text, info },
        };
        self.run_after(env, || self.calls.settle(call, Ok(reply)))
    }

    /// The executor threw; `error` as `toJSON()` gives it.
    #[napi(catch_unwind)]
    pub fn answer_error(&self, env: Env, call: u32, error: String) -> Events {
        self.run_after(env, || {
            self.calls
                .settle(call, Err(js_executor::read_error(&error)));
        })
    }

    /// The schema of a question that waits for its answer.
    #[napi(catch_unwind)]
    pub fn schema(&self, call: u32) -> String {
        self.calls
            .schema(call)
            .unwrap_or_else(|| prompt::CORE_SCHEMA.text.to_string())
    }
}

impl Host {
    /// Begins a task on the JavaScript thread.
    pub(super) fn begin(&self, env: Env, id: u32, task: Task) -> Events {
        self.open.borrow_mut().insert(id);
        self.tasks.borrow_mut().insert(id, task);
        self.run_ready(env, vec![id])
    }

    /// Begins a task on the crate's own threads. Where the system gives none, the task runs here, and
    /// the work in it that needs a thread reports this.
    pub(super) fn spawn(
        &self,
        env: Env,
        id: u32,
        task: impl Future<Output = Outcome> + Send + 'static,
    ) -> Events {
        let Some(runtime) = runtime::started() else {
            return self.begin(env, id, Box::pin(task));
        };
        self.open.borrow_mut().insert(id);
        let outbox = self.outbox();
        let handle = runtime.spawn(async move {
            let outcome = CatchPanic(Box::pin(task)).await;
            let outcome = outcome.unwrap_or_else(|| Err(internal_fault()));
            outbox.put(Event::outcome(id, outcome));
        });
        self.spawned.borrow_mut().insert(id, handle.abort_handle());
        self.run_ready(env, Vec::new())
    }

    /// Drops a task of the crate's own threads; no event comes of it.
    pub(super) fn abort_spawned(&self, env: Env, id: u32) {
        if let Some(task) = self.spawned.borrow_mut().remove(&id) {
            task.abort();
            self.open.borrow_mut().remove(&id);
            self.keep_alive(env);
        }
    }

    pub(super) fn outbox(&self) -> Outbox {
        Outbox(Arc::clone(&self.shared))
    }

    /// Does work that may wake tasks, and runs them in the same call, without requesting a drain.
    pub(super) fn run_after(&self, env: Env, work: impl FnOnce()) -> Events {
        let _draining = Draining::of(&self.shared);
        work();
        self.run_ready(env, Vec::new())
    }

    /// Polls tasks until none is ready, and returns the events for JavaScript.
    fn run_ready(&self, env: Env, mut ready: Vec<u32>) -> Events {
        let mut events = Vec::new();
        self.shared.queue().draining = true;
        loop {
            for id in ready.drain(..) {
                self.poll(id, &mut events);
            }
            let mut queue = self.shared.queue();
            events.append(&mut queue.events);
            std::mem::swap(&mut ready, &mut queue.ready);
            if ready.is_empty() {
                queue.draining = false;
                break;
            }
        }
        // The outcome of a task that was cancelled after it had ended is dropped.
        events.retain(|event| !event.ends_its_task() || self.open.borrow_mut().remove(&event.id));
        for event in &events {
            if event.ends_its_task() {
                self.spawned.borrow_mut().remove(&event.id);
                self.cancels.borrow_mut().remove(&event.id);
            }
        }
        self.keep_alive(env);
        Events(events)
    }

    fn poll(&self, id: u32, events: &mut Vec<Event>) {
        // A task leaves the map while it runs; waking a task that has ended does nothing.
        let Some(mut task) = self.tasks.borrow_mut().remove(&id) else {
            return;
        };
        let waker = Waker::from(Arc::new(TaskWaker {
            id,
            shared: Arc::clone(&self.shared),
        }));
        let poll = || task.as_mut().poll(&mut Context::from_waker(&waker));
        let (polled, questions) = self.calls.poll_task(id, || catch_panic(poll));
        // The task's events come before its questions and its outcome.
        events.append(&mut self.shared.queue().events);
        events.extend(questions);
        match polled.unwrap_or_else(|| Poll::Ready(Err(internal_fault()))) {
            Poll::Ready(outcome) => events.push(Event::outcome(id, outcome)),
            Poll::Pending => {
                self.tasks.borrow_mut().insert(id, task);
            }
        }
    }

    /// A running task keeps the process alive, an ended one does not.
    fn keep_alive(&self, env: Env) {
        let keep = !self.open.borrow().is_empty();
        if self.kept_alive.replace(keep) == keep {
            return;
        }
        self.shared.notify.handle.with_read_aborted(|aborted| {
            let raw = self.shared.notify.raw();
            if aborted || raw.is_null() {
                return;
            }
            // SAFETY: on the thread of `env`, and the function is alive: it was not aborted.
            unsafe {
                if keep {
                    napi::sys::napi_ref_threadsafe_function(env.raw(), raw);
                } else {
                    napi::sys::napi_unref_threadsafe_function(env.raw(), raw);
                }
            }
        });
    }
}

fn internal_fault() -> IntentError {
    ErrorKind::Internal("the call").error()
}
