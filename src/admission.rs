//! Admits the parses of an instance: a bounded number runs, a bounded number waits.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::activity::{Active, Activity};
use crate::error::{ErrorKind, IntentError};
use crate::limits::Limits;

/// The slots of one instance and the queue before them.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Parses that run or wait.
    inside: Arc<Activity>,
    /// A fair semaphore: a slot that becomes free goes to the parse that waited longest.
    slots: Arc<Semaphore>,
    max_running: u64,
    max_waiting: u64,
}

/// A permit that a parse holds until it ends.
pub(crate) struct Permit {
    // Dropped first, so that the next admitted parse finds the slot free.
    slot: Slot,
    _inside: Active,
}

enum Slot {
    Held { _permit: OwnedSemaphorePermit },
    Awaited(Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send>>),
}

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        let max_running = limits.max_concurrent_parses;
        let permits = usize::try_from(max_running).unwrap_or(usize::MAX);
        Self {
            inside: Arc::default(),
            slots: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))),
            max_running,
            max_waiting: limits.max_queued_parses,
        }
    }

    /// Takes a slot, or the last place of the queue.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if there is neither.
    pub(crate) fn enter(&self) -> Result<Permit, IntentError> {
        let most = self.max_running.saturating_add(self.max_waiting);
        let inside = self.inside.enter(most).ok_or_else(|| self.full())?;
        let slot = match Arc::clone(&self.slots).try_acquire_owned() {
            Ok(permit) => Slot::Held { _permit: permit },
            Err(_) => {
                let mut waiting = Box::pin(Arc::clone(&self.slots).acquire_owned());
                // The first poll joins the queue, so that calls wait in the order in which they were made.
                match waiting
                    .as_mut()
                    .poll(&mut Context::from_waker(Waker::noop()))
                {
                    Poll::Ready(Ok(permit)) => Slot::Held { _permit: permit },
                    _ => Slot::Awaited(waiting),
                }
            }
        };
        Ok(Permit {
            slot,
            _inside: inside,
        })
    }

    /// Returns once no parse runs or waits.
    pub(crate) async fn idle(&self) {
        self.inside.idle().await;
    }

    fn full(&self) -> IntentError {
        let (running, waiting) = (self.max_running, self.max_waiting);
        match waiting {
            0 => ErrorKind::NoSlot { running }.error(),
            waiting => ErrorKind::NoQueue { running, waiting }.error(),
        }
    }
}

impl Permit {
    /// True if it has no slot yet.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.slot, Slot::Awaited(_))
    }

    /// Returns once it has a slot.
    pub(crate) async fn slot(&mut self) {
        if let Slot::Awaited(waiting) = &mut self.slot
            // The semaphore is never closed.
            && let Ok(permit) = waiting.await
        {
            self.slot = Slot::Held { _permit: permit };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(running: u64, waiting: u64) -> Admission {
        Admission::new(&Limits {
            max_concurrent_parses: running,
            max_queued_parses: waiting,
            ..Limits::default()
        })
    }

    fn poll(permit: &mut Permit) -> bool {
        let slot = std::pin::pin!(permit.slot());
        slot.poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    #[test]
    fn a_slot_goes_to_the_parse_that_waited_longest() {
        let admission = admission(2, 3);
        let mut running: Vec<Permit> = (0..2).map(|_| admission.enter().unwrap()).collect();
        assert!(running.iter().all(|permit| !permit.waits()));
        let mut waiting: Vec<Permit> = (0..3).map(|_| admission.enter().unwrap()).collect();
        assert!(waiting.iter().all(Permit::waits));
        // Polled in another order than that of the calls.
        for permit in waiting.iter_mut().rev() {
            assert!(!poll(permit));
        }
        running.pop();
        assert!(!poll(&mut waiting[1]) && !poll(&mut waiting[2]));
        assert!(poll(&mut waiting[0]));
        // A new one does not overtake those that still wait: the next slot is not its own.
        let mut last = admission.enter().unwrap();
        assert!(last.waits());
        // A waiter that gives up passes its turn on, even a slot that it already has.
        running.pop();
        waiting.remove(1);
        assert!(!poll(&mut last));
        assert!(poll(&mut waiting[1]));
        waiting.remove(0);
        assert!(poll(&mut last));
    }

    #[test]
    fn what_is_full_says_which_limit_it_is() {
        let without = admission(1, 0);
        let running = without.enter().unwrap();
        let error = without.enter().err().unwrap();
        assert_eq!(error.limit().unwrap().name, "maxConcurrentParses");
        assert!(
            error.message().contains("limits.maxQueuedParses (0)"),
            "{error}"
        );
        drop(running);
        assert!(!without.enter().unwrap().waits());

        let with = admission(1, 1);
        let _running = with.enter().unwrap();
        let waiting = with.enter().unwrap();
        let error = with.enter().err().unwrap();
        let limit = error.limit().unwrap();
        assert_eq!((limit.name.as_str(), limit.max), ("maxQueuedParses", 1));
        drop(waiting);
        assert!(with.enter().unwrap().waits());
    }

    #[test]
    fn the_greatest_limits_are_taken() {
        let most = crate::limits::MAX_SAFE_INTEGER;
        assert!(!admission(most, most).enter().unwrap().waits());
    }
}
