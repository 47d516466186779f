//! The core candidate (contract section 10): what it must satisfy, and its assembly.

use std::sync::Arc;

use super::faults::{Faults, Rejected, read};
use super::result::{Clarification, IntentAction, IntentItem, IntentResult, IntentStatus};
use crate::error::Stage;
use crate::json::Node;
use crate::limits::{Limits, exceeded};

/// Checks a core candidate and assembles the default result, with `data: {}`.
pub(crate) fn check(
    text: &str,
    input: &Arc<str>,
    limits: &Limits,
) -> Result<IntentResult, Rejected> {
    let root = read(text, Stage::Core, limits)?;
    let mut faults = Faults::default();
    let keys = [
        "normalizedInput",
        "primaryIntent",
        "requirements",
        "prohibitions",
        "intents",
    ];
    let Some(object) = faults.object(&root, "", &keys) else {
        return Err(Rejected::Faults(faults));
    };
    if let Some(Node::Array(items)) = object.get("intents")
        && items.len() as u64 > limits.max_intent_count
    {
        let what = format!("{} intents", items.len());
        return Err(exceeded(Stage::Core, "maxIntentCount", limits.max_intent_count, what).into());
    }
    let mut normalized_input = None;
    let mut primary_intent = None;
    let (mut requirements, mut prohibitions, mut intents) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in object {
        match key.as_ref() {
            "normalizedInput" => {
                normalized_input = faults.text(value, "/normalizedInput").map(str::to_owned);
            }
            "primaryIntent" => {
                primary_intent = faults
                    .text_or_null(value, "/primaryIntent")
                    .map(str::to_owned);
            }
            "requirements" => requirements = faults.texts(value, "/requirements"),
            "prohibitions" => prohibitions = faults.texts(value, "/prohibitions"),
            "intents" => {
                let items = faults.array(value, "/intents").unwrap_or_default();
                intents = items
                    .iter()
                    .enumerate()
                    .filter_map(|(i, item)| check_item(item, i, &mut faults))
                    .collect();
            }
            _ => {}
        }
    }
    match normalized_input {
        Some(normalized_input) if faults.is_empty() => Ok(IntentResult {
            input: Arc::clone(input),
            normalized_input,
            primary_intent,
            requirements,
            intents,
            prohibitions,
            data: serde_json::Map::new(),
        }),
        _ => Err(Rejected::Faults(faults)),
    }
}

const ACTIONS: &str =
    "\"query\", \"analyze\", \"generate\", \"modify\", \"delete\", \"execute\", \"other\" or null";

fn check_item(node: &Node<'_>, i: usize, faults: &mut Faults) -> Option<IntentItem> {
    let pointer = format!("/intents/{i}");
    let object = faults.object(
        node,
        &pointer,
        &["action", "target", "requirements", "blockers"],
    )?;
    let at = |key: &str| format!("{pointer}/{key}");
    let mut action = None;
    let mut unknown_action = false;
    match object.get("action") {
        Some(Node::Null) => unknown_action = true,
        Some(node) => action = faults.name(node, &at("action"), IntentAction::from_text, ACTIONS),
        None => {}
    }
    let target = object
        .get("target")
        .and_then(|node| faults.text_or_null(node, &at("target")))
        .map(str::to_owned);
    let requirements = object
        .get("requirements")
        .map(|node| faults.texts(node, &at("requirements")))
        .unwrap_or_default();
    let blockers = check_blockers(object.get("blockers")?, &at("blockers"), faults)?;
    if unknown_action && (blockers.clarification.is_none() || blockers.questions.is_empty()) {
        faults.add(
            &at("action"),
            "may be null only with a clarificationReason and questions",
        );
    }
    let status = if blockers.clarification.is_some() {
        IntentStatus::NeedsClarification
    } else if blockers.confirmation.is_some() {
        IntentStatus::AwaitingConfirmation
    } else if blockers.condition.is_some() {
        IntentStatus::Conditional
    } else {
        IntentStatus::Ready
    };
    let reasons: Vec<String> = [
        blockers.clarification,
        blockers.confirmation,
        blockers.condition,
    ]
    .into_iter()
    .flatten()
    .collect();
    Some(IntentItem {
        id: format!("i{}", i + 1),
        action,
        target,
        requirements,
        status,
        reason: (!reasons.is_empty()).then(|| reasons.join("\n")),
        clarification: (status == IntentStatus::NeedsClarification).then_some(blockers.questions),
    })
}

struct Blockers {
    clarification: Option<String>,
    questions: Vec<Clarification>,
    confirmation: Option<String>,
    condition: Option<String>,
}

fn check_blockers(node: &Node<'_>, pointer: &str, faults: &mut Faults) -> Option<Blockers> {
    let keys = [
        "clarificationReason",
        "questions",
        "confirmationReason",
        "conditionReason",
    ];
    let object = faults.object(node, pointer, &keys)?;
    let mut reason = |key: &str| {
        let node = object.get(key)?;
        faults
            .text_or_null(node, &format!("{pointer}/{key}"))
            .map(str::to_owned)
    };
    let (clarification, confirmation, condition) = (
        reason("clarificationReason"),
        reason("confirmationReason"),
        reason("conditionReason"),
    );
    let mut questions = Vec::new();
    if let Some(node) = object.get("questions") {
        let pointer = format!("{pointer}/questions");
        for (i, question) in faults
            .array(node, &pointer)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            questions.extend(check_question(question, &format!("{pointer}/{i}"), faults));
        }
        // The nodes decide, so that a question with a fault of its own gives no second one.
        let asked = matches!(node, Node::Array(items) if !items.is_empty());
        let reasoned = !matches!(object.get("clarificationReason"), None | Some(Node::Null));
        if asked && !reasoned {
            faults.add(&pointer, "questions need a clarificationReason");
        } else if reasoned && matches!(node, Node::Array(items) if items.is_empty()) {
            faults.add(
                &pointer,
                "a clarificationReason needs at least one question",
            );
        }
    }
    Some(Blockers {
        clarification,
        questions,
        confirmation,
        condition,
    })
}

fn check_question(node: &Node<'_>, pointer: &str, faults: &mut Faults) -> Option<Clarification> {
    let object = faults.object(node, pointer, &["question", "options"])?;
    let question = object
        .get("question")
        .and_then(|node| faults.text(node, &format!("{pointer}/question")));
    let options = object
        .get("options")
        .map(|node| faults.texts(node, &format!("{pointer}/options")));
    Some(Clarification {
        question: question?.to_owned(),
        options: options?,
    })
}
