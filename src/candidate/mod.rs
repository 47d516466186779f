//! The rules that a model's answer must satisfy, and the result that is made of it.

mod brief;
pub(crate) mod core;
pub(crate) mod data;
mod evidence;
mod faults;
mod quotes;
mod result;

pub use evidence::{
    EvidenceEntry, EvidenceLevel, EvidenceMode, EvidencePolicy, EvidenceSource, EvidenceSpan,
};
pub(crate) use evidence::{Policy as EvidenceRules, Rule as EvidenceRule};
pub(crate) use faults::{Rejection, fault_lines};
pub use result::{Clarification, IntentAction, IntentItem, IntentResult, IntentStatus};
