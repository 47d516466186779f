//! The core candidate (docs/candidates.md): its rules, and the result made of it.

use std::sync::Arc;

use super::faults::{Faults, Rejection, read};
use super::result::{Clarification, IntentAction, IntentItem, IntentResult, IntentStatus};
use crate::definition::ProofForm;
use crate::error::Stage;
use crate::json::Node;
use crate::limits::{Limit, Limits};
use crate::place::Place;

/// Checks a core candidate and assembles the default result, with `data: {}`.
pub(crate) fn check(
    text: &str,
    input: &Arc<str>,
    form: ProofForm,
    limits: &Limits,
) -> Result<IntentResult, Rejection> {
    let root = read(text, Stage::Core, limits)?;
    let mut faults = Faults::default();
    let keys = [
        "normalizedInput",
        "primaryIntent",
        "requirements",
        "prohibitions",
        "intents",
    ];
    let Some(object) = faults.object(&root, Place::Root, &keys) else {
        return Err(Rejection::Faults(faults));
    };
    if let Some(Node::Array(items)) = object.get("intents") {
        limits.check_count(Limit::IntentCount, items.len(), Stage::Core)?;
    }
    let mut normalized_input = None;
    let mut primary_intent = None;
    let (mut requirements, mut prohibitions, mut intents) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in object {
        match key.as_ref() {
            "normalizedInput" => {
                normalized_input = faults
                    .text(value, Place::Root.key("normalizedInput"))
                    .map(str::to_owned);
            }
            "primaryIntent" => {
                primary_intent = faults
                    .text_or_null(value, Place::Root.key("primaryIntent"))
                    .map(str::to_owned);
            }
            "requirements" => requirements = faults.texts(value, Place::Root.key("requirements")),
            "prohibitions" => prohibitions = faults.texts(value, Place::Root.key("prohibitions")),
            "intents" => {
                let list = Place::Root.key("intents");
                let items = faults.array(value, list).unwrap_or_default();
                intents = items
                    .iter()
                    .enumerate()
                    .filter_map(|(i, item)| check_item(item, list.index(i), i, form, &mut faults))
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
            evidence: None,
        }),
        _ => Err(Rejection::Faults(faults)),
    }
}

const ACTIONS: &str =
    "\"query\", \"analyze\", \"generate\", \"modify\", \"delete\", \"execute\", \"other\" or null";

fn check_item(
    node: &Node<'_>,
    place: Place<'_>,
    i: usize,
    form: ProofForm,
    faults: &mut Faults,
) -> Option<IntentItem> {
    let object = faults.object(
        node,
        place,
        &["action", "target", "requirements", "blockers"],
    )?;
    let mut action = None;
    let mut unknown_action = false;
    match object.get("action") {
        Some(Node::Null) => unknown_action = true,
        Some(node) => {
            action = faults.name(node, place.key("action"), IntentAction::from_text, ACTIONS);
        }
        None => {}
    }
    let target = object
        .get("target")
        .and_then(|node| faults.text_or_null(node, place.key("target")))
        .map(str::to_owned);
    let requirements = object
        .get("requirements")
        .map(|node| faults.texts(node, place.key("requirements")))
        .unwrap_or_default();
    let blockers = match object.get("blockers")? {
        // There are no blockers.
        Node::Null if form == ProofForm::Brief => Blockers::default(),
        blockers => check_blockers(blockers, place.key("blockers"), faults)?,
    };
    if unknown_action && (blockers.clarification.is_none() || blockers.questions.is_empty()) {
        faults.add(
            place.key("action"),
            "may be null only with a clarificationReason and questions",
        );
    }
    let (statuses, reasons): (Vec<_>, Vec<_>) = [
        (IntentStatus::NeedsClarification, blockers.clarification),
        (IntentStatus::AwaitingConfirmation, blockers.confirmation),
        (IntentStatus::Conditional, blockers.condition),
    ]
    .into_iter()
    .filter_map(|(status, reason)| Some((status, reason?)))
    .unzip();
    let status = statuses.first().copied().unwrap_or(IntentStatus::Ready);
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

#[derive(Default)]
struct Blockers {
    clarification: Option<String>,
    questions: Vec<Clarification>,
    confirmation: Option<String>,
    condition: Option<String>,
}

fn check_blockers(node: &Node<'_>, place: Place<'_>, faults: &mut Faults) -> Option<Blockers> {
    let keys = [
        "clarificationReason",
        "questions",
        "confirmationReason",
        "conditionReason",
    ];
    let object = faults.object(node, place, &keys)?;
    let mut reason = |key: &str| {
        let node = object.get(key)?;
        faults.text_or_null(node, place.key(key)).map(str::to_owned)
    };
    let (clarification, confirmation, condition) = (
        reason("clarificationReason"),
        reason("confirmationReason"),
        reason("conditionReason"),
    );
    let mut questions = Vec::new();
    if let Some(node) = object.get("questions") {
        let place = place.key("questions");
        for (i, question) in faults
            .array(node, place)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            questions.extend(check_question(question, place.index(i), faults));
        }
        // This counts the nodes, so that a faulty question does not cause a second fault.
        let asked = matches!(node, Node::Array(items) if !items.is_empty());
        let reasoned = !matches!(object.get("clarificationReason"), None | Some(Node::Null));
        if asked && !reasoned {
            faults.add(place, "questions need a clarificationReason");
        } else if reasoned && matches!(node, Node::Array(items) if items.is_empty()) {
            faults.add(place, "a clarificationReason needs at least one question");
        }
    }
    Some(Blockers {
        clarification,
        questions,
        confirmation,
        condition,
    })
}

fn check_question(node: &Node<'_>, place: Place<'_>, faults: &mut Faults) -> Option<Clarification> {
    let object = faults.object(node, place, &["question", "options"])?;
    let question = object
        .get("question")
        .and_then(|node| faults.text(node, place.key("question")));
    let options = object
        .get("options")
        .map(|node| faults.texts(node, place.key("options")));
    Some(Clarification {
        question: question?.to_owned(),
        options: options?,
    })
}
