//! The policy that binds values to quotes: levels by place, and the sources that may give values.

use std::borrow::Cow;
use std::fmt::Display;

use serde_json::Value;

use crate::budget::{Budget, Exhausted};
use crate::error::{IntentError, Must, codes};
use crate::json::Node;
use crate::options::{FromJson, Given, rule_error};
use crate::request::Role;
use crate::schema::{Schema, Selection};
use crate::text::{pointer_tokens, quoted};

codes! {
    /// The strictness with which a value is bound to its quotes.
    EvidenceLevel {
        /// A string equals a quote, a number is what a numeral in a quote says; nothing else
        /// passes.
        Exact = "exact",
        /// A number has a number in a quote, a long run of digits stands in a quote.
        Bound = "bound",
        /// The quotes are real; what they say of the value is the model's claim.
        Any = "any",
    }
}

codes! {
    /// A kind of source that may be quoted for a value.
    EvidenceSource {
        /// The input.
        Input = "input",
        /// Messages of the user in the context.
        User = "user",
        /// Messages of the assistant.
        Assistant = "assistant",
        /// Output of tools.
        Tool = "tool",
        /// Background text.
        Background = "background",
    }
}

impl EvidenceSource {
    const fn of(role: Option<Role>) -> Self {
        match role {
            None => Self::Input,
            Some(Role::User) => Self::User,
            Some(Role::Assistant) => Self::Assistant,
            Some(Role::Tool) => Self::Tool,
            Some(Role::Background) => Self::Background,
        }
    }
}

/// The strictness with which the values of an instance are bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidencePolicy {
    /// One level for every value.
    Everywhere(EvidenceLevel),
    /// Levels by JSON Pointer from the data's root (`/orderId`, `/items/*/sku`), each for the
    /// value and all below it; the longest that matches wins. Elsewhere
    /// [`EvidenceLevel::Bound`].
    ByPointer(Vec<(String, EvidenceLevel)>),
}

impl Default for EvidencePolicy {
    fn default() -> Self {
        Self::Everywhere(EvidenceLevel::Bound)
    }
}

const LEVELS: Must<'static> =
    Must::Be("\"exact\", \"bound\" or \"any\", or an object of levels by JSON Pointer");

const SOURCES: Must<'static> =
    Must::Be("an array of \"input\", \"user\", \"assistant\", \"tool\" and \"background\"");

/// A level, or an object of levels by pointer.
impl FromJson for EvidencePolicy {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        match &given.value {
            Value::Object(_) => {
                let levels = given.entries()?.each();
                let read =
                    levels.map(|(pointer, level)| Ok((pointer, FromJson::from_json(level)?)));
                read.collect::<Result<_, _>>().map(Self::ByPointer)
            }
            Value::String(_) => EvidenceLevel::from_json(given).map(Self::Everywhere),
            _ => Err(given.wrong_value(LEVELS)),
        }
    }
}

impl FromJson for Vec<EvidenceSource> {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        let names = given.elements(SOURCES)?;
        names.map(EvidenceSource::from_json).collect()
    }
}

/// A policy that was checked against a schema.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    everywhere: Option<EvidenceLevel>,
    rules: Vec<Rule>,
    /// True if the schema contains `x-evidence`.
    marks: bool,
    /// The sources that may give values; `None` for all.
    from: Option<Vec<EvidenceSource>>,
}

/// A level at a pointer.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) tokens: Vec<String>,
    pub(crate) level: EvidenceLevel,
}

impl Rule {
    /// Returns whether the pointer leads to a place or to a container of it. A `*` matches any array
    /// index.
    pub(crate) fn covers(&self, place: &[Cow<'_, str>]) -> bool {
        self.tokens.len() <= place.len()
            && self.tokens.iter().zip(place).all(|(token, step)| {
                token == step || (token == "*" && crate::text::array_index(step).is_some())
            })
    }

    fn pointer(&self) -> String {
        let mut pointer = String::from("/data");
        for token in &self.tokens {
            crate::text::push_token(&mut pointer, token);
        }
        pointer
    }
}

impl Policy {
    /// Checks a policy against a schema.
    ///
    /// # Errors
    /// `CONFIG_INVALID` if a pointer matches no property, or if `exact` is set for a place that can have
    /// neither a string nor a number.
    pub(crate) fn new(
        policy: &EvidencePolicy,
        from: Option<&[EvidenceSource]>,
        schema: &Schema,
    ) -> Result<Self, IntentError> {
        if from.is_some_and(<[EvidenceSource]>::is_empty) {
            return Err(rule_error(
                "evidenceFrom must name at least one source; leave it out to allow all.",
            ));
        }
        let mut checked = Self {
            marks: schema.has_evidence_marks(),
            from: from.map(<[EvidenceSource]>::to_vec),
            ..Self::default()
        };
        match policy {
            EvidencePolicy::Everywhere(level) => {
                checked.everywhere = (*level != EvidenceLevel::Bound).then_some(*level);
            }
            EvidencePolicy::ByPointer(levels) => {
                for (pointer, level) in levels {
                    checked.rules.push(rule(pointer, *level, schema)?);
                }
            }
        }
        if checked.everywhere.is_none() && checked.rules.is_empty() && !checked.marks {
            return Ok(checked);
        }
        if let Some(place) = schema.never_exact(&checked.rules, checked.default_level()) {
            return Err(rule_error(&format!(
                "evidence: {} can hold neither a string nor a number, so nothing there passes \
                 \"exact\"; give it \"bound\" or \"any\" (evidence by pointer, or \"x-evidence\" in \
                 the schema).",
                quoted(&place)
            )));
        }
        Ok(checked)
    }

    fn default_level(&self) -> EvidenceLevel {
        self.everywhere.unwrap_or(EvidenceLevel::Bound)
    }

    /// The level of a value, by its pointer from `/data`.
    pub(crate) fn level(
        &self,
        pointer: &dyn Display,
        data: &Node<'_>,
        selection: &Selection,
        budget: &Budget,
    ) -> Result<EvidenceLevel, Exhausted> {
        if self.rules.is_empty() && !self.marks {
            return Ok(self.default_level());
        }
        let pointer = pointer.to_string();
        let Some(tokens) = pointer_tokens(&pointer) else {
            return Ok(self.default_level());
        };
        // Behind `data`.
        let place = tokens.get(1..).unwrap_or_default();
        // The longest rule; of two with the same length, the one without `*`.
        let rule = self
            .rules
            .iter()
            .filter(|rule| rule.covers(place))
            .max_by_key(|rule| {
                let plain = rule.tokens.iter().filter(|token| *token != "*").count();
                (rule.tokens.len(), plain)
            });
        let mark = if self.marks {
            selection.evidence_mark(data, place, budget)?
        } else {
            None
        };
        Ok(match (rule, mark) {
            // The configuration takes precedence over the schema.
            (Some(rule), Some((depth, _))) if rule.tokens.len() >= depth => rule.level,
            (_, Some((_, level))) => level,
            (Some(rule), None) => rule.level,
            (None, None) => self.default_level(),
        })
    }

    /// True if a source may give values.
    pub(crate) fn allows(&self, role: Option<Role>) -> bool {
        self.from
            .as_ref()
            .is_none_or(|from| from.contains(&EvidenceSource::of(role)))
    }

    /// Returns whether some sources are excluded.
    pub(crate) fn limits_sources(&self) -> bool {
        self.from.is_some()
    }

    /// The names of the sources that may give values, for messages.
    pub(crate) fn sources(&self) -> String {
        let names = self.from.iter().flatten().map(|source| source.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// The rules that a prompt adds to the instructions, in as few words as possible; empty for an
    /// instance without a policy.
    pub(crate) fn prompt_rules(&self, selection: &Selection) -> Vec<String> {
        let mut lines = Vec::new();
        let exact = self.exact_places(selection);
        if !exact.is_empty() {
            lines.push(format!(
                "exact: a string equals a quote, a number is what a numeral in a quote says; leave \
                 out what cannot: {exact}"
            ));
        }
        if self.limits_sources() {
            lines.push(format!(
                "values come from these sources alone, each with a quote of one: {}",
                self.sources()
            ));
        }
        lines
    }

    fn exact_places(&self, selection: &Selection) -> String {
        let selected = |rule: &&Rule| {
            let field = rule.tokens.first();
            field.is_some_and(|field| selection.fields().iter().any(|name| name == field))
        };
        let mut places = Vec::new();
        if self.default_level() == EvidenceLevel::Exact {
            places.push("/data".to_owned());
        }
        let rules = self.rules.iter().filter(selected);
        places.extend(
            rules
                .filter(|rule| rule.level == EvidenceLevel::Exact)
                .map(Rule::pointer),
        );
        if self.marks && selection.json().contains("\"x-evidence\":\"exact\"") {
            places.push("where the schema says x-evidence exact".to_owned());
        }
        if places.is_empty() {
            return String::new();
        }
        // Less strict places inside stricter ones are named, too.
        let rules = self.rules.iter().filter(selected);
        let laxer: Vec<String> = rules
            .filter(|rule| rule.level != EvidenceLevel::Exact)
            .map(Rule::pointer)
            .collect();
        if laxer.is_empty() {
            places.join(", ")
        } else {
            format!("{}; not {}", places.join(", "), laxer.join(", "))
        }
    }
}

fn rule(pointer: &str, level: EvidenceLevel, schema: &Schema) -> Result<Rule, IntentError> {
    let tokens = pointer_tokens(pointer).filter(|tokens| !tokens.is_empty());
    let tokens: Vec<String> = tokens
        .ok_or_else(|| {
            rule_error(&format!(
                "evidence names {}, which is no JSON Pointer from the data's root such as \
                 \"/orderId\" or \"/items/*/sku\".",
                quoted(pointer)
            ))
        })?
        .into_iter()
        .map(Cow::into_owned)
        .collect();
    if !schema.has_place(&tokens) {
        return Err(rule_error(&format!(
            "evidence names {}, which no property of the schema can match.",
            quoted(pointer)
        )));
    }
    Ok(Rule { tokens, level })
}
