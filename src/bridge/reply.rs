//! Replies: the answer to every call of a session, and its JSON.
//!
//! The JSON has the keys in the order of the documentation, `kind` first. Its length is computed
//! without writing it.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::candidate::IntentResult;
use crate::error::{IntentError, codes};
use crate::executor::{BoxFuture, ModelFormat, ModelRequest};
use crate::json::{Count, Sink};
use crate::pipeline::CoreResult;
use crate::text::json_string_len;

codes! {
    /// The status of a job after an error.
    JobStatus {
        /// The job lives, with the step that it had: a corrected call may follow.
        Open = "open",
        /// There is nothing left to submit to: the job has ended, or there is no such job.
        Ended = "ended",
    }
}

/// The answer to a call of a session; cheap to clone.
///
/// [`Error`](Self::Error) says that this call failed. The job it was about may live on.
#[derive(Debug, Clone)]
pub enum BridgeReply {
    /// A question for the host's model.
    Task(Task),
    /// The job has ended with this result.
    Result(Arc<IntentResult>),
    /// The call was refused, or the job has ended with this error.
    Error {
        /// Why.
        error: IntentError,
        /// The status of the job after the call; `None` in replies of `prepare`, which has none.
        job: Option<JobStatus>,
    },
}

/// A question for the host's model, and what its answer is submitted with.
#[derive(Debug, Clone)]
pub struct Task {
    /// The job, a UUID.
    pub job_id: Arc<str>,
    /// The step; every task has a new one.
    pub step_token: Arc<str>,
    /// The question.
    pub request: Arc<ModelRequest>,
    /// When the job ends unless its next step is accepted, in ISO 8601; only with `jobTtlMs`.
    pub expires_at: Option<Arc<str>>,
}

/// An answer of `accept`: known at once, or once a worker thread has checked the candidate.
///
/// The step is claimed either way, whether or not anyone waits for the answer.
#[must_use = "the reply is the next task or the outcome"]
pub enum Accepting {
    /// Known.
    Ready(BridgeReply),
    /// To be waited for.
    Pending(BoxFuture<'static, BridgeReply>),
}

impl Accepting {
    /// The reply, once it is known.
    pub async fn reply(self) -> BridgeReply {
        match self {
            Self::Ready(reply) => reply,
            Self::Pending(reply) => reply.await,
        }
    }
}

/// Makes `session.accept(...).await` return the reply.
impl IntoFuture for Accepting {
    type Output = BridgeReply;
    type IntoFuture = BoxFuture<'static, BridgeReply>;

    fn into_future(self) -> Self::IntoFuture {
        match self {
            Self::Ready(reply) => Box::pin(std::future::ready(reply)),
            Self::Pending(reply) => reply,
        }
    }
}

impl BridgeReply {
    /// Makes the error reply of `prepare`, which made no job.
    pub(crate) const fn without_job(error: IntentError) -> Self {
        Self::Error { error, job: None }
    }

    /// Makes the error reply for a job that ended, or that does not exist.
    pub(super) const fn ended(error: IntentError) -> Self {
        let job = Some(JobStatus::Ended);
        Self::Error { error, job }
    }

    /// `task`, `result` or `error`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Task(_) => "task",
            Self::Result(_) => "result",
            Self::Error { .. } => "error",
        }
    }

    /// Compact JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Task(task) => task.to_json(),
            Self::Result(result) => {
                let mut out = String::with_capacity(32 + result.json_room());
                out.push_str("{\"kind\":\"result\",\"result\":");
                result.write(&mut out);
                out.push('}');
                out
            }
            Self::Error { error, job } => wrapped(error, *job),
        }
    }
}

fn wrapped(error: &IntentError, job: Option<JobStatus>) -> String {
    let mut out = br#"{"kind":"error""#.to_vec();
    if let Some(job) = job {
        out.extend_from_slice(br#","job":""#);
        out.extend_from_slice(job.as_str().as_bytes());
        out.push(b'"');
    }
    out.extend_from_slice(br#","error":"#);
    let written = serde_json::to_writer(&mut out, error);
    debug_assert!(written.is_ok(), "errors are JSON: {written:?}");
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}

impl Task {
    fn to_json(&self) -> String {
        let request = &*self.request;
        let schema = match request.format {
            ModelFormat::JsonSchema { .. } => request.output_schema.text.len(),
            ModelFormat::JsonObject => 0,
        };
        let texts = request.instructions.len() * 9 / 8 + request.payload.len() * 5 / 4;
        let mut out = String::with_capacity(512 + texts + schema);
        self.write(&mut out);
        out
    }

    /// The length of its JSON in bytes.
    pub(super) fn json_len(&self) -> usize {
        let mut count = Count::default();
        self.write(&mut count);
        count.0
    }

    fn write(&self, out: &mut impl Sink) {
        let request = &*self.request;
        out.raw("{\"kind\":\"task\",\"jobId\":");
        out.string(&self.job_id);
        out.raw(",\"stepToken\":");
        out.string(&self.step_token);
        out.raw(",\"stage\":\"");
        out.raw(request.stage.as_str());
        out.raw("\",\"instructions\":");
        out.string(&request.instructions);
        out.raw(",\"payload\":");
        out.string(&request.payload);
        out.raw(",\"format\":");
        match request.format {
            ModelFormat::JsonObject => out.raw(r#"{"kind":"json_object"}"#),
            ModelFormat::JsonSchema { name } => {
                out.raw("{\"kind\":\"json_schema\",\"name\":");
                out.string(name);
                out.raw(",\"schema\":");
                out.raw(&request.output_schema.text);
                out.raw("}");
            }
        }
        if let Some(expires_at) = &self.expires_at {
            out.raw(",\"expiresAt\":");
            out.string(expires_at);
        }
        out.raw("}");
    }
}

/// The length of the JSON of a result as a reply, in bytes.
pub(super) fn result_json_len(result: &IntentResult) -> usize {
    r#"{"kind":"result","result":}"#.len() + result.json_len()
}

/// The length of the JSON of a job's final error as a reply, in bytes. Its partial result, where it has one, is
/// that of `core`, whose length is known.
pub(super) fn ended_json_len(error: &IntentError, core: Option<&CoreResult>) -> usize {
    let partial = match (error.partial_result(), core) {
        (None, _) => 0,
        (Some(_), Some(core)) => r#","partialResult":"#.len() + core.json().len(),
        (Some(partial), None) => r#","partialResult":"#.len() + partial.json_len(),
    };
    r#"{"kind":"error","job":"ended","error":{"code":"","stage":"","message":,"issues":}}"#.len()
        + error.code().as_str().len()
        + error.stage().as_str().len()
        + json_string_len(error.message())
        + json_len(error.issues())
        + partial
        + error.data().map_or(0, |data| {
            r#","data":,"missing":"#.len() + json_len(data) + json_len(error.missing())
        })
}

fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut count = Count::default();
    let written = serde_json::to_writer(&mut count, value);
    debug_assert!(written.is_ok(), "results and errors are JSON: {written:?}");
    count.0
}

/// The same as [`to_json`](Self::to_json), for a [`serde_json`] serializer.
impl Serialize for BridgeReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind())?;
        match self {
            Self::Result(result) => map.serialize_entry("result", &**result)?,
            Self::Error { error, job } => {
                if let Some(job) = job {
                    map.serialize_entry("job", job.as_str())?;
                }
                map.serialize_entry("error", error)?;
            }
            Self::Task(task) => {
                map.serialize_entry("jobId", &*task.job_id)?;
                map.serialize_entry("stepToken", &*task.step_token)?;
                map.serialize_entry("stage", &task.request.stage)?;
                map.serialize_entry("instructions", &*task.request.instructions)?;
                map.serialize_entry("payload", &*task.request.payload)?;
                map.serialize_entry("format", &Format(&task.request))?;
                if let Some(expires_at) = &task.expires_at {
                    map.serialize_entry("expiresAt", &**expires_at)?;
                }
            }
        }
        map.end()
    }
}

struct Format<'a>(&'a ModelRequest);

impl Serialize for Format<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0.format {
            ModelFormat::JsonObject => map.serialize_entry("kind", "json_object")?,
            ModelFormat::JsonSchema { name } => {
                let schema: &RawValue = serde_json::from_str(&self.0.output_schema.text)
                    .map_err(serde::ser::Error::custom)?;
                map.serialize_entry("kind", "json_schema")?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("schema", schema)?;
            }
        }
        map.end()
    }
}
