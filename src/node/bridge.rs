//! The Bridge for JavaScript.

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Either, ToNapiValue, TypeName, ValueType};
use napi::sys;
use napi_derive::napi;

use super::events::Events;
use super::flat::FlatArray;
use super::host::Host;
use super::intent::{NativeIntent, read_json};
use super::request::{Unread, raw_request};
use super::text::{JsText, js_text};
use super::{error_json, error_whole};
use crate::bridge::{Accepting, Bridge, BridgeConfig, BridgeReply, Session};
use crate::error::{ErrorCode, IntentError, Stage};
use crate::request::RawRequest;

/// A reply, without what JavaScript has already: instructions and formats. It crosses as one flat array,
/// whose seven elements are these fields in this order (`js/bridge.js` reads them).
pub struct Reply {
    /// 0: a task; 1: a result, as JSON; 2: an error, as JSON.
    kind: u8,
    /// The payload of a task, or the JSON.
    text: JsText,
    /// Of a task.
    job_id: Option<JsText>,
    /// Of a task.
    step_token: Option<JsText>,
    /// True for a task of the core stage.
    core: bool,
    /// True for a task whose candidate has the brief form.
    brief: bool,
    /// The expiry of a task with `jobTtlMs`; the status of the job, `open` or `ended`, for an error of
    /// `accept` or `cancel`.
    more: Option<JsText>,
}

const REPLY_SLOTS: usize = 7;

impl TypeName for Reply {
    fn type_name() -> &'static str {
        "Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ToNapiValue for Reply {
    unsafe fn to_napi_value(env: sys::napi_env, reply: Self) -> napi::Result<sys::napi_value> {
        // SAFETY: napi calls this on the thread of `env`, inside the scope of a native call.
        let mut array = unsafe { FlatArray::new(env, REPLY_SLOTS) }?;
        array.push(reply.kind)?;
        array.push(reply.text)?;
        array.push(reply.job_id)?;
        array.push(reply.step_token)?;
        array.push(reply.core)?;
        array.push(reply.brief)?;
        array.push(reply.more)?;
        Ok(array.into_value())
    }
}

impl Reply {
    fn of(kind: u8, text: String) -> Self {
        Self {
            kind,
            text: js_text(text),
            job_id: None,
            step_token: None,
            core: false,
            brief: false,
            more: None,
        }
    }
}

impl From<BridgeReply> for Reply {
    fn from(reply: BridgeReply) -> Self {
        match reply {
            BridgeReply::Task(task) => Self {
                job_id: Some(js_text(task.job_id.to_string())),
                step_token: Some(js_text(task.step_token.to_string())),
                core: task.request.stage == Stage::Core,
                brief: task.request.form == crate::ProofForm::Brief,
                more: task.expires_at.as_deref().map(|at| js_text(at.to_owned())),
                ..Self::of(0, task.request.payload.to_string())
            },
            BridgeReply::Result(result) => Self::of(1, result.to_json()),
            BridgeReply::Error { error, job } => Self {
                more: job.map(|job| js_text(job.as_str().to_owned())),
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

    /// Returns the status of a job after a call that broke off: `open` or `ended`.
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
    /// The places whose value is no text and was left out.
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
    ) -> Either<Reply, Events> {
        match session.session.accept_raw(submission.into()) {
            Accepting::Ready(reply) => Either::A(reply.into()),
            Accepting::Pending(reply) => {
                let task = Box::pin(async move { Ok(reply.await.to_json()) });
                Either::B(self.begin(env, id, task))
            }
        }
    }
}
