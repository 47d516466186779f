//! The Bridge: recognition with the host's own model.
//!
//! A [`Bridge`] serves named [`Intent`]s; a [`Session`] of it owns jobs. [`Session::prepare`]
//! begins a job and gives its first [`Task`]; the host puts the question to its model and submits
//! the candidate with [`Session::accept`], which gives the next task (the second question, or a
//! repair), the result or an error. [`Session::cancel`] ends a job. Each step is the one that
//! [`Intent::parse`] takes: both drive the same [pipeline](crate::pipeline).
//!
//! ```
//! use intent_runtime::bridge::{Bridge, BridgeConfig, BridgeReply, Task};
//! use intent_runtime::{Intent, IntentConfig, IntentError, Request};
//!
//! async fn recognize(input: &str) -> Result<BridgeReply, IntentError> {
//!     let intent = Intent::new(IntentConfig::default())?;
//!     let bridge = Bridge::new(BridgeConfig::new([("default", intent)]))?;
//!     let session = bridge.connect()?;
//!     let mut reply = session.prepare("default", Request::new(input));
//!     while let BridgeReply::Task(task) = reply {
//!         let candidate = ask_my_model(&task).await;
//!         reply = session.accept(&task.job_id, &task.step_token, candidate).await;
//!     }
//!     Ok(reply)
//! }
//! # async fn ask_my_model(task: &Task) -> String {
//! #     assert!(task.request.payload.contains("currentInput"));
//! #     r#"{"normalizedInput":"Query order 7.","primaryIntent":"Query","requirements":[],"prohibitions":[],"intents":[]}"#.into()
//! # }
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # let reply = runtime.block_on(recognize("Query order 7.")).unwrap();
//! # assert_eq!(reply.kind(), "result", "{}", reply.to_json());
//! ```
//!
//! # A job
//!
//! | state | call | then |
//! |---|---|---|
//! | active | `accept` with the present token | the next task or the outcome |
//! | active | the same, too large for `maxOutputBytes` or for the ledger | as it was, token too |
//! | active | `cancel`, expiry, disposal | ended, at once |
//! | any | `accept` of a submission that was answered | the same reply, to the byte |
//! | any | another token, or another text with a used one | as it was: `BRIDGE_STEP_CONFLICT` |
//! | ended | `cancel` | its terminal reply |
//! | any | `close` of its session or bridge | gone: `BRIDGE_JOB_NOT_FOUND` |
//!
//! A submission first claims the step. The candidate is then checked without the lock: on the calling
//! thread if the check is short, else on a worker. The same submission shares the outcome; another one
//! conflicts. If the job ends meanwhile, that end is the outcome and the check is dropped.
//!
//! An error has the status of the job ([`JobStatus`]). The code alone does not tell it: the
//! `LIMIT_EXCEEDED` of a candidate's size leaves the job open, that of its depth ends the job.
//!
//! # Capacity
//!
//! `maxJobs` bounds active jobs, `maxReplayEntries` records, active and ended, and
//! `maxReplayBytes` what they count: the UTF-8 bytes of the JSON of a job's materials
//! (`{"currentInput":…,"context":[…]}`), its core result, its present repair, the reply to every
//! submission that `accept` answered, and, once it has ended, its terminal reply besides, whether
//! or not `accept` gave that too. An ended job goes on counting what it ended with. The reply of
//! `prepare` counts nothing, nor do refusals. Texts are counted in full although the store shares
//! them: it holds instructions and schemas once, and writes a task's payload again when it is
//! asked for it again.
//!
//! To make room, the bridge drops ended jobs, the least recently used first. A job is used when it
//! ends, and when `accept` or `cancel` replies from its record.

mod clock;
mod config;
mod job;
mod ledger;
mod lists;
mod reply;
mod session;
#[cfg(test)]
mod tests;
mod timer;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

pub use clock::Clock;
pub use config::BridgeConfig;
pub use ledger::Usage;
pub use reply::{Accepting, BridgeReply, JobStatus, Task};
pub use session::Session;

use crate::error::{ErrorKind, IntentError};
use crate::intent::{DisposeHook, Intent};
use crate::options::rule_error;
use crate::text::quoted;
use clock::SystemClock;
use ledger::Ledger;
use timer::{TimerAction, TimerState};

/// Serves instances to hosts that have a model of their own; cheap to clone, all clones are the
/// same bridge. See the [module page](self).
#[derive(Clone)]
pub struct Bridge(Arc<Shared>);

/// The state that the handles of a bridge and its sessions share.
struct Shared {
    state: Mutex<BridgeState>,
    clock: Arc<dyn Clock>,
    names: HashMap<String, usize>,
    instances: Vec<Intent>,
    /// No instance takes a candidate of more bytes.
    max_output_bytes: u64,
    job_ttl_ms: u64,
    /// Wakes the timer; `None` where the bridge has none.
    wake: Option<Arc<Notify>>,
    /// True if a short check runs on the calling thread.
    checks_inline: bool,
    _hooks: Vec<Arc<DisposeHook>>,
}

struct BridgeState {
    ledger: Ledger,
    timer: TimerState,
}

impl Bridge {
    /// Checks a configuration and builds a bridge.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where there is no instance, two have one name, or a number is out of its
    /// range.
    pub fn new(config: BridgeConfig) -> Result<Self, IntentError> {
        Self::build(config, Arc::new(SystemClock::new()), true, true)
    }

    /// Builds a bridge with the caller's clock, for tests of lifetimes. It has no timer: lifetimes end
    /// at the next call of the bridge.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_clock(config: BridgeConfig, clock: Arc<dyn Clock>) -> Result<Self, IntentError> {
        Self::build(config, clock, false, true)
    }

    fn build(
        config: BridgeConfig,
        clock: Arc<dyn Clock>,
        timer: bool,
        checks_inline: bool,
    ) -> Result<Self, IntentError> {
        let capacity = config.check()?;
        let mut names = HashMap::new();
        let mut instances = Vec::new();
        for (name, intent) in config.instances {
            if names.contains_key(&name) {
                let rule = format!("instances has {} twice.", quoted(&name));
                return Err(rule_error(&rule));
            }
            names.insert(name, instances.len());
            instances.push(intent);
        }
        let max_output_bytes = instances
            .iter()
            .map(|intent| intent.definition().limits().max_output_bytes)
            .max();
        let lives = capacity.job_ttl_ms > 0 || capacity.replay_ttl_ms > 0;
        let ledger = Ledger::new(capacity, instances.len(), Arc::clone(&clock));
        let shared = Arc::new_cyclic(|shared| Shared {
            state: Mutex::new(BridgeState {
                ledger,
                timer: TimerState::default(),
            }),
            clock,
            names,
            max_output_bytes: max_output_bytes.unwrap_or(0),
            job_ttl_ms: capacity.job_ttl_ms,
            wake: (timer && lives).then(Arc::default),
            checks_inline,
            _hooks: instances
                .iter()
                .enumerate()
                .map(|(i, intent)| dispose_hook(shared, i, intent))
                .collect(),
            instances,
        });
        Ok(Self(shared))
    }

    /// A new owner of jobs: ids and tokens of one session mean nothing to another.
    ///
    /// # Errors
    /// `BRIDGE_JOB_NOT_FOUND` once the bridge is closed.
    pub fn connect(&self) -> Result<Session, IntentError> {
        let session = self.0.with_ledger(Ledger::connect)?;
        Ok(Session::new(Arc::clone(&self.0), session))
    }

    /// Closes every session and releases its jobs; submissions in progress end with
    /// `BRIDGE_JOB_NOT_FOUND`. The instances are left alone.
    pub fn close(&self) {
        self.0.with_ledger(Ledger::close);
    }

    /// The current contents of the bridge, in numbers.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.0.with_ledger(|ledger| ledger.usage())
    }

    /// The names of the instances, in no particular order.
    pub fn instance_names(&self) -> impl Iterator<Item = &str> {
        self.0.names.keys().map(String::as_str)
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge")
            .field("usage", &self.usage())
            .finish_non_exhaustive()
    }
}

fn dispose_hook(shared: &Weak<Shared>, instance: usize, intent: &Intent) -> Arc<DisposeHook> {
    let shared = Weak::clone(shared);
    let hook: Arc<DisposeHook> = Arc::new(move || {
        if let Some(shared) = shared.upgrade() {
            shared.with_ledger(|ledger| ledger.dispose(instance));
        }
    });
    intent.on_dispose(&hook);
    hook
}

impl Shared {
    /// The error names the instances, because some hosts hide the server's instructions.
    fn no_instance(&self, name: &str) -> IntentError {
        const MOST: usize = 8;
        let mut names: Vec<_> = self.names.iter().map(|(name, &i)| (i, &**name)).collect();
        names.sort_unstable();
        let names: Vec<_> = names.into_iter().map(|(_, name)| name).collect();
        let (names, more) = match names.get(..MOST) {
            Some(first) => (first, names.len() > MOST),
            None => (&*names, false),
        };
        ErrorKind::NoInstance { name, names, more }.error()
    }

    fn state(&self) -> MutexGuard<'_, BridgeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes the ledger under its lock. After the lock it frees the records that were
    /// dropped, wakes those who wait, and starts or wakes the timer.
    fn with_ledger<T>(self: &Arc<Self>, access: impl FnOnce(&mut Ledger) -> T) -> T {
        let mut state = self.state();
        state.ledger.expire();
        let out = access(&mut state.ledger);
        let released = state.ledger.released();
        let action = match &self.wake {
            Some(_) => {
                let next = state.ledger.next_expiry();
                state.timer.set(next)
            }
            None => TimerAction::Nothing,
        };
        drop(state);
        released.wake_and_free();
        if let Some(wake) = &self.wake {
            match action {
                TimerAction::Nothing => {}
                TimerAction::Start => timer::start(Arc::downgrade(self), Arc::clone(wake)),
                TimerAction::Wake => wake.notify_one(),
            }
        }
        out
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(wake) = &self.wake {
            wake.notify_one();
        }
    }
}
