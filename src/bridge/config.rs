//! The configuration of a bridge: instances by name, capacities and lifetimes.

use serde_json::Value;

use crate::definition::{brief, integer};
use crate::error::{ErrorCode, IntentError};
use crate::intent::Intent;
use crate::limits::MAX_TIMER_MS;
use crate::text::quoted;

/// The configuration of a bridge. Capacities are shared by all of its sessions and instances.
#[derive(Debug, Clone)]
pub struct BridgeConfig {
    /// The instances by the names that `prepare` asks for; at least one. They stay the caller's:
    /// closing the bridge does not dispose them.
    pub instances: Vec<(String, Intent)>,
    /// Jobs that have not ended. Default 32.
    pub max_jobs: u64,
    /// Records of jobs, active and ended. Default 128.
    pub max_replay_entries: u64,
    /// Bytes that the records count ([module page](super)). Default 8 MiB.
    pub max_replay_bytes: u64,
    /// Milliseconds after which an idle active job ends; 0, the default, for never. Deprecated.
    pub job_ttl_ms: u64,
    /// Milliseconds after which an ended job is forgotten; 0, the default, for never. Deprecated.
    pub replay_ttl_ms: u64,
}

impl Default for BridgeConfig {
    fn default() -> Self {
        Self {
            instances: Vec::new(),
            max_jobs: 32,
            max_replay_entries: 128,
            max_replay_bytes: 8 << 20,
            job_ttl_ms: 0,
            replay_ttl_ms: 0,
        }
    }
}

/// The numbers of a [`BridgeConfig`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    pub(super) max_jobs: u64,
    pub(super) max_replay_entries: u64,
    pub(super) max_replay_bytes: u64,
    pub(super) job_ttl_ms: u64,
    pub(super) replay_ttl_ms: u64,
}

impl BridgeConfig {
    /// These instances with the default capacities.
    pub fn new<N: Into<String>>(instances: impl IntoIterator<Item = (N, Intent)>) -> Self {
        Self {
            instances: instances
                .into_iter()
                .map(|(name, intent)| (name.into(), intent))
                .collect(),
            ..Self::default()
        }
    }

    /// With the numbers of the JSON form `{ maxJobs?, maxReplayEntries?, maxReplayBytes?,
    /// jobTtlMs?, replayTtlMs? }`.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, naming the key.
    pub fn options(mut self, options: &Value) -> Result<Self, IntentError> {
        let Value::Object(options) = options else {
            return Err(invalid(format!(
                "the options of a bridge must be an object, got {}.",
                brief(options)
            )));
        };
        for (name, value) in options {
            let Some((option, least)) = self
                .numbers()
                .into_iter()
                .find_map(|number| (number.name == name).then_some((number.value, number.least)))
            else {
                return Err(invalid(format!("unknown bridge option {}.", quoted(name))));
            };
            *option = integer(value, MAX_TIMER_MS)
                .filter(|&n| n >= least)
                .ok_or_else(|| out_of_range(name, least, brief(value)))?;
        }
        Ok(self)
    }

    /// The numbers, where all of it is as it must be.
    pub(super) fn check(&mut self) -> Result<Capacity, IntentError> {
        if self.instances.is_empty() {
            return Err(invalid(
                "instances must hold at least one Intent under the name that prepare asks for.",
            ));
        }
        for Number { name, least, value } in self.numbers() {
            if !(least..=MAX_TIMER_MS).contains(value) {
                return Err(out_of_range(name, least, value));
            }
        }
        Ok(Capacity {
            max_jobs: self.max_jobs,
            max_replay_entries: self.max_replay_entries,
            max_replay_bytes: self.max_replay_bytes,
            job_ttl_ms: self.job_ttl_ms,
            replay_ttl_ms: self.replay_ttl_ms,
        })
    }

    fn numbers(&mut self) -> [Number<'_>; 5] {
        let number = |name, least, value| Number { name, least, value };
        [
            number("maxJobs", 1, &mut self.max_jobs),
            number("maxReplayEntries", 1, &mut self.max_replay_entries),
            number("maxReplayBytes", 1, &mut self.max_replay_bytes),
            number("jobTtlMs", 0, &mut self.job_ttl_ms),
            number("replayTtlMs", 0, &mut self.replay_ttl_ms),
        ]
    }
}

struct Number<'a> {
    name: &'static str,
    least: u64,
    value: &'a mut u64,
}

fn out_of_range(name: &str, least: u64, got: impl std::fmt::Display) -> IntentError {
    invalid(format!(
        "{name} must be an integer from {least} to {MAX_TIMER_MS}, got {got}."
    ))
}

pub(super) fn invalid(message: impl Into<String>) -> IntentError {
    IntentError::of(ErrorCode::ConfigInvalid, message)
}
