//! The JSON Schema test suites: every group whose schema is accepted gives the expected verdicts
//! when its schema stands under a property `v`; the groups that are refused are listed with the
//! reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use intent_runtime::Limits;
use intent_runtime::budget::Budget;
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::schema::{Origin, Schema};
use serde_json::{Map, Value, json};

const READ_LIMITS: ReadLimits = ReadLimits {
    depth: 512,
    nodes: 1_000_000,
};

/// Groups whose verdict docs/schema.md decides otherwise, with the reason.
const DECIDED_OTHERWISE: &[(&str, &str)] = &[
    (
        "draft2020-12/format.json",
        "formats are asserted in every dialect",
    ),
    (
        "draft7/format.json",
        "formats are asserted in every dialect",
    ),
    (
        "draft7/optional/content.json",
        "contentEncoding and contentMediaType are annotations",
    ),
];

fn suites() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites/json-schema/tests");
    root.is_dir().then_some(root)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "json") {
            found.push(path);
        }
    }
}

/// The schema with its local references led to where it will stand.
fn rebased(schema: &Value) -> Value {
    const NAMED: &[&str] = &[
        "properties",
        "patternProperties",
        "definitions",
        "$defs",
        "dependentSchemas",
        "dependencies",
    ];
    let Value::Object(map) = schema else {
        return match schema {
            Value::Array(list) => list.iter().map(rebased).collect(),
            other => other.clone(),
        };
    };
    let entries = map.iter().map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("$ref", Value::String(target)) if target.starts_with('#') => {
                json!(format!("#/properties/v{}", &target[1..]))
            }
            ("enum" | "const" | "default" | "examples", data) => data.clone(),
            (key, Value::Object(named)) if NAMED.contains(&key) => Value::Object(
                named
                    .iter()
                    .map(|(name, schema)| (name.clone(), rebased(schema)))
                    .collect(),
            ),
            (_, value) => rebased(value),
        };
        (key.clone(), value)
    });
    Value::Object(entries.collect::<Map<_, _>>())
}

fn budget() -> Budget {
    Budget::until(Instant::now() + Duration::from_secs(30))
}

/// What was left out, by reason, and what went wrong.
#[derive(Default)]
struct Tally {
    groups: usize,
    tests: usize,
    refused: BTreeMap<String, Vec<String>>,
    unreadable: usize,
    wrong: Vec<String>,
}

fn reason(message: &str) -> String {
    // The part behind the place; names of one kind are one reason.
    for (mark, reason) in [
        ("\"$dynamicRef\"", "$dynamicRef"),
        ("\"$dynamicAnchor\"", "$dynamicAnchor"),
        ("\"$anchor\"", "$anchor"),
        ("\"$vocabulary\"", "$vocabulary"),
        (
            "only references inside the schema",
            "$ref to another document or an anchor",
        ),
        (
            "does not point at a schema",
            "$ref to what is no schema position",
        ),
        ("unknown keyword", "unknown keyword"),
        (
            "unknown format",
            "format that is not asserted, without a pattern",
        ),
        ("is no keyword of", "keyword of the other dialect"),
        ("cannot name another dialect", "$schema below the root"),
        (
            "without consuming any data",
            "$ref cycle that consumes no data",
        ),
        ("the pattern", "pattern"),
        ("only Draft-7", "$schema of another dialect"),
    ] {
        if message.contains(mark) {
            return reason.to_owned();
        }
    }
    message.to_owned()
}

fn run(folder: &str, dialect: &str) -> Option<Tally> {
    let Some(root) = suites() else {
        eprintln!("skipped: ../shared/suites/json-schema is not there");
        return None;
    };
    let limits = Limits {
        max_schema_depth: 64,
        ..Limits::default()
    };
    let mut paths = Vec::new();
    files(&root.join(folder), &mut paths);
    let mut tally = Tally::default();
    for path in paths {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let groups: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        for group in &groups {
            let title = format!("{name}: {}", group["description"].as_str().unwrap());
            if let Some((_, why)) = DECIDED_OTHERWISE.iter().find(|(file, _)| *file == name) {
                tally
                    .refused
                    .entry((*why).to_owned())
                    .or_default()
                    .push(title);
                continue;
            }
            let inner = rebased(&group["schema"]);
            let outer = json!({
                "$schema": dialect,
                "type": "object",
                "properties": { "v": inner, "w": {} },
                "required": ["v"],
            });
            let schema = match Schema::from_value(outer, Origin::Json, &limits) {
                Ok(schema) => schema,
                Err(error) => {
                    let why = reason(error.message());
                    tally.refused.entry(why).or_default().push(title);
                    continue;
                }
            };
            tally.groups += 1;
            let selection = schema.select(&["v"]).unwrap();
            // What a model is shown must say the same: as a schema of its own, and inside the
            // envelope.
            let shown: Value = serde_json::from_str(selection.json()).unwrap();
            let again = Schema::from_value(shown, Origin::Json, &limits)
                .unwrap_or_else(|e| panic!("{title}: {e} in {}", selection.json()));
            let again = again.select(&["v"]).unwrap();
            let envelope: Value = serde_json::from_str(
                &selection
                    .output_schema(intent_runtime::ProofForm::Full, 0)
                    .text,
            )
            .unwrap();
            let envelope =
                Schema::from_value(envelope, Origin::Json, &limits).unwrap_or_else(|e| {
                    panic!(
                        "{title}: {e} in {}",
                        selection
                            .output_schema(intent_runtime::ProofForm::Full, 0)
                            .text
                    )
                });
            let envelope = envelope.select(&["data"]).unwrap();
            for test in group["tests"].as_array().unwrap() {
                let text = json!({ "v": test["data"] }).to_string();
                let wrapped = format!("{{\"data\":{text}}}");
                let (Ok(data), Ok(wrapped)) =
                    (read(&text, READ_LIMITS), read(&wrapped, READ_LIMITS))
                else {
                    tally.unreadable += 1;
                    continue;
                };
                tally.tests += 1;
                let valid = test["valid"].as_bool().unwrap();
                let what = format!("{title}: {}", test["description"].as_str().unwrap());
                for (which, selection, data) in [
                    ("snapshot", &selection, &data),
                    ("selectedSchema", &again, &data),
                    ("outputSchema", &envelope, &wrapped),
                ] {
                    let faults = selection.faults(data, &budget(), 10).unwrap();
                    if faults.is_empty() != valid {
                        tally
                            .wrong
                            .push(format!("{which}: {what}: want {valid}, got {faults:?}"));
                    }
                    if which == "snapshot" && !valid {
                        for (pointer, _) in &faults {
                            assert!(
                                wrapped.resolve(pointer).is_some(),
                                "{what}: {pointer} resolves to nothing"
                            );
                        }
                    }
                    selection.described_paths(data, &budget()).unwrap();
                }
            }
        }
    }
    eprintln!(
        "{folder}: {} groups with {} tests, {} data that strict JSON refuses; refused groups:",
        tally.groups, tally.tests, tally.unreadable
    );
    for (why, titles) in &tally.refused {
        eprintln!("  {why} ({})", titles.len());
        for title in titles {
            eprintln!("    {title}");
        }
    }
    Some(tally)
}

#[test]
fn draft7() {
    if let Some(tally) = run("draft7", "http://json-schema.org/draft-07/schema#") {
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        assert!(
            tally.groups >= 260,
            "only {} groups are accepted",
            tally.groups
        );
        assert!(
            tally.tests >= 1330 && tally.unreadable <= 13,
            "{} tests ran, and {} data were not read",
            tally.tests,
            tally.unreadable
        );
    }
}

#[test]
fn draft2020_12() {
    if let Some(tally) = run(
        "draft2020-12",
        "https://json-schema.org/draft/2020-12/schema",
    ) {
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        assert!(
            tally.groups >= 350,
            "only {} groups are accepted",
            tally.groups
        );
        assert!(
            tally.tests >= 1690 && tally.unreadable <= 13,
            "{} tests ran, and {} data were not read",
            tally.tests,
            tally.unreadable
        );
    }
}
