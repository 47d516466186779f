//! Events: the next actions of JavaScript, and the form in which they cross.

use napi::bindgen_prelude::{Result, ToNapiValue, TypeName, ValueType};
use napi::sys;

use super::error_whole;
use super::flat::FlatArray;
use super::text::{JsText, js_text};
use crate::error::{IntentError, Stage};
use crate::executor::ModelRequest;

/// The outcome of a task: JSON, or an error.
pub(super) type Outcome = std::result::Result<String, IntentError>;

/// One thing that JavaScript has to do.
pub(super) struct Event {
    /// The task it is about; JavaScript chose the number.
    pub(super) id: u32,
    pub(super) kind: EventKind,
    /// The payload of a question, a message of a stream, or JSON.
    text: JsText,
    /// The number that the answer to a question must name.
    call: Option<u32>,
    /// The key of the schema of a question of the data stage, see `Host::schema`.
    schema: Option<u32>,
    /// True for a question whose answer has the brief form, and for an error that the executor threw.
    flag: bool,
}

/// The kinds of events by the numbers that `js/addon-tasks.js` knows.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum EventKind {
    /// A question for the executor.
    Question = 0,
    /// The task has ended with a result.
    Result = 1,
    /// The task has ended with an error.
    Error = 2,
    /// A message of a stream.
    Message = 3,
    /// The core result of a recognition that goes on.
    Core = 4,
    /// A question goes out.
    Asked = 5,
    /// The outcome of a question.
    Answered = 6,
    /// The report that tracing channels publish; the outcome follows.
    Report = 7,
}

impl Event {
    pub(super) fn of(id: u32, kind: EventKind, text: String) -> Self {
        Self {
            id,
            kind,
            text: js_text(text),
            call: None,
            schema: None,
            flag: false,
        }
    }

    pub(super) fn question(id: u32, call: u32, request: &ModelRequest) -> Self {
        Self {
            call: Some(call),
            schema: (request.stage == Stage::Data).then_some(request.output_schema.key),
            flag: request.form == crate::ProofForm::Brief,
            ..Self::of(id, EventKind::Question, request.payload.to_string())
        }
    }

    pub(super) fn outcome(id: u32, outcome: Outcome) -> Self {
        match outcome {
            Ok(json) => Self::of(id, EventKind::Result, json),
            Err(error) => Self {
                flag: error.cause().is_some(),
                ..Self::of(id, EventKind::Error, error_whole(&error))
            },
        }
    }

    /// True if it is the last event of its task.
    pub(super) fn ends_its_task(&self) -> bool {
        matches!(self.kind, EventKind::Result | EventKind::Error)
    }
}

/// Events in their order. They cross as one flat array, six elements for each (`js/addon-tasks.js`
/// reads them): `id`, `kind`, `text`, `call`, `schema`, `flag`.
pub struct Events(pub(super) Vec<Event>);

const EVENT_SLOTS: usize = 6;

impl TypeName for Events {
    fn type_name() -> &'static str {
        "Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ToNapiValue for Events {
    unsafe fn to_napi_value(env: sys::napi_env, Self(events): Self) -> Result<sys::napi_value> {
        // SAFETY: napi calls this on the thread of `env`, inside the scope of a native call.
        let mut array = unsafe { FlatArray::new(env, events.len() * EVENT_SLOTS) }?;
        for event in events {
            array.push(event.id)?;
            array.push(event.kind as u8)?;
            array.push(event.text)?;
            array.push(event.call)?;
            array.push(event.schema)?;
            array.push(event.flag)?;
        }
        Ok(array.into_value())
    }
}
