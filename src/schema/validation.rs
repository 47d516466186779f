//! Validates data with the `jsonschema` crate.
//!
//! The crate compiles one document for each schema, written by [`super::document`], once. `pattern`,
//! `multipleOf` and large lists are checked by keywords of this package ([`super::assertions`]);
//! `patternProperties` is written as [`super::names`] says.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use super::assertions::{
    IsLiteral, IsNoLiteral, IsRegex, LARGE_REQUIRED, LargeRequired, Literals, Matches, MultipleOf,
    NOT_LITERAL, OWN_CONST, OWN_ENUM, REGEX,
};
use super::document::Writer;
use super::fault_formatter::FaultFormatter;
use super::formats;
use super::graph::{Graph, Id};
use super::names::NameMarks;
use super::node::{Data, DataNode, Entry, Scope, WalkStop, roomy};
use super::stack::{Stack, on_large_stack};
use crate::budget::{Budget, Exhausted};
use crate::json::Node;

/// A fault: a JSON Pointer that begins with `/data`, cut where it is long, and a message.
pub(super) type SchemaFault = (String, String);

/// The approximate bytes that the faults of one validation may take.
const MAX_FAULT_BYTES: usize = 16 << 20;

/// A schema with what is compiled of it.
pub(super) struct Checker {
    pub(super) graph: Graph,
    compiled: OnceLock<Compiled>,
    /// The keyword objects that the document refers to, dropped once it is compiled. The compiling
    /// thread holds the lock, so that others wait.
    assertions: Mutex<Vec<Map<String, Value>>>,
}

/// `Err` is the reason why `jsonschema` refused the document, which means a bug in this crate.
type Compiled = Result<Validator<Data>, String>;

impl Checker {
    pub(super) fn new(mut graph: Graph) -> Self {
        let assertions = std::mem::take(&mut graph.assertions);
        Self {
            graph,
            compiled: OnceLock::new(),
            assertions: Mutex::new(assertions),
        }
    }

    fn marks(&self) -> NameMarks<'_> {
        self.graph.marks()
    }

    pub(super) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// The compiled validator. The first call compiles, whatever time is left: the limits that were
    /// checked when the schema was loaded bound the cost, and an outcome must not depend on the number
    /// of calls. `budget` only notes that the system gives no thread.
    fn compiled(&self, budget: &Budget) -> Result<&Compiled, Exhausted> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let mut assertions = self
            .assertions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = self.compile(&assertions, budget)?;
        let compiled = self.compiled.get_or_init(|| compiled);
        *assertions = Vec::new();
        Ok(compiled)
    }

    /// Compiles the validator if it is not compiled yet.
    ///
    /// # Errors
    /// [`Exhausted`] where the system gives no thread for it, which the budget notes.
    pub(super) fn prepare(&self, budget: &Budget) -> Result<(), Exhausted> {
        self.compiled(budget).map(|_| ())
    }

    fn compile(
        &self,
        assertions: &[Map<String, Value>],
        budget: &Budget,
    ) -> Result<Compiled, Exhausted> {
        // Compiling recurses into nested schemas and into the targets of some references, so a deeper
        // graph is compiled on a thread with a large stack.
        const SHALLOW: usize = 12;
        if self.graph.depth > SHALLOW {
            return on_large_stack(|_| self.compile_here(assertions))
                .ok_or_else(|| budget.note_no_thread());
        }
        Ok(self.compile_here(assertions))
    }

    fn compile_here(&self, assertions: &[Map<String, Value>]) -> Compiled {
        let unlimited = Budget::unlimited();
        let document = Writer::new(&self.graph, assertions, &unlimited)
            .document()
            .map_err(|Exhausted| "a budget without bound ended".to_owned())?;
        let patterns = self.graph.patterns.clone();
        let of_enums = Arc::new(self.graph.literals.clone());
        let (of_consts, of_negations) = (Arc::clone(&of_enums), Arc::clone(&of_enums));
        jsonschema::options_for::<Data>()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex())
            .with_format("url", formats::has_authority)
            .with_keyword("multipleOf", |_, value, _| {
                Ok(Box::new(MultipleOf::new(value)))
            })
            .with_keyword(OWN_ENUM, move |_, value, _| {
                Ok(Box::new(IsLiteral::new(
                    value,
                    &of_enums,
                    Literals::of_enum,
                )))
            })
            .with_keyword(OWN_CONST, move |_, value, _| {
                Ok(Box::new(IsLiteral::new(
                    value,
                    &of_consts,
                    Literals::of_const,
                )))
            })
            .with_keyword(NOT_LITERAL, move |_, value, _| {
                Ok(Box::new(IsNoLiteral(IsLiteral::new(
                    value,
                    &of_negations,
                    Literals::of_const,
                ))))
            })
            .with_keyword(LARGE_REQUIRED, |_, value, _| {
                Ok(Box::new(LargeRequired::new(value)))
            })
            .with_keyword("pattern", move |_, value, _| {
                // The document has the number of a pattern instead of its text.
                let id = value.as_str().and_then(|id| id.parse::<usize>().ok());
                match id.and_then(|id| patterns.get(id)) {
                    Some(pattern) => Ok(Box::new(Matches(pattern.clone()))),
                    None => Err(ValidationError::custom("the pattern has no number")),
                }
            })
            .with_keyword(REGEX, |_, _, _| Ok(Box::new(IsRegex)))
            .build(&document)
            .map_err(|error| error.to_string())
    }

    pub(super) fn satisfies(
        &self,
        id: Id,
        node: &Node<'_>,
        budget: &Budget,
        stack: Stack,
    ) -> Result<bool, WalkStop> {
        let schema = &self.graph.nodes[id];
        if schema.boolean.is_some() || schema.is_decided {
            return Ok(self.graph.decide(id, node, budget)?);
        }
        debug_assert!(schema.is_entry, "the document has no {id}");
        // `faults` tells why a schema could not be compiled.
        let Ok(validator) = self.compiled(budget)? else {
            return Ok(false);
        };
        let entries = [Entry::new(id, node)];
        let scope = Scope::new(budget, self.marks(), stack);
        scope.run(|| validator.is_valid(DataNode::entries(&entries, &scope)))
    }

    /// Returns the faults of the values of fields, at most `most`.
    pub(super) fn faults(
        &self,
        fields: &[(&str, Id, &Node<'_>)],
        budget: &Budget,
        most: usize,
    ) -> Result<Vec<SchemaFault>, Exhausted> {
        let validator = match self.compiled(budget)? {
            Ok(validator) => validator,
            Err(reason) => {
                return Ok(vec![(
                    "/data".to_owned(),
                    format!("the schema could not be compiled: {reason}"),
                )]);
            }
        };
        roomy(budget, |budget, stack| {
            self.listed(validator, fields, budget, stack, most.max(1))
        })
    }

    fn listed(
        &self,
        validator: &Validator<Data>,
        fields: &[(&str, Id, &Node<'_>)],
        budget: &Budget,
        stack: Stack,
        most: usize,
    ) -> Result<Vec<SchemaFault>, WalkStop> {
        let entries: Vec<Entry<'_>> = fields
            .iter()
            .map(|(_, id, node)| Entry::new(*id, node))
            .collect();
        let scope = Scope::new(budget, self.marks(), stack);
        // The verdict first: it stops at the first fault and stores none.
        if scope.run(|| validator.is_valid(DataNode::entries(&entries, &scope)))? {
            return Ok(Vec::new());
        }
        // A list can take far more steps than the verdict, since each branch repeats the faults below it.
        // So its steps and bytes are bounded, beside the time.
        let most_steps = scope.steps().saturating_mul(8).saturating_add(200_000);
        let names: Vec<(String, &str)> = fields
            .iter()
            .map(|(name, id, _)| (id.to_string(), *name))
            .collect();
        let formatter = FaultFormatter { fields: &names };
        let fault =
            |error: &ValidationError<'_>| (formatter.place(error), formatter.message(error));
        let list = |most: usize| {
            let scope = Scope::new(budget, self.marks(), stack.for_nested_results());
            scope.list_within(most_steps, MAX_FAULT_BYTES);
            let data = DataNode::entries(&entries, &scope);
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
        if most > 1 && found == Err(WalkStop::Steps) {
            // The first fault alone takes fewer steps.
            found = list(1);
        }
        match found {
            Err(WalkStop::Stack) if !stack.is_large_stack() => Err(WalkStop::Stack),
            Err(WalkStop::Steps | WalkStop::Stack) => Ok(vec![(
                "/data".to_owned(),
                "the data does not satisfy the schema; its faults are too many to list".to_owned(),
            )]),
            found => found,
        }
    }
}
