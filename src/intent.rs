//! [`Intent`]: an instance, and the driver that asks its executor.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tracing::Instrument as _;

use crate::admission::{Admission, Permit};
use crate::cancel::Cancel;
use crate::candidate::IntentResult;
use crate::catch_panic::CatchPanic;
use crate::definition::{Definition, IntentConfig, TimeoutMs};
use crate::error::{ErrorKind, IntentError, Stage};
use crate::executor::{ModelExecutor, ModelRequest};
use crate::materials::Materials;
use crate::observer::{ContainedObserver, ParseObserver};
use crate::pipeline::{CancelOutcome, Pipeline, Transition};
use crate::report::{ParseReport, Recorder};
use crate::request::Request;
use crate::runtime;
use crate::validation_queue::ValidationQueue;

/// Recognises what users ask for; cheap to clone, all clones are the same instance.
///
/// ```
/// use intent_runtime::{Intent, IntentConfig};
/// # fn main() -> Result<(), intent_runtime::IntentError> {
/// let intent = Intent::new(IntentConfig { language: "zh-CN".into(), ..IntentConfig::default() })?;
/// # intent.dispose();
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Intent(Arc<Inner>);

struct Inner {
    definition: Arc<Definition>,
    executor: Option<Arc<dyn ModelExecutor>>,
    timeout: Option<Duration>,
    validations: ValidationQueue,
    parses: Admission,
    disposed: Cancel,
    hooks: Mutex<Vec<Weak<DisposeHook>>>,
}

/// A function that is called at once when an instance is disposed.
pub(crate) type DisposeHook = dyn Fn() + Send + Sync;

/// An admitted parse: its permit, and the first question.
struct Admitted {
    permit: Permit,
    executor: Arc<dyn ModelExecutor>,
    pipeline: Pipeline,
    question: Arc<ModelRequest>,
}

/// A parse that has begun: its time is running, and it has a permit or an error.
pub(crate) struct Recognition {
    intent: Intent,
    begun: Instant,
    deadline: Option<tokio::time::Instant>,
    cancel: Cancel,
    admitted: Result<Admitted, IntentError>,
}

/// The reason why a parse ends early.
#[derive(Clone, Copy)]
enum Interruption {
    Aborted,
    Disposed,
    Deadline,
}

impl Intent {
    /// Checks a configuration and builds an instance.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED` or `LIMIT_EXCEEDED`, all of stage `config`.
    pub fn new(config: IntentConfig) -> Result<Self, IntentError> {
        let IntentConfig {
            language,
            schema,
            executor,
            timeout_ms,
            repair_attempts,
            limits,
            unknown_keywords,
            evidence,
            evidence_from,
            data_without_intent,
            proof,
        } = config;
        let schema = schema.map(|(value, origin)| (value, unknown_keywords.applied_to(origin)));
        TimeoutMs::check("timeoutMs", timeout_ms)?;
        let validations = ValidationQueue::new(&limits);
        let parses = Admission::new(&limits);
        let definition = Definition::new(&language, schema, repair_attempts, limits)?
            .with_evidence(&evidence, evidence_from.as_deref())?
            .with_data_without_intent(data_without_intent)
            .with_proof(proof);
        let definition = Arc::new(definition);
        Ok(Self(Arc::new(Inner {
            definition,
            executor,
            timeout: (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms)),
            validations,
            parses,
            disposed: Cancel::new(),
            hooks: Mutex::default(),
        })))
    }

    /// Recognises one request. Dropping the future gives it up.
    ///
    /// # Errors
    /// Any [`ErrorCode`] but those of configuration and Bridge; once core has succeeded the error
    /// carries [`IntentError::partial_result`].
    pub async fn parse(&self, request: Request) -> Result<Arc<IntentResult>, IntentError> {
        self.parse_until(request, Cancel::new()).await
    }

    /// [`parse`](Self::parse), with what the recognition did. An error has its report with it:
    /// [`IntentError::report`].
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub async fn parse_with_report(
        &self,
        request: Request,
    ) -> Result<(Arc<IntentResult>, ParseReport), IntentError> {
        self.parse_with_report_until(request, Cancel::new()).await
    }

    /// [`parse`](Self::parse) that a [`Cancel`] can end with `MODEL_ABORTED`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub async fn parse_until(
        &self,
        request: Request,
        cancel: Cancel,
    ) -> Result<Arc<IntentResult>, IntentError> {
        let (result, _) = self.parse_with_report_until(request, cancel).await?;
        Ok(result)
    }

    /// [`parse_until`](Self::parse_until), with what the recognition did.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub async fn parse_with_report_until(
        &self,
        request: Request,
        cancel: Cancel,
    ) -> Result<(Arc<IntentResult>, ParseReport), IntentError> {
        self.begin(request, cancel)
            .finish(ContainedObserver::default())
            .await
    }

    /// [`parse_with_report_until`](Self::parse_with_report_until) that tells an observer what
    /// happens as it happens: each question and what came of it, and the core result as soon as it
    /// stands.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub async fn parse_observed(
        &self,
        request: Request,
        cancel: Cancel,
        observer: Arc<dyn ParseObserver>,
    ) -> Result<(Arc<IntentResult>, ParseReport), IntentError> {
        self.begin(request, cancel)
            .finish(ContainedObserver::new(observer))
            .await
    }

    /// Checks a request and takes its permit, at once: calls get their slots in the order in which
    /// they were made, whatever thread goes on with them.
    pub(crate) fn begin(&self, request: Request, cancel: Cancel) -> Recognition {
        let timeout = self.0.timeout;
        Recognition {
            begun: Instant::now(),
            deadline: timeout.map(|timeout| tokio::time::Instant::now() + timeout),
            admitted: self.admit(request),
            intent: self.clone(),
            cancel,
        }
    }

    fn admit(&self, request: Request) -> Result<Admitted, IntentError> {
        let inner = &*self.0;
        self.check_not_disposed()?;
        let materials = Materials::new(&inner.definition, request)?;
        let executor = inner
            .executor
            .clone()
            .ok_or_else(|| ErrorKind::NoExecutor.error())?;
        let permit = inner.parses.enter()?;
        let (pipeline, question) = Pipeline::start(Arc::clone(&inner.definition), materials)?;
        Ok(Admitted {
            permit,
            executor,
            pipeline,
            question,
        })
    }

    async fn recognise(
        &self,
        admitted: Admitted,
        deadline: Option<tokio::time::Instant>,
        cancel: Cancel,
        recorder: &mut Recorder,
    ) -> Result<Arc<IntentResult>, IntentError> {
        let inner = &*self.0;
        let Admitted {
            mut permit,
            executor,
            mut pipeline,
            mut question,
        } = admitted;
        let sleep = match deadline {
            Some(deadline) => {
                let runtime = runtime::started()
                    .ok_or_else(|| pipeline.error(&ErrorKind::NoThread("time the call")))?;
                let _in_runtime = runtime.enter();
                Some(tokio::time::sleep_until(deadline))
            }
            None => None,
        };
        let ended = async {
            let timer = async {
                match sleep {
                    Some(sleep) => sleep.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = inner.disposed.wait() => Interruption::Disposed,
                () = cancel.wait() => Interruption::Aborted,
                () = timer => Interruption::Deadline,
            }
        };
        tokio::pin!(ended);
        if permit.waits() {
            tokio::select! {
                biased;
                end = &mut ended => return Err(self.queue_interruption_error(&pipeline, end)),
                () = permit.slot() => {}
            }
        }
        loop {
            let asked = {
                let (recorder, executor) = (&mut *recorder, &*executor);
                let (stage, repair) = (pipeline.stage(), pipeline.repair().is_some());
                // The model is asked at the first poll, so a parse that has ended already asks no model.
                let asking = std::pin::pin!(async move {
                    let span = recorder.asked(stage, repair);
                    let reply = span.in_scope(|| executor.generate(question));
                    reply.instrument(span).await
                });
                tokio::select! {
                    biased;
                    end = &mut ended => Err(self.interruption_error(&pipeline, end)),
                    reply = CatchPanic(asking) => reply
                        .unwrap_or_else(|| Err(ErrorKind::Internal("the call to the model").error()))
                        .map_err(|error| pipeline.complete(error)),
                }
            };
            let reply = asked?;
            recorder.answered(Ok(&reply));
            let transition = match inner.validations.check_now(&pipeline, &reply) {
                Some(transition) => transition,
                None => tokio::select! {
                    biased;
                    end = &mut ended => return Err(self.interruption_error(&pipeline, end)),
                    transition = inner.validations.check_on_worker(&pipeline, Arc::new(reply)) => transition,
                },
            };
            recorder.checked(pipeline.stage(), &transition);
            match transition {
                Transition::Ask(next, request) => (pipeline, question) = (next, request),
                Transition::Done(result) => return Ok(result),
                Transition::Failed(error) => return Err(error),
            }
        }
    }

    /// Ends running and later parses, and jobs of Bridges, with `INSTANCE_DISPOSED`, at once.
    pub fn dispose(&self) {
        self.0.disposed.set();
        let hooks =
            std::mem::take(&mut *self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner));
        for hook in hooks.iter().filter_map(Weak::upgrade) {
            hook();
        }
    }

    /// Returns once nothing of the instance is running.
    pub async fn idle(&self) {
        self.0.parses.idle().await;
        self.0.validations.idle().await;
    }

    /// True if it was disposed.
    #[must_use]
    pub fn is_disposed(&self) -> bool {
        self.0.disposed.is_set()
    }

    /// `INSTANCE_DISPOSED` of stage `input`, where it was disposed.
    pub(crate) fn check_not_disposed(&self) -> Result<(), IntentError> {
        if self.is_disposed() {
            return Err(ErrorKind::Disposed.at_stage(Stage::Input));
        }
        Ok(())
    }

    /// The definition of the instance.
    #[must_use]
    pub fn definition(&self) -> &Arc<Definition> {
        &self.0.definition
    }

    /// The queue in which its candidates are checked.
    pub(crate) fn validations(&self) -> &ValidationQueue {
        &self.0.validations
    }

    /// Calls the hook when the instance is disposed, for as long as the hook lives.
    pub(crate) fn on_dispose(&self, hook: &Arc<DisposeHook>) {
        let mut hooks = self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        hooks.retain(|hook| hook.strong_count() > 0);
        hooks.push(Arc::downgrade(hook));
    }

    /// True if two handles are the same instance.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn queue_interruption_error(&self, pipeline: &Pipeline, end: Interruption) -> IntentError {
        let Interruption::Deadline = end else {
            return self.interruption_error(pipeline, end);
        };
        let ms = self.0.timeout.unwrap_or_default().as_millis();
        let running = self.0.definition.limits().max_concurrent_parses;
        pipeline.error(&ErrorKind::DeadlineInQueue { ms, running })
    }

    fn interruption_error(&self, pipeline: &Pipeline, end: Interruption) -> IntentError {
        match end {
            Interruption::Aborted => pipeline.cancel_error(CancelOutcome::Aborted, None),
            Interruption::Disposed => disposed_error(pipeline),
            Interruption::Deadline => {
                let ms = self.0.timeout.unwrap_or_default().as_millis();
                pipeline.error(&ErrorKind::Deadline { ms })
            }
        }
    }
}

impl Recognition {
    /// Runs the parse and returns the outcome with its report.
    pub(crate) async fn finish(
        self,
        observed: ContainedObserver,
    ) -> Result<(Arc<IntentResult>, ParseReport), IntentError> {
        let mut recorder = Recorder::new(observed);
        let outcome = match self.admitted {
            Ok(admitted) => {
                self.intent
                    .recognise(admitted, self.deadline, self.cancel, &mut recorder)
                    .await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(result) => Ok((result, recorder.report(self.begun))),
            Err(error) => {
                recorder.answered(Err(error.code()));
                Err(error.with_report(Arc::new(recorder.report(self.begun))))
            }
        }
    }
}

/// `INSTANCE_DISPOSED` at the stage that the disposal interrupted.
pub(crate) fn disposed_error(pipeline: &Pipeline) -> IntentError {
    pipeline.error(&ErrorKind::Disposed)
}

impl fmt::Debug for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let executor = self.0.executor.as_ref().map(|executor| executor.id());
        f.debug_struct("Intent")
            .field("language", &self.0.definition.language())
            .field("executor", &executor)
            .finish_non_exhaustive()
    }
}
