//! Candidates are strict JSON (docs/candidates.md): one object, nothing around it, no duplicate
//! keys, no number that JavaScript would read as another one, no text that cannot be carried.
//!
//! [`read`] turns a text into a [`Node`] tree that borrows from it, without recursion and within
//! limits that it checks as it goes.

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
