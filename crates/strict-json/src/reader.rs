//! The reader: one pass over the bytes with a stack of its own, so that no text can exhaust the
//! thread's.

use std::borrow::Cow;

use crate::pointer::push_token;
use crate::text::next_special;
use crate::{Node, Number, Object};
use ecma_pattern::message::{quoted, shown};

/// Deeper nesting is refused whatever the limits say: later passes over the tree do recurse.
pub const MAX_DEPTH: u64 = 512;

/// The most faults reported of one text; further ones are not counted.
const MAX_FAULTS: usize = 32;

/// The limits on the content of a text.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Nesting of objects and arrays.
    pub depth: u64,
    /// Values, keys not counted.
    pub nodes: u64,
}

/// Why a text was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// Not one strict JSON object; each fault as `pointer: what` or `byte n: what`.
    Faults(Vec<String>),
    /// Nested past the limit.
    Depth,
    /// More values than the limit.
    Nodes,
}

/// Reads one strict JSON object.
///
/// # Errors
/// [`ReadError`]: what is wrong and where; faults that are not of syntax are all listed.
pub fn read(text: &str, limits: ReadLimits) -> Result<Node<'_>, ReadError> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        nodes: 0,
        limits: ReadLimits {
            depth: limits.depth.min(MAX_DEPTH),
            ..limits
        },
        stack: Vec::new(),
        faults: Vec::new(),
    };
    match reader.document() {
        Ok(node) if reader.faults.is_empty() => Ok(node),
        Ok(_) => Err(ReadError::Faults(reader.faults)),
        Err(ReadStop::Depth) => Err(ReadError::Depth),
        Err(ReadStop::Nodes) => Err(ReadError::Nodes),
        Err(ReadStop::Syntax(message)) => {
            let mut faults = reader.faults;
            faults.push(format!("byte {}: {message}", reader.at));
            Err(ReadError::Faults(faults))
        }
    }
}

enum ReadStop {
    Syntax(Cow<'static, str>),
    Depth,
    Nodes,
}

impl From<&'static str> for ReadStop {
    fn from(message: &'static str) -> Self {
        Self::Syntax(Cow::Borrowed(message))
    }
}

enum Frame<'t> {
    Array(Vec<Node<'t>>),
    Object {
        entries: Vec<(Cow<'t, str>, Node<'t>)>,
        key: Cow<'t, str>,
    },
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: u64,
    limits: ReadLimits,
    stack: Vec<Frame<'t>>,
    faults: Vec<String>,
}

impl<'t> Reader<'t> {
    fn document(&mut self) -> Result<Node<'t>, ReadStop> {
        self.space();
        if self.peek() != Some(b'{') {
            return Err(match self.peek() {
                None => "the text is empty; expected one JSON object".into(),
                Some(b'`') => {
                    "expected one JSON object, found a code fence; readChatCompletion takes it off".into()
                }
                Some(b'[') => "expected one JSON object, found an array".into(),
                Some(0xef) if self.text[self.at..].starts_with('\u{feff}') => {
                    "expected one JSON object, found a byte-order mark".into()
                }
                Some(b'<') if self.text[self.at..].starts_with("<think") => {
                    "expected one JSON object, found a block of thinking; readChatCompletion takes it off"
                        .into()
                }
                Some(_) => {
                    "expected one JSON object, found other text; ask the service for JSON output".into()
                }
            });
        }
        let root = self.value()?;
        self.space();
        if self.at < self.bytes.len() {
            return Err("text after the JSON object".into());
        }
        Ok(root)
    }

    /// Reads one value and all that it holds.
    fn value(&mut self) -> Result<Node<'t>, ReadStop> {
        loop {
            // At the start of a value.
            self.space();
            self.nodes += 1;
            if self.nodes > self.limits.nodes {
                return Err(ReadStop::Nodes);
            }
            let mut node = match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.deeper()?;
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        Node::Object(Object::default())
                    } else {
                        let key = self.key()?;
                        self.stack.push(Frame::Object {
                            entries: Vec::new(),
                            key,
                        });
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.deeper()?;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        Node::Array(Vec::new())
                    } else {
                        self.stack.push(Frame::Array(Vec::new()));
                        continue;
                    }
                }
                Some(b'"') => Node::String(self.string()?),
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word("true", Node::Bool(true))?,
                Some(b'f') => self.word("false", Node::Bool(false))?,
                Some(b'n') => self.word("null", Node::Null)?,
                None => return Err("the text ends where a value should stand".into()),
                Some(_) => return Err("expected a value".into()),
            };
            // A value is complete: hand it to its container, and close all that end here.
            loop {
                let Some(frame) = self.stack.last_mut() else {
                    return Ok(node);
                };
                match frame {
                    Frame::Array(items) => items.push(node),
                    Frame::Object { entries, key } => entries.push((std::mem::take(key), node)),
                }
                self.space();
                let in_object = matches!(self.stack.last(), Some(Frame::Object { .. }));
                match (self.peek(), in_object) {
                    (Some(b','), true) => {
                        self.at += 1;
                        self.space();
                        if self.peek() == Some(b'}') {
                            return Err("a comma before the closing brace".into());
                        }
                        let next = self.key()?;
                        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
                            *key = next;
                        }
                        break;
                    }
                    (Some(b','), false) => {
                        self.at += 1;
                        self.space();
                        if self.peek() == Some(b']') {
                            return Err("a comma before the closing bracket".into());
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        node = self.close();
                    }
                    (None, true) => return Err("the text ends inside an object".into()),
                    (None, false) => return Err("the text ends inside an array".into()),
                    (Some(_), true) => return Err("expected a comma or a closing brace".into()),
                    (Some(_), false) => return Err("expected a comma or a closing bracket".into()),
                }
            }
        }
    }

    fn close(&mut self) -> Node<'t> {
        match self.stack.pop() {
            Some(Frame::Array(items)) => Node::Array(items),
            Some(Frame::Object { entries, .. }) => {
                let (object, duplicates) = Object::new(entries);
                for position in duplicates {
                    let key = object
                        .iter()
                        .nth(position)
                        .map(|(key, _)| quoted(key))
                        .unwrap_or_default();
                    self.fault(None, &format!("duplicate key {key}"));
                }
                Node::Object(object)
            }
            None => Node::Null,
        }
    }

    /// Notes a fault that is not of syntax, at the place where the reader stands, or below it.
    fn fault(&mut self, token: Option<&str>, message: &str) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        let mut pointer = String::new();
        for frame in &self.stack {
            match frame {
                Frame::Array(items) => push_token(&mut pointer, &items.len().to_string()),
                Frame::Object { key, .. } => push_token(&mut pointer, key),
            }
        }
        if let Some(token) = token {
            push_token(&mut pointer, token);
        }
        let place = if pointer.is_empty() {
            Cow::Borrowed("(root)")
        } else {
            shown(&pointer)
        };
        self.faults.push(format!("{place}: {message}"));
    }

    fn deeper(&self) -> Result<(), ReadStop> {
        if self.stack.len() as u64 >= self.limits.depth {
            Err(ReadStop::Depth)
        } else {
            Ok(())
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str, node: Node<'t>) -> Result<Node<'t>, ReadStop> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(node)
        } else {
            Err("expected a value".into())
        }
    }

    fn key(&mut self) -> Result<Cow<'t, str>, ReadStop> {
        self.space();
        match self.peek() {
            Some(b'"') => {}
            None => return Err("the text ends inside an object".into()),
            Some(_) => return Err("expected a key in double quotes".into()),
        }
        let key = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err("expected a colon after the key".into());
        }
        self.at += 1;
        Ok(key)
    }

    fn number(&mut self) -> Result<Node<'t>, ReadStop> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err("expected a digit".into()),
        }
        if let Some(b'0'..=b'9') = self.peek() {
            return Err("a number with a leading zero".into());
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        match Number::from_text(&self.text[start..self.at]) {
            Ok(number) => Ok(Node::Number(number)),
            Err(fault) => {
                self.fault(None, fault.message());
                Ok(Node::Null)
            }
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), ReadStop> {
        let start = self.at;
        self.digits();
        if self.at == start {
            Err("expected a digit".into())
        } else {
            Ok(())
        }
    }

    /// Reads a string; the reader stands on its opening quote.
    fn string(&mut self) -> Result<Cow<'t, str>, ReadStop> {
        self.at += 1;
        let mut from = self.at;
        let mut owned: Option<String> = None;
        loop {
            let Some(special) = next_special(self.bytes, self.at) else {
                self.at = self.bytes.len();
                return Err("the text ends inside a string".into());
            };
            self.at = special;
            let run = &self.text[from..self.at];
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return Ok(match owned {
                        None => Cow::Borrowed(run),
                        Some(mut text) => {
                            text.push_str(run);
                            Cow::Owned(text)
                        }
                    });
                }
                b'\\' => {
                    let text = owned.get_or_insert_with(String::new);
                    text.push_str(run);
                    let c = self.escape()?;
                    if let Some(text) = &mut owned {
                        text.push(c);
                    }
                    from = self.at;
                }
                _ => return Err("a control character inside a string".into()),
            }
        }
    }

    /// Reads an escape; the reader stands on its backslash.
    fn escape(&mut self) -> Result<char, ReadStop> {
        self.at += 1;
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            None => return Err("the text ends inside a string".into()),
            Some(_) => return Err("an escape that JSON does not have".into()),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Result<char, ReadStop> {
        let first = self.hex4()?;
        let scalar = match first {
            0xd800..=0xdbff => {
                let low = if self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 1;
                    Some(self.hex4()?)
                } else {
                    None
                };
                match low {
                    Some(low @ 0xdc00..=0xdfff) => {
                        0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)
                    }
                    _ => return Err("a lone surrogate, which no text can carry".into()),
                }
            }
            other => other,
        };
        char::from_u32(scalar).ok_or_else(|| "a lone surrogate, which no text can carry".into())
    }

    /// Reads `uXXXX`; the reader stands on the `u`.
    fn hex4(&mut self) -> Result<u32, ReadStop> {
        let digits = self
            .bytes
            .get(self.at + 1..self.at + 5)
            .ok_or("the text ends inside an escape")?;
        // `js/` spells a lone surrogate of a JavaScript string as `\u{d800}`, which no JSON
        // text can hold.
        if digits[0] == b'{' {
            return Err("a lone surrogate, which no text can carry".into());
        }
        let mut value = 0;
        for &digit in digits {
            value = value * 16
                + char::from(digit)
                    .to_digit(16)
                    .ok_or("an escape without four hexadecimal digits")?;
        }
        self.at += 5;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ReadLimits = ReadLimits {
        depth: 32,
        nodes: 1000,
    };

    fn faults(text: &str) -> String {
        match read(text, LIMITS) {
            Err(ReadError::Faults(faults)) => faults.join("; "),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn reads_what_serde_json_reads() {
        for text in [
            "{}",
            " \n{ } \t",
            r#"{"a":[1,-2.5,true,false,null,"x\n\u00e9\ud83d\ude00\/"],"":{"b":{}},"c":[]}"#,
            r#"{"__proto__":1,"constructor":{"toString":"中"}}"#,
        ] {
            let node = read(text, LIMITS).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert_eq!(
                node.to_value(),
                serde_json::from_str::<serde_json::Value>(text).unwrap(),
                "{text}"
            );
        }
    }

    #[test]
    fn lists_all_that_is_not_syntax() {
        let text = r#"{"a":{"x":1,"\u0078":2},"b":[0,9007199254740993,1e400]}"#;
        assert_eq!(
            faults(text),
            "/a: duplicate key \"x\"; /b/1: the integer lies outside ±(2^53 - 1); /b/2: the number is too large for a double"
        );
    }

    #[test]
    fn says_where_the_syntax_breaks() {
        for (text, at) in [
            ("", 0),
            ("{", 1),
            ("{\"a\":1,}", 7),
            ("[]", 0),
            ("{} x", 3),
            ("{\"a\":01}", 6),
            ("{\"a\":\"\u{1}\"}", 6),
            ("{/**/}", 1),
            ("{'a':1}", 1),
            ("\u{feff}{}", 0),
        ] {
            assert!(
                faults(text).starts_with(&format!("byte {at}: ")),
                "{text}: {}",
                faults(text)
            );
        }
        for text in [
            r#"{"a":"\ud83d"}"#,
            r#"{"a":"\ud83d\u0041"}"#,
            r#"{"a":"\ude00"}"#,
            r#"{"a":"\u{d83d}"}"#,
        ] {
            assert!(
                faults(text).contains("lone surrogate"),
                "{text}: {}",
                faults(text)
            );
        }
    }

    #[test]
    fn many_keys_are_found_and_duplicates_too() {
        let body: Vec<String> = (0..300).map(|i| format!("\"k{i}\":{i}")).collect();
        let text = format!("{{{}}}", body.join(","));
        let node = read(&text, LIMITS).unwrap();
        let object = node.as_object().unwrap();
        assert_eq!(object.get("k299").unwrap().to_value(), 299);
        assert!(object.get("k300").is_none());
        let text = format!("{{{},\"k7\":1}}", body.join(","));
        assert_eq!(faults(&text), "(root): duplicate key \"k7\"");
    }

    #[test]
    fn limits_hold_without_recursion() {
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&deep, LIMITS), Err(ReadError::Depth));
        assert_eq!(
            read(
                &deep,
                ReadLimits {
                    depth: u64::MAX,
                    nodes: u64::MAX
                }
            ),
            Err(ReadError::Depth)
        );
        let wide = format!("{{\"x\":[{}0]}}", "0,".repeat(100_000));
        assert_eq!(read(&wide, LIMITS), Err(ReadError::Nodes));
    }

    #[test]
    fn pointers_resolve() {
        let node = read(r#"{"a":{"b/c":[{"~":1}]}}"#, LIMITS).unwrap();
        assert!(node.resolve("/a/b~1c/0/~0").is_some());
        for bad in [
            "/a/b~1c/00",
            "/a/b~1c/-",
            "/a/b~1c/1",
            "/a/~",
            "a",
            "/a/b~1c/0/~0/x",
        ] {
            assert!(node.resolve(bad).is_none(), "{bad}");
        }
    }
}
