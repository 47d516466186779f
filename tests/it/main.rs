//! Everything that goes through the public API of the crate, in one binary.

#[cfg(feature = "http")]
mod api;
