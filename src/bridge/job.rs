//! One job: its record, its steps and the submission in progress.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::sync::Notify;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::clock::iso;
use super::reply::{BridgeReply, Task};
use crate::error::{ErrorKind, IntentError};
use crate::executor::ModelRequest;
use crate::pipeline::Pipeline;

/// The record of a job.
pub(super) struct Record {
    pub(super) id: Uuid,
    pub(super) session: u64,
    pub(super) instance: usize,
    /// The step that waits for its answer, or the last one.
    pub(super) pipeline: Pipeline,
    pub(super) state: JobState,
    /// The submissions that were answered, first to last.
    pub(super) steps: Vec<Step>,
    /// The bytes that the pipeline's state counts against `maxReplayBytes`.
    pub(super) state_bytes: u64,
    /// The bytes that the replies count.
    pub(super) reply_bytes: u64,
    /// The end of its lifetime, if it has one.
    pub(super) deadline: Duration,
    pub(super) positions: Positions,
}

impl Record {
    pub(super) fn bytes(&self) -> u64 {
        self.state_bytes + self.reply_bytes
    }

    pub(super) fn push_step(&mut self, token: StepToken, digest: Digest, outcome: StepOutcome) {
        // One step is the common case and four are the most, so exactly one is reserved.
        self.steps.reserve_exact(1);
        self.steps.push(Step {
            token,
            digest,
            outcome,
        });
    }
}

/// The places of a record in the [lists](super::lists), by axis.
pub(super) type Positions = [Neighbours; 3];

/// The neighbours of a record in one list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbours {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

pub(super) enum JobState {
    Active {
        token: StepToken,
        submission: Option<Arc<Submission>>,
    },
    Ended {
        reply: BridgeReply,
        ended_by: EndedBy,
    },
}

/// The party that ended a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedBy {
    /// The host, by `accept` or `cancel`.
    Host,
    /// Expiry or disposal: the host learns of it by its next `accept`, whatever that submits.
    Bridge,
}

/// A submission that was answered, and how it is answered again.
pub(super) struct Step {
    pub(super) token: StepToken,
    pub(super) digest: Digest,
    pub(super) outcome: StepOutcome,
}

pub(super) enum StepOutcome {
    /// The task that followed.
    Task(PendingTask),
    /// The end of the job.
    Ended(BridgeReply),
}

/// A task without its texts: they are written again from the pipeline's state.
#[derive(Debug, Clone)]
pub(super) struct PendingTask {
    pub(super) pipeline: Pipeline,
    pub(super) token: StepToken,
    /// In milliseconds since 1970.
    pub(super) expires_at: Option<u64>,
}

impl PendingTask {
    pub(super) fn task(&self, job: Uuid, request: Arc<ModelRequest>) -> Task {
        Task {
            job_id: text(job),
            step_token: self.token.text(),
            request,
            expires_at: self.expires_at.map(|ms| iso(ms).into()),
        }
    }

    pub(super) fn reply(&self, job: Uuid) -> Result<BridgeReply, IntentError> {
        let request = self.pipeline.request()?;
        Ok(BridgeReply::Task(self.task(job, Arc::new(request))))
    }
}

/// The bytes that a state of the pipeline counts: its materials, core result and repair as JSON.
pub(super) fn state_bytes(pipeline: &Pipeline) -> u64 {
    let bytes = pipeline.materials().json_len()
        + pipeline.core().map_or(0, |core| core.json().len())
        + pipeline.repair().map_or(0, |repair| repair.json_len());
    bytes as u64
}

/// The text of a job's id.
pub(super) fn text(job: Uuid) -> Arc<str> {
    Arc::from(&*job.hyphenated().encode_lower(&mut Uuid::encode_buffer()))
}

/// The id of this text; only the spelling that was handed out is one.
pub(super) fn read_id(text: &str) -> Option<Uuid> {
    let lower = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
    Uuid::try_parse(text).ok().filter(|_| lower)
}

/// The token that admits the next submission of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepToken([u8; 24]);

impl StepToken {
    pub(super) fn text(self) -> Arc<str> {
        URL_SAFE_NO_PAD.encode(self.0).into()
    }

    /// Reads the token of a text; `None` if the text is not a token.
    pub(super) fn read(text: &str) -> Option<Self> {
        // 24 bytes fill 32 characters without a rest: no two texts are the same token.
        let mut bytes = [0; 24];
        let read = URL_SAFE_NO_PAD.decode_slice(text, &mut bytes);
        (read == Ok(bytes.len())).then_some(Self(bytes))
    }
}

/// A token of the system's generator.
pub(super) fn new_token() -> Result<StepToken, IntentError> {
    let mut token = [0; 24];
    fill(&mut token)?;
    Ok(StepToken(token))
}

/// An id, version 4, of the system's generator.
pub(super) fn new_id() -> Result<Uuid, IntentError> {
    let mut bytes = [0; 16];
    fill(&mut bytes)?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

fn fill(bytes: &mut [u8]) -> Result<(), IntentError> {
    getrandom::fill(bytes).map_err(|error| ErrorKind::NoRandom(error).error())
}

/// 128 bits of a candidate: the same text to the byte, without keeping it.
///
/// XXH3 with a seed that only the process knows, at a tenth of the cost of a cryptographic
/// digest. There is nothing to forge: it is only compared with what the same session submitted for
/// the same step, and a host that found two texts alike would be given its own earlier reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digest(u128);

impl Digest {
    pub(super) fn of(candidate: &str) -> Self {
        static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(()));
        Self(xxh3_128_with_seed(candidate.as_bytes(), *SEED))
    }
}

/// A candidate that is being checked, and the callers that wait for its outcome.
pub(super) struct Submission {
    pub(super) digest: Digest,
    outcome: OnceLock<BridgeReply>,
    settled: Notify,
}

impl Submission {
    pub(super) fn new(digest: Digest) -> Self {
        Self {
            digest,
            outcome: OnceLock::new(),
            settled: Notify::new(),
        }
    }

    pub(super) fn outcome(&self) -> Option<&BridgeReply> {
        self.outcome.get()
    }

    /// Sets the outcome, unless it is set already. The caller then calls [`wake`](Self::wake).
    pub(super) fn settle(&self, outcome: BridgeReply) {
        let _ = self.outcome.set(outcome);
    }

    pub(super) fn wake(&self) {
        self.settled.notify_waiters();
    }

    /// The outcome, once there is one.
    pub(super) async fn settled(&self) -> BridgeReply {
        loop {
            // The waiter is registered before the outcome is read, so that it misses no outcome.
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if let Some(outcome) = self.outcome() {
                return outcome.clone();
            }
            settled.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_text() {
        let token = new_token().unwrap();
        let text = token.text();
        assert_eq!(text.len(), 32);
        assert!(StepToken::read(&text) == Some(token));
        for bad in [
            "",
            "forged",
            &text[..31],
            &format!("{text}A"),
            &format!("{text}="),
            &format!("{}+", &text[..31]),
            &format!("{} ", &text[..31]),
        ] {
            assert!(StepToken::read(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn an_id_has_one_text() {
        let id = new_id().unwrap();
        let text = text(id);
        assert_eq!(id.get_version_num(), 4);
        assert_eq!(read_id(&text), Some(id));
        for bad in [
            text.to_uppercase()
                .replace(|c: char| c.is_ascii_digit(), "A"),
            format!("{{{text}}}"),
            format!("urn:uuid:{text}"),
            text.replace('-', ""),
            String::new(),
        ] {
            assert_eq!(read_id(&bad), None, "{bad}");
        }
    }
}
