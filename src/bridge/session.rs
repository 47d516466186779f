//! [`Session`]: the three calls.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::Shared;
use super::clock::unix_ms;
use super::job::{Digest, PendingTask, StepToken, Submission, new_id, new_token, state_bytes};
use super::ledger::{Claim, Decision, Named, Work};
use super::reply::{Accepting, BridgeReply, JobStatus, ended_json_len, result_json_len};
use crate::error::IntentError;
use crate::executor::{ModelReply, ReplyInfo};
use crate::materials::Materials;
use crate::pipeline::{CancelOutcome, Pipeline, Transition};
use crate::request::{RawRequest, Request};
use crate::runtime;

/// One owner of jobs; cheap to clone, all clones are the same session. It closes when the last
/// one is dropped; a reply that is waited for counts as one.
#[derive(Clone)]
pub struct Session(Arc<SessionState>);

struct SessionState {
    bridge: Arc<Shared>,
    id: u64,
}

impl Drop for SessionState {
    fn drop(&mut self) {
        self.bridge
            .with_ledger(|ledger| ledger.close_session(self.id));
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.0.id).finish()
    }
}

impl Session {
    pub(super) fn new(bridge: Arc<Shared>, id: u64) -> Self {
        Self(Arc::new(SessionState { bridge, id }))
    }

    /// Begins a job. Returns its first task, or the error that prevents it.
    pub fn prepare(&self, instance: &str, request: Request) -> BridgeReply {
        self.begin(Some(instance), request)
    }

    /// [`prepare`](Self::prepare) of the JSON form `{ instance, input, fields?, context?,
    /// evidence? }`.
    pub fn prepare_value(&self, request: Value) -> BridgeReply {
        self.prepare_raw(request.into())
    }

    pub(crate) fn prepare_raw(&self, request: RawRequest) -> BridgeReply {
        self.begin(None, request.into())
    }

    /// Submits the candidate of a step. The step is claimed when the call returns; the reply is
    /// the next task, the outcome, or why the submission was refused.
    pub fn accept(
        &self,
        job_id: &str,
        step_token: &str,
        candidate: impl Into<String>,
    ) -> Accepting {
        let request = RawRequest::default()
            .with("jobId", job_id)
            .with("stepToken", step_token)
            .with("candidateText", candidate.into());
        self.accept_raw(request)
    }

    /// [`accept`](Self::accept) of the JSON form `{ jobId, stepToken, candidateText }`.
    pub fn accept_value(&self, request: Value) -> Accepting {
        self.accept_raw(request.into())
    }

    pub(crate) fn accept_raw(&self, request: RawRequest) -> Accepting {
        match self.claim(request) {
            Ok((work, candidate)) => self.check(work, candidate),
            Err(accepting) => accepting,
        }
    }

    /// Ends a job at the host's wish, or for its model: `detail`, of at most 2048 bytes, says more
    /// about it. A job that has ended gives its terminal reply, which may be a result.
    pub fn cancel(
        &self,
        job_id: &str,
        outcome: CancelOutcome,
        detail: Option<&str>,
    ) -> BridgeReply {
        let mut request = RawRequest::default()
            .with("jobId", job_id)
            .with("outcome", outcome.as_str());
        if let Some(detail) = detail {
            request = request.with("detail", detail);
        }
        self.cancel_raw(&request)
    }

    /// [`cancel`](Self::cancel) of the JSON form `{ jobId, outcome?, detail? }`.
    pub fn cancel_value(&self, request: Value) -> BridgeReply {
        self.cancel_raw(&request.into())
    }

    pub(crate) fn cancel_raw(&self, request: &RawRequest) -> BridgeReply {
        let job = Named::by(request);
        self.bridge().with_ledger(|ledger| {
            let reply = ledger.cancel(self.0.id, job, request);
            reply.unwrap_or_else(|error| ledger.refusal(self.0.id, job, error))
        })
    }

    /// Returns the status of a job of this session.
    #[must_use]
    pub fn job_status(&self, job_id: &str) -> JobStatus {
        let job = Named::read(Some(job_id));
        self.bridge()
            .with_ledger(|ledger| ledger.status(self.0.id, job))
    }

    /// Releases its jobs; submissions in progress end with `BRIDGE_JOB_NOT_FOUND`.
    pub fn close(&self) {
        self.bridge()
            .with_ledger(|ledger| ledger.close_session(self.0.id));
    }

    fn bridge(&self) -> &Arc<Shared> {
        &self.0.bridge
    }

    fn instance(&self, name: &str) -> Result<usize, IntentError> {
        self.bridge()
            .names
            .get(name)
            .copied()
            .ok_or_else(|| self.bridge().no_instance(name))
    }

    fn begin(&self, instance: Option<&str>, request: Request) -> BridgeReply {
        self.check_prepare(instance, request)
            .unwrap_or_else(BridgeReply::without_job)
    }

    /// Makes the checks of `prepare`, in order; without an `instance`, the request names it.
    fn check_prepare(
        &self,
        instance: Option<&str>,
        mut request: Request,
    ) -> Result<BridgeReply, IntentError> {
        let bridge = self.bridge();
        let instance = bridge.with_ledger(|ledger| {
            ledger.check_open(self.0.id)?;
            let instance = match instance {
                Some(name) => {
                    request.check_shape()?;
                    self.instance(name)?
                }
                None => self.instance(&request.take_instance()?)?,
            };
            ledger.check_max_jobs(self.0.id)?;
            Ok(instance)
        })?;
        let intent = &bridge.instances[instance];
        intent.check_not_disposed()?;
        let definition = Arc::clone(intent.definition());
        let materials = Materials::new(&definition, request)?;
        let (pipeline, question) = Pipeline::start(definition, materials)?;
        let (job, state_bytes) = (new_id()?, state_bytes(&pipeline));
        let pending = bridge.pending(pipeline, new_token()?);
        let reply = BridgeReply::Task(pending.task(job, question));
        bridge.with_ledger(|ledger| {
            // A disposal sets its flag before it ends the jobs, so this check overlooks none.
            intent.check_not_disposed()?;
            ledger.insert(self.0.id, instance, job, pending, state_bytes)
        })?;
        Ok(reply)
    }

    /// Claims a step: the work to do and the candidate, or the reply without any.
    pub(super) fn claim(&self, mut request: RawRequest) -> Result<(Work, ModelReply), Accepting> {
        let bridge = self.bridge();
        let job = Named::by(&request);
        let candidate = request.get("candidateText").and_then(Value::as_str);
        let digest = candidate
            .filter(|candidate| candidate.len() as u64 <= bridge.max_output_bytes)
            .map(Digest::of);
        let refused = |error| bridge.with_ledger(|ledger| ledger.refusal(self.0.id, job, error));
        let claim = bridge.with_ledger(|ledger| {
            let claim = ledger.claim(self.0.id, job, digest, &request);
            claim.map_err(|error| ledger.refusal(self.0.id, job, error))
        });
        let reply = match claim {
            Err(reply) | Ok(Claim::Known(reply)) => reply,
            Ok(Claim::Again(job, pending)) => pending.reply(job).unwrap_or_else(refused),
            Ok(Claim::Shared(submission)) => return Err(self.outcome_of(submission)),
            Ok(Claim::Claimed(work)) => match request.take_text("candidateText") {
                Ok(text) => {
                    let info = ReplyInfo::default();
                    return Ok((work, ModelReply::Complete { text, info }));
                }
                Err(error) => refused(error),
            },
        };
        Err(Accepting::Ready(reply))
    }

    /// Checks a candidate whose step is claimed, here or on a worker thread.
    fn check(&self, work: Work, candidate: ModelReply) -> Accepting {
        let bridge = self.bridge();
        let intent = bridge.instances[work.instance].clone();
        if bridge.checks_inline
            && let Some(transition) = intent.validations().check_now(&work.pipeline, &candidate)
        {
            return Accepting::Ready(bridge.settle(&work, transition));
        }
        let Some(runtime) = runtime::started() else {
            let failed = Transition::Failed(work.pipeline.no_thread());
            return Accepting::Ready(bridge.settle(&work, failed));
        };
        let submission = Arc::clone(&work.submission);
        // The check is a task of its own, so that it ends whether or not anyone waits for it.
        let bridge = Arc::clone(bridge);
        drop(runtime.spawn(async move {
            let transition = tokio::select! {
                biased;
                // The job ended without this check; the worker gives up at its next look at the budget.
                _ = work.submission.settled() => return,
                transition = intent.validations().check_on_worker(&work.pipeline, Arc::new(candidate)) => transition,
            };
            bridge.settle(&work, transition);
        }));
        self.outcome_of(submission)
    }

    fn outcome_of(&self, submission: Arc<Submission>) -> Accepting {
        let session = self.clone();
        Accepting::Pending(Box::pin(async move {
            let reply = submission.settled().await;
            drop(session);
            reply
        }))
    }
}

impl Shared {
    fn pending(&self, pipeline: Pipeline, token: StepToken) -> PendingTask {
        let expires_at =
            (self.job_ttl_ms > 0).then(|| unix_ms(self.clock.wall()) + self.job_ttl_ms);
        PendingTask {
            pipeline,
            token,
            expires_at,
        }
    }

    /// Commits the outcome of a candidate; slow work is done before the lock.
    pub(super) fn settle(self: &Arc<Self>, work: &Work, transition: Transition) -> BridgeReply {
        let core = work.pipeline.core().map(Arc::as_ref);
        let end = |reply: BridgeReply, bytes: usize| Decision::End {
            reply,
            reply_bytes: bytes as u64,
        };
        let fail = |error: IntentError| {
            let bytes = ended_json_len(&error, core);
            end(BridgeReply::ended(error), bytes)
        };
        let decision = match transition {
            Transition::Done(result) => {
                let bytes = result_json_len(&result);
                end(BridgeReply::Result(result), bytes)
            }
            Transition::Failed(error) => fail(error),
            Transition::Ask(pipeline, question) => match new_token() {
                Err(error) => fail(work.pipeline.complete(error)),
                Ok(token) => {
                    let state_bytes = state_bytes(&pipeline);
                    let pending = self.pending(pipeline, token);
                    let task = pending.task(work.job, question);
                    Decision::Ask {
                        pending,
                        state_bytes,
                        reply_bytes: task.json_len() as u64,
                        reply: BridgeReply::Task(task),
                    }
                }
            },
        };
        self.with_ledger(|ledger| ledger.settle(work, decision))
    }
}
