//! The bounds of reading and compiling.

use std::cell::Cell;

use crate::budget::{Budget, Exhausted};

/// The number of ranges that all classes of one allowance may have together.
const MAX_CLASS_RANGES: usize = 1 << 18;

/// Bounds the work and the character classes of the patterns that are compiled within it: of one
/// pattern, or of many that are kept together.
pub struct Allowance<'b> {
    budget: &'b Budget,
    ranges_left: Cell<usize>,
}

/// The reason why a pattern was not compiled.
pub(crate) enum Refused {
    /// The reason, for people.
    For(String),
    /// The budget ended.
    Exhausted,
}

pub(crate) type Read<T> = Result<T, Refused>;

pub(crate) fn refuse<T>(why: impl Into<String>) -> Read<T> {
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

impl<'b> Allowance<'b> {
    /// An allowance of 262,144 class ranges within a budget.
    #[must_use]
    pub const fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            ranges_left: Cell::new(MAX_CLASS_RANGES),
        }
    }

    pub(crate) fn step(&self) -> Read<()> {
        Ok(self.budget.tick()?)
    }

    pub(crate) fn steps(&self, steps: usize) -> Read<()> {
        for _ in 0..steps {
            self.budget.tick()?;
        }
        Ok(())
    }

    /// Takes the ranges of a class that is kept.
    pub(crate) fn take_ranges(&self, ranges: usize) -> Read<()> {
        match self.ranges_left.get().checked_sub(ranges) {
            Some(left) => {
                self.ranges_left.set(left);
                Ok(())
            }
            None => refuse("cannot be kept: its character classes are too large together"),
        }
    }
}
