//! The ledger owns the records of all jobs of a bridge and decides which of them are dropped.
//!
//! Invariant: no sum exceeds its capacity. All changes happen under one lock, which is never held
//! while a candidate is checked or JSON is written. Dropped texts are freed, and waiting callers are
//! woken, after the lock.
//!
//! A step costs the same for any number of records, sessions and instances: a record stands in
//! [lists](super::lists) by age, last use and lifetime, and making room drops the first of a list.
//! Dropping a record costs as much as adding one did.
//!
//! The [module page](super#capacity) tells what a record counts.

mod calls;

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

pub(in crate::bridge) use calls::{Claim, Decision, Named, Work};

use super::clock::Clock;
use super::config::Capacity;
use super::job::{EndedBy, JobState, PendingTask, Record, StepOutcome, Submission};
use super::lists::{Axis, List, Records};
use super::reply::{BridgeReply, ended_json_len};
use crate::error::{ErrorKind, IntentError};

/// A store is shrunk only above this size.
const SMALL: usize = 64;

pub(in crate::bridge) struct Ledger {
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
    /// Ended jobs by the time at which they are forgotten.
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

/// Records to drop and submissions to wake once the lock is free.
#[derive(Default)]
pub(in crate::bridge) struct Released {
    #[expect(clippy::vec_box, reason = "as they stood in the store: none is moved")]
    records: Vec<Box<Record>>,
    settled: Vec<Arc<Submission>>,
}

impl Released {
    pub(in crate::bridge) fn wake_and_free(self) {
        for submission in self.settled {
            submission.wake();
        }
        drop(self.records);
    }
}

/// The current contents of a bridge, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Open sessions.
    pub sessions: u64,
    /// Jobs that have not ended; at most `maxJobs`.
    pub active_jobs: u64,
    /// Records of jobs, active and ended; at most `maxReplayEntries`.
    pub records: u64,
    /// Bytes that the records are charged for; at most `maxReplayBytes`.
    pub bytes: u64,
}

impl Ledger {
    pub(in crate::bridge) fn new(
        capacity: Capacity,
        instances: usize,
        clock: Arc<dyn Clock>,
    ) -> Self {
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

    pub(in crate::bridge) fn usage(&self) -> Usage {
        Usage {
            sessions: self.sessions.len() as u64,
            active_jobs: self.active.count,
            records: self.active.count + self.ended.count,
            bytes: self.active.bytes + self.ended.bytes,
        }
    }

    /// Returns whether no list has any job.
    #[cfg(test)]
    pub(in crate::bridge) fn is_clear(&self) -> bool {
        let lists = [self.unused, self.idle, self.kept];
        let mut lists = lists.iter().chain(&self.instances);
        self.records.is_empty()
            && self.by_id.is_empty()
            && lists.all(|list| list.first().is_none())
            && self.records.capacity() <= SMALL
            && self.by_id.capacity() <= 2 * SMALL
    }

    /// Takes the records and submissions to release outside the lock.
    pub(in crate::bridge) fn released(&mut self) -> Released {
        mem::take(&mut self.released)
    }

    // Time.

    /// Ends expired jobs and drops expired records; every access begins with it.
    pub(in crate::bridge) fn expire(&mut self) {
        if self.job_ttl.is_none() && self.replay_ttl.is_none() {
            return;
        }
        self.now = self.clock.now();
        while let Some(key) = self.due(self.idle) {
            let Record {
                pipeline, deadline, ..
            } = &*self.records[key];
            let ms = self.capacity.job_ttl_ms;
            let expired = ErrorKind::JobExpired { ms };
            let error = pipeline.complete(expired.error());
            let at = *deadline;
            self.end_with(key, error, EndedBy::Bridge, at);
        }
        while let Some(key) = self.due(self.kept) {
            self.remove(key);
        }
    }

    fn due(&self, list: List) -> Option<usize> {
        list.first()
            .filter(|&key| self.records[key].deadline <= self.now)
    }

    /// Returns the time of the next expiry.
    pub(in crate::bridge) fn next_expiry(&self) -> Option<Duration> {
        [self.idle, self.kept]
            .iter()
            .filter_map(List::first)
            .map(|key| self.records[key].deadline)
            .min()
    }

    // Sessions.

    pub(in crate::bridge) fn connect(&mut self) -> Result<u64, IntentError> {
        if self.closed {
            return Err(ErrorKind::BridgeClosed { what: "bridge" }.error());
        }
        self.last_session += 1;
        self.sessions.insert(self.last_session, Jobs::default());
        Ok(self.last_session)
    }

    /// Checks that a session is open.
    pub(in crate::bridge) fn check_open(&self, session: u64) -> Result<(), IntentError> {
        self.session(session).map(|_| ())
    }

    fn session(&self, session: u64) -> Result<&Jobs, IntentError> {
        self.sessions.get(&session).ok_or_else(|| {
            let what = if self.closed { "bridge" } else { "session" };
            ErrorKind::BridgeClosed { what }.error()
        })
    }

    pub(in crate::bridge) fn close_session(&mut self, session: u64) {
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

    pub(in crate::bridge) fn close(&mut self) {
        self.closed = true;
        let sessions: Vec<u64> = self.sessions.keys().copied().collect();
        for session in sessions {
            self.close_session(session);
        }
    }

    // Steps of a record.

    /// Takes a job to its next task.
    fn advance(
        &mut self,
        key: usize,
        pending: PendingTask,
        state_bytes: u64,
        reply_bytes: u64,
        reply: &BridgeReply,
    ) {
        let record = &mut *self.records[key];
        let JobState::Active { token, submission } = &mut record.state else {
            return;
        };
        let used = mem::replace(token, pending.token);
        let submission = submission.take();
        self.active.bytes -= record.bytes();
        record.state_bytes = state_bytes;
        record.reply_bytes += reply_bytes;
        self.active.bytes += record.bytes();
        record.pipeline = pending.pipeline.clone();
        if let Some(submission) = submission {
            record.push_step(used, submission.digest, StepOutcome::Task(pending));
            self.settled(submission, reply);
        }
        self.end_idle(key);
        self.begin_idle(key);
    }

    fn end_with(
        &mut self,
        key: usize,
        error: IntentError,
        ended_by: EndedBy,
        at: Duration,
    ) -> BridgeReply {
        let bytes = ended_json_len(&error, self.records[key].pipeline.core().map(Arc::as_ref));
        let reply = BridgeReply::ended(error);
        self.end(key, &reply, bytes as u64, ended_by, at);
        reply
    }

    /// Ends an active job. Its record stays if there is room for it.
    fn end(
        &mut self,
        key: usize,
        reply: &BridgeReply,
        reply_bytes: u64,
        ended_by: EndedBy,
        at: Duration,
    ) {
        self.remove_active(key);
        let record = &mut *self.records[key];
        record.reply_bytes += reply_bytes;
        let ended = JobState::Ended {
            reply: reply.clone(),
            ended_by,
        };
        if let JobState::Active {
            token,
            submission: Some(submission),
        } = mem::replace(&mut record.state, ended)
        {
            record.reply_bytes += reply_bytes;
            record.push_step(token, submission.digest, StepOutcome::Ended(reply.clone()));
            self.settled(submission, reply);
        }
        let bytes = self.records[key].bytes();
        if !self.make_room(1, self.active.bytes + bytes) {
            self.remove_record(key);
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

    /// Refuses a submission for which there is no room; job and token stay as they were.
    fn refuse(&mut self, key: usize, bytes: u64) -> BridgeReply {
        let record = &self.records[key];
        let (session, job) = (record.session, Named::Job(record.id));
        let error = record.pipeline.complete(self.no_room(0, bytes));
        let reply = self.refusal(session, job, error);
        let record = &mut *self.records[key];
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

    /// Notes that an ended job was used.
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

    /// Returns whether `more` further records, and `active_bytes` bytes of active jobs, are within the
    /// capacity if every ended job is dropped.
    fn has_capacity(&self, more: u64, active_bytes: u64) -> bool {
        self.active.count + more <= self.capacity.max_replay_entries
            && active_bytes <= self.capacity.max_replay_bytes
    }

    /// Makes room by dropping the least recently used ended jobs. Drops nothing if that would not be
    /// enough.
    fn make_room(&mut self, more: u64, active_bytes: u64) -> bool {
        if !self.has_capacity(more, active_bytes) {
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
        let max = self.capacity.max_replay_entries;
        if self.active.count + more > max {
            return ErrorKind::MaxReplayEntries { max }.error();
        }
        let max = self.capacity.max_replay_bytes;
        ErrorKind::MaxReplayBytes { max, bytes }.error()
    }

    /// Drops a record, and removes it from all lists and sums.
    fn remove(&mut self, key: usize) {
        let record = &mut *self.records[key];
        match &mut record.state {
            JobState::Active { submission, .. } => {
                if let Some(submission) = submission.take() {
                    self.settled(submission, &BridgeReply::ended(ErrorKind::NoJob.error()));
                }
                self.remove_active(key);
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
        self.remove_record(key);
    }

    /// Removes an active job from all lists and sums.
    fn remove_active(&mut self, key: usize) {
        let record = &self.records[key];
        let (session, instance, bytes) = (record.session, record.instance, record.bytes());
        if let Some(jobs) = self.sessions.get_mut(&session) {
            jobs.active.take(&mut self.records, Axis::Session, key);
        }
        self.instances[instance].take(&mut self.records, Axis::Use, key);
        self.end_idle(key);
        self.active.take(bytes);
    }

    /// Drops a record that is in no list.
    fn remove_record(&mut self, key: usize) {
        let record = self.records.remove(key);
        self.by_id.remove(&record.id);
        self.released.records.push(record);
        shrink(&mut self.by_id);
        if self.records.is_empty() && self.records.capacity() > SMALL {
            self.records = Records::new();
        }
    }
}

/// Gives memory back once most of a map is empty: the cost is in proportion to the entries that were removed.
fn shrink<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() > SMALL && map.len() < map.capacity() / 8 {
        map.shrink_to(map.len() * 2);
    }
}
