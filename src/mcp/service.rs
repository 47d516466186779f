//! Serving one connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::service::serve_directly;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};

use super::server::Server;
use super::stdio::{PIECE_BYTES, PIECES_AHEAD};
use super::wire::{Incoming, Outgoing, Output, Source, Transport, incoming, outgoing, set};
use super::{ToolActions, stdio};
use crate::bridge::Bridge;
use crate::error::IntentError;
use crate::runtime;

/// After [`McpService::close`], answers that the host leaves untaken for so long are given up.
const STALLED: Duration = Duration::from_secs(1);

/// A server for one connection, which is one session of the Bridge.
pub struct McpServer {
    server: Server,
    tools: Arc<dyn ToolActions>,
}

impl McpServer {
    /// Connects to a bridge. `instances` are the names that the host gets, in this order, and
    /// `version` is the package's.
    ///
    /// # Errors
    /// `BRIDGE_JOB_NOT_FOUND` once the bridge is closed.
    pub fn new<'n>(
        bridge: &Bridge,
        instances: impl IntoIterator<Item = &'n str>,
        version: &str,
    ) -> Result<Self, IntentError> {
        Ok(Self::of(Arc::new(bridge.connect()?), instances, version))
    }

    pub(super) fn of<'n>(
        tools: Arc<dyn ToolActions>,
        instances: impl IntoIterator<Item = &'n str>,
        version: &str,
    ) -> Self {
        let server = Server::new(Arc::clone(&tools), instances, version);
        Self { server, tools }
    }

    /// Serves the standard streams of this process, until its input ends.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn serve_stdio(self) -> std::io::Result<McpService> {
        let (output, outgoing) = outgoing();
        let source = Source::Bytes(stdio::input()?);
        let written = stdio::output(outgoing)?;
        Ok(self.serve(source, output, written))
    }

    /// Serves any pair of streams that carry one message on each line.
    pub fn serve_lines(
        self,
        mut read: impl AsyncRead + Send + Unpin + 'static,
        mut write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> McpService {
        let (output, mut outgoing) = outgoing();
        let (pieces, bytes) = mpsc::channel(PIECES_AHEAD);
        runtime::handle().spawn(async move {
            let mut piece = vec![0; PIECE_BYTES];
            loop {
                let read = tokio::select! {
                    read = read.read(&mut piece) => read,
                    () = pieces.closed() => return,
                };
                match read {
                    Ok(length @ 1..) => {
                        let received = (Instant::now(), piece[..length].to_vec());
                        if pieces.send(received).await.is_err() {
                            return;
                        }
                    }
                    _ => return,
                }
            }
        });
        let (done, written) = oneshot::channel();
        runtime::handle().spawn(async move {
            while let Some(mut text) = outgoing.next().await {
                text.push('\n');
                if write.write_all(text.as_bytes()).await.is_err() || write.flush().await.is_err() {
                    break;
                }
            }
            let _ = write.shutdown().await;
            drop(outgoing);
            let _ = done.send(());
        });
        self.serve(Source::Bytes(bytes), output, written)
    }

    /// Serves a transport that frames messages itself: put in what arrives, take out what is to
    /// be sent. Dropping [`Incoming`] is the end of input, dropping [`Outgoing`] that of output.
    #[must_use]
    pub fn serve_messages(self) -> (McpService, Incoming, Outgoing) {
        let (output, outgoing) = outgoing();
        let closing = watch::Sender::new(false);
        let (incoming, texts) = incoming(&output, closing.clone());
        // The owner of `Outgoing` sees by itself when the answers are taken.
        let (_, written) = oneshot::channel();
        let service = self.serve_until(closing, Source::Texts(texts), output, written);
        (service, incoming, outgoing)
    }

    fn serve(self, source: Source, output: Output, written: oneshot::Receiver<()>) -> McpService {
        self.serve_until(watch::Sender::new(false), source, output, written)
    }

    fn serve_until(
        self,
        closing: watch::Sender<bool>,
        source: Source,
        output: Output,
        written: oneshot::Receiver<()>,
    ) -> McpService {
        let Self { server, tools } = self;
        let ended = watch::Sender::new(false);
        let service = McpService {
            closing: closing.clone(),
            ended: ended.clone(),
        };
        let progress = output.progress();
        let transport = Transport::new(source, output, closing.subscribe());
        runtime::handle().spawn(async move {
            // The reason of the end needs no report: the host is gone, or asked for it.
            let _ = serve_directly(server, transport, None).waiting().await;
            tools.close();
            tokio::select! {
                _ = written => {}
                () = stalled(closing.subscribe(), progress) => {}
            }
            ended.send_replace(true);
        });
        service
    }
}

/// Returns if the service is closing and the host takes no answers.
async fn stalled(closing: watch::Receiver<bool>, mut progress: watch::Receiver<usize>) {
    set(closing).await;
    while let Ok(Ok(())) = tokio::time::timeout(STALLED, progress.changed()).await {}
}

/// A served connection. Clones are handles of the same one; dropping all of them does not end it.
#[derive(Debug, Clone)]
pub struct McpService {
    closing: watch::Sender<bool>,
    ended: watch::Sender<bool>,
}

impl McpService {
    /// Ends the input from this side and returns once the connection has ended: what was accepted
    /// is answered, and the session's jobs are released.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        self.closed().await;
    }

    /// Returns once the connection has ended for any reason.
    pub async fn closed(&self) {
        let mut ended = self.ended.subscribe();
        // `self` keeps the sender.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}
