//! An executor that is a JavaScript object: its questions become events of the host, and the
//! answers come back by number.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde::Deserialize;
use tokio::sync::oneshot;

use super::events::Event;
use crate::error::{
    DataIssueCode, ErrorCode, ErrorKind, HttpFact, IntentError, Issue, IssueCategory, IssueCode,
    LimitFact, Stage,
};
use crate::executor::{BoxFuture, ModelExecutor, ModelReply, ModelRequest, ModelUsage, ReplyInfo};

type ExecutorReply = Result<ModelReply, IntentError>;

/// The questions of one environment that wait for their answers.
#[derive(Default)]
pub(super) struct PendingCalls(Rc<CallTable>);

#[derive(Default)]
struct CallTable {
    last: Cell<u32>,
    calls: RefCell<BTreeMap<u32, Call>>,
}

struct Call {
    answer: oneshot::Sender<ExecutorReply>,
    request: Arc<ModelRequest>,
}

/// The task that is being polled, and the questions that it asks.
struct PolledTask {
    task: u32,
    table: Rc<CallTable>,
    events: Vec<Event>,
}

thread_local! {
    static POLLED: RefCell<Option<PolledTask>> = const { RefCell::new(None) };
}

impl PendingCalls {
    /// Runs a poll of a task; returns the questions that it asked.
    pub(super) fn poll_task<T>(&self, task: u32, poll: impl FnOnce() -> T) -> (T, Vec<Event>) {
        POLLED.with(|polled_task| {
            polled_task.replace(Some(PolledTask {
                task,
                table: Rc::clone(&self.0),
                events: Vec::new(),
            }))
        });
        let polled = poll();
        let events = POLLED
            .with(RefCell::take)
            .map_or_else(Vec::new, |polled_task| polled_task.events);
        (polled, events)
    }

    /// Delivers an answer; an answer that no task waits for any more is dropped.
    pub(super) fn settle(&self, call: u32, answer: ExecutorReply) {
        // The call leaves the map first: the answer wakes its task.
        let call = self.0.calls.borrow_mut().remove(&call);
        if let Some(call) = call {
            let _ = call.answer.send(answer);
        }
    }

    /// The schema of a question that waits.
    pub(super) fn schema(&self, call: u32) -> Option<String> {
        self.0
            .calls
            .borrow()
            .get(&call)
            .map(|call| call.request.output_schema.text.to_string())
    }
}

/// The executor of an instance whose executor is a JavaScript object.
pub(super) struct JsExecutor {
    id: String,
}

impl JsExecutor {
    pub(super) fn new(id: String) -> Self {
        Self { id }
    }
}

impl ModelExecutor for JsExecutor {
    fn id(&self) -> &str {
        &self.id
    }

    fn generate(&self, request: Arc<ModelRequest>) -> BoxFuture<'_, ExecutorReply> {
        let asked = POLLED.with(|polled_task| {
            let mut polled_task = polled_task.borrow_mut();
            let PolledTask {
                task,
                table,
                events,
            } = polled_task.as_mut()?;
            let call = table.last.get().wrapping_add(1);
            table.last.set(call);
            let (answer, receiver) = oneshot::channel();
            events.push(Event::question(*task, call, &request));
            table
                .calls
                .borrow_mut()
                .insert(call, Call { answer, request });
            Some(PendingReply { call, receiver })
        });
        match asked {
            Some(asked) => Box::pin(asked),
            // The host polls every instance with such an executor on its own thread.
            None => Box::pin(std::future::ready(Err(ErrorKind::Executor(
                "can be asked on its own thread only",
            )
            .error()))),
        }
    }
}

/// Waits for an answer; dropped, it is no longer waited for.
struct PendingReply {
    call: u32,
    receiver: oneshot::Receiver<ExecutorReply>,
}

impl Future for PendingReply {
    type Output = ExecutorReply;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ExecutorReply> {
        Pin::new(&mut self.receiver).poll(context).map(|answer| {
            answer.unwrap_or_else(|_| Err(ErrorKind::Executor("was cancelled").error()))
        })
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        POLLED.with(|polled_task| {
            if let Ok(polled_task) = polled_task.try_borrow()
                && let Some(PolledTask { table, .. }) = polled_task.as_ref()
            {
                let removed = table.calls.borrow_mut().remove(&self.call);
                drop(removed);
            }
        });
    }
}

/// The facts that an executor gave of its service, as `js/` passes them on.
pub(super) fn read_info(json: &str) -> ReplyInfo {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Facts {
        usage: Option<ModelUsage>,
        model: Option<String>,
        request_id: Option<String>,
    }
    let Facts {
        usage,
        model,
        request_id,
    } = serde_json::from_str(json).unwrap_or_default();
    ReplyInfo {
        usage,
        model,
        request_id,
    }
}

/// An error as `js/` passes it on: what an executor threw, in the terms of `toJSON()` and with the
/// facts beside it.
pub(super) fn read_error(json: &str) -> IntentError {
    #[derive(Deserialize)]
    struct Thrown {
        code: String,
        stage: String,
        message: String,
        #[serde(default)]
        issues: Vec<ThrownIssue>,
        #[serde(default)]
        cause: bool,
        http: Option<HttpFact>,
        limit: Option<LimitFact>,
        retryable: Option<bool>,
        #[serde(default)]
        faults: Vec<String>,
    }
    #[derive(Deserialize)]
    struct ThrownIssue {
        code: String,
        category: String,
        path: Option<String>,
        message: String,
    }
    let Ok(thrown) = serde_json::from_str::<Thrown>(json) else {
        return ErrorKind::Executor("failed").error();
    };
    let code = ErrorCode::from_text(&thrown.code).unwrap_or(ErrorCode::ModelRequestFailed);
    let stage = Stage::from_text(&thrown.stage).unwrap_or(code.default_stage());
    let issues = thrown.issues.into_iter().filter_map(|issue| {
        let code = DataIssueCode::from_text(&issue.code)
            .map(IssueCode::Data)
            .or_else(|| ErrorCode::from_text(&issue.code).map(IssueCode::Error))?;
        Some(Issue {
            code,
            category: IssueCategory::from_text(&issue.category)?,
            path: issue.path,
            message: issue.message,
        })
    });
    let mut error = IntentError::new(code, stage, thrown.message)
        .with_issues(issues.collect())
        .with_faults(thrown.faults);
    if thrown.cause {
        error = error.with_cause(Arc::new(()));
    }
    if let Some(http) = thrown.http {
        error = error.with_http(http);
    }
    if let Some(LimitFact { name, max, actual }) = thrown.limit {
        error = error.with_limit(name, max, actual);
    }
    match thrown.retryable {
        Some(retryable) => error.with_retryable(retryable),
        None => error,
    }
}
