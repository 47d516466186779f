//! Everything that goes through the public API of the crate, in one binary.

mod bridge;
mod bridge_memory;
