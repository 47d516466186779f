//! The position of the reader in a schema, for messages: `schema.properties.a.items[0]`.

use std::fmt;

use crate::place::Place;
use crate::text::shown;

/// A place in a schema, which messages show as JavaScript would write it.
#[derive(Clone, Copy)]
pub(super) struct Path<'a>(Place<'a>);

impl<'a> Path<'a> {
    pub(super) const ROOT: Path<'static> = Path(Place::Root);

    pub(super) const fn key(&'a self, key: &'a str) -> Self {
        Self(self.0.key(key))
    }

    pub(super) const fn index(&'a self, index: usize) -> Self {
        Self(self.0.index(index))
    }

    pub(super) const fn is_root(&self) -> bool {
        matches!(self.0, Place::Root)
    }

    /// The place as a JSON Pointer into the schema.
    pub(super) fn pointer(&self) -> String {
        self.0.to_string()
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Deep places are cut in the middle of the way up: the nearest steps tell most.
        const MOST: usize = 24;
        let mut steps = Vec::new();
        let mut place = &self.0;
        while let Place::Key(above, _) | Place::Index(above, _) = place {
            steps.push(place);
            place = above;
        }
        f.write_str("schema")?;
        if steps.len() > MOST {
            f.write_str("…")?;
            steps.truncate(MOST);
        }
        for step in steps.iter().rev() {
            match step {
                Place::Root => {}
                Place::Index(_, index) => write!(f, "[{index}]")?,
                Place::Key(_, key) if is_plain(key) => write!(f, ".{key}")?,
                Place::Key(_, key) => write!(f, "[\"{}\"]", shown(key))?,
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
