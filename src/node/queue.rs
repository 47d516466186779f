//! The part of the host that other threads access: the tasks that they wake, and the events that they put.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Wake;

use napi::bindgen_prelude::{Status, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

use super::events::{Event, EventKind};

pub(super) type Notify = ThreadsafeFunction<(), Unknown<'static>, (), Status, true, true>;

/// The queue, and the way to ask JavaScript for a drain.
pub(super) struct Shared {
    queue: Mutex<Queue>,
    pub(super) notify: Notify,
}

#[derive(Default)]
pub(super) struct Queue {
    /// Tasks to be polled.
    pub(super) ready: Vec<u32>,
    /// Events of work that ran on other threads.
    pub(super) events: Vec<Event>,
    /// The JavaScript thread is in the host and will look here again before it leaves.
    pub(super) draining: bool,
    /// A drain was asked for and has not begun.
    pub(super) notified: bool,
}

impl Shared {
    pub(super) fn new(notify: Notify) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::default(),
            notify,
        })
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, put: impl FnOnce(&mut Queue)) {
        let mut queue = self.queue();
        put(&mut queue);
        if queue.draining || std::mem::replace(&mut queue.notified, true) {
            return;
        }
        drop(queue);
        // Once the environment is gone there is no receiver.
        let _ = self
            .notify
            .call(Ok(()), ThreadsafeFunctionCallMode::NonBlocking);
    }
}

pub(super) struct TaskWaker {
    pub(super) id: u32,
    pub(super) shared: Arc<Shared>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.shared.put(|queue| queue.ready.push(self.id));
    }
}

/// Passes events of work on the crate's own threads to JavaScript.
#[derive(Clone)]
pub(super) struct Outbox(pub(super) Arc<Shared>);

impl Outbox {
    pub(super) fn put(&self, event: Event) {
        self.0.put(|queue| queue.events.push(event));
    }

    pub(super) fn message(&self, id: u32, text: String) {
        self.put(Event::of(id, EventKind::Message, text));
    }
}

/// The time in which the JavaScript thread is in the host; ends with a panic, too.
pub(super) struct Draining<'a>(&'a Shared);

impl<'a> Draining<'a> {
    pub(super) fn of(shared: &'a Shared) -> Self {
        shared.queue().draining = true;
        Self(shared)
    }
}

impl Drop for Draining<'_> {
    fn drop(&mut self) {
        self.0.queue().draining = false;
    }
}
