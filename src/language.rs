//! Language tags (BCP 47, RFC 5646) against the IANA Language Subtag Registry.
