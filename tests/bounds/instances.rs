//! What an instance may keep, and that its outcomes are the same at each time.

use std::time::{Duration, Instant};

use intent_runtime::budget::Budget;
use intent_runtime::json::{Node, ReadLimits, read};
use intent_runtime::pipeline::Transition;
use intent_runtime::schema::{Origin, Schema};
use intent_runtime::{IntentError, Limits, ProofForm};
use serde_json::{Map, Value, json};

use crate::candidates::{candidate, data_stage};
use crate::counting::{live, peak_of, turn};

fn parsed(text: &str) -> Node<'_> {
    let limits = ReadLimits {
        depth: 64,
        nodes: 100_000,
    };
    read(text, limits).unwrap()
}

/// Schemas of which an instance keeps more than the aim of 40 times their bytes and 4 MiB, with what
/// it may keep: nearly all of it is in the validators of thousands of small schemas.
const OVER: &[(&str, usize)] = &[("negations of bounds", 10 << 20)];

/// Takes a candidate, so that everything is compiled.
fn used(schema: Value, text: &str) -> Result<Schema, IntentError> {
    let schema = Schema::from_value(schema, Origin::Json, &Limits::default())?;
    let fields: Vec<&str> = schema.fields().collect();
    let selection = schema.select(&fields)?;
    let (json, output) = (
        selection.json().len(),
        selection.output_schema(ProofForm::Full, 0).text.len(),
    );
    assert!(json < output);
    let node = parsed(text);
    let soon = || Budget::until(Instant::now() + Duration::from_secs(20));
    // Giving up is an answer here; what was compiled for it is measured all the same.
    let described = selection.described_paths(&node, &soon());
    let faults = selection.faults(&node, &soon(), 64);
    println!(
        "{:?} described, {:?} faults",
        described.map(|all| all.len()),
        faults.map(|all| all.len())
    );
    Ok(schema)
}

/// Fields whose alternatives all lead to the same definitions and all have to be decided.
fn branching(fields: usize, branches: usize, definitions: usize) -> Value {
    let definition = |i: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", (i + 1) % definitions) });
        json!({
            "type": "object",
            "description": "d",
            "additionalProperties": next,
            "propertyNames": { "pattern": "^[a-z0-9]+$" },
        })
    };
    let all: Map<String, Value> = (0..definitions)
        .map(|i| (format!("d{i}"), definition(i)))
        .collect();
    let branch = |i: usize| {
        json!({
            "description": "d",
            "minProperties": i % 3,
            "additionalProperties": { "$ref": format!("#/$defs/d{}", i % definitions) },
        })
    };
    let properties: Map<String, Value> = (0..fields)
        .map(|field| {
            let of: Vec<Value> = (0..branches).map(|i| branch(field + i)).collect();
            (format!("f{field}"), json!({ "anyOf": of }))
        })
        .collect();
    json!({ "type": "object", "properties": properties, "$defs": all })
}

/// Names, references, literals and patterns of every kind, as many as a schema may have.
fn schemas() -> Vec<(&'static str, Value)> {
    let of = |property: Value| json!({ "type": "object", "properties": { "v": property } });
    let many = |count: usize, one: &dyn Fn(usize) -> Value| -> Vec<Value> {
        (0..count).map(one).collect()
    };
    let named = |count: usize, name: &dyn Fn(usize) -> String, one: Value| -> Map<String, Value> {
        (0..count).map(|i| (name(i), one.clone())).collect()
    };
    let long = "k".repeat(60_000);
    let groups = |count: usize, one: &dyn Fn(usize) -> Value| -> Value {
        let grouped = |schemas: Vec<Value>, keyword: &str| -> Vec<Value> {
            let groups = schemas.chunks(64);
            groups.map(|some| json!({ keyword: some })).collect()
        };
        let all = grouped(many(count, one), "anyOf");
        json!({ "allOf": grouped(all, "allOf") })
    };
    vec![
        ("branches that share definitions", branching(20, 40, 10)),
        ("a ring of definitions", branching(4, 4, 250)),
        (
            "schemas below a long name",
            of(
                json!({ "properties": { long.as_str(): groups(2_500, &|_| json!({ "type": "string" })) } }),
            ),
        ),
        (
            "short strings to choose from",
            of(json!({ "enum": many(17_000, &|i| json!(format!("{i:x}"))) })),
        ),
        (
            "many small choices",
            of(groups(4_500, &|i| json!({ "enum": [i, "a", "b", "c"] }))),
        ),
        (
            "constants",
            of(groups(7_000, &|i| json!({ "const": format!("{i}") }))),
        ),
        (
            "described alternatives",
            of(groups(
                3_000,
                &|i| json!({ "description": "d", "minLength": i }),
            )),
        ),
        (
            "patterns",
            of(groups(5_500, &|i| json!({ "pattern": format!("^a{i}?") }))),
        ),
        (
            "counted patterns",
            of(groups(
                3_000,
                &|i| json!({ "pattern": format!("(?:ab){{{}}}", 50 + i) }),
            )),
        ),
        (
            "patterns of letters",
            of(groups(
                350,
                &|i| json!({ "pattern": format!("[\\p{{L}}{i}]") }),
            )),
        ),
        (
            "patterns of names",
            of(
                json!({ "patternProperties": named(256, &|i| format!("^a{i}"), json!({ "type": "null" })) }),
            ),
        ),
        (
            "properties",
            of(
                json!({ "properties": named(255, &|i| format!("p{i}"), json!({ "type": "string", "description": "d" })) }),
            ),
        ),
        (
            "required names",
            of(json!({ "required": many(15_000, &|i| json!(format!("{i:x}"))) })),
        ),
        ("types", of(groups(6_000, &|_| json!({ "type": "string" })))),
        ("bounds", of(groups(7_000, &|i| json!({ "minimum": i })))),
        (
            "multiples",
            of(groups(6_000, &|i| json!({ "multipleOf": i + 1 }))),
        ),
        (
            "dependent names",
            of(groups(
                3_500,
                &|i| json!({ "dependentRequired": { format!("{i}"): ["a"] } }),
            )),
        ),
        (
            "items",
            of(groups(4_500, &|i| json!({ "items": { "maximum": i } }))),
        ),
        (
            "references to one definition",
            json!({
                "type": "object",
                "properties": { "v": groups(5_500, &|_| json!({ "$ref": "#/$defs/a" })) },
                "$defs": { "a": { "type": "null" } },
            }),
        ),
        (
            "choices by position",
            of(json!({ "prefixItems": many(5_000, &|i| json!({ "enum": [i, "a", "b"] })) })),
        ),
        (
            "strings by position",
            of(json!({ "prefixItems": many(5_000, &|_| json!({ "enum": ["c", "a", "b"] })) })),
        ),
        (
            "single choices by position",
            of(json!({ "prefixItems": many(6_000, &|i| json!({ "enum": [i] })) })),
        ),
        (
            "constants by position",
            of(json!({ "prefixItems": many(6_000, &|i| json!({ "const": i })) })),
        ),
        (
            "negations",
            of(groups(4_500, &|i| json!({ "not": { "const": i } }))),
        ),
        (
            "negations of types",
            of(groups(4_500, &|_| json!({ "not": { "type": "string" } }))),
        ),
        (
            "negations of bounds",
            of(groups(4_500, &|i| json!({ "not": { "minimum": i } }))),
        ),
        (
            "conditions of types",
            of(groups(
                2_500,
                &|i| json!({ "if": { "type": "string" }, "then": { "minLength": i } }),
            )),
        ),
        (
            "exclusive formats",
            of(
                json!({ "items": { "items": groups(3_500, &|i| json!({ "format": "date", "minLength": i })) } }),
            ),
        ),
        (
            "conditions",
            of(groups(
                2_500,
                &|i| json!({ "if": { "const": i }, "then": false }),
            )),
        ),
        (
            "formats to choose from",
            of(groups(6_000, &|_| json!({ "format": "date" }))),
        ),
        ("empty schemas", of(groups(30_000, &|_| json!({})))),
        (
            "one pattern of alternatives",
            of(json!({ "pattern": (0..20_000).map(|i| format!("{i:x}|")).collect::<String>() })),
        ),
        (
            "one pattern of choices",
            of(json!({ "pattern": "a?b?".repeat(30_000) })),
        ),
        (
            "nested choices",
            of(json!({ "pattern": format!("{}{}", "(?:a?".repeat(240), ")*".repeat(240)) })),
        ),
    ]
}

#[test]
fn an_instance_keeps_no_more_than_its_schema_allows() {
    let _turn = turn();
    let text = r#"{"v":{"a":"b","c":[1,2,{"d":"e"}]},"f0":{"b0":{"next":{"name":"x"}}},"f1":1}"#;
    let (mut told, mut refused) = (String::new(), Vec::new());
    for (name, schema) in schemas() {
        let written = schema.to_string();
        let bytes = written.len();
        let before = live();
        let (used, peak) = peak_of(|| used(schema, text));
        // Measured by what goes with the instance: the caller's own copy of the schema, which ends
        // in `used`, must not be set off against it.
        let with_it = live();
        let outcome = used.map(drop);
        let kept = with_it.saturating_sub(live());
        let shared = live().saturating_sub(before);
        let over = OVER.iter().find(|(over, _)| *over == name);
        let most = over.map_or(40 * bytes + (4 << 20), |(_, most)| *most);
        if kept > most || peak > 160 << 20 {
            told += &format!("{name}: {bytes} bytes, {kept} kept of {most}, {peak} at most\n");
        }
        println!(
            "{name}: {bytes} bytes, {kept} kept of {most} ({}), {shared} for all, {peak} at most, {outcome:?}",
            kept / bytes,
        );
        if let Err(error) = outcome {
            refused.push((name, error.code()));
        }
    }
    // A schema that is refused keeps nothing, so a refusal of the others would pass for a good end.
    assert_eq!(refused, []);
    assert!(told.is_empty(), "{told}");
}

/// The first time compiles, which takes no part in the time that is allowed.
#[test]
fn an_outcome_does_not_depend_on_how_often_one_asks() {
    let _turn = turn();
    let schema = branching(10, 40, 60);
    let definitions = schema["$defs"].clone();
    let fields = json!({ "properties": schema["properties"] });
    let outcomes: Vec<String> = {
        let pipeline = data_stage(fields, definitions);
        let text = candidate(&json!({ "f0": { "b0": { "next": { "NAME": "X" } } } }));
        (0..3)
            .map(|_| {
                // As much time as this takes when all is compiled, many times over.
                let budget = Budget::until(Instant::now() + Duration::from_secs(5));
                match pipeline.accept_candidate(&text, &budget) {
                    Ok(Transition::Ask(next, _)) => next.repair().unwrap().diagnostic.to_string(),
                    other => panic!("{other:?}"),
                }
            })
            .collect()
    };
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[1], outcomes[2]);
}
