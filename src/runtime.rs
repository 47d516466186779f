//! The one tokio runtime of the process. Futures of this crate may be polled anywhere (on the
//! thread of a JavaScript engine, in a caller's own executor); what needs a reactor, a timer or
//! a blocking thread runs here.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Two, so that one long validation or a large body holds up nobody else's socket.
const WORKERS: usize = 2;

/// Blocking work is name lookups, certificate files and validations; each is bounded by its
/// caller, and so is their number.
const BLOCKING_THREADS: usize = 64;

/// Validation of a nested candidate recurses.
const STACK_BYTES: usize = 8 << 20;

/// The runtime, built when it is first asked for. It is never dropped: idle connections and
/// waiting timers of its detached threads keep no process alive.
///
/// # Panics
/// Where the system refuses the threads: there is then nothing to run on, and the boundary
/// turns the panic into an error (contract, section 4).
pub fn handle() -> &'static Handle {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "see Panics")]
    RUNTIME
        .get_or_init(|| {
            Builder::new_multi_thread()
                .worker_threads(WORKERS)
                .max_blocking_threads(BLOCKING_THREADS)
                .thread_name("intent-runtime")
                .thread_stack_size(STACK_BYTES)
                .enable_all()
                .build()
                .expect("the system refused to start the threads of intent-runtime")
        })
        .handle()
}
