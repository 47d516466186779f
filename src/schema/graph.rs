//! A schema in normal form: one arena of nodes with references followed, in the terms of 2020-12
//! whatever the dialect was. Validation and the walk over descriptions both read this form, so
//! they cannot differ on what applies where.
//!
//! From Draft-7: an array `items` becomes `prefixItems` and its `additionalItems` `items`;
//! `dependencies` splits into `dependentRequired` and `dependentSchemas`; beside `$ref` nothing
//! counts but the description.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ecma_pattern::Pattern;
use serde_json::{Map, Value};

use super::assertions::Literals;
use super::formats;
use super::keywords::Dialect;
use super::kinds::{self, Kinds};
use super::names::{NameMarks, PatternId};
use super::reference::{self, Target};
use crate::budget::{Budget, Exhausted};
use crate::candidate::EvidenceLevel;
use crate::json::Node;
use crate::text::is_blank;

/// The number of a node in its graph.
pub(super) type Id = usize;

pub(super) struct Graph {
    pub(super) nodes: Vec<SchemaNode>,
    /// The keywords of each node that depend only on the value, as in the schema. They are dropped
    /// once the document is written.
    pub(super) assertions: Vec<Map<String, Value>>,
    /// The values of schemas that only list them, and are decided by the graph or negated.
    pub(super) literals: HashMap<Id, Arc<Literals>>,
    pub(super) root: Id,
    /// The depth to which schemas nest.
    pub(super) depth: usize,
    pub(super) patterns: Vec<Pattern>,
    /// The patterns that stand under `patternProperties`.
    pub(super) name_patterns: Vec<PatternId>,
}

/// One schema.
#[derive(Default)]
pub(super) struct SchemaNode {
    /// Has a description that is not blank.
    pub(super) described: bool,
    /// A description can apply at or below a value that this schema applies to.
    pub(super) describes: bool,
    /// The level that `x-evidence` gives.
    pub(super) evidence: Option<EvidenceLevel>,
    /// A reference points here.
    pub(super) is_target: bool,
    /// It is validated on its own: a field, or a schema that decides which descriptions apply.
    pub(super) is_entry: bool,
    /// The graph itself decides whether a value is valid, so it is no entry.
    pub(super) is_decided: bool,
    /// The names under `required`.
    pub(super) required: Box<[Box<str>]>,
    /// The value of a boolean schema.
    pub(super) boolean: Option<bool>,
    /// The kinds of values that its own keywords allow.
    pub(super) kinds: Kinds,
    /// It determines the text of a value, or its form.
    pub(super) gives_text: bool,
    /// A schema with `gives_text` or a level of evidence can apply at or below a value that this schema
    /// applies to, and so affects how values are bound to quotes.
    pub(super) binds: bool,
    pub(super) pattern: Option<PatternId>,
    pub(super) links: Vec<(Link, Id)>,
    /// The reference as it was written, for messages.
    reference: Option<Box<str>>,
}

impl SchemaNode {
    /// Returns the target of a link that a schema has at most once.
    pub(super) fn one(&self, link: &Link) -> Option<Id> {
        let found = self.links.iter().find(|(present, _)| present == link);
        found.map(|(_, id)| *id)
    }
}

/// The way in which a schema applies another one.
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
    /// The link to every item from a position on.
    Items(usize),
    Contains,
    UnevaluatedItems,
}

impl Link {
    /// Returns whether the target applies to the same value (an in-place applicator of JSON Schema).
    pub(super) const fn is_in_place(&self) -> bool {
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

    /// Returns whether descriptions of the target count (docs/candidates.md).
    const fn carries_descriptions(&self) -> bool {
        !matches!(
            self,
            Self::Not | Self::PropertyNames | Self::UnevaluatedProperties | Self::UnevaluatedItems
        )
    }
}

/// Keywords that depend only on the value.
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
    /// Builds the graph of a schema whose references all point at schemas, with its compiled patterns.
    pub(super) fn new(
        root: &Map<String, Value>,
        dialect: Dialect,
        patterns: &HashMap<String, Pattern>,
    ) -> Self {
        let mut builder = Builder {
            root,
            dialect,
            patterns,
            by_place: HashMap::new(),
            pattern_ids: HashMap::new(),
            simple: HashMap::new(),
            verdicts: [None; 2],
            named: HashSet::new(),
            pending: Vec::new(),
            depth: 0,
            graph: Self {
                nodes: Vec::new(),
                assertions: Vec::new(),
                literals: HashMap::new(),
                root: 0,
                depth: 0,
                patterns: Vec::new(),
                name_patterns: Vec::new(),
            },
        };
        builder.graph.root = builder.schema(root);
        builder.follow();
        let mut graph = builder.graph;
        graph.mark(
            |node| node.described,
            |node| std::mem::replace(&mut node.describes, true),
        );
        graph.mark(
            |node| node.gives_text || node.evidence.is_some(),
            |node| std::mem::replace(&mut node.binds, true),
        );
        graph.mark_entries();
        // A graph lives as long as its instance.
        graph.nodes.shrink_to_fit();
        graph.patterns.shrink_to_fit();
        graph.literals.shrink_to_fit();
        graph
    }

    pub(super) fn marks(&self) -> NameMarks<'_> {
        NameMarks {
            patterns: &self.patterns,
            of_names: &self.name_patterns,
        }
    }

    /// Checks the length of the chains of schemas that apply to the same value.
    pub(super) fn check_chains(&self, most: usize) -> Result<(), ChainFault<'_>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            /// The length of the longest chain from here.
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
                let stays = |(_, (link, _)): &(usize, &(Link, Id))| link.is_in_place();
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
                        return Err(ChainFault::Long);
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
                    return Err(ChainFault::Endless(reference.unwrap_or("#")));
                }
                stack.push((*target, 0));
            }
        }
        Ok(())
    }

    /// Returns whether a value is valid by a schema that the graph decides.
    ///
    /// # Errors
    /// [`Exhausted`] when the budget ends first.
    pub(super) fn decide(
        &self,
        id: Id,
        value: &Node<'_>,
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        budget.tick()?;
        let node = &self.nodes[id];
        if let Some(verdict) = node.boolean {
            return Ok(verdict);
        }
        if let Some(literals) = self.literals.get(&id) {
            return literals.contain(value, budget);
        }
        let holds = |link: &Link| node.one(link).map(|id| self.decide(id, value, budget));
        if holds(&Link::Not).transpose()? == Some(true) {
            return Ok(false);
        }
        match holds(&Link::If).transpose()? {
            None => Ok(true),
            Some(true) => holds(&Link::Then).unwrap_or(Ok(true)),
            Some(false) => holds(&Link::Else).unwrap_or(Ok(true)),
        }
    }

    /// Counts the schemas that `unevaluated*` inspects, targets of references once for each place, because
    /// the compiled keyword has a copy for each.
    pub(super) fn unevaluated_size(&self) -> u64 {
        let mut sizes: Vec<Option<u64>> = vec![None; self.nodes.len()];
        let mut total = 0u64;
        for start in 0..self.nodes.len() {
            let unevaluated = self.nodes[start].links.iter().any(|(link, _)| {
                matches!(link, Link::UnevaluatedProperties | Link::UnevaluatedItems)
            });
            if !unevaluated {
                continue;
            }
            // Depth first without recursion; there is no cycle, as `check_chains` has seen.
            let mut stack = vec![start];
            while let Some(&id) = stack.last() {
                let stays = self.nodes[id]
                    .links
                    .iter()
                    .filter(|(link, _)| link.is_in_place());
                let open = stack.len();
                let mut size = 1u64;
                for (_, target) in stays {
                    match sizes[*target] {
                        Some(inner) => size = size.saturating_add(inner),
                        None => stack.push(*target),
                    }
                }
                if stack.len() == open {
                    sizes[id] = Some(size);
                    stack.pop();
                }
            }
            total = total.saturating_add(sizes[start].unwrap_or(0));
        }
        total
    }

    /// Marks the schemas that are validated on their own: the fields, and those that
    /// [`super::descriptions`] and [`super::places`] need.
    fn mark_entries(&mut self) {
        let (mut entries, mut decided) = (Vec::new(), Vec::new());
        for (id, node) in self.nodes.iter().enumerate() {
            for (link, target) in &node.links {
                let SchemaNode {
                    describes, binds, ..
                } = self.nodes[*target];
                let is_decided = match link {
                    Link::AnyOf | Link::OneOf => binds && !describes && self.decides(*target, 8),
                    Link::If => node.binds && !describes && self.decides(*target, 8),
                    Link::Not => self.is_literal(*target),
                    _ => false,
                };
                if is_decided {
                    decided.push(*target);
                    continue;
                }
                let decides = match link {
                    Link::Property(_) => id == self.root,
                    Link::AnyOf | Link::OneOf => describes || binds,
                    Link::If => node.describes || node.binds,
                    Link::Contains => describes,
                    _ => false,
                };
                if decides {
                    entries.push(*target);
                }
            }
        }
        for id in entries {
            self.nodes[id].is_entry = true;
        }
        while let Some(id) = decided.pop() {
            if std::mem::replace(&mut self.nodes[id].is_decided, true) {
                continue;
            }
            if let Some(literals) = self.literals_of(id) {
                self.literals.insert(id, literals);
            }
            decided.extend(self.nodes[id].links.iter().map(|(_, target)| *target));
        }
    }

    /// Returns whether the graph itself decides a schema, with at most so many schemas one inside the other:
    /// one that is boolean, only lists its allowed values, or combines such ones by `not` and `if`.
    fn decides(&self, id: Id, most: usize) -> bool {
        let node = &self.nodes[id];
        let mut links = node.links.iter();
        node.boolean.is_some()
            || self.is_literal(id)
            || (most > 0
                && self.assertions[id].is_empty()
                && node.pattern.is_none()
                && links.all(|(link, target)| {
                    matches!(link, Link::Not | Link::If | Link::Then | Link::Else)
                        && self.decides(*target, most - 1)
                }))
    }

    /// Returns whether a schema only lists its allowed values.
    fn is_literal(&self, id: Id) -> bool {
        let (node, assertions) = (&self.nodes[id], &self.assertions[id]);
        let is_list = |keyword: &String| keyword == "const" || keyword == "enum";
        let is_own = node.links.is_empty() && node.pattern.is_none();
        is_own && assertions.len() == 1 && assertions.keys().all(is_list)
    }

    /// Returns the values of a schema that only lists its allowed values.
    fn literals_of(&self, id: Id) -> Option<Arc<Literals>> {
        let (keyword, value) = self.assertions[id].iter().next()?;
        Some(Arc::new(match keyword.as_str() {
            "const" => Literals::of_const(value),
            _ => Literals::of_enum(value),
        }))
    }

    /// Marks the schemas from which some schemas can be reached. `mark` returns the previous mark.
    fn mark(
        &mut self,
        is_one: impl Fn(&SchemaNode) -> bool,
        mark: impl Fn(&mut SchemaNode) -> bool,
    ) {
        let mut into: Vec<Vec<Id>> = vec![Vec::new(); self.nodes.len()];
        let mut open = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            for (link, target) in &node.links {
                if link.carries_descriptions() {
                    into[*target].push(id);
                }
            }
            if is_one(node) {
                open.push(id);
            }
        }
        while let Some(id) = open.pop() {
            if !mark(&mut self.nodes[id]) {
                open.extend(&into[id]);
            }
        }
    }
}

/// A fault of a chain of schemas that apply to the same value.
pub(super) enum ChainFault<'g> {
    /// The chain is a cycle through this reference.
    Endless(&'g str),
    /// The chain is too long.
    Long,
}

struct Builder<'s> {
    root: &'s Map<String, Value>,
    dialect: Dialect,
    patterns: &'s HashMap<String, Pattern>,
    /// Keyed by the address of the schema's map: the schema does not move while it is read.
    by_place: HashMap<usize, Id>,
    pattern_ids: HashMap<&'s str, PatternId>,
    /// The shared nodes of equal short schemas that consist of `type` and `format`, except for properties.
    simple: HashMap<String, Id>,
    /// The shared nodes of `false` and `true`, except for fields.
    verdicts: [Option<Id>; 2],
    /// The patterns that stand under `patternProperties`.
    named: HashSet<PatternId>,
    /// References that are still to be followed.
    pending: Vec<(Id, &'s str)>,
    depth: usize,
    graph: Graph,
}

impl<'s> Builder<'s> {
    fn any(&mut self, value: &'s Value) -> Id {
        match value {
            // One without keywords accepts all, as `true` does.
            Value::Object(schema) if !schema.is_empty() => {
                let text = is_simple(schema).then(|| value.to_string());
                if let Some(id) = text.as_ref().and_then(|text| self.simple.get(text)) {
                    return *id;
                }
                let id = self.nested(schema);
                if let Some(text) = text {
                    self.simple.insert(text, id);
                }
                id
            }
            other => {
                let verdict = other != &Value::Bool(false);
                if let Some(id) = self.verdicts[usize::from(verdict)] {
                    return id;
                }
                let id = self.verdict(verdict);
                self.verdicts[usize::from(verdict)] = Some(id);
                id
            }
        }
    }

    fn nested(&mut self, schema: &'s Map<String, Value>) -> Id {
        self.depth += 1;
        self.graph.depth = self.graph.depth.max(self.depth);
        let id = self.schema(schema);
        self.depth -= 1;
        id
    }

    fn verdict(&mut self, verdict: bool) -> Id {
        let id = self.graph.nodes.len();
        self.graph.assertions.push(Map::new());
        self.graph.nodes.push(SchemaNode {
            boolean: Some(verdict),
            ..SchemaNode::default()
        });
        id
    }

    /// The schema of a property, which no other place has: it identifies the field in faults.
    fn own(&mut self, value: &'s Value) -> Id {
        match value {
            Value::Bool(verdict) => self.verdict(*verdict),
            Value::Object(schema) if schema.is_empty() => self.verdict(true),
            Value::Object(schema) => self.nested(schema),
            _ => self.any(value),
        }
    }

    fn schema(&mut self, schema: &'s Map<String, Value>) -> Id {
        let place = std::ptr::from_ref(schema) as usize;
        if let Some(id) = self.by_place.get(&place) {
            return *id;
        }
        let id = self.graph.nodes.len();
        self.graph.nodes.push(SchemaNode::default());
        self.graph.assertions.push(Map::new());
        self.by_place.insert(place, id);
        let mut node = SchemaNode {
            described: schema
                .get("description")
                .and_then(Value::as_str)
                .is_some_and(|text| !is_blank(text)),
            evidence: schema
                .get(kinds::MARK)
                .and_then(Value::as_str)
                .and_then(EvidenceLevel::from_text),
            ..SchemaNode::default()
        };
        for container in ["$defs", "definitions"] {
            let schemas = schema.get(container).and_then(Value::as_object);
            for schema in schemas.into_iter().flat_map(Map::values) {
                self.any(schema);
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            node.reference = Some(reference.into());
            self.pending.push((id, reference));
            if self.dialect == Dialect::Draft7 {
                self.graph.nodes[id] = node;
                return id;
            }
        }
        for (key, value) in schema {
            self.keyword(schema, key, value, id, &mut node);
        }
        let names = schema.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        node.required = names.map(Into::into).collect();
        node.kinds = kinds::kinds_of(&self.graph.assertions[id]);
        node.gives_text = kinds::gives_text(&self.graph.assertions[id]);
        let links = std::mem::take(&mut self.graph.nodes[id].links);
        node.links.extend(links);
        node.links.shrink_to_fit();
        self.graph.nodes[id] = node;
        id
    }

    fn keyword(
        &mut self,
        schema: &'s Map<String, Value>,
        key: &'s str,
        value: &'s Value,
        id: Id,
        node: &mut SchemaNode,
    ) {
        match (key, value) {
            (name, value) if ASSERTIONS.contains(&name) => {
                self.graph.assertions[id].insert(name.to_owned(), value.clone());
            }
            ("format", Value::String(name)) if formats::is_asserted(name) => {
                self.graph.assertions[id].insert(key.to_owned(), value.clone());
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
                    let (link, id) = if key == "properties" {
                        (Link::Property(name.clone()), self.own(schema))
                    } else {
                        (Link::DependentSchema(name.clone()), self.any(schema))
                    };
                    node.links.push((link, id));
                }
            }
            ("patternProperties", Value::Object(schemas)) => {
                for (source, schema) in schemas {
                    let id = self.any(schema);
                    if let Some(pattern) = self.pattern(source) {
                        node.links.push((Link::PatternProperty(pattern), id));
                        if self.named.insert(pattern) {
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
                self.graph.assertions[id]
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
        let pattern = self.patterns.get(source)?.clone();
        let id = self.graph.patterns.len();
        self.graph.patterns.push(pattern);
        self.pattern_ids.insert(source, id);
        Some(id)
    }

    /// Links every reference to its target.
    fn follow(&mut self) {
        while let Some((id, reference)) = self.pending.pop() {
            let target = match reference::resolve(self.root, reference) {
                Some(Target::Root(_)) => self.graph.root,
                Some(Target::Inner(value)) => self.any(value),
                None => continue,
            };
            self.graph.nodes[target].is_target = true;
            self.graph.nodes[id].links.push((Link::Ref, target));
        }
    }
}

/// Returns whether a schema consists of `type` and `format`, so that many equal ones are likely.
fn is_simple(schema: &Map<String, Value>) -> bool {
    schema
        .iter()
        .all(|(key, value)| matches!((key.as_str(), value), ("type" | "format", Value::String(_))))
}
