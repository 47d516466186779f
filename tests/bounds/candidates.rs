//! What one candidate may cost.

use std::sync::Arc;
use std::time::Instant;

use intent_runtime::budget::{Budget, Exhausted};
use intent_runtime::definition::Definition;
use intent_runtime::materials::Materials;
use intent_runtime::pipeline::{Pipeline, Transition};
use intent_runtime::schema::Origin;
use intent_runtime::{ErrorCode, Limits, Request};
use serde_json::{Value, json};

use crate::counting::{peak_of, turn};

const CORE: &str = r#"{"normalizedInput":"Query.","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;

/// More than any of these candidates and what is told of it takes together.
const FEW_BYTES: usize = 48 << 20;

/// A recognition that waits for its data candidate.
pub(crate) fn data_stage(property: Value, definitions: Value) -> Pipeline {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "v": property },
        "$defs": definitions,
    });
    let schema = Some((schema, Origin::Json));
    let definition = Arc::new(Definition::new("en", schema, 1, Limits::default()).unwrap());
    let materials = Materials::new(&definition, Request::new("Query order 000123.")).unwrap();
    let (core, _) = Pipeline::start(definition, materials).unwrap();
    match core.accept_candidate(CORE, &Budget::unlimited()) {
        Ok(Transition::Ask(data, _)) => data,
        other => panic!("{other:?}"),
    }
}

/// A candidate that is acceptable save for what `v` lacks.
pub(crate) fn candidate(v: &Value) -> String {
    json!({
        "data": { "v": v },
        "evidence": [],
        "descriptionChecks": [],
        "fieldResults": [{ "path": "/data/v", "status": "extracted", "explanation": "e" }],
        "issues": [],
    })
    .to_string()
}

/// The diagnostic of a candidate that is refused, with the bytes that it took.
fn refused(pipeline: &Pipeline, text: &str) -> (String, usize) {
    let (transition, peak) = peak_of(|| pipeline.accept_candidate(text, &Budget::unlimited()));
    match transition {
        Ok(Transition::Ask(next, _)) => (next.repair().unwrap().diagnostic.to_string(), peak),
        other => panic!("{other:?}"),
    }
}

fn key(letters: usize) -> String {
    "k".repeat(letters)
}

/// Each is told within bounds, however long the way to it is.
#[test]
fn long_keys_over_many_values_take_no_more_than_they_are() {
    let _turn = turn();
    let described = json!({ "additionalProperties": { "items": { "description": "d" } } });
    for property in [json!({}), described] {
        let pipeline = data_stage(property, json!({}));
        for (letters, values) in [(16_000, 8_000), (200_000, 10_000), (4_000, 19_000)] {
            let text = candidate(&json!({ key(letters): vec![0; values] }));
            let (diagnostic, peak) = refused(&pipeline, &text);
            assert!(diagnostic.contains("has no evidence"), "{diagnostic}");
            let last = diagnostic.rsplit("and ").next().unwrap();
            let left_out: usize = last.strip_suffix(" more").unwrap().parse().unwrap();
            assert!(left_out + 100 > values, "{left_out} of {values}");
            assert!(diagnostic.len() <= 4096);
            assert!(peak < FEW_BYTES / 2, "{letters} {values}: {peak}");
        }
    }
}

/// The walk over the values looks at its budget.
#[test]
fn the_search_for_evidence_ends_with_the_budget() {
    let _turn = turn();
    let pipeline = data_stage(json!({}), json!({}));
    let text = candidate(&json!(vec![0; 8_000]));
    let ended = Budget::until(Instant::now());
    assert_eq!(
        pipeline.accept_candidate(&text, &ended).map(|_| ()),
        Err(Exhausted)
    );
}

/// 64 alternatives of 64 alternatives, each of which is `last`.
fn alternatives() -> Value {
    json!({ "anyOf": vec![json!({ "$ref": "#/$defs/inner" }); 64] })
}

fn alternatives_of(last: &Value) -> Value {
    json!({ "last": last, "inner": { "anyOf": vec![json!({ "$ref": "#/$defs/last" }); 64] } })
}

/// `jsonschema` gives every fault of every branch a pointer of its own.
#[test]
fn faults_of_branches_take_no_more_than_they_may() {
    let _turn = turn();
    let null = json!({ "type": "null" });
    let closed = json!({ "additionalProperties": false });
    let names = json!({ "propertyNames": { "maxLength": 3 } });
    let many: serde_json::Map<String, Value> =
        (0..8_000).map(|i| (format!("{i:020}"), json!(1))).collect();
    let under_key = json!({ "additionalProperties": alternatives() });
    let under_items = json!({ "additionalProperties": { "items": alternatives() } });
    for (property, last, v) in [
        (&under_key, &null, json!({ key(200_000): 1 })),
        (&alternatives(), &closed, json!({ key(200_000): 1 })),
        (&alternatives(), &closed, Value::Object(many.clone())),
        (&alternatives(), &names, json!({ key(200_000): 1 })),
        (&alternatives(), &names, Value::Object(many.clone())),
        (
            &json!({ "items": alternatives() }),
            &null,
            json!(vec![1; 10_000]),
        ),
        (&under_items, &null, json!({ key(200_000): vec![1; 2_000] })),
        (
            &alternatives(),
            &json!({ "required": [key(60_000)] }),
            json!({}),
        ),
        (&alternatives(), &json!({ "enum": [key(60_000)] }), json!(1)),
        (&alternatives(), &json!({ "const": key(60_000) }), json!(1)),
    ] {
        let pipeline = data_stage(property.clone(), alternatives_of(last));
        let (diagnostic, peak) = refused(&pipeline, &candidate(&v));
        assert!(diagnostic.len() <= 4096);
        assert!(peak < FEW_BYTES, "{peak}");
        // Leaves without evidence may fill the diagnostic, so the schema is asked alone as well.
        let selection = pipeline.materials().selection().unwrap();
        let text = json!({ "v": v }).to_string();
        let limits = intent_runtime::json::ReadLimits {
            depth: 32,
            nodes: 20_000,
        };
        let node = intent_runtime::json::read(&text, limits).unwrap();
        let (found, peak) = peak_of(|| selection.faults(&node, &Budget::unlimited(), 64));
        assert!(
            !found.unwrap().is_empty(),
            "the schema has nothing against {property}"
        );
        assert!(peak < FEW_BYTES, "{peak}");
    }
}

/// Of faults that are too many to list, one is told.
#[test]
fn a_fault_that_is_one_of_too_many_is_told() {
    let _turn = turn();
    let text = format!(r#"{{"v":{{"{}":1}}}}"#, key(20_000));
    let node = intent_runtime::json::read(
        &text,
        intent_runtime::json::ReadLimits {
            depth: 32,
            nodes: 100,
        },
    )
    .unwrap();
    let schema = json!({
        "type": "object",
        "properties": { "v": { "additionalProperties": alternatives() } },
        "$defs": alternatives_of(&json!({ "type": "null" })),
    });
    let schema =
        intent_runtime::schema::Schema::from_value(schema, Origin::Json, &Limits::default())
            .unwrap();
    let selection = schema.select(&["v"]).unwrap();
    let (found, peak) = peak_of(|| selection.faults(&node, &Budget::unlimited(), 64).unwrap());
    assert!(peak < FEW_BYTES, "{peak}");
    assert_eq!(found.len(), 1);
    assert!(found[0].0.starts_with("/data"), "{}", found[0].0);
    assert!(found[0].0.len() < 1000);
}

/// The walk over descriptions remembers no more than it may, and says so.
#[test]
fn described_values_take_no_more_than_they_may() {
    let _turn = turn();
    let definitions: serde_json::Map<String, Value> = (0..1_500)
        .map(|i| (format!("d{i}"), json!({ "description": "d" })))
        .collect();
    let all: Vec<Value> = (0..1_500)
        .map(|i| json!({ "$ref": format!("#/$defs/d{i}") }))
        .collect();
    let groups: Vec<Value> = all
        .chunks(64)
        .map(|some| json!({ "allOf": some }))
        .collect();
    let property = json!({ "items": { "allOf": groups } });
    let pipeline = data_stage(property, Value::Object(definitions));
    let text = candidate(&json!(vec![0; 15_000]));
    let (outcome, peak) = peak_of(|| pipeline.accept_candidate(&text, &Budget::unlimited()));
    assert!(peak < FEW_BYTES, "{peak}");
    assert_eq!(outcome.map(|_| ()), Err(Exhausted));
    // What ends in that way is a limit for its caller.
    assert_eq!(pipeline.exhausted().code(), ErrorCode::LimitExceeded);
}
