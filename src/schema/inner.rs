//! The state that the clones of a schema and its selections share.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::graph::Graph;
use super::snapshot::Snapshot;
use super::validation::Checker;

pub(super) struct Inner {
    pub(super) snapshot: Snapshot,
    pub(super) has_references: bool,
    pub(super) checker: OnceLock<Checker>,
    /// The names of the fields, in order.
    pub(super) fields: Vec<String>,
}

impl Inner {
    pub(super) fn properties(&self) -> Option<&Map<String, Value>> {
        self.snapshot.root.get("properties")?.as_object()
    }

    pub(super) fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// True if it compiles fast enough for an event loop.
    pub(super) fn is_small(&self) -> bool {
        const SMALL: usize = 8 << 10;
        self.snapshot.text.len() <= SMALL
    }

    pub(super) fn checker(&self) -> &Checker {
        self.checker.get_or_init(|| {
            Checker::new({
                let Snapshot {
                    root,
                    dialect,
                    patterns,
                    ..
                } = &self.snapshot;
                Graph::new(root, *dialect, patterns)
            })
        })
    }
}
