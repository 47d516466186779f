//! The rules for the schemas that a caller may pass (docs/schema.md), and the snapshot of one.
//!
//! One walk over the keyword positions checks each place on its own and removes dropped keywords.
//! Then the size, the patterns and the references of the whole schema are checked. Data under `enum`,
//! `const`, `default` and `examples`, and annotations, stay unchanged.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use ecma_pattern::{Allowance, Pattern};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::document::Writer;
use super::drafts::Draft;
use super::graph::{ChainFault, Graph};
use super::keywords::{self, Dialect, Since, ValueShape};
use super::path::Path;
use super::refusal::{at, must_be, rule};
use super::{formats, kinds, reference};
use crate::budget::{Budget, Exhausted};
use crate::candidate::EvidenceLevel;
use crate::error::{ErrorKind, Got, IntentError, Stage};
use crate::limits::{Limit, Limits};
use crate::text::quoted;

/// Deeper nesting of values is refused whatever the limits are, because later passes recurse.
const MAX_NESTING: usize = 512;

/// Deeper nesting of schemas is refused whatever the limits are, because compiling recurses.
const MAX_DEPTH: u64 = 128;

/// Longer chains of schemas that apply to the same value are refused, because their validation
/// recurses.
const MAX_CHAIN: usize = 512;

/// The most branches of `allOf`, `anyOf` and `oneOf`.
const MAX_BRANCHES: usize = 64;

/// The most different patterns under `patternProperties`; each takes about 5 KB.
const MAX_NAME_PATTERNS: usize = 256;

/// Steps that the patterns of a schema may take to be compiled, and to be matched against its own
/// property names: about a tenth of a second each.
const MAX_PATTERN_STEPS: u64 = 1_500_000;

/// Schemas that `unevaluatedProperties` and `unevaluatedItems` may look through together.
const MAX_UNEVALUATED: u64 = 10_000;

/// The origin of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// JSON Schema, written by hand or by TypeBox.
    Json,
    /// A Standard Schema (Zod, ArkType), whose unknown keywords and formats are annotations: the library
    /// wrote them, so none is a typing error.
    Standard,
    /// JSON Schema of other tools, whose unknown keywords and formats are annotations.
    Annotated,
}

/// The tree of a schema with more bytes is not kept, because it takes some thirty times as many bytes.
const MAX_TREE: usize = 32 << 10;

/// A checked schema, in the form that models are shown and data is validated against.
pub(super) struct Snapshot {
    /// Empty after [`drop_large_tree`](Self::drop_large_tree) if the text is long.
    tree: Option<Map<String, Value>>,
    /// The value of `$schema`.
    pub(super) declared: Option<Value>,
    pub(super) dialect: Dialect,
    pub(super) text: String,
    /// The compiled patterns until the graph takes them.
    patterns: Mutex<HashMap<String, Pattern>>,
    /// True if the schema contains `x-evidence`.
    pub(super) evidence_marks: bool,
    /// Present from the start if the check had to follow references.
    pub(super) graph: Option<Graph>,
}

impl Snapshot {
    /// No schema.
    pub(super) fn empty() -> Self {
        Self {
            tree: Some(Map::new()),
            declared: None,
            dialect: Dialect::Draft7,
            text: "{}".to_owned(),
            patterns: Mutex::default(),
            evidence_marks: false,
            graph: None,
        }
    }

    /// Checks a schema, up to the first refusal.
    pub(super) fn new(value: Value, origin: Origin, limits: &Limits) -> Result<Self, IntentError> {
        Self::read(value, origin, limits, &mut Refusals::First)
    }

    /// Checks a schema, and continues after refusals.
    ///
    /// # Errors
    /// All refusals, each with its place as a JSON Pointer.
    pub(super) fn all_refusals(
        value: Value,
        origin: Origin,
        limits: &Limits,
    ) -> Result<Self, Vec<(String, IntentError)>> {
        let mut refusals = Refusals::All(Vec::new());
        let outcome = Self::read(value, origin, limits, &mut refusals);
        let mut found = match refusals {
            Refusals::All(found) => found,
            Refusals::First => Vec::new(),
        };
        match outcome {
            Ok(snapshot) if found.is_empty() => return Ok(snapshot),
            Ok(_) => {}
            Err(error) => found.push((String::new(), error)),
        }
        Err(found)
    }

    fn read(
        value: Value,
        origin: Origin,
        limits: &Limits,
        refusals: &mut Refusals,
    ) -> Result<Self, IntentError> {
        let Value::Object(mut root) = value else {
            return Err(must_be("schema", "a JSON Schema object", Got::Type(&value)));
        };
        if nests_past(&root, MAX_NESTING) {
            let what = format_args!("it nests values deeper than {MAX_NESTING} levels");
            return Err(at("schema", what));
        }
        let draft = draft(&root)?;
        let dialect = draft.read_as();
        let mut check = Check {
            draft,
            dialect,
            origin,
            limits,
            refusals,
            properties: 0,
            patterns: Vec::new(),
            seen_patterns: Default::default(),
            references: Vec::new(),
            evidence_marks: false,
        };
        check.schema(&mut root, &Path::ROOT, 0)?;
        if root.contains_key("$schema") && !matches!(draft, Draft::D07 | Draft::D2020) {
            root.insert("$schema".to_owned(), dialect.id().into());
        }
        let Check {
            patterns: sources,
            references,
            evidence_marks,
            ..
        } = check;
        refusals.keep("", check_root(&root))?;
        let text = serde_json::to_string(&root).map_err(|error| at("schema", error))?;
        limits.check_count(Limit::SchemaBytes, text.len(), Stage::Config)?;
        let has_name_patterns = sources.iter().any(|(_, names)| *names);
        let mut snapshot = Self {
            declared: root.get("$schema").cloned(),
            tree: Some(root),
            dialect,
            text,
            patterns: compiled(sources, refusals)?.into(),
            evidence_marks,
            graph: None,
        };
        if (references.is_empty() && !has_name_patterns) || refusals.any() {
            return Ok(snapshot);
        }
        let root = snapshot.root();
        for target in &references {
            if reference::resolve(&root, &target.text).is_none() {
                let name = quoted(&target.text);
                let what = format_args!("the reference {name} does not point at a schema");
                let error = at(&target.place, what);
                refusals.keep(&target.pointer, Err(error))?;
            }
        }
        if !refusals.any() {
            let graph = snapshot.checked_graph(&root, has_name_patterns)?;
            drop(root);
            snapshot.graph = Some(graph);
        }
        Ok(snapshot)
    }

    /// Returns the schema as a tree, parsed again if it is not kept.
    pub(super) fn root(&self) -> Cow<'_, Map<String, Value>> {
        if let Some(tree) = &self.tree {
            return Cow::Borrowed(tree);
        }
        let mut reader = serde_json::Deserializer::from_str(&self.text);
        reader.disable_recursion_limit();
        // The text was written from a tree, so it parses without an error.
        Cow::Owned(Map::deserialize(&mut reader).unwrap_or_default())
    }

    /// Takes the compiled patterns for the graph, which is made once.
    pub(super) fn take_patterns(&self) -> HashMap<String, Pattern> {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *patterns)
    }

    /// Drops the tree if it is too large to keep.
    pub(super) fn drop_large_tree(&mut self) {
        if self.text.len() > MAX_TREE {
            self.tree = None;
        }
    }

    /// Builds the normal form, and checks that references end and that their chains are bounded.
    fn checked_graph(
        &self,
        root: &Map<String, Value>,
        has_name_patterns: bool,
    ) -> Result<Graph, IntentError> {
        let graph = Graph::new(root, self.dialect, &self.take_patterns());
        graph.check_chains(MAX_CHAIN).map_err(|chain| {
            let what = match chain {
                ChainFault::Endless(target) => format!(
                    "the reference {} leads back to itself without consuming any data",
                    quoted(target)
                ),
                ChainFault::Long => format!(
                    "more than {MAX_CHAIN} references and combinators apply one inside the other \
                     to the same value"
                ),
            };
            at("schema", what)
        })?;
        if graph.unevaluated_size() > MAX_UNEVALUATED {
            return Err(too_much(format_args!(
                "unevaluatedProperties and unevaluatedItems look through more than \
                 {MAX_UNEVALUATED} schemas together, references counted wherever they stand"
            )));
        }
        if has_name_patterns {
            let budget = Budget::of_ticks(MAX_PATTERN_STEPS);
            let written = Writer::new(&graph, &graph.assertions, &budget).document();
            written.map_err(|Exhausted| {
                too_much(
                    "the patterns of patternProperties take too long to be held against the \
                     property names that the schema has itself",
                )
            })?;
        }
        Ok(graph)
    }
}

/// A pattern or a reference with its place, for messages and as a JSON Pointer.
struct Placed {
    text: String,
    place: String,
    pointer: String,
}

impl Placed {
    fn new(text: &str, path: &Path<'_>) -> Self {
        Self {
            text: text.to_owned(),
            place: path.to_string(),
            pointer: path.pointer(),
        }
    }
}

/// Compiles each pattern once, within the budget for one schema.
fn compiled(
    sources: Vec<(Placed, bool)>,
    refusals: &mut Refusals,
) -> Result<HashMap<String, Pattern>, IntentError> {
    let mut patterns = HashMap::with_capacity(sources.len());
    let mut names = HashSet::new();
    let budget = Budget::of_ticks(MAX_PATTERN_STEPS);
    let allowance = Allowance::new(&budget);
    for (source, is_of_names) in sources {
        let Placed {
            text,
            place,
            pointer,
        } = source;
        if is_of_names && names.insert(text.clone()) && names.len() > MAX_NAME_PATTERNS {
            return Err(too_much(format_args!(
                "{place}: more than {MAX_NAME_PATTERNS} different patterns stand under \
                 patternProperties"
            )));
        }
        if patterns.contains_key(&text) {
            continue;
        }
        let pattern = Pattern::within(&text, &allowance).map_err(|Exhausted| {
            too_much(format_args!(
                "{place}: with the pattern {} the patterns of the schema take too long to compile",
                quoted(&text)
            ))
        })?;
        match pattern {
            Ok(pattern) => {
                patterns.insert(text, pattern);
            }
            Err(reason) => {
                let text = quoted(&text);
                let error = at(
                    place,
                    format_args!("the pattern {text} is refused: {reason}"),
                );
                refusals.keep(&pointer, Err(error))?;
            }
        }
    }
    Ok(patterns)
}

/// The handling of refusals: the first one ends the walk, or all of them are collected.
enum Refusals {
    First,
    All(Vec<(String, IntentError)>),
}

impl Refusals {
    fn keep(&mut self, pointer: &str, outcome: Result<(), IntentError>) -> Result<(), IntentError> {
        match (self, outcome) {
            (Self::All(found), Err(error)) => {
                found.push((pointer.to_owned(), error));
                Ok(())
            }
            (_, outcome) => outcome,
        }
    }

    const fn any(&self) -> bool {
        matches!(self, Self::All(found) if !found.is_empty())
    }
}

/// Returns the error for a valid schema that needs more memory or time than an instance may use.
fn too_much(what: impl std::fmt::Display) -> IntentError {
    ErrorKind::SchemaTooCostly(&what.to_string()).error()
}

fn nests_past(map: &Map<String, Value>, levels: usize) -> bool {
    fn value_nests(value: &Value, levels: usize) -> bool {
        match value {
            Value::Object(map) => nests_past(map, levels),
            Value::Array(list) => {
                levels == 0 || list.iter().any(|value| value_nests(value, levels - 1))
            }
            _ => false,
        }
    }
    levels == 0 || map.values().any(|value| value_nests(value, levels - 1))
}

/// Returns the draft of a schema: the one that `$schema` names, otherwise by its keywords.
fn draft(root: &Map<String, Value>) -> Result<Draft, IntentError> {
    if let Some(id) = root.get("$schema") {
        return id.as_str().and_then(Draft::of_id).ok_or_else(|| {
            let got = id.as_str().map_or(Got::Type(id), Got::Text);
            let what = format_args!(
                "only Draft-7 (\"http://json-schema.org/draft-07/schema#\"), 2020-12 \
                 (\"https://json-schema.org/draft/2020-12/schema\"), and the drafts 04, 06 and \
                 2019-09 are supported, got {got}"
            );
            at("schema.$schema", what)
        });
    }
    let mut signs = DialectSigns::default();
    signs.read(root, &Path::ROOT);
    match (signs.new, signs.old) {
        (Some(new), Some(old)) => Err(at(
            new,
            format_args!(
                "it belongs to 2020-12 and {old} to Draft-7: a schema without $schema cannot use \
                 both"
            ),
        )),
        (Some(_), None) => Ok(Draft::D2020),
        (None, _) => Ok(Draft::D07),
    }
}

/// The first sign of each dialect: a keyword that only one has, or a `$schema` of a part.
#[derive(Default)]
struct DialectSigns {
    new: Option<String>,
    old: Option<String>,
}

impl DialectSigns {
    fn read(&mut self, schema: &Map<String, Value>, path: &Path<'_>) {
        for (key, value) in schema {
            let Some(keyword) = keywords::find(key) else {
                continue;
            };
            let place = path.key(key);
            let named = match keyword.shape {
                ValueShape::Dialect => value.as_str().and_then(Draft::of_id).map(Draft::read_as),
                _ => None,
            };
            match keyword.since {
                _ if named == Some(Dialect::Draft202012) && self.new.is_none() => {
                    self.new = Some(place.to_string());
                }
                _ if named == Some(Dialect::Draft7) && self.old.is_none() => {
                    self.old = Some(place.to_string());
                }
                Since::New | Since::Backported if self.new.is_none() => {
                    self.new = Some(place.to_string());
                }
                Since::Old if self.old.is_none() => self.old = Some(place.to_string()),
                _ => {}
            }
            if keyword.shape == ValueShape::Items && value.is_array() && self.old.is_none() {
                self.old = Some(format!("{place} as an array"));
            }
            keywords::each_schema(keyword.shape, value, &place, |schema, place| {
                self.read(schema, place);
            });
        }
    }
}

/// The walk over all keyword positions.
struct Check<'l> {
    draft: Draft,
    dialect: Dialect,
    origin: Origin,
    limits: &'l Limits,
    refusals: &'l mut Refusals,
    properties: u64,
    /// Sources with the first place of each, and whether it is one of names.
    patterns: Vec<(Placed, bool)>,
    /// Sources that are there already: of values, and of names.
    seen_patterns: [HashSet<String>; 2],
    references: Vec<Placed>,
    evidence_marks: bool,
}

impl Check<'_> {
    fn schema(
        &mut self,
        schema: &mut Map<String, Value>,
        path: &Path<'_>,
        depth: u64,
    ) -> Result<(), IntentError> {
        self.depth(path, depth)?;
        // Noted here, because one pass over the keys costs less than a lookup of each.
        let (mut has_dialect, mut has_exact_length, mut has_pattern) = (false, false, false);
        schema.retain(|key, _| {
            has_dialect |= key == "$schema";
            has_exact_length |= key == "exactLength";
            has_pattern |= key == "pattern";
            !keywords::DROPPED.contains(&key.as_str())
        });
        let mut whole = Ok(());
        if has_dialect && depth > 0 {
            whole = self.nested_dialect(schema, path);
        }
        whole = whole.and_then(|()| self.draft.translate(schema, path));
        if has_exact_length {
            whole = whole.and_then(|()| exact_length(schema, path));
        }
        self.keep(path, whole)?;
        for (key, value) in schema.iter_mut() {
            if key == kinds::MARK {
                let outcome = self.evidence_mark(value, path);
                self.keep(&path.key(key), outcome)?;
            }
            if keywords::is_extension(key) {
                continue;
            }
            let outcome = self.keyword(key, value, path, depth, has_pattern);
            self.keep(&path.key(key), outcome)?;
        }
        Ok(())
    }

    /// Formats the place only if it is kept.
    fn keep(
        &mut self,
        path: &Path<'_>,
        outcome: Result<(), IntentError>,
    ) -> Result<(), IntentError> {
        match self.refusals {
            Refusals::All(_) if outcome.is_err() => self.refusals.keep(&path.pointer(), outcome),
            _ => outcome,
        }
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &mut Value,
        path: &Path<'_>,
        depth: u64,
        has_pattern: bool,
    ) -> Result<(), IntentError> {
        let place = path.key(key);
        let Some(keyword) = keywords::find(key) else {
            if self.origin != Origin::Json && !keywords::is_refused(key) {
                return Ok(());
            }
            return Err(at(path, keywords::unknown(key)));
        };
        match (keyword.since, self.dialect) {
            (Since::New, Dialect::Draft7) | (Since::Old, Dialect::Draft202012) => {
                let dialect = self.dialect.name();
                let what = format_args!(
                    "\"{key}\" is no keyword of {dialect}, which the schema is read as"
                );
                return Err(at(place, what));
            }
            _ => {}
        }
        if let Some(expected) = keywords::fault(keyword.shape, self.dialect, value) {
            return Err(must_be(place, expected, Got::Json(value)));
        }
        self.value(keyword.shape, key, value, &place, depth, has_pattern)
    }

    /// Keeps a pattern for [`compiled`]; where the first refusal ends the check, its first place is enough.
    fn pattern(&mut self, source: &str, place: &Path<'_>, is_of_names: bool) {
        let seen = &mut self.seen_patterns[usize::from(is_of_names)];
        if matches!(self.refusals, Refusals::First) {
            if seen.contains(source) {
                return;
            }
            seen.insert(source.to_owned());
        }
        let placed = Placed::new(source, place);
        self.patterns.push((placed, is_of_names));
    }

    fn evidence_mark(&mut self, value: &Value, path: &Path<'_>) -> Result<(), IntentError> {
        self.evidence_marks = true;
        if value.as_str().and_then(EvidenceLevel::from_text).is_some() {
            return Ok(());
        }
        let name = format!("{path}[\"{}\"]", kinds::MARK);
        let got = value.as_str().map_or(Got::Type(value), Got::Text);
        Err(must_be(name, "\"exact\", \"bound\" or \"any\"", got))
    }

    fn value(
        &mut self,
        shape: ValueShape,
        key: &str,
        value: &mut Value,
        place: &Path<'_>,
        depth: u64,
        has_pattern: bool,
    ) -> Result<(), IntentError> {
        match (shape, value) {
            (ValueShape::Reference, Value::String(target)) => {
                if reference::tokens(target).is_none() {
                    let target = quoted(target);
                    let what = format_args!(
                        "only references inside the schema are supported (\"#\", \
                         \"#/$defs/name\", \"#/definitions/name\"), got {target}"
                    );
                    return Err(at(place, what));
                }
                self.references.push(Placed::new(target, place));
            }
            (ValueShape::Pattern, Value::String(source)) => {
                self.pattern(source, place, false);
            }
            (ValueShape::Format, Value::String(name)) => {
                let annotation = has_pattern || self.origin != Origin::Json;
                if !formats::is_asserted(name) && !annotation {
                    let (name, known) = (quoted(name), formats::ASSERTED.join(", "));
                    let what = format_args!(
                        "unknown format {name}; supported are {known}. Another one is an \
                         annotation where a \"pattern\" stands beside it"
                    );
                    return Err(at(place, what));
                }
            }
            (ValueShape::PatternSchemas, Value::Object(schemas)) => {
                for (source, schema) in schemas {
                    let here = place.key(source);
                    self.pattern(source, &here, true);
                    self.any(schema, &here, depth + 1)?;
                }
            }
            (ValueShape::Schemas | ValueShape::Dependencies, Value::Object(schemas)) => {
                if key == "properties" {
                    self.properties += schemas.len() as u64;
                    if self.properties > self.limits.max_schema_properties {
                        return Err(self.exceeded(Limit::SchemaProperties, place));
                    }
                }
                for (name, schema) in schemas {
                    let here = place.key(name);
                    if shape == ValueShape::Dependencies && schema.is_array() {
                        if !keywords::is_names(schema) {
                            let must = "a schema or an array of distinct strings";
                            return Err(must_be(here, must, Got::Json(schema)));
                        }
                    } else {
                        self.any(schema, &here, depth + 1)?;
                    }
                }
            }
            (ValueShape::SchemaList | ValueShape::Items, Value::Array(list)) => {
                let combinator = matches!(key, "allOf" | "anyOf" | "oneOf");
                if combinator && list.len() > MAX_BRANCHES {
                    let count = list.len();
                    let what = format_args!(
                        "it has {count} branches; at most {MAX_BRANCHES} are supported"
                    );
                    return Err(at(place, what));
                }
                for (index, schema) in list.iter_mut().enumerate() {
                    self.any(schema, &place.index(index), depth + 1)?;
                }
            }
            (ValueShape::Schema | ValueShape::Items, schema) => {
                self.any(schema, place, depth + 1)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn any(&mut self, schema: &mut Value, path: &Path<'_>, depth: u64) -> Result<(), IntentError> {
        match schema {
            Value::Object(schema) => self.schema(schema, path, depth),
            Value::Bool(_) => self.depth(path, depth),
            other => Err(must_be(path, keywords::SCHEMA, Got::Type(other))),
        }
    }

    fn exceeded(&self, limit: Limit, place: &Path<'_>) -> IntentError {
        let (max, place) = (self.limits.get(limit), place.to_string());
        let place = Some(&*place);
        let actual = None;
        ErrorKind::Limit {
            limit,
            max,
            actual,
            place,
        }
        .at_stage(Stage::Config)
    }

    fn depth(&self, path: &Path<'_>, depth: u64) -> Result<(), IntentError> {
        if depth > self.limits.max_schema_depth {
            return Err(self.exceeded(Limit::SchemaDepth, path));
        }
        if depth > MAX_DEPTH {
            let what = format_args!("schemas nest deeper than {MAX_DEPTH} levels");
            return Err(at(path, what));
        }
        Ok(())
    }

    /// A schema inside the schema may repeat the dialect, not change it.
    fn nested_dialect(
        &self,
        schema: &mut Map<String, Value>,
        path: &Path<'_>,
    ) -> Result<(), IntentError> {
        match schema.get("$schema") {
            None => Ok(()),
            Some(id) if id.as_str().and_then(Draft::of_id) == Some(self.draft) => {
                schema.shift_remove("$schema");
                Ok(())
            }
            Some(_) => Err(at(
                format_args!("{path}.$schema"),
                format_args!(
                    "the schema is read as {} as a whole; a part cannot name another dialect",
                    self.dialect.name()
                ),
            )),
        }
    }
}

/// `exactLength` becomes both length bounds, each only where it is tighter.
fn exact_length(schema: &mut Map<String, Value>, path: &Path<'_>) -> Result<(), IntentError> {
    let Some(length) = schema.get("exactLength") else {
        return Ok(());
    };
    if let Some(expected) = keywords::fault(ValueShape::Count, Dialect::Draft7, length) {
        let name = format_args!("{path}.exactLength");
        return Err(must_be(name, expected, Got::Json(length)));
    }
    let length = length.clone();
    for (bound, tightens) in [
        ("minLength", std::cmp::Ordering::Greater),
        ("maxLength", std::cmp::Ordering::Less),
    ] {
        let keep = schema.get(bound).is_some_and(|present| {
            // A bound of the wrong type is reported by the walk.
            let (Some(exact), Some(present)) = (length.as_f64(), present.as_f64()) else {
                return true;
            };
            exact.partial_cmp(&present) != Some(tightens)
        });
        if !keep {
            schema.insert(bound.to_owned(), length.clone());
        }
    }
    schema.shift_remove("exactLength");
    Ok(())
}

/// Checks the rules that apply only to the root.
fn check_root(root: &Map<String, Value>) -> Result<(), IntentError> {
    if root.get("type").and_then(Value::as_str) != Some("object") {
        let what = "schema.type must be \"object\": the root describes the object of all fields.";
        return Err(rule(what));
    }
    let Some(properties) = root.get("properties").and_then(Value::as_object) else {
        let what = "schema.properties is missing: the root's properties are the fields.";
        return Err(rule(what));
    };
    if let Some(name) = keywords::NOT_AT_ROOT
        .iter()
        .find(|name| root.contains_key(**name))
    {
        let what = format!(
            "schema.{name} is not supported at the root, where its meaning would change with the \
             selected fields; put it inside a property."
        );
        return Err(rule(&what));
    }
    let required = root.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !properties.contains_key(name) {
            let name = quoted(name);
            let what =
                format!("schema.required names {name}, which schema.properties does not define.");
            return Err(rule(&what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Single values are accepted where the meta-schemas accept them.
    #[test]
    fn agrees_with_the_meta_schemas() {
        let values = [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(2.0),
            json!(0.0),
            json!(1e300),
            json!(18_446_744_073_709_551_615u64),
            json!(""),
            json!("a"),
            json!("integer"),
            json!([]),
            json!(["a"]),
            json!(["a", "a"]),
            json!(["string"]),
            json!(["string", "string"]),
            json!(["string", "null"]),
            json!([1]),
            json!([{}]),
            json!([true, {}]),
            json!([{}, 1]),
            json!({}),
            json!({"x-a": {}}),
            json!({"x-a": true}),
            json!({"x-a": 1}),
            json!({"x-a": ["b"]}),
            json!({"x-a": ["b", "b"]}),
            json!({"x-a": []}),
        ];
        for (dialect, id) in [
            (Dialect::Draft7, "http://json-schema.org/draft-07/schema#"),
            (
                Dialect::Draft202012,
                "https://json-schema.org/draft/2020-12/schema",
            ),
        ] {
            for keyword in keywords::KEYWORDS {
                let defined = !matches!(
                    (keyword.since, dialect),
                    (Since::Old, Dialect::Draft202012) | (Since::New, Dialect::Draft7)
                );
                let ours = matches!(
                    keyword.shape,
                    ValueShape::Dialect | ValueShape::Format | ValueShape::Reference
                );
                // Draft-7 leaves `$defs` to anyone; here it holds schemas.
                let lent = keyword.since == Since::Backported && dialect == Dialect::Draft7;
                if !defined || ours || lent {
                    continue;
                }
                for value in &values {
                    let part = json!({ keyword.name: value });
                    let standard = match dialect {
                        Dialect::Draft7 => jsonschema::draft7::meta::is_valid(&part),
                        Dialect::Draft202012 => jsonschema::draft202012::meta::is_valid(&part),
                    };
                    let whole = json!({
                        "$schema": id, "type": "object", "properties": { "v": part },
                    });
                    let outcome = Snapshot::new(whole, Origin::Json, &Limits::default());
                    assert_eq!(
                        outcome.is_ok(),
                        standard,
                        "{} {} {value}: {:?}",
                        dialect.name(),
                        keyword.name,
                        outcome.err()
                    );
                }
            }
        }
    }
}
