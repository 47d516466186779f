//! The business schema: what a caller may pass, the selection of fields, validation and the
//! descriptions that apply to a value.

pub mod pattern;
