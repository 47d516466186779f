//! The source of messages and the queue of answers, for any kind of transport.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::{mpsc, watch};

use super::outline::Outline;
use super::{MAX_LINE_BYTES, MOST_WAITING, answers, message};

/// Bytes of messages that wait, at most, and one message more.
const MOST_BYTES_WAITING: usize = 2 * MAX_LINE_BYTES;

/// Messages as they arrive, with the time at which they did.
pub(in crate::mcp) enum Source {
    /// A stream of lines, in pieces of any size.
    Bytes(mpsc::Receiver<(Instant, Vec<u8>)>),
    /// One message at a time.
    Texts(Texts),
}

/// Messages that a transport has framed and that are not read yet.
pub(in crate::mcp) struct Texts {
    queue: mpsc::Receiver<(Instant, String)>,
    bytes: Arc<AtomicUsize>,
}

/// Takes the messages of a transport that frames them itself.
#[derive(Debug, Clone)]
pub struct Incoming {
    queue: mpsc::Sender<(Instant, String)>,
    bytes: Arc<AtomicUsize>,
    most_bytes: usize,
    /// Weak, so that the source of messages does not keep the queue of answers open.
    answers: mpsc::WeakUnboundedSender<Answer>,
    waiting: watch::Sender<usize>,
    closing: watch::Sender<bool>,
}

/// A queue for a limited number of messages and bytes. Messages that do not fit are refused through
/// `output`; `closing` ends the input if even the refusals are not taken.
pub(in crate::mcp) fn incoming(output: &Output, closing: watch::Sender<bool>) -> (Incoming, Texts) {
    incoming_within(MOST_BYTES_WAITING, output, closing)
}

fn incoming_within(
    most_bytes: usize,
    output: &Output,
    closing: watch::Sender<bool>,
) -> (Incoming, Texts) {
    let (sender, queue) = mpsc::channel(MOST_WAITING);
    let bytes = Arc::new(AtomicUsize::new(0));
    let incoming = Incoming {
        queue: sender,
        bytes: Arc::clone(&bytes),
        most_bytes,
        answers: output.queue.downgrade(),
        waiting: output.waiting.clone(),
        closing,
    };
    (incoming, Texts { queue, bytes })
}

impl Incoming {
    /// Hands over one message as JSON text; false once the connection has ended, or is ended here
    /// because its host sends without end and takes no answers.
    ///
    /// Dropping the last clone is the end of input. A message that finds 1,024 others waiting, or
    /// 32 MiB of them, is answered with an error where it is a request, and dropped.
    pub fn push(&self, message: impl Into<String>) -> bool {
        let message = message.into();
        let length = message.len();
        let waiting = self.bytes.fetch_add(length, Ordering::AcqRel);
        let sent = if waiting < self.most_bytes {
            self.queue.try_send((Instant::now(), message))
        } else {
            Err(mpsc::error::TrySendError::Full((Instant::now(), message)))
        };
        let Err(error) = sent else { return true };
        self.bytes.fetch_sub(length, Ordering::AcqRel);
        match error {
            mpsc::error::TrySendError::Closed(_) => false,
            mpsc::error::TrySendError::Full((_, message)) => self.refuse(&message),
        }
    }

    fn refuse(&self, message: &str) -> bool {
        let Some(queue) = self.answers.upgrade() else {
            return false;
        };
        let output = Output {
            queue,
            waiting: self.waiting.clone(),
        };
        let why = format!(
            "{MOST_WAITING} messages or {} bytes wait to be read; send it again when some are \
             answered",
            self.most_bytes
        );
        for refused in message::refuse(Outline::of(message.as_bytes()), why) {
            if output.is_full() {
                self.closing.send_replace(true);
                return false;
            }
            if let Some(text) = answers::refusal(refused) {
                output.send(text, None);
            }
        }
        true
    }
}

impl Texts {
    /// The next message; `None` at the end of input.
    pub(super) async fn next(&mut self) -> Option<(Instant, String)> {
        let (received, text) = self.queue.recv().await?;
        self.bytes.fetch_sub(text.len(), Ordering::AcqRel);
        Some((received, text))
    }
}

/// The time at which an answer was taken, once it has been.
pub(super) type TakenAt = Arc<OnceLock<Instant>>;

/// The text of an answer; its time is noted where someone asks for it.
type Answer = (String, Option<TakenAt>);

/// The queue that takes answers.
#[derive(Debug, Clone)]
pub(in crate::mcp) struct Output {
    queue: mpsc::UnboundedSender<Answer>,
    waiting: watch::Sender<usize>,
}

/// The answers, each one JSON text without a newline.
#[derive(Debug)]
pub struct Outgoing {
    queue: mpsc::UnboundedReceiver<Answer>,
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
    /// Returns false if the receiver of answers is gone.
    pub(super) fn send(&self, text: String, taken: Option<TakenAt>) -> bool {
        self.waiting.send_modify(|waiting| *waiting += 1);
        self.queue.send((text, taken)).is_ok()
    }

    /// True if as many answers wait as may.
    fn is_full(&self) -> bool {
        *self.waiting.borrow() >= MOST_WAITING
    }

    /// Returns once the receiver of answers is gone.
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

    fn taken(&self, next: Option<Answer>) -> Option<String> {
        let (text, taken) = next?;
        self.waiting
            .send_modify(|waiting| *waiting = waiting.saturating_sub(1));
        if let Some(taken) = taken {
            let _ = taken.set(Instant::now());
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ping(id: u64, bytes: usize) -> String {
        let empty = json!({ "jsonrpc": "2.0", "id": id, "method": "ping", "params": { "x": "" } });
        let filling = "x".repeat(bytes - empty.to_string().len());
        json!({ "jsonrpc": "2.0", "id": id, "method": "ping", "params": { "x": filling } })
            .to_string()
    }

    async fn refused(outgoing: &mut Outgoing) -> (Value, i64) {
        let answer: Value = serde_json::from_str(&outgoing.next().await.unwrap()).unwrap();
        let error = &answer["error"];
        assert!(error["message"].as_str().unwrap().contains("1000 bytes"));
        (answer["id"].clone(), error["code"].as_i64().unwrap())
    }

    #[tokio::test]
    async fn so_many_bytes_wait_and_one_message_more() {
        let (output, mut outgoing) = outgoing();
        let closing = watch::Sender::new(false);
        let (incoming, mut texts) = incoming_within(1000, &output, closing.clone());
        // Nobody reads: 999 bytes wait, then one message more, then none.
        for (id, bytes) in [(1, 500), (2, 499), (3, 5000)] {
            assert!(incoming.push(ping(id, bytes)));
            assert_eq!(*output.waiting.borrow(), 0, "message {id} was refused");
        }
        for id in [4, 5] {
            assert!(incoming.push(ping(id, 100)));
            assert_eq!(refused(&mut outgoing).await, (json!(id), -32600));
        }
        // A refused message counts no more, and a read one makes room.
        assert_eq!(texts.next().await.unwrap().1, ping(1, 500));
        assert!(incoming.push(ping(6, 100)));
        assert_eq!(refused(&mut outgoing).await, (json!(6), -32600));
        for (id, bytes) in [(2, 499), (3, 5000)] {
            assert_eq!(texts.next().await.unwrap().1, ping(id, bytes));
        }
        assert!(incoming.push(ping(7, 100)));
        assert_eq!(*output.waiting.borrow(), 0);
        assert_eq!(texts.next().await.unwrap().1, ping(7, 100));
        assert!(!*closing.borrow());
    }
}
