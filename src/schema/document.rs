//! Writes the one document that `jsonschema` compiles for a schema.
//!
//! It is written from the normal form ([`super::graph`]): 2020-12, without annotations, and with each
//! schema that is used more than once under `$defs`. So no schema is compiled twice, however many
//! selections, branches and references use it. An *entry* is a schema that is validated on its
//! own: a field, or a branch that decides which descriptions apply. Each is a
//! property of the document, which others refer to, and [`super::node`] shows a value as an object with that property.
//!
//! Each compiled schema keeps its location as text. To keep locations short, schemas below long names
//! and deep inside a definition are written as references.

use serde_json::{Map, Value, json};

use super::assertions::{LARGE_REQUIRED, NOT_LITERAL, OWN_CONST, OWN_ENUM, REGEX};
use super::graph::{Graph, Id, Link};
use super::names::{NameMarks, mark_of};
use crate::budget::{Budget, Exhausted};

/// A schema below a longer name is written as a reference.
const LONG_NAME: usize = 32;

/// The greatest depth of schemas inside one definition.
const MAX_INLINE_DEPTH: usize = 6;

/// Literals of more bytes than this are moved to a private keyword.
const LARGE: usize = 128;

/// Returns whether a literal has more than about [`LARGE`] bytes.
fn is_large(value: &Value) -> bool {
    fn take(value: &Value, left: usize) -> Option<usize> {
        match value {
            Value::String(text) => left.checked_sub(text.len() + 3),
            Value::Array(items) => items
                .iter()
                .try_fold(left.checked_sub(2)?, |left, item| take(item, left)),
            Value::Object(map) => map
                .iter()
                .try_fold(left.checked_sub(2)?, |left, (key, item)| {
                    take(item, left.checked_sub(key.len() + 4)?)
                }),
            _ => left.checked_sub(5),
        }
    }
    take(value, LARGE).is_none()
}

pub(super) struct Writer<'c> {
    graph: &'c Graph,
    assertions: &'c [Map<String, Value>],
    marks: NameMarks<'c>,
    budget: &'c Budget,
    /// The depth in its definition of the schema that is written.
    depth: usize,
    /// The definitions still to be written, and all definitions.
    pending: Vec<Id>,
    defined: Vec<bool>,
}

impl<'c> Writer<'c> {
    pub(super) fn new(
        graph: &'c Graph,
        assertions: &'c [Map<String, Value>],
        budget: &'c Budget,
    ) -> Self {
        Self {
            graph,
            assertions,
            marks: graph.marks(),
            budget,
            depth: 0,
            pending: Vec::new(),
            defined: vec![false; graph.nodes.len()],
        }
    }

    /// Writes the document: an object with a property for each entry, named by its number, and all
    /// definitions that these need.
    pub(super) fn document(mut self) -> Result<Value, Exhausted> {
        // An entry that other schemas apply stands with the definitions: `jsonschema` would compile a
        // property once more for them.
        let mut applied = vec![false; self.graph.nodes.len()];
        for (id, node) in self.graph.nodes.iter().enumerate() {
            if id != self.graph.root || node.is_target {
                for (_, target) in &node.links {
                    applied[*target] = true;
                }
            }
        }
        let mut properties = Map::new();
        for (id, node) in self.graph.nodes.iter().enumerate() {
            if node.is_entry {
                let entry = if applied[id] {
                    self.reference(id)
                } else {
                    self.write(id)?
                };
                properties.insert(id.to_string(), entry);
            }
        }
        let mut definitions = Map::new();
        while let Some(id) = self.pending.pop() {
            let definition = self.write(id)?;
            definitions.insert(id.to_string(), definition);
        }
        Ok(json!({ "properties": properties, "$defs": definitions }))
    }

    fn reference(&mut self, id: Id) -> Value {
        if !std::mem::replace(&mut self.defined[id], true) {
            self.pending.push(id);
        }
        json!({ "$ref": format!("#/$defs/{id}") })
    }

    /// Writes a use of a schema: a reference if it is used more than once, or if its compiled form would
    /// have long locations.
    fn use_of(&mut self, id: Id) -> Result<Value, Exhausted> {
        let node = &self.graph.nodes[id];
        if let Some(verdict) = node.boolean {
            return Ok(Value::Bool(verdict));
        }
        if node.is_target || node.is_entry || self.depth >= MAX_INLINE_DEPTH {
            return Ok(self.reference(id));
        }
        let depth = self.depth;
        self.depth += 1;
        let written = self.write(id);
        self.depth = depth;
        written
    }

    /// [`use_of`](Self::use_of) below a name.
    fn use_below(&mut self, name: &str, id: Id) -> Result<Value, Exhausted> {
        if name.len() > LONG_NAME && self.graph.nodes[id].boolean.is_none() {
            Ok(self.reference(id))
        } else {
            self.use_of(id)
        }
    }

    fn write(&mut self, id: Id) -> Result<Value, Exhausted> {
        let graph = self.graph;
        let node = &graph.nodes[id];
        if let Some(verdict) = node.boolean {
            return Ok(Value::Bool(verdict));
        }
        let mut schema = Map::new();
        for (keyword, value) in &self.assertions[id] {
            let value = match (keyword.as_str(), value) {
                ("required", Value::Array(names)) => {
                    let (large, names) = names
                        .iter()
                        .filter_map(Value::as_str)
                        .partition::<Vec<_>, _>(|name| name.len() > LARGE);
                    if !large.is_empty() {
                        schema.insert(LARGE_REQUIRED.to_owned(), json!(large));
                    }
                    self.names(names.into_iter())?
                }
                ("enum" | "const", value) => {
                    let own = if keyword == "enum" {
                        OWN_ENUM
                    } else {
                        OWN_CONST
                    };
                    if graph.literals.contains_key(&id) {
                        schema.insert(own.to_owned(), id.into());
                        continue;
                    }
                    if is_large(value) {
                        schema.insert(own.to_owned(), value.clone());
                        continue;
                    }
                    value.clone()
                }
                ("dependentRequired", Value::Object(lists)) => {
                    let mut marked = Map::new();
                    for (name, list) in lists {
                        let list = list.as_array().into_iter().flatten();
                        let (large, names) = list
                            .filter_map(Value::as_str)
                            .partition::<Vec<_>, _>(|name| name.len() > LARGE);
                        let name = self.name(name)?;
                        if !large.is_empty() {
                            let large = json!({ LARGE_REQUIRED: large });
                            let large = json!({ "dependentSchemas": { name.as_str(): large } });
                            add_to_list(&mut schema, "allOf", large);
                        }
                        marked.insert(name, self.names(names.into_iter())?);
                    }
                    Value::Object(marked)
                }
                // Parsing a regex takes time that must be counted, which a format of `jsonschema` cannot do.
                ("format", Value::String(name)) if name == "regex" => {
                    schema.insert(REGEX.to_owned(), Value::Bool(true));
                    continue;
                }
                // A URL must also be a URI.
                ("format", Value::String(name)) if name == "url" => {
                    add_to_list(&mut schema, "allOf", json!({ "format": "uri" }));
                    value.clone()
                }
                _ => value.clone(),
            };
            schema.insert(keyword.clone(), value);
        }
        if let Some(pattern) = node.pattern {
            schema.insert("pattern".to_owned(), Value::String(pattern.to_string()));
        }
        for (link, target) in &node.links {
            if *link == Link::Not && graph.literals.contains_key(target) {
                schema.insert(NOT_LITERAL.to_owned(), (*target).into());
                continue;
            }
            let applied = match link {
                Link::Property(name) | Link::DependentSchema(name) => {
                    self.use_below(name, *target)?
                }
                Link::Ref => self.reference(*target),
                _ => self.use_of(*target)?,
            };
            match link {
                Link::Property(name) => {
                    let name = self.name(name)?;
                    add_by_name(&mut schema, "properties", name, applied);
                }
                Link::DependentSchema(name) => {
                    let name = self.name(name)?;
                    add_by_name(&mut schema, "dependentSchemas", name, applied);
                }
                Link::PatternProperty(pattern) => {
                    add_by_name(&mut schema, "patternProperties", mark_of(*pattern), applied);
                }
                Link::AllOf => add_to_list(&mut schema, "allOf", applied),
                Link::AnyOf => add_to_list(&mut schema, "anyOf", applied),
                Link::OneOf => add_to_list(&mut schema, "oneOf", applied),
                Link::PrefixItem(_) => add_to_list(&mut schema, "prefixItems", applied),
                single => {
                    let keyword = match single {
                        Link::Ref => "$ref",
                        Link::Not => "not",
                        Link::If => "if",
                        Link::Then => "then",
                        Link::Else => "else",
                        Link::AdditionalProperties => "additionalProperties",
                        Link::PropertyNames => "propertyNames",
                        Link::UnevaluatedProperties => "unevaluatedProperties",
                        Link::Items(_) => "items",
                        Link::Contains => "contains",
                        _ => "unevaluatedItems",
                    };
                    let applied = match (single, applied) {
                        // Every target is a definition: what was written is `{"$ref": ...}`.
                        (Link::Ref, Value::Object(mut reference)) => {
                            reference.remove("$ref").unwrap_or_default()
                        }
                        (_, applied) => applied,
                    };
                    schema.insert(keyword.to_owned(), applied);
                }
            }
        }
        Ok(Value::Object(schema))
    }

    fn name(&self, name: &str) -> Result<String, Exhausted> {
        Ok(self.marks.mark(name, self.budget)?.into_owned())
    }

    fn names<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Value, Exhausted> {
        names
            .map(|name| self.name(name).map(Value::String))
            .collect()
    }
}

fn add_by_name(schema: &mut Map<String, Value>, keyword: &str, name: String, applied: Value) {
    let map = schema
        .entry(keyword)
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(map) = map {
        map.insert(name, applied);
    }
}

fn add_to_list(schema: &mut Map<String, Value>, keyword: &str, applied: Value) {
    let list = schema
        .entry(keyword)
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        // Another `true` adds nothing where all of them, or any, have to hold.
        let idle = applied == Value::Bool(true)
            && matches!(keyword, "allOf" | "anyOf")
            && list.last() == Some(&applied);
        if idle {
            return;
        }
        list.push(applied);
    }
}
