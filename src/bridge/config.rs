//! The configuration of a bridge: instances by name, capacities and lifetimes.

use serde_json::Value;

use crate::error::IntentError;
use crate::intent::Intent;
use crate::limits::MAX_TIMER_MS;
use crate::options::{Integer, options, read, rule_error};
use crate::request::Unread;

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
    pub fn options(self, options: &Value) -> Result<Self, IntentError> {
        self.read(options.clone(), &[])
    }

    pub(crate) fn read(self, options: Value, unread: &[Unread]) -> Result<Self, IntentError> {
        let given: BridgeOptions = read(options, unread, &|_| false)?;
        Ok(Self {
            instances: self.instances,
            max_jobs: given.max_jobs.map_or(self.max_jobs, |n| n.0),
            max_replay_entries: given
                .max_replay_entries
                .map_or(self.max_replay_entries, |n| n.0),
            max_replay_bytes: given
                .max_replay_bytes
                .map_or(self.max_replay_bytes, |n| n.0),
            job_ttl_ms: given.job_ttl_ms.map_or(self.job_ttl_ms, |ms| ms.0),
            replay_ttl_ms: given.replay_ttl_ms.map_or(self.replay_ttl_ms, |ms| ms.0),
        })
    }

    /// The numbers, where all of it is as it must be.
    pub(super) fn check(&self) -> Result<Capacity, IntentError> {
        if self.instances.is_empty() {
            let rule =
                "instances must hold at least one Intent under the name that prepare asks for.";
            return Err(rule_error(rule));
        }
        Count::check("maxJobs", self.max_jobs)?;
        Count::check("maxReplayEntries", self.max_replay_entries)?;
        Count::check("maxReplayBytes", self.max_replay_bytes)?;
        Lifetime::check("jobTtlMs", self.job_ttl_ms)?;
        Lifetime::check("replayTtlMs", self.replay_ttl_ms)?;
        Ok(Capacity {
            max_jobs: self.max_jobs,
            max_replay_entries: self.max_replay_entries,
            max_replay_bytes: self.max_replay_bytes,
            job_ttl_ms: self.job_ttl_ms,
            replay_ttl_ms: self.replay_ttl_ms,
        })
    }
}

/// Jobs, records or bytes.
type Count = Integer<1, MAX_TIMER_MS>;

/// Milliseconds; 0 for no end.
type Lifetime = Integer<0, MAX_TIMER_MS>;

options! {
    /// The numbers of a [`BridgeConfig`] in JSON, as far as they are given.
    BridgeOptions {
        max_jobs = "maxJobs": Count,
        max_replay_entries = "maxReplayEntries": Count,
        max_replay_bytes = "maxReplayBytes": Count,
        job_ttl_ms = "jobTtlMs": Lifetime,
        replay_ttl_ms = "replayTtlMs": Lifetime,
    }
}
