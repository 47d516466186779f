//! The crate through its public interface, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends by panicking, and a child process tells its parent by printing"
)]

#[cfg(feature = "http")]
mod api;
mod schema;
mod schema_suites;
