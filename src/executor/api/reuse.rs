//! Keeps the number of connections at or below the number of concurrent requests.
//!
//! hyper's pool opens a connection whenever none is idle at that instant, even if one is about to
//! come back from a request that has just ended. Under load a service would then see many more
//! connections than requests. So this module counts the connections of the pool: a request that ends
//! adds one, and a request that starts takes one. A request that took one which was added less than
//! [`RETURN_TIME`] ago waits before it opens another; the pool gives it the first that comes back. One
//! that was added earlier is in the pool or was closed, so the request does not wait for it.
//!
//! With `n` requests at once there are at most `n` connections: a request opens one only if it took
//! none, which means that all the others were in use.

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

/// The time in which a connection reaches the pool after its request. The wait is lost only if the
/// service closed the connection.
const RETURN_TIME: Duration = Duration::from_millis(200);

tokio::task_local! {
    /// The request of this task. It is not set in the tasks in which hyper goes on connecting after
    /// another connection served the request.
    static IN_FLIGHT: InFlight;
}

struct InFlight {
    /// The end of the wait for the connection that it took from the count.
    expects: Option<Instant>,
    connects: Cell<bool>,
}

/// The count of one client.
#[derive(Clone)]
pub(super) struct ConnectionReuse(Arc<ReuseState>);

struct ReuseState {
    /// The times at which the connections that should be idle were returned, the latest last.
    left: Mutex<Vec<Instant>>,
    /// False once a wait ended without a connection because the service closed the connection; no request waits
    /// then, until a connection was used again.
    kept: AtomicBool,
}

impl ConnectionReuse {
    pub(super) fn new() -> Self {
        Self(Arc::new(ReuseState {
            left: Mutex::default(),
            kept: AtomicBool::new(true),
        }))
    }

    /// Runs one request; `leaves_connection` tells from the response if the connection may carry
    /// another one.
    pub(super) async fn count<T, E>(
        &self,
        request: impl Future<Output = Result<T, E>>,
        leaves_connection: impl FnOnce(&T) -> bool,
    ) -> Result<T, E> {
        let in_flight = InFlight {
            expects: self.take_expected().filter(|_| self.0.kept.load(Relaxed)),
            connects: Cell::new(false),
        };
        IN_FLIGHT
            .scope(in_flight, async {
                let outcome = request.await;
                if outcome.as_ref().is_ok_and(leaves_connection) {
                    self.left().push(Instant::now());
                    if !IN_FLIGHT.with(|request| request.connects.get()) {
                        self.0.kept.store(true, Relaxed);
                    }
                }
                outcome
            })
            .await
    }

    /// Takes one of the connections that should be there.
    fn take_expected(&self) -> Option<Instant> {
        self.left().pop().map(|since| since + RETURN_TIME)
    }

    fn left(&self) -> MutexGuard<'_, Vec<Instant>> {
        self.0.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Layer<S> for ConnectionReuse {
    type Service = WaitingConnector<S>;

    fn layer(&self, connector: S) -> WaitingConnector<S> {
        WaitingConnector {
            connector,
            reuse: self.clone(),
        }
    }
}

/// A connector that first waits if a connection should come back.
#[derive(Clone)]
pub(super) struct WaitingConnector<S> {
    connector: S,
    reuse: ConnectionReuse,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl<S, R> Service<R> for WaitingConnector<S>
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
            let expects = IN_FLIGHT.try_with(|request| {
                request.connects.set(true);
                request.expects
            });
            if let Ok(Some(until)) = expects
                && until > Instant::now()
            {
                tokio::time::sleep_until(until).await;
                if IN_FLIGHT.try_with(|_| ()).is_ok() {
                    reuse.0.kept.store(false, Relaxed);
                }
            }
            if IN_FLIGHT.try_with(|_| ()).is_err() {
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
        let reuse = ConnectionReuse::new();
        assert!(reuse.take_expected().is_none());
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
        assert!(reuse.take_expected().is_some());
        assert!(reuse.take_expected().is_none());
        // A connection that its service closes is not waited for.
        let closed = reuse.count(async { Ok::<_, ()>(()) }, |()| false).await;
        assert_eq!(closed, Ok(()));
        assert!(reuse.take_expected().is_none());
    }
}
