//! The MCP server: three tools over one session of the Bridge, on rmcp.
//!
//! ```text
//!   stdio, streams, messages ──► wire ──► rmcp's service loop ──► server ──► a Bridge session
//!         (service)               │                                 │
//!                    framing, batches, limits           tools, arguments, reply
//! ```
//!
//! [`McpServer`] serves one connection; [`tools`] declares its tools. Arguments that break a tool's
//! schema and unknown names of tools get an ordinary reply (`INPUT_INVALID`), because a protocol error
//! rarely reaches the model that must correct the call.
//!
//! A cancelled request (`notifications/cancelled`) gets no answer. If its turn has not come, it is not
//! run. Otherwise the job of an `intent_prepare` is released, and an `intent_accept` keeps its effect,
//! so that the same submission returns the same reply.

mod arguments;
mod call;
mod reply;
mod server;
mod service;
mod stdio;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use serde_json::Value;

use crate::bridge::{JobStatus, Session};
use crate::executor::BoxFuture;
use crate::request::RawRequest;

pub use rmcp::model::Tool;
pub use service::{McpServer, McpService};
pub use tools::{tools, tools_json};
pub use wire::{Incoming, Outgoing};

/// The reply of a call that may have to wait.
type Pending = BoxFuture<'static, Value>;

/// The actions behind the tools: those of a [`Session`], and of a double in tests. Replies are JSON.
trait ToolActions: Send + Sync + 'static {
    fn prepare(&self, request: RawRequest) -> Value;
    /// Takes effect before it returns.
    fn accept(&self, request: RawRequest) -> Pending;
    fn cancel(&self, request: RawRequest) -> Value;
    /// Returns the status of a job.
    fn job_status(&self, job_id: &str) -> JobStatus;
    /// Releases the session's jobs.
    fn close(&self);
}

impl ToolActions for Session {
    fn prepare(&self, request: RawRequest) -> Value {
        reply::to_json(&self.prepare_raw(request))
    }

    fn accept(&self, request: RawRequest) -> Pending {
        let accepting = self.accept_raw(request);
        Box::pin(async { reply::to_json(&accepting.reply().await) })
    }

    fn cancel(&self, request: RawRequest) -> Value {
        reply::to_json(&self.cancel_raw(&request))
    }

    fn job_status(&self, job_id: &str) -> JobStatus {
        Session::job_status(self, job_id)
    }

    fn close(&self) {
        Session::close(self);
    }
}
