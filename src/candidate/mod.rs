//! What a model's answer must satisfy, and what is made of it.

pub(crate) mod core;
pub(crate) mod data;
mod faults;
mod place;
mod result;

pub(crate) use faults::Rejected;
pub use result::{Clarification, IntentAction, IntentItem, IntentResult, IntentStatus};
