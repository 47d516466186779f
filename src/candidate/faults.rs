//! Collects the faults of a candidate as text for the model, up to a limit.

use std::fmt::{self, Display, Write as _};

use crate::error::{ErrorKind, IntentError, Stage};
use crate::json::{Node, Object, ReadError, ReadLimits};
use crate::limits::{Limit, Limits};
use crate::place::Place;
use crate::text::{first_bytes, is_blank, quoted};

/// The most UTF-8 bytes of a diagnostic.
const MAX_DIAGNOSTIC_BYTES: usize = 4096;

/// The space reserved for the line that counts the omitted faults.
const TAIL_BYTES: usize = 32;

/// The most bytes of one pointer in a diagnostic.
const MAX_POINTER_BYTES: usize = 300;

/// After this many omitted faults, further ones are only counted.
const MAX_LEFT_OUT: usize = 64;

/// The faults of one candidate.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    lines: String,
    first: Option<String>,
    count: usize,
    left_out: usize,
}

impl Faults {
    /// Adds a fault; `place` is a JSON Pointer into the candidate, empty for its root.
    pub(crate) fn add(&mut self, place: impl Display, what: impl Display) {
        if self.left_out >= MAX_LEFT_OUT {
            self.count += 1;
            self.left_out += 1;
            return;
        }
        let mut pointer = first_bytes(place, MAX_POINTER_BYTES);
        if pointer.is_empty() {
            pointer.push_str("(root)");
        }
        self.add_line(&format!("{pointer}: {what}"));
    }

    /// Adds a fault with a text of the user, which only the model sees and no error shows.
    pub(crate) fn add_with_text(&mut self, place: impl Display, what: impl Display, text: &str) {
        let length = self.lines.len();
        self.add(place, what);
        // Append the text to the line just written, if there is room.
        let room = MAX_DIAGNOSTIC_BYTES - TAIL_BYTES;
        if self.lines.len() > length && self.lines.len() + text.len() <= room {
            self.lines.insert_str(self.lines.len() - 1, text);
        }
    }

    /// Adds a fault that already has its place.
    pub(crate) fn add_line(&mut self, line: &str) {
        // A diagnostic has one line for each fault.
        let line = line.replace('\n', " ");
        self.count += 1;
        if self.lines.len() + line.len() + 1 > MAX_DIAGNOSTIC_BYTES - TAIL_BYTES {
            self.left_out += 1;
        } else {
            self.lines.push_str(&line);
            self.lines.push('\n');
        }
        self.first.get_or_insert(line);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the text for a repair.
    pub(crate) fn diagnostic(&self) -> String {
        let mut text = self.lines.clone();
        if self.left_out > 0 {
            let _ = write!(text, "and {} more", self.left_out);
        } else {
            text.pop();
        }
        text
    }

    /// Returns the error if no repair follows.
    pub(crate) fn error(&self, stage: Stage) -> IntentError {
        let first = self.first.as_deref().unwrap_or_default();
        let more = self.count.saturating_sub(1);
        ErrorKind::Candidate { stage, first, more }
            .at_stage(stage)
            .with_faults(self.lines.lines().map(str::to_owned).collect())
    }

    // The checks of candidates. Each notes the faults of a value and returns its valid content.

    /// An object with exactly these keys.
    pub(super) fn object<'a, 't>(
        &mut self,
        node: &'a Node<'t>,
        place: Place<'_>,
        keys: &[&str],
    ) -> Option<&'a Object<'t>> {
        let Node::Object(object) = node else {
            let (keys, kind) = (Keys(keys), node.kind());
            self.add(
                place,
                format_args!("must be an object with the keys {keys}, not {kind}"),
            );
            return None;
        };
        let mut found = 0;
        for (key, _) in object {
            if keys.contains(&key.as_ref()) {
                found += 1;
            } else {
                self.add(place, format_args!("unknown key {}", quoted(key)));
            }
        }
        if found < keys.len() {
            for key in keys.iter().filter(|key| object.get(key).is_none()) {
                self.add(place, format_args!("the key \"{key}\" is missing"));
            }
        }
        Some(object)
    }

    pub(super) fn array<'a, 't>(
        &mut self,
        node: &'a Node<'t>,
        place: Place<'_>,
    ) -> Option<&'a [Node<'t>]> {
        if let Node::Array(items) = node {
            return Some(items);
        }
        self.add(place, format_args!("must be an array, not {}", node.kind()));
        None
    }

    /// A string that is not blank.
    pub(super) fn text<'a>(&mut self, node: &'a Node<'_>, place: Place<'_>) -> Option<&'a str> {
        match node {
            Node::String(text) if is_blank(text) => {
                self.add(place, "must not be blank");
                None
            }
            Node::String(text) => Some(text),
            other => {
                self.add(
                    place,
                    format_args!("must be a string, not {}", other.kind()),
                );
                None
            }
        }
    }

    /// A string that is not blank, or null.
    pub(super) fn text_or_null<'a>(
        &mut self,
        node: &'a Node<'_>,
        place: Place<'_>,
    ) -> Option<&'a str> {
        match node {
            Node::Null => None,
            Node::String(_) => self.text(node, place),
            other => {
                self.add(
                    place,
                    format_args!("must be a string or null, not {}", other.kind()),
                );
                None
            }
        }
    }

    /// Strings, none of them blank.
    pub(super) fn texts(&mut self, node: &Node<'_>, place: Place<'_>) -> Vec<String> {
        let items = self.array(node, place).unwrap_or_default();
        items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| self.text(item, place.index(i)).map(str::to_owned))
            .collect()
    }

    /// One of a set of names.
    pub(super) fn name<T>(
        &mut self,
        node: &Node<'_>,
        place: Place<'_>,
        read: impl Fn(&str) -> Option<T>,
        names: &str,
    ) -> Option<T> {
        let found = node.as_str().and_then(read);
        if found.is_none() {
            self.add(place, format_args!("must be one of {names}"));
        }
        found
    }
}

/// Formats the keys of an object, which show a model the shape that it should have written.
struct Keys<'k>(&'k [&'k str]);

impl Display for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, key) in self.0.iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == self.0.len() => " and ",
                _ => ", ",
            };
            write!(f, "{separator}{}", quoted(key))?;
        }
        Ok(())
    }
}

/// Returns the faults of a diagnostic, without the line that counts the omitted ones.
pub(crate) fn fault_lines(diagnostic: &str) -> Vec<String> {
    let counts = |line: &str| {
        let rest = line
            .strip_prefix("and ")
            .and_then(|line| line.strip_suffix(" more"));
        rest.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let lines = diagnostic.lines().filter(|line| !counts(line));
    lines.map(str::to_owned).collect()
}

/// The reason why a candidate is rejected.
pub(crate) enum Rejection {
    /// A limit was exceeded; there is no repair.
    Limit(IntentError),
    /// Faults that a repair may fix.
    Faults(Faults),
}

impl From<IntentError> for Rejection {
    fn from(error: IntentError) -> Self {
        Self::Limit(error)
    }
}

/// Reads a candidate's text within the limits.
pub(crate) fn read<'t>(
    text: &'t str,
    stage: Stage,
    limits: &Limits,
) -> Result<Node<'t>, Rejection> {
    let most = ReadLimits {
        depth: limits.max_candidate_depth,
        nodes: limits.max_candidate_nodes,
    };
    crate::json::read(text, most).map_err(|error| match error {
        ReadError::Depth => {
            let max = limits.max_candidate_depth.min(crate::json::MAX_DEPTH);
            let (limit, actual, place) = (Limit::CandidateDepth, None, None);
            ErrorKind::Limit {
                limit,
                max,
                actual,
                place,
            }
            .at_stage(stage)
            .into()
        }
        ReadError::Nodes => limits.exceeded(Limit::CandidateNodes, stage).into(),
        ReadError::Faults(found) => {
            let mut faults = Faults::default();
            for fault in found {
                faults.add_line(&fault);
            }
            Rejection::Faults(faults)
        }
    })
}
