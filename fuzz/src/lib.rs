//! What each fuzz target does with its bytes. A target panics where the crate breaks a rule:
//! by itself, or by differing from a second reading of the rule, written here in plain words or
//! taken from another library.
//!
//! | target | what is fuzzed | compared with |
//! |---|---|---|
//! | `reader` | strict JSON | `serde_json`, and the rules of numbers and keys counted afresh |
//! | `core` | core candidates | the rules of docs/candidates.md, read again |
//! | `data` | data candidates under random schemas and materials | sections 11 and 17, read again; the brief form of the same candidate |
//! | `schema` | snapshots, selections, verdicts | `boon` |
//! | `pattern` | patterns and texts | `regress` |
//! | `language` | language tags | canonical forms are fixed points |
//! | `envelope` | replies of model services | `serde_json`; nothing of a body in a message |
//! | `bridge` | sequences of calls | capacities, replays, ends |
//! | `mcp` | bytes of a host | every readable request is answered |
//! | `config` | configurations | the private-address rule, read again; no key in a message |

mod bytes;

pub mod bridge;
pub mod config;
pub mod core;
pub mod data;
pub mod envelope;
mod evidence;
pub mod language;
pub mod mcp;
pub mod pattern;
pub mod reader;
pub mod schema;
