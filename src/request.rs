//! Requests as their callers give them.
//!
//! Each call checks its request in an order that the documentation tells (docs/api.md), and some of
//! these checks come before a part is looked at: a disposed instance or an unknown job outranks a
//! wrong type. So a request is not checked when it arrives. A [`RawRequest`] holds the parts as they
//! came, and the call reads them one after the other.

use std::borrow::Cow;

use serde_json::Value;

use crate::error::{ErrorKind, Got, IntentError, InvalidArgument, Must, codes};
use crate::json::Kind;

/// A request in its JSON form: its parts, each of any type.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawRequest {
    parts: Vec<(Cow<'static, str>, Value)>,
    unread: Vec<Unread>,
}

/// A place of a request or a configuration whose value JSON cannot carry; `null` stands there
/// instead.
#[derive(Debug, Clone)]
pub(crate) struct Unread {
    /// [`WHOLE`], or a place such as `fields[1]` or `limits.maxInputBytes`.
    pub(crate) place: String,
    pub(crate) found: ValueFault,
}

/// The fault of a value that JSON cannot carry.
#[derive(Debug, Clone)]
pub(crate) enum ValueFault {
    /// A value of this kind, such as `a bigint`.
    Kind(String),
    /// A text with a lone surrogate.
    #[cfg_attr(not(feature = "node"), allow(dead_code, reason = "made by node"))]
    Surrogate,
    /// Another fault, as a sentence.
    #[cfg_attr(
        not(feature = "mcp"),
        allow(dead_code, reason = "made by node and mcp")
    )]
    Rule(String),
}

impl ValueFault {
    /// Converts to the fault of an argument.
    pub(crate) fn to_argument<'a>(&'a self, name: &'a str, must: Must<'a>) -> InvalidArgument<'a> {
        match self {
            Self::Kind(kind) => {
                let got = Got::Kind(kind);
                InvalidArgument::Value { name, must, got }
            }
            Self::Surrogate => InvalidArgument::Surrogate { name },
            Self::Rule(fault) => InvalidArgument::Rule(fault),
        }
    }
}

const TEXT: Must<'_> = Must::Be("a string");

/// The place of a request as a whole.
const WHOLE: &str = "request";

impl RawRequest {
    /// Makes a request that is refused as a whole, with the reason as a sentence.
    #[cfg(any(feature = "mcp", test))]
    pub(crate) fn refused(fault: String) -> Self {
        Self::unread(ValueFault::Rule(fault))
    }

    fn unread(found: ValueFault) -> Self {
        let place = WHOLE.to_owned();
        Self::default().with_unread([Unread { place, found }])
    }

    pub(crate) fn with(mut self, name: &'static str, part: impl Into<Value>) -> Self {
        self.parts.push((name.into(), part.into()));
        self
    }

    pub(crate) fn with_unread(mut self, unread: impl IntoIterator<Item = Unread>) -> Self {
        self.unread.extend(unread);
        self
    }

    /// # Errors
    /// `INPUT_INVALID` where it is refused as a whole, or has a part of another name.
    pub(crate) fn check_shape(&self, names: &[&str]) -> Result<(), IntentError> {
        if self.unread.iter().any(|unread| unread.place == WHOLE) {
            return Err(self.wrong(WHOLE, Must::Be("an object"), None));
        }
        match self.parts.iter().find(|(key, _)| !names.contains(&&**key)) {
            Some((key, _)) => Err(unknown(WHOLE, key, names)),
            None => Ok(()),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let part = self.parts.iter().find(|(key, _)| key == name);
        part.map(|(_, part)| part)
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.parts.iter().position(|(key, _)| key == name)?;
        Some(self.parts.swap_remove(at).1)
    }

    /// # Errors
    /// `INPUT_INVALID` where the part is no text.
    pub(crate) fn text(&self, name: &str) -> Result<&str, IntentError> {
        match self.get(name) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(name, TEXT, other)),
        }
    }

    /// [`text`](Self::text), taken out.
    pub(crate) fn take_text(&mut self, name: &str) -> Result<String, IntentError> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(name, TEXT, other.as_ref())),
        }
    }

    /// The error of a value that is not what its place must hold.
    pub(crate) fn wrong(&self, name: &str, must: Must<'_>, value: Option<&Value>) -> IntentError {
        if let Some(unread) = self.unread.iter().find(|unread| unread.place == name) {
            return ErrorKind::Input(unread.found.to_argument(name, must)).error();
        }
        let got = match (must, value) {
            (Must::OneOf(_), Some(Value::String(text))) => Got::Text(text),
            (_, Some(value)) => Got::Type(value),
            (_, None) => Got::Kind("nothing"),
        };
        ErrorKind::Input(InvalidArgument::Value { name, must, got }).error()
    }
}

impl From<Value> for RawRequest {
    fn from(request: Value) -> Self {
        match request {
            Value::Object(parts) => Self {
                parts: parts
                    .into_iter()
                    .map(|(key, part)| (key.into(), part))
                    .collect(),
                unread: Vec::new(),
            },
            other => Self::unread(ValueFault::Kind(Kind::from(&other).to_string())),
        }
    }
}

codes! {
    /// The author of a piece of context.
    Role {
        /// The user, earlier.
        User = "user",
        /// The assistant.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
        /// Text without a speaker.
        Background = "background",
    }
}

/// One piece of context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextMessage {
    /// The author.
    pub role: Role,
    /// The text; may be empty.
    pub content: String,
}

/// The parts of a [`Request`].
const PARTS: [&str; 4] = ["input", "fields", "context", "evidence"];

/// A request to `parse`.
///
/// ```
/// use intent_runtime::Request;
/// let request = Request::new("Query order 000123.").fields(["orderId"]).background("Orders have six digits.");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Request {
    input: Option<String>,
    fields: Option<Vec<String>>,
    context: Option<Vec<ContextMessage>>,
    evidence: Option<bool>,
    /// Has the parts that were not given by type.
    raw: RawRequest,
}

impl Request {
    /// A request for the default intent and every field of the schema.
    pub fn new(input: impl Into<String>) -> Self {
        Self {
            input: Some(input.into()),
            ..Self::default()
        }
    }

    /// A request in its JSON form `{ input, fields?, context?, evidence? }`. The call that takes it
    /// refuses its faults, in the order of the call's checks.
    #[must_use]
    pub fn from_value(request: Value) -> Self {
        RawRequest::from(request).into()
    }

    /// Sets whether the result has evidence.
    #[must_use]
    pub fn evidence(mut self, asked: bool) -> Self {
        self.evidence = Some(asked);
        self
    }

    /// Selects these fields alone; none skips the data stage.
    #[must_use]
    pub fn fields<T: Into<String>>(mut self, fields: impl IntoIterator<Item = T>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the messages that came before.
    #[must_use]
    pub fn context(mut self, messages: impl IntoIterator<Item = ContextMessage>) -> Self {
        self.context = Some(messages.into_iter().collect());
        self
    }

    /// Sets background text as the context; an empty one is none.
    #[must_use]
    pub fn background(mut self, text: impl Into<String>) -> Self {
        self.context = Some(background(text.into()));
        self
    }

    /// # Errors
    /// `INPUT_INVALID` where it is no request, or has an unknown part.
    pub(crate) fn check_shape(&self) -> Result<(), IntentError> {
        self.raw.check_shape(&PARTS)
    }

    /// The instance that a session's `prepare` names.
    ///
    /// # Errors
    /// As [`check_shape`](Self::check_shape), which it does too, or where the name is no text.
    pub(crate) fn take_instance(&mut self) -> Result<String, IntentError> {
        let [input, fields, context, evidence] = PARTS;
        self.raw
            .check_shape(&["instance", input, fields, context, evidence])?;
        self.raw.take_text("instance")
    }

    pub(crate) fn take_input(&mut self) -> Result<String, IntentError> {
        match self.input.take() {
            Some(input) => Ok(input),
            None => self.raw.take_text("input"),
        }
    }

    pub(crate) fn take_fields(&mut self) -> Result<Option<Vec<String>>, IntentError> {
        if self.fields.is_some() {
            return Ok(self.fields.take());
        }
        match self.raw.take("fields") {
            None => Ok(None),
            Some(Value::Array(names)) => {
                let names = names.into_iter().enumerate().map(|(i, name)| match name {
                    Value::String(name) => Ok(name),
                    other => Err(self.raw.wrong(&format!("fields[{i}]"), TEXT, Some(&other))),
                });
                names.collect::<Result<_, _>>().map(Some)
            }
            other => {
                let must = Must::Be("an array of strings");
                Err(self.raw.wrong("fields", must, other.as_ref()))
            }
        }
    }

    pub(crate) fn take_context(&mut self) -> Result<Vec<ContextMessage>, IntentError> {
        if let Some(context) = self.context.take() {
            return Ok(context);
        }
        match self.raw.take("context") {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(background(text)),
            Some(Value::Array(messages)) => {
                let messages = messages.into_iter().enumerate();
                messages
                    .map(|(i, message)| self.message(i, message))
                    .collect()
            }
            other => {
                let must = Must::Be("a string or an array of messages");
                Err(self.raw.wrong("context", must, other.as_ref()))
            }
        }
    }

    fn message(&self, i: usize, message: Value) -> Result<ContextMessage, IntentError> {
        let of = format!("context[{i}]");
        let wrong = |name: &str, must, value: Option<&Value>| {
            Err(self
                .raw
                .wrong(&format!("{of}{name}"), Must::Be(must), value))
        };
        let Value::Object(mut parts) = message else {
            return wrong("", "a plain object", Some(&message));
        };
        let role = match parts.shift_remove("role") {
            Some(Value::String(name)) => Role::from_text(&name)
                .filter(|role| *role != Role::Background)
                .ok_or_else(|| {
                    invalid(&format!(
                        "{of}.role must be \"user\", \"assistant\" or \"tool\"; leave out messages of \
                         other roles, such as \"system\"."
                    ))
                })?,
            other => {
                let must = "\"user\", \"assistant\" or \"tool\"";
                return wrong(".role", must, other.as_ref());
            }
        };
        let content = match parts.shift_remove("content") {
            Some(Value::String(content)) => content,
            other => {
                let must = "a string (of a message in parts, their texts joined)";
                return wrong(".content", must, other.as_ref());
            }
        };
        match parts.keys().next() {
            Some(key) => Err(unknown(&of, key, &["role", "content"])),
            None => Ok(ContextMessage { role, content }),
        }
    }

    pub(crate) fn take_evidence(&mut self) -> Result<bool, IntentError> {
        match (self.evidence, self.raw.take("evidence")) {
            (Some(asked), _) | (None, Some(Value::Bool(asked))) => Ok(asked),
            (None, None) => Ok(false),
            (None, other) => {
                let must = Must::Be("true or false");
                Err(self.raw.wrong("evidence", must, other.as_ref()))
            }
        }
    }
}

impl From<RawRequest> for Request {
    fn from(raw: RawRequest) -> Self {
        Self {
            raw,
            ..Self::default()
        }
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

/// The error of a rule that only its place has, as a sentence.
pub(crate) fn invalid(rule: &str) -> IntentError {
    ErrorKind::Input(InvalidArgument::Rule(rule)).error()
}

fn unknown(of: &str, key: &str, known: &[&str]) -> IntentError {
    ErrorKind::Input(InvalidArgument::UnknownKey { of, key, known }).error()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorCode;

    fn noted(value: Value, place: &str, found: ValueFault) -> Request {
        let place = place.to_owned();
        Request::from(RawRequest::from(value).with_unread([Unread { place, found }]))
    }

    /// Takes the parts as [`Materials::new`](crate::materials::Materials::new) does.
    fn refusal(mut request: Request) -> String {
        let mut take = || {
            request.check_shape()?;
            request.take_input()?;
            request.take_fields()?;
            request.take_context()?;
            request.take_evidence()
        };
        let error = take().unwrap_err();
        assert_eq!(error.code(), ErrorCode::InputInvalid);
        error.message().to_owned()
    }

    #[test]
    fn what_json_cannot_carry_is_refused_in_its_place() {
        let kind = || ValueFault::Kind("a bigint".to_owned());
        let fault = || ValueFault::Rule("A fault.".to_owned());
        for (value, place, must) in [
            (json!({ "input": null }), "input", "a string"),
            (
                json!({ "input": "x", "fields": null }),
                "fields",
                "an array of strings",
            ),
            (
                json!({ "input": "x", "fields": ["a", null] }),
                "fields[1]",
                "a string",
            ),
            (
                json!({ "input": "x", "context": null }),
                "context",
                "a string or an array of messages",
            ),
            (
                json!({ "input": "x", "context": [null] }),
                "context[0]",
                "a plain object",
            ),
            (
                json!({ "input": "x", "context": [{ "role": null, "content": "" }] }),
                "context[0].role",
                "\"user\", \"assistant\" or \"tool\"",
            ),
            (
                json!({ "input": "x", "context": [{ "role": "user", "content": null }] }),
                "context[0].content",
                "a string (of a message in parts, their texts joined)",
            ),
            (
                json!({ "input": "x", "evidence": null }),
                "evidence",
                "true or false",
            ),
        ] {
            let expected = format!("{place} must be {must}, got");
            assert_eq!(
                refusal(noted(value.clone(), place, kind())),
                format!("{expected} a bigint.")
            );
            assert_eq!(refusal(noted(value.clone(), place, fault())), "A fault.");
            assert_eq!(
                refusal(Request::from_value(value)),
                format!("{expected} null.")
            );
        }
    }

    #[test]
    fn a_part_is_refused_at_its_turn() {
        let whole = || ValueFault::Rule("The whole.".to_owned());
        let request = json!({ "input": 1, "fields": 1, "context": 1, "evidence": 1, "other": 1 });
        assert_eq!(
            refusal(noted(request.clone(), WHOLE, whole())),
            "The whole."
        );
        assert_eq!(
            refusal(Request::from_value(json!(7))),
            "request must be an object, got a number."
        );
        let mut parts = request.as_object().unwrap().clone();
        for (good, words) in [
            (None, "request: unknown key \"other\""),
            (
                Some(("other", None)),
                "input must be a string, got a number.",
            ),
            (Some(("input", Some(json!("x")))), "fields must be"),
            (Some(("fields", Some(json!([])))), "context must be"),
            (Some(("context", Some(json!("")))), "evidence must be"),
        ] {
            match good {
                Some((name, Some(part))) => drop(parts.insert(name.to_owned(), part)),
                Some((name, None)) => drop(parts.shift_remove(name)),
                None => {}
            }
            let message = refusal(Request::from_value(Value::Object(parts.clone())));
            assert!(message.starts_with(words), "{message}");
        }
    }

    #[test]
    fn parts_given_by_type_stand_before_those_of_the_json() {
        let mut request =
            Request::from_value(json!({ "input": "x", "fields": 1, "context": 1, "evidence": 1 }))
                .fields(["a"])
                .background("b")
                .evidence(true);
        assert_eq!(request.take_input().unwrap(), "x");
        assert_eq!(request.take_fields().unwrap(), Some(vec!["a".to_owned()]));
        assert_eq!(request.take_context().unwrap(), background("b".to_owned()));
        assert!(request.take_evidence().unwrap());
    }
}
