//! What a caller may pass as a schema, what becomes of it, and which descriptions apply.

#[test]
fn placeholder() {}
