//! The state machine of one recognition, without I/O, threads or clocks of its own.
//!
//! | state | answer | then |
//! |---|---|---|
//! | core | acceptable, no field selected | done |
//! | core | acceptable, no intent, fields not asked for without one | done |
//! | core | acceptable, fields selected | data |
//! | core | faults, a repair left | core again, with the repair's material |
//! | core | faults, no repair left | failed: `MODEL_OUTPUT_INVALID` |
//! | data | acceptable | done |
//! | data | issues or verdicts against it | failed: `DATA_EXTRACTION_FAILED` |
//! | data | faults, a repair left | data again, with the repair's material |
//! | data | faults, no repair left | failed: `MODEL_OUTPUT_INVALID` |
//! | any | past a limit | failed: `LIMIT_EXCEEDED` |
//! | any | refusal, incomplete | failed: `MODEL_REFUSED`, `MODEL_OUTPUT_INCOMPLETE` |
//!
//! A [`Pipeline`] is immutable: an answer gives a [`Transition`] that holds the next one, which a
//! driver may commit or drop. [`crate::Intent`] drives it with an executor, the Bridge hands its
//! questions to a host.

use std::sync::Arc;

use crate::budget::{Budget, Exhausted};
use crate::candidate::{self, IntentResult, Rejection};
use crate::definition::{DataWithoutIntent, Definition};
use crate::error::{DataIssueCode, ErrorKind, IntentError, Issue, IssueCode, Stage, codes};
use crate::executor::{ModelFormat, ModelReply, ModelRequest};
use crate::limits::Limit;
use crate::materials::Materials;
use crate::prompt::{self, Repair};

/// The core result with its JSON.
#[derive(Debug)]
pub struct CoreResult {
    result: Arc<IntentResult>,
    json: Box<str>,
}

impl CoreResult {
    /// The default result, with `data: {}`.
    #[must_use]
    pub fn result(&self) -> &Arc<IntentResult> {
        &self.result
    }

    /// Its compact JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// One state of a recognition; cheap to clone.
#[derive(Debug, Clone)]
pub struct Pipeline {
    definition: Arc<Definition>,
    materials: Arc<Materials>,
    core: Option<Arc<CoreResult>>,
    repair: Option<Arc<Repair>>,
    repairs_left: u8,
}

/// The step that follows an answer.
#[derive(Debug)]
pub enum Transition {
    /// The next question, with the state that takes its answer.
    Ask(Pipeline, Arc<ModelRequest>),
    /// The result.
    Done(Arc<IntentResult>),
    /// The error that ends it.
    Failed(IntentError),
}

impl Pipeline {
    /// The first state and its question.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` at stage `core` where the request passes `maxRequestBytes`.
    pub fn start(
        definition: Arc<Definition>,
        materials: Materials,
    ) -> Result<(Self, Arc<ModelRequest>), IntentError> {
        let repairs_left = definition.repair_attempts();
        let pipeline = Self {
            definition,
            materials: Arc::new(materials),
            core: None,
            repair: None,
            repairs_left,
        };
        let request = pipeline.request()?;
        Ok((pipeline, Arc::new(request)))
    }

    /// The stage that waits for its answer: `core` or `data`.
    #[must_use]
    pub fn stage(&self) -> Stage {
        if self.core.is_some() {
            Stage::Data
        } else {
            Stage::Core
        }
    }

    /// The materials.
    #[must_use]
    pub fn materials(&self) -> &Arc<Materials> {
        &self.materials
    }

    /// The core result, once there is one.
    #[must_use]
    pub fn core(&self) -> Option<&Arc<CoreResult>> {
        self.core.as_ref()
    }

    /// The repair that this state asks for, if any.
    #[must_use]
    pub fn repair(&self) -> Option<&Arc<Repair>> {
        self.repair.as_ref()
    }

    /// Returns an error at this stage, with the core result if there is one.
    pub(crate) fn error(&self, kind: &ErrorKind<'_>) -> IntentError {
        self.complete(kind.at_stage(self.stage()))
    }

    /// Adds the core result, if there is one, to an error of this recognition.
    #[must_use]
    pub fn complete(&self, error: IntentError) -> IntentError {
        error.with_partial_result(self.core.as_ref().map(|core| Arc::clone(&core.result)))
    }

    /// Returns the error for a validation whose budget ended.
    #[must_use]
    pub fn exhausted(&self) -> IntentError {
        let limits = self.definition.limits();
        self.complete(limits.exceeded(Limit::ValidationMs, Stage::Data))
    }

    /// Checks that a candidate is within `maxOutputBytes`.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` at this stage.
    pub fn check_size(&self, candidate: &str) -> Result<(), IntentError> {
        let limits = self.definition.limits();
        limits
            .check_count(Limit::OutputBytes, candidate.len(), self.stage())
            .map_err(|error| self.complete(error))
    }

    /// Takes the answer to this state's question.
    ///
    /// # Errors
    /// [`Exhausted`] where the budget ended first; the state is as it was.
    pub fn accept(&self, reply: &ModelReply, budget: &Budget) -> Result<Transition, Exhausted> {
        match reply {
            ModelReply::Complete { text, .. } => self.accept_candidate(text, budget),
            ModelReply::Refusal { detail, .. } => Ok(Transition::Failed(
                self.cancel_error(CancelOutcome::Refusal, detail.as_deref()),
            )),
            ModelReply::Incomplete { detail, .. } => Ok(Transition::Failed(
                self.cancel_error(CancelOutcome::Incomplete, detail.as_deref()),
            )),
        }
    }

    /// Returns whether the validator is compiled, or compiles fast enough for an event loop.
    pub(crate) fn is_ready(&self) -> bool {
        match (&self.core, self.materials.selection()) {
            (Some(_), Some(selection)) => selection.is_ready(),
            _ => true,
        }
    }

    /// Returns whether the question after this one is written, or is written fast enough for an event
    /// loop.
    pub(crate) fn is_next_written(&self) -> bool {
        match (&self.core, self.materials.selection()) {
            (None, Some(selection)) => {
                selection.is_written(self.definition.proof(), self.materials.context_len())
            }
            _ => true,
        }
    }

    /// Compiles the validator of the answer. No time limit applies: the limits of the schema bound the
    /// work, and the outcome must not depend on the number of calls.
    ///
    /// # Errors
    /// The outcome, if the system gives no thread for the work.
    pub(crate) fn prepare(&self) -> Result<(), IntentError> {
        match (&self.core, self.materials.selection()) {
            (Some(_), Some(selection)) => selection
                .prepare(&Budget::unlimited())
                .map_err(|Exhausted| self.no_thread()),
            _ => Ok(()),
        }
    }

    /// Returns the error for a check for which the system gives no thread. The candidate may be valid.
    #[must_use]
    pub(crate) fn no_thread(&self) -> IntentError {
        self.error(&ErrorKind::NoThread("check the candidate"))
    }

    /// Takes a complete candidate.
    ///
    /// # Errors
    /// [`Exhausted`] where the budget ended first; the state is as it was.
    pub fn accept_candidate(&self, text: &str, budget: &Budget) -> Result<Transition, Exhausted> {
        match self.checked(text, budget) {
            // If a provisional check gets no thread, the final check that follows may still get one.
            Err(Exhausted) if budget.lacked_a_thread() && !budget.is_provisional() => {
                Ok(Transition::Failed(self.no_thread()))
            }
            checked => checked,
        }
    }

    fn checked(&self, text: &str, budget: &Budget) -> Result<Transition, Exhausted> {
        if let Err(error) = self.check_size(text) {
            return Ok(Transition::Failed(error));
        }
        crate::failpoint::hit("candidate", text);
        let limits = self.definition.limits();
        let form = self.definition.proof();
        let rejected = match (&self.core, self.materials.selection()) {
            (Some(core), Some(selection)) => {
                match candidate::data::check(
                    text,
                    &self.materials,
                    selection,
                    &self.definition,
                    limits,
                    budget,
                )? {
                    Ok(candidate::data::Outcome::Data(data, evidence)) => {
                        return Ok(Transition::Done(Arc::new(IntentResult {
                            data,
                            evidence,
                            ..IntentResult::clone(&core.result)
                        })));
                    }
                    Ok(candidate::data::Outcome::Issues(issues, settled)) => {
                        let unsettled = ErrorKind::Unsettled {
                            issues: issues.len(),
                        };
                        return Ok(Transition::Failed(
                            self.error(&unsettled)
                                .with_settled(settled, missing(&issues))
                                .with_issues(issues),
                        ));
                    }
                    Err(rejected) => rejected,
                }
            }
            _ => match candidate::core::check(text, self.materials.input(), form, limits) {
                Ok(result) => return Ok(self.after_core(result)),
                Err(rejected) => rejected,
            },
        };
        Ok(match rejected {
            Rejection::Limit(error) => Transition::Failed(self.complete(error)),
            Rejection::Faults(faults) => {
                let failed = Transition::Failed(self.complete(faults.error(self.stage())));
                let Some(repairs_left) = self.repairs_left.checked_sub(1) else {
                    return Ok(failed);
                };
                let repair = Repair {
                    candidate: text.into(),
                    diagnostic: faults.diagnostic().into(),
                };
                let next = Self {
                    repair: Some(Arc::new(repair)),
                    repairs_left,
                    ..self.clone()
                };
                match next.request() {
                    Ok(request) => Transition::Ask(next, Arc::new(request)),
                    // The repair exceeds the size limit, so the candidate's own error is the outcome.
                    Err(_) => failed,
                }
            }
        })
    }

    /// Returns the error for a question that was cancelled, refused, or answered incompletely.
    #[must_use]
    pub fn cancel_error(&self, outcome: CancelOutcome, detail: Option<&str>) -> IntentError {
        self.error(&(outcome, detail).into())
    }

    fn after_core(&self, mut result: IntentResult) -> Transition {
        let skips = self.definition.data_without_intent() == DataWithoutIntent::Skip;
        if self.materials.selection().is_none() || (skips && result.intents.is_empty()) {
            result.evidence = self.materials.wants_evidence().then(Vec::new);
            return Transition::Done(Arc::new(result));
        }
        let result = Arc::new(result);
        let json = result.to_json().into_boxed_str();
        let next = Self {
            core: Some(Arc::new(CoreResult { result, json })),
            repair: None,
            repairs_left: self.definition.repair_attempts(),
            ..self.clone()
        };
        match next.request() {
            Ok(request) => Transition::Ask(next, Arc::new(request)),
            Err(error) => Transition::Failed(error),
        }
    }

    /// Returns the question of this state. It depends only on the state, so that a repeated call returns
    /// the same bytes.
    pub(crate) fn request(&self) -> Result<ModelRequest, IntentError> {
        let form = self.definition.proof();
        let (stage, instructions, format, output_schema) =
            match (&self.core, self.materials.selection()) {
                (Some(_), Some(selection)) => (
                    Stage::Data,
                    prompt::instructions(Stage::Data, form),
                    ModelFormat::JsonObject,
                    selection.output_schema(form, self.materials.context_len()),
                ),
                _ => {
                    let format = ModelFormat::JsonSchema {
                        name: prompt::CORE_FORMAT_NAME,
                    };
                    (
                        Stage::Core,
                        prompt::instructions(Stage::Core, form),
                        format,
                        Arc::clone(prompt::core_schema(form)),
                    )
                }
            };
        let core = self.core.as_ref().map(|core| &*core.json);
        let payload = prompt::payload(
            &self.definition,
            &self.materials,
            core,
            self.repair.as_deref(),
        );
        let schema_bytes = match format {
            ModelFormat::JsonSchema { .. } => output_schema.text.len(),
            ModelFormat::JsonObject => "{}".len(),
        };
        let bytes = instructions.len() + payload.len() + schema_bytes;
        self.definition
            .limits()
            .check_count(Limit::RequestBytes, bytes, stage)
            .map_err(|error| self.complete(error))?;
        Ok(ModelRequest {
            stage,
            instructions: Arc::clone(instructions),
            payload: payload.into(),
            format,
            output_schema,
            form,
        })
    }
}

codes! {
    /// The reason why a question has no complete answer.
    CancelOutcome {
        /// Cancelled from outside.
        Aborted = "cancelled",
        /// Refused.
        Refusal = "refusal",
        /// Cut short.
        Incomplete = "incomplete",
    }
}

/// Returns the paths of the required values that were not given, each once.
fn missing(issues: &[Issue]) -> Vec<String> {
    let missing = IssueCode::Data(DataIssueCode::RequiredMissing);
    let mut paths: Vec<String> = Vec::new();
    for issue in issues.iter().filter(|issue| issue.code == missing) {
        if let Some(path) = issue.path.as_ref().filter(|path| !paths.contains(path)) {
            paths.push(path.clone());
        }
    }
    paths
}
