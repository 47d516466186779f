//! The definition of an instance: checked once, never changed.

use std::sync::Arc;

use serde_json::Value;

use crate::candidate::{EvidencePolicy, EvidenceRules, EvidenceSource};
use crate::error::{IntentError, codes};
use crate::executor::ModelExecutor;
use crate::limits::{Limits, MAX_TIMER_MS};
use crate::options::{Integer, options, read, rule_error};
use crate::request::Unread;
use crate::schema::{Origin, Schema, Selection};
use crate::text::quoted;

/// The option for the language of each input; no registered language has this name.
const AUTO: &str = "auto";

/// The text that a prompt has for [`AUTO`].
const AUTO_IN_PROMPT: &str = "the language of currentInput; where it mixes several, the main one";

/// The configuration of an instance.
#[derive(Clone)]
pub struct IntentConfig {
    /// BCP 47, or `auto` for the language of the input; texts of the model are asked for in it.
    /// Default `en`.
    pub language: String,
    /// The business fields as a JSON Schema; `None` or `{}` for none.
    pub schema: Option<(Value, Origin)>,
    /// The executor that answers; without one, only a Bridge can answer.
    pub executor: Option<Arc<dyn ModelExecutor>>,
    /// Milliseconds for a whole `parse`; 0, the default, for no deadline.
    pub timeout_ms: u64,
    /// The number of repairs of a rejected candidate in each stage: 0 or 1, the default.
    pub repair_attempts: u8,
    /// The limits on what is accepted.
    pub limits: Limits,
    /// The strictness with which values are bound to their quotes.
    pub evidence: EvidencePolicy,
    /// The sources that may give values; `None`, the default, for all.
    pub evidence_from: Option<Vec<EvidenceSource>>,
    /// The choice whether fields are asked for if no intent was found.
    pub data_without_intent: DataWithoutIntent,
    /// The amount that a model writes to prove a value.
    pub proof: ProofForm,
    /// The handling of keywords that no dialect has.
    pub unknown_keywords: UnknownKeywords,
}

codes! {
    /// The handling of a schema's keywords and formats that no dialect has.
    #[derive(Default)]
    UnknownKeywords {
        /// The schema is refused: most often it is a typo. The default.
        #[default]
        Refuse = "refuse",
        /// They are annotations, as the standard has it.
        Annotate = "annotate",
    }
}

impl UnknownKeywords {
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
    #[derive(Default)]
    ProofForm {
        /// Every key of the documented candidate: the default.
        #[default]
        Full = "full",
        /// Only the parts that the package cannot find by itself.
        Brief = "brief",
    }
}

codes! {
    /// The handling of fields if the core stage finds no intent.
    #[derive(Default)]
    DataWithoutIntent {
        /// They are asked for all the same: the default.
        #[default]
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
            data_without_intent: DataWithoutIntent::default(),
            proof: ProofForm::default(),
            unknown_keywords: UnknownKeywords::default(),
        }
    }
}

/// Milliseconds for a whole `parse`.
pub(crate) type TimeoutMs = Integer<0, MAX_TIMER_MS>;

/// Repairs of one stage.
type RepairAttempts = Integer<0, 1>;

options! {
    /// The options of an [`IntentConfig`] in JSON, as far as they are given.
    IntentOptions {
        language = "language": String,
        timeout_ms = "timeoutMs": TimeoutMs,
        repair_attempts = "repairAttempts": RepairAttempts,
        limits = "limits": Limits,
        unknown_keywords = "unknownKeywords": UnknownKeywords,
        evidence = "evidence": EvidencePolicy,
        evidence_from = "evidenceFrom": Vec<EvidenceSource>,
        data_without_intent = "dataWithoutIntent": DataWithoutIntent,
        proof = "proof": ProofForm,
    }
}

impl IntentConfig {
    /// Reads the JSON form `{ language?, timeoutMs?, repairAttempts?, limits?, unknownKeywords?,
    /// evidence?, evidenceFrom?, dataWithoutIntent?, proof? }`; schema and executor, which JSON
    /// text alone cannot tell apart from their kind, are set on the result.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, naming the key.
    pub fn from_value(value: Value) -> Result<Self, IntentError> {
        Self::read(value, &[])
    }

    pub(crate) fn read(value: Value, unread: &[Unread]) -> Result<Self, IntentError> {
        let given: IntentOptions = read(value, unread, &|_| false)?;
        let default = Self::default();
        Ok(Self {
            language: given.language.unwrap_or(default.language),
            schema: None,
            executor: None,
            timeout_ms: given.timeout_ms.map_or(default.timeout_ms, |ms| ms.0),
            repair_attempts: match given.repair_attempts {
                Some(attempts) => u8::from(attempts.0 > 0),
                None => default.repair_attempts,
            },
            limits: given.limits.unwrap_or_default(),
            evidence: given.evidence.unwrap_or_default(),
            evidence_from: given.evidence_from,
            data_without_intent: given.data_without_intent.unwrap_or_default(),
            proof: given.proof.unwrap_or_default(),
            unknown_keywords: given.unknown_keywords.unwrap_or_default(),
        })
    }
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
        RepairAttempts::check("repairAttempts", repair_attempts.into())?;
        let language = if language.eq_ignore_ascii_case(AUTO) {
            AUTO.to_owned()
        } else {
            crate::language::canonical(language).map_err(|why| {
                let rule = format!("language {}: {why}", quoted(language));
                rule_error(&rule)
            })?
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

    /// Sets the rules of evidence.
    ///
    /// # Errors
    /// `CONFIG_INVALID` if the schema has no such place, or no value there can pass.
    pub fn with_evidence(
        mut self,
        policy: &EvidencePolicy,
        from: Option<&[EvidenceSource]>,
    ) -> Result<Self, IntentError> {
        self.evidence = EvidenceRules::new(policy, from, &self.schema)?;
        Ok(self)
    }

    /// Sets whether a data stage runs if no intent was found.
    #[must_use]
    pub fn with_data_without_intent(mut self, what: DataWithoutIntent) -> Self {
        self.data_without_intent = what;
        self
    }

    /// Sets the form of proof.
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

    /// The rules by which values are bound to their quotes.
    pub(crate) fn evidence(&self) -> &EvidenceRules {
        &self.evidence
    }

    /// Returns whether fields are asked for if no intent was found.
    #[must_use]
    pub fn data_without_intent(&self) -> DataWithoutIntent {
        self.data_without_intent
    }

    /// The canonical language tag, or `auto`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The language as the prompt states it: a tag, or words.
    pub(crate) fn prompt_language(&self) -> &str {
        if self.language == AUTO {
            AUTO_IN_PROMPT
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

    /// The number of repairs of a rejected candidate in each stage.
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
            return Err(self.schema.unknown_field(unknown));
        }
        if names.is_empty() {
            Ok(None)
        } else {
            self.schema.select(&names).map(Some)
        }
    }
}
