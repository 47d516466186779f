//! The crate through its public interface, in one binary.

#[cfg(feature = "mcp")]
mod mcp;
mod schema;
mod schema_suites;
