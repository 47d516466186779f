//! [`Activity`]: counts what is running, and lets a caller wait until nothing is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// The number of things that are running.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    count: AtomicU64,
    idle: Notify,
}

/// One running thing; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Active(Arc<Activity>);

impl Activity {
    /// Starts one more, or returns `None` if `most` are running already.
    pub(crate) fn enter(self: &Arc<Self>, most: u64) -> Option<Active> {
        let enter = |count| (count < most).then_some(count + 1);
        self.count
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, enter)
            .ok()
            .map(|_| Active(Arc::clone(self)))
    }

    /// Returns once nothing is running.
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
