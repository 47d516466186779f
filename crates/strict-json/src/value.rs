//! JSON of a caller's as a `serde_json` value.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

/// The depth to which a caller's value may nest: more than the bounds further in, which say what they bound.
/// Reading recurses. `serde_json` stops at 128 by itself, which schemas of 63 levels pass.
const MAX_NESTING: usize = 640;

/// Reads one JSON text.
pub fn value(text: &str) -> serde_json::Result<Value> {
    if nests_past(text, MAX_NESTING) {
        return Err(serde_json::Error::custom(format_args!(
            "it nests values deeper than {MAX_NESTING} levels"
        )));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// True if brackets outside strings nest deeper than `levels`. For a text that is no JSON the answer
/// means nothing.
fn nests_past(text: &str, levels: usize) -> bool {
    // Most texts have fewer brackets than levels.
    let opening = memchr::memchr2_iter(b'[', b'{', text.as_bytes());
    if opening.take(levels + 1).count() <= levels {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > levels {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_read_up_to_the_bound() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for levels in [0, 1, 127, 128, 129, MAX_NESTING] {
            assert!(value(&nested(levels)).is_ok(), "{levels}");
        }
        for levels in [MAX_NESTING + 1, 100_000] {
            let reason = value(&nested(levels)).unwrap_err().to_string();
            assert!(reason.contains("deeper than 640 levels"), "{reason}");
        }
        let quoted = format!(r#"{{"a\"{}":"\\{}"}}"#, "[".repeat(1000), "{".repeat(1000));
        assert!(value(&quoted).is_ok());
        assert!(value("{} {}").is_err());
    }
}
