//! Splits bytes into lines of limited length.

use std::collections::VecDeque;

use super::MAX_LINE_BYTES;
use super::outline::{MessageHead, Outline};

/// Capacity up to this size is kept: lines up to this length need no allocation.
const KEPT_BYTES: usize = 64 << 10;

/// One line, or the outline of a line that is too long.
#[derive(Debug)]
pub(super) enum Line {
    /// As it came, without its newline.
    Whole(Vec<u8>),
    /// Longer than [`MAX_LINE_BYTES`]: the messages whose id could be read.
    TooLong(Vec<MessageHead>),
}

/// The line that is being received.
#[derive(Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    /// Set once the line is too long; its bytes are then read and forgotten.
    passing: Option<Outline>,
}

impl Lines {
    /// Takes bytes and gives the lines that end in them.
    pub(super) fn feed(&mut self, mut bytes: &[u8], out: &mut VecDeque<Line>) {
        while let Some(newline) = bytes.iter().position(|byte| *byte == b'\n') {
            self.push(&bytes[..newline]);
            out.extend(self.end());
            bytes = &bytes[newline + 1..];
        }
        self.push(bytes);
    }

    /// The end of input ends a line as well.
    pub(super) fn end(&mut self) -> Option<Line> {
        if let Some(outline) = self.passing.take() {
            return Some(Line::TooLong(outline.end()));
        }
        if self.line.is_empty() {
            return None;
        }
        let line = if self.line.len() > KEPT_BYTES {
            std::mem::take(&mut self.line)
        } else {
            let line = self.line.clone();
            self.line.clear();
            line
        };
        Some(Line::Whole(line))
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some(outline) = &mut self.passing {
            outline.feed(bytes);
        } else if self.line.len() + bytes.len() < MAX_LINE_BYTES {
            self.line.extend_from_slice(bytes);
        } else {
            let mut outline = Outline::default();
            outline.feed(&std::mem::take(&mut self.line));
            outline.feed(bytes);
            self.passing = Some(outline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<String> {
        let (mut lines, mut out) = (Lines::default(), VecDeque::new());
        for chunk in chunks {
            lines.feed(&chunk, &mut out);
        }
        out.extend(lines.end());
        out.into_iter()
            .map(|line| match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong(seen) => format!("{seen:?}"),
            })
            .collect()
    }

    #[test]
    fn the_split_does_not_depend_on_the_chunks() {
        let text = "ab\n\r\n\n😀c\nlast";
        let expected = ["ab", "\r", "😀c", "last"];
        assert_eq!(lines([text.into()]), expected);
        assert_eq!(lines(text.bytes().map(|byte| vec![byte])), expected);
        assert_eq!(lines([b"a\n".to_vec()]), ["a"]);
        assert!(lines([b"\n\n".to_vec()]).is_empty());
    }

    #[test]
    fn the_bound_is_exact_and_an_endless_line_keeps_nothing() {
        let longest = "x".repeat(MAX_LINE_BYTES - 1);
        assert_eq!(
            lines([format!("{longest}\nend\n").into_bytes()]),
            [longest.as_str(), "end"]
        );
        assert_eq!(
            lines([format!("{longest}x\nend\n").into_bytes()]),
            ["[]", "end"]
        );
        let mut lines = Lines::default();
        let mut out = VecDeque::new();
        for _ in 0..40 {
            lines.feed(&vec![b'"'; 1 << 20], &mut out);
            assert!(lines.line.capacity() <= 2 * MAX_LINE_BYTES);
        }
        assert_eq!(lines.line.capacity(), 0);
        assert!(out.is_empty());
    }
}
