//! No more connections than requests at once.
//!
//! hyper's pool opens a connection whenever none is idle at that instant, even while one is on
//! its way back from a request that has just ended; under load a service then sees many more
//! connections than requests. So the pool's content is counted along: a request that ends leaves
//! a connection behind, one that starts may expect it. Who expects one waits a little before
//! opening another (the pool hands over the first that comes back), and who got one meanwhile
//! opens none.
//!
//! With `n` requests at once there are then at most `n` connections: each was opened by a request
//! that had none to expect, that is, when every one opened before was in use.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tower_layer::Layer;
use tower_service::Service;

/// How long to wait for a connection that should come back. It is lost time only where the service
/// closed it first.
const PATIENCE: Duration = Duration::from_millis(200);

tokio::task_local! {
    /// The request of this task. Not set in the tasks in which hyper goes on connecting for a
    /// request that has been served meanwhile.
    static TURN: Turn;
}

struct Turn {
    expects: bool,
    connects: Cell<bool>,
}

/// The count of one client.
#[derive(Clone)]
pub(super) struct Reuse(Arc<Counted>);

struct Counted {
    /// When each connection that should be idle became so, the latest last.
    left: Mutex<VecDeque<Instant>>,
    /// For how long the pool keeps one.
    idle: Duration,
    /// Whether the service keeps connections open, as far as was seen. One that does not is not
    /// waited for.
    kept: AtomicBool,
}

impl Reuse {
    /// For a pool that keeps connections so long.
    pub(super) fn new(idle: Duration) -> Self {
        Self(Arc::new(Counted {
            left: Mutex::default(),
            idle,
            kept: AtomicBool::new(true),
        }))
    }

    /// Runs one request.
    pub(super) async fn count<T, E>(
        &self,
        request: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let turn = Turn {
            expects: self.expect() && self.0.kept.load(Relaxed),
            connects: Cell::new(false),
        };
        TURN.scope(turn, async {
            let outcome = request.await;
            if outcome.is_ok() {
                self.left().push_back(Instant::now());
                if !TURN.with(|turn| turn.connects.get()) {
                    self.0.kept.store(true, Relaxed);
                }
            }
            outcome
        })
        .await
    }

    /// Takes one of the connections that should be there.
    fn expect(&self) -> bool {
        let mut left = self.left();
        while left
            .front()
            .is_some_and(|since| since.elapsed() >= self.0.idle)
        {
            left.pop_front();
        }
        left.pop_back().is_some()
    }

    fn left(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.0.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the client's connector goes through.
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
            if expects == Ok(true) {
                tokio::time::sleep(PATIENCE).await;
            }
            if TURN.try_with(|_| ()).is_err() {
                return Err("the request was served by another connection".into());
            }
            if expects == Ok(true) {
                reuse.0.kept.store(false, Relaxed);
            }
            connector.call(request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_are_expected_while_they_last() {
        let reuse = Reuse::new(Duration::from_millis(50));
        assert!(!reuse.expect());
        for _ in 0..2 {
            reuse.count(async { Ok::<_, ()>(()) }).await.unwrap();
        }
        // The second expected what the first had left.
        assert!(reuse.expect());
        assert!(!reuse.expect());
        reuse.count(async { Err::<(), _>(()) }).await.unwrap_err();
        assert!(!reuse.expect());
        reuse.count(async { Ok::<_, ()>(()) }).await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert!(!reuse.expect());
    }
}
