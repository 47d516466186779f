//! `cargo bench --no-default-features --features http --bench core`: measures the parts of a recognition
//! whose time depends on the size of a candidate or a schema.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark has no caller to give an error to"
)]
#![allow(missing_docs, reason = "criterion's macros")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use intent_runtime::budget::Budget;
use intent_runtime::definition::Definition;
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::materials::Materials;
use intent_runtime::pipeline::{Pipeline, Transition};
use intent_runtime::schema::{Origin, Schema};
use intent_runtime::{Limits, Request};
use serde_json::{Value, json};

const READ: ReadLimits = ReadLimits {
    depth: 32,
    nodes: 1_000_000,
};

fn core_candidate(intents: usize) -> String {
    let blockers = json!({"clarificationReason": null, "questions": [], "confirmationReason": null, "conditionReason": null});
    let item = json!({"action": "query", "target": "order 000123", "requirements": ["keep every detail of it, please"], "blockers": blockers});
    json!({"normalizedInput": "Query order 000123.", "primaryIntent": null, "requirements": [], "prohibitions": [], "intents": vec![item; intents]}).to_string()
}

fn schema(fields: usize) -> Value {
    let properties: serde_json::Map<_, _> = (0..fields)
        .map(|i| {
            (
                format!("field{i}"),
                json!({"type": "string", "minLength": 1}),
            )
        })
        .collect();
    json!({"type": "object", "properties": properties})
}

fn data_candidate(fields: usize, quote: &str) -> String {
    let mut data = serde_json::Map::new();
    let (mut evidence, mut results) = (Vec::new(), Vec::new());
    for i in 0..fields {
        data.insert(format!("field{i}"), quote.into());
        let path = format!("/data/field{i}");
        evidence.push(json!({"path": path, "mode": "exact", "sources": [{"sourceId": "input", "quote": quote}]}));
        results.push(json!({"path": path, "status": "extracted", "explanation": "stated"}));
    }
    json!({"data": data, "evidence": evidence, "descriptionChecks": [], "fieldResults": results, "issues": []}).to_string()
}

/// A recognition that waits for its data candidate.
fn in_data_stage(fields: usize, input: &str) -> Pipeline {
    let limits = Limits {
        max_schema_properties: 4096,
        max_output_bytes: 1 << 22,
        ..Limits::default()
    };
    let definition =
        Definition::new("en", Some((schema(fields), Origin::Json)), 1, limits).unwrap();
    let materials = Materials::new(&definition, Request::new(input)).unwrap();
    let (pipeline, _) = Pipeline::start(Arc::new(definition), materials).unwrap();
    match pipeline
        .accept_candidate(&core_candidate(1), &Budget::unlimited())
        .unwrap()
    {
        Transition::Ask(next, _) => next,
        other => panic!("{other:?}"),
    }
}

fn reader(c: &mut Criterion) {
    let mut group = c.benchmark_group("reader");
    for intents in [1, 10, 100, 1000] {
        let text = core_candidate(intents);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("strict", text.len()), &text, |b, text| {
            b.iter(|| read(black_box(text), READ).unwrap());
        });
        group.bench_with_input(
            BenchmarkId::new("serde_json", text.len()),
            &text,
            |b, text| {
                b.iter(|| serde_json::from_str::<Value>(black_box(text)).unwrap());
            },
        );
    }
    group.finish();
}

fn core(c: &mut Criterion) {
    let mut group = c.benchmark_group("core");
    let definition = Arc::new(
        Definition::new(
            "en",
            None,
            1,
            Limits {
                max_intent_count: 1000,
                ..Limits::default()
            },
        )
        .unwrap(),
    );
    let materials = Materials::new(&definition, Request::new("Query order 000123.")).unwrap();
    let (pipeline, _) = Pipeline::start(definition, materials).unwrap();
    for intents in [1, 10, 100] {
        let text = core_candidate(intents);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(text.len()), &text, |b, text| {
            b.iter(|| {
                pipeline
                    .accept_candidate(black_box(text), &Budget::unlimited())
                    .unwrap()
            });
        });
    }
    group.finish();
}

fn data(c: &mut Criterion) {
    let mut group = c.benchmark_group("data");
    for fields in [1, 16, 256, 1024] {
        let pipeline = in_data_stage(fields, "order 000123");
        let text = data_candidate(fields, "000123");
        group.throughput(Throughput::Elements(fields as u64));
        group.bench_function(BenchmarkId::from_parameter(fields), |b| {
            b.iter(|| {
                pipeline
                    .accept_candidate(black_box(&text), &Budget::unlimited())
                    .unwrap()
            });
        });
    }
    group.finish();
}

fn quotes(c: &mut Criterion) {
    // 200 quotes of 2 KB that almost match, in 64 KB.
    let input = "ab ".repeat(65536 / 3);
    let mut candidate = String::from(r#"{"data":{},"evidence":["#);
    let quote = format!("{}x", "ab ".repeat(682));
    for i in 0..200 {
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(
            candidate,
            r#"{comma}{{"path":"/data/field0","mode":"semantic","sources":[{{"sourceId":"input","quote":"{i}{quote}"}}]}}"#
        );
    }
    candidate.push_str(r#"],"descriptionChecks":[],"fieldResults":[],"issues":[]}"#);
    let pipeline = in_data_stage(1, &input);
    let limits = candidate.len();
    c.bench_function(
        &format!("quotes/200 of 2 KB that almost match ({limits} bytes)"),
        |b| {
            b.iter(|| {
                pipeline
                    .accept_candidate(black_box(&candidate), &Budget::unlimited())
                    .unwrap()
            });
        },
    );
}

fn schemas(c: &mut Criterion) {
    let mut group = c.benchmark_group("schema");
    for fields in [1, 16, 256] {
        let schema = schema(fields);
        group.bench_function(BenchmarkId::new("snapshot", fields), |b| {
            b.iter(|| {
                Schema::from_value(black_box(schema.clone()), Origin::Json, &Limits::default())
                    .unwrap()
            });
        });
        let checked = Schema::from_value(
            schema,
            Origin::Json,
            &Limits {
                max_schema_cache_entries: 1,
                ..Limits::default()
            },
        )
        .unwrap();
        let names: Vec<&str> = checked.fields().collect();
        group.bench_function(BenchmarkId::new("selection, cached", fields), |b| {
            b.iter(|| checked.select(black_box(&names)).unwrap());
        });
    }
    group.finish();
}

#[cfg(feature = "http")]
fn envelopes(c: &mut Criterion) {
    use intent_runtime::executor::api::{chat, responses};
    let text = core_candidate(30);
    let response = json!({"status": "completed", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}], "usage": {"input_tokens": 1, "output_tokens": 2}}).to_string();
    let completion = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}).to_string();
    c.bench_function("envelope/responses", |b| {
        b.iter(|| responses::read(black_box(response.as_bytes())).unwrap());
    });
    c.bench_function("envelope/chat", |b| {
        b.iter(|| chat::read(black_box(completion.as_bytes())).unwrap());
    });
}

#[cfg(not(feature = "http"))]
fn envelopes(_: &mut Criterion) {}

criterion_group!(benches, reader, core, data, quotes, schemas, envelopes);
criterion_main!(benches);
