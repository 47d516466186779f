//! The state that the clones of a schema and its selections share.

use std::sync::OnceLock;

use hashbrown::HashSet;

use super::graph::Graph;
use super::snapshot::Snapshot;
use super::validation::Checker;

pub(super) struct Inner {
    pub(super) snapshot: Snapshot,
    pub(super) has_references: bool,
    pub(super) checker: OnceLock<Checker>,
    /// The names of the fields, in order.
    pub(super) fields: Vec<String>,
    /// The names that the root requires.
    pub(super) required: Vec<String>,
    /// The fields, for lookups.
    pub(super) names: OnceLock<HashSet<String>>,
}

impl Inner {
    pub(super) fn has_field(&self, name: &str) -> bool {
        let names = self
            .names
            .get_or_init(|| self.fields.iter().cloned().collect());
        names.contains(name)
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
            let root = self.snapshot.root();
            let patterns = self.snapshot.take_patterns();
            Checker::new(Graph::new(&root, self.snapshot.dialect, &patterns))
        })
    }
}
