//! Random sequences of calls against a model that keeps every text and counts it afresh.
//!
//! The model knows no lists, no lengths computed without writing and no lock; it has the rules of the
//! contract in the plainest words. What a candidate leads to, it asks the pipeline.
//! `BRIDGE_SEED` and `BRIDGE_STEPS` choose another run.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use super::super::ledger::Work;
use super::super::session::Session;
use super::super::{Accepting, Bridge, BridgeConfig, BridgeReply, Usage};
use super::{INPUT, ManualClock, WALL_MS, assert_empty, good, intent, shared};
use crate::budget::Budget;
use crate::error::Stage;
use crate::executor::{BoxFuture, ModelFormat, ModelReply, ModelRequest};
use crate::materials::Materials;
use crate::pipeline::{CancelOutcome, Pipeline, Transition};
use crate::request::{RawRequest, Request};
use crate::{ContextMessage, Intent, Role};

/// Steps of one world at most; its bridge may be closed before.
const STEPS_OF_A_WORLD: u64 = 300;

#[test]
fn the_bridge_does_what_the_model_does() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().unwrap())
    };
    let (seed, steps) = (number("BRIDGE_SEED", 1), number("BRIDGE_STEPS", 100_000));
    let mut seen = std::collections::BTreeMap::<String, u64>::new();
    let mut done = 0;
    for world in 0.. {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(world);
        let told = std::panic::catch_unwind(|| run(seed));
        let (steps_done, told) = told.unwrap_or_else(|fault| {
            eprintln!("the seed of this world: {seed}");
            std::panic::resume_unwind(fault)
        });
        for outcome in told {
            *seen.entry(outcome).or_default() += 1;
        }
        done += steps_done;
        if done >= steps {
            break;
        }
    }
    println!("{seen:#?}");
    // A run that never got there would have shown nothing.
    for outcome in [
        "prepare task",
        "prepare LIMIT_EXCEEDED/bridge",
        "prepare INSTANCE_DISPOSED/input",
        "prepare BRIDGE_JOB_NOT_FOUND/bridge",
        "accept task",
        "accept result",
        "accept LIMIT_EXCEEDED/bridge",
        "accept LIMIT_EXCEEDED/core",
        "accept MODEL_OUTPUT_INVALID/core",
        "accept MODEL_ABORTED/core",
        "accept INPUT_INVALID/input",
        "accept INSTANCE_DISPOSED/core",
        "accept BRIDGE_JOB_NOT_FOUND/bridge",
        "accept BRIDGE_JOB_EXPIRED/bridge",
        "accept BRIDGE_STEP_CONFLICT/bridge",
        "accept pending",
        "cancel result",
        "cancel MODEL_ABORTED/core",
        "cancel MODEL_REFUSED/core",
        "cancel MODEL_OUTPUT_INCOMPLETE/core",
        "cancel INSTANCE_DISPOSED/core",
        "cancel BRIDGE_JOB_NOT_FOUND/bridge",
        "cancel BRIDGE_JOB_EXPIRED/bridge",
        "accept LIMIT_EXCEEDED/data",
        "accept MODEL_OUTPUT_INVALID/data",
        "accept INSTANCE_DISPOSED/data",
        "cancel MODEL_ABORTED/data",
    ] {
        assert!(seen.contains_key(outcome), "never seen: {outcome}");
    }
}

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

/// A job of the model.
struct Job {
    id: String,
    session: usize,
    instance: usize,
    pipeline: Pipeline,
    state_bytes: usize,
    token: String,
    /// Token, candidate and reply of every submission that was answered.
    steps: Vec<(String, String, Reply)>,
    checking: Option<String>,
    ended: Option<Ended>,
    deadline: Option<u64>,
    /// The order among jobs with the same deadline.
    began: u64,
}

struct Ended {
    reply: Reply,
    outside: bool,
    used: u64,
}

/// A reply in full.
#[derive(Clone, PartialEq, Debug)]
struct Reply {
    json: String,
    told: String,
}

impl Reply {
    /// The status of the job that the reply states.
    fn job(&self) -> Option<String> {
        let reply: Value = serde_json::from_str(&self.json).unwrap();
        Some(reply.get("job")?.as_str().unwrap().to_owned())
    }
}

impl Job {
    fn bytes(&self) -> usize {
        let replies: usize = self.steps.iter().map(|step| step.2.json.len()).sum();
        let ended = self
            .ended
            .as_ref()
            .map_or(0, |ended| ended.reply.json.len());
        self.state_bytes + replies + ended
    }
}

struct Limits {
    max_jobs: usize,
    max_entries: usize,
    max_bytes: usize,
    job_ttl: u64,
    replay_ttl: u64,
}

struct Model {
    limits: Limits,
    now: u64,
    uses: u64,
    jobs: Vec<Job>,
    open: Vec<bool>,
    disposed: Vec<bool>,
    /// The outcome of each step that was decided while its candidate was checked; none where the
    /// job was gone.
    outcomes: Vec<(String, Option<Reply>)>,
}

impl Model {
    fn active(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| job.ended.is_none())
    }

    fn usage(&self) -> Usage {
        Usage {
            sessions: self.open.iter().filter(|open| **open).count() as u64,
            active_jobs: self.active().count() as u64,
            records: self.jobs.len() as u64,
            bytes: self.jobs.iter().map(Job::bytes).sum::<usize>() as u64,
        }
    }

    /// True if one more job of `bytes` bytes fits beside the active ones, not counting `growing`.
    fn fits(&self, growing: Option<&str>, bytes: usize) -> bool {
        let other = |job: &&Job| growing != Some(job.id.as_str());
        let entries = self.active().filter(other).count() + 1;
        let active: usize = self.active().filter(other).map(Job::bytes).sum();
        entries <= self.limits.max_entries && active + bytes <= self.limits.max_bytes
    }

    /// Makes room for that; drops nothing where it would not do.
    fn room(&mut self, growing: Option<&str>, bytes: usize) -> bool {
        let other = |job: &&Job| growing != Some(job.id.as_str());
        if !self.fits(growing, bytes) {
            return false;
        }
        loop {
            let entries = self.jobs.iter().filter(other).count() + 1;
            let held: usize = self.jobs.iter().filter(other).map(Job::bytes).sum();
            if entries <= self.limits.max_entries && held + bytes <= self.limits.max_bytes {
                return true;
            }
            let oldest = (0..self.jobs.len())
                .filter(|&i| other(&&self.jobs[i]))
                .filter_map(|i| Some((self.jobs[i].ended.as_ref()?.used, i)))
                .min()
                .unwrap();
            self.jobs.remove(oldest.1);
        }
    }

    fn end(&mut self, id: &str, reply: Reply, outside: bool, at: u64) {
        let i = self.at(id).unwrap();
        let job = &mut self.jobs[i];
        if let Some(candidate) = job.checking.take() {
            let token = job.token.clone();
            self.outcomes.push((token.clone(), Some(reply.clone())));
            job.steps.push((token, candidate, reply.clone()));
        }
        let bytes = job.bytes() + reply.json.len();
        if !self.room(Some(id), bytes) {
            self.jobs.retain(|job| job.id != id);
            return;
        }
        self.uses += 1;
        let i = self.at(id).unwrap();
        self.jobs[i].deadline = (self.limits.replay_ttl > 0).then(|| at + self.limits.replay_ttl);
        self.jobs[i].ended = Some(Ended {
            reply,
            outside,
            used: self.uses,
        });
    }

    fn at(&self, id: &str) -> Option<usize> {
        self.jobs.iter().position(|job| job.id == id)
    }

    fn find(&self, session: usize, id: &str) -> Option<usize> {
        self.at(id)
            .filter(|&i| self.open[session] && self.jobs[i].session == session)
    }

    fn status(&self, session: usize, id: &str) -> &'static str {
        match self.find(session, id) {
            Some(i) if self.jobs[i].ended.is_none() => "open",
            _ => "ended",
        }
    }

    fn touch(&mut self, i: usize) {
        self.uses += 1;
        if let Some(ended) = &mut self.jobs[i].ended {
            ended.used = self.uses;
        }
    }

    fn expire(&mut self) {
        loop {
            let due = self
                .active()
                .filter_map(|job| Some((job.deadline?, job)))
                .filter(|(deadline, _)| *deadline <= self.now)
                .min_by_key(|(deadline, job)| (*deadline, job.began));
            let Some((at, job)) = due else { break };
            let message = format!(
                "The job was idle for longer than jobTtlMs ({}); prepare it again.",
                self.limits.job_ttl
            );
            let reply = failed(&job.pipeline, "BRIDGE_JOB_EXPIRED", "bridge", &message);
            let id = job.id.clone();
            self.end(&id, reply, true, at);
        }
        let now = self.now;
        self.jobs.retain(|job| {
            job.ended.is_none() || job.deadline.is_none_or(|deadline| deadline > now)
        });
    }
}

/// The reply that ends a job outside of its pipeline.
fn failed(pipeline: &Pipeline, code: &str, stage: &str, message: &str) -> Reply {
    let mut error = json!({ "code": code, "stage": stage, "message": message, "issues": [] });
    if let Some(core) = pipeline.core() {
        error["partialResult"] = json!(**core.result());
    }
    Reply {
        json: json!({ "kind": "error", "job": "ended", "error": error }).to_string(),
        told: format!("{code}/{stage}"),
    }
}

fn state_bytes(pipeline: &Pipeline) -> usize {
    let payload: Value = serde_json::from_str(&pipeline.request().unwrap().payload).unwrap();
    let size = |value: &Value| value.to_string().len();
    let materials = json!({
        "currentInput": payload["currentInput"],
        "context": payload["context"],
    });
    size(&materials)
        + payload.get("checkedDefault").map_or(0, size)
        + payload.get("repair").map_or(0, size)
}

fn task_json(id: &str, token: &str, request: &ModelRequest, expires_at: Option<u64>) -> String {
    let format = match request.format {
        ModelFormat::JsonObject => json!({ "kind": "json_object" }),
        ModelFormat::JsonSchema { name } => {
            let schema: Value = serde_json::from_str(&request.output_schema.text).unwrap();
            json!({ "kind": "json_schema", "name": name, "schema": schema })
        }
    };
    let mut task = json!({
        "kind": "task",
        "jobId": id,
        "stepToken": token,
        "stage": request.stage,
        "instructions": *request.instructions,
        "payload": *request.payload,
        "format": format,
    });
    if let Some(ms) = expires_at {
        task["expiresAt"] = json!(super::super::clock::iso(ms));
    }
    task.to_string()
}

fn reply(reply: &BridgeReply) -> Reply {
    let json = reply.to_json();
    assert_eq!(json, serde_json::to_string(reply).unwrap());
    Reply {
        json,
        told: super::told(reply),
    }
}

fn poll(future: &mut BoxFuture<'static, BridgeReply>) -> Option<BridgeReply> {
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(reply) => Some(reply),
        Poll::Pending => None,
    }
}

/// A submission in progress.
struct Flight {
    id: String,
    token: String,
    candidate: String,
    work: Work,
    answer: ModelReply,
    sharers: Vec<BoxFuture<'static, BridgeReply>>,
}

struct World {
    random: Random,
    model: Model,
    clock: Arc<ManualClock>,
    intents: Vec<Intent>,
    bridge: Bridge,
    sessions: Vec<Session>,
    /// Session, job, token and candidate of what was once tried.
    known: Vec<(usize, String, String, String)>,
    flights: Vec<Flight>,
    told: Vec<String>,
}

fn run(seed: u64) -> (u64, Vec<String>) {
    let mut random = Random(seed);
    let limits = Limits {
        max_jobs: 1 + random.below(8),
        max_entries: 1 + random.below(12),
        max_bytes: random.of(&[100, 700, 2_000, 9_000, 20_000, 60_000, 1 << 23]),
        job_ttl: random.of(&[0, 0, 50, 400]),
        replay_ttl: random.of(&[0, 0, 80, 600]),
    };
    let clock = Arc::new(ManualClock::default());
    let intents: Vec<Intent> = [1500, 4000].into_iter().map(intent).collect();
    let config = BridgeConfig {
        instances: ["a", "b"]
            .map(str::to_owned)
            .into_iter()
            .zip(intents.clone())
            .collect(),
        max_jobs: limits.max_jobs as u64,
        max_replay_entries: limits.max_entries as u64,
        max_replay_bytes: limits.max_bytes as u64,
        job_ttl_ms: limits.job_ttl,
        replay_ttl_ms: limits.replay_ttl,
    };
    let mut world = World {
        bridge: Bridge::with_clock(config, shared(&clock)).unwrap(),
        random,
        model: Model {
            limits,
            now: 0,
            uses: 0,
            jobs: Vec::new(),
            open: Vec::new(),
            disposed: vec![false; 2],
            outcomes: Vec::new(),
        },
        clock,
        intents,
        sessions: Vec::new(),
        known: Vec::new(),
        flights: Vec::new(),
        told: Vec::new(),
    };
    world.connect();
    let mut steps = 0;
    let mut last = STEPS_OF_A_WORLD;
    while steps < last {
        steps += 1;
        world.step();
        if world.bridge.connect().is_err() {
            last = last.min(steps + 10);
        }
        assert_eq!(world.bridge.usage(), world.model.usage());
        let usage = world.bridge.usage();
        assert!(usage.active_jobs <= world.model.limits.max_jobs as u64);
        assert!(usage.records <= world.model.limits.max_entries as u64);
        assert!(usage.bytes <= world.model.limits.max_bytes as u64);
    }
    world.close_bridge();
    assert_empty(&world.bridge);
    (steps, world.told)
}

impl World {
    fn step(&mut self) {
        match self.random.below(240) {
            0..5 if self.sessions.len() < 12 => self.connect(),
            5..9 => self.close_session(),
            9 if self.random.one_in(2) => self.close_bridge(),
            10 => self.dispose(),
            11..40 => {
                let ms = 1 + self.random.below(200) as u64;
                self.clock.pass(ms);
                self.model.now += ms;
                self.model.expire();
            }
            40..95 => self.prepare(),
            95..115 => self.cancel(),
            115..150 if !self.flights.is_empty() => self.land(),
            _ => self.accept(),
        }
    }

    fn heard(&mut self, call: &str, reply: &Reply) {
        self.told.push(format!("{call} {}", reply.told));
    }

    fn connect(&mut self) {
        match self.bridge.connect() {
            Ok(session) => {
                self.sessions.push(session);
                self.model.open.push(true);
            }
            Err(error) => {
                assert_eq!(error.code().as_str(), "BRIDGE_JOB_NOT_FOUND");
                assert!(self.model.open.iter().all(|open| !open));
            }
        }
    }

    fn any_session(&mut self) -> usize {
        let open: Vec<usize> = (0..self.sessions.len())
            .filter(|&session| self.model.open[session])
            .collect();
        if open.is_empty() || self.random.one_in(12) {
            self.random.below(self.sessions.len())
        } else {
            self.random.of(&open)
        }
    }

    fn close_session(&mut self) {
        let session = self.any_session();
        self.sessions[session].close();
        self.model.close(session);
    }

    fn close_bridge(&mut self) {
        self.bridge.close();
        for session in 0..self.sessions.len() {
            self.model.close(session);
        }
        while !self.flights.is_empty() {
            self.land();
        }
    }

    fn dispose(&mut self) {
        let instance = self.random.below(2);
        self.intents[instance].dispose();
        self.model.disposed[instance] = true;
        let ids: Vec<String> = self
            .model
            .active()
            .filter(|job| job.instance == instance)
            .map(|job| job.id.clone())
            .collect();
        for id in ids {
            let i = self.model.at(&id).unwrap();
            let pipeline = &self.model.jobs[i].pipeline;
            let message = "The instance was disposed; create a new one.";
            let reply = failed(
                pipeline,
                "INSTANCE_DISPOSED",
                pipeline.stage().as_str(),
                message,
            );
            self.model.end(&id, reply, true, self.model.now);
        }
    }

    fn prepare(&mut self) {
        let session = self.any_session();
        let instance = self.random.below(21);
        let name = match instance {
            20 => "toString",
            n if n % 2 == 0 => "a",
            _ => "b",
        };
        let instance = instance % 2;
        let mut request = Request::new(match self.random.below(12) {
            0 => "\u{feff} ".to_owned(),
            n => INPUT.repeat(n),
        });
        match self.random.below(12) {
            0 => request = request.fields(["none"]),
            1..4 => request = request.fields([""; 0]),
            4 => request = request.background("Orders have six digits.\n\u{1}"),
            5 => {
                request = request.context([ContextMessage {
                    role: Role::Tool,
                    content: "\"中\"".repeat(30),
                }]);
            }
            _ => {}
        }
        let real = self.sessions[session].prepare(name, request.clone());
        let real = reply(&real);
        self.heard("prepare", &real);

        let definition = Arc::clone(self.intents[instance].definition());
        let started = Materials::new(&definition, request)
            .and_then(|materials| Pipeline::start(definition, materials));
        let model = &mut self.model;
        let refusal = if !model.open[session] {
            "BRIDGE_JOB_NOT_FOUND/bridge".to_owned()
        } else if name == "toString" {
            "INPUT_INVALID/input".to_owned()
        } else if model.active().count() >= model.limits.max_jobs {
            let oldest: Vec<&str> = model
                .active()
                .filter(|job| job.session == session)
                .map(|job| job.id.as_str())
                .take(8)
                .collect();
            assert!(real.json.contains(&oldest.join(", ")), "{}", real.json);
            // Those of another session are never named.
            let mut others = model.active().filter(|job| job.session != session);
            assert!(
                others.all(|job| !real.json.contains(&job.id)),
                "{}",
                real.json
            );
            "LIMIT_EXCEEDED/bridge".to_owned()
        } else if model.disposed[instance] {
            "INSTANCE_DISPOSED/input".to_owned()
        } else {
            match started {
                Err(error) => format!("{}/{}", error.code(), error.stage()),
                Ok((pipeline, request)) => {
                    let state_bytes = state_bytes(&pipeline);
                    if model.room(None, state_bytes) {
                        let parsed: Value = serde_json::from_str(&real.json).unwrap();
                        let text = |key: &str| parsed[key].as_str().unwrap_or_default().to_owned();
                        let (id, token) = (text("jobId"), text("stepToken"));
                        let expected = task_json(&id, &token, &request, model.expires_at());
                        assert_eq!(real.json, expected);
                        assert!(model.at(&id).is_none());
                        let (deadline, began) = model.idle();
                        model.jobs.push(Job {
                            id,
                            session,
                            instance,
                            pipeline,
                            state_bytes,
                            token,
                            steps: Vec::new(),
                            checking: None,
                            ended: None,
                            deadline,
                            began,
                        });
                        return;
                    }
                    "LIMIT_EXCEEDED/bridge".to_owned()
                }
            }
        };
        assert_eq!(real.told, refusal, "{}", real.json);
        assert_eq!(real.job(), None);
    }

    /// Session, job and token of a job, mostly of one that is there.
    fn any_step(&mut self) -> (usize, String, String) {
        let jobs = &self.model.jobs;
        if jobs.is_empty() || self.random.one_in(20) {
            let id = self
                .random
                .of(&["", "x", "00000000-0000-4000-8000-000000000000"]);
            return (self.any_session(), id.to_owned(), "forged".to_owned());
        }
        let job = &jobs[self.random.below(jobs.len())];
        let (mut session, id, mut token) = (job.session, job.id.clone(), job.token.clone());
        if self.random.one_in(15) {
            session = self.any_session();
        }
        if self.random.one_in(15) {
            token = "A".repeat(32);
        }
        (session, id, token)
    }

    fn accept(&mut self) {
        if self.random.one_in(30) {
            return self.accept_malformed();
        }
        let mut repeated = false;
        let (session, id, token, candidate) = if !self.known.is_empty() && self.random.one_in(3) {
            repeated = true;
            if !self.random.one_in(8) {
                self.known.retain(|step| self.model.at(&step.1).is_some());
            }
            if self.known.is_empty() {
                return;
            }
            let (session, id, token, mut candidate) = self.random.of(&self.known);
            if self.random.one_in(4) {
                candidate.push(' ');
            }
            (session, id, token, candidate)
        } else {
            let (session, id, token) = self.any_step();
            let stage = self
                .model
                .at(&id)
                .map(|i| self.model.jobs[i].pipeline.stage());
            let good = good(stage.unwrap_or(Stage::Core));
            let candidate = match self.random.below(14) {
                0..6 => good,
                6 | 7 => format!("{good} "),
                8 => "{bad".to_owned(),
                9 => "\"\u{1}\\\" bad".repeat(20),
                10 => String::new(),
                11 => "x".repeat(self.random.of(&[1500, 1501, 4000, 4001])),
                12 => r#"{"intents":[1,2,3,4]}"#.to_owned(),
                _ => good.replace("Query order", " "),
            };
            (session, id, token, candidate)
        };
        if !repeated {
            self.known
                .push((session, id.clone(), token.clone(), candidate.clone()));
        }

        let expected = self.model.accept(session, &id, &token, &candidate);
        let request = json!({ "jobId": id, "stepToken": token, "candidateText": candidate });
        let claim = self.sessions[session].claim(request.into());
        match (claim, expected) {
            (Err(Accepting::Ready(real)), Expected::Known(expected)) => {
                let real = reply(&real);
                self.heard("accept", &real);
                assert_eq!(real, expected);
            }
            (Err(Accepting::Ready(real)), Expected::Refused(told)) => {
                let real = reply(&real);
                self.heard("accept", &real);
                assert_eq!(real.told, told, "{}", real.json);
                let status = self.model.status(session, &id);
                assert_eq!(real.job().as_deref(), Some(status), "{}", real.json);
            }
            (Err(Accepting::Pending(mut future)), Expected::Shared) => {
                assert!(poll(&mut future).is_none());
                let flight = self
                    .flights
                    .iter_mut()
                    .find(|flight| flight.id == id && flight.work.submission.outcome().is_none());
                flight.unwrap().sharers.push(future);
                self.told.push("accept pending".to_owned());
            }
            (Ok((work, answer)), Expected::Claimed) => {
                let i = self.model.at(&id).unwrap();
                self.model.jobs[i].checking = Some(candidate.clone());
                self.flights.push(Flight {
                    id,
                    token,
                    candidate,
                    work,
                    answer,
                    sharers: Vec::new(),
                });
                if !self.random.one_in(4) {
                    let last = self.flights.len() - 1;
                    self.land_one(last);
                }
            }
            (Err(Accepting::Ready(real)), expected) => panic!("{} {expected:?}", real.to_json()),
            (Err(Accepting::Pending(_)), expected) => panic!("pending, {expected:?}"),
            (Ok(_), expected) => panic!("claimed, {expected:?}"),
        }
    }

    fn accept_malformed(&mut self) {
        let (session, id, token) = self.any_step();
        let (request, shape) = match self.random.below(6) {
            0 => (
                json!({ "jobId": id, "stepToken": token, "candidateText": 1 }).into(),
                false,
            ),
            1 => (json!({ "jobId": id, "candidateText": "{}" }).into(), false),
            2 => (
                json!({ "jobId": id, "stepToken": [], "candidateText": null }).into(),
                false,
            ),
            3 => (
                json!({ "jobId": id, "stepToken": token, "candidateText": "{}", "extra": 1 })
                    .into(),
                true,
            ),
            4 => {
                let request = RawRequest::refused("the request is a Map.".to_owned());
                (request.with("jobId", id.as_str()), true)
            }
            _ => (RawRequest::from(json!([])), true),
        };
        let names_no_job = request.get("jobId").is_none();
        let Accepting::Ready(real) = self.sessions[session].accept_raw(request) else {
            panic!("pending");
        };
        let there = self.model.find(session, &id).is_some();
        let expected = if self.model.open[session] && (shape || there) {
            "INPUT_INVALID/input"
        } else {
            "BRIDGE_JOB_NOT_FOUND/bridge"
        };
        let real = reply(&real);
        self.heard("accept", &real);
        assert_eq!(real.told, expected);
        let nothing_touched = names_no_job && self.model.open[session];
        let status = if nothing_touched {
            "open"
        } else {
            self.model.status(session, &id)
        };
        assert_eq!(real.job().as_deref(), Some(status), "{}", real.json);
    }

    fn land(&mut self) {
        let flight = self.random.below(self.flights.len());
        self.land_one(flight);
    }

    /// The check of a candidate comes to its end.
    fn land_one(&mut self, flight: usize) {
        let Flight {
            id,
            token,
            candidate,
            work,
            answer,
            sharers,
        } = self.flights.swap_remove(flight);
        let transition = work.pipeline.accept(&answer, &Budget::unlimited()).unwrap();
        let real = self.bridge.0.settle(&work, transition);
        let real = reply(&real);
        self.heard("accept", &real);
        for mut sharer in sharers {
            assert_eq!(reply(&poll(&mut sharer).unwrap()), real);
        }
        assert_eq!(reply(work.submission.outcome().unwrap()), real);
        self.model.land(&id, &token, &candidate, &real);
    }

    fn cancel(&mut self) {
        let (session, id, _) = self.any_step();
        let detail = self
            .random
            .of(&["because \"it\"\n", "", &"中".repeat(682), &"中".repeat(683)])
            .to_owned();
        let (outcome, how) = self.random.of(&[
            (json!("cancelled"), Some(CancelOutcome::Aborted)),
            (json!("refusal"), Some(CancelOutcome::Refusal)),
            (json!("incomplete"), Some(CancelOutcome::Incomplete)),
            (json!("stopped"), None),
            (json!(null), None),
        ]);
        let real = self.sessions[session].cancel_value(json!({
            "jobId": id, "outcome": outcome, "detail": detail,
        }));
        let real = reply(&real);
        self.heard("cancel", &real);
        let status = self.model.status(session, &id);
        let Some(i) = self.model.find(session, &id) else {
            assert_eq!(real.job().as_deref(), Some(status), "{}", real.json);
            return assert_eq!(real.told, "BRIDGE_JOB_NOT_FOUND/bridge");
        };
        let (Some(how), true) = (how, detail.len() <= 2048) else {
            assert_eq!(real.job().as_deref(), Some(status), "{}", real.json);
            return assert_eq!(real.told, "INPUT_INVALID/input");
        };
        if let Some(ended) = &self.model.jobs[i].ended {
            assert_eq!(real, ended.reply);
            return self.model.touch(i);
        }
        let error = self.model.jobs[i].pipeline.cancel_error(how, Some(&detail));
        let expected = Reply {
            json: json!({ "kind": "error", "job": "ended", "error": error }).to_string(),
            told: format!("{}/{}", error.code(), error.stage()),
        };
        assert_eq!(real, expected);
        self.model.end(&id, expected, false, self.model.now);
    }
}

/// The outcome that the model expects of a submission.
#[derive(Debug)]
enum Expected {
    Known(Reply),
    Refused(String),
    Shared,
    Claimed,
}

impl Model {
    fn accept(&mut self, session: usize, id: &str, token: &str, candidate: &str) -> Expected {
        let refused = |told: &str| Expected::Refused(told.to_owned());
        let Some(i) = self.find(session, id) else {
            return refused("BRIDGE_JOB_NOT_FOUND/bridge");
        };
        let job = &self.jobs[i];
        let outside = job.ended.as_ref().filter(|ended| ended.outside);
        if let Some(ended) = outside {
            let known = ended.reply.clone();
            self.touch(i);
            return Expected::Known(known);
        }
        if candidate.len() > [1500, 4000][job.instance] {
            return Expected::Refused(format!("LIMIT_EXCEEDED/{}", job.pipeline.stage()));
        }
        if let Some((_, text, reply)) = job.steps.iter().find(|step| step.0 == token) {
            if text != candidate {
                return refused("BRIDGE_STEP_CONFLICT/bridge");
            }
            let known = reply.clone();
            self.touch(i);
            return Expected::Known(known);
        }
        if job.ended.is_some() || job.token != token {
            return refused("BRIDGE_STEP_CONFLICT/bridge");
        }
        match &job.checking {
            None => Expected::Claimed,
            Some(text) if text == candidate => Expected::Shared,
            Some(_) => refused("BRIDGE_STEP_CONFLICT/bridge"),
        }
    }

    /// Checks that `real` is the expected reply, and updates the model if the job still waits for it.
    fn land(&mut self, id: &str, token: &str, candidate: &str, real: &Reply) {
        let waits = |job: &Job| job.checking.is_some() && job.token == token;
        let Some(i) = self.at(id).filter(|&i| waits(&self.jobs[i])) else {
            let outcome = self.outcomes.iter().find(|(step, _)| step == token);
            let (_, expected) = outcome.unwrap();
            match expected {
                Some(expected) => assert_eq!(real, expected),
                None => {
                    assert_eq!(real.told, "BRIDGE_JOB_NOT_FOUND/bridge");
                    assert_eq!(real.job().as_deref(), Some("ended"));
                }
            }
            return;
        };
        let answer = self.jobs[i]
            .pipeline
            .accept_candidate(candidate, &Budget::unlimited());
        match answer.unwrap() {
            Transition::Done(result) => {
                let json = json!({ "kind": "result", "result": *result }).to_string();
                let told = "result".to_owned();
                self.land_end(i, Reply { json, told }, real);
            }
            Transition::Failed(error) => {
                let json = json!({ "kind": "error", "job": "ended", "error": error }).to_string();
                let told = format!("{}/{}", error.code(), error.stage());
                self.land_end(i, Reply { json, told }, real);
            }
            Transition::Ask(pipeline, request) => {
                let like = task_json(id, &"t".repeat(32), &request, self.expires_at());
                let state_bytes = state_bytes(&pipeline);
                let job = &self.jobs[i];
                let bytes = job.bytes() - job.state_bytes + state_bytes + like.len();
                if !self.room(Some(id), bytes) {
                    return self.land_refused(id, real);
                }
                let parsed: Value = serde_json::from_str(&real.json).unwrap();
                let next = parsed["stepToken"].as_str().unwrap_or_default().to_owned();
                let json = task_json(id, &next, &request, self.expires_at());
                let told = "task".to_owned();
                let expected = Reply { json, told };
                assert_eq!(*real, expected);
                let (deadline, began) = self.idle();
                let i = self.at(id).unwrap();
                let job = &mut self.jobs[i];
                assert!(job.token != next && job.steps.iter().all(|step| step.0 != next));
                job.checking = None;
                job.steps
                    .push((token.to_owned(), candidate.to_owned(), expected));
                job.token = next;
                job.pipeline = pipeline;
                job.state_bytes = state_bytes;
                (job.deadline, job.began) = (deadline, began);
            }
        }
    }

    fn land_end(&mut self, i: usize, expected: Reply, real: &Reply) {
        let job = &self.jobs[i];
        let id = job.id.clone();
        if !self.fits(Some(&id), job.bytes() + 2 * expected.json.len()) {
            return self.land_refused(&id, real);
        }
        assert_eq!(*real, expected);
        self.end(&id, expected, false, self.now);
    }

    fn land_refused(&mut self, id: &str, real: &Reply) {
        assert_eq!(real.told, "LIMIT_EXCEEDED/bridge");
        assert_eq!(real.job().as_deref(), Some("open"));
        let i = self.at(id).unwrap();
        assert_eq!(
            real.json.contains("partialResult"),
            self.jobs[i].pipeline.core().is_some()
        );
        self.jobs[i].checking = None;
    }

    fn close(&mut self, session: usize) {
        self.open[session] = false;
        let gone = |job: &Job| job.session == session;
        for job in self
            .jobs
            .iter()
            .filter(|job| gone(job) && job.checking.is_some())
        {
            self.outcomes.push((job.token.clone(), None));
        }
        self.jobs.retain(|job| !gone(job));
    }

    fn expires_at(&self) -> Option<u64> {
        (self.limits.job_ttl > 0).then(|| WALL_MS + self.now + self.limits.job_ttl)
    }

    fn idle(&mut self) -> (Option<u64>, u64) {
        self.uses += 1;
        let deadline = (self.limits.job_ttl > 0).then(|| self.now + self.limits.job_ttl);
        (deadline, self.uses)
    }
}
