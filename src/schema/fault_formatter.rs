//! Formats errors of `jsonschema` as faults, without quoting the data.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::assertions;
use super::names::{unmarked, unmarked_pointer};
use crate::text::{cut, listed, push_token};

/// The most bytes of a pointer, or of a field's name, in a message.
const MAX_POINTER_BYTES: usize = 512;

/// Formats errors about the values of fields.
pub(super) struct FaultFormatter<'f> {
    /// The name of each entry in the document, and the field's name.
    pub(super) fields: &'f [(String, &'f str)],
}

impl FaultFormatter<'_> {
    /// Returns the pointer of an error, cut to what a message shows. The first token names an entry.
    pub(super) fn place(&self, error: &ValidationError<'_>) -> String {
        let whole = error.instance_path().as_str();
        let mut pointer = "/data".to_owned();
        let Some(path) = whole.strip_prefix('/') else {
            return pointer;
        };
        let (entry, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        if let Some((_, field)) = self.fields.iter().find(|(name, _)| name == entry) {
            push_token(
                &mut pointer,
                &field[..field.floor_char_boundary(MAX_POINTER_BYTES)],
            );
        }
        let told = &rest[..rest.floor_char_boundary(MAX_POINTER_BYTES)];
        pointer.push_str(&unmarked_pointer(told));
        pointer
    }

    pub(super) fn message(&self, error: &ValidationError<'_>) -> String {
        use ValidationErrorKind as Kind;
        let kind = error.kind();
        let keyword = kind.keyword();
        match kind {
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                let names = unexpected.iter().map(|name| unmarked(name));
                format!("{keyword}: not allowed: {}", listed(names))
            }
            Kind::AdditionalItems { limit } => format!("items: at most {limit} items are allowed"),
            Kind::UnevaluatedItems { .. } => format!("{keyword}: more items than are allowed"),
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                format!(
                    "{keyword}: none of {} branches matches{}",
                    context.len(),
                    self.branches(context)
                )
            }
            Kind::OneOfMultipleValid { .. } => {
                format!("{keyword}: more than one branch matches, exactly one must")
            }
            Kind::Constant { expected_value } => {
                format!("{keyword}: must be {}", cut(&expected_value.to_string()))
            }
            Kind::Enum { options } => {
                let options = options.as_array().into_iter().flatten();
                let shown: Vec<String> = options.map(Value::to_string).collect();
                format!("{keyword}: must be one of {}", cut(&shown.join(", ")))
            }
            Kind::Custom { keyword, message } => {
                format!("{}: {message}", assertions::public_name(keyword))
            }
            Kind::Contains => format!("{keyword}: not as many matching items as are asked for"),
            Kind::FalseSchema => "no value is allowed here".to_owned(),
            Kind::Format { format } => format!("{keyword}: must be a valid {format}"),
            Kind::ExclusiveMaximum { limit } => format!("{keyword}: must be below {limit}"),
            Kind::ExclusiveMinimum { limit } => format!("{keyword}: must be above {limit}"),
            Kind::Maximum { limit } => format!("{keyword}: must be at most {limit}"),
            Kind::Minimum { limit } => format!("{keyword}: must be at least {limit}"),
            Kind::MaxItems { limit } => format!("{keyword}: must have at most {limit} items"),
            Kind::MinItems { limit } => format!("{keyword}: must have at least {limit} items"),
            Kind::MaxLength { limit } => format!("{keyword}: must have at most {limit} characters"),
            Kind::MinLength { limit } => {
                format!("{keyword}: must have at least {limit} characters")
            }
            Kind::MaxProperties { limit } => {
                format!("{keyword}: must have at most {limit} properties")
            }
            Kind::MinProperties { limit } => {
                format!("{keyword}: must have at least {limit} properties")
            }
            Kind::Not { .. } => format!("{keyword}: matches what it must not match"),
            Kind::PropertyNames { error } => {
                let name = error.instance().as_str().unwrap_or_default().to_owned();
                format!(
                    "{keyword}: the name {}: {}",
                    listed([name]),
                    self.message(error)
                )
            }
            Kind::Required { property } => {
                let name = unmarked(property.as_str().unwrap_or_default()).into_owned();
                format!("{keyword}: {} is missing", listed([name]))
            }
            Kind::Type { kind } => {
                let types: Vec<&str> = match kind {
                    TypeKind::Single(kind) => vec![kind.as_str()],
                    TypeKind::Multiple(kinds) => kinds.iter().map(JsonType::as_str).collect(),
                };
                format!("{keyword}: must be {}", types.join(" or "))
            }
            Kind::UniqueItems => format!("{keyword}: two items are equal"),
            // The document never contains these keywords.
            _ => format!("{keyword}: not satisfied"),
        }
    }

    /// Returns the first fault of each of the first branches.
    fn branches(&self, context: &[Vec<ValidationError<'static>>]) -> String {
        const MOST: usize = 3;
        let mut out = String::new();
        for (at, errors) in context.iter().take(MOST).enumerate() {
            if let Some(error) = errors.first() {
                out.push_str(if at == 0 { " (" } else { "; " });
                out.push_str(&cut(&format!(
                    "{} {}",
                    self.place(error),
                    self.message(error)
                )));
            }
        }
        if !out.is_empty() {
            out.push_str(if context.len() > MOST { "; …)" } else { ")" });
        }
        out
    }
}
