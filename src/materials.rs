//! Turns a request into checked materials (docs/api.md).
//!
//! [`Materials::new`] takes the parts of a [`Request`] in the order of checks: shape, input, size,
//! types of fields, context and evidence, sizes of the context, names of fields.

use std::sync::Arc;

use crate::definition::Definition;
use crate::error::{IntentError, Stage};
use crate::limits::Limit;
use crate::request::{ContextMessage, Request, Role, invalid};
use crate::schema::Selection;
use crate::text::{is_blank, json_string_len};

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
    pub fn new(definition: &Definition, mut request: Request) -> Result<Self, IntentError> {
        let limits = definition.limits();
        request.check_shape()?;
        let input = request.take_input()?;
        crate::failpoint::hit("request", &input);
        if is_blank(&input) {
            return Err(invalid("input must contain non-whitespace text."));
        }
        limits.check_count(Limit::InputBytes, input.len(), Stage::Input)?;
        let fields = request.take_fields()?;
        let context = request.take_context()?;
        let evidence = request.take_evidence()?;
        limits.check_count(Limit::ContextMessages, context.len(), Stage::Input)?;
        limits.check_count(Limit::ContextBytes, context_bytes(&context), Stage::Input)?;
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

    /// True if the result is to contain evidence.
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

    /// The author of a source, by its number; `None` for the input.
    pub(crate) fn role(&self, number: usize) -> Option<Role> {
        let index = number.checked_sub(1)?;
        self.context.get(index).map(|message| message.role)
    }

    /// The number of context messages.
    pub(crate) fn context_len(&self) -> usize {
        self.context.len()
    }

    /// Every source: its author and its text.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (Option<Role>, &str)> {
        let context = self.context.iter();
        let context = context.map(|message| (Some(message.role), &*message.content));
        std::iter::once((None, &*self.input)).chain(context)
    }

    /// The number of bytes that [`write_json`](Self::write_json) writes.
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

    /// The same with the context first, so that the growing part of a conversation is at the end.
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
