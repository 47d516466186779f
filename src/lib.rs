//! Recognises what a user asked for: two bounded questions to a model, every answer checked
//! locally, a structured intent as the result. It recognises; it never executes.
//!
//! ```text
//!   mcp ──► bridge ──► pipeline ◄── intent ──► executor (trait)
//!                         │                      ├─ api (reqwest)
//!                         ▼                      └─ node (a JavaScript object)
//!      materials   prompt   candidate{core,data}
//!                         │
//!              json   schema   language   text   error   limits
//! ```
//!
//! [`Intent`] drives a [`pipeline::Pipeline`] with an [`executor::ModelExecutor`]; a Bridge hands
//! the same questions to a host that has a model of its own.

mod activity;
mod admission;
pub mod bridge;
pub mod budget;
pub mod cancel;
pub mod candidate;
mod catch_panic;
pub mod definition;
pub mod error;
pub mod executor;
mod failpoint;
pub mod intent;
pub mod language;
pub mod limits;
pub mod materials;
#[cfg(feature = "mcp")]
pub mod mcp;
// Unit tests have no Node.js around them.
#[cfg(all(feature = "node", not(test)))]
mod node;
pub mod observer;
mod options;
pub mod pipeline;
mod place;
pub mod prompt;
pub mod report;
mod request;
pub mod runtime;
pub mod schema;
pub mod text;
mod validation_queue;

pub use bridge::{Bridge, BridgeConfig, BridgeReply};
pub use cancel::Cancel;
pub use candidate::{
    Clarification, EvidenceEntry, EvidenceLevel, EvidenceMode, EvidencePolicy, EvidenceSource,
    EvidenceSpan, IntentAction, IntentItem, IntentResult, IntentStatus,
};
pub use definition::{DataWithoutIntent, IntentConfig, ProofForm, UnknownKeywords};
pub use error::{
    DataIssueCode, ErrorCode, HttpFact, IntentError, Issue, IssueCategory, IssueCode, LimitFact,
    Stage,
};
pub use executor::{
    Fallback, ModelExecutor, ModelReply, ModelRequest, ModelUsage, ReplyInfo, Retrying,
};
pub use intent::Intent;
pub use limits::Limits;
pub use observer::ParseObserver;
pub use report::{CallOutcome, ModelCall, ParseReport};
pub use request::{ContextMessage, Request, Role};
pub use strict_json as json;

/// The Rust blocks of the documentation run as doctests.
#[cfg(all(doctest, feature = "http"))]
#[doc = include_str!("../docs/rust.md")]
mod documentation {}
