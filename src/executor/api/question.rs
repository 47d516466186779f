//! A question to a service, for either protocol.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::config::Format;
use super::envelope::is_plain;
use super::notation;
use crate::executor::{ModelFormat, ModelRequest, OutputSchema};

/// A message of either protocol.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

impl<'a> Message<'a> {
    pub(super) const fn new(role: &'static str, content: &'a str) -> Self {
        Self { role, content }
    }
}

/// One question.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The system text.
    pub instructions: &'a str,
    /// The user message.
    pub payload: &'a str,
    /// The form of the answer, which [`Format::Text`](super::Format::Text) keeps to itself.
    pub output: OutputFormat<'a>,
}

impl<'a> Question<'a> {
    /// The system text as it is sent. It adds the schema, unless the service gets the schema with the
    /// format or `described` is set.
    pub(super) fn system(&self, format: Format) -> Cow<'a, str> {
        let instructions = self.instructions;
        let OutputFormat::Schema {
            schema, described, ..
        } = self.output
        else {
            return Cow::Borrowed(instructions);
        };
        let json_schema = || {
            format!(
                "{instructions}\n\nOutput schema (JSON Schema): {}",
                schema.text
            )
        };
        match format {
            Format::JsonSchema => Cow::Borrowed(instructions),
            Format::Text if described => Cow::Borrowed(instructions),
            Format::JsonObject => Cow::Owned(json_schema()),
            Format::Text => Cow::Owned(match notation::from_schema(&schema.text) {
                Some(shape) => format!("{instructions}\n\nOutput schema: {shape}"),
                None => json_schema(),
            }),
        }
    }

    /// The format of the answer, as it is sent to the service.
    pub(super) fn wire_format(&self, format: Format) -> Result<WireFormat<'a>, serde_json::Error> {
        Ok(match (format, self.output) {
            (Format::Text, _) => WireFormat::Nothing,
            (Format::JsonSchema, OutputFormat::Schema { name, schema, .. }) => {
                WireFormat::Schema(WireSchema::of(name, schema)?)
            }
            (Format::JsonSchema | Format::JsonObject, _) => WireFormat::Object,
        })
    }
}

/// The form of the answer as a request names it.
pub(super) enum WireFormat<'a> {
    Nothing,
    Object,
    Schema(WireSchema<'a>),
}

/// The form of an answer.
#[derive(Debug, Clone, Copy)]
pub enum OutputFormat<'a> {
    /// JSON of this schema.
    Schema {
        /// The schema's name.
        name: &'a str,
        /// The schema.
        schema: &'a OutputSchema,
        /// True if the instructions describe this shape already.
        described: bool,
    },
    /// Any JSON object.
    Object,
}

impl<'a> From<&'a ModelRequest> for Question<'a> {
    fn from(request: &'a ModelRequest) -> Self {
        Self {
            instructions: &request.instructions,
            payload: &request.payload,
            output: OutputFormat::Schema {
                name: match request.format {
                    ModelFormat::JsonSchema { name } => name,
                    ModelFormat::JsonObject => "intent_data",
                },
                schema: &request.output_schema,
                described: request.format == ModelFormat::JsonObject,
            },
        }
    }
}

/// A schema as both protocols send it, its text copied as it is.
#[derive(Serialize)]
pub(super) struct WireSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

impl<'a> WireSchema<'a> {
    pub(super) fn of(name: &'a str, schema: &'a OutputSchema) -> Result<Self, serde_json::Error> {
        // `[A-Za-z0-9_-]{1,64}` by the API references.
        let fits = is_plain(name, 64, "_-");
        Ok(Self {
            name: if fits { name } else { "intent_candidate" },
            strict: schema.is_strict(),
            schema: serde_json::from_str(&schema.text)?,
        })
    }
}
