//! Core candidates against a second reading of the rules in docs/candidates.md.

use std::sync::{Arc, LazyLock};

use intent_runtime::budget::Budget;
use intent_runtime::definition::Definition;
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::materials::Materials;
use intent_runtime::pipeline::{Pipeline, Transition};
use intent_runtime::{ErrorCode, Limits, Request, Stage};
use serde_json::{Value, json};

use crate::bytes::{Bytes, blank};

static DEFINITION: LazyLock<Arc<Definition>> =
    LazyLock::new(|| Arc::new(Definition::new("en", None, 1, Limits::default()).unwrap()));

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let text = if bytes.one_in(4) {
        match std::str::from_utf8(bytes.rest()) {
            Ok(text) => text.to_owned(),
            Err(_) => return,
        }
    } else {
        let mut candidate = candidate(&mut bytes);
        for _ in 0..bytes.below(3) {
            bytes.mutate(&mut candidate);
        }
        candidate.to_string()
    };
    let definition = Arc::clone(&DEFINITION);
    let materials = Materials::new(&definition, Request::new("Query order 7.")).unwrap();
    let (pipeline, _) = Pipeline::start(definition, materials).unwrap();
    let limits = Limits::default();
    let node = read(
        &text,
        ReadLimits {
            depth: limits.max_candidate_depth,
            nodes: limits.max_candidate_nodes,
        },
    );
    let expected = node
        .ok()
        .map(|node| node.to_value())
        .and_then(|v| result(&v));
    match pipeline
        .accept_candidate(&text, &Budget::unlimited())
        .unwrap()
    {
        Transition::Done(found) => {
            let found = serde_json::to_value(&*found).unwrap();
            assert_eq!(Some(found), expected, "{text}");
        }
        Transition::Ask(again, request) => {
            assert_eq!(expected, None, "{text}");
            assert_eq!(request.stage, Stage::Core);
            let repair = again.repair().unwrap();
            assert_eq!(&*repair.candidate, text);
            assert!(
                !repair.diagnostic.is_empty() && repair.diagnostic.len() <= 4096,
                "{text}"
            );
            let payload: Value = serde_json::from_str(&request.payload).unwrap();
            assert_eq!(payload["repair"]["candidate"], text);
            // One repair, then the error.
            match again.accept_candidate(&text, &Budget::unlimited()).unwrap() {
                Transition::Failed(error) => {
                    assert_eq!(error.code(), ErrorCode::ModelOutputInvalid)
                }
                other => panic!("{other:?}: {text}"),
            }
        }
        Transition::Failed(error) => {
            assert_eq!(
                error.code(),
                ErrorCode::LimitExceeded,
                "{}: {text}",
                error.message()
            );
        }
    }
}

fn texts(bytes: &mut Bytes<'_>) -> Value {
    (0..bytes.below(3)).map(|_| json!(bytes.text())).collect()
}

fn text_or_null(bytes: &mut Bytes<'_>) -> Value {
    if bytes.one_in(2) {
        json!(bytes.text())
    } else {
        Value::Null
    }
}

fn candidate(bytes: &mut Bytes<'_>) -> Value {
    let items: Value = (0..bytes.below(4))
        .map(|_| {
            let action = bytes.pick(&[
                json!("query"),
                json!("analyze"),
                json!("generate"),
                json!("modify"),
                json!("delete"),
                json!("execute"),
                json!("other"),
                Value::Null,
                json!("Query"),
            ]);
            let asks = bytes.one_in(2);
            let questions: Value = if asks {
                (0..1 + bytes.below(2))
                    .map(|_| json!({ "question": bytes.text(), "options": texts(bytes) }))
                    .collect()
            } else {
                json!([])
            };
            json!({
                "action": action,
                "target": text_or_null(bytes),
                "requirements": texts(bytes),
                "blockers": {
                    "clarificationReason": if asks { json!(bytes.text()) } else { Value::Null },
                    "questions": questions,
                    "confirmationReason": text_or_null(bytes),
                    "conditionReason": text_or_null(bytes),
                },
            })
        })
        .collect();
    json!({
        "normalizedInput": bytes.text(),
        "primaryIntent": text_or_null(bytes),
        "requirements": texts(bytes),
        "prohibitions": texts(bytes),
        "intents": items,
    })
}

/// The result of an acceptable candidate.
fn result(candidate: &Value) -> Option<Value> {
    let [normalized, primary, requirements, prohibitions, intents] = members(
        candidate,
        [
            "normalizedInput",
            "primaryIntent",
            "requirements",
            "prohibitions",
            "intents",
        ],
    )?;
    let items = intents.as_array()?;
    let items: Option<Vec<Value>> = items
        .iter()
        .enumerate()
        .map(|(i, item)| assembled(i, item))
        .collect();
    Some(json!({
        "input": "Query order 7.",
        "normalizedInput": text(normalized)?,
        "primaryIntent": nullable(primary)?,
        "requirements": all_texts(requirements)?,
        "intents": items?,
        "prohibitions": all_texts(prohibitions)?,
        "data": {},
    }))
}

fn assembled(i: usize, item: &Value) -> Option<Value> {
    let [action, target, requirements, blockers] =
        members(item, ["action", "target", "requirements", "blockers"])?;
    let [clarification, questions, confirmation, condition] = members(
        blockers,
        [
            "clarificationReason",
            "questions",
            "confirmationReason",
            "conditionReason",
        ],
    )?;
    const ACTIONS: &[&str] = &[
        "query", "analyze", "generate", "modify", "delete", "execute", "other",
    ];
    let questions = questions.as_array()?;
    for question in questions {
        let [question, options] = members(question, ["question", "options"])?;
        text(question)?;
        all_texts(options)?;
    }
    let reasons = [
        nullable(clarification)?,
        nullable(confirmation)?,
        nullable(condition)?,
    ];
    let (asks, confirms, depends) = (
        !reasons[0].is_null(),
        !reasons[1].is_null(),
        !reasons[2].is_null(),
    );
    if asks == questions.is_empty() {
        return None;
    }
    match action {
        Value::Null if asks => {}
        Value::String(name) if ACTIONS.contains(&name.as_str()) => {}
        _ => return None,
    }
    let status = if asks {
        "needs_clarification"
    } else if confirms {
        "awaiting_confirmation"
    } else if depends {
        "conditional"
    } else {
        "ready"
    };
    let mut out = json!({
        "id": format!("i{}", i + 1),
        "action": action,
        "target": nullable(target)?,
        "requirements": all_texts(requirements)?,
        "status": status,
    });
    let reason: Vec<&str> = reasons
        .iter()
        .filter_map(|reason| reason.as_str())
        .collect();
    if !reason.is_empty() {
        out["reason"] = reason.join("\n").into();
    }
    if asks {
        out["clarification"] = questions.clone().into();
    }
    Some(out)
}

/// The values of an object with exactly these keys.
pub(crate) fn members<'v, const N: usize>(
    value: &'v Value,
    keys: [&str; N],
) -> Option<[&'v Value; N]> {
    let object = value.as_object().filter(|object| object.len() == N)?;
    let mut found = [value; N];
    for (slot, key) in found.iter_mut().zip(keys) {
        *slot = object.get(key)?;
    }
    Some(found)
}

pub(crate) fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !blank(text))
}

fn nullable(value: &Value) -> Option<&Value> {
    (value.is_null() || text(value).is_some()).then_some(value)
}

fn all_texts(value: &Value) -> Option<&Value> {
    value
        .as_array()?
        .iter()
        .all(|item| text(item).is_some())
        .then_some(value)
}
