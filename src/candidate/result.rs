//! The result. Its keys are written in the order of docs/api.md.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::evidence::{self, EvidenceEntry};
use crate::error::codes;
use crate::json::{Count, Sink};

codes! {
    /// The action.
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
    /// Readiness of an intent.
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
    /// The action; `None` only with [`IntentStatus::NeedsClarification`].
    pub action: Option<IntentAction>,
    /// The object of the action.
    pub target: Option<String>,
    /// Requirements of this intent alone.
    pub requirements: Vec<String>,
    /// Readiness of the intent.
    pub status: IntentStatus,
    /// Why not, absent when ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The questions, present exactly with [`IntentStatus::NeedsClarification`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Vec<Clarification>>,
}

/// The meaning of the input, structured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentResult {
    /// The input as it was given.
    pub input: Arc<str>,
    /// The effective request in one text.
    pub normalized_input: String,
    /// The main intent in a few words.
    pub primary_intent: Option<String>,
    /// Requirements of the whole request.
    pub requirements: Vec<String>,
    /// The intents, in order.
    pub intents: Vec<IntentItem>,
    /// Actions that the user forbids.
    pub prohibitions: Vec<String>,
    /// The selected business fields.
    pub data: Map<String, Value>,
    /// The sources of each value, in the order of the data; only if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<EvidenceEntry>>,
}

impl IntentResult {
    /// Compact JSON: what `serde` writes of it, faster.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.json_room());
        self.write(&mut out);
        out
    }

    /// Room for the JSON of most results, so that a large one is not moved while it grows.
    pub(crate) fn json_room(&self) -> usize {
        let texts = |texts: &[String]| texts.iter().map(|text| text.len() + 4).sum::<usize>();
        let intents = self.intents.iter().map(|intent| {
            128 + texts(&intent.requirements)
                + intent.target.as_deref().map_or(0, str::len)
                + intent.reason.as_deref().map_or(0, str::len)
        });
        256 + self.input.len() * 9 / 8
            + self.normalized_input.len()
            + texts(&self.requirements)
            + texts(&self.prohibitions)
            + intents.sum::<usize>()
    }

    /// The length of [`to_json`](Self::to_json) in UTF-8 bytes.
    #[must_use]
    pub fn json_len(&self) -> usize {
        let mut count = Count::default();
        self.write(&mut count);
        count.0
    }

    pub(crate) fn write(&self, out: &mut impl Sink) {
        out.raw("{\"input\":");
        out.string(&self.input);
        out.raw(",\"normalizedInput\":");
        out.string(&self.normalized_input);
        out.raw(",\"primaryIntent\":");
        out.string_or_null(self.primary_intent.as_deref());
        out.raw(",\"requirements\":");
        out.strings(&self.requirements);
        out.raw(",\"intents\":");
        out.list(&self.intents, |out, item| item.write(out));
        out.raw(",\"prohibitions\":");
        out.strings(&self.prohibitions);
        out.raw(",\"data\":");
        if self.data.is_empty() {
            out.raw("{}");
        } else {
            // A map of strings and JSON values is always JSON.
            out.raw(&serde_json::to_string(&self.data).unwrap_or_default());
        }
        if let Some(evidence) = &self.evidence {
            out.raw(",\"evidence\":");
            out.list(evidence, evidence::write_entry);
        }
        out.raw("}");
    }
}

impl IntentItem {
    fn write(&self, out: &mut impl Sink) {
        out.raw("{\"id\":");
        out.string(&self.id);
        out.raw(",\"action\":");
        out.string_or_null(self.action.map(IntentAction::as_str));
        out.raw(",\"target\":");
        out.string_or_null(self.target.as_deref());
        out.raw(",\"requirements\":");
        out.strings(&self.requirements);
        out.raw(",\"status\":");
        out.string(self.status.as_str());
        if let Some(reason) = &self.reason {
            out.raw(",\"reason\":");
            out.string(reason);
        }
        if let Some(questions) = &self.clarification {
            out.raw(",\"clarification\":");
            out.list(questions, |out, Clarification { question, options }| {
                out.raw("{\"question\":");
                out.string(question);
                out.raw(",\"options\":");
                out.strings(options);
                out.raw("}");
            });
        }
        out.raw("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_serde_writes_it() {
        let text = |text: &str| text.to_owned();
        let ready = IntentItem {
            id: text("i1"),
            action: Some(IntentAction::Query),
            target: None,
            requirements: vec![text("\"a\"\n"), text("中")],
            status: IntentStatus::Ready,
            reason: None,
            clarification: None,
        };
        let asked = IntentItem {
            action: None,
            target: Some(text("t")),
            status: IntentStatus::NeedsClarification,
            reason: Some(text("why\u{1}")),
            clarification: Some(vec![Clarification {
                question: text("?"),
                options: vec![text("x")],
            }]),
            ..ready.clone()
        };
        let mut result = IntentResult {
            input: "in\\put".into(),
            normalized_input: text("n"),
            primary_intent: None,
            requirements: vec![],
            intents: vec![ready, asked],
            prohibitions: vec![text("p")],
            data: Map::new(),
            evidence: None,
        };
        for _ in 0..2 {
            assert_eq!(result.to_json(), serde_json::to_string(&result).unwrap());
            assert_eq!(result.json_len(), result.to_json().len());
            result.primary_intent = Some(text("main"));
            result
                .data
                .insert(text("a\"b"), serde_json::json!({"n": [1, -0.0, 1e-7, "x"]}));
            result.evidence = Some(vec![EvidenceEntry {
                path: text("/data/a\"b"),
                mode: evidence::EvidenceMode::Semantic,
                spans: vec![evidence::EvidenceSpan {
                    source: "context:1".into(),
                    start: 1,
                    end: 3,
                    quote: text("\"\n"),
                    occurrences: 2,
                }],
            }]);
        }
    }
}
