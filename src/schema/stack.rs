//! Room for recursion whose depth a schema and a candidate decide together.
//!
//! Validation recurses inside `jsonschema`, so its levels cannot be counted; the stack can be
//! measured. The threads that validate have at least 2 MiB (what Rust and tokio give). From a
//! call's start on, half of it may be used. Work that needs more starts again on a thread with a large
//! stack; if that is not enough either, the work ends. The other half is for the calls between two
//! measurements, which the checks of a schema bound.

use std::panic::resume_unwind;

/// The bytes of stack that work may use on the thread of its caller.
const SHARE_BYTES: usize = 1 << 20;

/// The bytes of the stack of a thread for deep recursion.
const LARGE_STACK_BYTES: usize = 64 << 20;

/// The position of the stack when the work began, and the bytes that the work may use from there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stack {
    base: usize,
    most: usize,
}

impl Stack {
    /// The stack from here on.
    pub(super) fn here() -> Self {
        Self {
            base: position(),
            most: SHARE_BYTES,
        }
    }

    /// A smaller share, for work that builds a result nested as deeply as it recurses: dropping the
    /// result recurses too, with larger steps.
    pub(super) const fn for_nested_results(self) -> Self {
        Self {
            most: self.most / 3,
            ..self
        }
    }

    /// Returns whether this is a large stack, so that no other thread has more.
    pub(super) const fn is_large_stack(self) -> bool {
        self.most > SHARE_BYTES
    }

    /// True if the work has used its share of the stack.
    pub(super) fn is_spent(self) -> bool {
        self.base.abs_diff(position()) > self.most
    }
}

/// Runs work on a thread with a large stack; `None` if the system gives no thread.
pub(super) fn on_large_stack<T: Send>(work: impl FnOnce(Stack) -> T + Send) -> Option<T> {
    if no_thread_is_given() {
        return None;
    }
    let work = || {
        work(Stack {
            base: position(),
            most: LARGE_STACK_BYTES - SHARE_BYTES,
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("intent-schema".to_owned())
            .stack_size(LARGE_STACK_BYTES)
            .spawn_scoped(scope, work)
            .ok()?;
        match thread.join() {
            Ok(done) => Some(done),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// True if a test says that the system gives no thread.
#[cfg(not(test))]
pub(crate) const fn no_thread_is_given() -> bool {
    false
}

#[cfg(test)]
pub(crate) fn no_thread_is_given() -> bool {
    NO_THREAD.get()
}

#[cfg(test)]
thread_local! {
    /// Simulates the failure for this thread.
    pub(crate) static NO_THREAD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// The address of something on the stack.
#[inline(never)]
fn position() -> usize {
    let here = 0u8;
    std::ptr::from_ref(std::hint::black_box(&here)) as usize
}
