//! No more connections than requests at once.
//!
//! hyper's pool opens a connection whenever none is idle at that instant, even while one is on
//! its way back from a request that has just ended; under load a service then sees many more
//! connections than requests. So the pool's content is counted along: a request that ends leaves
//! a connection behind, one that starts may expect it. Who expects one that was left just now
//! waits a little before opening another (the pool hands over the first that comes back), and who
//! got one meanwhile opens none. One that was left longer ago is in the pool, or lost.
//!
//! With `n` requests at once there are then at most `n` connections: each was opened by a request
//! that had none to expect, that is, when every one opened before was in use.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

/// The time that a returned connection takes to reach the pool at most. Waiting for it is lost time only if the
/// service closed it.
const PATIENCE: Duration = Duration::from_millis(200);

tokio::task_local! {
    /// The request of this task. Not set in the tasks in which hyper goes on connecting for a
    /// request that has been served meanwhile.
    static TURN: Turn;
}

struct Turn {
    /// Until when a connection may still come back.
    expects: Option<Instant>,
    connects: Cell<bool>,
}

/// The count of one client.
#[derive(Clone)]
pub(super) struct Reuse(Arc<Counted>);

struct Counted {
    /// When each connection that should be idle was left, the latest last.
    left: Mutex<Vec<Instant>>,
    /// True if the service keeps connections open, as far as was seen. One that does not is not
    /// waited for.
    kept: AtomicBool,
}

impl Reuse {
    pub(super) fn new() -> Self {
        Self(Arc::new(Counted {
            left: Mutex::default(),
            kept: AtomicBool::new(true),
        }))
    }

    /// Runs one request; `leaves_connection` says of its answer whether the connection may carry
    /// another one.
    pub(super) async fn count<T, E>(
        &self,
        request: impl Future<Output = Result<T, E>>,
        leaves_connection: impl FnOnce(&T) -> bool,
    ) -> Result<T, E> {
        let turn = Turn {
            expects: self.expect().filter(|_| self.0.kept.load(Relaxed)),
            connects: Cell::new(false),
        };
        TURN.scope(turn, async {
            let outcome = request.await;
            if outcome.as_ref().is_ok_and(leaves_connection) {
                self.left().push(Instant::now());
                if !TURN.with(|turn| turn.connects.get()) {
                    self.0.kept.store(true, Relaxed);
                }
            }
            outcome
        })
        .await
    }

    /// Takes one of the connections that should be there.
    fn expect(&self) -> Option<Instant> {
        self.left().pop().map(|since| since + PATIENCE)
    }

    fn left(&self) -> MutexGuard<'_, Vec<Instant>> {
        self.0.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wraps the client's connector.
impl<S> Layer<S> for Reuse {
    type Service = Patient<S>;

    fn layer(&self, connector: S) -> Patient<S> {
        Patient {
            connector,
            reuse: self.clone(),
        }
    }
}

/// A connector that first waits for a connection where one should come back.
#[derive(Clone)]
pub(super) struct Patient<S> {
    connector: S,
    reuse: Reuse,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl<S, R> Service<R> for Patient<S>
where
    S: Service<R, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
    R: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        // The one that is ready is the one that was polled.
        let clone = self.connector.clone();
        let mut connector = std::mem::replace(&mut self.connector, clone);
        let reuse = self.reuse.clone();
        Box::pin(async move {
            let expects = TURN.try_with(|turn| {
                turn.connects.set(true);
                turn.expects
            });
            if let Ok(Some(until)) = expects
                && until > Instant::now()
            {
                tokio::time::sleep_until(until).await;
                if TURN.try_with(|_| ()).is_ok() {
                    reuse.0.kept.store(false, Relaxed);
                }
            }
            if TURN.try_with(|_| ()).is_err() {
                return Err("the request was served by another connection".into());
            }
            connector.call(request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_request_leaves_one_connection_for_the_next() {
        let reuse = Reuse::new();
        assert!(reuse.expect().is_none());
        let both = tokio::join!(
            reuse.count(
                async {
                    tokio::task::yield_now().await;
                    Ok::<_, ()>(())
                },
                |()| true
            ),
            reuse.count(async { Ok::<_, ()>(()) }, |()| true),
        );
        assert_eq!(both, (Ok(()), Ok(())));
        reuse
            .count(async { Err::<(), _>(()) }, |()| true)
            .await
            .unwrap_err();
        // Two were opened; the one of the request that failed is gone.
        assert!(reuse.expect().is_some());
        assert!(reuse.expect().is_none());
        // One that its service closes is none to wait for.
        let closed = reuse.count(async { Ok::<_, ()>(()) }, |()| false).await;
        assert_eq!(closed, Ok(()));
        assert!(reuse.expect().is_none());
    }
}
