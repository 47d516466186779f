//! The three tools as rmcp's server handler.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode as RpcCode,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use super::call::Call;
use super::reply::{error_reply, invalid, tool_result};
use super::tools::{ToolName, instructions, tools, unread_job_status};
use super::wire::TOOL_CALL;
use super::{Pending, ToolActions, arguments};
use crate::bridge::JobStatus;
use crate::catch_panic::{CatchPanic, catch_panic};
use crate::error::ErrorKind;
use crate::request::RawRequest;
use crate::text::quoted;

/// The name by which the host knows this server.
const NAME: &str = "intent-runtime";

pub(super) struct Server {
    tools: Arc<dyn ToolActions>,
    info: ServerConfig,
}

impl Server {
    pub(super) fn new<'n>(
        tools: Arc<dyn ToolActions>,
        instances: impl IntoIterator<Item = &'n str>,
        version: &str,
    ) -> Self {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(NAME, version))
            .with_instructions(instructions(instances));
        Self { tools, info }
    }

    /// Runs the part of a call that must keep the order of calls.
    fn begin(&self, tool: ToolName, arguments: RawRequest, call: &Call) -> Pending {
        let now = |reply| -> Pending { Box::pin(std::future::ready(reply)) };
        match tool {
            ToolName::Prepare => {
                let reply = self.tools.prepare(arguments);
                if let Some(job) = reply.get("jobId").cloned() {
                    // If the answer is not sent, no one learns the job's id, so the job is cancelled.
                    let tools = Arc::clone(&self.tools);
                    call.undo()
                        .by(move || drop(tools.cancel(RawRequest::default().with("jobId", job))));
                }
                now(reply)
            }
            ToolName::Accept => self.tools.accept(arguments),
            ToolName::Cancel => now(self.tools.cancel(arguments)),
        }
    }

    /// Returns the reply of a call that panicked; `job` if it concerns a job.
    fn internal_error_reply(&self, job: Option<Option<String>>) -> Value {
        let error = ErrorKind::Internal("the call").error();
        let status = |id: Option<String>| {
            let look = || self.tools.job_status(&id.unwrap_or_default());
            catch_panic(look).unwrap_or(JobStatus::Ended)
        };
        error_reply(error, job.map(status))
    }

    /// Returns the reply of a call; `None` if it was cancelled before its turn, and so had no effect
    /// and needs no reply.
    async fn reply(&self, name: &str, arguments: Value, call: &Call) -> Option<Value> {
        let Some(tool) = ToolName::from_text(name) else {
            let message = format!(
                "there is no tool {}; the tools are intent_prepare, intent_accept and intent_cancel.",
                quoted(name)
            );
            return Some(invalid(message, None));
        };
        let arguments = arguments::read(tool, arguments);
        let job = tool.is_about_a_job().then(|| {
            let id = arguments.get("jobId").and_then(Value::as_str);
            id.map(str::to_owned)
        });
        let arguments = match (arguments::check(tool, &arguments), &job) {
            (Ok(()), _) => arguments.into(),
            (Err(error), None) => return Some(error_reply(error, None)),
            // The Bridge refuses it in its turn, with the status of the job.
            (Err(error), Some(job)) => {
                let request = RawRequest::refused(error.message().to_owned());
                match job {
                    Some(job) => request.with("jobId", &**job),
                    None => request,
                }
            }
        };
        let begin = || {
            let begin = || self.begin(tool, arguments, call);
            // A cancelled call that has not begun is not run.
            let wanted = !call.undo().is_withdrawn();
            wanted.then(|| catch_panic(begin))
        };
        let reply = match call.in_turn(begin).await? {
            Some(pending) => CatchPanic(pending).await,
            None => None,
        };
        Some(reply.unwrap_or_else(|| self.internal_error_reply(job)))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // Later requests are read by the revision that was agreed on.
        let mut peer = request;
        peer.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(peer);
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = context
            .extensions
            .get::<Call>()
            .cloned()
            .unwrap_or_default();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let reply = tokio::select! {
            reply = self.reply(&request.name, arguments, &call) => reply,
            // Work that the call has begun continues in the Bridge.
            () = context.ct.cancelled() => None,
        };
        // rmcp drops the answer of a cancelled call.
        let cancelled = || ErrorData::internal_error("cancelled", None);
        Ok(tool_result(reply.ok_or_else(cancelled)?).into())
    }

    /// rmcp reads a request of its own methods whose `params` it cannot read as a custom one.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            TOOL_CALL => {
                let why =
                    "tools/call needs params { name, arguments } with a string and an object.";
                let params = request.params.as_ref();
                let tool = params.and_then(|params| params.get("name")?.as_str());
                // A call that cannot be read has ended no job.
                let mut result = tool_result(invalid(why, unread_job_status(tool)));
                result.result_type = None;
                let result = serde_json::to_value(result);
                result
                    .map(CustomResult::new)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))
            }
            "initialize" => Err(ErrorData::invalid_params(
                "initialize needs params { protocolVersion, capabilities, clientInfo }",
                None,
            )),
            method => Err(ErrorData::new(
                RpcCode::METHOD_NOT_FOUND,
                quoted(method),
                None,
            )),
        }
    }
}
