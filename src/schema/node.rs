//! A candidate's values as `jsonschema` reads them.
//!
//! Every accessor counts as a step of work. When the budget ends, the step unwinds (without a
//! panic message: nothing is wrong) and [`Scope::run`] turns that into [`Exhausted`], so that an
//! unfinished validation can never be taken for a verdict.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::JsonType;
use jsonschema::json::{self, JsonNumber, NodeIdentity};
use serde_json::Value;

use super::graph::Id;
use super::names::{NameMarks, unmarked};
use super::stack::{Stack, on_large_stack};
use crate::budget::{Budget, Exhausted};
use crate::json::{Node, Number, Object};

/// The representation.
pub(super) struct Data;

/// The resources of one validation.
pub(super) struct Scope<'g> {
    budget: &'g Budget,
    marks: NameMarks<'g>,
    /// Marked names by the address of the name.
    marked: RefCell<HashMap<usize, String>>,
    stack: Stack,
    /// Steps that may still be made, whatever the time.
    steps_left: Cell<u64>,
    steps: Cell<u64>,
    /// Bytes that faults and marked names may still take, about.
    bytes_left: Cell<usize>,
    /// Faults are looked for, not the verdict alone.
    listing: Cell<bool>,
}

/// Bytes that one fault takes, about, without its pointer.
const FAULT_BYTES: usize = 512;

/// Digits of an index, as a rule.
const INDEX_BYTES: usize = 5;

/// Bytes that the marked names of one validation may take.
const MAX_MARKED_BYTES: usize = 24 << 20;

/// The reason why a validation unwound.
struct Unwound(WalkStop);

impl From<Exhausted> for WalkStop {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

/// Runs work where it is called, and where that has too little stack on a thread with plenty.
pub(super) fn roomy<T: Send>(
    budget: &Budget,
    work: impl Fn(&Budget, Stack) -> Result<T, WalkStop> + Sync,
) -> Result<T, Exhausted> {
    match work(budget, Stack::here()) {
        Ok(done) => Ok(done),
        Err(WalkStop::Stack) => {
            let (apart, work) = (budget.clone(), &work);
            match on_large_stack(move |stack| work(&apart, stack)) {
                Some(done) => done.map_err(|_| Exhausted),
                None => Err(budget.note_no_thread()),
            }
        }
        Err(WalkStop::Exhausted | WalkStop::Steps) => Err(Exhausted),
    }
}

/// The reason why a validation did not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkStop {
    /// The budget ended.
    Exhausted,
    /// It needs more stack.
    Stack,
    /// It took more steps than it was given.
    Steps,
}

impl<'g> Scope<'g> {
    pub(super) fn new(budget: &'g Budget, marks: NameMarks<'g>, stack: Stack) -> Self {
        Self {
            budget,
            marks,
            marked: RefCell::default(),
            stack,
            steps_left: Cell::new(u64::MAX),
            steps: Cell::new(0),
            bytes_left: Cell::new(MAX_MARKED_BYTES),
            listing: Cell::new(false),
        }
    }

    /// Faults are looked for from here on, with a bound on the steps and on the bytes that the
    /// faults take.
    pub(super) fn list_within(&self, steps: u64, bytes: usize) {
        self.listing.set(true);
        self.steps_left.set(steps);
        self.bytes_left.set(bytes);
    }

    /// A fault may list the names of an object that are not allowed.
    fn note_name(&self, name: &str) {
        if self.listing.get() {
            self.take(size_of::<String>() + name.len());
        }
    }

    /// Bytes that are kept until the validation ends.
    fn take(&self, bytes: usize) {
        match self.bytes_left.get().checked_sub(bytes) {
            Some(left) => self.bytes_left.set(left),
            None => resume_unwind(Box::new(Unwound(WalkStop::Steps))),
        }
    }

    /// Steps made so far.
    pub(super) const fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Runs work on nodes of this scope.
    pub(super) fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, WalkStop> {
        // State that an unwinding leaves behind belongs to one call: a scope is not used again.
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
            match payload.downcast::<Unwound>() {
                Ok(unwound) => unwound.0,
                Err(panic) => resume_unwind(panic),
            }
        })
    }

    /// One step of work; unwinds where it is one too many.
    pub(super) fn step(&self) {
        self.steps.set(self.steps.get() + 1);
        let left = self.steps_left.get();
        if left == 0 {
            resume_unwind(Box::new(Unwound(WalkStop::Steps)));
        }
        self.steps_left.set(left - 1);
        if self.stack.is_spent() {
            resume_unwind(Box::new(Unwound(WalkStop::Stack)));
        }
        self.need(self.budget.tick());
    }

    fn need<T>(&self, result: Result<T, Exhausted>) -> T {
        result.unwrap_or_else(|Exhausted| resume_unwind(Box::new(Unwound(WalkStop::Exhausted))))
    }

    fn marked<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if self.marks.of_names.is_empty() {
            return self.need(self.marks.mark(name, self.budget));
        }
        let place = name.as_ptr() as usize;
        if let Some(marked) = self.marked.borrow().get(&place)
            && unmarked(marked) == name
        {
            return Cow::Owned(marked.clone());
        }
        let marked = self.need(self.marks.mark(name, self.budget)).into_owned();
        self.take(marked.len());
        self.marked.borrow_mut().insert(place, marked.clone());
        Cow::Owned(marked)
    }
}

/// A value with the number of the schema that it is held to.
pub(super) struct Entry<'a> {
    name: String,
    node: &'a Node<'a>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(id: Id, node: &'a Node<'a>) -> Self {
        Self {
            name: id.to_string(),
            node,
        }
    }

    /// The number as a property of the document.
    fn name(&self) -> &str {
        &self.name
    }
}

/// A value, a property name, or values as the properties of an object.
#[derive(Clone, Copy)]
pub(super) struct DataNode<'a> {
    kind: Kind<'a>,
    scope: Option<&'a Scope<'a>>,
    /// Bytes of the pointer that leads here, about: every fault has a copy.
    path: u32,
}

#[derive(Clone, Copy)]
enum Kind<'a> {
    Value(&'a Node<'a>),
    Name(&'a str),
    Entries(&'a [Entry<'a>]),
}

impl<'a> DataNode<'a> {
    /// An object that has each value as the property of its schema's number.
    pub(super) const fn entries(entries: &'a [Entry<'a>], scope: &'a Scope<'a>) -> Self {
        Self {
            kind: Kind::Entries(entries),
            scope: Some(scope),
            path: 0,
        }
    }

    /// True if it is an object without a property.
    pub(super) fn lacks(&self, name: &str) -> bool {
        self.step();
        let object = self.value().and_then(Node::as_object);
        object.is_some_and(|object| object.get(name).is_none())
    }

    fn step(&self) {
        if let Some(scope) = self.scope {
            scope.step();
        }
    }

    const fn value(&self) -> Option<&'a Node<'a>> {
        match self.kind {
            Kind::Value(node) => Some(node),
            Kind::Name(_) | Kind::Entries(_) => None,
        }
    }

    /// The text of a string.
    pub(super) fn text(&self) -> Option<&'a str> {
        self.step();
        match self.kind {
            Kind::Value(node) => node.as_str(),
            Kind::Name(name) => Some(name),
            Kind::Entries(_) => None,
        }
    }

    /// Work that ends with the budget of the validation.
    pub(super) fn within_budget<T>(&self, work: impl FnOnce(&Budget) -> Result<T, Exhausted>) -> T {
        match self.scope {
            Some(scope) => scope.need(work(scope.budget)),
            None => match work(&Budget::unlimited()) {
                Ok(value) => value,
                Err(Exhausted) => resume_unwind(Box::new(Unwound(WalkStop::Exhausted))),
            },
        }
    }
}

impl json::Json for Data {
    type Node<'a> = DataNode<'a>;
    type PreparedKey = String;
    const ACYCLIC: bool = true;
    type StringBuffer = String;

    fn prepare_key(key: &str) -> String {
        unmarked(key).into_owned()
    }

    fn with_string_node<T>(
        buffer: &mut String,
        string: &str,
        f: impl FnOnce(DataNode<'_>) -> T,
    ) -> T {
        string.clone_into(buffer);
        f(DataNode {
            kind: Kind::Name(buffer),
            scope: None,
            path: 0,
        })
    }
}

impl<'a> json::Node<'a, Data> for DataNode<'a> {
    type Object = DataObject<'a>;
    type Array = DataArray<'a>;
    type Number = DataNumber<'a>;

    fn as_object(&self) -> Option<DataObject<'a>> {
        self.step();
        Some(DataObject {
            object: match self.kind {
                Kind::Value(node) => Members::Of(node.as_object()?),
                Kind::Entries(entries) => Members::Entries(entries),
                Kind::Name(_) => return None,
            },
            scope: self.scope,
            path: self.path,
        })
    }

    fn as_array(&self) -> Option<DataArray<'a>> {
        self.step();
        Some(DataArray {
            items: self.value()?.as_array()?,
            scope: self.scope,
            path: self.path,
        })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.text().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<DataNumber<'a>> {
        self.step();
        match self.value()? {
            Node::Number(number) => Some(DataNumber(*number)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        self.step();
        match self.value()? {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        self.step();
        matches!(self.value(), Some(Node::Null))
    }

    fn json_type(&self) -> JsonType {
        self.step();
        match self.kind {
            Kind::Name(_) | Kind::Value(Node::String(_)) => JsonType::String,
            Kind::Value(Node::Null) => JsonType::Null,
            Kind::Value(Node::Bool(_)) => JsonType::Boolean,
            Kind::Value(Node::Number(_)) => JsonType::Number,
            Kind::Value(Node::Array(_)) => JsonType::Array,
            Kind::Value(Node::Object(_)) | Kind::Entries(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.step();
        match self.kind {
            Kind::Name(name) => expected.as_str() == Some(name),
            Kind::Value(node) => equals(node, expected, self.scope),
            Kind::Entries(_) => false,
        }
    }

    /// Called once for each fault that is found, nowhere else.
    fn to_value(&self) -> Cow<'a, Value> {
        if let Some(scope) = self.scope {
            let name = match self.kind {
                Kind::Name(name) => name.len(),
                Kind::Value(_) | Kind::Entries(_) => 0,
            };
            scope.take(FAULT_BYTES + self.path as usize + name);
        }
        Cow::Owned(match self.kind {
            Kind::Name(name) => Value::String(name.to_owned()),
            // Only errors read it, and the errors of this crate do not quote values.
            Kind::Value(_) | Kind::Entries(_) => Value::Null,
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let node = self.value()?;
        Some(NodeIdentity::new(std::ptr::from_ref(node) as usize))
    }
}

/// JSON Schema's equality: numbers by value, objects without order.
pub(super) fn equals(node: &Node<'_>, expected: &Value, scope: Option<&Scope<'_>>) -> bool {
    if let Some(scope) = scope {
        scope.step();
    }
    match (node, expected) {
        (Node::Null, Value::Null) => true,
        (Node::Bool(left), Value::Bool(right)) => left == right,
        (Node::String(left), Value::String(right)) => left == right,
        (Node::Number(left), Value::Number(right)) => same_number(left, right),
        (Node::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equals(left, right, scope))
        }
        (Node::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && right.iter().all(|(key, right)| {
                    left.get(key).is_some_and(|left| equals(left, right, scope))
                })
        }
        _ => false,
    }
}

fn same_number(left: &Number<'_>, right: &serde_json::Number) -> bool {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left == right,
        // One of them is no integer, or the schema's lies past every integer of a candidate:
        // doubles tell them apart.
        _ => right.as_f64() == Some(left.as_f64()),
    }
}

pub(super) struct DataNumber<'a>(Number<'a>);

impl JsonNumber for DataNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.as_i64()
            .and_then(|integer| u64::try_from(integer).ok())
    }

    fn as_i64(&self) -> Option<i64> {
        match self.0.as_i64() {
            // Negative zero is the integer 0 to JSON Schema.
            None if self.0.as_f64() == 0.0 => Some(0),
            integer => integer,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0.as_f64())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.text())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(self.0.to_serde())
    }

    fn is_integer(&self) -> bool {
        self.0.as_f64().fract() == 0.0
    }

    fn is_written_as_integer(&self) -> bool {
        !self.0.text().contains(['.', 'e', 'E'])
    }
}

pub(super) struct DataObject<'a> {
    object: Members<'a>,
    scope: Option<&'a Scope<'a>>,
    path: u32,
}

#[derive(Clone, Copy)]
enum Members<'a> {
    Of(&'a Object<'a>),
    Entries(&'a [Entry<'a>]),
}

/// The bytes of a pointer with one more token.
fn longer(path: u32, token: usize) -> u32 {
    path.saturating_add(u32::try_from(token).unwrap_or(u32::MAX))
        .saturating_add(1)
}

impl<'a> json::Object<'a, Data> for DataObject<'a> {
    type Node = DataNode<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = DataMembers<'a>;

    fn len(&self) -> usize {
        match self.object {
            Members::Of(object) => object.len(),
            Members::Entries(entries) => entries.len(),
        }
    }

    fn get(&self, key: &String) -> Option<DataNode<'a>> {
        if let Some(scope) = self.scope {
            scope.step();
        }
        let node = match self.object {
            Members::Of(object) => object.get(key)?,
            Members::Entries(entries) => entries.iter().find(|entry| entry.name == *key)?.node,
        };
        Some(DataNode {
            kind: Kind::Value(node),
            scope: self.scope,
            path: longer(self.path, key.len()),
        })
    }

    fn members(&self) -> DataMembers<'a> {
        DataMembers {
            members: match self.object {
                Members::Of(object) => MembersLeft::Of(object.iter()),
                Members::Entries(entries) => MembersLeft::Entries(entries.iter()),
            },
            scope: self.scope,
            path: self.path,
        }
    }

    fn try_for_each_name_node<B>(
        &self,
        _buffer: &mut String,
        mut f: impl FnMut(DataNode<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Members::Of(object) = self.object else {
            return ControlFlow::Continue(());
        };
        for (name, _) in object {
            f(DataNode {
                kind: Kind::Name(name),
                scope: self.scope,
                path: self.path,
            })?;
        }
        ControlFlow::Continue(())
    }
}

pub(super) struct DataMembers<'a> {
    members: MembersLeft<'a>,
    scope: Option<&'a Scope<'a>>,
    path: u32,
}

enum MembersLeft<'a> {
    Of(std::slice::Iter<'a, (Cow<'a, str>, Node<'a>)>),
    Entries(std::slice::Iter<'a, Entry<'a>>),
}

impl<'a> Iterator for DataMembers<'a> {
    type Item = (Cow<'a, str>, DataNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, node) = match &mut self.members {
            MembersLeft::Of(members) => {
                let (name, node) = members.next()?;
                let name = name.as_ref();
                match self.scope {
                    Some(scope) => {
                        scope.step();
                        scope.note_name(name);
                        (scope.marked(name), node)
                    }
                    None => (Cow::Borrowed(name), node),
                }
            }
            // No name of the data's: there is nothing to mark.
            MembersLeft::Entries(entries) => {
                let entry = entries.next()?;
                (Cow::Borrowed(entry.name()), entry.node)
            }
        };
        let path = longer(self.path, name.len());
        let node = DataNode {
            kind: Kind::Value(node),
            scope: self.scope,
            path,
        };
        Some((name, node))
    }
}

pub(super) struct DataArray<'a> {
    items: &'a [Node<'a>],
    scope: Option<&'a Scope<'a>>,
    path: u32,
}

impl<'a> json::Array<'a, Data> for DataArray<'a> {
    type Node = DataNode<'a>;
    type ElementsIter = DataElements<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> DataElements<'a> {
        DataElements {
            items: self.items.iter(),
            scope: self.scope,
            path: longer(self.path, INDEX_BYTES),
        }
    }

    fn is_unique(&self) -> bool {
        // Equal items have equal hashes; the keys of the hash are random, so that nobody can
        // choose items that collide.
        let state = RandomState::new();
        let mut by_hash: HashMap<u64, Vec<&Node<'_>>> = HashMap::with_capacity(self.items.len());
        for item in self.items {
            let alike = by_hash.entry(hash(item, &state, self.scope)).or_default();
            if alike.iter().any(|other| same(item, other)) {
                return false;
            }
            alike.push(item);
        }
        true
    }
}

fn hash(node: &Node<'_>, state: &RandomState, scope: Option<&Scope<'_>>) -> u64 {
    if let Some(scope) = scope {
        scope.step();
    }
    match node {
        Node::Null => state.hash_one(0),
        Node::Bool(value) => state.hash_one((1, value)),
        // Both zeros are equal.
        Node::Number(number) => state.hash_one((2, (number.as_f64() + 0.0).to_bits())),
        Node::String(text) => state.hash_one((3, text)),
        Node::Array(items) => {
            let items: Vec<u64> = items.iter().map(|item| hash(item, state, scope)).collect();
            state.hash_one((4, items))
        }
        Node::Object(object) => {
            let sum = object.iter().fold(0u64, |sum, (key, value)| {
                sum.wrapping_add(state.hash_one((key, hash(value, state, scope))))
            });
            state.hash_one((5, sum))
        }
    }
}

fn same(left: &Node<'_>, right: &Node<'_>) -> bool {
    match (left, right) {
        (Node::Number(left), Node::Number(right)) => left.as_f64() == right.as_f64(),
        (Node::Array(left), Node::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Node::Object(left), Node::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        (Node::Null, Node::Null) => true,
        (Node::Bool(left), Node::Bool(right)) => left == right,
        (Node::String(left), Node::String(right)) => left == right,
        _ => false,
    }
}

pub(super) struct DataElements<'a> {
    items: std::slice::Iter<'a, Node<'a>>,
    scope: Option<&'a Scope<'a>>,
    path: u32,
}

impl<'a> Iterator for DataElements<'a> {
    type Item = DataNode<'a>;

    fn next(&mut self) -> Option<DataNode<'a>> {
        let node = self.items.next()?;
        if let Some(scope) = self.scope {
            scope.step();
        }
        Some(DataNode {
            kind: Kind::Value(node),
            scope: self.scope,
            path: self.path,
        })
    }
}
