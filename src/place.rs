//! A place in a candidate or a schema.

use std::fmt;

use crate::text::write_token;

/// A JSON Pointer as a linked list towards the root. It is formatted only if it is shown, because
/// most documents have no fault.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The document itself.
    Root,
    /// Below a key.
    Key(&'a Place<'a>, &'a str),
    /// In a list.
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(crate) const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) const fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => {
                above.fmt(f)?;
                write_token(f, key)
            }
            Self::Index(above, index) => write!(f, "{above}/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_json_pointer() {
        let root = Place::Root;
        assert_eq!(root.to_string(), "");
        let list = root.key("intents");
        let item = list.index(10);
        assert_eq!(item.key("a/b~").to_string(), "/intents/10/a~1b~0");
    }
}
