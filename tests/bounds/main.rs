//! What data may cost: memory counted by an allocator of this binary, work counted by budgets.
//!
//! Each test measures the whole binary, so they take turns.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "a test ends by panicking, and helpers take what `json!` makes"
)]

mod bridge;
mod candidates;
mod counting;
mod instances;
