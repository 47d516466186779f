//! Executors that wrap executors: [`Retrying`] asks again, [`Fallback`] asks another one. The crate
//! never uses them unless a caller does. `js/executors.js` does the same where an executor is a
//! JavaScript object.

use std::sync::Arc;
use std::time::Duration;

use super::{BoxFuture, ModelExecutor, ModelReply, ModelRequest};
use crate::error::{ErrorCode, ErrorKind, Got, IntentError, InvalidArgument, Must};
use crate::options::within;
use crate::runtime;

/// The pause before the second attempt, before jitter; each further one is twice as long.
const FIRST_DELAY: Duration = Duration::from_millis(500);

/// Asks again where a call failed and [`IntentError::retryable`] says that it may succeed.
///
/// The pauses grow by two, with jitter, up to the longest one, and are never shorter than the service
/// asked for; where it asked for longer than that, its error is returned at once. Dropping the
/// future ends a pause.
pub struct Retrying {
    inner: Arc<dyn ModelExecutor>,
    id: String,
    attempts: u32,
    max_delay: Duration,
}

impl Retrying {
    /// Asks one question at most `attempts` times, the first time included, and pauses for at most
    /// `max_delay`.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where there are no attempts, or more than 100.
    pub fn new(
        inner: Arc<dyn ModelExecutor>,
        attempts: u32,
        max_delay: Duration,
    ) -> Result<Self, IntentError> {
        within("attempts", attempts.into(), 1, 100)?;
        let id = format!("retrying({})", inner.id());
        Ok(Self {
            inner,
            id,
            attempts,
            max_delay,
        })
    }
}

impl ModelExecutor for Retrying {
    fn id(&self) -> &str {
        &self.id
    }

    fn generate(
        &self,
        request: Arc<ModelRequest>,
    ) -> BoxFuture<'_, Result<ModelReply, IntentError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                let error = match self.inner.generate(Arc::clone(&request)).await {
                    Ok(reply) => return Ok(reply),
                    Err(error) => error,
                };
                if attempt >= self.attempts || !error.retryable() {
                    return Err(error);
                }
                let asked = error.http().and_then(|http| http.retry_after_ms);
                let Some(delay) = delay_before(attempt, self.max_delay, asked, random_fraction())
                else {
                    return Err(error);
                };
                let pause = {
                    let Some(runtime) = runtime::started() else {
                        return Err(error);
                    };
                    let _in_runtime = runtime.enter();
                    tokio::time::sleep(delay)
                };
                pause.await;
                attempt += 1;
            }
        })
    }
}

/// Returns the delay before the next attempt; `None` if the service asked for a longer one than
/// allowed. Jitter keeps many callers that failed together from coming back together.
fn delay_before(
    attempt: u32,
    most: Duration,
    asked_ms: Option<u64>,
    chance: f64,
) -> Option<Duration> {
    let doubled = FIRST_DELAY.saturating_mul(1_u32.checked_shl(attempt - 1).unwrap_or(u32::MAX));
    match asked_ms.filter(|ms| *ms > 0).map(Duration::from_millis) {
        None => Some(most.min(doubled).mul_f64(0.5 + chance / 2.0)),
        Some(asked) if asked > most => None,
        // Never before the time that the service asked for.
        Some(asked) => Some(asked + (most - asked).min(doubled).mul_f64(chance / 2.0)),
    }
}

/// Returns a random number from 0 up to 1. Without random bytes the pauses have no jitter.
fn random_fraction() -> f64 {
    let mut bytes = [0; 4];
    if getrandom::fill(&mut bytes).is_err() {
        return 0.5;
    }
    f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
}

/// Asks the next executor where a call failed.
///
/// A reply stands whatever it says: a refusal is not asked of another model. `MODEL_ABORTED`,
/// `INSTANCE_DISPOSED` and `INPUT_INVALID` are the caller's own and are returned at once; where all
/// fail, the error of the last one is.
pub struct Fallback {
    executors: Vec<Arc<dyn ModelExecutor>>,
    id: String,
}

impl Fallback {
    /// Combines executors, in the order in which they are asked.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where there are fewer than two.
    pub fn new(executors: Vec<Arc<dyn ModelExecutor>>) -> Result<Self, IntentError> {
        if executors.len() < 2 {
            let (must, got) = (
                Must::Be("at least two executors"),
                Got::Count(executors.len() as u64),
            );
            let name = "executors";
            return Err(ErrorKind::Config(InvalidArgument::Value { name, must, got }).error());
        }
        let ids: Vec<_> = executors.iter().map(|one| one.id()).collect();
        let id = format!("fallback({})", ids.join(", "));
        Ok(Self { executors, id })
    }
}

/// Returns whether the failure is the caller's, so that another executor cannot help.
const fn is_caller_error(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ModelAborted | ErrorCode::InstanceDisposed | ErrorCode::InputInvalid
    )
}

impl ModelExecutor for Fallback {
    fn id(&self) -> &str {
        &self.id
    }

    fn generate(
        &self,
        request: Arc<ModelRequest>,
    ) -> BoxFuture<'_, Result<ModelReply, IntentError>> {
        Box::pin(async move {
            let mut outcome = Err(ErrorKind::NoExecutor.error());
            for executor in &self.executors {
                outcome = executor.generate(Arc::clone(&request)).await;
                match &outcome {
                    Err(error) if !is_caller_error(error.code()) => {}
                    _ => break,
                }
            }
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::definition::IntentConfig;
    use crate::error::HttpFact;
    use crate::intent::Intent;
    use crate::request::Request;

    /// Fails with these in turn, then answers with a core candidate; counts the questions.
    struct Failing {
        errors: Mutex<Vec<IntentError>>,
        asked: Mutex<u32>,
    }

    fn failing(errors: Vec<IntentError>) -> Arc<Failing> {
        Arc::new(Failing {
            errors: Mutex::new(errors),
            asked: Mutex::new(0),
        })
    }

    const CORE: &str = r#"{"normalizedInput":"Hello.","primaryIntent":null,"requirements":[],"prohibitions":[],"intents":[]}"#;

    impl Failing {
        fn asked(&self) -> u32 {
            *self.asked.lock().unwrap()
        }
    }

    impl ModelExecutor for Failing {
        fn id(&self) -> &str {
            "failing"
        }
        fn generate(&self, _: Arc<ModelRequest>) -> BoxFuture<'_, Result<ModelReply, IntentError>> {
            *self.asked.lock().unwrap() += 1;
            let mut errors = self.errors.lock().unwrap();
            let reply = if errors.is_empty() {
                Ok(ModelReply::Complete {
                    text: CORE.to_owned(),
                    info: None.into(),
                })
            } else {
                Err(errors.remove(0))
            };
            Box::pin(async move { reply })
        }
    }

    fn failed(code: ErrorCode, retryable: bool) -> IntentError {
        IntentError::of(code, "it failed.").with_retryable(retryable)
    }

    fn ended(executor: Arc<dyn ModelExecutor>) -> Result<(), ErrorCode> {
        let intent = Intent::new(IntentConfig {
            executor: Some(executor),
            ..IntentConfig::default()
        })
        .unwrap();
        runtime::handle()
            .block_on(intent.parse(Request::new("Hello.")))
            .map(drop)
            .map_err(|error| error.code())
    }

    #[test]
    fn asks_again_where_the_error_says_so() {
        for (failures, retryable, asked, outcome) in [
            (0, true, 1, Ok(())),
            (2, true, 3, Ok(())),
            (3, true, 3, Err(ErrorCode::ModelTimeout)),
            (1, false, 1, Err(ErrorCode::ModelTimeout)),
        ] {
            let error = || failed(ErrorCode::ModelTimeout, retryable);
            let inner = failing((0..failures).map(|_| error()).collect());
            let executor = Retrying::new(inner.clone(), 3, Duration::from_millis(1)).unwrap();
            assert_eq!(executor.id(), "retrying(failing)");
            assert_eq!(ended(Arc::new(executor)), outcome);
            assert_eq!(inner.asked(), asked);
        }
    }

    #[test]
    fn a_retry_after_of_an_hour_is_not_waited_for() {
        let limited = failed(ErrorCode::ModelRateLimited, true).with_http(HttpFact {
            status: 429,
            retry_after_ms: Some(3_600_000),
            ..HttpFact::default()
        });
        let inner = failing(vec![limited]);
        let executor = Retrying::new(inner.clone(), 3, Duration::from_secs(10)).unwrap();
        assert_eq!(ended(Arc::new(executor)), Err(ErrorCode::ModelRateLimited));
        assert_eq!(inner.asked(), 1);
    }

    #[test]
    fn pauses_grow_and_are_never_shorter_than_asked() {
        let most = Duration::from_secs(10);
        for chance in [0.0, 0.25, 0.999] {
            for attempt in 1..=100 {
                let full = most.min(FIRST_DELAY.saturating_mul(1 << (attempt - 1).min(20)));
                let delay = delay_before(attempt, most, None, chance).unwrap();
                assert!(delay >= full / 2 && delay <= full, "{attempt} {delay:?}");
                let asked = delay_before(attempt, most, Some(7000), chance).unwrap();
                assert!(asked >= Duration::from_secs(7) && asked <= most);
            }
        }
        assert_eq!(delay_before(1, most, Some(10_001), 0.5), None);
        assert_eq!(
            delay_before(1, Duration::ZERO, None, 0.5),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn the_next_one_is_asked_where_a_call_failed() {
        let second = failing(vec![]);
        let first = failing(vec![failed(ErrorCode::ModelAuthFailed, false)]);
        let both = Fallback::new(vec![first, second.clone()]).unwrap();
        assert_eq!(both.id(), "fallback(failing, failing)");
        assert_eq!(ended(Arc::new(both)), Ok(()));
        assert_eq!(second.asked(), 1);
        let errors = [ErrorCode::ModelTimeout, ErrorCode::ModelRateLimited];
        let all = errors.map(|code| failing(vec![failed(code, true)]) as Arc<dyn ModelExecutor>);
        let all = Fallback::new(all.to_vec()).unwrap();
        assert_eq!(ended(Arc::new(all)), Err(ErrorCode::ModelRateLimited));
    }

    #[test]
    fn what_is_the_callers_own_ends_it() {
        for code in [
            ErrorCode::ModelAborted,
            ErrorCode::InstanceDisposed,
            ErrorCode::InputInvalid,
        ] {
            let second = failing(vec![]);
            let first = failing(vec![failed(code, false)]);
            let both = Fallback::new(vec![first, second.clone()]).unwrap();
            assert_eq!(ended(Arc::new(both)), Err(code));
            assert_eq!(second.asked(), 0);
        }
    }

    #[test]
    fn options_that_are_wrong() {
        for attempts in [0, 101] {
            let error = Retrying::new(failing(vec![]), attempts, Duration::ZERO).err();
            assert_eq!(error.unwrap().code(), ErrorCode::ConfigInvalid);
        }
        let error = Fallback::new(vec![failing(vec![])]).err();
        assert_eq!(error.unwrap().code(), ErrorCode::ConfigInvalid);
    }
}
