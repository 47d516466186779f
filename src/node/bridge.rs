//! The Bridge for JavaScript.

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Either, ToNapiValue, TypeName, ValueType};
use napi::sys;
use napi_derive::napi;
use serde_json::{Map, Value};

use super::events::Events;
use super::flat::FlatArray;
use super::host::Host;
use super::intent::{NativeIntent, read_json};
use super::text::{JsText, js_text};
use super::{error_json, error_whole};
use crate::bridge::{Accepting, Bridge, BridgeConfig, BridgeReply, Session};
use crate::error::{ErrorCode, IntentError, Stage};

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
    /// Of a task: whether it is of the core stage.
    core: bool,
    /// Of a task: whether its candidate is of the brief form.
    brief: bool,
    /// Of a task with `jobTtlMs`: when it expires. Of an error of `accept` or `cancel`: what became of
    /// the job, `open` or `ended`.
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
    pub fn prepare(&self, request: String) -> Reply {
        match read_json(&request, ErrorCode::InputInvalid) {
            Ok(request) => self.session.prepare_value(request).into(),
            Err(error) => BridgeReply::not_begun(error).into(),
        }
    }

    /// Ends a job.
    #[napi(catch_unwind)]
    pub fn cancel(&self, request: String) -> Reply {
        match read_json(&request, ErrorCode::InputInvalid) {
            Ok(request) => self.session.cancel_value(request).into(),
            Err(error) => BridgeReply::not_begun(error).into(),
        }
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

/// The parts of a submission; what is no text is left out, with `invalid` to say why.
#[napi(object)]
pub struct Submission {
    /// Absent where it is no text.
    pub job_id: Option<String>,
    /// Absent where it is no text.
    pub step_token: Option<String>,
    /// Absent where it is no text.
    pub candidate_text: Option<String>,
    /// What is wrong with the parts that are absent.
    pub invalid: Option<String>,
    /// What is wrong with the request as a whole.
    pub shape: Option<String>,
}

impl Submission {
    fn accept(self, session: &Session) -> Accepting {
        let marker = |message: String| {
            Value::Object(Map::from_iter([("$invalid".to_owned(), message.into())]))
        };
        match self {
            Self {
                shape: Some(message),
                job_id,
                ..
            } => {
                let mut request = marker(message);
                if let Some(job_id) = job_id {
                    request["jobId"] = job_id.into();
                }
                session.accept_value(request)
            }
            Self {
                job_id: Some(job),
                step_token: Some(token),
                candidate_text: Some(candidate),
                ..
            } => session.accept(&job, &token, candidate),
            Self {
                job_id,
                step_token,
                candidate_text,
                invalid,
                ..
            } => {
                let invalid =
                    marker(invalid.unwrap_or_else(|| {
                        "stepToken and candidateText must be strings.".to_owned()
                    }));
                let part =
                    |text: Option<String>| text.map_or_else(|| invalid.clone(), Value::String);
                let mut parts = Map::new();
                if let Some(job_id) = job_id {
                    parts.insert("jobId".to_owned(), job_id.into());
                }
                parts.insert("stepToken".to_owned(), part(step_token));
                parts.insert("candidateText".to_owned(), part(candidate_text));
                session.accept_value(Value::Object(parts))
            }
        }
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
        match submission.accept(&session.session) {
            Accepting::Ready(reply) => Either::A(reply.into()),
            Accepting::Pending(reply) => {
                let task = Box::pin(async move { Ok(reply.await.to_json()) });
                Either::B(self.begin(env, id, task))
            }
        }
    }
}
