//! The position of the reader in a schema, for messages: `schema.properties.a.items[0]`.

use std::fmt;

use crate::text::{push_token, shown};

/// A place, linked to the one that holds it.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) const ROOT: Path<'static> = Path {
        parent: None,
        step: Step::Root,
    };

    pub(super) const fn key(&'a self, key: &'a str) -> Self {
        Self {
            parent: Some(self),
            step: Step::Key(key),
        }
    }

    pub(super) const fn index(&'a self, index: usize) -> Self {
        Self {
            parent: Some(self),
            step: Step::Index(index),
        }
    }
}

impl Path<'_> {
    pub(super) const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The place as a JSON Pointer into the schema.
    pub(super) fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(path) = place {
            steps.push(path.step);
            place = path.parent;
        }
        let mut pointer = String::new();
        for step in steps.iter().rev() {
            match step {
                Step::Root => {}
                Step::Key(key) => push_token(&mut pointer, key),
                Step::Index(index) => push_token(&mut pointer, &index.to_string()),
            }
        }
        pointer
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Deep places are cut in the middle of the way up: the nearest steps tell most.
        const MOST: usize = 24;
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(path) = place {
            steps.push(path.step);
            place = path.parent;
        }
        f.write_str("schema")?;
        if steps.len() > MOST {
            f.write_str("…")?;
            steps.truncate(MOST);
        }
        for step in steps.iter().rev() {
            match step {
                Step::Root => {}
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if is_plain(key) => write!(f, ".{key}")?,
                Step::Key(key) => write!(f, "[\"{}\"]", shown(key))?,
            }
        }
        Ok(())
    }
}

/// True if a key can follow a dot.
fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= 100
        && key.chars().enumerate().all(|(at, c)| {
            c == '_' || c == '$' || c.is_alphabetic() || (at > 0 && c.is_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_like_javascript() {
        let root = Path::ROOT;
        assert_eq!(root.to_string(), "schema");
        let properties = root.key("properties");
        let name = properties.key("a");
        let items = name.key("prefixItems");
        assert_eq!(
            items.index(2).to_string(),
            "schema.properties.a.prefixItems[2]"
        );
        assert_eq!(
            properties.key("a.b\n").to_string(),
            "schema.properties[\"a.b\\u000a\"]"
        );
        assert_eq!(properties.key("订单").to_string(), "schema.properties.订单");
    }
}
