//! The MCP server for JavaScript.

use std::cell::RefCell;

use napi::Env;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use tokio::task::JoinHandle;

use super::bridge::NativeBridge;
use super::error_whole;
use super::events::Events;
use super::host::Host;
use crate::error::IntentError;
use crate::mcp::{Incoming, McpServer, McpService, tools_json};
use crate::options::rule_error;

/// The declarations of the tools, as JSON.
#[napi(catch_unwind)]
#[must_use]
pub fn mcp_tools() -> String {
    tools_json()
}

/// A connection that is being served.
#[napi]
pub struct NativeMcp {
    service: McpService,
    /// The input of a JavaScript transport, until it ends.
    incoming: RefCell<Option<Incoming>>,
    /// Hands the answers over to such a transport; ends with the last one.
    forwarding: RefCell<Option<JoinHandle<()>>>,
}

#[napi]
impl NativeMcp {
    /// A message from a transport of JavaScript's.
    #[napi(catch_unwind)]
    pub fn receive(&self, message: String) {
        if let Some(incoming) = &*self.incoming.borrow() {
            incoming.push(message);
        }
    }

    /// The transport of JavaScript's has ended.
    #[napi(catch_unwind)]
    pub fn end(&self) {
        self.incoming.borrow_mut().take();
    }
}

#[napi]
impl Host {
    /// Serves a connection: the standard streams, or with `messages` a transport of JavaScript's,
    /// whose outgoing messages are events of this task. An error comes back as JSON.
    #[napi(catch_unwind)]
    pub fn serve(
        &self,
        id: u32,
        bridge: &NativeBridge,
        names: Vec<String>,
        messages: bool,
    ) -> Either<NativeMcp, String> {
        let outbox = self.outbox();
        let serve = || -> Result<NativeMcp, IntentError> {
            let names = names.iter().map(String::as_str);
            let server = McpServer::new(bridge.bridge(), names, env!("CARGO_PKG_VERSION"))?;
            if !messages {
                let service = server.serve_stdio().map_err(|error| {
                    rule_error(&format!("The standard streams cannot be served: {error}."))
                })?;
                return Ok(NativeMcp {
                    service,
                    incoming: RefCell::default(),
                    forwarding: RefCell::default(),
                });
            }
            let (service, incoming, mut outgoing) = server.serve_messages();
            let forwarding = crate::runtime::handle().spawn(async move {
                while let Some(message) = outgoing.next().await {
                    outbox.message(id, message);
                }
            });
            Ok(NativeMcp {
                service,
                incoming: RefCell::new(Some(incoming)),
                forwarding: RefCell::new(Some(forwarding)),
            })
        };
        match serve() {
            Ok(mcp) => Either::A(mcp),
            Err(error) => Either::B(error_whole(&error)),
        }
    }

    /// Settles when the connection has ended for any reason and every answer was handed over.
    #[napi(catch_unwind)]
    pub fn served(&self, env: Env, id: u32, mcp: &NativeMcp) -> Events {
        let service = mcp.service.clone();
        let forwarding = mcp.forwarding.take();
        self.spawn(env, id, async move {
            service.closed().await;
            if let Some(forwarding) = forwarding {
                let _ = forwarding.await;
            }
            Ok("null".to_owned())
        })
    }

    /// Closes the connection; settles when it has ended.
    #[napi(catch_unwind)]
    pub fn stop(&self, env: Env, id: u32, mcp: &NativeMcp) -> Events {
        let incoming = mcp.incoming.take();
        let service = mcp.service.clone();
        self.spawn(env, id, async move {
            if incoming.is_some() {
                // Without its sender the input ends after what a transport has delivered.
                drop(incoming);
                service.closed().await;
            } else {
                service.close().await;
            }
            Ok("null".to_owned())
        })
    }
}
