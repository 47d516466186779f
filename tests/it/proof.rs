//! Both forms of proof come to the same: every data vector of the tests, rewritten from the full
//! form to the brief one.

use std::sync::Arc;

use intent_runtime::budget::Budget;
use intent_runtime::definition::Definition;
use intent_runtime::executor::strict::meets_strict_mode;
use intent_runtime::materials::Materials;
use intent_runtime::pipeline::{Pipeline, Transition};
use intent_runtime::schema::Origin;
use intent_runtime::{Limits, ProofForm, Request, Stage};
use serde_json::{Map, Value, json};

const CORE: &str = r#"{"normalizedInput":"n","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;

fn in_data_stage(schema: &Value, request: Request, form: ProofForm) -> Option<Pipeline> {
    let schema = Some((schema.clone(), Origin::Json));
    let definition = Definition::new("en", schema, 1, Limits::default())
        .ok()?
        .with_proof(form);
    let materials = Materials::new(&definition, request).ok()?;
    let (core, _) = Pipeline::start(Arc::new(definition), materials).ok()?;
    match core.accept_candidate(CORE, &Budget::unlimited()) {
        Ok(Transition::Ask(data, _)) if data.stage() == Stage::Data => Some(data),
        _ => None,
    }
}

/// A candidate of the full form in the brief one; `None` where it says what that form cannot.
fn brief(full: &Value) -> Option<Value> {
    let list = |key: &str| full.get(key)?.as_array().cloned();
    let below = |path: &Value| path.as_str()?.strip_prefix("/data").map(str::to_owned);
    let mut quotes = Vec::new();
    for entry in list("evidence")? {
        let path = below(&entry["path"])?;
        for source in entry["sources"].as_array()? {
            quotes.push(
                json!({ "path": path, "source": source["sourceId"], "quote": source["quote"] }),
            );
        }
    }
    let mut notes = Vec::new();
    for check in list("descriptionChecks")? {
        if check["verdict"] != "satisfied" {
            notes.push(json!({ "path": below(&check["path"])?, "kind": check["verdict"], "why": check["explanation"] }));
        }
    }
    for issue in list("issues")? {
        let path = match &issue["path"] {
            Value::Null => Value::Null,
            path => below(path)?.into(),
        };
        notes.push(json!({ "path": path, "kind": issue["code"], "why": issue["message"] }));
    }
    for result in list("fieldResults")? {
        if result["status"] == "not_applicable" {
            notes.push(json!({ "path": below(&result["path"])?, "kind": "not_applicable", "why": result["explanation"] }));
        }
    }
    Some(json!({ "data": full["data"], "quotes": quotes, "notes": notes }))
}

/// What comes of a candidate, without pointers into it.
fn outcome(pipeline: &Pipeline, candidate: &Value) -> Value {
    match pipeline
        .accept_candidate(&candidate.to_string(), &Budget::unlimited())
        .unwrap()
    {
        Transition::Done(result) => json!({ "result": *result }),
        Transition::Ask(next, _) => json!({ "refused": next.repair().is_some() }),
        Transition::Failed(error) => {
            json!({ "error": error.code().as_str(), "issues": error.issues(), "data": error.data(), "missing": error.missing() })
        }
    }
}

/// The texts of a candidate that are no JSON here: `$repeat` and its kin make long ones.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.keys().all(|key| {
                !key.starts_with('$')
                    || key.starts_with("$ref")
                    || key.starts_with("$defs")
                    || key.starts_with("$schema")
            }) && map.values().all(is_plain)
        }
        Value::Array(list) => list.iter().all(is_plain),
        _ => true,
    }
}

#[test]
fn every_vector_has_the_same_outcome_in_both_forms() {
    let file: Value =
        serde_json::from_str(include_str!("../../__test__/data/parse-vectors.json")).unwrap();
    let pieces = &file["pieces"];
    let put = |value: &Value| match value.get("$piece").and_then(Value::as_str) {
        Some(name) => pieces[name].clone(),
        None => value.clone(),
    };
    let (mut compared, mut accepted, mut failed) = (0, 0, 0);
    for vector in file["vectors"].as_array().unwrap() {
        let Some(candidate) = vector["candidates"].as_array().and_then(|all| all.get(1)) else {
            continue;
        };
        let (candidate, schema) = (put(candidate), put(&vector["config"]["schema"]));
        if !is_plain(&candidate) || !is_plain(&schema) || !schema.is_object() {
            continue;
        }
        let request = Request::from_value(vector["request"].clone()).evidence(true);
        let (Some(full), Some(short)) = (
            in_data_stage(&schema, request.clone(), ProofForm::Full),
            in_data_stage(&schema, request, ProofForm::Brief),
        ) else {
            continue;
        };
        let Some(rewritten) = brief(&candidate) else {
            continue;
        };
        let left = outcome(&full, &candidate);
        let right = outcome(&short, &rewritten);
        // Faults of what the brief form does not write are none in it.
        if left.get("refused").is_some() && right.get("refused").is_none() {
            let own = ["evidence", "descriptionChecks", "fieldResults", "issues"];
            let told = match full
                .accept_candidate(&candidate.to_string(), &Budget::unlimited())
                .unwrap()
            {
                Transition::Ask(next, _) => next.repair().unwrap().diagnostic.to_string(),
                other => panic!("{other:?}"),
            };
            let only_own = told.lines().all(|line| {
                own.iter().any(|key| line.contains(key))
                    || line.contains("evidence")
                    || line.contains("status")
            });
            assert!(only_own && !told.is_empty(), "{}: {told}", vector["name"]);
            continue;
        }
        compared += 1;
        accepted += usize::from(left.get("result").is_some());
        failed += usize::from(left.get("error").is_some());
        assert_eq!(left, right, "{}\n{candidate}\n{rewritten}", vector["name"]);
    }
    assert!(
        compared >= 30 && accepted >= 12 && failed >= 4,
        "{compared} {accepted} {failed}"
    );
}

#[test]
fn what_the_brief_form_leaves_out_is_found() {
    let schema = json!({ "type": "object", "properties": { "v": {} } });
    let said = |input: &str, context: Option<&str>, candidate: Value| {
        let mut request = Request::new(input).evidence(true);
        if let Some(context) = context {
            request = request.background(context);
        }
        let pipeline = in_data_stage(&schema, request, ProofForm::Brief).unwrap();
        match pipeline
            .accept_candidate(&candidate.to_string(), &Budget::unlimited())
            .unwrap()
        {
            Transition::Done(result) => Ok(result.evidence.clone().unwrap()),
            Transition::Ask(next, _) => Err(next.repair().unwrap().diagnostic.to_string()),
            Transition::Failed(error) => Err(error.to_string()),
        }
    };
    let data = |value: Value| json!({ "data": { "v": value } });
    let found = said("order 000123", None, data(json!("000123"))).unwrap();
    assert_eq!(
        (found[0].mode.as_str(), found[0].spans[0].start),
        ("exact", 6)
    );
    assert_eq!(
        said("3 of 1,234.5", None, data(json!(3))).unwrap()[0].spans[0].quote,
        "3"
    );
    assert!(said("a list", Some("order 000123"), data(json!("000123"))).is_ok());
    for (input, context, candidate, word) in [
        (
            "order 000123",
            None,
            data(json!("123")),
            "stands in no source",
        ),
        (
            "order 000123",
            None,
            data(json!("000124")),
            "stands in no source",
        ),
        (
            "order 000123",
            Some("000123?"),
            data(json!("000123")),
            "several sources",
        ),
        (
            "3 of 1,234.5",
            None,
            data(json!(234)),
            "stands in no source",
        ),
        ("3 of 1,234.5", None, data(json!(5)), "stands in no source"),
        ("cancel", None, data(json!(true)), "quotes must say"),
        ("cancel", None, data(json!({})), "quotes must say"),
        ("cancel", None, json!({}), "\"data\" is missing"),
        (
            "cancel",
            None,
            json!({ "data": {}, "evidence": [] }),
            "unknown key",
        ),
        (
            "cancel",
            None,
            json!({ "data": { "v": true }, "quotes": [{ "path": "/v", "source": "input", "quote": "canc" }] }),
            "whole words",
        ),
        (
            "cancel",
            None,
            json!({ "data": { "v": true }, "quotes": [{ "path": "/w", "source": "input", "quote": "cancel" }] }),
            "points at nothing",
        ),
        (
            "cancel",
            None,
            json!({ "data": {}, "notes": [{ "path": "/v", "kind": "violated", "why": "w" }] }),
            "path of a value",
        ),
        (
            "cancel",
            None,
            json!({ "data": {}, "notes": [{ "path": "/w", "kind": "not_applicable", "why": "w" }] }),
            "not in data",
        ),
        (
            "cancel",
            None,
            json!({ "data": {}, "notes": [{ "path": "/w", "kind": "DATA_CONFLICT", "why": "w" }] }),
            "must be null",
        ),
        (
            "cancel",
            None,
            json!({ "data": {}, "notes": [{ "path": "/v", "kind": "DATA_SOURCE_INVALID", "why": "w" }] }),
            "must be one of",
        ),
    ] {
        let told = said(input, context, candidate.clone()).unwrap_err();
        assert!(told.contains(word), "{candidate}: {told}");
    }
}

#[test]
fn a_null_stands_for_an_absent_optional_property() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string" }, "b": { "type": ["string", "null"] }, "c": { "type": "string" },
        "o": { "type": "object", "properties": { "x": { "type": "string" }, "y": { "type": "integer" } }, "required": ["y"], "additionalProperties": false },
    }, "required": ["c"] });
    let said = |data: Value, quotes: Value| {
        let request = Request::new("word 7");
        let pipeline = in_data_stage(&schema, request, ProofForm::Brief).unwrap();
        let candidate = json!({ "data": data, "quotes": quotes, "notes": [] });
        match pipeline
            .accept_candidate(&candidate.to_string(), &Budget::unlimited())
            .unwrap()
        {
            Transition::Done(result) => Ok(Value::Object(result.data.clone())),
            Transition::Ask(next, _) => Err(next.repair().unwrap().diagnostic.to_string()),
            Transition::Failed(error) => Err(error.to_string()),
        }
    };
    let quote = json!([{ "path": "/b", "source": "input", "quote": "word" }]);
    assert_eq!(
        said(
            json!({ "a": null, "b": null, "c": "word", "o": { "x": null, "y": 7 } }),
            quote
        )
        .unwrap(),
        json!({ "b": null, "c": "word", "o": { "y": 7 } }),
    );
    // A required one is no string.
    assert!(said(json!({ "c": null }), json!([])).is_err());
}

/// OpenAI's documented rules for strict mode, read once more and without the first reading.
fn is_strict(schema: &Value) -> bool {
    fn objects(schema: &Value, good: &mut bool) {
        if let Value::Object(map) = schema {
            let is_schema =
                map.contains_key("type") || map.contains_key("anyOf") || map.contains_key("$ref");
            if is_schema
                && map.get("type").is_some_and(|t| {
                    t == "object" || t.as_array().is_some_and(|t| t.contains(&json!("object")))
                })
            {
                let names: Vec<&String> = map
                    .get("properties")
                    .and_then(Value::as_object)
                    .map(|p| p.keys().collect())
                    .unwrap_or_default();
                let required: Vec<&str> = map
                    .get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                *good &= map.get("additionalProperties") == Some(&json!(false));
                *good &= names.len() == required.len()
                    && names.iter().all(|name| required.contains(&name.as_str()));
            }
            for keyword in [
                "oneOf",
                "allOf",
                "not",
                "if",
                "patternProperties",
                "minLength",
                "maxLength",
                "uniqueItems",
            ] {
                *good &= !(is_schema && map.contains_key(keyword));
            }
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("enum" | "const" | "required", _) => {}
                    ("properties" | "$defs" | "definitions", Value::Object(map)) => {
                        map.values().for_each(|schema| objects(schema, good));
                    }
                    ("anyOf", Value::Array(list)) => {
                        list.iter().for_each(|schema| objects(schema, good));
                    }
                    (_, value) => objects(value, good),
                }
            }
        }
    }
    let mut good = schema["type"] == "object";
    objects(schema, &mut good);
    good
}

#[test]
fn schemas_with_optional_fields_go_out_strict() {
    let text = json!({ "type": "string" });
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let mut schemas = Vec::new();
    for required in [json!([]), json!(["a"]), json!(["a", "b"])] {
        for property in [
            text.clone(),
            json!({ "type": "integer", "minimum": 1, "maximum": 9 }),
            json!({ "type": "string", "enum": ["x", "y"] }),
            json!({ "type": "string", "const": "x" }),
            json!({ "type": ["string", "null"] }),
            json!({ "type": "array", "items": { "type": "string" } }),
            json!({ "type": "string", "format": "date", "description": "d" }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] }),
            object(
                json!({ "x": text, "y": { "type": "boolean" } }),
                json!(["x"]),
            ),
            json!({ "type": "array", "items": object(json!({ "x": text }), json!([])) }),
            json!({ "type": "string", "pattern": "^[0-9]{6}$" }),
            json!({ "$ref": "#/$defs/d" }),
        ] {
            let mut schema = object(json!({ "a": property, "b": text }), required.clone());
            schema["$defs"] = json!({ "d": object(json!({ "x": text, "y": text }), json!(["y"])) });
            schemas.push(schema);
        }
    }
    let mut strict = 0;
    for schema in &schemas {
        for form in [ProofForm::Full, ProofForm::Brief] {
            let pipeline = in_data_stage(schema, Request::new("x"), form).unwrap();
            let selection = pipeline.materials().selection().unwrap();
            let sent = selection.output_schema(form, 0);
            let both = serde_json::from_str(&sent.text).unwrap();
            assert_eq!(
                meets_strict_mode(&sent.text),
                is_strict(&both),
                "{schema}\n{both}"
            );
            strict += usize::from(is_strict(&both));
        }
    }
    let share = strict as f64 / (2 * schemas.len()) as f64;
    assert!(share >= 0.9, "{share}");
}

/// What is fixed for an instance stands first, whatever a request says.
#[test]
fn requests_of_an_instance_begin_alike() {
    let schema = json!({ "type": "object", "properties": { "v": { "type": "string", "description": "The value." } } });
    let definition =
        Definition::new("en", Some((schema, Origin::Json)), 1, Limits::default()).unwrap();
    let definition = Arc::new(definition.with_proof(ProofForm::Brief));
    let mut payloads: Vec<Arc<str>> = Vec::new();
    for i in 0..1000 {
        let request = Request::new(format!("request {i}"));
        let materials = Materials::new(&definition, request).unwrap();
        let (core, _) = Pipeline::start(Arc::clone(&definition), materials).unwrap();
        let Transition::Ask(_, request) =
            core.accept_candidate(CORE, &Budget::unlimited()).unwrap()
        else {
            panic!("data")
        };
        payloads.push(request.payload.clone());
    }
    let fixed = payloads[0].find(",\"context\":").unwrap();
    assert!(payloads[0][..fixed].contains("The value."));
    assert!(
        payloads
            .iter()
            .all(|payload| payload[..fixed] == payloads[0][..fixed])
    );
}

/// Core candidates of the brief form.
#[test]
fn blockers_may_be_null() {
    let item = json!({ "action": "query", "target": null, "requirements": [], "blockers": null });
    let mut core: Map<String, Value> = serde_json::from_str(CORE).unwrap();
    core.insert("intents".to_owned(), json!([item]));
    for (form, passes) in [(ProofForm::Full, false), (ProofForm::Brief, true)] {
        let definition = Definition::new("en", None, 1, Limits::default())
            .unwrap()
            .with_proof(form);
        let materials = Materials::new(&definition, Request::new("x")).unwrap();
        let (pipeline, request) = Pipeline::start(Arc::new(definition), materials).unwrap();
        assert!(meets_strict_mode(&request.output_schema.text));
        assert_eq!(
            request
                .instructions
                .contains("null when nothing stands in the way"),
            passes
        );
        let done = pipeline.accept_candidate(
            &Value::Object(core.clone()).to_string(),
            &Budget::unlimited(),
        );
        assert_eq!(matches!(done, Ok(Transition::Done(_))), passes);
    }
}
