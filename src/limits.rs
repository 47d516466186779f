//! Every limit, its name and its default, in one place.

use crate::error::{ErrorKind, IntentError, Stage};
use crate::options::{FromJson, Given, within};

/// The greatest delay that a timer takes, in milliseconds (2^31 - 1, as in every JavaScript
/// engine).
pub const MAX_TIMER_MS: u64 = 2_147_483_647;

/// The greatest safe integer of ECMA-262 (`Number.MAX_SAFE_INTEGER`).
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

macro_rules! limits {
    ($($(#[$doc:meta])* $limit:ident $field:ident = $name:literal: $default:literal,)+) => {
        /// The limits of an instance. Every excess is [`LimitExceeded`](crate::ErrorCode::LimitExceeded).
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits { $($(#[$doc])* pub $field: u64,)+ }

        impl Default for Limits {
            fn default() -> Self { Self { $($field: $default,)+ } }
        }

        /// One of [`Limits`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Limit { $($limit,)+ }

        impl Limit {
            const ALL: &'static [Self] = &[$(Self::$limit,)+];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$limit => $name,)+ }
            }
        }

        impl Limits {
            /// The names in the documentation's order, with their defaults.
            pub const NAMES: &'static [(&'static str, u64)] = &[$(($name, $default),)+];

            pub(crate) const fn get(&self, limit: Limit) -> u64 {
                match limit { $(Limit::$limit => self.$field,)+ }
            }

            /// The limit of this name, to be set.
            pub fn by_name(&mut self, name: &str) -> Option<&mut u64> {
                match name { $($name => Some(&mut self.$field),)+ _ => None }
            }
        }
    };
}

limits! {
    /// UTF-8 bytes of the input.
    InputBytes max_input_bytes = "maxInputBytes": 65536,
    /// UTF-8 bytes of the normalised context array as JSON; no context counts 0.
    ContextBytes max_context_bytes = "maxContextBytes": 131_072,
    /// Context messages.
    ContextMessages max_context_messages = "maxContextMessages": 100,
    /// UTF-8 bytes of the schema snapshot as JSON.
    SchemaBytes max_schema_bytes = "maxSchemaBytes": 131_072,
    /// Nesting of schema nodes; the root is 0.
    SchemaDepth max_schema_depth = "maxSchemaDepth": 8,
    /// Entries of every `properties` together.
    SchemaProperties max_schema_properties = "maxSchemaProperties": 256,
    /// UTF-8 bytes of instructions, payload and the format's schema.
    RequestBytes max_request_bytes = "maxRequestBytes": 524_288,
    /// UTF-8 bytes of one candidate.
    OutputBytes max_output_bytes = "maxOutputBytes": 262_144,
    /// Nesting of objects and arrays in a candidate.
    CandidateDepth max_candidate_depth = "maxCandidateDepth": 32,
    /// Values in a candidate.
    CandidateNodes max_candidate_nodes = "maxCandidateNodes": 20000,
    /// Intents of a core candidate.
    IntentCount max_intent_count = "maxIntentCount": 100,
    /// Evidence entries, and description checks, each.
    EvidenceEntries max_evidence_entries = "maxEvidenceEntries": 4096,
    /// Issues, with those that description checks produce.
    IssueCount max_issue_count = "maxIssueCount": 256,
    /// Parses running on the instance.
    ConcurrentParses max_concurrent_parses = "maxConcurrentParses": 4,
    /// Parses waiting for one of those to end; 0 for none: then they are refused.
    QueuedParses max_queued_parses = "maxQueuedParses": 0,
    /// Compiled field selections kept.
    SchemaCacheEntries max_schema_cache_entries = "maxSchemaCacheEntries": 128,
    /// Milliseconds for one schema validation, waiting included.
    ValidationMs max_validation_ms = "maxValidationMs": 1000,
    /// Validations waiting or running on the instance.
    ValidationQueueEntries max_validation_queue_entries = "maxValidationQueueEntries": 32,
}

impl Limit {
    /// The least and the greatest allowed value.
    const fn range(self) -> (u64, u64) {
        match self {
            Self::ValidationMs => (1, MAX_TIMER_MS),
            Self::QueuedParses => (0, MAX_SAFE_INTEGER),
            _ => (1, MAX_SAFE_INTEGER),
        }
    }
}

impl Limits {
    /// Checks that every limit has an allowed value.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, naming the first limit with another value.
    pub fn check(&self) -> Result<(), IntentError> {
        for &limit in Limit::ALL {
            let (least, most) = limit.range();
            let name = format_args!("limits.{}", limit.name());
            within(name, self.get(limit), least, most)?;
        }
        Ok(())
    }

    /// Checks a complete count.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` at this stage.
    pub(crate) fn check_count(
        &self,
        limit: Limit,
        count: usize,
        stage: Stage,
    ) -> Result<(), IntentError> {
        let (max, actual) = (self.get(limit), count as u64);
        if actual <= max {
            return Ok(());
        }
        Err(ErrorKind::Limit {
            limit,
            max,
            actual: Some(actual),
            place: None,
        }
        .at_stage(stage))
    }

    /// Returns the error for a count that stopped at the limit.
    pub(crate) fn exceeded(&self, limit: Limit, stage: Stage) -> IntentError {
        ErrorKind::Limit {
            limit,
            max: self.get(limit),
            actual: None,
            place: None,
        }
        .at_stage(stage)
    }
}

/// Reads the given limits; the others have their defaults.
impl FromJson for Limits {
    fn from_json(given: Given<'_>) -> Result<Self, IntentError> {
        let names: Vec<_> = Limit::ALL.iter().map(|limit| limit.name()).collect();
        let mut members = given.members(&names)?;
        let mut limits = Self::default();
        for limit in Limit::ALL {
            let (least, most) = limit.range();
            if let Some(given) = members.given(limit.name())
                && let Some(value) = limits.by_name(limit.name())
            {
                *value = given.integer(least, most)?;
            }
        }
        Ok(limits)
    }
}
