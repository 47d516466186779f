//! Reads the envelope of a service in one pass, without copying its text.
//!
//! Each level selects the values that it needs as raw text and reads them afterwards. So an envelope
//! of any shape takes no further memory, its depth takes no stack, and an odd value that is not
//! needed is not a fault.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::secret::Secrets;
use crate::error::{ErrorKind, IntentError};
use crate::executor::{ModelUsage, ReplyInfo};
use crate::limits::MAX_SAFE_INTEGER;

/// The fault of an envelope; its text follows "The reply of the service".
pub(super) type ReplyFault = Cow<'static, str>;

/// Returns the error for a fault.
pub(super) fn reply_error(fault: &str) -> IntentError {
    ErrorKind::Reply(fault).error()
}

/// Returns an envelope's text without a byte-order mark, which RFC 8259 (section 8.1) lets a reader ignore.
pub(super) fn utf8(envelope: &[u8]) -> Result<&str, ReplyFault> {
    let text = std::str::from_utf8(envelope).map_err(|_| ReplyFault::Borrowed("is not UTF-8"))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Declares the members of an object that are read. An absent or `null` value is `None`.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($field:ident $(= $key:literal)?),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(::serde::Deserialize, Default)]
        pub(super) struct $name<'a> {
            $(
                #[serde(borrow, default $(, rename = $key)?)]
                pub(super) $field: Option<&'a ::serde_json::value::RawValue>,
            )+
        }
    };
}
pub(super) use fields;

/// Reads an object; `None` if the text is not one.
pub(super) fn object<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Option<T> {
    // serde would read an array as a struct, too.
    text.trim_start_matches([' ', '\t', '\n', '\r'])
        .starts_with('{')
        .then(|| serde_json::from_str(text).ok())?
}

/// Visits the items of an array; `None` if the value is not one.
pub(super) fn each_item<'a>(
    array: &'a RawValue,
    visit: impl FnMut(&'a RawValue) -> Result<(), ReplyFault>,
) -> Option<Result<(), ReplyFault>> {
    struct Items<'f, F>(F, &'f mut Option<ReplyFault>);

    impl<'de, F: FnMut(&'de RawValue) -> Result<(), ReplyFault>> Visitor<'de> for Items<'_, F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
            while let Some(item) = items.next_element::<&RawValue>()? {
                if let Err(fault) = (self.0)(item) {
                    *self.1 = Some(fault);
                    return Err(A::Error::custom("stopped"));
                }
            }
            Ok(())
        }
    }

    let mut fault = None;
    let read =
        serde_json::Deserializer::from_str(array.get()).deserialize_seq(Items(visit, &mut fault));
    match (read, fault) {
        (_, Some(fault)) => Some(Err(fault)),
        (Ok(()), None) => Some(Ok(())),
        (Err(_), None) => None,
    }
}

/// Returns the text of a string. A lone surrogate, which UTF-8 cannot carry, becomes `\u{d800}`. That
/// is not valid JSON, so the candidate is refused instead of changed.
pub(super) fn text(value: &RawValue) -> Option<String> {
    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    // serde_json hands a lone surrogate over as WTF-8 only where bytes are asked for.
    let bytes = serde_json::Deserializer::from_str(value.get())
        .deserialize_bytes(Bytes)
        .ok()?;
    Some(String::from_utf8(bytes).unwrap_or_else(|e| spell_surrogates(e.as_bytes())))
}

/// WTF-8 with each surrogate spelled out.
fn spell_surrogates(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let at = rest
            .windows(3)
            .position(|w| w[0] == 0xed && w[1] >= 0xa0)
            .unwrap_or(rest.len());
        out.push_str(&String::from_utf8_lossy(&rest[..at]));
        let [_, second, third, after @ ..] = &rest[at..] else {
            return out;
        };
        let unit = 0xd000 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f);
        out.push_str(&format!("\\u{{{unit:x}}}"));
        rest = after;
    }
}

/// True if a value is empty: `null`, `""`, `[]`, `{}`.
pub(super) fn is_empty(value: Option<&RawValue>) -> bool {
    value.is_none_or(|value| match value.get().as_bytes() {
        b"null" | b"\"\"" => true,
        [b'[' | b'{', inside @ .., _] => inside.iter().all(u8::is_ascii_whitespace),
        _ => false,
    })
}

/// True if a value is this string.
pub(super) fn is(value: Option<&RawValue>, word: &str) -> bool {
    value.and_then(text).is_some_and(|text| text == word)
}

/// True if a text has 1 to `most` ASCII letters, digits and characters of `others`.
pub(super) fn is_plain(text: &str, most: usize, others: &str) -> bool {
    (1..=most).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

/// A short word of a service that may stand in a message: a string (or a number) of
/// `[A-Za-z0-9_.-]{1,64}` without a secret in it.
pub(super) fn word(value: Option<&RawValue>, hidden: Secrets<'_>) -> Option<String> {
    let value = value?;
    let word = if value
        .get()
        .starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    {
        value.get().to_owned()
    } else {
        text(value)?
    };
    (is_plain(&word, 64, "_.-") && !hidden.are_in(&word)).then_some(word)
}

/// Describes a value that is not the expected word, to follow "has": `no status`, `status
/// failed, expected completed`, or, where its own word may not be shown, `a status other than
/// completed`.
pub(super) fn unexpected(
    name: &str,
    value: Option<&RawValue>,
    expected: &str,
    hidden: Secrets<'_>,
) -> ReplyFault {
    match (value, word(value, hidden)) {
        (None, _) => format!("has no {name}"),
        (_, Some(word)) => format!("has {name} {word}, expected {expected}"),
        (_, None) => format!("has a {name} other than {expected}"),
    }
    .into()
}

fields! {
    /// The parts of an error that a message may repeat.
    ErrorObject { kind = "type", code, param }
}

impl ErrorObject<'_> {
    /// `type ..., code ..., param ...`, each where [`word`] lets it pass; nothing else of an error
    /// may stand in a message.
    pub(super) fn details(&self, hidden: Secrets<'_>) -> String {
        [
            ("type", self.kind),
            ("code", self.code),
            ("param", self.param),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", word(value, hidden)?)))
        .collect::<Vec<_>>()
        .join(", ")
    }

    /// True if its code or its type is this one.
    pub(super) fn is(&self, word: &str) -> bool {
        is(self.code, word) || is(self.kind, word)
    }
}

/// The error in the body of a failure: under `error`, in an object or in an array of one (Gemini),
/// or the object itself (Mistral).
pub(super) fn error_object(body: &str) -> ErrorObject<'_> {
    fields! { Failure { error } }
    let first = || -> Option<&str> {
        let items: Vec<&RawValue> = serde_json::from_str(body).ok()?;
        items.first().map(|item| item.get())
    };
    let body = if body.trim_start().starts_with('[') {
        first().unwrap_or_default()
    } else {
        body
    };
    let failure: Failure<'_> = object(body).unwrap_or_default();
    match failure.error {
        Some(error) => object(error.get()),
        None => object(body),
    }
    .unwrap_or_default()
}

/// Refuses a reply that holds an `error`, whatever else it holds.
pub(super) fn reject_error(
    error: Option<&RawValue>,
    hidden: Secrets<'_>,
) -> Result<(), ReplyFault> {
    if error.is_none() {
        return Ok(());
    }
    let error: ErrorObject<'_> = error.and_then(|e| object(e.get())).unwrap_or_default();
    let words = error.details(hidden);
    Err(if words.is_empty() {
        "reports an error".into()
    } else {
        format!("reports an error ({words})").into()
    })
}

fields! {
    Usage {
        input_tokens,
        output_tokens,
        prompt_tokens,
        completion_tokens,
        input_tokens_details,
        prompt_tokens_details,
        output_tokens_details,
        completion_tokens_details,
        // DeepSeek's word.
        prompt_cache_hit_tokens,
    }
}

fields! { UsageDetails { cached_tokens, reasoning_tokens } }

/// The facts of an envelope beside the answer.
pub(super) fn info(
    usage: Option<&RawValue>,
    model: Option<&RawValue>,
    hidden: Secrets<'_>,
) -> ReplyInfo {
    ReplyInfo {
        usage: self::usage(usage),
        model: model.and_then(text).filter(|name| is_model(name, hidden)),
        request_id: None,
    }
}

/// Names of models have colons, slashes and the like; `[A-Za-z0-9_.:/@+-]{1,128}` without a secret.
fn is_model(name: &str, hidden: Secrets<'_>) -> bool {
    is_plain(name, 128, "_.:/@+-") && !hidden.are_in(name)
}

/// Reads token usage by the names of either protocol. An odd value counts as absent.
fn usage(value: Option<&RawValue>) -> Option<ModelUsage> {
    let usage: Usage<'_> = object(value?.get())?;
    let details = |value: Option<&'_ RawValue>| -> (Option<u64>, Option<u64>) {
        let details: UsageDetails<'_> = value.and_then(|v| object(v.get())).unwrap_or_default();
        (
            count(details.cached_tokens),
            count(details.reasoning_tokens),
        )
    };
    let (cached, _) = details(usage.input_tokens_details.or(usage.prompt_tokens_details));
    let (_, reasoning) = details(
        usage
            .output_tokens_details
            .or(usage.completion_tokens_details),
    );
    let usage = ModelUsage {
        input_tokens: count(usage.input_tokens.or(usage.prompt_tokens)),
        output_tokens: count(usage.output_tokens.or(usage.completion_tokens)),
        cached_input_tokens: cached.or_else(|| count(usage.prompt_cache_hit_tokens)),
        reasoning_tokens: reasoning,
    };
    (usage != ModelUsage::default()).then_some(usage)
}

/// A number of things, `11` and `11.0` alike.
fn count(value: Option<&RawValue>) -> Option<u64> {
    let number: f64 = serde_json::from_str(value?.get()).ok()?;
    let whole = number.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER as f64).contains(&number);
    whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::super::secret::Secret;
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn texts() {
        for (json, text_) in [
            (r#""a\n\u4e2d""#, "a\n中"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""é\ud800b""#, "é\\u{d800}b"),
            (r#""\udfff""#, "\\u{dfff}"),
            (r#""\ud800\ud801\udc00""#, "\\u{d800}\u{10400}"),
            ("\"\u{d7ff}\\ud800\"", "\u{d7ff}\\u{d800}"),
        ] {
            assert_eq!(text(&raw(json)).as_deref(), Some(text_), "{json}");
        }
        for json in ["1", "null", "[1,2]", "{}", "true"] {
            assert_eq!(text(&raw(json)), None, "{json}");
        }
    }

    #[test]
    fn nothing() {
        for json in ["null", "\"\"", "[]", "{}", "[\n]", "{ }", "[ \t]"] {
            assert!(is_empty(Some(&raw(json))), "{json}");
        }
        for json in ["0", "false", "\" \"", "[null]", "{\"a\":1}", "\"n\""] {
            assert!(!is_empty(Some(&raw(json))), "{json}");
        }
        assert!(is_empty(None));
    }

    #[test]
    fn words() {
        let key = Secret::new("sk-1");
        let hidden = Secrets {
            key: Some(&key),
            headers: &[],
        };
        for (json, word_) in [
            (
                "\"invalid_request.error-1\"",
                Some("invalid_request.error-1"),
            ),
            ("429", Some("429")),
            ("1e5", Some("1e5")),
            ("\"\"", None),
            ("\"two words\"", None),
            ("\"sk-1\"", None),
            ("\"xsk-1x\"", None),
            ("\"é\"", None),
            ("null", None),
            ("true", None),
            ("[\"a\"]", None),
        ] {
            assert_eq!(word(Some(&raw(json)), hidden).as_deref(), word_, "{json}");
        }
        let long = format!("\"{}\"", "a".repeat(65));
        assert_eq!(word(Some(&raw(&long)), Secrets::default()), None);
    }

    #[test]
    fn other_words() {
        let key = Secret::new("x");
        let hidden = Secrets {
            key: Some(&key),
            headers: &[],
        };
        for (json, says) in [
            ("\"eos\"", "has finish_reason eos, expected stop"),
            ("\"content filter\"", "has a finish_reason other than stop"),
            ("\"stop \"", "has a finish_reason other than stop"),
            ("\"停止\"", "has a finish_reason other than stop"),
            ("\"max_tokens\"", "has a finish_reason other than stop"),
            ("\"\"", "has a finish_reason other than stop"),
            ("false", "has a finish_reason other than stop"),
            ("[]", "has a finish_reason other than stop"),
        ] {
            let value = raw(json);
            assert_eq!(
                unexpected("finish_reason", Some(&value), "stop", hidden),
                says
            );
        }
        assert_eq!(
            unexpected("status", None, "completed", hidden),
            "has no status"
        );
    }

    #[test]
    fn usages() {
        let of = |json: &str| usage(Some(&raw(json))).map(|u| (u.input_tokens, u.output_tokens));
        assert_eq!(
            of(r#"{"input_tokens":11,"output_tokens":7}"#),
            Some((Some(11), Some(7)))
        );
        assert_eq!(of(r#"{"prompt_tokens":11.0}"#), Some((Some(11), None)));
        let details = |json: &str| {
            usage(Some(&raw(json))).map(|u| (u.cached_input_tokens, u.reasoning_tokens))
        };
        for json in [
            r#"{"input_tokens_details":{"cached_tokens":5},"output_tokens_details":{"reasoning_tokens":0}}"#,
            r#"{"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":0}}"#,
            r#"{"prompt_cache_hit_tokens":5,"prompt_tokens_details":[],"completion_tokens_details":{"reasoning_tokens":0}}"#,
        ] {
            assert_eq!(details(json), Some((Some(5), Some(0))), "{json}");
        }
        assert_eq!(
            details(r#"{"prompt_tokens":1,"prompt_tokens_details":"x"}"#),
            Some((None, None))
        );
        for odd in [
            "null",
            "1",
            "[]",
            "{}",
            "\"x\"",
            r#"{"input_tokens":"11"}"#,
            r#"{"input_tokens":-1,"output_tokens":1.5}"#,
            r#"{"input_tokens":1e300}"#,
            r#"{"input_tokens":1e999}"#,
            r#"{"prompt_tokens":{},"completion_tokens":null}"#,
        ] {
            assert_eq!(of(odd), None, "{odd}");
        }
    }

    #[test]
    fn arrays_are_walked_until_a_fault() {
        let array = raw("[1, {\"a\":[2]}, null]");
        let mut seen = Vec::new();
        let whole = each_item(&array, |item| {
            seen.push(item.get());
            Ok(())
        });
        assert!(matches!(whole, Some(Ok(()))));
        assert_eq!(seen, ["1", "{\"a\":[2]}", "null"]);
        let cut = each_item(&array, |_| Err("is cut".into()));
        assert!(matches!(cut, Some(Err(fault)) if fault == "is cut"));
        assert!(each_item(&raw("{}"), |_| Ok(())).is_none());
    }
}
