//! References inside a schema: `#` and `#/...` (RFC 6901, section 6), resolved against the whole
//! snapshot and only to places where a schema stands.

use serde_json::{Map, Value};

use super::keywords::{self, ValueShape};
use crate::text::{array_index, pointer_tokens};

/// The tokens of a local reference; `None` for any other one.
pub(super) fn tokens(reference: &str) -> Option<Vec<String>> {
    let fragment = reference.strip_prefix('#')?;
    let pointer = percent_decoded(fragment)?;
    let tokens = pointer_tokens(&pointer)?;
    Some(
        tokens
            .into_iter()
            .map(std::borrow::Cow::into_owned)
            .collect(),
    )
}

/// Writes the reference to a place.
pub(super) fn written(tokens: &[String]) -> String {
    let mut pointer = String::from("#");
    for token in tokens {
        let mut plain = String::new();
        crate::text::push_token(&mut plain, token);
        for byte in plain.bytes() {
            // RFC 3986, fragment: pchar, "/" and "?"; the rest is percent-encoded.
            if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte) {
                pointer.push(char::from(byte));
            } else {
                use std::fmt::Write as _;
                let _ = write!(pointer, "%{byte:02X}");
            }
        }
    }
    pointer
}

/// The schema that a reference points at.
pub(super) fn resolve<'s>(root: &'s Map<String, Value>, reference: &str) -> Option<Target<'s>> {
    let tokens = tokens(reference)?;
    let mut schema = Target::Root(root);
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        let keywords = match schema {
            Target::Root(map) | Target::Inner(Value::Object(map)) => map,
            Target::Inner(_) => return None,
        };
        let value = keywords.get(token)?;
        let inner = match (keywords::find(token)?.shape, value) {
            (ValueShape::Schema, value) => value,
            (ValueShape::Items, value) if !value.is_array() => value,
            (ValueShape::Items | ValueShape::SchemaList, Value::Array(list)) => {
                list.get(array_index(rest.next()?)?)?
            }
            (
                ValueShape::Schemas | ValueShape::PatternSchemas | ValueShape::Dependencies,
                Value::Object(map),
            ) => map.get(rest.next()?)?,
            _ => return None,
        };
        if !(inner.is_object() || inner.is_boolean()) {
            return None;
        }
        schema = Target::Inner(inner);
    }
    Some(schema)
}

/// The target of a reference.
#[derive(Clone, Copy)]
pub(super) enum Target<'s> {
    /// The whole schema.
    Root(&'s Map<String, Value>),
    /// A schema inside it.
    Inner(&'s Value),
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_local_references() {
        assert_eq!(tokens("#").unwrap(), Vec::<String>::new());
        assert_eq!(tokens("#/a%20b/~0~1/%25").unwrap(), ["a b", "~/", "%"]);
        for other in [
            "",
            "a",
            "a#",
            "https://x/#",
            "#a",
            "#/%4",
            "#/%zz",
            "#/~2",
            "#/%FF",
        ] {
            assert!(tokens(other).is_none(), "{other}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for reference in ["#", "#/$defs/a%20b", "#/$defs/%E4%B8%AD~1~0%25%22"] {
            assert_eq!(written(&tokens(reference).unwrap()), reference);
        }
    }

    #[test]
    fn resolves_to_schemas_only() {
        let root = json!({
            "type": "object",
            "properties": { "a/b": { "anyOf": [true, { "enum": [{}] }] } },
            "definitions": { "x": {} },
            "default": { "y": {} },
            "dependencies": { "d": ["a"], "e": {} },
        });
        let root = root.as_object().unwrap();
        for good in [
            "#",
            "#/properties/a~1b",
            "#/properties/a~1b/anyOf/0",
            "#/definitions/x",
            "#/dependencies/e",
        ] {
            assert!(resolve(root, good).is_some(), "{good}");
        }
        for bad in [
            "#/properties",
            "#/properties/a",
            "#/properties/a~1b/anyOf",
            "#/properties/a~1b/anyOf/01",
            "#/properties/a~1b/anyOf/2",
            "#/properties/a~1b/anyOf/1/enum/0",
            "#/default/y",
            "#/dependencies/d",
            "#/type",
            "#/",
        ] {
            assert!(resolve(root, bad).is_none(), "{bad}");
        }
    }
}
