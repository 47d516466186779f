//! The threads of this crate: one small runtime for the process, started on first use.
//!
//! Futures of this crate may be polled anywhere (a JavaScript thread polls them itself); what
//! needs a timer, a socket or a worker thread gets it from here. Checks of candidates have workers of
//! their own: other threads look up names, which must not wait for a check.

use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

use crate::catch_panic::catch_panic;
use crate::schema::stack;

/// Validation recurses with the candidate and its schema; [`crate::json::MAX_DEPTH`] levels fit.
const STACK_BYTES: usize = 16 << 20;

/// Checks of large candidates, and work given up that has not reached its next check, live here.
const MAX_WORKERS: usize = 16;

/// Look-ups of names and readings of certificates live here.
#[cfg(any(feature = "http", test))]
const MAX_BLOCKING_THREADS: usize = 16;

/// Threads for work that blocks, started as they are needed. Nothing drives their runtime. Work that
/// blocks does not run on the threads of [`handle`]'s runtime: where the system gives no further thread,
/// it would wait there for a worker that never ends.
type Pool = Mutex<Option<Runtime>>;

/// The handle of the runtime. It is never shut down: its threads end with the process.
pub fn handle() -> &'static Handle {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(build).handle()
}

/// [`handle`], or `None` where the system gives no thread to start the runtime. The next call tries again.
pub(crate) fn started() -> Option<&'static Handle> {
    catch_panic(handle)
}

/// Runs a check of a candidate on a worker thread; `None` where the system gives no thread for it.
pub(crate) fn run_on_worker<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<JoinHandle<T>> {
    static WORKERS: Pool = Mutex::new(None);
    if stack::no_thread_is_given() {
        return None;
    }
    run_in(&WORKERS, MAX_WORKERS, "intent-worker", work)
}

/// Runs work that waits for the system, such as the look-up of a name; `None` where the system gives no
/// thread for it.
#[cfg(any(feature = "http", test))]
pub(crate) fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<JoinHandle<T>> {
    static BLOCKING: Pool = Mutex::new(None);
    run_in(&BLOCKING, MAX_BLOCKING_THREADS, "intent-blocking", work)
}

fn run_in<T: Send + 'static>(
    pool: &Pool,
    max_threads: usize,
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<JoinHandle<T>> {
    let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
    if pool.is_none() {
        *pool = Builder::new_current_thread()
            .max_blocking_threads(max_threads)
            .thread_name(name)
            .thread_stack_size(STACK_BYTES)
            .build()
            .ok();
    }
    let handle = pool.as_ref()?.handle();
    // This panics if the pool has no thread yet and none can be started.
    catch_panic(|| handle.spawn_blocking(work))
}

fn build() -> Runtime {
    // This panics if a worker cannot be started.
    let build = |workers: usize| {
        let started = catch_panic(|| {
            Builder::new_multi_thread()
                .worker_threads(workers)
                .thread_name("intent-runtime")
                .thread_stack_size(STACK_BYTES)
                .enable_all()
                .build()
        });
        started?.ok()
    };
    #[expect(
        clippy::expect_used,
        reason = "without a thread nothing can run; the caller contains the panic"
    )]
    build(2)
        .or_else(|| build(1))
        .expect("the system gives no thread for the runtime")
}

#[cfg(test)]
mod tests {
    use std::net::ToSocketAddrs as _;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Checks that take every worker, and wait for more, leave the look-ups of names alone.
    #[test]
    fn names_are_looked_up_while_every_worker_is_busy() {
        let (release, held) = mpsc::channel::<()>();
        let held = std::sync::Arc::new(Mutex::new(held));
        let (started, starts) = mpsc::channel();
        let mut checks = Vec::new();
        for _ in 0..2 * MAX_WORKERS {
            let (held, started) = (std::sync::Arc::clone(&held), started.clone());
            let check = run_on_worker(move || {
                let _ = started.send(());
                // Ends once the test drops its side.
                let _ = held.lock().unwrap_or_else(PoisonError::into_inner).recv();
            });
            checks.push(check.unwrap());
        }
        for _ in 0..MAX_WORKERS {
            starts.recv_timeout(Duration::from_secs(60)).unwrap();
        }
        let (answer, answers) = mpsc::channel();
        handle().spawn(async move {
            // As executor/api/address.rs asks for it.
            let found = run_blocking(|| ("localhost", 0).to_socket_addrs())
                .unwrap()
                .await;
            let _ = answer.send(found.map(|found| found.map(|mut names| names.next().is_some())));
        });
        let found = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(found.unwrap().unwrap());
        // The other checks still wait: no worker was left for the look-up.
        assert_eq!(starts.try_recv(), Err(mpsc::TryRecvError::Empty));
        assert!(checks.iter().all(|check| !check.is_finished()));
        drop(release);
        let done = Builder::new_current_thread().build().unwrap();
        for check in checks {
            done.block_on(check).unwrap();
        }
    }
}
