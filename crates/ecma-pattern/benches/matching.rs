//! `cargo bench -p ecma-pattern`: compiling and matching, for patterns of a usual kind, of a kind
//! that backtracks, and of Unicode classes.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark has no caller to give an error to"
)]
#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ecma_pattern::{Budget, Pattern};

fn cases() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("order number", r"^[A-Z]{2}-\d{4,10}$", "AB-0001234".into()),
        (
            "date",
            r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$",
            "2026-12-02".into(),
        ),
        ("search", r"needle", "hay ".repeat(1_000) + "needle"),
        ("backtracks", r"^(?:a+)+$", "a".repeat(2_000) + "!"),
        ("letters", r"^\p{L}+$", "中文字母abc".repeat(200)),
        ("ignores case", r"^(?i:straße|order)$", "ORDER".into()),
    ]
}

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    for (name, source, _) in cases() {
        group.bench_function(name, |b| {
            b.iter(|| Pattern::new(black_box(source)).unwrap());
        });
    }
    group.finish();
}

fn is_match(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("is_match");
    for (name, source, text) in cases() {
        let pattern = Pattern::new(source).unwrap();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| pattern.is_match(black_box(&text), &Budget::unlimited()));
        });
    }
    group.finish();
}

criterion_group!(benches, compile, is_match);
criterion_main!(benches);
