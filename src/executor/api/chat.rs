//! The Chat Completions protocol (OpenAI's API reference, "Create chat completion"), as gateways
//! and local servers speak it.

use serde::Serialize;
use serde_json::value::RawValue;

use super::config::{ApiExecutorConfig, OutputLimit};
use super::envelope::{
    ReplyFault, each_item, fields, info, is, is_empty, object, reject_error, reply_error, text,
    unexpected, utf8,
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
    messages: [Message<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    stream: bool,
    #[serde(flatten)]
    extra: Extra<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: WireSchema<'a> },
    JsonObject,
}

/// The body of a request.
pub(super) fn body(
    config: &ApiExecutorConfig,
    question: &Question<'_>,
) -> Result<Vec<u8>, serde_json::Error> {
    let extra = Extra(&config.body);
    let limit = config
        .output_limit
        .unwrap_or(OutputLimit::MaxCompletionTokens);
    let tokens = |field: OutputLimit| {
        (limit == field)
            .then(|| extra.unless_given(field.as_str(), config.max_output_tokens))
            .flatten()
    };
    serde_json::to_vec(&Body {
        model: &config.model,
        messages: [
            Message::new("system", &question.system(config.format)),
            Message::new("user", question.payload),
        ],
        response_format: match question.wire_format(config.format)? {
            WireFormat::Nothing => None,
            WireFormat::Object => Some(ResponseFormat::JsonObject),
            WireFormat::Schema(json_schema) => Some(ResponseFormat::JsonSchema { json_schema }),
        },
        max_completion_tokens: tokens(OutputLimit::MaxCompletionTokens),
        max_tokens: tokens(OutputLimit::MaxTokens),
        store: extra.unless_given("store", false),
        stream: false,
        extra,
    })
}

fields! { Completion { error, choices, usage, model } }
fields! { Choice { finish_reason, message } }
fields! { AssistantMessage { role, content, refusal, tool_calls, function_call } }
fields! { Part { kind = "type", text } }

/// Reads a chat completion object.
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
    let completion: Completion<'_> =
        object(utf8(envelope)?).ok_or("is no JSON object of the Chat Completions protocol")?;
    reject_error(completion.error, hidden)?;
    let info = info(completion.usage, completion.model, hidden);
    let mut only = None;
    let choices = completion.choices.ok_or("has no choices")?;
    each_item(choices, |choice| match only.replace(choice) {
        None => Ok(()),
        Some(_) => Err("has several choices, expected one".into()),
    })
    .ok_or("has choices that are no array")??;
    let choice: Choice<'_> =
        object(only.ok_or("has no choice")?.get()).ok_or("has a choice that is no object")?;
    let message: AssistantMessage<'_> = choice
        .message
        .and_then(|message| object(message.get()))
        .ok_or("has a choice without a message")?;
    if !is(message.role, "assistant") {
        return Err("has a message that is not the assistant's".into());
    }
    let finish = choice.finish_reason;
    if is(finish, "length") {
        return Ok(ModelReply::Incomplete {
            detail: Some("length".to_owned()),
            info,
        });
    }
    let refusal = |detail: Option<&str>| {
        Ok(ModelReply::Refusal {
            detail: detail.map(str::to_owned),
            info: info.clone(),
        })
    };
    if is(finish, "content_filter") {
        return refusal(Some("content_filter"));
    }
    if message
        .refusal
        .and_then(text)
        .is_some_and(|t| !t.is_empty())
    {
        return refusal(None);
    }
    if !is_empty(message.refusal) {
        return Err("has a refusal that is no text".into());
    }
    if !is_empty(message.tool_calls) || !is_empty(message.function_call) {
        return Err("calls a tool, and none was offered".into());
    }
    if !is(finish, "stop") {
        return Err(unexpected("finish_reason", finish, "stop", hidden));
    }
    let content = message.content.ok_or("has a message without content")?;
    let said = match text(content) {
        Some(text) => text,
        None => match parts(content)? {
            Some(text) => text,
            None => return refusal(None),
        },
    };
    if said.is_empty() {
        return Err("has a message without text".into());
    }
    let text = wrapping::candidate(said);
    Ok(ModelReply::Complete { text, info })
}

/// The text parts joined; parts of other kinds, such as a model's thinking, are passed over.
/// `None` where a part is a refusal.
fn parts(content: &RawValue) -> Result<Option<String>, ReplyFault> {
    let mut said = String::new();
    let mut refused = false;
    each_item(content, |part| {
        let part: Part<'_> = object(part.get()).ok_or("has a content part that is no object")?;
        if is(part.kind, "text") {
            let text = part.text.and_then(text);
            said.push_str(&text.ok_or("has a text part without text")?);
        } else if is(part.kind, "refusal") {
            refused = true;
        }
        Ok(())
    })
    .ok_or("has content that is neither text nor an array")??;
    Ok((!refused).then_some(said))
}
