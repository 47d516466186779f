//! The Responses protocol (OpenAI's API reference, "Create a model response"; xAI's "Responses
//! API" differs in that the system text is a message).

use serde::Serialize;
use serde_json::value::RawValue;

use super::config::{ApiExecutorConfig, OutputLimit, Provider};
use super::envelope::{
    ReplyFault, each_item, fields, info, is, object, reject_error, reply_error, text, unexpected,
    utf8, word,
};
use super::extra::Extra;
use super::question::{Message, Question, WireFormat, WireSchema};
use super::secret::Secrets;
use super::wrapping;
use crate::error::IntentError;
use crate::executor::ModelReply;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(flatten)]
    extra: Extra<'a>,
}

#[derive(Serialize)]
struct Text<'a> {
    format: TextFormat<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TextFormat<'a> {
    JsonSchema {
        #[serde(flatten)]
        schema: WireSchema<'a>,
    },
    JsonObject,
}

/// The body of a request.
pub(super) fn body(
    config: &ApiExecutorConfig,
    question: &Question<'_>,
) -> Result<Vec<u8>, serde_json::Error> {
    let extra = Extra(&config.body);
    let system = question.system(config.format);
    let user = Message::new("user", question.payload);
    let (instructions, input) = match config.provider {
        Provider::OpenAi => (Some(&*system), vec![user]),
        Provider::Xai => (None, vec![Message::new("system", &system), user]),
    };
    let format = match question.wire_format(config.format)? {
        WireFormat::Nothing => None,
        WireFormat::Object => Some(TextFormat::JsonObject),
        WireFormat::Schema(schema) => Some(TextFormat::JsonSchema { schema }),
    };
    let bounded = config.output_limit != Some(OutputLimit::None);
    serde_json::to_vec(&Body {
        model: &config.model,
        instructions,
        input,
        max_output_tokens: bounded
            .then(|| extra.unless_given("max_output_tokens", config.max_output_tokens))
            .flatten(),
        store: extra.unless_given("store", false),
        stream: false,
        text: format.map(|format| Text { format }),
        extra,
    })
}

fields! { Response { status, error, output, incomplete_details, usage, model } }
fields! { Details { reason } }
fields! { Item { kind = "type", role, status, phase, content } }
fields! { Part { kind = "type", text } }

/// Reads a response object.
///
/// # Errors
/// `MODEL_REQUEST_FAILED` for a reply that is not a complete answer, a refusal or an incomplete
/// answer.
pub fn read(envelope: &[u8]) -> Result<ModelReply, IntentError> {
    read_hiding(envelope, Secrets::default())
}

/// [`read`] that hides secrets in messages.
pub(super) fn read_hiding(envelope: &[u8], hidden: Secrets<'_>) -> Result<ModelReply, IntentError> {
    reply(envelope, hidden).map_err(|fault| reply_error(&fault))
}

fn reply(envelope: &[u8], hidden: Secrets<'_>) -> Result<ModelReply, ReplyFault> {
    crate::failpoint::hit("envelope", envelope);
    let response: Response<'_> =
        object(utf8(envelope)?).ok_or("is no JSON object of the Responses protocol")?;
    reject_error(response.error, hidden)?;
    let info = info(response.usage, response.model, hidden);
    if is(response.status, "incomplete") {
        let details: Option<Details<'_>> =
            response.incomplete_details.and_then(|d| object(d.get()));
        return Ok(ModelReply::Incomplete {
            detail: details.and_then(|details| word(details.reason, hidden)),
            info,
        });
    }
    if !is(response.status, "completed") {
        return Err(match response.status {
            None => "has no status of the Responses protocol".into(),
            status => unexpected("status", status, "completed", hidden),
        });
    }
    let output = response.output.ok_or("has no output")?;
    let (ended, said) = answer(output, hidden)?;
    Ok(match said {
        MessageContent::Refusal => ModelReply::Refusal { detail: None, info },
        MessageContent::Text(_) if is_cut(ended) => ModelReply::Incomplete {
            detail: word(ended, hidden),
            info,
        },
        MessageContent::Text(_) if is_filtered(ended) => ModelReply::Refusal {
            detail: word(ended, hidden),
            info,
        },
        MessageContent::Text(text) => ModelReply::Complete {
            text: wrapping::candidate(text),
            info,
        },
    })
}

// LiteLLM, in front of a service of Chat Completions, writes its finish reason into the message and
// "completed" above it.

fn is_cut(ended: Option<&RawValue>) -> bool {
    is(ended, "incomplete") || is(ended, "length")
}

fn is_filtered(ended: Option<&RawValue>) -> bool {
    is(ended, "content_filter")
}

/// The status and the content of a message.
type StatusAndContent<'a> = (Option<&'a RawValue>, MessageContent);

/// The messages of one phase.
#[derive(Default)]
struct Messages<'a> {
    chosen: Option<StatusAndContent<'a>>,
    several: bool,
    /// The fault of an item without a text.
    empty: Option<&'static str>,
}

impl<'a> Messages<'a> {
    fn add(&mut self, item: &Item<'a>, hidden: Secrets<'_>) -> Result<(), ReplyFault> {
        let ended = item.status;
        let said = match item.content {
            Some(content) => parts(content, hidden)?,
            None => {
                self.empty = Some("has a message without content");
                return Ok(());
            }
        };
        if matches!(&said, MessageContent::Text(text) if text.is_empty())
            && !is_cut(ended)
            && !is_filtered(ended)
        {
            self.empty = Some("has a message without text");
            return Ok(());
        }
        self.several |= self.chosen.replace((ended, said)).is_some();
        Ok(())
    }

    /// Returns the only message with content; empty messages are ignored. `None` if there are no
    /// messages.
    fn single(self) -> Option<Result<StatusAndContent<'a>, ReplyFault>> {
        match (self.chosen, self.empty) {
            (Some(_), _) if self.several => Some(Err("has several messages, expected one".into())),
            (Some(message), _) => Some(Ok(message)),
            (None, Some(fault)) => Some(Err(fault.into())),
            (None, None) => None,
        }
    }
}

/// Finds the answer: the message marked as final if there is one, never a commentary.
fn answer<'a>(
    output: &'a RawValue,
    hidden: Secrets<'_>,
) -> Result<StatusAndContent<'a>, ReplyFault> {
    let (mut finals, mut others) = (Messages::default(), Messages::default());
    let mut commented = false;
    each_item(output, |item| {
        let item: Item<'_> = object(item.get()).ok_or("has an output item that is no object")?;
        if is(item.kind, "reasoning") {
            return Ok(());
        }
        if !is(item.kind, "message") {
            return Err(match word(item.kind, hidden) {
                Some(kind) => {
                    format!("has an output item of type {kind}; no tools were offered").into()
                }
                None if item.kind.is_some() => {
                    "has an output item of another type than message".into()
                }
                None => "has an output item without a type".into(),
            });
        }
        if !is(item.role, "assistant") {
            return Err("has a message that is not the assistant's".into());
        }
        if is(item.phase, "commentary") {
            commented = true;
            return Ok(());
        }
        let phase = if is(item.phase, "final_answer") {
            &mut finals
        } else {
            &mut others
        };
        phase.add(&item, hidden)
    })
    .ok_or("has an output that is no array")??;
    let single = finals.single().or_else(|| others.single());
    single.unwrap_or_else(|| {
        Err(if commented {
            "has commentary alone, and no final answer".into()
        } else {
            "has no message".into()
        })
    })
}

enum MessageContent {
    Text(String),
    Refusal,
}

/// Joins the parts of a message. A refusal takes precedence over text before it.
fn parts(content: &RawValue, hidden: Secrets<'_>) -> Result<MessageContent, ReplyFault> {
    let mut said = String::new();
    let mut refused = false;
    each_item(content, |part| {
        let part: Part<'_> = object(part.get()).ok_or("has a content part that is no object")?;
        if is(part.kind, "refusal") {
            refused = true;
        } else if is(part.kind, "output_text") {
            let text = part.text.and_then(text);
            said.push_str(&text.ok_or("has a text part without text")?);
        } else {
            return Err(match word(part.kind, hidden) {
                Some(kind) => format!("has a content part of type {kind}").into(),
                None if part.kind.is_some() => {
                    "has a content part of another type than output_text".into()
                }
                None => "has a content part without a type".into(),
            });
        }
        Ok(())
    })
    .ok_or("has a message whose content is no array")??;
    Ok(if refused {
        MessageContent::Refusal
    } else {
        MessageContent::Text(said)
    })
}
