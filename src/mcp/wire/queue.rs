//! Where messages come from and answers go to, without regard to the kind of transport.

use tokio::sync::{mpsc, watch};

use super::MOST_WAITING;

/// Messages as they arrive.
pub(in crate::mcp) enum Source {
    /// A stream of lines, in pieces of any size.
    Bytes(mpsc::Receiver<Vec<u8>>),
    /// One message at a time.
    Texts(mpsc::UnboundedReceiver<String>),
}

/// Takes the messages of a transport that frames them itself.
#[derive(Debug, Clone)]
pub struct Incoming(pub(in crate::mcp) mpsc::UnboundedSender<String>);

impl Incoming {
    /// Hands over one message as JSON text; false once the connection has ended.
    ///
    /// Dropping the last clone is the end of input.
    pub fn push(&self, message: impl Into<String>) -> bool {
        self.0.send(message.into()).is_ok()
    }
}

/// Where answers are put.
#[derive(Clone)]
pub(in crate::mcp) struct Output {
    queue: mpsc::UnboundedSender<String>,
    waiting: watch::Sender<usize>,
}

/// The answers, each one JSON text without a newline.
#[derive(Debug)]
pub struct Outgoing {
    queue: mpsc::UnboundedReceiver<String>,
    waiting: watch::Sender<usize>,
}

/// A queue that never refuses: reading is what waits when it is long.
pub(in crate::mcp) fn outgoing() -> (Output, Outgoing) {
    let (sender, queue) = mpsc::unbounded_channel();
    let (waiting, _) = watch::channel(0);
    let output = Output {
        queue: sender,
        waiting: waiting.clone(),
    };
    (output, Outgoing { queue, waiting })
}

impl Output {
    /// False when nobody takes answers any more.
    pub(super) fn send(&self, text: String) -> bool {
        self.waiting.send_modify(|waiting| *waiting += 1);
        self.queue.send(text).is_ok()
    }

    /// Returns when nobody takes answers any more.
    pub(super) async fn gone(&self) {
        self.queue.closed().await;
    }

    /// Returns when few enough answers wait.
    pub(super) async fn room(&self) {
        let mut waiting = self.waiting.subscribe();
        // An error means that no sender is left, and `self` has one.
        let _ = waiting.wait_for(|waiting| *waiting < MOST_WAITING).await;
    }

    /// Changes with every answer that is put or taken.
    pub(in crate::mcp) fn progress(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }
}

impl Outgoing {
    /// The next answer; `None` once the connection has ended and all are taken.
    pub async fn next(&mut self) -> Option<String> {
        let next = self.queue.recv().await;
        self.taken(next)
    }

    /// [`Self::next`] for a thread outside the runtime.
    pub(in crate::mcp) fn blocking_next(&mut self) -> Option<String> {
        let next = self.queue.blocking_recv();
        self.taken(next)
    }

    fn taken(&self, next: Option<String>) -> Option<String> {
        if next.is_some() {
            self.waiting
                .send_modify(|waiting| *waiting = waiting.saturating_sub(1));
        }
        next
    }
}
