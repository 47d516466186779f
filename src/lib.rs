//! Recognises what a user asked for. See `ARCHITECTURE.md` for the way through the folders.

pub mod budget;
pub mod candidate;
pub mod error;
pub mod executor;
pub mod json;
pub mod language;
pub mod limits;
pub mod runtime;
pub mod schema;
pub mod text;

pub use error::{ErrorCode, IntentError, Issue, IssueCategory, IssueCode, Stage};
pub use limits::Limits;
