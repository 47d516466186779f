//! A bound on work whose length a schema or a candidate decides.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How many [`Budget::tick`]s pass between two looks at the clock.
const TICKS_PER_LOOK: u32 = 256;

/// The work was given up: it says nothing of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

/// Until when work may run. Every loop whose length is not plainly bounded calls
/// [`tick`](Self::tick) and gives up at once when it fails.
#[derive(Debug, Default, Clone)]
pub struct Budget {
    deadline: Option<Instant>,
    given_up: Option<Arc<AtomicBool>>,
    provisional: bool,
    ticks: Cell<u32>,
    /// How often the clock may still be looked at, where that is bounded.
    looks_left: Option<Cell<u64>>,
    /// The work ended because the system gave no thread for it.
    no_thread: Cell<bool>,
}

impl Budget {
    /// No bound.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Up to an instant.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..Self::default()
        }
    }

    /// Up to so many ticks, whatever the time: it ends at the same place each time.
    #[must_use]
    pub fn of_ticks(ticks: u64) -> Self {
        Self {
            looks_left: Some(Cell::new(ticks / u64::from(TICKS_PER_LOOK))),
            ..Self::default()
        }
    }

    /// Up to an instant, too.
    #[must_use]
    pub const fn and_until(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Until the flag is set, too.
    #[must_use]
    pub fn or_given_up(mut self, flag: Arc<AtomicBool>) -> Self {
        self.given_up = Some(flag);
        self
    }

    /// What does not end within it is done again with more: it must not be cut short.
    #[must_use]
    pub const fn provisional(mut self) -> Self {
        self.provisional = true;
        self
    }

    /// Whether the work is done again where it does not end.
    #[must_use]
    pub const fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// Notes that the work ends for want of a thread, which says nothing of the time.
    pub(crate) fn note_no_thread(&self) -> Exhausted {
        self.no_thread.set(true);
        Exhausted
    }

    /// Whether the work ended for want of a thread.
    pub(crate) const fn lacked_a_thread(&self) -> bool {
        self.no_thread.get()
    }

    /// One small step of work.
    ///
    /// # Errors
    /// [`Exhausted`] once the bound is passed.
    pub fn tick(&self) -> Result<(), Exhausted> {
        let ticks = self.ticks.get().wrapping_add(1);
        self.ticks.set(ticks);
        if ticks.is_multiple_of(TICKS_PER_LOOK) {
            self.look()
        } else {
            Ok(())
        }
    }

    /// Looks at the clock now: for steps that are not small.
    ///
    /// # Errors
    /// [`Exhausted`] once the bound is passed.
    pub fn look(&self) -> Result<(), Exhausted> {
        if let Some(left) = &self.looks_left {
            left.set(left.get().checked_sub(1).ok_or(Exhausted)?);
        }
        let late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        let given_up = self
            .given_up
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        if late || given_up {
            Err(Exhausted)
        } else {
            Ok(())
        }
    }
}
