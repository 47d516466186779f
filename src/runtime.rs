//! The threads of this crate: one small runtime for the process, started on first use.
//!
//! Futures of this crate may be polled anywhere (a JavaScript thread polls them itself); what
//! needs a timer, a socket or a worker thread gets it from here.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Validation recurses with the candidate and its schema; [`crate::json::MAX_DEPTH`] levels fit.
const STACK_BYTES: usize = 16 << 20;

/// Checks of large candidates, and work given up that has not reached its next check, live here.
const MAX_BLOCKING_THREADS: usize = 16;

/// The handle of the runtime. It is never shut down: its threads end with the process.
pub fn handle() -> &'static Handle {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(build).handle()
}

fn build() -> Runtime {
    let build = |workers: usize| {
        Builder::new_multi_thread()
            .worker_threads(workers)
            .max_blocking_threads(MAX_BLOCKING_THREADS)
            .thread_name("intent-runtime")
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()
    };
    #[expect(
        clippy::expect_used,
        reason = "without a thread nothing can run; the caller contains the panic"
    )]
    build(2)
        .or_else(|_| build(1))
        .expect("the system gives no thread for the runtime")
}
