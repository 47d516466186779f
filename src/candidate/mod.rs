//! What a model's answer must satisfy, and what is made of it.

mod result;

pub use result::{Clarification, IntentAction, IntentItem, IntentResult, IntentStatus};
