//! Reads the messages of one line.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use rmcp::model::ClientRequest;

use super::MAX_LINE_BYTES;
use super::lines::Line;
use super::outline::{MessageHead, Outline, is_id};
use crate::catch_panic::catch_panic;

/// A message after reading.
#[derive(Debug)]
pub(super) enum Message {
    /// A request in good order, for rmcp.
    Request {
        id: Box<RawValue>,
        request: Box<ClientRequest>,
    },
    /// `notifications/cancelled`.
    Cancelled { id: Value, reason: Option<String> },
    /// A text that is not a valid message; the answer has its id if it has one.
    Refused {
        id: Option<Box<RawValue>>,
        call: Option<Called>,
        why: String,
    },
}

/// A `tools/call`, and the tool where its name could be read.
#[derive(Debug, Default)]
pub(super) struct Called(pub(super) Option<String>);

impl Message {
    fn refused(
        id: Box<RawValue>,
        method: Option<&str>,
        tool: Option<&str>,
        why: impl Into<String>,
    ) -> Self {
        let call = (method == Some(TOOL_CALL)).then(|| Called(tool.map(str::to_owned)));
        Self::Refused {
            id: Some(id),
            call,
            why: why.into(),
        }
    }
}

/// The method whose refusals are tool results.
pub(in crate::mcp) const TOOL_CALL: &str = "tools/call";

/// Reads a line. One whose reading panics is refused, and the next is read all the same.
pub(super) fn read(line: Line, out: &mut impl Extend<Message>) {
    if catch_panic(|| read_line(line, out)).is_none() {
        out.extend([invalid_message(
            "the message cannot be read for a fault in intent-runtime; please report it",
        )]);
    }
}

fn read_line(line: Line, out: &mut impl Extend<Message>) {
    match line {
        Line::Whole(line) => read_text(&line, out),
        Line::TooLong(seen) => {
            let why = format!("the message is longer than {MAX_LINE_BYTES} bytes");
            out.extend(refuse(seen, why));
        }
    }
}

fn read_text(line: &[u8], out: &mut impl Extend<Message>) {
    crate::failpoint::hit("line", line);
    // RFC 8259, section 8.1: a reader may ignore a byte-order mark.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => {}
        Some(b'[') => match serde_json::from_slice::<Vec<&RawValue>>(line) {
            Ok(members) => {
                let mut without_id = members
                    .is_empty()
                    .then(|| invalid_message("the batch is empty"));
                for member in members {
                    match read_one(member.get().as_bytes()) {
                        // One such answer for a batch: it may have millions of them.
                        Some(message @ Message::Refused { id: None, .. }) => {
                            without_id = Some(message);
                        }
                        message => out.extend(message),
                    }
                }
                out.extend(without_id);
            }
            Err(error) => out.extend(unreadable(line, &error)),
        },
        Some(b'{') => match read_object(line) {
            Ok(message) => out.extend(message),
            Err(error) => out.extend(unreadable(line, &error)),
        },
        // A JSON value of another type, or noise.
        Some(_) => out.extend(read_one(line)),
    }
}

/// A member of a batch, or a line that is no object: JSON gets one answer, noise none.
fn read_one(text: &[u8]) -> Option<Message> {
    if text.starts_with(b"{") {
        return match read_object(text) {
            Ok(message) => message,
            Err(error) => unreadable(text, &error).next(),
        };
    }
    let is_json = serde_json::from_slice::<&RawValue>(text).is_ok();
    is_json.then(|| invalid_message("a message is an object"))
}

/// Makes the refusal of JSON that is not a message and has no id.
fn invalid_message(why: &str) -> Message {
    Message::Refused {
        id: None,
        call: None,
        why: why.into(),
    }
}

/// The answers to a line that serde_json cannot read, under the ids that can be read.
fn unreadable(line: &[u8], error: &serde_json::Error) -> impl Iterator<Item = Message> + use<> {
    let why = format!("the message cannot be read: {error}");
    refuse(Outline::of(line), why)
}

pub(super) fn refuse(seen: Vec<MessageHead>, why: String) -> impl Iterator<Item = Message> {
    seen.into_iter().map(move |head| {
        let (method, tool) = (head.method.as_deref(), head.tool.as_deref());
        Message::refused(head.id, method, tool, why.as_str())
    })
}

/// JSON-RPC 2.0, sections 4 and 5. `id` keeps its text: a number may be more than an `f64` holds.
#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    method: Option<Value>,
    params: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Box<RawValue>>,
}

/// Unlike `Option`, distinguishes null from an absent value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

fn read_object(text: &[u8]) -> Result<Option<Message>, serde_json::Error> {
    let envelope: Envelope = serde_json::from_slice(text)?;
    let id = envelope.id.filter(|id| is_id(id));
    let Some(method) = envelope.method.as_ref().and_then(Value::as_str) else {
        // This server sends no requests, so it ignores responses.
        let is_response = envelope.result.is_some() || envelope.error.is_some();
        return Ok((!is_response).then(|| match id {
            Some(id) => Message::refused(id, None, None, "method must be a string"),
            None => invalid_message("a message has a method and an id"),
        }));
    };
    let is_null = id.as_ref().is_some_and(|id| id.get() == "null");
    let Some(id) = id.filter(|_| !(is_null && method.starts_with("notifications/"))) else {
        return Ok(match method {
            "notifications/cancelled" => cancelled(envelope.params),
            _ => None,
        });
    };
    let tool = envelope.params.as_ref();
    let tool = tool.and_then(|params| params.get("name")?.as_str());
    if is_null {
        let why = "id must be a string or a number";
        return Ok(Some(Message::refused(id, Some(method), tool, why)));
    }
    if envelope.jsonrpc != Some(Value::from("2.0")) {
        let why = "jsonrpc must be \"2.0\"";
        return Ok(Some(Message::refused(id, Some(method), tool, why)));
    }
    let tool = tool.map(str::to_owned);
    // rmcp reads a request of unknown shape as a custom request.
    let request = match envelope.params {
        None => json!({ "method": method }),
        Some(params) => json!({ "method": method, "params": params }),
    };
    Ok(Some(match serde_json::from_value(request) {
        Ok(request) => Message::Request {
            id,
            request: Box::new(request),
        },
        Err(_) => Message::refused(
            id,
            Some(method),
            tool.as_deref(),
            "params must be an object, and so must its _meta",
        ),
    }))
}

fn cancelled(params: Option<Value>) -> Option<Message> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "requestId")]
        id: Value,
        reason: Option<String>,
    }
    let Params { id, reason } = serde_json::from_value(params?).ok()?;
    Some(Message::Cancelled { id, reason })
}
