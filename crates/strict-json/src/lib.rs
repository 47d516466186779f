//! Reads the JSON of a language model, and refuses what two readers could understand differently:
//! one object with nothing around it, no key twice, no number that a double does not keep, no lone
//! surrogate.
//!
//! [`read`] turns a text into a [`Node`] tree that borrows from it, without recursion and within
//! limits that it checks as it goes.

/// The Rust block of the README runs as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod kind;
mod number;
pub mod pointer;
mod reader;
pub mod text;
mod tree;
mod value;
mod write;

pub use kind::Kind;
pub use number::Number;
pub use reader::{MAX_DEPTH, ReadError, ReadLimits, read};
pub use tree::{Node, Object};
pub use value::value;
pub use write::{Count, Sink};
