//! The ledger: which jobs there are, what they hold, and what may be forgotten.
//!
//! It owns every record of a bridge, and its one promise is that none of its sums ever passes its
//! capacity. All changes happen under one lock that is never held while a candidate is checked or
//! JSON is written; texts that are given up, and those who wait, are let go after it.
//!
//! Each step costs the same however many records, sessions and instances there are: a record
//! stands in [lists](super::lists) of what can be asked of it, and making room takes the first of
//! one of them. Records that go are paid for by the call that brought them.
//!
//! A record counts the UTF-8 bytes of the JSON of its materials (`{"currentInput":…,
//! "context":[…]}`), of its core result and of its present repair, and of the whole reply for
//! every submission that `accept` answered; once ended, those of its terminal reply besides, also
//! where `accept` gave it. A terminal record goes on counting what its last step was asked with.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::clock::Clock;
use super::config::Capacity;
use super::job::{Answer, Asked, Cause, Digest, JobState, Record, StepToken, Submission, text};
use super::lists::{Axis, List, Records};
use super::reply::{BridgeReply, error_json_len};
use crate::error::{ErrorCode, IntentError, Stage};
use crate::pipeline::{GaveUp, Pipeline};

/// How many jobs a refusal names at most.
const NAMED_JOBS: usize = 8;

/// Maps that are no larger are kept as they are.
const SMALL: usize = 64;

pub(super) struct Ledger {
    capacity: Capacity,
    job_ttl: Option<Duration>,
    replay_ttl: Option<Duration>,
    clock: Arc<dyn Clock>,
    now: Duration,
    closed: bool,
    records: Records,
    by_id: HashMap<Uuid, usize>,
    sessions: HashMap<u64, Jobs>,
    last_session: u64,
    /// The active jobs of each instance.
    instances: Vec<List>,
    /// Ended jobs by their last use.
    unused: List,
    /// Active jobs by when they expire.
    idle: List,
    /// Ended jobs by when they go.
    kept: List,
    active: Sum,
    ended: Sum,
    released: Released,
}

/// The jobs of one session, oldest first.
#[derive(Default)]
struct Jobs {
    active: List,
    ended: List,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: u64,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }

    fn take(&mut self, bytes: u64) {
        self.count -= 1;
        self.bytes -= bytes;
    }
}

/// What is let go once the lock is free.
#[derive(Default)]
pub(super) struct Released {
    records: Vec<Record>,
    settled: Vec<Arc<Submission>>,
}

impl Released {
    pub(super) fn let_go(self) {
        for submission in self.settled {
            submission.wake();
        }
        drop(self.records);
    }
}

/// What a bridge holds at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Open sessions.
    pub sessions: u64,
    /// Jobs that have not ended; at most `maxJobs`.
    pub active_jobs: u64,
    /// Records of jobs, active and ended; at most `maxReplayEntries`.
    pub records: u64,
    /// What the records count; at most `maxReplayBytes`.
    pub bytes: u64,
}

/// A submission as it was read.
pub(super) struct Submitted<'a> {
    pub(super) job: Option<Uuid>,
    pub(super) token: Result<Option<StepToken>, IntentError>,
    pub(super) candidate: Result<&'a str, IntentError>,
    /// `None` where the candidate passes the limit of every instance.
    pub(super) digest: Option<Digest>,
}

/// A cancellation as it was read.
pub(super) struct Cancelled<'a> {
    pub(super) job: Option<Uuid>,
    pub(super) how: Result<(GaveUp, Option<&'a str>), IntentError>,
}

/// What a submission comes to.
pub(super) enum Claim {
    /// A reply that is known.
    Known(BridgeReply),
    /// The task that was given before.
    Again(Uuid, Asked),
    /// The outcome of the same submission, in progress.
    Shared(Arc<Submission>),
    /// The step is claimed: the candidate is to be checked, and the outcome [settled](Ledger::settle).
    Claimed(Work),
}

/// A candidate to be checked.
pub(super) struct Work {
    pub(super) job: Uuid,
    pub(super) instance: usize,
    pub(super) pipeline: Pipeline,
    pub(super) submission: Arc<Submission>,
}

/// Where a checked candidate leads.
pub(super) enum Decision {
    /// To the next task.
    Ask {
        asked: Asked,
        reply: BridgeReply,
        reply_bytes: u64,
        state_bytes: u64,
    },
    /// To the outcome.
    End {
        reply: BridgeReply,
        reply_bytes: u64,
    },
}

impl Ledger {
    pub(super) fn new(capacity: Capacity, instances: usize, clock: Arc<dyn Clock>) -> Self {
        let lifetime = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
        Self {
            job_ttl: lifetime(capacity.job_ttl_ms),
            replay_ttl: lifetime(capacity.replay_ttl_ms),
            capacity,
            clock,
            now: Duration::ZERO,
            closed: false,
            records: Records::new(),
            by_id: HashMap::new(),
            sessions: HashMap::new(),
            last_session: 0,
            instances: vec![List::default(); instances],
            unused: List::default(),
            idle: List::default(),
            kept: List::default(),
            active: Sum::default(),
            ended: Sum::default(),
            released: Released::default(),
        }
    }

    pub(super) fn usage(&self) -> Usage {
        Usage {
            sessions: self.sessions.len() as u64,
            active_jobs: self.active.count,
            records: self.active.count + self.ended.count,
            bytes: self.active.bytes + self.ended.bytes,
        }
    }

    /// Whether nothing of any job is left, in any list.
    #[cfg(test)]
    pub(super) fn is_clear(&self) -> bool {
        let lists = [self.unused, self.idle, self.kept];
        let mut lists = lists.iter().chain(&self.instances);
        self.records.is_empty()
            && self.by_id.is_empty()
            && lists.all(|list| list.first().is_none())
            && self.records.capacity() <= SMALL
            && self.by_id.capacity() <= 2 * SMALL
    }

    /// What is to be let go outside the lock.
    pub(super) fn released(&mut self) -> Released {
        mem::take(&mut self.released)
    }

    // Time.

    /// Ends what has lived its time; every access begins with it.
    pub(super) fn pass_time(&mut self) {
        if self.job_ttl.is_none() && self.replay_ttl.is_none() {
            return;
        }
        self.now = self.clock.now();
        while let Some(key) = self.due(self.idle) {
            let Record {
                pipeline, deadline, ..
            } = &*self.records[key];
            let error = pipeline.complete(IntentError::of(
                ErrorCode::BridgeJobExpired,
                format!(
                    "the job was idle for longer than jobTtlMs ({}); prepare it again.",
                    self.capacity.job_ttl_ms
                ),
            ));
            let at = *deadline;
            self.end_with(key, error, Cause::Outside, at);
        }
        while let Some(key) = self.due(self.kept) {
            self.remove(key);
        }
    }

    fn due(&self, list: List) -> Option<usize> {
        list.first()
            .filter(|&key| self.records[key].deadline <= self.now)
    }

    /// When time ends something next.
    pub(super) fn next_end(&self) -> Option<Duration> {
        [self.idle, self.kept]
            .iter()
            .filter_map(List::first)
            .map(|key| self.records[key].deadline)
            .min()
    }

    // Sessions.

    pub(super) fn connect(&mut self) -> Result<u64, IntentError> {
        if self.closed {
            return Err(IntentError::of(
                ErrorCode::BridgeJobNotFound,
                "the bridge is closed; create a new one.",
            ));
        }
        self.last_session += 1;
        self.sessions.insert(self.last_session, Jobs::default());
        Ok(self.last_session)
    }

    /// Whether a session is open.
    pub(super) fn check_open(&self, session: u64) -> Result<(), IntentError> {
        self.session(session).map(|_| ())
    }

    fn session(&self, session: u64) -> Result<&Jobs, IntentError> {
        self.sessions.get(&session).ok_or_else(|| {
            let what = if self.closed { "bridge" } else { "session" };
            IntentError::of(
                ErrorCode::BridgeJobNotFound,
                format!("the {what} is closed, and its jobs are gone; open a new one."),
            )
        })
    }

    pub(super) fn close_session(&mut self, session: u64) {
        while let Some(jobs) = self.sessions.get(&session) {
            match jobs.active.first().or(jobs.ended.first()) {
                Some(key) => self.remove(key),
                None => {
                    self.sessions.remove(&session);
                    shrink(&mut self.sessions);
                }
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        let sessions: Vec<u64> = self.sessions.keys().copied().collect();
        for session in sessions {
            self.close_session(session);
        }
    }

    // Calls.

    /// Whether one more job may be active.
    pub(super) fn check_max_jobs(&self, session: u64) -> Result<(), IntentError> {
        let most = self.capacity.max_jobs;
        if self.active.count < most {
            return Ok(());
        }
        let oldest = self.session(session)?.active;
        let named: Vec<Arc<str>> = oldest
            .iter(&self.records, Axis::Session)
            .take(NAMED_JOBS)
            .map(|record| text(record.id))
            .collect();
        let advice = if named.is_empty() {
            "all of them belong to other sessions".to_owned()
        } else {
            format!(
                "cancel what is no longer needed; the oldest of this session: {}",
                named.join(", ")
            )
        };
        Err(limit(format!(
            "as many jobs are active as maxJobs ({most}) allows; {advice}."
        )))
    }

    /// Takes in a new job.
    pub(super) fn insert(
        &mut self,
        session: u64,
        instance: usize,
        id: Uuid,
        asked: Asked,
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
            pipeline: asked.pipeline,
            state: JobState::Active {
                token: asked.token,
                submission: None,
            },
            steps: Vec::new(),
            state_bytes,
            reply_bytes: 0,
            deadline: Duration::ZERO,
            places: Default::default(),
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

    /// The checks of `accept`, in the contract's order.
    pub(super) fn claim(
        &mut self,
        session: u64,
        submitted: Result<Submitted<'_>, IntentError>,
    ) -> Result<Claim, IntentError> {
        self.session(session)?;
        let submitted = submitted?;
        let key = self.find(session, submitted.job)?;
        let (token, candidate) = (submitted.token?, submitted.candidate?);
        let record = &mut *self.records[key];
        if let JobState::Ended {
            reply,
            cause: Cause::Outside,
        } = &record.state
        {
            let claim = Claim::Known(reply.clone());
            self.touch(key);
            return Ok(claim);
        }
        record.pipeline.check_size(candidate)?;
        let same = |digest: Digest| Some(digest) == submitted.digest;
        if let Some(step) = record.steps.iter().find(|step| Some(step.token) == token) {
            if !same(step.digest) {
                return Err(conflict(
                    "stepToken was used with another candidate; only the same text to the byte is \
                     the same submission.",
                ));
            }
            let claim = match &step.answer {
                Answer::Asked(asked) => Claim::Again(record.id, asked.clone()),
                Answer::Ended(reply) => Claim::Known(reply.clone()),
            };
            self.touch(key);
            return Ok(claim);
        }
        let JobState::Active {
            token: present,
            submission,
        } = &mut record.state
        else {
            return Err(conflict(
                "the job has ended; cancel tells its outcome, prepare begins another.",
            ));
        };
        let (Some(digest), true) = (submitted.digest, token == Some(*present)) else {
            return Err(conflict(
                "stepToken is not that of the job's present step; take it from the last task.",
            ));
        };
        match submission {
            Some(submission) if same(submission.digest) => {
                Ok(Claim::Shared(Arc::clone(submission)))
            }
            Some(_) => Err(conflict("another candidate of this step is being checked.")),
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

    /// Commits what a claimed submission led to, unless its job has ended meanwhile or its record
    /// does not fit: then job and token are as they were.
    pub(super) fn settle(&mut self, work: &Work, decision: Decision) -> BridgeReply {
        if let Some(outcome) = work.submission.outcome() {
            return outcome.clone();
        }
        let Some(&key) = self.by_id.get(&work.job) else {
            return BridgeReply::Error(not_found());
        };
        let now = self.now;
        let record = &self.records[key];
        let others = self.active.bytes - record.bytes();
        match decision {
            Decision::End { reply, reply_bytes } => {
                let bytes = record.bytes() + 2 * reply_bytes;
                if self.fits(0, others + bytes) {
                    self.end(key, &reply, reply_bytes, Cause::Host, now);
                    reply
                } else {
                    self.refuse(key, bytes)
                }
            }
            Decision::Ask {
                asked,
                reply,
                reply_bytes,
                state_bytes,
            } => {
                let bytes = state_bytes + record.reply_bytes + reply_bytes;
                if self.make_room(0, others + bytes) {
                    self.advance(key, asked, state_bytes, reply_bytes, &reply);
                    reply
                } else {
                    self.refuse(key, bytes)
                }
            }
        }
    }

    pub(super) fn cancel(
        &mut self,
        session: u64,
        cancelled: Result<Cancelled<'_>, IntentError>,
    ) -> Result<BridgeReply, IntentError> {
        self.session(session)?;
        let cancelled = cancelled?;
        let key = self.find(session, cancelled.job)?;
        let (how, detail) = cancelled.how?;
        let record = &self.records[key];
        if let JobState::Ended { reply, .. } = &record.state {
            let reply = reply.clone();
            self.touch(key);
            return Ok(reply);
        }
        let error = record.pipeline.gave_up(how, detail);
        Ok(self.end_with(key, error, Cause::Host, self.now))
    }

    /// Ends the active jobs of an instance.
    pub(super) fn dispose(&mut self, instance: usize) {
        while let Some(key) = self.instances[instance].first() {
            let error = crate::intent::disposed(&self.records[key].pipeline);
            self.end_with(key, error, Cause::Outside, self.now);
        }
    }

    fn find(&self, session: u64, job: Option<Uuid>) -> Result<usize, IntentError> {
        job.and_then(|job| self.by_id.get(&job).copied())
            .filter(|&key| self.records[key].session == session)
            .ok_or_else(not_found)
    }

    // Steps of a record.

    /// Takes a job to its next task.
    fn advance(
        &mut self,
        key: usize,
        asked: Asked,
        state_bytes: u64,
        reply_bytes: u64,
        reply: &BridgeReply,
    ) {
        let record = &mut *self.records[key];
        let JobState::Active { token, submission } = &mut record.state else {
            return;
        };
        let used = mem::replace(token, asked.token);
        let submission = submission.take();
        self.active.bytes -= record.bytes();
        record.state_bytes = state_bytes;
        record.reply_bytes += reply_bytes;
        self.active.bytes += record.bytes();
        record.pipeline = asked.pipeline.clone();
        if let Some(submission) = submission {
            record.push_step(used, submission.digest, Answer::Asked(asked));
            self.settled(submission, reply);
        }
        self.end_idle(key);
        self.begin_idle(key);
    }

    fn end_with(
        &mut self,
        key: usize,
        error: IntentError,
        cause: Cause,
        at: Duration,
    ) -> BridgeReply {
        let bytes = error_json_len(&error, self.records[key].pipeline.core().map(Arc::as_ref));
        let reply = BridgeReply::Error(error);
        self.end(key, &reply, bytes as u64, cause, at);
        reply
    }

    /// Ends an active job. Its record stays where there is room for it.
    fn end(
        &mut self,
        key: usize,
        reply: &BridgeReply,
        reply_bytes: u64,
        cause: Cause,
        at: Duration,
    ) {
        self.leave_active(key);
        let record = &mut *self.records[key];
        record.reply_bytes += reply_bytes;
        let ended = JobState::Ended {
            reply: reply.clone(),
            cause,
        };
        if let JobState::Active {
            token,
            submission: Some(submission),
        } = mem::replace(&mut record.state, ended)
        {
            record.reply_bytes += reply_bytes;
            record.push_step(token, submission.digest, Answer::Ended(reply.clone()));
            self.settled(submission, reply);
        }
        let bytes = self.records[key].bytes();
        if !self.make_room(1, self.active.bytes + bytes) {
            self.forget(key);
            return;
        }
        self.ended.add(bytes);
        let record = &mut *self.records[key];
        if let Some(jobs) = self.sessions.get_mut(&record.session) {
            jobs.ended.push(&mut self.records, Axis::Session, key);
        }
        self.unused.push(&mut self.records, Axis::Use, key);
        if let Some(ttl) = self.replay_ttl {
            self.records[key].deadline = at + ttl;
            self.kept.push(&mut self.records, Axis::Time, key);
        }
    }

    /// Answers a submission that there is no room for; job and token stay.
    fn refuse(&mut self, key: usize, bytes: u64) -> BridgeReply {
        let error = self.no_room(0, bytes);
        let record = &mut *self.records[key];
        let reply = BridgeReply::Error(record.pipeline.complete(error));
        if let JobState::Active { submission, .. } = &mut record.state
            && let Some(submission) = submission.take()
        {
            self.settled(submission, &reply);
        }
        reply
    }

    fn settled(&mut self, submission: Arc<Submission>, reply: &BridgeReply) {
        submission.settle(reply.clone());
        self.released.settled.push(submission);
    }

    /// Notes that an ended job was of use.
    fn touch(&mut self, key: usize) {
        if matches!(self.records[key].state, JobState::Ended { .. }) {
            self.unused.take(&mut self.records, Axis::Use, key);
            self.unused.push(&mut self.records, Axis::Use, key);
        }
    }

    fn begin_idle(&mut self, key: usize) {
        if let Some(ttl) = self.job_ttl {
            self.records[key].deadline = self.now + ttl;
            self.idle.push(&mut self.records, Axis::Time, key);
        }
    }

    fn end_idle(&mut self, key: usize) {
        if self.job_ttl.is_some() {
            self.idle.take(&mut self.records, Axis::Time, key);
        }
    }

    // Room.

    /// Whether so many more records, and so many bytes of active jobs, are within the capacity
    /// once every ended job has gone.
    fn fits(&self, more: u64, active_bytes: u64) -> bool {
        self.active.count + more <= self.capacity.max_replay_entries
            && active_bytes <= self.capacity.max_replay_bytes
    }

    /// Makes room, by dropping those ended jobs that were of no use for the longest; drops nothing
    /// where that would not do.
    fn make_room(&mut self, more: u64, active_bytes: u64) -> bool {
        if !self.fits(more, active_bytes) {
            return false;
        }
        while self.active.count + self.ended.count + more > self.capacity.max_replay_entries
            || active_bytes + self.ended.bytes > self.capacity.max_replay_bytes
        {
            let Some(key) = self.unused.first() else {
                return false;
            };
            self.remove(key);
        }
        true
    }

    fn no_room(&self, more: u64, bytes: u64) -> IntentError {
        let Capacity {
            max_replay_entries,
            max_replay_bytes,
            ..
        } = self.capacity;
        limit(if self.active.count + more > max_replay_entries {
            format!(
                "as many jobs are active as maxReplayEntries ({max_replay_entries}) allows records; \
                 cancel what is no longer needed."
            )
        } else {
            format!(
                "the record of this job would count {bytes} bytes, which with the other active \
                 jobs passes maxReplayBytes ({max_replay_bytes}); the call changed nothing."
            )
        })
    }

    /// Drops a record, wherever it stands.
    fn remove(&mut self, key: usize) {
        let record = &mut *self.records[key];
        match &mut record.state {
            JobState::Active { submission, .. } => {
                if let Some(submission) = submission.take() {
                    self.settled(submission, &BridgeReply::Error(not_found()));
                }
                self.leave_active(key);
            }
            JobState::Ended { .. } => {
                let (session, bytes) = (record.session, record.bytes());
                if let Some(jobs) = self.sessions.get_mut(&session) {
                    jobs.ended.take(&mut self.records, Axis::Session, key);
                }
                self.unused.take(&mut self.records, Axis::Use, key);
                if self.replay_ttl.is_some() {
                    self.kept.take(&mut self.records, Axis::Time, key);
                }
                self.ended.take(bytes);
            }
        }
        self.forget(key);
    }

    /// Takes an active job out of every list and sum.
    fn leave_active(&mut self, key: usize) {
        let record = &self.records[key];
        let (session, instance, bytes) = (record.session, record.instance, record.bytes());
        if let Some(jobs) = self.sessions.get_mut(&session) {
            jobs.active.take(&mut self.records, Axis::Session, key);
        }
        self.instances[instance].take(&mut self.records, Axis::Use, key);
        self.end_idle(key);
        self.active.take(bytes);
    }

    /// Drops a record that stands in no list.
    fn forget(&mut self, key: usize) {
        let record = *self.records.remove(key);
        self.by_id.remove(&record.id);
        self.released.records.push(record);
        shrink(&mut self.by_id);
        if self.records.is_empty() && self.records.capacity() > SMALL {
            self.records = Records::new();
        }
    }
}

/// Gives memory back once most of a map is empty; the entries that went have paid for it.
fn shrink<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() > SMALL && map.len() < map.capacity() / 8 {
        map.shrink_to(map.len() * 2);
    }
}

pub(super) fn not_found() -> IntentError {
    IntentError::of(
        ErrorCode::BridgeJobNotFound,
        "this session has no such job; it may have gone with its session or bridge, or to make \
         room. Prepare it again.",
    )
}

fn conflict(message: &str) -> IntentError {
    IntentError::of(ErrorCode::BridgeStepConflict, message)
}

fn limit(message: String) -> IntentError {
    IntentError::new(ErrorCode::LimitExceeded, Stage::Bridge, message)
}
