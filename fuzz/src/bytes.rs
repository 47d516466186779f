//! Choices that are read from the fuzzer's bytes. After the last byte every choice is the first,
//! so what is generated ends.

use serde_json::{Map, Value, json};

pub(crate) struct Bytes<'d> {
    data: &'d [u8],
}

/// Names that tell implementations apart: of JavaScript, of JSON Pointer, of nothing.
pub(crate) const NAMES: &[&str] = &["a", "b", "ab", "__proto__", "a/b", "a~", "", "中"];

/// Texts of which a source quotes another, and of which some are blank.
const TEXTS: &[&str] = &[
    "a",
    "ab",
    "",
    " ",
    "\u{feff}",
    "\u{85}",
    "\u{200b}",
    "é",
    "aa",
    "中文",
    "\u{1f600}",
    "0",
];

impl<'d> Bytes<'d> {
    pub(crate) fn new(data: &'d [u8]) -> Self {
        Self { data }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.data.split_first() {
            Some((first, rest)) => {
                self.data = rest;
                *first
            }
            None => 0,
        }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// Never after the last byte.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    pub(crate) fn rest(&mut self) -> &'d [u8] {
        std::mem::take(&mut self.data)
    }

    pub(crate) fn take(&mut self, most: usize) -> &'d [u8] {
        let (head, rest) = self.data.split_at(most.min(self.data.len()));
        self.data = rest;
        head
    }

    pub(crate) fn name(&mut self) -> &'static str {
        self.pick(NAMES)
    }

    pub(crate) fn text(&mut self) -> &'static str {
        self.pick(TEXTS)
    }

    pub(crate) fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 1),
            2 => json!(self.below(5)),
            3 => json!(self.pick(&[0.5, 1.5, -2.0, 3.0, -0.0])),
            4 => json!(self.text()),
            5 | 6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let mut map = Map::new();
                for _ in 0..self.below(4) {
                    map.insert(self.name().to_owned(), self.value(depth - 1));
                }
                Value::Object(map)
            }
        }
    }

    /// Changes one place of a value, wherever the bytes lead.
    pub(crate) fn mutate(&mut self, value: &mut Value) {
        let inner = self.below(8) < 7;
        match value {
            Value::Object(map) if inner && !map.is_empty() => {
                let at = self.below(map.len());
                let key = map.keys().nth(at).cloned().unwrap_or_default();
                if self.one_in(10) {
                    map.shift_remove(&key);
                } else if let Some(value) = map.get_mut(&key) {
                    self.mutate(value);
                }
            }
            Value::Array(items) if inner && !items.is_empty() => {
                let at = self.below(items.len());
                match self.below(10) {
                    9 => drop(items.remove(at)),
                    8 => items.push(items[at].clone()),
                    _ => self.mutate(&mut items[at]),
                }
            }
            Value::Object(map) if self.one_in(3) => {
                map.insert(self.name().to_owned(), self.value(1));
            }
            Value::String(text) if self.one_in(2) => text.push_str(self.text()),
            other => *other = self.value(2),
        }
    }
}

/// ECMAScript's WhiteSpace and LineTerminator (ECMA-262, sections 12.2 and 12.3).
pub(crate) fn blank(text: &str) -> bool {
    text.chars().all(|c| {
        matches!(
            c,
            '\t' | '\u{b}'
                | '\u{c}'
                | ' '
                | '\u{a0}'
                | '\u{feff}'
                | '\n'
                | '\r'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{1680}'
                | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
        )
    })
}
