//! Names in messages.

/// At most so many characters of a name are shown.
const MAX_SHOWN: usize = 100;

/// Quotes a name for a message, cut to 100 characters, with control characters escaped.
pub(crate) fn quoted(name: &str) -> String {
    let cut = match name.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    };
    // Not `{:?}`: that doubles backslashes, which patterns are full of.
    let shown: String = cut
        .chars()
        .flat_map(|c| {
            let escaped =
                c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            escaped
                .then(|| c.escape_unicode())
                .into_iter()
                .flatten()
                .chain((!escaped).then_some(c))
        })
        .collect();
    format!("\"{shown}\"")
}
