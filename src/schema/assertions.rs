//! Private keywords: for assertions that `jsonschema` lacks, and for texts that are too long to be
//! copied into every error.

use std::collections::HashMap;
use std::sync::Arc;

use ecma_pattern::Pattern;
use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

use super::graph::Id;
use super::multiple_of::ScaledInteger;
use super::node::{Data, DataNode, equals};
use crate::budget::{Budget, Exhausted};
use crate::json::Node;
use crate::text::{cut, listed};

/// `enum` and `const` as private keywords: literals of many bytes, or the number of the schema whose
/// literals the graph has.
pub(super) const OWN_ENUM: &str = "x-enum";
pub(super) const OWN_CONST: &str = "x-const";

/// `not` with the number of a schema that only lists its allowed values. `jsonschema` would keep a copy of
/// that schema.
pub(super) const NOT_LITERAL: &str = "x-not";

/// `required` of names of many bytes.
pub(super) const LARGE_REQUIRED: &str = "x-large-required";

/// The format `regex`.
pub(super) const REGEX: &str = "x-regex";

/// Returns the public name of a private keyword, for faults.
pub(super) fn public_name(keyword: &str) -> &str {
    match keyword {
        OWN_ENUM => "enum",
        OWN_CONST => "const",
        NOT_LITERAL => "not",
        LARGE_REQUIRED => "required",
        REGEX => "format",
        other => other,
    }
}

/// `pattern`, with ECMAScript's meaning.
pub(super) struct Matches(pub(super) Pattern);

impl<'i> Keyword<'i, Data> for Matches {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) {
            Ok(())
        } else {
            Err(ValidationError::custom(format!(
                "must match {}",
                cut(self.0.source())
            )))
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        node.text()
            .is_none_or(|text| node.within_budget(|budget| self.0.is_match(text, budget)))
    }
}

/// The format `regex`: an ECMAScript regular expression, as JSON Schema recommends, with the `u` flag
/// that patterns of schemas have.
pub(super) struct IsRegex;

impl<'i> Keyword<'i, Data> for IsRegex {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) {
            Ok(())
        } else {
            Err(ValidationError::custom("must be a valid regex"))
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        node.text()
            .is_none_or(|text| node.within_budget(|budget| Pattern::is_valid(text, budget)))
    }
}

/// `multipleOf`, exact.
pub(super) struct MultipleOf {
    divisor: Option<ScaledInteger>,
    text: String,
}

impl MultipleOf {
    pub(super) fn new(value: &Value) -> Self {
        let text = value.to_string();
        Self {
            divisor: ScaledInteger::magnitude(&text),
            text,
        }
    }
}

impl<'i> Keyword<'i, Data> for MultipleOf {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) {
            Ok(())
        } else {
            Err(ValidationError::custom(format!(
                "must be a multiple of {}",
                self.text
            )))
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        use jsonschema::json::{JsonNumber as _, Node as _};
        let Some(number) = node.as_number() else {
            return true;
        };
        let value = number.as_f64().and_then(ScaledInteger::of);
        match (value, self.divisor) {
            (Some(value), Some(divisor)) => value.is_multiple_of(divisor),
            _ => false,
        }
    }
}

/// The values of `enum` or `const`: the strings sorted in one text, and the other values.
pub(super) struct Literals {
    texts: String,
    /// The end of each string in `texts`.
    ends: Vec<u32>,
    others: Vec<Value>,
    message: String,
}

impl Literals {
    pub(super) fn of_enum(value: &Value) -> Self {
        let options = value.as_array().map(Vec::as_slice).unwrap_or_default();
        // Only the part of the list that messages show is kept in memory.
        let mut message = String::new();
        for option in options {
            if message.len() > 1000 {
                break;
            }
            if !message.is_empty() {
                message.push_str(", ");
            }
            message.push_str(&option.to_string());
        }
        Self::new(options, format!("must be one of {}", cut(&message)))
    }

    pub(super) fn of_const(value: &Value) -> Self {
        let message = format!("must be {}", cut(&value.to_string()));
        Self::new(std::slice::from_ref(value), message)
    }

    fn new(options: &[Value], message: String) -> Self {
        let mut strings: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
        strings.sort_unstable();
        strings.dedup();
        let mut literals = Self {
            texts: String::with_capacity(strings.iter().map(|text| text.len()).sum()),
            ends: Vec::with_capacity(strings.len()),
            others: options
                .iter()
                .filter(|option| !option.is_string())
                .cloned()
                .collect(),
            message,
        };
        for text in strings {
            literals.texts.push_str(text);
            literals
                .ends
                .push(u32::try_from(literals.texts.len()).unwrap_or(u32::MAX));
        }
        literals
    }

    pub(super) fn contain(&self, node: &Node<'_>, budget: &Budget) -> Result<bool, Exhausted> {
        if let Some(text) = node.as_str() {
            return Ok(self.holds(text));
        }
        for other in &self.others {
            budget.tick()?;
            if equals(node, other, None) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn text(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[index] as usize]
    }

    fn holds(&self, text: &str) -> bool {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.text(middle).cmp(text) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    }
}

/// [`Literals`] as a keyword.
pub(super) struct IsLiteral(Arc<Literals>);

impl IsLiteral {
    /// Reads the value of [`OWN_ENUM`] or [`OWN_CONST`].
    pub(super) fn new(
        value: &Value,
        of_graph: &HashMap<Id, Arc<Literals>>,
        read: fn(&Value) -> Literals,
    ) -> Self {
        let id = value.as_u64().and_then(|id| Id::try_from(id).ok());
        let shared = id.and_then(|id| of_graph.get(&id)).cloned();
        Self(shared.unwrap_or_else(|| Arc::new(read(value))))
    }
}

impl<'i> Keyword<'i, Data> for IsLiteral {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) {
            Ok(())
        } else {
            Err(ValidationError::custom(self.0.message.clone()))
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        use jsonschema::json::Node as _;
        match node.text() {
            Some(text) => self.0.holds(text),
            None => self.0.others.iter().any(|other| node.equals_value(other)),
        }
    }
}

/// `not` of [`Literals`] as a keyword.
pub(super) struct IsNoLiteral(pub(super) IsLiteral);

impl<'i> Keyword<'i, Data> for IsNoLiteral {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) {
            Ok(())
        } else {
            Err(ValidationError::custom("matches what it must not match"))
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        !self.0.is_valid(node)
    }
}

/// `required` of names of many bytes.
pub(super) struct LargeRequired(Vec<Box<str>>);

impl LargeRequired {
    pub(super) fn new(value: &Value) -> Self {
        let names = value.as_array().into_iter().flatten();
        Self(names.filter_map(Value::as_str).map(Into::into).collect())
    }

    fn missing(&self, node: DataNode<'_>) -> Option<&str> {
        let mut names = self.0.iter().map(|name| &**name);
        names.find(|name| node.lacks(name))
    }
}

impl<'i> Keyword<'i, Data> for LargeRequired {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        match self.missing(node) {
            None => Ok(()),
            Some(name) => Err(ValidationError::custom(format!(
                "{} is missing",
                listed([name])
            ))),
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        self.missing(node).is_none()
    }
}
