//! Two small signals: [`Cancel`], set once, and [`Activity`], a count that can be waited out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;

/// Ends one parse from outside; clones share the state.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Debug, Default)]
struct CancelState {
    set: AtomicBool,
    changed: Notify,
}

impl Cancel {
    /// Not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it, for good.
    pub fn set(&self) {
        self.0.set.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }

    /// Whether it is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::Acquire)
    }

    /// Returns once it is set.
    pub async fn wait(&self) {
        // A waiter is registered before the look, so that no change falls between the two.
        let changed = self.0.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        if !self.is_set() {
            changed.await;
        }
    }
}

/// How much is going on.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    count: AtomicU64,
    idle: Notify,
}

/// One thing that is going on, until dropped.
#[derive(Debug)]
pub(crate) struct Active(Arc<Activity>);

impl Activity {
    /// Enters, unless so many are in already.
    pub(crate) fn enter(self: &Arc<Self>, most: u64) -> Option<Active> {
        let enter = |count| (count < most).then_some(count + 1);
        self.count
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, enter)
            .ok()
            .map(|_| Active(Arc::clone(self)))
    }

    /// Returns once nothing is going on.
    pub(crate) async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            if self.count.load(Ordering::Acquire) == 0 {
                return;
            }
            idle.await;
        }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}
