//! The Bridge for JavaScript.

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Either};
use napi_derive::napi;

use super::events::Events;
use super::host::Host;
use super::intent::NativeIntent;
use super::request::{Unread, places, raw_request};
use super::text::{JsText, js_text};
use super::{error_json, error_whole, read_json};
use crate::bridge::{Accepting, Bridge, BridgeConfig, BridgeReply, Session};
use crate::error::{ErrorCode, IntentError, Stage};
use crate::request::RawRequest;

/// A reply, without what JavaScript has already: instructions and formats. A tuple crosses as an array,
/// which `js/bridge.js` reads:
///
/// 1. its kind. 0: a task; 1: a result, as JSON; 2: an error, as JSON;
/// 2. the payload of a task, or the JSON;
/// 3. the job of a task;
/// 4. the step token of a task;
/// 5. true for a task of the core stage;
/// 6. true for a task whose candidate has the brief form;
/// 7. the expiry of a task with `jobTtlMs`; the status of the job, `open` or `ended`, for an error of
///    `accept` or `cancel`.
type Reply = (
    u8,
    JsText,
    Option<JsText>,
    Option<JsText>,
    bool,
    bool,
    Option<JsText>,
);

fn crossing(reply: BridgeReply) -> Reply {
    let plain = |kind, json, more| (kind, js_text(json), None, None, false, false, more);
    let text = |text: &str| Some(js_text(text.to_owned()));
    match reply {
        BridgeReply::Task(task) => (
            0,
            js_text(task.request.payload.to_string()),
            text(&task.job_id),
            text(&task.step_token),
            task.request.stage == Stage::Core,
            task.request.form == crate::ProofForm::Brief,
            task.expires_at.as_deref().and_then(text),
        ),
        BridgeReply::Result(result) => plain(1, result.to_json(), None),
        BridgeReply::Error { error, job } => plain(
            2,
            error_json(&error),
            job.and_then(|job| text(job.as_str())),
        ),
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
    unread: Vec<Unread>,
    names: Vec<String>,
    intents: Vec<ClassInstance<NativeIntent>>,
) -> Either<NativeBridge, String> {
    let build = || -> Result<NativeBridge, IntentError> {
        let options = read_json(&options, ErrorCode::ConfigInvalid)?;
        let instances = names
            .into_iter()
            .zip(intents.iter().map(|intent| intent.intent().clone()));
        let bridge = Bridge::new(BridgeConfig::new(instances).read(options, &places(unread))?)?;
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
        crossing(self.session.prepare_raw(raw_request(&parts, unread)))
    }

    /// Ends a job.
    #[napi(catch_unwind)]
    pub fn cancel(&self, parts: String, unread: Option<Vec<Unread>>) -> Reply {
        crossing(self.session.cancel_raw(&raw_request(&parts, unread)))
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
            Accepting::Ready(reply) => Either::A(crossing(reply)),
            Accepting::Pending(reply) => {
                let task = Box::pin(async move { Ok(reply.await.to_json()) });
                Either::B(self.begin(env, id, task))
            }
        }
    }
}
