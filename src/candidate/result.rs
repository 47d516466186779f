//! The result, in the key order of the contract (section 10).

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::codes;

codes! {
    /// What is to be done.
    IntentAction {
        /// Look something up.
        Query = "query",
        /// Examine and explain.
        Analyze = "analyze",
        /// Make something new.
        Generate = "generate",
        /// Change something that exists.
        Modify = "modify",
        /// Remove something.
        Delete = "delete",
        /// Run or trigger something.
        Execute = "execute",
        /// Anything else.
        Other = "other",
    }
}

codes! {
    /// Whether it can be done now.
    IntentStatus {
        /// Nothing stands in the way.
        Ready = "ready",
        /// A question must be answered first.
        NeedsClarification = "needs_clarification",
        /// The user must confirm first.
        AwaitingConfirmation = "awaiting_confirmation",
        /// A condition must come true first.
        Conditional = "conditional",
    }
}

/// A question to ask back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clarification {
    /// The question.
    pub question: String,
    /// Answers to choose from; may be empty.
    pub options: Vec<String>,
}

/// One thing that the user wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IntentItem {
    /// `i1`, `i2`, ... in order.
    pub id: String,
    /// What is to be done; `None` only with [`IntentStatus::NeedsClarification`].
    pub action: Option<IntentAction>,
    /// What it is to be done to.
    pub target: Option<String>,
    /// What holds for this intent alone.
    pub requirements: Vec<String>,
    /// Whether it can be done now.
    pub status: IntentStatus,
    /// Why not, absent when ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to ask, present exactly with [`IntentStatus::NeedsClarification`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Vec<Clarification>>,
}

/// What the user said, structured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentResult {
    /// The input as it was given.
    pub input: Arc<str>,
    /// The effective request in one text.
    pub normalized_input: String,
    /// The main intent in a few words.
    pub primary_intent: Option<String>,
    /// What holds for the whole request.
    pub requirements: Vec<String>,
    /// What is to be done, in order.
    pub intents: Vec<IntentItem>,
    /// What must not be done.
    pub prohibitions: Vec<String>,
    /// The selected business fields.
    pub data: Map<String, Value>,
}
