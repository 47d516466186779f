//! The transport under rmcp's service loop.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, GetExtensions,
    NumberOrString, ServerJsonRpcMessage,
};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::answers::{Outcome, answer, refusal};
use super::lines::{Line, Lines};
use super::message::{Message, TOOL_CALL, read};
use super::queue::{Output, Source, TakenAt};
use super::{MAX_LINE_BYTES, MOST_WAITING, Outline};
use crate::mcp::call::{Call, Turns, Undo};

/// Answers the messages that rmcp's own transport would not, and passes the others to rmcp.
///
/// Within rmcp every request has a number of this transport; the answer carries the request's own id.
pub(in crate::mcp) struct Transport {
    /// `None` after the end of input.
    source: Option<Source>,
    lines: Lines,
    /// Messages with the time at which they arrived.
    messages: VecDeque<(Instant, Message)>,
    output: Output,
    closing: watch::Receiver<bool>,
    turns: Turns,
    /// Requests that are not answered yet, under our numbers.
    running: BTreeMap<i64, Running>,
    /// Answered requests whose effect is undone if the host cancelled them before it had the answer.
    answered: Vec<(TakenAt, Running)>,
    last: i64,
}

struct Running {
    id: Box<RawValue>,
    undo: Undo,
}

#[derive(Debug, thiserror::Error)]
#[error("the output is closed")]
pub(in crate::mcp) struct Closed;

impl Transport {
    /// `closing` turns true to end the input from this side.
    pub(in crate::mcp) fn new(
        source: Source,
        output: Output,
        closing: watch::Receiver<bool>,
    ) -> Self {
        Self {
            source: Some(source),
            lines: Lines::default(),
            messages: VecDeque::new(),
            output,
            closing,
            turns: Turns::default(),
            running: BTreeMap::new(),
            answered: Vec::new(),
            last: 0,
        }
    }

    /// Returns when another message may be read.
    async fn room(&self) {
        let room = async {
            if self.running.len() >= MOST_WAITING {
                // The loop calls `receive` again after each answer.
                std::future::pending::<()>().await;
            }
            self.output.room().await;
        };
        tokio::select! {
            () = room => {}
            () = set(self.closing.clone()) => {}
        }
    }

    /// Waits for input.
    async fn fill(&mut self) {
        let Some(source) = &mut self.source else {
            return;
        };
        let mut lines = VecDeque::new();
        let received = tokio::select! {
            biased;
            () = set(self.closing.clone()) => None,
            received = source.next(&mut self.lines, &mut lines) => received,
        };
        if received.is_none() {
            self.source = None;
            lines.extend(self.lines.end());
        }
        let received = received.unwrap_or_else(Instant::now);
        for line in lines {
            let mut messages = Vec::new();
            read(line, &mut messages);
            self.messages
                .extend(messages.into_iter().map(|message| (received, message)));
        }
    }

    /// The next message for rmcp; `None` at the end of input, when all requests are answered.
    ///
    /// The loop drops this future whenever it has something else to do: nothing that was taken
    /// from the source is held across an `await`.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.source.is_some() {
                self.room().await;
            }
            match self.messages.pop_front() {
                Some((received, message)) => {
                    // The host has these answers and sent this message later: no cancellation crosses them.
                    self.answered
                        .retain(|(taken, _)| taken.get().is_none_or(|taken| received < *taken));
                    if let Some(message) = self.take(message) {
                        return Some(message);
                    }
                }
                None if self.source.is_some() => self.fill().await,
                None if self.running.is_empty() => return None,
                // The loop calls `receive` again after each answer.
                None => std::future::pending().await,
            }
        }
    }

    /// The part of a message that rmcp should see.
    fn take(&mut self, message: Message) -> Option<ClientJsonRpcMessage> {
        match message {
            Message::Request { id, mut request } => {
                self.last += 1;
                let turn = (request.method() == TOOL_CALL).then(|| self.turns.next());
                let call = Call::new(turn);
                let undo = call.undo().clone();
                request.extensions_mut().insert(call);
                self.running.insert(self.last, Running { id, undo });
                Some(ClientJsonRpcMessage::request(
                    *request,
                    NumberOrString::Number(self.last),
                ))
            }
            Message::Cancelled { id, reason } => {
                let has_id = |request: &Running| {
                    serde_json::from_str::<Value>(request.id.get()).is_ok_and(|own| own == id)
                };
                let Some(number) = self
                    .running
                    .iter()
                    .find_map(|(number, request)| has_id(request).then_some(*number))
                else {
                    // The two crossed, and the host drops the answer (MCP, Cancellation).
                    let at = self.answered.iter().rposition(|(_, old)| has_id(old))?;
                    self.answered.remove(at).1.undo.withdraw();
                    return None;
                };
                self.running.remove(&number)?.undo.withdraw();
                let param =
                    CancelledNotificationParam::new(Some(NumberOrString::Number(number)), reason);
                let notification = CancelledNotification::new(param);
                Some(ClientJsonRpcMessage::notification(notification.into()))
            }
            refused @ Message::Refused { .. } => {
                if let Some(text) = refusal(refused) {
                    self.output.send(text, None);
                }
                None
            }
        }
    }
}

/// Returns once a signal is true.
pub(in crate::mcp) async fn set(mut signal: watch::Receiver<bool>) {
    if signal.wait_for(|set| *set).await.is_err() {
        // Without its sender it can never be set.
        std::future::pending::<()>().await;
    }
}

impl Source {
    /// Reads the next input, and returns when it arrived; `None` at the end.
    async fn next(&mut self, lines: &mut Lines, out: &mut VecDeque<Line>) -> Option<Instant> {
        match self {
            Self::Bytes(bytes) => {
                let (received, bytes) = bytes.recv().await?;
                lines.feed(&bytes, out);
                Some(received)
            }
            Self::Texts(texts) => {
                let (received, text) = texts.next().await?;
                out.push_back(if text.len() >= MAX_LINE_BYTES {
                    Line::TooLong(Outline::of(text.as_bytes()))
                } else {
                    Line::Whole(text.into_bytes())
                });
                Some(received)
            }
        }
    }
}

impl rmcp::transport::Transport<RoleServer> for Transport {
    type Error = Closed;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Closed>> + Send + 'static {
        let number = match &item {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let running = match number {
            Some(NumberOrString::Number(number)) => self.running.remove(number),
            _ => None,
        };
        let id = running.as_ref().map(|request| request.id.clone());
        let taken = running
            .filter(|request| request.undo.is_done())
            .map(|request| {
                let taken = TakenAt::default();
                self.answered.push((taken.clone(), request));
                taken
            });
        let output = self.output.clone();
        // Only this part runs aside from the loop: a large answer takes its time to write down.
        async move {
            let text = match item {
                ServerJsonRpcMessage::Response(response) => {
                    answer(id.as_deref(), &Outcome::Result(response.result))
                }
                ServerJsonRpcMessage::Error(error) => {
                    answer(id.as_deref(), &Outcome::<()>::Error(error.error))
                }
                other => serde_json::to_string(&other).unwrap_or_default(),
            };
            output.send(text, taken).then_some(()).ok_or(Closed)
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let output = self.output.clone();
        tokio::select! {
            biased;
            () = output.gone() => None,
            message = self.next() => message,
        }
    }

    async fn close(&mut self) -> Result<(), Closed> {
        self.source = None;
        Ok(())
    }
}
