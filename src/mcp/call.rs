//! The context that goes with a request from the wire to its handler.
//!
//! rmcp runs every handler as a task of its own, and tasks of a runtime with several threads
//! start in any order. [`Turn`] gives tool calls back the order in which they came: the Bridge
//! promises that calls take effect in that order. rmcp drops the answer of a cancelled call
//! without notice to its handler; [`Undo`] reverts the effect, which only that answer would report.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::OwnedMutexGuard;

/// Carried in the extensions of a request.
#[derive(Clone, Default)]
pub(super) struct Call {
    turn: Arc<Mutex<Option<Turn>>>,
    undo: Undo,
}

impl Call {
    pub(super) fn new(turn: Option<Turn>) -> Self {
        Self {
            turn: Arc::new(Mutex::new(turn)),
            undo: Undo::default(),
        }
    }

    pub(super) const fn undo(&self) -> &Undo {
        &self.undo
    }

    /// Runs the part of a call that must keep the order, after the same part of earlier calls.
    pub(super) async fn in_turn<T>(&self, run: impl FnOnce() -> T) -> T {
        let turn = lock(&self.turn).take();
        let _come = match turn {
            Some(Turn::Waiting(turn)) => Some(turn.await),
            Some(Turn::Come(turn)) => Some(turn),
            None => None,
        };
        run()
    }
}

/// A place in the line of tool calls, given up when it is dropped.
pub(super) enum Turn {
    Come(OwnedMutexGuard<()>),
    Waiting(Pin<Box<dyn Future<Output = OwnedMutexGuard<()>> + Send>>),
}

/// Gives out turns: tokio's mutex admits waiters in the order of their first poll.
#[derive(Default)]
pub(super) struct Turns(Arc<tokio::sync::Mutex<()>>);

impl Turns {
    pub(super) fn next(&self) -> Turn {
        let mut turn = Box::pin(Arc::clone(&self.0).lock_owned());
        match turn.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Turn::Come(turn),
            Poll::Pending => Turn::Waiting(turn),
        }
    }
}

/// Reverts the effect of a call whose answer will not be sent.
#[derive(Clone, Default)]
pub(super) struct Undo(Arc<Mutex<State>>);

#[derive(Default)]
enum State {
    #[default]
    Open,
    Done(Box<dyn FnOnce() + Send>),
    Withdrawn,
}

impl Undo {
    /// Reverts the call, now or as soon as it has an effect.
    pub(super) fn withdraw(&self) {
        let state = std::mem::replace(&mut *lock(&self.0), State::Withdrawn);
        if let State::Done(undo) = state {
            undo();
        }
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        matches!(*lock(&self.0), State::Withdrawn)
    }

    /// True if the call had an effect that can be reverted.
    pub(super) fn is_done(&self) -> bool {
        matches!(*lock(&self.0), State::Done(_))
    }

    /// Sets the function that reverts the effect.
    pub(super) fn by(&self, undo: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.0);
        if matches!(*state, State::Withdrawn) {
            drop(state);
            undo();
        } else {
            *state = State::Done(Box::new(undo));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn turns_keep_the_order_whatever_runs_first() {
        let turns = Turns::default();
        let calls: Vec<Call> = (0..100).map(|_| Call::new(Some(turns.next()))).collect();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for (place, call) in calls.into_iter().enumerate().rev() {
            if place % 7 == 3 {
                continue; // Never runs: rmcp refused it.
            }
            let order = Arc::clone(&order);
            tasks.push(tokio::spawn(async move {
                call.in_turn(|| lock(&order).push(place)).await;
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let expected: Vec<usize> = (0..100).filter(|place| place % 7 != 3).collect();
        assert_eq!(*lock(&order), expected);
    }

    #[test]
    fn undo_runs_once_whichever_comes_first() {
        for withdrawn_first in [true, false] {
            let (undo, count) = (Undo::default(), Arc::new(AtomicUsize::new(0)));
            let counted = Arc::clone(&count);
            let act = move || {
                counted.fetch_add(1, Ordering::SeqCst);
            };
            if withdrawn_first {
                undo.withdraw();
                undo.by(act);
            } else {
                undo.by(act);
                assert_eq!(count.load(Ordering::SeqCst), 0);
                undo.withdraw();
            }
            assert!(undo.is_withdrawn());
            undo.withdraw();
            assert_eq!(count.load(Ordering::SeqCst), 1);
        }
    }
}
