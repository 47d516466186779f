//! The schema of selected fields: models are shown it, and their data is validated against it.
//!
//! Projecting changes what references point at: the root becomes smaller, unselected properties
//! go, and inside the envelope everything moves. So a reference is kept only where it leads to
//! the very same schema; otherwise its target is copied under the new root's own definitions and
//! the reference rewritten.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use serde_json::{Map, Value, json};

use super::descriptions::{Described, Walk};
use super::graph::{Id, Link};
use super::inner::Inner;
use super::keywords::{self, Dialect, ValueShape};
use super::node::{WalkStop, roomy};
use super::reference::{self, Target};
use super::stack::Stack;
use super::validation::Checker;
use super::{candidate_schema, nullable};
use crate::budget::{Budget, Exhausted};
use crate::definition::ProofForm;
use crate::executor::OutputSchema;
use crate::executor::strict::value_meets_strict_mode;
use crate::json::Node;
use crate::text::{listed, push_token};

/// The approximate bytes of candidates' schemas that a selection keeps; it keeps `MIN_CACHED` in any
/// case.
const MAX_CACHED_BYTES: usize = 512 << 10;
const MIN_CACHED: usize = 2;

/// A schema with more bytes is not checked for strict mode.
const MAX_STRICT_BYTES: usize = 64 << 10;

/// The selected fields of a schema.
pub struct Selection {
    schema: Arc<Inner>,
    fields: Vec<String>,
    /// The positions of the fields by their names.
    positions: HashMap<String, usize>,
    /// By position.
    required: Vec<bool>,
    json: OnceLock<String>,
    output_schemas: Mutex<HashMap<(ProofForm, usize), Arc<OutputSchema>>>,
    entries: OnceLock<Entries>,
}

/// The selected properties with their schemas.
struct Entries {
    /// In the schema's order.
    all: Vec<(String, Id)>,
    /// The index of each field in `all`, by the field's position.
    by_field: Vec<Option<usize>>,
}

impl Selection {
    /// Selects distinct fields that the schema has.
    pub(super) fn new(schema: Arc<Inner>, fields: Vec<String>) -> Self {
        let positions: HashMap<String, usize> = fields.iter().cloned().zip(0..).collect();
        let mut required = vec![false; fields.len()];
        for name in &schema.required {
            if let Some(&position) = positions.get(name) {
                required[position] = true;
            }
        }
        Self {
            schema,
            fields,
            positions,
            required,
            json: OnceLock::new(),
            output_schemas: Mutex::default(),
            entries: OnceLock::new(),
        }
    }

    /// The fields in the request's order.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// True if a field must be present in the data.
    #[must_use]
    pub fn is_required(&self, field: &str) -> bool {
        self.position(field)
            .is_some_and(|position| self.required[position])
    }

    /// Returns the position of a field among [`fields`](Self::fields); `None` if it is not selected.
    pub(crate) fn position(&self, field: &str) -> Option<usize> {
        self.positions.get(field).copied()
    }

    /// `selectedSchema`, compact.
    #[must_use]
    pub fn json(&self) -> &str {
        self.json.get_or_init(|| {
            let root = self.schema.snapshot.root();
            let (mut schema, definitions) = Projection::new(self, &root, false).project();
            for (container, definitions) in definitions {
                schema.insert(container.to_owned(), Value::Object(definitions));
            }
            if let Some(dialect) = self.dialect() {
                schema.shift_insert(0, "$schema".to_owned(), dialect.clone());
            }
            Value::Object(schema).to_string()
        })
    }

    /// The JSON Schema of the data candidate, with the selected schema at `data`, for a request
    /// with `context` context messages.
    #[must_use]
    pub fn output_schema(&self, form: ProofForm, context: usize) -> Arc<OutputSchema> {
        /// The most lengths of contexts whose schemas are cached.
        const MOST: usize = 32;
        let key = (form, context);
        let cached = || {
            self.output_schemas
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(schema) = cached().get(&key) {
            return Arc::clone(schema);
        }
        // Nothing that can panic runs under the lock.
        let schema = Arc::new(self.write_output_schema(form, context));
        let mut cached = cached();
        let most = (MAX_CACHED_BYTES / schema.text.len()).clamp(MIN_CACHED, MOST);
        if cached.len() >= most {
            cached.clear();
        }
        Arc::clone(cached.entry(key).or_insert(schema))
    }

    /// Returns whether the question about this selection is written, or is written fast enough for an
    /// event loop. It contains [`json`](Self::json) and [`output_schema`](Self::output_schema).
    pub(crate) fn is_written(&self, form: ProofForm, context: usize) -> bool {
        let is_cached = || {
            let cached = self.output_schemas.lock();
            cached
                .unwrap_or_else(PoisonError::into_inner)
                .contains_key(&(form, context))
        };
        self.schema.is_small() || (self.json.get().is_some() && is_cached())
    }

    fn write_output_schema(&self, form: ProofForm, context: usize) -> OutputSchema {
        let root = self.schema.snapshot.root();
        let (data, definitions) = Projection::new(self, &root, true).project();
        let plain = self.wrap(form, context, data, definitions);
        // A schema this large meets strict mode in no case that matters, and the check takes time.
        let is_large = self.schema.snapshot.text.len() > MAX_STRICT_BYTES;
        if is_large || value_meets_strict_mode(&plain) {
            return OutputSchema::new(plain.to_string());
        }
        // If only optional fields prevent strict mode, null stands for an absent one.
        let mut strict = plain.clone();
        if let Some(data) = strict.pointer_mut("/properties/data") {
            nullable::close(data);
        }
        for container in CONTAINERS {
            let definitions = strict.get_mut(container).and_then(Value::as_object_mut);
            for definition in definitions.into_iter().flat_map(Map::values_mut) {
                nullable::close(definition);
            }
        }
        let chosen = if value_meets_strict_mode(&strict) {
            strict
        } else {
            plain
        };
        OutputSchema::new(chosen.to_string())
    }

    fn wrap(
        &self,
        form: ProofForm,
        context: usize,
        data: Map<String, Value>,
        definitions: Vec<Definitions>,
    ) -> Value {
        let fields: Vec<String> = self
            .fields
            .iter()
            .map(|field| {
                let mut pointer = String::from("/data");
                push_token(&mut pointer, field);
                pointer
            })
            .collect();
        let context = (0..context).map(|i| format!("context:{i}"));
        let sources: Vec<String> = std::iter::once("input".to_owned()).chain(context).collect();
        let mut quoted = String::from("sources");
        let is_taken = |name: &str| {
            let mut kept = definitions.iter();
            kept.any(|(container, kept)| *container == CONTAINERS[0] && kept.contains_key(name))
        };
        while is_taken(&quoted) {
            quoted.push('_');
        }
        let around = candidate_schema::EnvelopeParts {
            fields: &fields,
            sources: &sources,
            describes: self.describes(),
            quoted: &quoted,
        };
        let data = Value::Object(data);
        let mut schema = match form {
            ProofForm::Full => candidate_schema::full(data, around),
            ProofForm::Brief => candidate_schema::brief(data, around),
        };
        for (container, definitions) in definitions {
            schema.insert(container.to_owned(), Value::Object(definitions));
        }
        if form == ProofForm::Full && around.describes {
            let definitions = schema.entry(CONTAINERS[0]).or_insert_with(|| json!({}));
            if let Value::Object(definitions) = definitions {
                definitions.insert(quoted.clone(), candidate_schema::sources(around));
            }
        }
        if let Some(dialect) = self.dialect() {
            schema.shift_insert(0, "$schema".to_owned(), dialect.clone());
        }
        Value::Object(schema)
    }

    fn dialect(&self) -> Option<&Value> {
        self.schema.snapshot.declared.as_ref()
    }

    /// The values at and below `data`, the candidate's, that a description applies to.
    ///
    /// # Errors
    /// [`Exhausted`] when the budget ends first.
    pub(crate) fn described(
        &self,
        data: &Node<'_>,
        budget: &Budget,
    ) -> Result<Described, Exhausted> {
        if !self.describes() {
            return Ok(Described::default());
        }
        roomy(budget, |budget, stack| self.walk(data, budget, stack))
    }

    /// The pointers (`/data`, `/data/x/0`) of all values that a description applies to, once each
    /// and in the document's order; `data` is the candidate's `data`.
    ///
    /// # Errors
    /// [`Exhausted`] when the budget ends first.
    pub fn described_paths(
        &self,
        data: &Node<'_>,
        budget: &Budget,
    ) -> Result<Vec<String>, Exhausted> {
        self.described(data, budget)?.pointers(data, budget)
    }

    fn walk(&self, data: &Node<'_>, budget: &Budget, stack: Stack) -> Result<Described, WalkStop> {
        let checker = self.schema.checker();
        let root = &checker.graph.nodes[checker.graph.root];
        let mut walk = Walk::new(checker, budget, stack);
        if root.described {
            walk.describe(data);
        }
        if let Some(object) = data.as_object() {
            for (name, id) in &self.entries().all {
                if checker.graph.nodes[*id].describes
                    && let Some(value) = object.get(name)
                {
                    walk.apply(*id, value)?;
                }
            }
        }
        Ok(walk.described)
    }

    /// True if the value of a selected field is valid by the field's own schema.
    ///
    /// # Errors
    /// [`Exhausted`] when the budget ends first; it says nothing of the value.
    pub(crate) fn is_valid_field(
        &self,
        field: &str,
        value: &Node<'_>,
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let checker = self.checker();
        let root = &checker.graph.nodes[checker.graph.root];
        let Some(id) = root.one(&Link::Property(field.to_owned())) else {
            return Ok(false);
        };
        roomy(budget, |budget, stack| {
            checker.satisfies(id, value, budget, stack)
        })
    }

    pub(super) fn checker(&self) -> &Checker {
        self.schema.checker()
    }

    /// True if any description can apply to data of this selection.
    fn describes(&self) -> bool {
        let nodes = &self.schema.checker().graph.nodes;
        nodes[self.schema.checker().graph.root].described
            || self
                .entries()
                .all
                .iter()
                .any(|(_, id)| nodes[*id].describes)
    }

    /// The selected properties with their schemas, in the schema's order.
    fn entries(&self) -> &Entries {
        self.entries.get_or_init(|| {
            let graph = &self.schema.checker().graph;
            let mut all = Vec::with_capacity(self.fields.len());
            let mut by_field = vec![None; self.fields.len()];
            for (link, id) in &graph.nodes[graph.root].links {
                if let Link::Property(name) = link
                    && let Some(position) = self.position(name)
                {
                    by_field[position] = Some(all.len());
                    all.push((name.clone(), *id));
                }
            }
            Entries { all, by_field }
        })
    }

    /// True if the checker of data is compiled, or compiles fast enough for an event loop.
    pub(crate) fn is_ready(&self) -> bool {
        self.schema.is_small() || self.schema.checker.get().is_some_and(Checker::is_compiled)
    }

    /// Compiles the checker of data, whatever the budget: the checks of the schema bound the work.
    ///
    /// # Errors
    /// [`Exhausted`] where the system gives no thread for it, which the budget notes.
    pub(crate) fn prepare(&self, budget: &Budget) -> Result<(), Exhausted> {
        self.schema.checker().prepare(budget)
    }

    /// Returns the faults of `data` by the selected schema: pointers from `/data` with messages that
    /// name the keyword and its requirement, at most `most`. Empty means valid.
    ///
    /// # Errors
    /// [`Exhausted`] when the budget ends first; it says nothing of the data.
    pub fn faults(
        &self,
        data: &Node<'_>,
        budget: &Budget,
        most: usize,
    ) -> Result<Vec<(String, String)>, Exhausted> {
        let Some(object) = data.as_object() else {
            return Ok(vec![at_root("type: must be object".to_owned())]);
        };
        let checker = self.schema.checker();
        checker.prepare(budget)?;
        budget.look()?;
        let mut faults = Vec::new();
        let entries = self.entries();
        let mut present = vec![false; self.fields.len()];
        let mut others = Vec::new();
        let mut values = Vec::with_capacity(object.len());
        for (name, value) in object {
            let Some(position) = self.position(name) else {
                others.push(name.as_ref());
                continue;
            };
            present[position] = true;
            if let Some(at) = entries.by_field[position] {
                values.push((at, value));
            }
        }
        if !others.is_empty() {
            let names = listed(others);
            faults.push(at_root(format!(
                "additionalProperties: not allowed: {names}"
            )));
        }
        for (position, field) in self.fields.iter().enumerate() {
            if self.required[position] && !present[position] {
                let name = listed([field]);
                faults.push(at_root(format!("required: {name} is missing")));
            }
        }
        values.sort_unstable_by_key(|(at, _)| *at);
        let values: Vec<(&str, Id, &Node<'_>)> = values
            .into_iter()
            .map(|(at, value)| (entries.all[at].0.as_str(), entries.all[at].1, value))
            .collect();
        if faults.len() < most {
            faults.extend(checker.faults(&values, budget, most - faults.len())?);
        }
        faults.truncate(most);
        Ok(faults)
    }
}

fn at_root(message: String) -> (String, String) {
    ("/data".to_owned(), message)
}

impl std::fmt::Debug for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selection")
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

/// `definitions` or `$defs`, and what stands in it.
type Definitions = (&'static str, Map<String, Value>);

const CONTAINERS: [&str; 2] = ["$defs", "definitions"];

/// Writes the selected schema.
struct Projection<'s> {
    selection: &'s Selection,
    root: &'s Map<String, Value>,
    /// The selected schema will stand inside another document.
    embedded: bool,
    /// The selected schema is the whole one, so that `#` keeps its meaning.
    whole: bool,
    /// The keyword that copied definitions go to: `$defs` or `definitions`.
    container: &'static str,
    /// Definitions of the snapshot that are needed: container and name.
    kept: Vec<(&'static str, &'s str)>,
    kept_names: HashSet<(&'static str, &'s str)>,
    /// Copies by the place of the original.
    copies: HashMap<Vec<String>, String>,
    /// Copies that are still to be written.
    pending: Vec<(String, Target<'s>)>,
    names: HashSet<String>,
}

impl<'s> Projection<'s> {
    fn new(selection: &'s Selection, root: &'s Map<String, Value>, embedded: bool) -> Self {
        let snapshot = &selection.schema.snapshot;
        let newer = root.contains_key("$defs") || snapshot.dialect == Dialect::Draft202012;
        let container = if newer { "$defs" } else { "definitions" };
        let names = root
            .get(container)
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect();
        Self {
            selection,
            root,
            embedded,
            whole: selection.fields.len() == selection.schema.field_count()
                && root.get("additionalProperties") == Some(&Value::Bool(false)),
            container,
            kept: Vec::new(),
            kept_names: HashSet::new(),
            copies: HashMap::new(),
            pending: Vec::new(),
            names,
        }
    }

    /// The projected root, and the definitions that go with it.
    fn project(mut self) -> (Map<String, Value>, Vec<Definitions>) {
        let root = self.root;
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        if let Some(description) = root.get("description") {
            schema.insert("description".to_owned(), description.clone());
        }
        let properties = root.get("properties").and_then(Value::as_object);
        let selected = self
            .selection
            .fields
            .iter()
            .filter_map(|name| Some((name, properties?.get(name)?)))
            .map(|(name, schema)| (name.clone(), self.schema(schema)))
            .collect();
        schema.insert("properties".to_owned(), Value::Object(selected));
        let required = root.get("required").and_then(Value::as_array);
        let required = required
            .into_iter()
            .flatten()
            .filter(|name| {
                name.as_str()
                    .is_some_and(|name| self.selection.is_required(name))
            })
            .cloned()
            .collect();
        schema.insert("required".to_owned(), Value::Array(required));
        schema.insert("additionalProperties".to_owned(), json!(false));
        let definitions = self.definitions();
        (schema, definitions)
    }

    fn definitions(mut self) -> Vec<Definitions> {
        let mut written: [Map<String, Value>; 2] = [Map::new(), Map::new()];
        let mut done = 0;
        loop {
            if let Some((container, name)) = self.kept.get(done).copied() {
                done += 1;
                let original = self.root.get(container).and_then(|map| map.get(name));
                if let Some(original) = original {
                    let copy = self.schema(original);
                    written[usize::from(container == CONTAINERS[1])].insert(name.to_owned(), copy);
                }
            } else if let Some((name, target)) = self.pending.pop() {
                let copy = match target {
                    Target::Inner(value) => self.schema(value),
                    Target::Root(map) => self.keywords(map.iter().filter(|(key, _)| {
                        *key != "$schema" && !CONTAINERS.contains(&key.as_str())
                    })),
                };
                written[usize::from(self.container == CONTAINERS[1])].insert(name, copy);
            } else {
                break;
            }
        }
        CONTAINERS
            .into_iter()
            .zip(written)
            .filter(|(_, map)| !map.is_empty())
            .collect()
    }

    fn schema(&mut self, schema: &'s Value) -> Value {
        match schema {
            Value::Object(map) => self.keywords(map.iter()),
            other => other.clone(),
        }
    }

    fn keywords(&mut self, entries: impl Iterator<Item = (&'s String, &'s Value)>) -> Value {
        if !self.selection.schema.has_references {
            return Value::Object(entries.map(|(k, v)| (k.clone(), v.clone())).collect());
        }
        let mut out = Map::new();
        for (key, value) in entries {
            let shape = keywords::find(key).map(|keyword| keyword.shape);
            let value = match (shape, value) {
                (Some(ValueShape::Reference), Value::String(target)) => {
                    Value::String(self.reference(target))
                }
                (Some(ValueShape::SchemaList | ValueShape::Items), Value::Array(list)) => {
                    list.iter().map(|schema| self.schema(schema)).collect()
                }
                (Some(ValueShape::Schema | ValueShape::Items), schema) => self.schema(schema),
                (
                    Some(
                        ValueShape::Schemas | ValueShape::PatternSchemas | ValueShape::Dependencies,
                    ),
                    Value::Object(map),
                ) => map
                    .iter()
                    .map(|(name, schema)| (name.clone(), self.schema(schema)))
                    .collect(),
                _ => value.clone(),
            };
            out.insert(key.clone(), value);
        }
        Value::Object(out)
    }

    /// A reference of the snapshot as the new document has to write it.
    fn reference(&mut self, written: &'s str) -> String {
        let (Some(tokens), Some(target)) = (
            reference::tokens(written),
            reference::resolve(self.root, written),
        ) else {
            return written.to_owned();
        };
        match tokens.first().map(String::as_str) {
            None if self.whole && !self.embedded => return written.to_owned(),
            Some("properties")
                if !self.embedded
                    && tokens
                        .get(1)
                        .is_some_and(|name| self.selection.fields.contains(name)) =>
            {
                return written.to_owned();
            }
            Some(first) => {
                let container = CONTAINERS.into_iter().find(|name| *name == first);
                if let (Some(container), Some(name)) = (container, tokens.get(1)) {
                    let entry = self.root.get(container).and_then(Value::as_object);
                    if let Some((name, _)) = entry.and_then(|map| map.get_key_value(name))
                        && self.kept_names.insert((container, name))
                    {
                        self.kept.push((container, name));
                    }
                    return written.to_owned();
                }
            }
            None => {}
        }
        if let Some(name) = self.copies.get(&tokens) {
            return reference::written(&[self.container.to_owned(), name.clone()]);
        }
        let name = self.free_name(&tokens);
        let reference = reference::written(&[self.container.to_owned(), name.clone()]);
        self.copies.insert(tokens, name.clone());
        self.pending.push((name, target));
        reference
    }

    /// A name for a copy that no definition has.
    fn free_name(&mut self, tokens: &[String]) -> String {
        let last = tokens.last().map_or("root", String::as_str);
        let plain: String = last
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            .take(40)
            .collect();
        let base = if plain.is_empty() { "schema" } else { &plain };
        let mut name = base.to_owned();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{base}-{number}");
        }
        name
    }
}
