//! Turns a request into checked materials (docs/api.md).
//!
//! The order of checks is: shape, input, size, fields' type, context, fields' names. A request
//! that arrives as JSON keeps the faults of its parts until their turn comes ([`Request`]).

use std::sync::Arc;

use serde_json::Value;

use crate::definition::Definition;
use crate::error::{ErrorKind, Fault, IntentError, Stage};
use crate::limits::Limit;
use crate::schema::Selection;
use crate::text::{is_blank, json_string_len, quoted};

/// Who said a piece of context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user, earlier.
    User,
    /// The assistant.
    Assistant,
    /// A tool.
    Tool,
    /// Text without a speaker.
    Background,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Background => "background",
        }
    }
}

/// One piece of context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextMessage {
    /// Who said it.
    pub role: Role,
    /// What was said; may be empty.
    pub content: String,
}

/// What `parse` is asked.
///
/// ```
/// use intent_runtime::Request;
/// let request = Request::new("Query order 000123.").fields(["orderId"]).background("Orders have six digits.");
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    input: Result<String, String>,
    fields: Result<Option<Vec<String>>, String>,
    context: Result<Vec<ContextMessage>, String>,
    evidence: Result<bool, String>,
}

impl Request {
    /// A request for the default intent and every field of the schema.
    pub fn new(input: impl Into<String>) -> Self {
        Self {
            input: Ok(input.into()),
            fields: Ok(None),
            context: Ok(Vec::new()),
            evidence: Ok(false),
        }
    }

    /// With or without evidence in the result.
    #[must_use]
    pub fn evidence(mut self, asked: bool) -> Self {
        self.evidence = Ok(asked);
        self
    }

    /// Only these fields; none skips the data stage.
    #[must_use]
    pub fn fields<T: Into<String>>(mut self, fields: impl IntoIterator<Item = T>) -> Self {
        self.fields = Ok(Some(fields.into_iter().map(Into::into).collect()));
        self
    }

    /// With messages that came before.
    #[must_use]
    pub fn context(mut self, messages: impl IntoIterator<Item = ContextMessage>) -> Self {
        self.context = Ok(messages.into_iter().collect());
        self
    }

    /// With background text; an empty one is none.
    #[must_use]
    pub fn background(mut self, text: impl Into<String>) -> Self {
        self.context = Ok(background(text.into()));
        self
    }

    /// Of the JSON form `{ input, fields?, context?, evidence? }`.
    ///
    /// What could not be put into JSON, a part or the whole, stands as
    /// `{ "$invalid": "what is wrong" }`.
    ///
    /// # Errors
    /// `INPUT_INVALID` where it is no object or has an unknown key.
    pub fn from_value(value: Value) -> Result<Self, IntentError> {
        let Value::Object(mut parts) = value else {
            return Err(invalid("the request must be an object."));
        };
        if let Some(Value::String(message)) = parts.get("$invalid") {
            return Err(invalid(message.as_str()));
        }
        let mut part = |name: &str| parts.shift_remove(name);
        let (input, fields, context) = (part("input"), part("fields"), part("context"));
        let evidence = part("evidence");
        if let Some(key) = parts.keys().next() {
            return Err(invalid(format!("unknown request key {}.", quoted(key))));
        }
        Ok(Self {
            input: match input {
                Some(Value::String(text)) => Ok(text),
                other => Err(refusal(other.as_ref(), "input must be a string")),
            },
            fields: match fields {
                None => Ok(None),
                Some(Value::Array(names)) => names
                    .into_iter()
                    .enumerate()
                    .map(|(i, name)| match name {
                        Value::String(name) => Ok(name),
                        other => Err(refusal(
                            Some(&other),
                            &format!("fields[{i}] must be a string"),
                        )),
                    })
                    .collect::<Result<_, _>>()
                    .map(Some),
                other => Err(refusal(
                    other.as_ref(),
                    "fields must be an array of strings",
                )),
            },
            context: match context {
                None => Ok(Vec::new()),
                Some(Value::String(text)) => Ok(background(text)),
                Some(Value::Array(messages)) => messages
                    .into_iter()
                    .enumerate()
                    .map(|(i, message)| read_message(i, message))
                    .collect(),
                other => Err(refusal(
                    other.as_ref(),
                    "context must be a string or an array of messages",
                )),
            },
            evidence: match evidence {
                None => Ok(false),
                Some(Value::Bool(asked)) => Ok(asked),
                other => Err(refusal(other.as_ref(), "evidence must be true or false")),
            },
        })
    }
}

fn background(text: String) -> Vec<ContextMessage> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![ContextMessage {
            role: Role::Background,
            content: text,
        }]
    }
}

fn read_message(i: usize, value: Value) -> Result<ContextMessage, String> {
    let Value::Object(mut parts) = value else {
        return Err(refusal(
            Some(&value),
            &format!("context[{i}] must be an object"),
        ));
    };
    if let Some(Value::String(message)) = parts.get("$invalid") {
        return Err(message.clone());
    }
    let role = match parts.shift_remove("role") {
        Some(Value::String(role)) => match role.as_str() {
            "user" => Some(Role::User),
            "assistant" => Some(Role::Assistant),
            "tool" => Some(Role::Tool),
            _ => None,
        },
        _ => None,
    };
    let role = role.ok_or_else(|| {
        format!(
            "context[{i}].role must be \"user\", \"assistant\" or \"tool\"; leave out \
                 messages of other roles, such as \"system\"."
        )
    })?;
    let content = match parts.shift_remove("content") {
        Some(Value::String(content)) => content,
        other => {
            return Err(refusal(
                other.as_ref(),
                &format!("context[{i}].content must be a string"),
            ));
        }
    };
    match parts.keys().next() {
        Some(key) => Err(format!("context[{i}] has an unknown key {}.", quoted(key))),
        None => Ok(ContextMessage { role, content }),
    }
}

/// What is wrong with a value of the wrong type.
pub(crate) fn refusal(value: Option<&Value>, rule: &str) -> String {
    let got = match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(parts)) => match parts.get("$invalid") {
            Some(Value::String(message)) => return message.clone(),
            _ => "an object",
        },
    };
    format!("{rule}, got {got}.")
}

pub(crate) fn invalid(message: impl Into<String>) -> IntentError {
    ErrorKind::Input(Fault::Rule(&message.into())).error()
}

/// The checked materials of one recognition.
#[derive(Debug)]
pub struct Materials {
    input: Arc<str>,
    context: Vec<ContextMessage>,
    selection: Option<Arc<Selection>>,
    evidence: bool,
}

impl Materials {
    /// Checks a request against an instance.
    ///
    /// # Errors
    /// `INPUT_INVALID`, `LIMIT_EXCEEDED` or `UNKNOWN_FIELD`, all of stage `input`.
    pub fn new(definition: &Definition, request: Request) -> Result<Self, IntentError> {
        let limits = definition.limits();
        let input = request.input.map_err(invalid)?;
        crate::failpoint::hit("request", &input);
        if is_blank(&input) {
            return Err(invalid("input must contain non-whitespace text."));
        }
        limits.hold(Limit::InputBytes, input.len(), Stage::Input)?;
        let fields = request.fields.map_err(invalid)?;
        let context = request.context.map_err(invalid)?;
        let evidence = request.evidence.map_err(invalid)?;
        limits.hold(Limit::ContextMessages, context.len(), Stage::Input)?;
        limits.hold(Limit::ContextBytes, context_bytes(&context), Stage::Input)?;
        let selection = definition.select(fields.as_deref())?;
        Ok(Self {
            input: input.into(),
            context,
            selection,
            evidence,
        })
    }

    /// The input as it was given.
    #[must_use]
    pub fn input(&self) -> &Arc<str> {
        &self.input
    }

    /// The selected part of the schema; `None` where no field is selected.
    #[must_use]
    pub fn selection(&self) -> Option<&Arc<Selection>> {
        self.selection.as_ref()
    }

    /// The text of a source: `input`, `context:0`, `context:1`, ...
    #[must_use]
    pub fn source(&self, id: &str) -> Option<&str> {
        if id == "input" {
            return Some(&self.input);
        }
        let index = crate::text::array_index(id.strip_prefix("context:")?)?;
        self.context
            .get(index)
            .map(|message| message.content.as_str())
    }

    /// Whether the result is to hold evidence.
    #[must_use]
    pub fn wants_evidence(&self) -> bool {
        self.evidence
    }

    /// The number of a source by its id: 0 is the input, then the context in order.
    pub(crate) fn source_number(&self, id: &str) -> Option<usize> {
        if id == "input" {
            return Some(0);
        }
        let index = crate::text::array_index(id.strip_prefix("context:")?)?;
        (index < self.context.len()).then_some(index + 1)
    }

    /// The text of a source by its number.
    pub(crate) fn text(&self, number: usize) -> Option<&str> {
        match number.checked_sub(1) {
            None => Some(&self.input),
            Some(index) => self.context.get(index).map(|message| &*message.content),
        }
    }

    /// Who said a source, by its number; `None` for the input.
    pub(crate) fn role(&self, number: usize) -> Option<Role> {
        let index = number.checked_sub(1)?;
        self.context.get(index).map(|message| message.role)
    }

    /// How many messages of context there are.
    pub(crate) fn context_len(&self) -> usize {
        self.context.len()
    }

    /// Every source: who said it, and its text.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (Option<Role>, &str)> {
        let context = self.context.iter();
        let context = context.map(|message| (Some(message.role), &*message.content));
        std::iter::once((None, &*self.input)).chain(context)
    }

    /// How many bytes [`write_json`](Self::write_json) writes.
    #[must_use]
    pub fn json_len(&self) -> usize {
        r#"{"currentInput":,"context":}"#.len()
            + json_string_len(&self.input)
            + context_bytes(&self.context).max(2)
    }

    /// The members `"currentInput"` and `"context"` of the payload.
    pub(crate) fn write_json(&self, out: &mut String) {
        self.write_input(out);
        out.push(',');
        self.write_context(out);
    }

    /// The same with what was said before in front: a conversation grows at its end.
    pub(crate) fn write_json_context_first(&self, out: &mut String) {
        self.write_context(out);
        out.push(',');
        self.write_input(out);
    }

    fn write_input(&self, out: &mut String) {
        out.push_str("\"currentInput\":");
        crate::text::push_json_string(out, &self.input);
    }

    fn write_context(&self, out: &mut String) {
        out.push_str("\"context\":[");
        for (i, message) in self.context.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str("{\"sourceId\":\"context:");
            out.push_str(&i.to_string());
            out.push_str("\",\"role\":\"");
            out.push_str(message.role.as_str());
            out.push_str("\",\"content\":");
            crate::text::push_json_string(out, &message.content);
            out.push('}');
        }
        out.push(']');
    }
}

/// UTF-8 bytes of the normalised context array as JSON; none counts 0.
fn context_bytes(context: &[ContextMessage]) -> usize {
    if context.is_empty() {
        return 0;
    }
    let entries = context.iter().enumerate().map(|(i, message)| {
        r#"{"sourceId":"context:","role":"","content":}"#.len()
            + i.to_string().len()
            + message.role.as_str().len()
            + json_string_len(&message.content)
    });
    1 + entries.map(|bytes| bytes + 1).sum::<usize>()
}
