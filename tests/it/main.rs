//! The crate through its public interface, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and its helpers take what `json!` makes"
)]

mod schema;
mod schema_differential;
mod schema_suites;
