//! A bound on work whose length a schema or a candidate decides.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub use ecma_pattern::Exhausted;

/// The budget of a validation: an [`ecma_pattern::Budget`] that also knows what its end means.
/// Every loop without an evident bound calls [`tick`](ecma_pattern::Budget::tick) and stops at
/// once when that fails.
#[derive(Debug, Default, Clone)]
pub struct Budget {
    work: ecma_pattern::Budget,
    provisional: bool,
    /// The work ended because the system gave no thread for it.
    no_thread: Cell<bool>,
}

impl Deref for Budget {
    type Target = ecma_pattern::Budget;

    fn deref(&self) -> &Self::Target {
        &self.work
    }
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
        ecma_pattern::Budget::until(deadline).into()
    }

    /// A budget of `ticks`, whatever the time: the same work ends at the same place each time.
    #[must_use]
    pub fn of_ticks(ticks: u64) -> Self {
        ecma_pattern::Budget::of_ticks(ticks).into()
    }

    /// Also ends at an instant.
    #[must_use]
    pub fn and_until(mut self, deadline: Instant) -> Self {
        self.work = self.work.and_until(deadline);
        self
    }

    /// Also ends once the flag is set.
    #[must_use]
    pub fn or_given_up(mut self, flag: Arc<AtomicBool>) -> Self {
        self.work = self.work.or_given_up(flag);
        self
    }

    /// Marks a first try, which is repeated with a larger budget if it does not end within this one.
    /// Such work must not end early with a verdict.
    #[must_use]
    pub const fn provisional(mut self) -> Self {
        self.provisional = true;
        self
    }

    /// Returns true where the work is done again if it does not end.
    #[must_use]
    pub const fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// Notes that the work ends because no thread could be started, not because time ran out.
    pub(crate) fn note_no_thread(&self) -> Exhausted {
        self.no_thread.set(true);
        Exhausted
    }

    /// Returns true where the work ended because no thread could be started.
    pub(crate) const fn lacked_a_thread(&self) -> bool {
        self.no_thread.get()
    }
}

impl From<ecma_pattern::Budget> for Budget {
    fn from(work: ecma_pattern::Budget) -> Self {
        Self {
            work,
            ..Self::default()
        }
    }
}
