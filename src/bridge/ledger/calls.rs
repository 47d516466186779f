//! The three calls on the ledger. Each checks the parts of its request in a fixed order, so that the
//! same call always gets the same refusal.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use uuid::Uuid;

use super::super::job::{
    Digest, EndedBy, JobState, PendingTask, Record, StepOutcome, StepToken, Submission, read_id,
    text,
};
use super::super::lists::Axis;
use super::super::reply::{BridgeReply, JobStatus};
use super::Ledger;
use crate::error::{ErrorCode, ErrorKind, IntentError, MAX_DETAIL_BYTES, Must};
use crate::pipeline::{CancelOutcome, Pipeline};
use crate::request::{RawRequest, invalid};

/// The most jobs that a refusal names.
const NAMED_JOBS: usize = 8;

/// The job that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bridge) enum Named {
    /// A valid id, which may have no job.
    Job(Uuid),
    /// A text that is not an id.
    NoJob,
    /// No id, or a value that is not a text.
    Nothing,
}

impl Named {
    pub(in crate::bridge) fn by(request: &RawRequest) -> Self {
        Self::read(request.get("jobId").and_then(Value::as_str))
    }

    pub(in crate::bridge) fn read(job_id: Option<&str>) -> Self {
        match job_id {
            Some(text) => read_id(text).map_or(Self::NoJob, Self::Job),
            None => Self::Nothing,
        }
    }
}

/// The outcome of claiming a step for a submission.
pub(in crate::bridge) enum Claim {
    /// A reply that is known.
    Known(BridgeReply),
    /// The task that was given before.
    Again(Uuid, PendingTask),
    /// The outcome of the same submission, in progress.
    Shared(Arc<Submission>),
    /// The step is claimed: the candidate is to be checked, and the outcome [settled](Ledger::settle).
    Claimed(Work),
}

/// A candidate to be checked.
pub(in crate::bridge) struct Work {
    pub(in crate::bridge) job: Uuid,
    pub(in crate::bridge) instance: usize,
    pub(in crate::bridge) pipeline: Pipeline,
    pub(in crate::bridge) submission: Arc<Submission>,
}

/// The decision on a checked candidate.
pub(in crate::bridge) enum Decision {
    /// The next task.
    Ask {
        pending: PendingTask,
        reply: BridgeReply,
        reply_bytes: u64,
        state_bytes: u64,
    },
    /// The outcome of the job.
    End {
        reply: BridgeReply,
        reply_bytes: u64,
    },
}

impl Ledger {
    /// Checks that one more job may be active.
    pub(in crate::bridge) fn check_max_jobs(&self, session: u64) -> Result<(), IntentError> {
        let max = self.capacity.max_jobs;
        if self.active.count < max {
            return Ok(());
        }
        let oldest = self.session(session)?.active;
        let named: Vec<Arc<str>> = oldest
            .iter(&self.records, Axis::Session)
            .take(NAMED_JOBS)
            .map(|record| text(record.id))
            .collect();
        Err(match &*named {
            [] => ErrorKind::MaxJobsElsewhere { max }.error(),
            oldest => ErrorKind::MaxJobs { max, oldest }.error(),
        })
    }

    /// Takes in a new job.
    pub(in crate::bridge) fn insert(
        &mut self,
        session: u64,
        instance: usize,
        id: Uuid,
        pending: PendingTask,
        state_bytes: u64,
    ) -> Result<(), IntentError> {
        self.session(session)?;
        self.check_max_jobs(session)?;
        if !self.make_room(1, self.active.bytes + state_bytes) {
            return Err(self.no_room(1, state_bytes));
        }
        let key = self.records.insert(Box::new(Record {
            id,
            session,
            instance,
            pipeline: pending.pipeline,
            state: JobState::Active {
                token: pending.token,
                submission: None,
            },
            steps: Vec::new(),
            state_bytes,
            reply_bytes: 0,
            deadline: Duration::ZERO,
            positions: Default::default(),
        }));
        self.by_id.insert(id, key);
        self.active.add(state_bytes);
        if let Some(jobs) = self.sessions.get_mut(&session) {
            jobs.active.push(&mut self.records, Axis::Session, key);
        }
        self.instances[instance].push(&mut self.records, Axis::Use, key);
        self.begin_idle(key);
        Ok(())
    }

    /// Returns the reply to a refused call: any error about a job except the one that ends it.
    pub(in crate::bridge) fn refusal(
        &self,
        session: u64,
        job: Named,
        error: IntentError,
    ) -> BridgeReply {
        let status = match job {
            // A call with faulty arguments ends no job.
            Named::Nothing if error.code() == ErrorCode::InputInvalid => JobStatus::Open,
            _ => self.status(session, job),
        };
        BridgeReply::Error {
            error,
            job: Some(status),
        }
    }

    /// Returns the status of a job.
    pub(in crate::bridge) fn status(&self, session: u64, job: Named) -> JobStatus {
        match self.find(session, job) {
            Ok(key) if matches!(self.records[key].state, JobState::Active { .. }) => {
                JobStatus::Open
            }
            _ => JobStatus::Ended,
        }
    }

    /// Makes the checks of `accept`, in order. `digest` is that of the candidate, if it is a text within
    /// the limit of some instance; it is computed before the lock is taken.
    pub(in crate::bridge) fn claim(
        &mut self,
        session: u64,
        job: Named,
        digest: Option<Digest>,
        request: &RawRequest,
    ) -> Result<Claim, IntentError> {
        self.session(session)?;
        request.check_shape(&["jobId", "stepToken", "candidateText"])?;
        let key = self.find(session, job)?;
        let token = StepToken::read(request.text("stepToken")?);
        let candidate = request.text("candidateText")?;
        let record = &mut *self.records[key];
        if let JobState::Ended {
            reply,
            ended_by: EndedBy::Bridge,
        } = &record.state
        {
            let claim = Claim::Known(reply.clone());
            self.touch(key);
            return Ok(claim);
        }
        record.pipeline.check_size(candidate)?;
        let same = |answered: Digest| Some(answered) == digest;
        if let Some(step) = record.steps.iter().find(|step| Some(step.token) == token) {
            if !same(step.digest) {
                return Err(ErrorKind::OtherCandidate.error());
            }
            let claim = match &step.outcome {
                StepOutcome::Task(pending) => Claim::Again(record.id, pending.clone()),
                StepOutcome::Ended(reply) => Claim::Known(reply.clone()),
            };
            self.touch(key);
            return Ok(claim);
        }
        let JobState::Active {
            token: present,
            submission,
        } = &mut record.state
        else {
            return Err(ErrorKind::JobEnded.error());
        };
        let (Some(digest), true) = (digest, token == Some(*present)) else {
            return Err(ErrorKind::OtherStep.error());
        };
        match submission {
            Some(submission) if same(submission.digest) => {
                Ok(Claim::Shared(Arc::clone(submission)))
            }
            Some(_) => Err(ErrorKind::CandidateInCheck.error()),
            None => {
                let claimed = Arc::new(Submission::new(digest));
                *submission = Some(Arc::clone(&claimed));
                Ok(Claim::Claimed(Work {
                    job: record.id,
                    instance: record.instance,
                    pipeline: record.pipeline.clone(),
                    submission: claimed,
                }))
            }
        }
    }

    /// Commits the outcome of a claimed submission. If its job has ended meanwhile, or its record does not
    /// fit, job and token stay as they were.
    pub(in crate::bridge) fn settle(&mut self, work: &Work, decision: Decision) -> BridgeReply {
        if let Some(outcome) = work.submission.outcome() {
            return outcome.clone();
        }
        let Some(&key) = self.by_id.get(&work.job) else {
            return BridgeReply::ended(ErrorKind::NoJob.error());
        };
        let now = self.now;
        let record = &self.records[key];
        let others = self.active.bytes - record.bytes();
        match decision {
            Decision::End { reply, reply_bytes } => {
                let bytes = record.bytes() + 2 * reply_bytes;
                if self.has_capacity(0, others + bytes) {
                    self.end(key, &reply, reply_bytes, EndedBy::Host, now);
                    reply
                } else {
                    self.refuse(key, bytes)
                }
            }
            Decision::Ask {
                pending,
                reply,
                reply_bytes,
                state_bytes,
            } => {
                let bytes = state_bytes + record.reply_bytes + reply_bytes;
                if self.make_room(0, others + bytes) {
                    self.advance(key, pending, state_bytes, reply_bytes, &reply);
                    reply
                } else {
                    self.refuse(key, bytes)
                }
            }
        }
    }

    /// Makes the checks of `cancel`, in order.
    pub(in crate::bridge) fn cancel(
        &mut self,
        session: u64,
        job: Named,
        request: &RawRequest,
    ) -> Result<BridgeReply, IntentError> {
        self.session(session)?;
        request.check_shape(&["jobId", "outcome", "detail"])?;
        let key = self.find(session, job)?;
        let (outcome, detail) = (outcome_of(request)?, detail_of(request)?);
        let record = &self.records[key];
        if let JobState::Ended { reply, .. } = &record.state {
            let reply = reply.clone();
            self.touch(key);
            return Ok(reply);
        }
        let error = record.pipeline.cancel_error(outcome, detail);
        Ok(self.end_with(key, error, EndedBy::Host, self.now))
    }

    /// Ends the active jobs of an instance.
    pub(in crate::bridge) fn dispose(&mut self, instance: usize) {
        while let Some(key) = self.instances[instance].first() {
            let error = crate::intent::disposed_error(&self.records[key].pipeline);
            self.end_with(key, error, EndedBy::Bridge, self.now);
        }
    }

    fn find(&self, session: u64, job: Named) -> Result<usize, IntentError> {
        let key = match job {
            Named::Job(id) => self.by_id.get(&id).copied(),
            Named::NoJob | Named::Nothing => None,
        };
        key.filter(|&key| self.records[key].session == session)
            .ok_or_else(|| ErrorKind::NoJob.error())
    }
}

fn outcome_of(request: &RawRequest) -> Result<CancelOutcome, IntentError> {
    const NAMES: Must<'_> = Must::OneOf(&["cancelled", "refusal", "incomplete"]);
    match request.get("outcome") {
        None => Ok(CancelOutcome::Aborted),
        given => given
            .and_then(|outcome| CancelOutcome::from_text(outcome.as_str()?))
            .ok_or_else(|| request.wrong("outcome", NAMES, given)),
    }
}

fn detail_of(request: &RawRequest) -> Result<Option<&str>, IntentError> {
    if request.get("detail").is_none() {
        return Ok(None);
    }
    let detail = request.text("detail")?;
    crate::failpoint::hit("ledger", detail);
    if detail.len() > MAX_DETAIL_BYTES {
        return Err(invalid(&format!(
            "detail must be of at most {MAX_DETAIL_BYTES} UTF-8 bytes, got {}.",
            detail.len()
        )));
    }
    Ok(Some(detail))
}
