//! The standard streams, each on a thread of its own.
//!
//! A blocking read cannot be taken back. On a runtime's blocking pool it would hold up the
//! runtime's shutdown; a plain thread ends with the process, or with the next input after the
//! service has closed (which is then lost). Another user of the same descriptors may have made
//! them non-blocking (Node does so for a stdin that a script touches), so both directions wait
//! and try again if the descriptor is not ready.

use std::io::{self, ErrorKind, Read, Write};
use std::thread::Builder;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::wire::Outgoing;

/// Bytes are read in pieces of this size.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// Pieces that are read ahead.
pub(super) const PIECES_AHEAD: usize = 2;

const STACK_BYTES: usize = 128 << 10;

/// The pause before another attempt on a descriptor that is non-blocking and not ready.
const NOT_READY: Duration = Duration::from_millis(2);

/// Reads standard input in pieces, until it ends.
pub(super) fn input() -> io::Result<mpsc::Receiver<(Instant, Vec<u8>)>> {
    let (sender, pieces) = mpsc::channel(PIECES_AHEAD);
    let pump = move || {
        let mut piece = vec![0; PIECE_BYTES];
        while let Ok(length @ 1..) = retry_until_ready(|| io::stdin().read(&mut piece)) {
            let received = (Instant::now(), piece[..length].to_vec());
            if sender.blocking_send(received).is_err() {
                return;
            }
        }
    };
    thread("intent-mcp-in", pump)?;
    Ok(pieces)
}

/// Writes answers to standard output; the receiver is notified when all are written or it is closed.
pub(super) fn output(mut outgoing: Outgoing) -> io::Result<oneshot::Receiver<()>> {
    let (done, written) = oneshot::channel();
    let pump = move || {
        while let Some(mut text) = outgoing.blocking_next() {
            text.push('\n');
            if write(text.as_bytes()).is_err() {
                break;
            }
        }
        drop(outgoing);
        let _ = done.send(());
    };
    thread("intent-mcp-out", pump)?;
    Ok(written)
}

fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = Builder::new().name(name.into()).stack_size(STACK_BYTES);
    builder.spawn(run).map(drop)
}

fn write(mut bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout();
    while !bytes.is_empty() {
        match retry_until_ready(|| stdout.write(bytes))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            length => bytes = &bytes[length..],
        }
    }
    retry_until_ready(|| stdout.flush())
}

fn retry_until_ready<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(NOT_READY),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}
