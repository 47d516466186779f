//! Verdicts and faults, from the `jsonschema` crate.
//!
//! The crate gets a schema written anew from the normal form ([`super::graph`]): 2020-12, without
//! annotations, each referenced schema once under `$defs`. `pattern` and `multipleOf` are keywords
//! of ours; `patternProperties` is kept as [`super::names`] says.

use std::collections::HashSet;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, JsonType, Keyword, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value, json};

use super::formats;
use super::graph::{Graph, Id, Link};
use super::multiple_of::Decimal;
use super::names::{Marks, mark_of, unmarked, unmarked_pointer};
use super::node::{Data, DataNode, Scope, Stop, roomy};
use super::pattern::Pattern;
use super::stack::{Stack, with_plenty};
use crate::budget::{Budget, Exhausted};
use crate::json::Node;

/// A fault: where (from `/data`, the first [`MAX_POINTER_BYTES`] of it) and what.
pub(super) type Fault = (String, String);

/// Bytes of a pointer that is told.
const MAX_POINTER_BYTES: usize = 512;

/// Bytes that the faults of one validation may take, about, while they are looked for.
const MAX_FAULT_BYTES: usize = 16 << 20;

/// A schema with what was compiled of it so far.
pub(super) struct Checker {
    pub(super) graph: Graph,
    /// For the schemas that the walk over descriptions has to decide about.
    compiled: Vec<OnceLock<Compiled>>,
}

/// `Err` holds why `jsonschema` refused what was written for it, which tells of a mistake here.
pub(super) type Compiled = Result<Validator<Data>, String>;

/// The root of a selection.
pub(super) struct Root<'s> {
    pub(super) fields: HashSet<&'s str>,
    pub(super) required: Vec<&'s str>,
}

impl Checker {
    pub(super) fn new(graph: Graph) -> Self {
        let compiled = graph.nodes.iter().map(|_| OnceLock::new()).collect();
        Self { graph, compiled }
    }

    fn marks(&self) -> Marks<'_> {
        Marks {
            patterns: &self.graph.patterns,
            of_names: &self.graph.name_patterns,
        }
    }

    /// Whether a value satisfies one schema of the graph.
    pub(super) fn satisfies(
        &self,
        id: Id,
        node: &Node<'_>,
        budget: &Budget,
        stack: Stack,
    ) -> Result<bool, Stop> {
        if let Some(verdict) = self.graph.nodes[id].verdict {
            return Ok(verdict);
        }
        let cell = &self.compiled[id];
        let compiled = match cell.get() {
            Some(compiled) => compiled,
            None => {
                budget.look()?;
                let schema = Writer::new(self, budget).schema_of(id)?;
                cell.get_or_init(|| self.compile(&schema))
            }
        };
        let Ok(validator) = compiled else {
            return Ok(false);
        };
        let scope = Scope::new(budget, self.marks(), stack);
        scope.run(|| validator.is_valid(DataNode::new(node, &scope)))
    }

    /// Compiles the root of a selection.
    pub(super) fn compile_root(
        &self,
        root: &Root<'_>,
        budget: &Budget,
    ) -> Result<Compiled, Exhausted> {
        let schema = Writer::new(self, budget).selection(root)?;
        Ok(self.compile(&schema))
    }

    fn compile(&self, schema: &Value) -> Compiled {
        // Compiling recurses into nested schemas, and from there into some that are referred to.
        const SHALLOW: usize = 12;
        if self.graph.depth > SHALLOW {
            let compiled = with_plenty(|_| self.compile_here(schema));
            return compiled.unwrap_or_else(|| Err("no thread can be started".to_owned()));
        }
        self.compile_here(schema)
    }

    fn compile_here(&self, schema: &Value) -> Compiled {
        let patterns = self.graph.patterns.clone();
        let sources = self.graph.sources.clone();
        jsonschema::options_for::<Data>()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex())
            .with_format("regex", formats::is_regex)
            .with_format("url", formats::has_authority)
            .with_keyword("multipleOf", |_, value, _| {
                Ok(Box::new(MultipleOf::new(value)))
            })
            .with_keyword("pattern", move |_, value, _| {
                let id = value.as_str().and_then(|id| id.parse::<usize>().ok());
                match id.and_then(|id| Some((patterns.get(id)?, sources.get(id)?))) {
                    Some((pattern, source)) => Ok(Box::new(Matches {
                        pattern: pattern.clone(),
                        source: source.as_str().into(),
                    })),
                    None => Err(ValidationError::custom("the pattern has no number")),
                }
            })
            .build(schema)
            .map_err(|error| error.to_string())
    }

    /// What is wrong with a value by a compiled schema, at most `most` faults.
    pub(super) fn faults(
        &self,
        compiled: &Compiled,
        node: &Node<'_>,
        budget: &Budget,
        most: usize,
    ) -> Result<Vec<Fault>, Exhausted> {
        let validator = match compiled {
            Ok(validator) => validator,
            Err(reason) => {
                return Ok(vec![(
                    "/data".to_owned(),
                    format!("the schema could not be compiled: {reason}"),
                )]);
            }
        };
        roomy(budget, |budget, stack| {
            self.listed(validator, node, budget, stack, most.max(1))
        })
    }

    fn listed(
        &self,
        validator: &Validator<Data>,
        node: &Node<'_>,
        budget: &Budget,
        stack: Stack,
        most: usize,
    ) -> Result<Vec<Fault>, Stop> {
        let scope = Scope::new(budget, self.marks(), stack);
        let data = DataNode::new(node, &scope);
        // The verdict first: it decides with the first fault and keeps nothing.
        if scope.run(|| validator.is_valid(data))? {
            return Ok(Vec::new());
        }
        // Faults of nested branches multiply where the verdict does not: what they may cost is
        // bounded apart from the time.
        let most_steps = scope.steps().saturating_mul(8).saturating_add(200_000);
        let list = |most: usize| {
            let scope = Scope::new(budget, self.marks(), stack.for_nested_results());
            scope.list_within(most_steps, MAX_FAULT_BYTES);
            let data = DataNode::new(node, &scope);
            scope.run(|| {
                if most == 1 {
                    let first = validator.validate(data).err();
                    return first.iter().map(fault).collect();
                }
                let mut faults = Vec::new();
                for error in validator.iter_errors(data) {
                    scope.step();
                    let fault = fault(&error);
                    if !faults.contains(&fault) {
                        faults.push(fault);
                    }
                    if faults.len() >= most {
                        break;
                    }
                }
                faults
            })
        };
        let mut found = list(most);
        if most > 1 && found == Err(Stop::Steps) {
            // The first one takes less than all of them.
            found = list(1);
        }
        match found {
            Err(Stop::Stack) if !stack.is_plenty() => Err(Stop::Stack),
            Err(Stop::Steps | Stop::Stack) => Ok(vec![(
                "/data".to_owned(),
                "the data does not satisfy the schema; its faults are too many to list".to_owned(),
            )]),
            found => found,
        }
    }
}

/// Writes schemas for `jsonschema`.
struct Writer<'c> {
    graph: &'c Graph,
    marks: Marks<'c>,
    budget: &'c Budget,
    /// Targets of references whose definition is still to be written, and those that are.
    pending: Vec<Id>,
    defined: Vec<bool>,
}

impl<'c> Writer<'c> {
    fn new(checker: &'c Checker, budget: &'c Budget) -> Self {
        Self {
            graph: &checker.graph,
            marks: checker.marks(),
            budget,
            pending: Vec::new(),
            defined: vec![false; checker.graph.nodes.len()],
        }
    }

    fn schema_of(mut self, id: Id) -> Result<Value, Exhausted> {
        let schema = self.use_of(id)?;
        let Value::Object(schema) = schema else {
            return Ok(schema);
        };
        self.with_definitions(schema)
    }

    fn selection(mut self, root: &Root<'_>) -> Result<Value, Exhausted> {
        let mut properties = Map::new();
        for (link, id) in &self.graph.nodes[self.graph.root].links {
            if let Link::Property(name) = link
                && root.fields.contains(name.as_str())
            {
                let schema = self.use_of(*id)?;
                properties.insert(self.name(name)?, schema);
            }
        }
        let required = self.names(root.required.iter().copied())?;
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), required);
        schema.insert("additionalProperties".to_owned(), json!(false));
        self.with_definitions(schema)
    }

    fn with_definitions(&mut self, mut schema: Map<String, Value>) -> Result<Value, Exhausted> {
        let mut definitions = Map::new();
        while let Some(id) = self.pending.pop() {
            let definition = self.write(id)?;
            definitions.insert(id.to_string(), definition);
        }
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Ok(Value::Object(schema))
    }

    /// A schema where it is applied: targets of references by reference.
    fn use_of(&mut self, id: Id) -> Result<Value, Exhausted> {
        if !self.graph.nodes[id].is_target {
            return self.write(id);
        }
        if !std::mem::replace(&mut self.defined[id], true) {
            self.pending.push(id);
        }
        Ok(json!({ "$ref": format!("#/$defs/{id}") }))
    }

    fn write(&mut self, id: Id) -> Result<Value, Exhausted> {
        let graph = self.graph;
        let node = &graph.nodes[id];
        if let Some(verdict) = node.verdict {
            return Ok(Value::Bool(verdict));
        }
        let mut schema = Map::new();
        for (keyword, value) in &node.assertions {
            let value = match (keyword.as_str(), value) {
                ("required", Value::Array(names)) => {
                    self.names(names.iter().filter_map(Value::as_str))?
                }
                ("dependentRequired", Value::Object(lists)) => {
                    let mut marked = Map::new();
                    for (name, list) in lists {
                        let list = list.as_array().into_iter().flatten();
                        let list = self.names(list.filter_map(Value::as_str))?;
                        marked.insert(self.name(name)?, list);
                    }
                    Value::Object(marked)
                }
                // A URL is a URI first.
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
            let applied = self.use_of(*target)?;
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
        list.push(applied);
    }
}

/// `pattern`, with ECMAScript's meaning.
struct Matches {
    pattern: Pattern,
    source: Box<str>,
}

impl<'i> Keyword<'i, Data> for Matches {
    fn validate(&self, node: DataNode<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) {
            Ok(())
        } else {
            Err(ValidationError::custom(format!(
                "must match {}",
                cut(&self.source)
            )))
        }
    }

    fn is_valid(&self, node: DataNode<'i>) -> bool {
        node.text()
            .is_none_or(|text| node.within_budget(|budget| self.pattern.is_match(text, budget)))
    }
}

/// `multipleOf`, exact.
struct MultipleOf {
    divisor: Option<Decimal>,
    text: String,
}

impl MultipleOf {
    fn new(value: &Value) -> Self {
        let text = value.to_string();
        Self {
            divisor: Decimal::magnitude(&text),
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
        let value = number.as_f64().and_then(Decimal::of);
        match (value, self.divisor) {
            (Some(value), Some(divisor)) => value.is_multiple_of(divisor),
            _ => false,
        }
    }
}

/// An error of the crate as a fault, without quoting the data.
fn fault(error: &ValidationError<'_>) -> Fault {
    (pointer_of(error), message(error))
}

/// Where an error is, as far as it is told.
fn pointer_of(error: &ValidationError<'_>) -> String {
    let whole = error.instance_path().as_str();
    let told = &whole[..whole.floor_char_boundary(MAX_POINTER_BYTES)];
    format!("/data{}", unmarked_pointer(told))
}

fn message(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    let kind = error.kind();
    let keyword = kind.keyword();
    match kind {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names = unexpected.iter().map(|name| unmarked(name));
            format!("{keyword}: not allowed: {}", listed(names))
        }
        Kind::AdditionalItems { limit } => format!("items: at most {limit} items are allowed"),
        Kind::UnevaluatedItems { .. } => format!("{keyword}: more items than are allowed"),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            format!(
                "{keyword}: none of {} branches matches{}",
                context.len(),
                branches(context)
            )
        }
        Kind::OneOfMultipleValid { .. } => {
            format!("{keyword}: more than one branch matches, exactly one must")
        }
        Kind::Constant { expected_value } => {
            format!("{keyword}: must be {}", cut(&expected_value.to_string()))
        }
        Kind::Enum { options } => {
            let options = options.as_array().into_iter().flatten();
            let shown: Vec<String> = options.map(Value::to_string).collect();
            format!("{keyword}: must be one of {}", cut(&shown.join(", ")))
        }
        Kind::Custom { keyword, message } => format!("{keyword}: {message}"),
        Kind::Contains => format!("{keyword}: not as many matching items as are asked for"),
        Kind::FalseSchema => "no value is allowed here".to_owned(),
        Kind::Format { format } => format!("{keyword}: must be a valid {format}"),
        Kind::ExclusiveMaximum { limit } => format!("{keyword}: must be below {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("{keyword}: must be above {limit}"),
        Kind::Maximum { limit } => format!("{keyword}: must be at most {limit}"),
        Kind::Minimum { limit } => format!("{keyword}: must be at least {limit}"),
        Kind::MaxItems { limit } => format!("{keyword}: must have at most {limit} items"),
        Kind::MinItems { limit } => format!("{keyword}: must have at least {limit} items"),
        Kind::MaxLength { limit } => format!("{keyword}: must have at most {limit} characters"),
        Kind::MinLength { limit } => format!("{keyword}: must have at least {limit} characters"),
        Kind::MaxProperties { limit } => format!("{keyword}: must have at most {limit} properties"),
        Kind::MinProperties { limit } => {
            format!("{keyword}: must have at least {limit} properties")
        }
        Kind::Not { .. } => format!("{keyword}: matches what it must not match"),
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            format!("{keyword}: the name {}: {}", listed([name]), message(error))
        }
        Kind::Required { property } => {
            let name = unmarked(property.as_str().unwrap_or_default()).into_owned();
            format!("{keyword}: {} is missing", listed([name]))
        }
        Kind::Type { kind } => {
            let types: Vec<&str> = match kind {
                TypeKind::Single(kind) => vec![kind.as_str()],
                TypeKind::Multiple(kinds) => kinds.iter().map(JsonType::as_str).collect(),
            };
            format!("{keyword}: must be {}", types.join(" or "))
        }
        Kind::UniqueItems => format!("{keyword}: two items are equal"),
        // Keywords that are never written for the crate.
        _ => format!("{keyword}: not satisfied"),
    }
}

/// What the first branches ask for.
fn branches(context: &[Vec<ValidationError<'static>>]) -> String {
    const MOST: usize = 3;
    let mut out = String::new();
    for (at, errors) in context.iter().take(MOST).enumerate() {
        if let Some(error) = errors.first() {
            out.push_str(if at == 0 { " (" } else { "; " });
            out.push_str(&cut(&format!("{} {}", pointer_of(error), message(error))));
        }
    }
    if !out.is_empty() {
        out.push_str(if context.len() > MOST { "; …)" } else { ")" });
    }
    out
}

fn listed<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    let names: Vec<String> = names
        .into_iter()
        .take(8)
        .map(|name| crate::text::quoted(name.as_ref()))
        .collect();
    names.join(", ")
}

/// At most 200 characters.
fn cut(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
