//! Data candidates under random schemas and materials, against a second reading of the
//! rules in docs/candidates.md and docs/evidence.md, and each against its brief form.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use intent_runtime::budget::Budget;
use intent_runtime::definition::Definition;
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::materials::Materials;
use intent_runtime::pipeline::{Pipeline, Transition};
use intent_runtime::schema::Origin;
use intent_runtime::{
    ContextMessage, ErrorCode, EvidenceLevel, EvidencePolicy, IntentResult, Limits, ProofForm,
    Request, Role, Stage,
};
use serde_json::{Map, Value, json};

use crate::bytes::Bytes;
use crate::core::{members, text};
use crate::evidence::{Level, binds, has_long_run, places, says_something};

const CORE: &str = r#"{"normalizedInput":"n","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;
const INPUT: &str = "a ab 中文 é 0 \u{1f600} 0001 0002, 三本 12345678 １２ a dozen 7";

/// What may be said and quoted besides the texts of other targets.
const SAID: &[&str] = &[
    "0001",
    "0002",
    "0001 0002",
    "00010002",
    "12345678",
    "5678",
    "1234",
    "三本",
    "dozen",
    "a dozen",
    "7",
    "１２",
    "三本 12345678",
    "45 7",
    "000",
    "1",
];

fn said(bytes: &mut Bytes<'_>) -> &'static str {
    if bytes.one_in(2) {
        bytes.pick(SAID)
    } else {
        bytes.text()
    }
}
const FIELDS: [&str; 3] = ["a", "b", "a/b"];

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let newer = bytes.one_in(2);
    let mut schema = match bytes.below(3) {
        0 => json!({ "type": "object", "properties": {
            "a": { "type": "string", "description": "d" },
            "b": { "type": "array", "items": { "type": "object", "description": "item",
                   "properties": { "a": { "description": "inner" } } } },
            "a/b": { "anyOf": [{ "type": "integer", "description": "n" }, { "type": "null" }] },
        }, "required": ["a"] }),
        _ => crate::schema::whole(&mut bytes, newer),
    };
    if bytes.one_in(3) {
        schema["description"] = "the whole".into();
    }
    let fixed = schema["properties"]
        .get("a/b")
        .is_some_and(|s| s.get("anyOf").is_some())
        && schema["properties"]["a"]["description"] == "d";
    let level = bytes.pick(&[Level::Bound, Level::Bound, Level::Any, Level::Exact]);
    let Ok(definition) = Definition::new(
        "en",
        Some((schema.clone(), Origin::Json)),
        1,
        Limits::default(),
    ) else {
        return; // What is refused is the target `schema`'s matter.
    };
    let fields: Vec<&str> = match bytes.below(3) {
        0 => FIELDS.to_vec(),
        1 => vec!["a/b", "a"],
        _ => vec!["b"],
    };
    let context: Vec<ContextMessage> = (0..bytes.below(3))
        .map(|_| ContextMessage {
            role: Role::User,
            content: bytes.text().to_owned(),
        })
        .collect();
    let mut sources = HashMap::from([("input".to_owned(), INPUT.to_owned())]);
    for (i, message) in context.iter().enumerate() {
        sources.insert(format!("context:{i}"), message.content.clone());
    }
    let policy = EvidencePolicy::Everywhere(match level {
        Level::Exact => EvidenceLevel::Exact,
        Level::Bound => EvidenceLevel::Bound,
        Level::Any => EvidenceLevel::Any,
    });
    // Nothing of some schemas can be exact.
    let Ok(definition) = definition.with_evidence(&policy, None) else {
        return;
    };
    let short = Definition::new(
        "en",
        Some((schema.clone(), Origin::Json)),
        1,
        Limits::default(),
    )
    .and_then(|short| short.with_evidence(&policy, None))
    .unwrap()
    .with_proof(ProofForm::Brief);
    let definition = Arc::new(definition);
    let request = Request::new(INPUT)
        .fields(fields.clone())
        .context(context)
        .evidence(true);
    let again = request.clone();
    let materials = Materials::new(&definition, request).unwrap();
    let selection = Arc::clone(materials.selection().unwrap());
    let (pipeline, _) = Pipeline::start(definition, materials).unwrap();
    let budget = Budget::unlimited();
    let Transition::Ask(pipeline, request) = pipeline.accept_candidate(CORE, &budget).unwrap()
    else {
        panic!("the core candidate is good");
    };
    assert_eq!(request.stage, Stage::Data);

    let describe = |data: &Value| -> Vec<String> {
        let text = data.to_string();
        let node = read(&text, READ).unwrap();
        selection.described_paths(&node, &budget).unwrap()
    };
    let mut candidate = candidate(&mut bytes, &fields, &sources, &describe);
    for _ in 0..bytes.below(4) {
        bytes.mutate(&mut candidate);
    }
    let text = if bytes.one_in(8) {
        String::from_utf8_lossy(bytes.rest()).into_owned()
    } else {
        candidate.to_string()
    };
    let required: Vec<&str> = fields
        .iter()
        .copied()
        .filter(|f| selection.is_required(f))
        .collect();
    let expected = read(&text, READ)
        .ok()
        .map(|node| node.to_value())
        .and_then(|candidate| {
            let data = candidate.get("data").filter(|data| data.is_object())?;
            let described = describe(data);
            let issues = acceptable(&candidate, &fields, &required, &sources, &described, level)?;
            let text = data.to_string();
            let node = read(&text, READ).unwrap();
            let valid = selection.faults(&node, &budget, 1).unwrap().is_empty();
            (!issues.is_empty() || valid).then(|| (data.clone(), issues))
        });

    // What stands for an absent property is taken out, and what a schema gives is its own matter.
    if let Ok(node) = read(&text, READ) {
        let data = node.to_value()["data"].clone();
        if holds_null(&data) || (!fixed && has_long_run(&data.to_string())) {
            return;
        }
        if level == Level::Exact && data.to_string().contains(|c: char| c.is_ascii_digit()) {
            // Numerals have a table of their own.
            return;
        }
    }
    let outcome = pipeline.accept_candidate(&text, &budget).unwrap();
    same_in_brief(short, again, &text, &outcome);
    match outcome {
        Transition::Done(result) => {
            spans_stand(&result, &sources);
            let (data, issues) = expected.unwrap_or_else(|| panic!("accepted {text}\n{schema}"));
            assert!(issues.is_empty(), "{issues:?} were dropped: {text}");
            assert_eq!(Value::Object(result.data.clone()), data, "{text}");
            assert_eq!(result.normalized_input, "n");
        }
        Transition::Ask(again, request) => {
            assert_eq!(
                expected,
                None,
                "refused {:?}\n{text}\n{schema}",
                again.repair()
            );
            assert_eq!(request.stage, Stage::Data);
            let repair = again.repair().unwrap();
            assert!(
                !repair.diagnostic.is_empty() && repair.diagnostic.len() <= 4096,
                "{text}"
            );
        }
        Transition::Failed(error) => {
            assert!(
                error
                    .partial_result()
                    .is_some_and(|partial| partial.data.is_empty())
            );
            if error.code() == ErrorCode::LimitExceeded {
                return;
            }
            assert_eq!(error.code(), ErrorCode::DataExtractionFailed, "{text}");
            let (_, issues) = expected.unwrap_or_else(|| panic!("issues of {text}\n{schema}"));
            let found = serde_json::to_value(error.issues()).unwrap();
            assert_eq!(found, Value::Array(issues), "{text}");
        }
    }
}

const READ: ReadLimits = ReadLimits {
    depth: 32,
    nodes: 20_000,
};

fn sources_for(
    bytes: &mut Bytes<'_>,
    wanted: Option<&str>,
    sources: &HashMap<String, String>,
) -> Value {
    let quote = match wanted {
        Some(text) if !bytes.one_in(8) => text,
        _ => said(bytes),
    };
    let mut ids: Vec<&String> = sources.keys().collect();
    ids.sort();
    let id = ids
        .iter()
        .rev()
        .find(|id| sources[**id].contains(quote))
        .map_or("input", |id| id.as_str());
    json!([{ "sourceId": id, "quote": if quote.trim().is_empty() { "a" } else { quote } }])
}

fn candidate(
    bytes: &mut Bytes<'_>,
    fields: &[&str],
    sources: &HashMap<String, String>,
    describe: &dyn Fn(&Value) -> Vec<String>,
) -> Value {
    let mut data = Map::new();
    for field in fields {
        match bytes.below(6) {
            0 => drop(data.insert((*field).to_owned(), json!("a"))),
            1 => drop(data.insert((*field).to_owned(), json!(said(bytes)))),
            2 => drop(data.insert((*field).to_owned(), json!([{ "a": "ab" }, { "a": 1 }]))),
            3 | 4 => drop(data.insert((*field).to_owned(), bytes.value(3))),
            _ => {}
        }
    }
    let data = Value::Object(data);
    let mut evidence = Vec::new();
    leaves(&data, "/data", &mut |path, value| {
        let exact = value
            .as_str()
            .filter(|text| INPUT.contains(text) && !text.trim().is_empty());
        evidence.push(json!({
            "path": path,
            "mode": if exact.is_some() && bytes.one_in(2) { "exact" } else { "semantic" },
            "sources": sources_for(bytes, exact, sources),
        }));
    });
    evidence.retain(|entry| entry["path"] != "/data");
    let checks: Vec<Value> = describe(&data)
        .into_iter()
        .map(|path| {
            json!({
                "path": path,
                "verdict": bytes.pick(&["satisfied", "satisfied", "satisfied", "satisfied", "satisfied", "violated", "undetermined"]),
                "explanation": "e",
                "sources": sources_for(bytes, None, sources),
            })
        })
        .collect();
    const ISSUES: &[(&str, &str)] = &[
        ("DATA_REQUIRED_MISSING", "business_information"),
        ("DATA_CONFLICT", "business_information"),
        ("DATA_CARDINALITY_MISMATCH", "definition"),
        ("DATA_SOURCE_INVALID", "processing"),
    ];
    let issues: Vec<Value> = (0..if bytes.one_in(4) {
        1 + bytes.below(2)
    } else {
        0
    })
        .map(|_| {
            let (code, category) = bytes.pick(ISSUES);
            let path = bytes.pick(&[
                json!("/data/a"),
                json!("/data/b/0"),
                json!("/data"),
                Value::Null,
                json!("/data/a~1b"),
            ]);
            json!({ "code": code, "category": category, "path": path, "message": "m" })
        })
        .collect();
    let results: Vec<Value> = fields
        .iter()
        .map(|field| {
            let status = if data.get(field).is_some() {
                "extracted"
            } else if issues.is_empty() {
                bytes.pick(&["not_provided", "not_applicable"])
            } else {
                "issue"
            };
            json!({ "path": format!("/data/{}", field.replace('/', "~1")), "status": status, "explanation": "e" })
        })
        .collect();
    json!({ "data": data, "evidence": evidence, "descriptionChecks": checks,
            "fieldResults": results, "issues": issues })
}

fn leaves(value: &Value, path: &str, leaf: &mut impl FnMut(&str, &Value)) {
    let token = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                leaves(value, &format!("{path}/{}", token(key)), leaf);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (i, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}/{i}"), leaf);
            }
        }
        _ => leaf(path, value),
    }
}

/// RFC 6901, where an index is canonical and a bad escape resolves to nothing.
fn resolve<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer
        .strip_prefix('/')?
        .split('/')
        .try_fold(root, |value, token| {
            let mut name = String::new();
            let mut chars = token.chars();
            while let Some(c) = chars.next() {
                name.push(match c {
                    '~' => match chars.next()? {
                        '0' => '~',
                        '1' => '/',
                        _ => return None,
                    },
                    c => c,
                });
            }
            match value {
                Value::Object(map) => map.get(&name),
                Value::Array(items) => {
                    let index: usize = token.parse().ok()?;
                    (index.to_string() == token).then(|| items.get(index))?
                }
                _ => None,
            }
        })
}

/// The issues of a candidate without a fault in itself; the schema's verdict is apart.
fn acceptable(
    candidate: &Value,
    fields: &[&str],
    required: &[&str],
    sources: &HashMap<String, String>,
    described: &[String],
    level: Level,
) -> Option<Vec<Value>> {
    let [data, evidence, checks, results, issues] = members(
        candidate,
        [
            "data",
            "evidence",
            "descriptionChecks",
            "fieldResults",
            "issues",
        ],
    )?;
    let object = data.as_object()?;
    if !object.keys().all(|key| fields.contains(&key.as_str())) {
        return None;
    }
    let quotes = |listed: &Value| -> Option<Vec<String>> {
        let listed = listed.as_array().filter(|listed| !listed.is_empty())?;
        listed
            .iter()
            .map(|entry| {
                let [id, quote] = members(entry, ["sourceId", "quote"])?;
                let source = sources.get(id.as_str()?)?;
                text(quote)
                    .filter(|quote| says_something(quote))
                    .filter(|quote| !places(source, quote).is_empty())
                    .map(str::to_owned)
            })
            .collect()
    };
    let mut proved = HashSet::new();
    for entry in evidence.as_array()? {
        let [path, mode, listed] = members(entry, ["path", "mode", "sources"])?;
        let path = path.as_str().filter(|path| path.starts_with("/data/"))?;
        let value = resolve(candidate, path)?;
        let quotes = quotes(listed)?;
        match mode.as_str()? {
            "semantic" => {}
            "exact"
                if value
                    .as_str()
                    .is_some_and(|v| quotes.iter().any(|q| q == v)) => {}
            _ => return None,
        }
        let leaf = match value {
            Value::Object(map) => map.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        let listed: Vec<&str> = quotes.iter().map(String::as_str).collect();
        if leaf && binds(level, value, &listed).is_none() {
            return None;
        }
        if !proved.insert(path) {
            return None;
        }
    }
    let mut all = true;
    leaves(data, "/data", &mut |path, _| {
        all &= path == "/data" || proved.contains(path)
    });
    if !all {
        return None;
    }
    let mut judged = HashSet::new();
    let mut found = Vec::new();
    for entry in checks.as_array()? {
        let [path, verdict, explanation, listed] =
            members(entry, ["path", "verdict", "explanation", "sources"])?;
        let path = path
            .as_str()
            .filter(|p| *p == "/data" || p.starts_with("/data/"))?;
        resolve(candidate, path)?;
        quotes(listed)?;
        let code = match verdict.as_str()? {
            "satisfied" => None,
            "violated" => Some("DATA_CONSTRAINT_VIOLATED"),
            "undetermined" => Some("DATA_DESCRIPTION_UNDETERMINED"),
            _ => return None,
        };
        let message = text(explanation)?;
        if let Some(code) = code {
            found.push(
                json!({ "code": code, "category": "definition", "path": path, "message": message }),
            );
        }
        if !judged.insert(path) {
            return None;
        }
    }
    if !described.iter().all(|path| judged.contains(path.as_str())) {
        return None;
    }
    let mut paths = Vec::new();
    for issue in issues.as_array()? {
        let [code, category, path, message] =
            members(issue, ["code", "category", "path", "message"])?;
        let expected = match code.as_str()? {
            "DATA_REQUIRED_MISSING"
            | "DATA_AMBIGUOUS"
            | "DATA_CONFLICT"
            | "DATA_DEPENDENCY_MISSING" => "business_information",
            "DATA_CARDINALITY_MISMATCH"
            | "DATA_VALUE_UNREPRESENTABLE"
            | "DATA_CONSTRAINT_VIOLATED"
            | "DATA_DESCRIPTION_UNDETERMINED" => "definition",
            _ => return None,
        };
        if category != expected {
            return None;
        }
        text(message)?;
        match path {
            Value::Null => paths.push(None),
            Value::String(path) => {
                let mut tokens = path.strip_prefix('/')?.split('/');
                let first = tokens.next().filter(|first| *first == "data")?;
                let tokens: Vec<String> = tokens
                    .map(|token| {
                        // A bad escape is no pointer.
                        let rest = token.replace("~0", "").replace("~1", "");
                        (!rest.contains('~')).then(|| token.replace("~1", "/").replace("~0", "~"))
                    })
                    .collect::<Option<_>>()?;
                if let Some(field) = tokens.first() {
                    fields.contains(&field.as_str()).then_some(())?;
                }
                let _ = first;
                paths.push(tokens.into_iter().next());
            }
            _ => return None,
        }
        found.push(issue.clone());
    }
    let mut seen = HashSet::new();
    for entry in results.as_array()? {
        let [path, status, explanation] = members(entry, ["path", "status", "explanation"])?;
        let path = path.as_str()?;
        let field = fields.iter().find(|field| {
            path == format!("/data/{}", field.replace('~', "~0").replace('/', "~1"))
        })?;
        text(explanation)?;
        if !seen.insert(*field) {
            return None;
        }
        let present = object.contains_key(*field);
        let right = match status.as_str()? {
            "extracted" => present,
            "not_provided" | "not_applicable" => !present && !required.contains(field),
            "issue" => paths
                .iter()
                .any(|path| path.as_deref().is_none_or(|path| path == *field)),
            _ => return None,
        };
        if !right {
            return None;
        }
    }
    (seen.len() == fields.len()).then_some(found)
}

/// Whether a null stands somewhere under a key.
fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.values().any(holds_null),
        Value::Array(items) => items.iter().any(holds_null),
        _ => false,
    }
}

/// Every span is the first whole-word place of its quote, in UTF-16, and all are counted.
fn spans_stand(result: &IntentResult, sources: &HashMap<String, String>) {
    for entry in result.evidence.iter().flatten() {
        assert!(!entry.spans.is_empty(), "{entry:?}");
        for span in &entry.spans {
            let source = &sources[span.source.as_ref()];
            let units: Vec<u16> = source.encode_utf16().collect();
            let slice = String::from_utf16(&units[span.start..span.end]).unwrap();
            assert_eq!(slice, span.quote, "{entry:?}");
            let found = places(source, &span.quote);
            let before: String = source.chars().take(found[0]).collect();
            assert_eq!(before.encode_utf16().count(), span.start, "{entry:?}");
            assert_eq!(found.len(), span.occurrences, "{entry:?}");
        }
    }
}

/// A candidate of the full form in the brief one.
fn brief(full: &Value) -> Option<Value> {
    let below = |path: &Value| path.as_str()?.strip_prefix("/data").map(str::to_owned);
    let list = |key: &str| full.get(key)?.as_array();
    let (mut quotes, mut notes) = (Vec::new(), Vec::new());
    for entry in list("evidence")? {
        for source in entry["sources"].as_array()? {
            quotes.push(json!({ "path": below(&entry["path"])?, "source": source["sourceId"], "quote": source["quote"] }));
        }
    }
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

/// What is accepted in the full form, or ends with issues, comes to the same in the brief one.
fn same_in_brief(definition: Definition, request: Request, text: &str, outcome: &Transition) {
    let rewritten = read(text, READ)
        .ok()
        .and_then(|node| brief(&node.to_value()));
    let (Some(rewritten), Transition::Done(_) | Transition::Failed(_)) = (rewritten, outcome)
    else {
        return;
    };
    let definition = Arc::new(definition);
    let materials = Materials::new(&definition, request).unwrap();
    let (core, _) = Pipeline::start(definition, materials).unwrap();
    let budget = Budget::unlimited();
    let Transition::Ask(data, _) = core.accept_candidate(CORE, &budget).unwrap() else {
        panic!("the core candidate is good");
    };
    match (
        outcome,
        data.accept_candidate(&rewritten.to_string(), &budget)
            .unwrap(),
    ) {
        (Transition::Done(full), Transition::Done(brief)) => assert_eq!(**full, *brief, "{text}"),
        (Transition::Failed(full), Transition::Failed(brief)) => {
            assert_eq!(full.code(), brief.code(), "{text}");
            assert_eq!(full.issues(), brief.issues(), "{text}");
            assert_eq!(full.missing(), brief.missing(), "{text}");
        }
        (Transition::Failed(full), _) if full.code() == ErrorCode::LimitExceeded => {}
        (full, brief) => panic!("{full:?}\n{brief:?}\n{text}\n{rewritten}"),
    }
}
