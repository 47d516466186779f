//! The rules of evidence, row by row: `tests/data/evidence.json`, which `__test__` reads as well.

use std::sync::Arc;

use intent_runtime::budget::Budget;
use intent_runtime::definition::Definition;
use intent_runtime::materials::Materials;
use intent_runtime::pipeline::{Pipeline, Transition};
use intent_runtime::schema::Origin;
use intent_runtime::{
    ContextMessage, ErrorCode, EvidenceLevel, EvidencePolicy, EvidenceSource, IntentError,
    IntentResult, Limits, Request, Role,
};
use serde_json::{Value, json};

const CORE: &str = r#"{"normalizedInput":"n","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;

struct Case<'a> {
    schema: Value,
    policy: EvidencePolicy,
    from: Option<&'a [EvidenceSource]>,
    request: Request,
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self {
            schema: json!({ "type": "object", "properties": { "v": {} } }),
            policy: EvidencePolicy::default(),
            from: None,
            request: Request::new("Change order 000123."),
        }
    }
}

fn definition(case: &Case<'_>, repairs: u8) -> Result<Definition, IntentError> {
    let schema = Some((case.schema.clone(), Origin::Json));
    Definition::new("en", schema, repairs, Limits::default())?
        .with_evidence(&case.policy, case.from)
}

fn in_data_stage(case: &Case<'_>) -> Pipeline {
    let definition = definition(case, 1).unwrap();
    let materials = Materials::new(&definition, case.request.clone()).unwrap();
    let (core, _) = Pipeline::start(Arc::new(definition), materials).unwrap();
    match core.accept_candidate(CORE, &Budget::unlimited()).unwrap() {
        Transition::Ask(data, _) => data,
        other => panic!("{other:?}"),
    }
}

/// The result, or what the repair is told.
fn accept(case: &Case<'_>, candidate: &Value) -> Result<Arc<IntentResult>, String> {
    let pipeline = in_data_stage(case);
    match pipeline
        .accept_candidate(&candidate.to_string(), &Budget::unlimited())
        .unwrap()
    {
        Transition::Done(result) => Ok(result),
        Transition::Ask(next, _) => Err(next.repair().unwrap().diagnostic.to_string()),
        Transition::Failed(error) => panic!("{error}"),
    }
}

/// A candidate for the one field `v`, whose leaf has these quotes: source and text.
fn candidate(value: &Value, mode: &str, quotes: &[(&str, &str)]) -> Value {
    let sources: Vec<Value> = quotes
        .iter()
        .map(|(source, quote)| json!({ "sourceId": source, "quote": quote }))
        .collect();
    json!({
        "data": { "v": value },
        "evidence": [{ "path": "/data/v", "mode": mode, "sources": sources }],
        "descriptionChecks": [],
        "fieldResults": [{ "path": "/data/v", "status": "extracted", "explanation": "e" }],
        "issues": [],
    })
}

fn mode_of(result: &IntentResult) -> &'static str {
    result.evidence.as_ref().unwrap()[0].mode.as_str()
}

#[test]
fn the_table() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../data/evidence.json")).unwrap();
    assert!(rows.len() >= 150, "{}", rows.len());
    let mut wrong = Vec::new();
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap();
        let schema = row.get("schema").cloned().unwrap_or_else(|| json!({}));
        let level = EvidenceLevel::from_text(text("level")).unwrap();
        let of_level = json!({ "type": "object", "properties": { "v": schema } });
        let case = Case {
            schema: of_level,
            policy: EvidencePolicy::ByPointer(vec![("/v".to_owned(), level)]),
            request: Request::new(text("text")).evidence(true),
            ..Case::default()
        };
        let quotes: Vec<(&str, &str)> = row["quotes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|quote| ("input", quote.as_str().unwrap()))
            .collect();
        let found = accept(&case, &candidate(&row["value"], "semantic", &quotes));
        let expected = row["expected"].as_str();
        if found.as_ref().ok().map(|result| mode_of(result)) != expected {
            wrong.push(format!("{row}\n    {:?}", found.map(|result| mode_of(&result))));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
