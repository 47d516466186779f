//! The formats that are asserted, in every dialect.
//!
//! `jsonschema` has checks for most; this crate checks `url`, and `regex` ([`super::assertions`]).

/// The asserted formats (docs/schema.md).
pub(super) const ASSERTED: &[&str] = &[
    "date",
    "time",
    "date-time",
    "duration",
    "uri",
    "uri-reference",
    "url",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "regex",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
];

/// True if values are held to a format.
pub(super) fn is_asserted(name: &str) -> bool {
    ASSERTED.contains(&name)
}

/// `url`: a URI (checked beside this one) with an authority that is not empty, so
/// `https://example.com/a` and not `mailto:a@example.com`.
pub(super) fn has_authority(text: &str) -> bool {
    let Some((_, rest)) = text.split_once(':') else {
        return false;
    };
    rest.strip_prefix("//").is_some_and(|rest| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        !host.is_empty() && !host.starts_with(':')
    })
}
