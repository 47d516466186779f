//! `pattern`: a regular expression with ECMAScript meaning, the `u` flag set.
//!
//! The verdict is that of `RegExp(source, 'u').test(text)`, and what ECMAScript refuses is
//! refused; where V8 departs from the standard (it tries `\B` between the halves of a surrogate
//! pair, say) the standard holds. None of the engines at hand gives that and can be stopped: `regex` has no lookaround
//! and no step to count, `fancy-regex` has backreferences and groups of another meaning (a group
//! that took no part fails, captures outlive an iteration), `regress` runs without a bound. So a
//! pattern is
//!
//! 1. read by the grammar of ECMA-262 (`syntax`; `\p{...}` in `property`),
//! 2. compiled to a few kinds of instruction (`program`), lookbehind as instructions that read
//!    backwards,
//! 3. run by a backtracking machine that follows the standard's matchers step by step, with a
//!    stack of its own and a [`Budget`] looked at all along (`machine`).
//!
//! All that can be refused is refused by [`Pattern::new`]: what is no ECMAScript, and, as
//! "cannot be kept", groups nested past a bound, classes of a size past a bound and properties
//! that the Unicode tables do not have. Counts of any size are kept.
//!
//! Without backreferences the machine remembers which choices failed where, so that the notorious
//! `(a+)+b` takes steps in proportion to pattern times text (times the count inside a counted
//! group that is too long to be written out). Backreferences, and counted groups nested three
//! deep, have no such bound; the budget ends them.

mod machine;
mod program;
mod property;
mod room;
mod syntax;

use std::fmt;
use std::sync::Arc;

pub(crate) use room::Room;

use crate::budget::{Budget, Exhausted};

/// A compiled pattern; cheap to clone.
#[derive(Clone)]
pub struct Pattern(Arc<Inner>);

struct Inner {
    source: Box<str>,
    program: program::Program,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Why it is no ECMAScript pattern under `u`, or cannot be kept as one, for people.
    pub fn new(source: &str) -> Result<Self, String> {
        let budget = Budget::unlimited();
        Self::within(source, &Room::new(&budget))
            .unwrap_or_else(|Exhausted| Err("a budget without bound ended".to_owned()))
    }

    /// [`new`](Self::new) within what may be used.
    ///
    /// # Errors
    /// [`Exhausted`] once the budget is used up.
    pub(crate) fn within(source: &str, room: &Room<'_>) -> Result<Result<Self, String>, Exhausted> {
        told(syntax::parse(source, room).and_then(|syntax| {
            let program = program::compile(&syntax, room)?;
            Ok(Self(Arc::new(Inner {
                source: source.into(),
                program,
            })))
        }))
    }

    /// Whether a text is a pattern.
    ///
    /// # Errors
    /// [`Exhausted`] once the budget is used up.
    pub fn is_valid(source: &str, budget: &Budget) -> Result<bool, Exhausted> {
        // Compiling refuses nothing that reading does not.
        let read = told(syntax::parse(source, &Room::new(budget)))?;
        Ok(read.is_ok())
    }

    /// What it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Whether it matches somewhere in a text.
    ///
    /// # Errors
    /// [`Exhausted`] once the budget, or the memory that one match may take, is used up.
    pub fn is_match(&self, text: &str, budget: &Budget) -> Result<bool, Exhausted> {
        machine::is_match(&self.0.program, text, budget, machine::STEPS_BEFORE_MEMORY)
    }
}

fn told<T>(read: room::Read<T>) -> Result<Result<T, String>, Exhausted> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(room::Refused::For(why)) => Ok(Err(why)),
        Err(room::Refused::Exhausted) => Err(Exhausted),
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.0.source).finish()
    }
}

#[cfg(test)]
mod tests;
