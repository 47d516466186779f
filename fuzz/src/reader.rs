//! The strict reader: what it accepts is what `serde_json` reads, and what it refuses of that
//! breaks the rules of keys or numbers.

use std::collections::HashSet;
use std::fmt;

use intent_runtime::json::{Node, ReadError, ReadLimits, read};
use serde_json::Value;
use serde_json::de::Deserializer;
use serde_json::value::RawValue;

const LIMITS: ReadLimits = ReadLimits {
    depth: 100,
    nodes: 20_000,
};

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let plain: Result<Value, _> = serde_json::from_str(text);
    match read(text, LIMITS) {
        Ok(node) => {
            let plain = plain.unwrap_or_else(|e| panic!("accepted, but serde_json: {e}: {text}"));
            assert!(plain.is_object(), "accepted what is no object: {text}");
            assert!(same(&node, &plain), "read differently: {text}");
            assert!(
                odd(text).is_none(),
                "accepted in spite of {:?}: {text}",
                odd(text)
            );
            // What was read is written and read again as the same.
            let written = node.to_value().to_string();
            let again = read(&written, LIMITS).unwrap_or_else(|e| panic!("{e:?}: {written}"));
            assert_eq!(again.to_value(), node.to_value(), "{text}");
        }
        Err(ReadError::Faults(faults)) => {
            assert!(!faults.is_empty());
            let syntax = faults.iter().any(|fault| fault.starts_with("byte "));
            if let Ok(plain) = plain
                && plain.is_object()
            {
                assert!(!syntax, "syntax {faults:?}, but serde_json reads {text}");
                assert!(
                    odd(text).is_some(),
                    "refused for nothing: {faults:?}: {text}"
                );
            }
        }
        // Every level has a bracket and every node a byte, so a text with fewer passes no bound.
        Err(ReadError::Depth) => {
            let brackets = text.bytes().filter(|byte| b"[{".contains(byte));
            assert!(brackets.count() >= LIMITS.depth as usize, "{text}");
        }
        Err(ReadError::Nodes) => assert!(text.len() >= LIMITS.nodes as usize, "{text}"),
    }
}

fn same(node: &Node<'_>, plain: &Value) -> bool {
    match (node, plain) {
        (Node::Null, Value::Null) => true,
        (Node::Bool(a), Value::Bool(b)) => a == b,
        (Node::String(a), Value::String(b)) => a == b,
        (Node::Number(a), Value::Number(b)) => {
            // serde_json's own reading of a decimal may be a neighbour of the nearest double.
            let b = b.as_f64().unwrap_or(f64::NAN);
            let near = a.as_f64().to_bits().abs_diff(b.to_bits()) <= 1;
            near && a.text().parse() == Ok(a.as_f64())
        }
        (Node::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Node::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
                && b.keys().all(|key| a.get(key).is_some())
        }
        _ => false,
    }
}

/// The first repeated key or number past what a double keeps, in a text that is JSON.
fn odd(text: &str) -> Option<String> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    odd_raw(raw.get())
}

fn odd_raw(text: &str) -> Option<String> {
    match text.as_bytes().first()? {
        b'{' => {
            let entries = Entries::read(text);
            let mut seen = HashSet::new();
            entries.0.iter().find_map(|(key, value)| {
                if seen.insert(key.as_str()) {
                    odd_raw(value)
                } else {
                    Some(format!("the key {key:?}"))
                }
            })
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            items.iter().find_map(|item| odd_raw(item.get()))
        }
        b'-' | b'0'..=b'9' => {
            let double: f64 = text.parse().ok()?;
            let exact = double.is_finite()
                && !(double.fract() == 0.0 && double.abs() > 9_007_199_254_740_991.0)
                && decimal(text) == shortest(double);
            (!exact).then(|| format!("the number {text}"))
        }
        _ => None,
    }
}

/// The decimal that JavaScript writes (ECMA-262, Number::toString): the shortest that reads back;
/// of two as near the even one, where Rust takes the upper.
fn shortest(double: f64) -> (String, i128) {
    let written = format!("{double:e}");
    let (mantissa, exponent) = written.split_once('e').unwrap();
    let digits = mantissa.trim_start_matches('-').replace('.', "");
    if digits.len() < 15 {
        return decimal(&written); // Doubles of so few digits lie far apart, or are exact.
    }
    let exact = format!("{:.1100e}", double.abs()).replace('.', "");
    let (below, rest) = exact.split_at(digits.len());
    let tie = rest.starts_with('5') && rest[1..].trim_start_matches('0').starts_with('e');
    let even = below.ends_with(['0', '2', '4', '6', '8']);
    let below = format!("{}.{}e{exponent}", &below[..1], &below[1..]);
    if tie && even && below.parse() == Ok(double.abs()) {
        return decimal(&below);
    }
    decimal(&written)
}

/// The digits without zeros at their ends, and the power of ten of the last of them.
fn decimal(text: &str) -> (String, i128) {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return (String::new(), 0);
    }
    let negative = exponent.starts_with('-');
    // An exponent of forty digits is as good as one of thirty.
    let exponent: i128 = exponent
        .trim_start_matches(['+', '-', '0'])
        .chars()
        .take(30)
        .collect::<String>()
        .parse()
        .unwrap_or(0);
    let exponent = if negative { -exponent } else { exponent };
    let zeros = (digits.len() - kept.len()) as i128;
    (kept.to_owned(), exponent - fraction.len() as i128 + zeros)
}

/// An object's entries, repeated keys and all.
struct Entries(Vec<(String, Box<str>)>);

impl Entries {
    fn read(text: &str) -> Self {
        serde::Deserialize::deserialize(&mut Deserializer::from_str(text))
            .unwrap_or_else(|e| panic!("{e}: {text}"))
    }
}

impl<'de> serde::Deserialize<'de> for Entries {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Entries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    entries.push((key, value.get().into()));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}
