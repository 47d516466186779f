//! One timer for all lifetimes of a bridge.
//!
//! It runs only while some lifetime has an end, sleeps until the nearest end, and holds a weak
//! reference to the bridge. Each call of the bridge also ends the lifetimes that have passed, so the
//! timer only frees the memory of jobs that no call touches.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;

use super::Shared;
use crate::runtime;

/// The state of a bridge's timer; kept with the ledger, under its lock.
#[derive(Debug, Default)]
pub(super) struct TimerState {
    /// Until when the timer sleeps, while it runs.
    until: Option<Duration>,
}

/// The action on the timer that follows once the lock is free.
pub(super) enum TimerAction {
    Nothing,
    Start,
    Wake,
}

impl TimerState {
    /// Notes when the next end is.
    pub(super) fn set(&mut self, next: Option<Duration>) -> TimerAction {
        match (self.until, next) {
            (None, Some(_)) => {
                self.until = next;
                TimerAction::Start
            }
            (Some(until), Some(next)) if next < until => {
                self.until = Some(next);
                TimerAction::Wake
            }
            _ => TimerAction::Nothing,
        }
    }
}

pub(super) fn start(bridge: Weak<Shared>, wake: Arc<Notify>) {
    let Some(runtime) = runtime::started() else {
        // Each call ends what is due; the next one tries to start the timer again.
        if let Some(bridge) = bridge.upgrade() {
            bridge.state().timer.until = None;
        }
        return;
    };
    drop(runtime.spawn(async move {
        loop {
            let Some(strong) = bridge.upgrade() else {
                return;
            };
            let next = {
                let mut state = strong.state();
                state.ledger.expire();
                let next = state.ledger.next_expiry();
                state.timer.until = next;
                let released = state.ledger.released();
                drop(state);
                released.wake_and_free();
                next.map(|next| next.saturating_sub(strong.clock.now()))
            };
            drop(strong);
            let Some(delay) = next else {
                return;
            };
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = wake.notified() => {}
            }
        }
    }));
}
