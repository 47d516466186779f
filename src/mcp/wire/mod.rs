//! Everything that rmcp 3.11 leaves to do between the bytes of a host and its service loop.
//!
//! rmcp itself negotiates revisions, dispatches requests, drops the answers of cancelled ones and
//! sends the outstanding answers at the end of input. Its own stdio transport would do for a
//! friendly peer; this one replaces it because of what hosts and broken pipes send:
//!
//! | what arrives | rmcp's transport | here |
//! |---|---|---|
//! | JSON with a lone surrogate, more than 128 levels, bad UTF-8, a broken end | dropped | answered where its id can be read |
//! | a line of more than 16 MiB | dropped | its members `id` and `method` are read as it passes by ([`Outline`]), then answered |
//! | a last line without a newline | dropped | read |
//! | a batch (revision 2025-03-26) | refused as a whole | each message is read as if it had a line of its own |
//! | an id that is a fraction, beyond `i64` or already in use | refused, or one answer lost | any string or number is an id and comes back as it was written |
//! | notifications and responses before `initialize` | end the session | mean nothing to a server with tools only, so all but `notifications/cancelled` stop here |
//! | end of input with calls running | five seconds, then they are dropped | the end is reported once every accepted request is answered |
//! | a host that sends and never reads | queues without end | reading waits while [`MOST_WAITING`] answers are not taken |
//! | a transport that brings messages faster than they are read | queues without end | [`MOST_WAITING`] messages or 32 MiB wait; a request past that is refused |
//! | output that is closed | noticed at the end of input | ends the session |
//!
//! The session starts with rmcp's `serve_directly`, which has no handshake to fail in: requests
//! before `initialize` are answered like any other. When rmcp's transport learns one of these
//! lines, the line can go.
//!
//! A line that cannot be read as a message is answered if it has an id: a `tools/call` with a tool
//! result `INPUT_INVALID`, anything else with -32600. JSON that is no message and has no id gets
//! -32600 without one, as rmcp does; a line that is no JSON and has no id gets no answer, since
//! answering noise with noise never ends. A request whose id is null is answered with -32600 and
//! that id: JSON-RPC allows it, MCP does not. A response is never answered.

mod answers;
mod lines;
mod message;
mod outline;
mod queue;
mod transport;

pub(super) use message::TOOL_CALL;
pub use queue::{Incoming, Outgoing};
pub(super) use queue::{Output, Source, incoming, outgoing};
pub(super) use transport::{Transport, set};

use outline::Outline;

/// The longest line, newline included: what rmcp allows.
pub(super) const MAX_LINE_BYTES: usize = 16 << 20;

/// The answers that may wait for the host to take them, and the calls that may run at once, before
/// reading pauses.
const MOST_WAITING: usize = 1024;
