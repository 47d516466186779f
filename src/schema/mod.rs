//! The business schema: what a caller may pass, the selection of fields, validation and the
//! descriptions that apply to a value.
//!
//! # From a schema to a verdict
//!
//! 1. [`Schema::from_value`] checks a schema once and keeps a snapshot of it (`snapshot`, with
//!    the table of `keywords`, local `reference`s and asserted `formats`).
//! 2. [`Schema::select`] projects it onto the fields of a request (`selection`): the schema that
//!    a model is shown, and the schema of its whole answer (`candidate_schema`).
//! 3. On the first answer the snapshot is brought into a normal form (`graph`), which is read by
//!    the walk over `descriptions`, and written as one `document` that the `jsonschema` crate
//!    compiles once for all selections (`validation`, with `assertions`, `node`, `names`
//!    and `multiple_of`; `fault_formatter` writes the faults).
//!
//! # What is accepted
//!
//! The root is `type: "object"` with `properties`, its fields. Dialects are Draft-7 and 2020-12;
//! without `$schema` a schema is Draft-7 unless it uses a keyword that only 2020-12 has. The drafts
//! 04, 06 and 2019-09 are read as the dialect that says the same (`drafts`).
//!
//! | keywords | Draft-7 | 2020-12 |
//! |---|---|---|
//! | `type` `enum` `const` | yes | yes |
//! | `multipleOf` (exact for decimals) `maximum` `exclusiveMaximum` `minimum` `exclusiveMinimum` | yes | yes |
//! | `maxLength` `minLength` (code points) `pattern` (ECMAScript with `u`) `format` (asserted) | yes | yes |
//! | `items` `maxItems` `minItems` `uniqueItems` `contains` | yes | yes |
//! | `items` as an array, `additionalItems` | yes | refused |
//! | `prefixItems` `minContains` `maxContains` `unevaluatedItems` | refused | yes |
//! | `properties` `patternProperties` `additionalProperties` `propertyNames` `required` `maxProperties` `minProperties` | yes | yes |
//! | `dependencies` | yes | refused |
//! | `dependentRequired` `dependentSchemas` `unevaluatedProperties` | refused | yes |
//! | `allOf` `anyOf` `oneOf` (at most 64 branches) `not` `if` `then` `else` | yes | yes |
//! | `$ref` inside the schema (`#`, `#/...`) | yes, alone | yes |
//! | `definitions` `$defs` | yes | yes |
//! | `title` `description` `default` `examples` `$comment` `readOnly` `writeOnly` `deprecated` `contentEncoding` `contentMediaType` `contentSchema` `x-*` | kept as annotations | kept as annotations |
//! | `exactLength` | becomes `minLength` and `maxLength` | the same |
//! | `$id` `_label` `_customMessages` `_description` `_required` | dropped | dropped |
//! | `$anchor` `$dynamicRef` `$dynamicAnchor` `$recursiveRef` `$vocabulary`, references to elsewhere, anything else | refused | refused |
//!
//! At the root, keywords whose meaning would change with the selected fields are refused: `allOf
//! anyOf oneOf not if then else enum const $ref patternProperties propertyNames minProperties
//! maxProperties dependencies dependentRequired dependentSchemas unevaluatedProperties`.
//!
//! Different patterns under `patternProperties`: at most 256.
//!
//! Asserted formats: `date time date-time duration uri uri-reference url email hostname ipv4 ipv6
//! regex uuid json-pointer relative-json-pointer`. `url` is a URI with an authority. Any other
//! format is refused, save beside a `pattern` or from a Standard Schema, where it is an
//! annotation.

mod assertions;
mod candidate_schema;
mod check;
mod descriptions;
mod document;
mod drafts;
mod fault_formatter;
mod formats;
mod graph;
mod inner;
mod keywords;
mod kinds;
mod multiple_of;
mod names;
mod node;
mod nullable;
mod path;
mod places;
mod reference;
mod refusal;
mod selection;
mod snapshot;
pub(crate) mod stack;
mod tokens;
mod validation;

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lru::LruCache;
use serde_json::{Map, Value};

pub use check::{Finding, SchemaReport, check_schema};
pub use selection::Selection;
pub use snapshot::Origin;

use crate::error::{ErrorKind, IntentError};
use crate::limits::Limits;
use inner::Inner;
use snapshot::Snapshot;
use validation::Checker;

/// A schema that was checked once and never changes. Cheap to clone.
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
    /// The selection of every field, which most requests want; it is always kept.
    whole: Arc<OnceLock<Arc<Selection>>>,
    selections: Arc<Mutex<Selections>>,
}

/// The most recent selections, by their fields.
type Selections = LruCache<Box<[String]>, Arc<Selection>>;

/// The approximate bytes of all kept selections of an instance; `MIN_SELECTIONS` are kept in any case.
const MAX_SELECTIONS_BYTES: usize = 2 << 20;
const MIN_SELECTIONS: usize = 4;

/// The bytes of a selection in addition to its schema.
const SELECTION_BYTES: usize = 8 << 10;

impl Schema {
    /// No extension fields.
    #[must_use]
    pub fn empty() -> Self {
        Self::of(Snapshot::empty(), &Limits::default())
    }

    /// Checks a schema; `{}` means no extension fields.
    ///
    /// # Errors
    /// `SCHEMA_UNSUPPORTED`, saying what is not supported and where, or `LIMIT_EXCEEDED`.
    pub fn from_value(value: Value, origin: Origin, limits: &Limits) -> Result<Self, IntentError> {
        if value.as_object().is_some_and(Map::is_empty) {
            return Ok(Self::of(Snapshot::empty(), limits));
        }
        Ok(Self::of(Snapshot::new(value, origin, limits)?, limits))
    }

    fn of(mut snapshot: Snapshot, limits: &Limits) -> Self {
        let root = snapshot.root();
        let properties = root.get("properties").and_then(Value::as_object);
        let fields = properties
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect();
        let required = root.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let required = required.map(str::to_owned).collect();
        drop(root);
        snapshot.drop_large_tree();
        let graph = snapshot.graph.take();
        let has_references = graph.is_some();
        let checker = OnceLock::new();
        if let Some(graph) = graph {
            let _ = checker.set(Checker::new(graph));
        }
        let most = usize::try_from(limits.max_schema_cache_entries).unwrap_or(usize::MAX);
        // Each keeps its schema twice: as it is shown, and inside that of the candidate.
        let bytes = 2 * snapshot.text.len() + SELECTION_BYTES;
        let most = most.min((MAX_SELECTIONS_BYTES / bytes).max(MIN_SELECTIONS));
        let mut selections = LruCache::unbounded();
        if let Some(most) = NonZeroUsize::new(most) {
            selections.resize(most);
        }
        Self {
            inner: Arc::new(Inner {
                snapshot,
                has_references,
                checker,
                fields,
                required,
                names: OnceLock::new(),
            }),
            whole: Arc::new(OnceLock::new()),
            selections: Arc::new(Mutex::new(selections)),
        }
    }

    /// The snapshot as compact JSON, `{}` without a schema.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.inner.snapshot.text
    }

    /// The names of the fields, in the schema's order.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.inner.fields.iter().map(String::as_str)
    }

    /// True if the schema defines a field.
    #[must_use]
    pub fn has_field(&self, name: &str) -> bool {
        self.inner.has_field(name)
    }

    /// The error for a name in `fields` that the schema does not define.
    pub(crate) fn unknown_field(&self, name: &str) -> IntentError {
        if self.inner.fields.is_empty() {
            return ErrorKind::NoFields { name }.error();
        }
        let nearest = crate::text::closest(name, self.fields());
        ErrorKind::UnknownField { name, nearest }.error()
    }

    /// Selects fields; repeated ones count once, at their first place. Equal selections share
    /// what is compiled of them, as long as they are among the most recent ones.
    ///
    /// # Errors
    /// `UNKNOWN_FIELD` for a name that the schema does not define.
    pub fn select(&self, fields: &[&str]) -> Result<Arc<Selection>, IntentError> {
        if fields == self.inner.fields {
            let whole = self.whole.get_or_init(|| {
                let fields = self.inner.fields.clone();
                Arc::new(Selection::new(Arc::clone(&self.inner), fields))
            });
            return Ok(Arc::clone(whole));
        }
        let mut seen = HashSet::with_capacity(fields.len());
        let mut selected = Vec::with_capacity(fields.len());
        for field in fields {
            if !self.has_field(field) {
                return Err(self.unknown_field(field));
            }
            if seen.insert(*field) {
                selected.push((*field).to_owned());
            }
        }
        // Nothing that can panic runs under the lock.
        let mut selections = self
            .selections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(selection) = selections.get(selected.as_slice()) {
            return Ok(Arc::clone(selection));
        }
        let key = selected.clone().into_boxed_slice();
        let selection = Arc::new(Selection::new(Arc::clone(&self.inner), selected));
        selections.put(key, Arc::clone(&selection));
        Ok(selection)
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema")
            .field("fields", &self.fields().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
