//! The Bridge for JavaScript.

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Either};
use napi_derive::napi;

use super::host::{Event, Host};
use super::intent::{NativeIntent, read_json};
use super::request::{Unread, raw_request};
use super::text::{JsText, js_text};
use super::{error_json, error_whole};
use crate::bridge::{Accepting, Bridge, BridgeConfig, BridgeReply, JobStatus, Session};
use crate::error::{ErrorCode, IntentError, Stage};
use crate::request::RawRequest;

/// A reply, without what JavaScript has already: instructions and formats. Every field is there,
/// as in [`Event`].
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct Reply {
    /// 0: a task; 1: a result, as JSON; 2: an error, as JSON.
    pub kind: u8,
    /// The payload of a task, or the JSON.
    #[napi(ts_type = "string")]
    pub text: JsText,
    /// Of a task.
    pub job_id: Option<String>,
    /// Of a task.
    pub step_token: Option<String>,
    /// Of a task: whether it is of the core stage.
    pub core: Option<bool>,
    /// Of a task: whether its candidate is of the brief form.
    pub brief: Option<bool>,
    /// Of a task, with `jobTtlMs`.
    pub expires_at: Option<String>,
    /// Of an error of `accept` or `cancel`: `open` or `ended`.
    pub job: Option<&'static str>,
}

impl Reply {
    fn of(kind: u8, text: String) -> Self {
        Self {
            kind,
            text: js_text(text),
            job_id: None,
            step_token: None,
            core: None,
            brief: None,
            expires_at: None,
            job: None,
        }
    }
}

impl From<BridgeReply> for Reply {
    fn from(reply: BridgeReply) -> Self {
        match reply {
            BridgeReply::Task(task) => Self {
                job_id: Some(task.job_id.to_string()),
                step_token: Some(task.step_token.to_string()),
                core: Some(task.request.stage == Stage::Core),
                brief: Some(task.request.form == crate::ProofForm::Brief),
                expires_at: task.expires_at.as_deref().map(str::to_owned),
                ..Self::of(0, task.request.payload.to_string())
            },
            BridgeReply::Result(result) => Self::of(1, result.to_json()),
            BridgeReply::Error { error, job } => Self {
                job: job.map(JobStatus::as_str),
                ..Self::of(2, error_json(&error))
            },
        }
    }
}

/// A bridge.
#[napi]
pub struct NativeBridge {
    bridge: Bridge,
}

/// Builds a bridge; an error comes back as JSON. `options` holds the numbers.
#[napi(catch_unwind)]
pub fn create_bridge(
    options: String,
    names: Vec<String>,
    intents: Vec<ClassInstance<NativeIntent>>,
) -> Either<NativeBridge, String> {
    let build = || -> Result<NativeBridge, IntentError> {
        let options = read_json(&options, ErrorCode::ConfigInvalid)?;
        let instances = names
            .into_iter()
            .zip(intents.iter().map(|intent| intent.intent().clone()));
        let bridge = Bridge::new(BridgeConfig::new(instances).options(&options)?)?;
        Ok(NativeBridge { bridge })
    };
    match build() {
        Ok(bridge) => Either::A(bridge),
        Err(error) => Either::B(error_whole(&error)),
    }
}

#[napi]
impl NativeBridge {
    /// A session; an error comes back as JSON.
    #[napi(catch_unwind)]
    pub fn connect(&self) -> Either<NativeSession, String> {
        match self.bridge.connect() {
            Ok(session) => Either::A(NativeSession { session }),
            Err(error) => Either::B(error_whole(&error)),
        }
    }

    /// Closes it and its sessions.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.bridge.close();
    }

    pub(super) fn bridge(&self) -> &Bridge {
        &self.bridge
    }
}

/// A session of a bridge.
#[napi]
pub struct NativeSession {
    session: Session,
}

#[napi]
impl NativeSession {
    /// Begins a job.
    #[napi(catch_unwind)]
    pub fn prepare(&self, parts: String, unread: Option<Vec<Unread>>) -> Reply {
        self.session.prepare_raw(raw_request(&parts, unread)).into()
    }

    /// Ends a job.
    #[napi(catch_unwind)]
    pub fn cancel(&self, parts: String, unread: Option<Vec<Unread>>) -> Reply {
        self.session.cancel_raw(&raw_request(&parts, unread)).into()
    }

    /// What is left of a job, for a call that broke off: `open` or `ended`.
    #[napi(catch_unwind)]
    pub fn job_status(&self, job_id: String) -> &'static str {
        self.session.job_status(&job_id).as_str()
    }

    /// Releases its jobs.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.session.close();
    }
}

/// A submission: its texts cross as they are, since a candidate may be long. What is no text is left
/// out.
#[napi(object)]
pub struct Submission {
    /// The job.
    pub job_id: Option<String>,
    /// The token of its step.
    pub step_token: Option<String>,
    /// The candidate.
    pub candidate_text: Option<String>,
    /// What stood in the place of what was left out.
    pub unread: Option<Vec<Unread>>,
}

impl From<Submission> for RawRequest {
    fn from(submission: Submission) -> Self {
        let parts = [
            ("jobId", submission.job_id),
            ("stepToken", submission.step_token),
            ("candidateText", submission.candidate_text),
        ];
        let unread = submission.unread.into_iter().flatten().map(Into::into);
        parts
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?)))
            .fold(Self::default(), |request, (name, text)| {
                request.with(name, text)
            })
            .with_unread(unread)
    }
}

#[napi]
impl Host {
    /// Submits a candidate: the reply, or the events of a task that settles with it as JSON.
    #[napi(catch_unwind)]
    pub fn accept(
        &self,
        env: Env,
        id: u32,
        session: &NativeSession,
        submission: Submission,
    ) -> Either<Reply, Vec<Event>> {
        match session.session.accept_raw(submission.into()) {
            Accepting::Ready(reply) => Either::A(reply.into()),
            Accepting::Pending(reply) => {
                let task = Box::pin(async move { Ok(reply.await.to_json()) });
                Either::B(self.begin(env, id, task))
            }
        }
    }
}
