//! The MCP server as a host sees it: lines in, lines out.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "helpers of tests fail the test, and take what is at hand"
)]

mod host;

mod calls;
mod lines;
mod session;
mod stdio;
