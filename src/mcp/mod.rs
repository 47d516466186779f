//! The MCP server: three tools over one session of the Bridge, on rmcp.
//!
//! ```text
//!   stdio, streams, messages ──► wire ──► rmcp's service loop ──► server ──► a Bridge session
//!         (service)               │                                 │
//!                       what rmcp leaves to do          tools, arguments, reply
//! ```
//!
//! [`McpServer`] serves one connection; [`tools`] declares what it offers. Arguments that break a
//! tool's schema and names of no tool are replies like any other (`INPUT_INVALID`), since a
//! protocol error rarely reaches the model that has to mend the call.
//!
//! A cancelled request (`notifications/cancelled`) is answered no more. Before its turn it is left
//! undone; after that, the job of an `intent_prepare` is released, and an `intent_accept` has
//! taken effect, so that the same submission returns the same reply.

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

/// A reply that may take its time.
type Pending = BoxFuture<'static, Value>;

/// The actions behind the tools; replies are JSON.
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
