//! A bound on work whose length a pattern or a text decides.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The number of [`Budget::tick`]s between two looks at the clock.
const TICKS_PER_LOOK: u32 = 256;

/// The budget ended before the work did, which therefore has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the budget ended before the work did")
    }
}

impl std::error::Error for Exhausted {}

/// A limit of work: up to an instant, until a flag is set, or for a number of ticks. Every
/// loop without an evident bound calls [`tick`](Self::tick) and stops at once when that fails.
#[derive(Debug, Default, Clone)]
pub struct Budget {
    deadline: Option<Instant>,
    given_up: Option<Arc<AtomicBool>>,
    ticks: Cell<u32>,
    /// The number of times that [`look`](Self::look) may still succeed, where it is bounded.
    looks_left: Option<Cell<u64>>,
}

impl Budget {
    /// A budget without a bound.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// A budget that ends at an instant.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self::unlimited().and_until(deadline)
    }

    /// A budget of `ticks`, rounded down to a multiple of 256, whatever the time: the same work ends
    /// at the same place each time.
    #[must_use]
    pub fn of_ticks(ticks: u64) -> Self {
        Self {
            looks_left: Some(Cell::new(ticks / u64::from(TICKS_PER_LOOK))),
            ..Self::default()
        }
    }

    /// Also ends at an instant.
    #[must_use]
    pub const fn and_until(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Also ends once the flag is set.
    #[must_use]
    pub fn or_given_up(mut self, flag: Arc<AtomicBool>) -> Self {
        self.given_up = Some(flag);
        self
    }

    /// Counts one small step of work.
    ///
    /// # Errors
    /// [`Exhausted`] once the bound is passed.
    #[inline]
    pub fn tick(&self) -> Result<(), Exhausted> {
        let ticks = self.ticks.get().wrapping_add(1);
        self.ticks.set(ticks);
        if ticks.is_multiple_of(TICKS_PER_LOOK) {
            self.look()
        } else {
            Ok(())
        }
    }

    /// Checks the bound now, for steps that are not small.
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
