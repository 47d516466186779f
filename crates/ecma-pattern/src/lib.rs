//! ECMAScript regular expressions with the flag `u`, for programs that must be able to stop one.
//!
//! [`Pattern::is_match`] gives the verdict of `RegExp(source, 'u').test(text)`, and
//! [`Pattern::new`] refuses what ECMAScript refuses. Where V8 departs from the standard (it tries
//! `\B` between the halves of a surrogate pair, for example), this crate follows the standard.
//!
//! No other engine in Rust gives both the verdict and the bound: `regex` has no lookaround and
//! counts no steps, `fancy-regex` gives backreferences and groups another meaning (a reference to
//! a group that took no part fails; captures outlive an iteration), and `regress` has no bound.
//! Here a pattern is
//!
//! 1. read by the grammar of ECMA-262 (`syntax`; `\p{...}` in `property`),
//! 2. compiled to a few kinds of instruction (`program`); a lookbehind becomes instructions that
//!    read backwards,
//! 3. run by a backtracking machine (`machine`), which follows the standard's matchers step by
//!    step on a stack of its own and counts every step against a [`Budget`].
//!
//! [`Pattern::new`] makes all refusals. It refuses text that is no ECMAScript pattern and, with a
//! reason that begins "cannot be kept", groups nested too deep, classes that are too large
//! together, and properties that the Unicode tables do not have. It keeps counts of any size.
//!
//! In a pattern without backreferences the machine remembers which choices failed at which
//! position. The notorious `(a+)+b` then takes steps in proportion to pattern times text (times
//! the count, inside a counted group that is too long to write out). Backreferences, and counted
//! groups nested three deep, have no such bound; the budget ends them.
//!
//! ```
//! use ecma_pattern::{Budget, Exhausted, Pattern};
//!
//! let pattern = Pattern::new(r"^(?<code>[A-Z]{2})-\d+$")?;
//! assert_eq!(pattern.is_match("AB-12", &Budget::unlimited()), Ok(true));
//!
//! let slow = Pattern::new(r"^(a|b|ab)*\1c")?;
//! let text = "ab".repeat(5_000);
//! assert_eq!(slow.is_match(&text, &Budget::of_ticks(100_000)), Err(Exhausted));
//! # Ok::<(), String>(())
//! ```

mod allowance;
mod budget;
mod machine;
#[doc(hidden)]
pub mod message;
mod program;
mod property;
mod syntax;

use std::fmt;
use std::sync::Arc;

pub use allowance::Allowance;
pub use budget::{Budget, Exhausted};

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
    /// The reason, for people: the text is not an ECMAScript pattern under `u`, or it exceeds a bound.
    pub fn new(source: &str) -> Result<Self, String> {
        let budget = Budget::unlimited();
        Self::within(source, &Allowance::new(&budget))
            .unwrap_or_else(|Exhausted| Err("a budget without bound ended".to_owned()))
    }

    /// Like [`new`](Self::new), within an allowance that several patterns may share.
    ///
    /// # Errors
    /// [`Exhausted`] once the budget is used up.
    pub fn within(
        source: &str,
        allowance: &Allowance<'_>,
    ) -> Result<Result<Self, String>, Exhausted> {
        told(syntax::parse(source, allowance).and_then(|syntax| {
            let program = program::compile(&syntax, allowance)?;
            Ok(Self(Arc::new(Inner {
                source: source.into(),
                program,
            })))
        }))
    }

    /// True if a text is a pattern.
    ///
    /// # Errors
    /// [`Exhausted`] once the budget is used up.
    pub fn is_valid(source: &str, budget: &Budget) -> Result<bool, Exhausted> {
        // Compiling refuses nothing that reading does not.
        let read = told(syntax::parse(source, &Allowance::new(budget)))?;
        Ok(read.is_ok())
    }

    /// The source that it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Returns `true` if the pattern matches anywhere in a text.
    ///
    /// # Errors
    /// [`Exhausted`] once the budget, or the memory that one match may take, is used up.
    pub fn is_match(&self, text: &str, budget: &Budget) -> Result<bool, Exhausted> {
        machine::is_match(&self.0.program, text, budget, machine::STEPS_BEFORE_MEMORY)
    }
}

/// Tells a refusal from the end of the budget.
fn told<T>(read: allowance::Read<T>) -> Result<Result<T, String>, Exhausted> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(allowance::Refused::For(why)) => Ok(Err(why)),
        Err(allowance::Refused::Exhausted) => Err(Exhausted),
    }
}

/// Returns true for ECMAScript WhiteSpace and LineTerminator (ECMA-262, 12.2 and 12.3), the class
/// of `\s`.
///
/// U+FEFF and U+00A0 belong to it; U+0085 and U+200B do not.
#[must_use]
pub const fn is_white_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.0.source).finish()
    }
}

#[cfg(test)]
mod tests;
