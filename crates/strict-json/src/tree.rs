//! The tree of a candidate.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::pointer::{array_index, unescape_token};
use crate::{Kind, Number};

/// One JSON value, borrowed from the text where it can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that a double keeps.
    Number(Number<'t>),
    /// A string without escapes left in it.
    String(Cow<'t, str>),
    /// An array.
    Array(Vec<Node<'t>>),
    /// An object.
    Object(Object<'t>),
}

/// An object with its keys in the text's order.
#[derive(Debug, Clone, Default)]
pub struct Object<'t> {
    entries: Vec<(Cow<'t, str>, Node<'t>)>,
    /// Present once there are enough entries for it to pay.
    index: Option<Index>,
}

/// The positions of entries by their keys.
#[derive(Debug, Clone)]
struct Index {
    /// Seeded by chance for each object, so that no text can be written for it.
    hasher: DefaultHashBuilder,
    positions: HashTable<u32>,
}

/// From here on an index is faster than a look at every key.
const INDEX_FROM: usize = 9;

impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<'t> Object<'t> {
    /// Builds an object; the second part lists the positions of keys that came before.
    pub(crate) fn new(entries: Vec<(Cow<'t, str>, Node<'t>)>) -> (Self, Vec<usize>) {
        let mut duplicates = Vec::new();
        if entries.len() < INDEX_FROM {
            for (i, (key, _)) in entries.iter().enumerate() {
                if entries[..i].iter().any(|(other, _)| other == key) {
                    duplicates.push(i);
                }
            }
            let index = None;
            return (Self { entries, index }, duplicates);
        }
        let hasher = DefaultHashBuilder::default();
        let mut positions = HashTable::with_capacity(entries.len());
        let key_at = |&at: &u32| entries[at as usize].0.as_ref();
        for (i, (key, _)) in (0u32..).zip(&entries) {
            let hash = hasher.hash_one(key.as_ref());
            let same = |at: &u32| key_at(at) == key.as_ref();
            match positions.entry(hash, same, |at| hasher.hash_one(key_at(at))) {
                hashbrown::hash_table::Entry::Occupied(_) => duplicates.push(i as usize),
                hashbrown::hash_table::Entry::Vacant(free) => {
                    free.insert(i);
                }
            }
        }
        let index = Some(Index { hasher, positions });
        (Self { entries, index }, duplicates)
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node<'t>> {
        let Some(Index { hasher, positions }) = &self.index else {
            return self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| v);
        };
        let same = |&at: &u32| self.entries[at as usize].0 == key;
        let found = positions.find(hasher.hash_one(key), same)?;
        Some(&self.entries[*found as usize].1)
    }

    /// The number of entries.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are no entries.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key, to be changed.
    #[inline]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node<'t>> {
        let mut entries = self.entries.iter_mut();
        entries.find(|(k, _)| k == key).map(|(_, value)| value)
    }

    /// Takes out the entries for which a rule does not hold.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Node<'t>) -> bool) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain_mut(|(key, value)| keep(key, value));
        *self = Self::new(entries).0;
    }

    /// The entries in the text's order.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, (Cow<'t, str>, Node<'t>)> {
        self.entries.iter()
    }
}

impl<'a, 't> IntoIterator for &'a Object<'t> {
    type Item = &'a (Cow<'t, str>, Node<'t>);
    type IntoIter = std::slice::Iter<'a, (Cow<'t, str>, Node<'t>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'t> Node<'t> {
    /// The kind of the node.
    #[must_use]
    #[inline]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Boolean,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
        }
    }

    /// The text of a string.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of an array.
    #[must_use]
    #[inline]
    pub fn as_array(&self) -> Option<&[Node<'t>]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The object.
    #[must_use]
    #[inline]
    pub const fn as_object(&self) -> Option<&Object<'t>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object, to be changed.
    #[inline]
    pub fn as_object_mut(&mut self) -> Option<&mut Object<'t>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A scalar, an empty array or an empty object.
    #[must_use]
    #[inline]
    pub fn is_leaf(&self) -> bool {
        match self {
            Self::Array(items) => items.is_empty(),
            Self::Object(object) => object.is_empty(),
            _ => true,
        }
    }

    /// Returns the node that a JSON Pointer (RFC 6901) points at below this one. A malformed escape or
    /// an array index that is not canonical points at nothing.
    #[must_use]
    pub fn resolve(&self, pointer: &str) -> Option<&Node<'t>> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self, |node, token| match node {
                Self::Object(object) => object.get(&unescape_token(token)?),
                Self::Array(items) => items.get(array_index(token)?),
                _ => None,
            })
    }

    /// The same value for `serde_json`.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.to_serde()),
            Self::String(text) => Value::String(text.clone().into_owned()),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(object) => Value::Object(object.to_map()),
        }
    }
}

impl Object<'_> {
    /// The same object for `serde_json`.
    #[must_use]
    pub fn to_map(&self) -> serde_json::Map<String, serde_json::Value> {
        self.entries
            .iter()
            .map(|(key, value)| (key.clone().into_owned(), value.to_value()))
            .collect()
    }
}
