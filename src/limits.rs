//! Every limit, its name and its default, in one place.

use std::ops::RangeInclusive;

use crate::error::{ErrorCode, IntentError, Stage};

/// The greatest delay that a timer takes, in milliseconds (2^31 - 1, as in every JavaScript
/// engine).
pub const MAX_TIMER_MS: u64 = 2_147_483_647;

/// The greatest safe integer of ECMA-262 (`Number.MAX_SAFE_INTEGER`).
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident = $name:literal : $default:literal,)+) => {
        /// The limits of an instance. Every excess is [`ErrorCode::LimitExceeded`].
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits { $($(#[$doc])* pub $field: u64,)+ }

        impl Default for Limits {
            fn default() -> Self { Self { $($field: $default,)+ } }
        }

        impl Limits {
            /// The names in the documentation's order, with their defaults.
            pub const NAMES: &'static [(&'static str, u64)] = &[$(($name, $default),)+];

            /// The limit of this name, to be set.
            pub fn by_name(&mut self, name: &str) -> Option<&mut u64> {
                match name { $($name => Some(&mut self.$field),)+ _ => None }
            }

            /// True if every limit has a value that it takes: see [`Limits::values`].
            ///
            /// # Errors
            /// `CONFIG_INVALID`, naming the first that is not.
            pub fn check(&self) -> Result<(), IntentError> {
                for (name, value) in [$(($name, self.$field),)+] {
                    if !Self::values(name).contains(&value) {
                        return Err(IntentError::of(
                            ErrorCode::ConfigInvalid,
                            format!("limits.{name} must be {}, got {value}.", Self::range(name)),
                        ));
                    }
                }
                Ok(())
            }
        }
    };
}

limits! {
    /// UTF-8 bytes of the input.
    max_input_bytes = "maxInputBytes": 65536,
    /// UTF-8 bytes of the normalised context array as JSON; no context counts 0.
    max_context_bytes = "maxContextBytes": 131_072,
    /// Context messages.
    max_context_messages = "maxContextMessages": 100,
    /// UTF-8 bytes of the schema snapshot as JSON.
    max_schema_bytes = "maxSchemaBytes": 131_072,
    /// Nesting of schema nodes; the root is 0.
    max_schema_depth = "maxSchemaDepth": 8,
    /// Entries of every `properties` together.
    max_schema_properties = "maxSchemaProperties": 256,
    /// UTF-8 bytes of instructions, payload and the format's schema.
    max_request_bytes = "maxRequestBytes": 524_288,
    /// UTF-8 bytes of one candidate.
    max_output_bytes = "maxOutputBytes": 262_144,
    /// Nesting of objects and arrays in a candidate.
    max_candidate_depth = "maxCandidateDepth": 32,
    /// Values in a candidate.
    max_candidate_nodes = "maxCandidateNodes": 20000,
    /// Intents of a core candidate.
    max_intent_count = "maxIntentCount": 100,
    /// Evidence entries, and description checks, each.
    max_evidence_entries = "maxEvidenceEntries": 4096,
    /// Issues, with those that description checks produce.
    max_issue_count = "maxIssueCount": 256,
    /// Parses running on the instance.
    max_concurrent_parses = "maxConcurrentParses": 4,
    /// Parses waiting for one of those to end; 0 for none: then they are refused.
    max_queued_parses = "maxQueuedParses": 0,
    /// Compiled field selections kept.
    max_schema_cache_entries = "maxSchemaCacheEntries": 128,
    /// Milliseconds for one schema validation, waiting included.
    max_validation_ms = "maxValidationMs": 1000,
    /// Validations waiting or running on the instance.
    max_validation_queue_entries = "maxValidationQueueEntries": 32,
}

impl Limits {
    /// The values that a limit takes.
    #[must_use]
    pub fn values(name: &str) -> RangeInclusive<u64> {
        match name {
            "maxValidationMs" => 1..=MAX_TIMER_MS,
            "maxQueuedParses" => 0..=MAX_SAFE_INTEGER,
            _ => 1..=MAX_SAFE_INTEGER,
        }
    }

    /// [`Limits::values`], for messages.
    #[must_use]
    pub fn range(name: &str) -> &'static str {
        match name {
            "maxValidationMs" => "a positive integer of at most 2147483647 milliseconds",
            "maxQueuedParses" => "0 or a positive safe integer",
            _ => "a positive safe integer",
        }
    }
}

/// `LIMIT_EXCEEDED` for one limit.
pub(crate) fn exceeded(
    stage: Stage,
    name: &str,
    limit: u64,
    what: impl std::fmt::Display,
) -> IntentError {
    IntentError::new(
        ErrorCode::LimitExceeded,
        stage,
        format!("{what} exceeds limits.{name} ({limit})."),
    )
    .with_limit(name, limit, None)
}

/// [`exceeded`], where what was counted is known.
pub(crate) fn exceeded_by(
    stage: Stage,
    name: &str,
    limit: u64,
    actual: usize,
    what: impl std::fmt::Display,
) -> IntentError {
    exceeded(stage, name, limit, what).with_limit(name, limit, Some(actual as u64))
}
