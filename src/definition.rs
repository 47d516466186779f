//! The definition of an instance: checked once, never changed.

use std::sync::Arc;

use serde_json::Value;

use crate::candidate::{EvidencePolicy, EvidenceRules, EvidenceSource, sources_from_value};
use crate::error::{ErrorCode, IntentError, Stage, codes};
use crate::executor::ModelExecutor;
use crate::limits::{Limits, MAX_TIMER_MS};
use crate::schema::{Origin, Schema, Selection};
use crate::text::quoted;

/// The language that stands for that of each input; no registered language has this name.
const AUTO: &str = "auto";

/// The words that name the language to the model in that case.
const TOLD_AUTO: &str = "the language of currentInput; where it mixes several, the main one";

/// The configuration of an instance.
#[derive(Clone)]
pub struct IntentConfig {
    /// BCP 47, or `auto` for the language of the input; texts of the model are asked for in it.
    /// Default `en`.
    pub language: String,
    /// The business fields as a JSON Schema; `None` or `{}` for none.
    pub schema: Option<(Value, Origin)>,
    /// The executor that answers; without one only a Bridge can.
    pub executor: Option<Arc<dyn ModelExecutor>>,
    /// Milliseconds for a whole `parse`; 0, the default, for no deadline.
    pub timeout_ms: u64,
    /// The number of repairs in each stage: 0 or 1, the default.
    pub repair_attempts: u8,
    /// The limits of input, output and work.
    pub limits: Limits,
    /// The strictness with which values are bound to their quotes.
    pub evidence: EvidencePolicy,
    /// The sources that may give values; `None`, the default, for all.
    pub evidence_from: Option<Vec<EvidenceSource>>,
    /// The handling of fields if no intent was found.
    pub data_without_intent: DataWithoutIntent,
    /// The amount that a model writes to prove a value.
    pub proof: ProofForm,
    /// The handling of keywords that no dialect has.
    pub unknown_keywords: UnknownKeywords,
}

/// The handling of a schema's keywords and formats that no dialect has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownKeywords {
    /// The schema is refused: most often it is a typo. The default.
    #[default]
    Refuse,
    /// They are annotations, as the standard has it.
    Annotate,
}

impl UnknownKeywords {
    /// Of the JSON form.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub fn from_value(value: &Value) -> Result<Self, IntentError> {
        match value.as_str() {
            Some("refuse") => Ok(Self::Refuse),
            Some("annotate") => Ok(Self::Annotate),
            _ => Err(invalid(format!(
                "unknownKeywords must be \"refuse\" or \"annotate\", got {}.",
                brief(value)
            ))),
        }
    }

    /// The reading of a schema of this origin.
    pub(crate) const fn applied_to(self, origin: Origin) -> Origin {
        match self {
            Self::Refuse => origin,
            Self::Annotate => Origin::Annotated,
        }
    }
}

codes! {
    /// The amount that a model writes to prove a value.
    ProofForm {
        /// Every key of the documented candidate: the default.
        Full = "full",
        /// Only the parts that the package cannot find by itself.
        Brief = "brief",
    }
}

codes! {
    /// The handling of fields if the core stage finds no intent.
    DataWithoutIntent {
        /// They are asked for all the same: the default.
        Ask = "ask",
        /// They are not: the result has no data.
        Skip = "skip",
    }
}

impl Default for IntentConfig {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            schema: None,
            executor: None,
            timeout_ms: 0,
            repair_attempts: 1,
            limits: Limits::default(),
            evidence: EvidencePolicy::default(),
            evidence_from: None,
            data_without_intent: DataWithoutIntent::Ask,
            proof: ProofForm::Full,
            unknown_keywords: UnknownKeywords::Refuse,
        }
    }
}

impl IntentConfig {
    /// Of the JSON form `{ language?, timeoutMs?, repairAttempts?, limits?, evidence?,
    /// evidenceFrom?, dataWithoutIntent?, proof? }`; schema and
    /// executor, which JSON text alone cannot tell apart from their kind, are set on the result.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, naming the key.
    pub fn from_value(value: Value) -> Result<Self, IntentError> {
        let Value::Object(parts) = value else {
            return Err(invalid("the configuration must be an object."));
        };
        let mut config = Self::default();
        for (key, value) in parts {
            match key.as_str() {
                "language" => match value {
                    Value::String(language) => config.language = language,
                    other => {
                        return Err(invalid(format!("language must be a string, got {other}.")));
                    }
                },
                "timeoutMs" => {
                    config.timeout_ms =
                        integer(&value, MAX_TIMER_MS).ok_or_else(|| timeout_invalid(&value))?;
                }
                "repairAttempts" => {
                    config.repair_attempts = match integer(&value, 1) {
                        Some(0) => 0,
                        Some(_) => 1,
                        None => {
                            return Err(invalid(format!(
                                "repairAttempts must be 0 or 1, got {}.",
                                brief(&value)
                            )));
                        }
                    };
                }
                "unknownKeywords" => {
                    config.unknown_keywords = UnknownKeywords::from_value(&value)?;
                }
                "evidence" => config.evidence = EvidencePolicy::from_value(&value)?,
                "evidenceFrom" => config.evidence_from = Some(sources_from_value(&value)?),
                "proof" => {
                    let named = value.as_str().and_then(ProofForm::from_text);
                    config.proof = named.ok_or_else(|| {
                        invalid(format!(
                            "proof must be \"full\" or \"brief\", got {}.",
                            brief(&value)
                        ))
                    })?;
                }
                "dataWithoutIntent" => {
                    let named = value.as_str().and_then(DataWithoutIntent::from_text);
                    config.data_without_intent = named.ok_or_else(|| {
                        invalid(format!(
                            "dataWithoutIntent must be \"ask\" or \"skip\", got {}.",
                            brief(&value)
                        ))
                    })?;
                }
                "limits" => {
                    let Value::Object(limits) = value else {
                        return Err(invalid(format!(
                            "limits must be an object, got {}.",
                            brief(&value)
                        )));
                    };
                    for (name, value) in limits {
                        let values = Limits::values(&name);
                        let Some(limit) = config.limits.by_name(&name) else {
                            return Err(invalid(format!("unknown limit {}.", quoted(&name))));
                        };
                        *limit = integer(&value, *values.end())
                            .filter(|n| values.contains(n))
                            .ok_or_else(|| {
                                invalid(format!(
                                    "limits.{name} must be {}, got {}.",
                                    Limits::range(&name),
                                    brief(&value)
                                ))
                            })?;
                    }
                }
                _ => {
                    return Err(invalid(format!(
                        "unknown configuration key {}.",
                        quoted(&key)
                    )));
                }
            }
        }
        Ok(config)
    }
}

/// A non-negative integer of at most `most`, however it is written.
pub(crate) fn integer(value: &Value, most: u64) -> Option<u64> {
    let number = value.as_f64()?;
    if number.fract() != 0.0 || number < 0.0 || number > most as f64 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    Some(number as u64)
}

/// A value as a message shows it: scalars whole, the rest by kind.
pub(crate) fn brief(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        scalar => scalar.to_string(),
    }
}

fn timeout_invalid(value: &Value) -> IntentError {
    invalid(format!(
        "timeoutMs must be an integer from 0 to {MAX_TIMER_MS} milliseconds, got {}.",
        brief(value)
    ))
}

fn invalid(message: impl Into<String>) -> IntentError {
    IntentError::of(ErrorCode::ConfigInvalid, message)
}

/// The immutable part of an instance.
#[derive(Debug)]
pub struct Definition {
    language: String,
    schema: Schema,
    limits: Limits,
    repair_attempts: u8,
    evidence: EvidenceRules,
    data_without_intent: DataWithoutIntent,
    proof: ProofForm,
}

impl Definition {
    /// Checks a configuration.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED` or `LIMIT_EXCEEDED`, all of stage `config`.
    pub fn new(
        language: &str,
        schema: Option<(Value, Origin)>,
        repair_attempts: u8,
        limits: Limits,
    ) -> Result<Self, IntentError> {
        crate::failpoint::hit("config", language);
        limits.check()?;
        if repair_attempts > 1 {
            return Err(invalid(format!(
                "repairAttempts must be 0 or 1, got {repair_attempts}."
            )));
        }
        let language = if language.eq_ignore_ascii_case(AUTO) {
            AUTO.to_owned()
        } else {
            crate::language::canonical(language)
                .map_err(|why| invalid(format!("language {}: {why}", quoted(language))))?
        };
        let schema = match schema {
            Some((value, origin)) => Schema::from_value(value, origin, &limits)?,
            None => Schema::empty(),
        };
        let evidence = EvidenceRules::new(&EvidencePolicy::default(), None, &schema)?;
        Ok(Self {
            language,
            schema,
            limits,
            repair_attempts,
            evidence,
            data_without_intent: DataWithoutIntent::Ask,
            proof: ProofForm::Full,
        })
    }

    /// With rules of evidence.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where the schema has no such place, or nothing there can pass.
    pub fn with_evidence(
        mut self,
        policy: &EvidencePolicy,
        from: Option<&[EvidenceSource]>,
    ) -> Result<Self, IntentError> {
        self.evidence = EvidenceRules::new(policy, from, &self.schema)?;
        Ok(self)
    }

    /// With or without a data stage where no intent was found.
    #[must_use]
    pub fn with_data_without_intent(mut self, what: DataWithoutIntent) -> Self {
        self.data_without_intent = what;
        self
    }

    /// With this form of proof.
    #[must_use]
    pub fn with_proof(mut self, form: ProofForm) -> Self {
        self.proof = form;
        self
    }

    /// The amount that a model writes to prove a value.
    #[must_use]
    pub fn proof(&self) -> ProofForm {
        self.proof
    }

    /// The rules that bind values to their quotes.
    pub(crate) fn evidence(&self) -> &EvidenceRules {
        &self.evidence
    }

    /// The handling of fields if no intent was found.
    #[must_use]
    pub fn data_without_intent(&self) -> DataWithoutIntent {
        self.data_without_intent
    }

    /// The canonical language tag, or `auto`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The language as a model is told it: a tag, or words.
    pub(crate) fn told_language(&self) -> &str {
        if self.language == AUTO {
            TOLD_AUTO
        } else {
            &self.language
        }
    }

    /// The schema snapshot.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The number of repairs in each stage.
    #[must_use]
    pub fn repair_attempts(&self) -> u8 {
        self.repair_attempts
    }

    /// The selection of these fields, of all without any; `None` where no field is selected.
    pub(crate) fn select(
        &self,
        fields: Option<&[String]>,
    ) -> Result<Option<Arc<Selection>>, IntentError> {
        let names: Vec<&str> = match fields {
            None => self.schema.fields().collect(),
            Some(fields) => {
                let mut seen = std::collections::HashSet::new();
                fields
                    .iter()
                    .map(String::as_str)
                    .filter(|name| seen.insert(*name))
                    .collect()
            }
        };
        if let Some(unknown) = names.iter().find(|name| !self.schema.has_field(name)) {
            return Err(IntentError::new(
                ErrorCode::UnknownField,
                Stage::Input,
                self.schema.unknown_field(unknown),
            ));
        }
        if names.is_empty() {
            Ok(None)
        } else {
            self.schema.select(&names).map(Some)
        }
    }
}
