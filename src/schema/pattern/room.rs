//! What reading and compiling patterns may use.

use std::cell::Cell;

use crate::budget::{Budget, Exhausted};

/// The ranges of all classes together.
const MAX_CLASS_RANGES: usize = 1 << 18;

/// A bound on the work, and on the classes, of one pattern or of all patterns of a schema.
pub(crate) struct Room<'b> {
    budget: &'b Budget,
    ranges_left: Cell<usize>,
}

/// Why a pattern was not compiled.
pub(super) enum Refused {
    /// It is none, or cannot be kept: for people.
    For(String),
    /// The budget ended.
    Exhausted,
}

pub(super) type Read<T> = Result<T, Refused>;

pub(super) fn refuse<T>(why: impl Into<String>) -> Read<T> {
    Err(Refused::For(why.into()))
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self::For(why)
    }
}

impl From<Exhausted> for Refused {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl<'b> Room<'b> {
    pub(crate) const fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            ranges_left: Cell::new(MAX_CLASS_RANGES),
        }
    }

    pub(super) fn step(&self) -> Read<()> {
        Ok(self.budget.tick()?)
    }

    pub(super) fn steps(&self, steps: usize) -> Read<()> {
        for _ in 0..steps {
            self.budget.tick()?;
        }
        Ok(())
    }

    /// Ranges that are kept.
    pub(super) fn take_ranges(&self, ranges: usize) -> Read<()> {
        match self.ranges_left.get().checked_sub(ranges) {
            Some(left) => {
                self.ranges_left.set(left);
                Ok(())
            }
            None => refuse("cannot be kept: its character classes are too large together"),
        }
    }
}
