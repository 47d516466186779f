//! The crate through its public interface, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    reason = "a test ends by panicking, a child process tells its parent by printing, and helpers take what `json!` makes"
)]

#[cfg(feature = "http")]
mod api;
mod bridge;
mod evidence;
mod json_suite;
#[cfg(feature = "mcp")]
mod mcp;
mod observed;
mod proof;
mod schema;
mod schema_check;
mod schema_differential;
mod schema_suites;
