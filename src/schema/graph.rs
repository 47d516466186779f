//! A schema in normal form: one arena of nodes with references followed, in the terms of 2020-12
//! whatever the dialect was. Validation and the walk over descriptions both read this form, so
//! they cannot differ on what applies where.
//!
//! From Draft-7: an array `items` becomes `prefixItems` and its `additionalItems` `items`;
//! `dependencies` splits into `dependentRequired` and `dependentSchemas`; beside `$ref` nothing
//! counts but the description.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::formats;
use super::keywords::Dialect;
use super::pattern::Pattern;
use super::places;
use super::reference::{self, Target};
use super::snapshot::Snapshot;
use crate::candidate::EvidenceLevel;
use crate::text::is_blank;

/// The number of a node in its graph.
pub(super) type Id = usize;

/// The number of a pattern in its graph.
pub(super) type PatternId = usize;

pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) root: Id,
    /// How deep schemas nest in one another.
    pub(super) depth: usize,
    pub(super) patterns: Vec<Pattern>,
    pub(super) sources: Vec<String>,
    /// The patterns that stand under `patternProperties`.
    pub(super) name_patterns: Vec<PatternId>,
}

/// One schema.
#[derive(Default)]
pub(super) struct Node {
    /// Has a description that is not blank.
    pub(super) described: bool,
    /// A description can apply at or below a value that this schema applies to.
    pub(super) describes: bool,
    /// What `x-evidence` says.
    pub(super) evidence: Option<EvidenceLevel>,
    /// A reference points here.
    pub(super) is_target: bool,
    /// A boolean schema.
    pub(super) verdict: Option<bool>,
    /// Keywords that look at the value alone, as the schema has them.
    pub(super) assertions: Map<String, Value>,
    pub(super) pattern: Option<PatternId>,
    pub(super) links: Vec<(Link, Id)>,
    /// The reference as it was written, for messages.
    reference: Option<String>,
}

impl Node {
    /// The schema behind a link that a schema has at most once.
    pub(super) fn one(&self, link: &Link) -> Option<Id> {
        let found = self.links.iter().find(|(present, _)| present == link);
        found.map(|(_, id)| *id)
    }
}

/// How a schema applies another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    Ref,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    If,
    Then,
    Else,
    DependentSchema(String),
    Property(String),
    PatternProperty(PatternId),
    AdditionalProperties,
    PropertyNames,
    UnevaluatedProperties,
    PrefixItem(usize),
    /// To every item from a position on.
    Items(usize),
    Contains,
    UnevaluatedItems,
}

impl Link {
    /// Applies to the very value that the schema applies to.
    pub(super) const fn stays(&self) -> bool {
        matches!(
            self,
            Self::Ref
                | Self::AllOf
                | Self::AnyOf
                | Self::OneOf
                | Self::Not
                | Self::If
                | Self::Then
                | Self::Else
                | Self::DependentSchema(_)
        )
    }

    /// Descriptions behind it count (contract, section 11).
    const fn carries_descriptions(&self) -> bool {
        !matches!(
            self,
            Self::Not | Self::PropertyNames | Self::UnevaluatedProperties | Self::UnevaluatedItems
        )
    }
}

/// Keywords that look at the value alone.
const ASSERTIONS: &[&str] = &[
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
];

impl Graph {
    /// Of a snapshot whose references all point at schemas.
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let mut builder = Builder {
            snapshot,
            by_place: HashMap::new(),
            pattern_ids: HashMap::new(),
            pending: Vec::new(),
            depth: 0,
            graph: Self {
                nodes: Vec::new(),
                root: 0,
                depth: 0,
                patterns: Vec::new(),
                sources: Vec::new(),
                name_patterns: Vec::new(),
            },
        };
        builder.graph.root = builder.schema(&snapshot.root);
        builder.follow();
        let mut graph = builder.graph;
        graph.mark_describing();
        graph
    }

    /// Checks how far schemas lead to one another that all apply to the same value.
    pub(super) fn check_chains(&self, most: usize) -> Result<(), Chain<'_>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            /// With the length of the longest chain from here.
            Done(usize),
        }
        let mut states = vec![State::New; self.nodes.len()];
        for start in 0..self.nodes.len() {
            // Depth first without recursion: the chains may be of any length.
            let mut stack = vec![(start, 0)];
            while let Some((id, next)) = stack.pop() {
                if next == 0 {
                    if states[id] != State::New {
                        continue;
                    }
                    states[id] = State::Open;
                }
                let stays = |(_, (link, _)): &(usize, &(Link, Id))| link.stays();
                let mut links = self.nodes[id].links.iter().enumerate().filter(stays);
                let Some((at, (_, target))) = links.find(|(at, _)| *at >= next) else {
                    let links = self.nodes[id].links.iter().enumerate().filter(stays);
                    let longest = links
                        .map(|(_, (_, target))| match states[*target] {
                            State::Done(length) => length + 1,
                            State::New | State::Open => 0,
                        })
                        .max()
                        .unwrap_or(0);
                    if longest > most {
                        return Err(Chain::Long);
                    }
                    states[id] = State::Done(longest);
                    continue;
                };
                stack.push((id, at + 1));
                if states[*target] == State::Open {
                    let on_cycle = stack.iter().rev().map(|(id, _)| *id);
                    let reference = on_cycle
                        .take_while(|id| id != target)
                        .chain([*target])
                        .find_map(|id| self.nodes[id].reference.as_deref());
                    return Err(Chain::Endless(reference.unwrap_or("#")));
                }
                stack.push((*target, 0));
            }
        }
        Ok(())
    }

    /// Finds out which schemas can lead to a description.
    fn mark_describing(&mut self) {
        let mut into: Vec<Vec<Id>> = vec![Vec::new(); self.nodes.len()];
        let mut open = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            for (link, target) in &node.links {
                if link.carries_descriptions() {
                    into[*target].push(id);
                }
            }
            if node.described {
                open.push(id);
            }
        }
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut self.nodes[id].describes, true) {
                open.extend(&into[id]);
            }
        }
    }
}

/// What is wrong with schemas that apply to the same value.
pub(super) enum Chain<'g> {
    /// They lead back to themselves, by this reference.
    Endless(&'g str),
    /// They lead too far.
    Long,
}

struct Builder<'s> {
    snapshot: &'s Snapshot,
    /// By the address of the schema's map: the snapshot does not move while it is read.
    by_place: HashMap<usize, Id>,
    pattern_ids: HashMap<&'s str, PatternId>,
    /// References that are still to be followed.
    pending: Vec<(Id, &'s str)>,
    depth: usize,
    graph: Graph,
}

impl<'s> Builder<'s> {
    fn any(&mut self, value: &'s Value) -> Id {
        match value {
            Value::Object(schema) => {
                self.depth += 1;
                self.graph.depth = self.graph.depth.max(self.depth);
                let id = self.schema(schema);
                self.depth -= 1;
                id
            }
            other => {
                let id = self.graph.nodes.len();
                self.graph.nodes.push(Node {
                    verdict: Some(other != &Value::Bool(false)),
                    ..Node::default()
                });
                id
            }
        }
    }

    fn schema(&mut self, schema: &'s Map<String, Value>) -> Id {
        let place = std::ptr::from_ref(schema) as usize;
        if let Some(id) = self.by_place.get(&place) {
            return *id;
        }
        let id = self.graph.nodes.len();
        self.graph.nodes.push(Node::default());
        self.by_place.insert(place, id);
        let mut node = Node {
            described: schema
                .get("description")
                .and_then(Value::as_str)
                .is_some_and(|text| !is_blank(text)),
            evidence: schema
                .get(places::MARK)
                .and_then(Value::as_str)
                .and_then(EvidenceLevel::from_text),
            ..Node::default()
        };
        for container in ["$defs", "definitions"] {
            let schemas = schema.get(container).and_then(Value::as_object);
            for schema in schemas.into_iter().flat_map(Map::values) {
                self.any(schema);
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            node.reference = Some(reference.to_owned());
            self.pending.push((id, reference));
            if self.snapshot.dialect == Dialect::Draft7 {
                self.graph.nodes[id] = node;
                return id;
            }
        }
        for (key, value) in schema {
            self.keyword(schema, key, value, &mut node);
        }
        let links = std::mem::take(&mut self.graph.nodes[id].links);
        node.links.extend(links);
        self.graph.nodes[id] = node;
        id
    }

    fn keyword(
        &mut self,
        schema: &'s Map<String, Value>,
        key: &'s str,
        value: &'s Value,
        node: &mut Node,
    ) {
        match (key, value) {
            (name, value) if ASSERTIONS.contains(&name) => {
                node.assertions.insert(name.to_owned(), value.clone());
            }
            ("format", Value::String(name)) if formats::is_asserted(name) => {
                node.assertions.insert(key.to_owned(), value.clone());
            }
            ("pattern", Value::String(source)) => node.pattern = self.pattern(source),
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                let link = match key {
                    "allOf" => Link::AllOf,
                    "anyOf" => Link::AnyOf,
                    _ => Link::OneOf,
                };
                for schema in list {
                    let id = self.any(schema);
                    node.links.push((link.clone(), id));
                }
            }
            ("prefixItems" | "items", Value::Array(list)) => {
                for (at, schema) in list.iter().enumerate() {
                    let id = self.any(schema);
                    node.links.push((Link::PrefixItem(at), id));
                }
                if key == "items"
                    && let Some(rest) = schema.get("additionalItems")
                {
                    let id = self.any(rest);
                    node.links.push((Link::Items(list.len()), id));
                }
            }
            ("items", value) => {
                let prefix = schema.get("prefixItems").and_then(Value::as_array);
                let id = self.any(value);
                node.links
                    .push((Link::Items(prefix.map_or(0, Vec::len)), id));
            }
            ("properties" | "dependentSchemas", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    let link = if key == "properties" {
                        Link::Property(name.clone())
                    } else {
                        Link::DependentSchema(name.clone())
                    };
                    let id = self.any(schema);
                    node.links.push((link, id));
                }
            }
            ("patternProperties", Value::Object(schemas)) => {
                for (source, schema) in schemas {
                    let id = self.any(schema);
                    if let Some(pattern) = self.pattern(source) {
                        node.links.push((Link::PatternProperty(pattern), id));
                        if !self.graph.name_patterns.contains(&pattern) {
                            self.graph.name_patterns.push(pattern);
                        }
                    }
                }
            }
            ("dependencies", Value::Object(dependencies)) => {
                let mut names = Map::new();
                for (name, dependency) in dependencies {
                    if dependency.is_array() {
                        names.insert(name.clone(), dependency.clone());
                    } else {
                        let id = self.any(dependency);
                        node.links.push((Link::DependentSchema(name.clone()), id));
                    }
                }
                node.assertions
                    .insert("dependentRequired".to_owned(), Value::Object(names));
            }
            _ => {
                let link = match key {
                    "not" => Link::Not,
                    "if" => Link::If,
                    "then" => Link::Then,
                    "else" => Link::Else,
                    "additionalProperties" => Link::AdditionalProperties,
                    "propertyNames" => Link::PropertyNames,
                    "unevaluatedProperties" => Link::UnevaluatedProperties,
                    "contains" => Link::Contains,
                    "unevaluatedItems" => Link::UnevaluatedItems,
                    _ => return,
                };
                // `then` and `else` say nothing without `if`.
                if matches!(link, Link::Then | Link::Else) && !schema.contains_key("if") {
                    return;
                }
                let id = self.any(value);
                node.links.push((link, id));
            }
        }
    }

    fn pattern(&mut self, source: &'s str) -> Option<PatternId> {
        if let Some(id) = self.pattern_ids.get(source) {
            return Some(*id);
        }
        let pattern = self.snapshot.patterns.get(source)?.clone();
        let id = self.graph.patterns.len();
        self.graph.patterns.push(pattern);
        self.graph.sources.push(source.to_owned());
        self.pattern_ids.insert(source, id);
        Some(id)
    }

    /// Links every reference to its target.
    fn follow(&mut self) {
        while let Some((id, reference)) = self.pending.pop() {
            let target = match reference::resolve(&self.snapshot.root, reference) {
                Some(Target::Root(_)) => self.graph.root,
                Some(Target::Inner(value)) => self.any(value),
                None => continue,
            };
            self.graph.nodes[target].is_target = true;
            self.graph.nodes[id].links.push((Link::Ref, target));
        }
    }
}
