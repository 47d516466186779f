//! Finds the descriptions that apply to a value (docs/candidates.md).
//!
//! A description counts where its schema applies to the value, whether or not the value is valid
//! as a whole: through properties, items, references, every branch of `allOf`, the branches of
//! `anyOf` and `oneOf` that the value satisfies, `if` when satisfied and then `then`, else
//! `else`, the items that `contains` matches, and dependent schemas whose key is present. Never
//! through `not`, `propertyNames` and `unevaluated*`.

use std::collections::HashSet;

use super::graph::{Id, Link, SchemaNode};
use super::node::WalkStop;
use super::stack::Stack;
use super::validation::Checker;
use crate::budget::{Budget, Exhausted};
use crate::json::Node;
use crate::text::push_token;

/// The most pairs of schema and value that one walk remembers (18 MB); a walk that needs more ends.
const MAX_VISITED: usize = 900_000;

/// The values that descriptions apply to, by their address: pointers are written only for those that
/// are reported.
#[derive(Default)]
pub(crate) struct Described(HashSet<usize>);

/// Collects the values that descriptions apply to.
pub(super) struct Walk<'c> {
    checker: &'c Checker,
    budget: &'c Budget,
    stack: Stack,
    /// The visited pairs of referenced schema and value; only references can lead to a pair more than
    /// once.
    visited: HashSet<(Id, usize)>,
    pub(super) described: Described,
}

impl<'c> Walk<'c> {
    pub(super) fn new(checker: &'c Checker, budget: &'c Budget, stack: Stack) -> Self {
        Self {
            checker,
            budget,
            stack,
            visited: HashSet::new(),
            described: Described::default(),
        }
    }

    /// Notes a description of a value itself.
    pub(super) fn describe(&mut self, value: &Node<'_>) {
        self.described.0.insert(address(value));
    }

    /// Applies a schema to a value.
    pub(super) fn apply(&mut self, id: Id, value: &Node<'_>) -> Result<(), WalkStop> {
        self.budget.tick()?;
        if self.stack.is_spent() {
            return Err(WalkStop::Stack);
        }
        let checker = self.checker;
        let schema = &checker.graph.nodes[id];
        if !schema.describes {
            return Ok(());
        }
        if schema.is_target {
            if !self.visited.insert((id, address(value))) {
                return Ok(());
            }
            if self.visited.len() > MAX_VISITED {
                return Err(WalkStop::Exhausted);
            }
        }
        if schema.described {
            self.describe(value);
        }
        for (link, target) in &schema.links {
            self.budget.tick()?;
            let worth = match link {
                // It decides between `then` and `else`, whether or not it has descriptions itself.
                Link::If => true,
                _ => checker.graph.nodes[*target].describes,
            };
            if worth {
                self.follow(schema, link, *target, value)?;
            }
        }
        Ok(())
    }

    fn follow(
        &mut self,
        schema: &SchemaNode,
        link: &Link,
        target: Id,
        value: &Node<'_>,
    ) -> Result<(), WalkStop> {
        match link {
            Link::Ref | Link::AllOf => self.apply(target, value)?,
            Link::AnyOf | Link::OneOf => {
                if self.satisfies(target, value)? {
                    self.apply(target, value)?;
                }
            }
            Link::If => self.conditional(schema, target, value)?,
            // Followed from `if`; the others never count.
            Link::Then
            | Link::Else
            | Link::Not
            | Link::PropertyNames
            | Link::UnevaluatedProperties
            | Link::UnevaluatedItems => {}
            Link::DependentSchema(name) => {
                if value
                    .as_object()
                    .is_some_and(|object| object.get(name).is_some())
                {
                    self.apply(target, value)?;
                }
            }
            Link::Property(name) => {
                if let Some(value) = value.as_object().and_then(|object| object.get(name)) {
                    self.apply(target, value)?;
                }
            }
            Link::PatternProperty(pattern) => {
                let pattern = &self.checker.graph.patterns[*pattern];
                for (name, value) in value.as_object().into_iter().flatten() {
                    if pattern.is_match(name, self.budget)? {
                        self.apply(target, value)?;
                    }
                }
            }
            Link::AdditionalProperties => self.additional(schema, target, value)?,
            Link::PrefixItem(at) => {
                if let Some(value) = value.as_array().and_then(|items| items.get(*at)) {
                    self.apply(target, value)?;
                }
            }
            Link::Items(from) => {
                for value in value.as_array().into_iter().flatten().skip(*from) {
                    self.apply(target, value)?;
                }
            }
            Link::Contains => {
                for value in value.as_array().into_iter().flatten() {
                    if self.satisfies(target, value)? {
                        self.apply(target, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn conditional(
        &mut self,
        schema: &SchemaNode,
        condition: Id,
        value: &Node<'_>,
    ) -> Result<(), WalkStop> {
        let nodes = &self.checker.graph.nodes;
        let (then, otherwise) = (schema.one(&Link::Then), schema.one(&Link::Else));
        let worth = [Some(condition), then, otherwise]
            .into_iter()
            .flatten()
            .any(|id| nodes[id].describes);
        if !worth {
            return Ok(());
        }
        let next = if self.satisfies(condition, value)? {
            self.apply(condition, value)?;
            then
        } else {
            otherwise
        };
        next.map_or(Ok(()), |id| self.apply(id, value))
    }

    fn additional(
        &mut self,
        schema: &SchemaNode,
        target: Id,
        value: &Node<'_>,
    ) -> Result<(), WalkStop> {
        let Some(object) = value.as_object() else {
            return Ok(());
        };
        let mut named = HashSet::new();
        let mut patterns = Vec::new();
        for (link, _) in &schema.links {
            self.budget.tick()?;
            match link {
                Link::Property(name) => {
                    named.insert(name.as_str());
                }
                Link::PatternProperty(id) => patterns.push(&self.checker.graph.patterns[*id]),
                _ => {}
            }
        }
        'names: for (name, value) in object {
            if named.contains(name.as_ref()) {
                continue;
            }
            for pattern in &patterns {
                if pattern.is_match(name, self.budget)? {
                    continue 'names;
                }
            }
            self.apply(target, value)?;
        }
        Ok(())
    }

    fn satisfies(&self, id: Id, value: &Node<'_>) -> Result<bool, WalkStop> {
        self.checker.satisfies(id, value, self.budget, self.stack)
    }
}

impl Described {
    /// True if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a description applies to a value.
    pub(crate) fn contains(&self, value: &Node<'_>) -> bool {
        self.0.contains(&address(value))
    }

    /// The pointers of all described values at and below `data`, in the document's order.
    pub(super) fn pointers(
        &self,
        data: &Node<'_>,
        budget: &Budget,
    ) -> Result<Vec<String>, Exhausted> {
        let mut found = Vec::with_capacity(self.0.len());
        self.collect(data, &mut "/data".to_owned(), budget, &mut found)?;
        Ok(found)
    }

    fn collect(
        &self,
        value: &Node<'_>,
        pointer: &mut String,
        budget: &Budget,
        found: &mut Vec<String>,
    ) -> Result<(), Exhausted> {
        if found.len() == self.0.len() {
            return Ok(());
        }
        // Long pointers cost as much as their length.
        for _ in 0..=pointer.len() / 256 {
            budget.tick()?;
        }
        if self.contains(value) {
            found.push(pointer.clone());
        }
        let length = pointer.len();
        match value {
            Node::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    push_token(pointer, &index.to_string());
                    self.collect(item, pointer, budget, found)?;
                    pointer.truncate(length);
                }
            }
            Node::Object(object) => {
                for (name, item) in object {
                    push_token(pointer, name);
                    self.collect(item, pointer, budget, found)?;
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn address(value: &Node<'_>) -> usize {
    std::ptr::from_ref(value).cast::<()>() as usize
}
