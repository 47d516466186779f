//! Places in the data as a schema sees them: which values can stand there, and what it says
//! to the rules of evidence (`enum`, `const`, formats of dates, `x-evidence`).
//!
//! A configuration is checked against all schemas that could apply; a value is checked against those
//! that do apply to it, as with descriptions.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Id, Link};
use super::kinds::Kinds;
use super::node::{WalkStop, roomy};
use super::stack::Stack;
use super::validation::Checker;
use super::{Schema, Selection};
use crate::budget::{Budget, Exhausted};
use crate::candidate::{EvidenceLevel, EvidenceRule};
use crate::json::Node;
use crate::text::array_index;

impl EvidenceLevel {
    const fn strictness(self) -> u8 {
        match self {
            Self::Any => 0,
            Self::Bound => 1,
            Self::Exact => 2,
        }
    }
}

/// The stricter of levels.
fn strictest(levels: impl Iterator<Item = EvidenceLevel>) -> Option<EvidenceLevel> {
    levels.max_by_key(|level| level.strictness())
}

/// All that a schema could apply, read once for a configuration.
struct Possible<'g> {
    graph: &'g Graph,
    kinds: HashMap<Id, Kinds>,
}

/// A step from a value to one that it holds.
enum Step<'a> {
    Name(&'a str),
    AnyItem,
}

impl<'g> Possible<'g> {
    fn new(graph: &'g Graph) -> Self {
        Self {
            graph,
            kinds: HashMap::new(),
        }
    }

    /// The schemas with all that could apply to the same value.
    fn closed(&self, ids: &[Id]) -> Vec<Id> {
        let mut open = ids.to_vec();
        let mut seen: HashSet<Id> = HashSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            for (link, target) in &self.graph.nodes[id].links {
                if link.is_in_place() && *link != Link::Not {
                    open.push(*target);
                }
            }
        }
        let mut closed: Vec<Id> = seen.into_iter().collect();
        closed.sort_unstable();
        closed
    }

    /// Returns the schemas of the children that a step leads to, from closed schemas.
    fn step(&self, closed: &[Id], step: &Step<'_>) -> Vec<Id> {
        let mut found = Vec::new();
        for id in closed {
            let node = &self.graph.nodes[*id];
            let named = |name: &str| {
                let links = node.links.iter();
                links
                    .filter(|(link, _)| matches!(link, Link::Property(known) if known == name))
                    .map(|(_, id)| *id)
                    .collect::<Vec<_>>()
            };
            match step {
                Step::Name(name) => {
                    let index = array_index(name);
                    let mut properties = named(name);
                    if properties.is_empty() {
                        properties.extend(node.links.iter().filter_map(|(link, id)| {
                            match link {
                                Link::PatternProperty(pattern) => self.graph.patterns[*pattern]
                                    .is_match(name, &Budget::unlimited())
                                    .unwrap_or(true)
                                    .then_some(*id),
                                Link::AdditionalProperties | Link::UnevaluatedProperties => {
                                    Some(*id)
                                }
                                _ => None,
                            }
                        }));
                    }
                    found.append(&mut properties);
                    let items = node.links.iter().filter_map(|(link, id)| match link {
                        Link::PrefixItem(at) => (index == Some(*at)).then_some(*id),
                        Link::Items(from) => {
                            index.is_some_and(|index| index >= *from).then_some(*id)
                        }
                        _ => None,
                    });
                    found.extend(items);
                    if *name == "*" {
                        found.extend(self.step(&[*id], &Step::AnyItem));
                    }
                }
                Step::AnyItem => {
                    found.extend(node.links.iter().filter_map(|(link, id)| match link {
                        Link::PrefixItem(_) | Link::Items(_) | Link::UnevaluatedItems => Some(*id),
                        _ => None,
                    }));
                }
            }
        }
        found.retain(|id| self.graph.nodes[*id].boolean != Some(false));
        found
    }

    /// Returns whether values of these schemas may have members that no schema names.
    fn is_free(&mut self, closed: &[Id], token: &str) -> bool {
        let names = |wanted: fn(&Link) -> bool| {
            let links = closed.iter().flat_map(|id| &self.graph.nodes[*id].links);
            links.into_iter().any(|(link, _)| wanted(link))
        };
        let object = !names(|link| {
            matches!(
                link,
                Link::Property(_)
                    | Link::PatternProperty(_)
                    | Link::AdditionalProperties
                    | Link::UnevaluatedProperties
            )
        });
        let array = !names(|link| {
            matches!(
                link,
                Link::PrefixItem(_) | Link::Items(_) | Link::UnevaluatedItems
            )
        });
        let kinds = self.kinds_of(closed);
        let item = token == "*" || array_index(token).is_some();
        (object && kinds.has(Kinds::OBJECT)) || (array && item && kinds.has(Kinds::ARRAY))
    }

    /// Returns the schemas of a place; `None` if no value can be there; empty if any value can.
    fn place(&mut self, tokens: &[String]) -> Option<Vec<Id>> {
        let (field, rest) = tokens.split_first()?;
        let root = &self.graph.nodes[self.graph.root];
        let field = root.links.iter().find_map(|(link, id)| match link {
            Link::Property(name) if name == field => Some(*id),
            _ => None,
        })?;
        let mut ids = vec![field];
        for token in rest {
            let closed = self.closed(&ids);
            let next = self.step(&closed, &Step::Name(token));
            if next.is_empty() {
                return self.is_free(&closed, token).then(Vec::new);
            }
            ids = next;
        }
        Some(ids)
    }

    /// Returns the kinds of values to which one of some schemas applies.
    fn kinds_of(&mut self, ids: &[Id]) -> Kinds {
        if ids.is_empty() {
            return Kinds::ALL;
        }
        ids.iter()
            .fold(Kinds::NONE, |kinds, id| kinds.or(self.kinds(*id)))
    }

    fn kinds(&mut self, id: Id) -> Kinds {
        if let Some(kinds) = self.kinds.get(&id) {
            return *kinds;
        }
        // The value for a reference that leads back here before the kinds are known.
        self.kinds.insert(id, Kinds::ALL);
        let node = &self.graph.nodes[id];
        if let Some(verdict) = node.boolean {
            let kinds = if verdict { Kinds::ALL } else { Kinds::NONE };
            self.kinds.insert(id, kinds);
            return kinds;
        }
        let mut kinds = node.kinds;
        let links = node.links.iter();
        let links: Vec<(Link, Id)> = links
            .filter(|(link, _)| matches!(link, Link::Ref | Link::AllOf | Link::AnyOf | Link::OneOf))
            .cloned()
            .collect();
        for branches in [Link::AnyOf, Link::OneOf] {
            let mut any = None;
            for (_, id) in links.iter().filter(|(link, _)| *link == branches) {
                let branch = self.kinds(*id);
                any = Some(any.map_or(branch, |kinds: Kinds| kinds.or(branch)));
            }
            kinds = kinds.and(any.unwrap_or(Kinds::ALL));
        }
        for (link, id) in &links {
            if matches!(link, Link::Ref | Link::AllOf) {
                kinds = kinds.and(self.kinds(*id));
            }
        }
        self.kinds.insert(id, kinds);
        kinds
    }

    /// The children of values of closed schemas, by name, and by index as `*`.
    fn children(&self, closed: &[Id]) -> Vec<(String, Vec<Id>)> {
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        for id in closed {
            for (link, _) in &self.graph.nodes[*id].links {
                let name = match link {
                    Link::Property(name) => name.as_str(),
                    Link::PrefixItem(_)
                    | Link::Items(_)
                    | Link::UnevaluatedItems
                    | Link::PatternProperty(_)
                    | Link::AdditionalProperties => "*",
                    _ => continue,
                };
                if seen.insert(name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
            .into_iter()
            .map(|name| {
                let mut ids = self.step(closed, &Step::Name(&name));
                if name == "*" {
                    let maps = closed.iter().flat_map(|id| &self.graph.nodes[*id].links);
                    ids.extend(maps.filter_map(|(link, id)| {
                        matches!(link, Link::PatternProperty(_) | Link::AdditionalProperties)
                            .then_some(*id)
                    }));
                    ids.retain(|id| self.graph.nodes[*id].boolean != Some(false));
                }
                (name, ids)
            })
            .collect()
    }
}

/// Looks for places whose level is exact and that can never be.
struct NeverExact<'g, 'r> {
    possible: Possible<'g>,
    rules: &'r [EvidenceRule],
    seen: HashSet<(Vec<Id>, Option<EvidenceLevel>)>,
    place: Vec<String>,
}

impl NeverExact<'_, '_> {
    /// The first such place at or below this one; `above` is the level that it has from there,
    /// with the length of what gave it.
    fn find(&mut self, ids: &[Id], above: (usize, EvidenceLevel)) -> Option<String> {
        let closed = self.possible.closed(ids);
        let place: Vec<Cow<'_, str>> = self.place.iter().map(|s| Cow::Borrowed(&**s)).collect();
        let mut level = above;
        let marks = closed
            .iter()
            .filter_map(|id| self.possible.graph.nodes[*id].evidence);
        if let Some(mark) = strictest(marks) {
            level = (place.len(), mark);
        }
        let longest = self
            .rules
            .iter()
            .filter(|rule| rule.covers(&place) && rule.tokens.len() >= level.0)
            .max_by_key(|rule| rule.tokens.len());
        if let Some(rule) = longest {
            level = (rule.tokens.len(), rule.level);
        }
        let live = self
            .rules
            .iter()
            .any(|rule| rule.tokens.len() > place.len());
        if !live && !self.seen.insert((closed.clone(), Some(level.1))) {
            return None;
        }
        // References nest without end; no rule is longer than this.
        const DEEPEST: usize = 64;
        if place.len() > DEEPEST {
            return None;
        }
        let kinds = self.possible.kinds_of(ids);
        if level.1 == EvidenceLevel::Exact
            && !kinds.has(Kinds::PROVABLE)
            && !kinds.has(Kinds::CONTAINERS)
        {
            let mut pointer = String::new();
            for token in &self.place {
                crate::text::push_token(&mut pointer, token);
            }
            return Some(pointer);
        }
        for (name, ids) in self.possible.children(&closed) {
            self.place.push(name);
            let found = self.find(&ids, level);
            self.place.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

impl Schema {
    /// Returns whether the schema has `x-evidence` anywhere.
    pub(crate) fn has_evidence_marks(&self) -> bool {
        self.inner.snapshot.evidence_marks
    }

    /// True if some property can match a pointer, given by its tokens.
    pub(crate) fn has_place(&self, tokens: &[String]) -> bool {
        let graph = &self.inner.checker().graph;
        Possible::new(graph).place(tokens).is_some()
    }

    /// The pointer of a place that has the level `exact` and can hold neither a string nor a
    /// number.
    pub(crate) fn never_exact(
        &self,
        rules: &[EvidenceRule],
        default: EvidenceLevel,
    ) -> Option<String> {
        let graph = &self.inner.checker().graph;
        let mut search = NeverExact {
            possible: Possible::new(graph),
            rules,
            seen: HashSet::new(),
            place: Vec::new(),
        };
        if let Some(found) = search.find(&[graph.root], (0, default)) {
            return Some(found);
        }
        // Pointers may name what the walk does not: one index, one key of a map.
        for rule in rules {
            let ids = search.possible.place(&rule.tokens).unwrap_or_default();
            if ids.is_empty() {
                continue;
            }
            search.place.clone_from(&rule.tokens);
            search.seen.clear();
            if let Some(found) = search.find(&ids, (rule.tokens.len(), rule.level)) {
                return Some(found);
            }
        }
        None
    }
}

/// True if a value is or holds a null.
fn has_null(value: &Node<'_>) -> bool {
    match value {
        Node::Null => true,
        Node::Array(items) => items.iter().any(has_null),
        Node::Object(object) => object.iter().any(|(_, value)| has_null(value)),
        _ => false,
    }
}

impl Possible<'_> {
    /// Takes out the nulls of optional properties that admit none.
    fn drop_nulls(
        &mut self,
        ids: &[Id],
        required: &dyn Fn(&str) -> bool,
        value: &mut Node<'_>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let closed = self.closed(ids);
        let nodes = &self.graph.nodes;
        // Every name is looked for among all that could apply.
        let here = |id: &Id| 1 + nodes[*id].links.len() + nodes[*id].required.len();
        let work = closed.iter().map(here).sum::<usize>()
            * value.as_object().map_or(1, |object| 1 + object.len());
        for _ in 0..=work / 32 {
            budget.tick()?;
        }
        let mut outcome = Ok(());
        let required_here = |name: &str| {
            required(name)
                || closed.iter().any(|id| {
                    let mut names = nodes[*id].required.iter();
                    names.any(|known| **known == *name)
                })
        };
        match value {
            Node::Object(object) => object.retain(|name, value| {
                if !has_null(value) {
                    return true;
                }
                let declared = closed.iter().any(|id| {
                    let links = nodes[*id].links.iter();
                    links
                        .into_iter()
                        .any(|(link, _)| matches!(link, Link::Property(known) if known == name))
                });
                let below = self.step(&closed, &Step::Name(name));
                if matches!(value, Node::Null) {
                    let admits = self.kinds_of(&below).has(Kinds::NULL);
                    return !declared || admits || required_here(name);
                }
                if outcome.is_ok() {
                    outcome = self.drop_nulls(&below, &|_| false, value, budget);
                }
                true
            }),
            Node::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    if has_null(item) {
                        let below = self.step(&closed, &Step::Name(&at.to_string()));
                        self.drop_nulls(&below, &|_| false, item, budget)?;
                    }
                }
            }
            _ => {}
        }
        outcome
    }
}

impl Selection {
    /// Takes out of a candidate's data the nulls that stand for absent optional properties: those
    /// whose schemas do not admit null.
    ///
    /// # Errors
    /// [`Exhausted`] when the budget ends first.
    pub(crate) fn drop_absent(
        &self,
        data: &mut Node<'_>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        if !has_null(data) {
            return Ok(());
        }
        let graph = &self.checker().graph;
        let root = [graph.root];
        Possible::new(graph).drop_nulls(&root, &|name| self.is_required(name), data, budget)
    }
}

/// The schemas that apply to a value.
struct Applied<'c> {
    checker: &'c Checker,
    budget: &'c Budget,
    stack: Stack,
}

impl Applied<'_> {
    /// Adds all schemas that apply to the same value.
    fn closed(&self, ids: &[Id], value: &Node<'_>) -> Result<Vec<Id>, WalkStop> {
        let mut open = ids.to_vec();
        let mut closed = Vec::new();
        let mut seen = HashSet::new();
        let satisfies = |id: Id| self.checker.satisfies(id, value, self.budget, self.stack);
        while let Some(id) = open.pop() {
            self.budget.tick()?;
            if !seen.insert(id) {
                continue;
            }
            closed.push(id);
            let node = &self.checker.graph.nodes[id];
            for (link, target) in &node.links {
                match link {
                    Link::Ref | Link::AllOf => open.push(*target),
                    // A branch is validated only if the result depends on it.
                    Link::AnyOf | Link::OneOf
                        if self.checker.graph.nodes[*target].binds && satisfies(*target)? =>
                    {
                        open.push(*target);
                    }
                    Link::If if node.binds => {
                        if satisfies(*target)? {
                            open.push(*target);
                            open.extend(node.one(&Link::Then));
                        } else {
                            open.extend(node.one(&Link::Else));
                        }
                    }
                    Link::DependentSchema(name)
                        if value
                            .as_object()
                            .is_some_and(|object| object.get(name).is_some()) =>
                    {
                        open.push(*target);
                    }
                    _ => {}
                }
            }
        }
        Ok(closed)
    }

    fn step(&self, closed: &[Id], token: &str, held: &Node<'_>) -> Result<Vec<Id>, WalkStop> {
        let mut found = Vec::new();
        let index = match held {
            Node::Array(_) => array_index(token),
            _ => None,
        };
        for id in closed {
            let node = &self.checker.graph.nodes[*id];
            let mut rest = None;
            let mut named = false;
            for (link, target) in &node.links {
                match (link, index) {
                    (Link::Property(name), None) if name == token => {
                        named = true;
                        found.push(*target);
                    }
                    (Link::PatternProperty(pattern), None) => {
                        let pattern = &self.checker.graph.patterns[*pattern];
                        if pattern.is_match(token, self.budget)? {
                            named = true;
                            found.push(*target);
                        }
                    }
                    (Link::AdditionalProperties, None) => rest = Some(*target),
                    (Link::PrefixItem(at), Some(index)) if *at == index => found.push(*target),
                    (Link::Items(from), Some(index)) if index >= *from => found.push(*target),
                    _ => {}
                }
            }
            if !named {
                found.extend(rest);
            }
        }
        Ok(found)
    }
}

impl Selection {
    /// Visits the schemas that apply along the way to a value, place by place from the root;
    /// `place` is its pointer behind `/data`.
    fn along<T: Default + Send>(
        &self,
        data: &Node<'_>,
        place: &[Cow<'_, str>],
        budget: &Budget,
        visit: impl Fn(&mut T, &Graph, usize, &[Id]) + Sync,
    ) -> Result<T, Exhausted> {
        let checker = self.checker();
        roomy(budget, |budget, stack| {
            let applied = Applied {
                checker,
                budget,
                stack,
            };
            let mut seen = T::default();
            let mut ids = vec![checker.graph.root];
            let mut value = data;
            for depth in 0..=place.len() {
                let closed = applied.closed(&ids, value)?;
                visit(&mut seen, &checker.graph, depth, &closed);
                let Some(token) = place.get(depth) else { break };
                let next = match value {
                    Node::Object(object) => object.get(token),
                    Node::Array(items) => array_index(token).and_then(|at| items.get(at)),
                    _ => None,
                };
                let Some(next) = next else { break };
                ids = applied.step(&closed, token, value)?;
                value = next;
            }
            Ok(seen)
        })
    }

    /// The level that `x-evidence` gives a value, with the depth at which it stands: the deepest
    /// counts, of several the strictest.
    pub(crate) fn evidence_mark(
        &self,
        data: &Node<'_>,
        place: &[Cow<'_, str>],
        budget: &Budget,
    ) -> Result<Option<(usize, EvidenceLevel)>, Exhausted> {
        self.along(data, place, budget, |mark, graph, depth, ids| {
            let levels = ids.iter().filter_map(|id| graph.nodes[*id].evidence);
            if let Some(level) = strictest(levels) {
                *mark = Some((depth, level));
            }
        })
    }

    /// True if the schema gives the text of a value, by `enum` or `const`, or its form, by a
    /// format of dates and times.
    pub(crate) fn gives_text(
        &self,
        data: &Node<'_>,
        place: &[Cow<'_, str>],
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let last = place.len();
        self.along(data, place, budget, |gives, graph, depth, ids| {
            if depth < last {
                return;
            }
            *gives = ids.iter().any(|id| graph.nodes[*id].gives_text);
        })
    }
}
