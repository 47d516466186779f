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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use napi::bindgen_prelude::*;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use tokio::task::AbortHandle;

use super::events::{Event, EventKind, Events};
use super::intent::NativeIntent;
use super::js_executor::{self, Calls};
use super::observer::{REPORT, Teller};
use super::request::{Unread, raw_request};
use crate::cancel::Cancel;
use crate::contain::{Contained, contained};
use crate::error::{ErrorKind, IntentError};
use crate::executor::{ModelReply, ReplyInfo};
use crate::observer::Observed;
use crate::{prompt, runtime};

/// The outcome of a task: JSON, or an error.
pub(super) type Outcome = std::result::Result<String, IntentError>;

type Task = Pin<Box<dyn Future<Output = Outcome>>>;
type Notify = ThreadsafeFunction<(), Unknown<'static>, (), Status, true, true>;

/// The part of the host that other threads access.
struct Shared {
    queue: Mutex<Queue>,
    notify: Notify,
}

#[derive(Default)]
struct Queue {
    /// Tasks to be polled.
    ready: Vec<u32>,
    /// Events of work that ran on other threads.
    events: Vec<Event>,
    /// The JavaScript thread is in the host and will look here again before it leaves.
    attended: bool,
    /// A drain was asked for and has not begun.
    notified: bool,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, put: impl FnOnce(&mut Queue)) {
        let mut queue = self.queue();
        put(&mut queue);
        if queue.attended || std::mem::replace(&mut queue.notified, true) {
            return;
        }
        drop(queue);
        // Once the environment is gone there is no receiver.
        let _ = self
            .notify
            .call(Ok(()), ThreadsafeFunctionCallMode::NonBlocking);
    }
}

struct TaskWaker {
    id: u32,
    shared: Arc<Shared>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.shared.put(|queue| queue.ready.push(self.id));
    }
}

/// Work on the crate's own threads that hands its events over to JavaScript.
#[derive(Clone)]
pub(super) struct Outbox(Arc<Shared>);

impl Outbox {
    pub(super) fn put(&self, event: Event) {
        self.0.put(|queue| queue.events.push(event));
    }

    pub(super) fn message(&self, id: u32, text: String) {
        self.put(Event::of(id, EventKind::Message, text));
    }
}

/// The meeting point of one JavaScript environment with Rust.
#[napi(custom_finalize)]
pub struct Host {
    shared: Arc<Shared>,
    tasks: RefCell<BTreeMap<u32, Task>>,
    threads: RefCell<BTreeMap<u32, AbortHandle>>,
    cancels: RefCell<BTreeMap<u32, Cancel>>,
    calls: Calls,
    /// Tasks that have not ended.
    open: RefCell<BTreeSet<u32>>,
    /// True if the process is kept alive for these tasks.
    kept_alive: Cell<bool>,
}

impl ObjectFinalize for Host {
    fn finalize(self, _env: Env) -> Result<()> {
        for task in self.threads.borrow().values() {
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
            shared: Arc::new(Shared {
                queue: Mutex::default(),
                notify,
            }),
            tasks: RefCell::default(),
            threads: RefCell::default(),
            cancels: RefCell::default(),
            calls: Calls::default(),
            open: RefCell::default(),
            kept_alive: Cell::new(false),
        })
    }

    /// Returns the events since the last call of the host.
    #[napi(catch_unwind)]
    pub fn drain(&self, env: Env) -> Events {
        self.shared.queue().notified = false;
        self.attend(env, Vec::new())
    }

    /// Begins a recognition. `told` sums up what JavaScript wants to know beside the outcome: 1, the
    /// outcome as `{ result, report }`; 2, the core result; 4, each question.
    #[napi(catch_unwind)]
    pub fn parse(
        &self,
        env: Env,
        id: u32,
        intent: &NativeIntent,
        parts: String,
        unread: Option<Vec<Unread>>,
        aborted: bool,
        told: u8,
    ) -> Events {
        let cancel = Cancel::new();
        if aborted {
            cancel.set();
        }
        let observed = Teller::new(id, told, self.outbox())
            .map_or_else(Observed::default, |teller| Observed::by(teller));
        let by_javascript = intent.asks_javascript();
        // Now, whatever thread goes on with it: calls get their slots in order.
        let begun = intent
            .intent()
            .begin(raw_request(&parts, unread).into(), cancel.clone());
        self.cancels.borrow_mut().insert(id, cancel);
        let parse = async move {
            let (result, report) = begun.finish(observed).await?;
            if told & REPORT == 0 {
                return Ok(result.to_json());
            }
            let report = serde_json::to_string(&report).unwrap_or_default();
            Ok(format!(
                "{{\"result\":{},\"report\":{report}}}",
                result.to_json()
            ))
        };
        if by_javascript {
            self.begin(env, id, Box::pin(parse))
        } else {
            self.begin_elsewhere(env, id, parse)
        }
    }

    /// Ends a recognition with `MODEL_ABORTED`.
    #[napi(catch_unwind)]
    pub fn abort(&self, env: Env, id: u32) -> Events {
        self.attend_after(env, || {
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
        self.attend_after(env, || self.calls.settle(call, Ok(reply)))
    }

    /// The executor threw; `error` as `toJSON()` gives it.
    #[napi(catch_unwind)]
    pub fn answer_error(&self, env: Env, call: u32, error: String) -> Events {
        self.attend_after(env, || {
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

    /// Disposes an instance; its recognitions end with the events that are returned.
    #[napi(catch_unwind)]
    pub fn dispose(&self, env: Env, intent: &NativeIntent) -> Events {
        self.attend_after(env, || intent.intent().dispose())
    }

    /// Settles once nothing of the instance is running.
    #[napi(catch_unwind)]
    pub fn idle(&self, env: Env, id: u32, intent: &NativeIntent) -> Events {
        let intent = intent.intent().clone();
        self.begin(
            env,
            id,
            Box::pin(async move {
                intent.idle().await;
                Ok("null".to_owned())
            }),
        )
    }
}

impl Host {
    /// Begins a task on the JavaScript thread.
    pub(super) fn begin(&self, env: Env, id: u32, task: Task) -> Events {
        self.open.borrow_mut().insert(id);
        self.tasks.borrow_mut().insert(id, task);
        self.attend(env, vec![id])
    }

    /// Begins a task on the crate's own threads.
    pub(super) fn begin_elsewhere(
        &self,
        env: Env,
        id: u32,
        task: impl Future<Output = Outcome> + Send + 'static,
    ) -> Events {
        self.open.borrow_mut().insert(id);
        let outbox = self.outbox();
        if let Some(runtime) = runtime::started() {
            let handle = runtime.spawn(async move {
                let outcome = Contained(Box::pin(task)).await;
                let outcome = outcome.unwrap_or_else(|| Err(internal_fault()));
                outbox.put(Event::outcome(id, outcome));
            });
            self.threads.borrow_mut().insert(id, handle.abort_handle());
        } else {
            let error = ErrorKind::NoThread("call the model").error();
            let event = Event::outcome(id, Err(error));
            self.shared.queue().events.push(event);
        }
        self.attend(env, Vec::new())
    }

    /// Drops a task of the crate's own threads; no event comes of it.
    pub(super) fn end_elsewhere(&self, env: Env, id: u32) {
        if let Some(task) = self.threads.borrow_mut().remove(&id) {
            task.abort();
            self.open.borrow_mut().remove(&id);
            self.keep_alive(env);
        }
    }

    pub(super) fn outbox(&self) -> Outbox {
        Outbox(Arc::clone(&self.shared))
    }

    /// Does what may wake tasks, and attends to them in the same call: no drain is asked for.
    fn attend_after(&self, env: Env, work: impl FnOnce()) -> Events {
        self.shared.queue().attended = true;
        let _attending = Attending(&self.shared);
        work();
        self.attend(env, Vec::new())
    }

    /// Polls what is ready until nothing is, and returns what JavaScript has to do.
    fn attend(&self, env: Env, mut ready: Vec<u32>) -> Events {
        let mut events = Vec::new();
        self.shared.queue().attended = true;
        loop {
            for id in ready.drain(..) {
                self.poll(id, &mut events);
            }
            let mut queue = self.shared.queue();
            events.append(&mut queue.events);
            std::mem::swap(&mut ready, &mut queue.ready);
            if ready.is_empty() {
                queue.attended = false;
                break;
            }
        }
        // The outcome of a task that was given up after it had ended is dropped.
        events.retain(|event| !event.ends_its_task() || self.open.borrow_mut().remove(&event.id));
        for event in &events {
            if event.ends_its_task() {
                self.threads.borrow_mut().remove(&event.id);
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
        let (polled, questions) = self.calls.asked_by(id, || contained(poll));
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

/// The time in which the JavaScript thread is in the host; ends with a panic, too.
struct Attending<'a>(&'a Shared);

impl Drop for Attending<'_> {
    fn drop(&mut self) {
        self.0.queue().attended = false;
    }
}

fn internal_fault() -> IntentError {
    ErrorKind::Internal("the call").error()
}
