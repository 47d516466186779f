//! The crate through its public interface, in one binary.

mod schema;
mod schema_suites;
