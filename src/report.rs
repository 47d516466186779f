//! The report of a recognition: each call to the model with its outcome, time and tokens.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use tracing::Span;
use tracing::field::Empty;

use crate::candidate::{IntentResult, fault_lines};
use crate::error::{ErrorCode, Stage};
use crate::executor::{ModelReply, ModelUsage};
use crate::observer::ContainedObserver;
use crate::pipeline::Transition;

/// The report of one recognition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParseReport {
    /// From the call of `parse` to its end.
    pub duration: Duration,
    /// Every question that was put to the executor, in order.
    pub calls: Vec<ModelCall>,
}

/// One question to the executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelCall {
    /// [`Stage::Core`] or [`Stage::Data`].
    pub stage: Stage,
    /// True if it asked for a rejected candidate again.
    pub repair: bool,
    /// The outcome.
    pub outcome: CallOutcome,
    /// The faults of a rejected candidate; else empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// From asking to the answer; the check of the candidate is not part of it.
    #[serde(rename = "durationMs", serialize_with = "millis")]
    pub duration: Duration,
    /// Tokens, if the executor reported them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ModelUsage>,
    /// The model that answered, if the executor reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The service's id of the request, if the executor reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The candidate meets every rule. That of the data stage may still report issues.
    Accepted,
    /// The candidate breaks a rule.
    Rejected,
    /// The model refused.
    Refusal,
    /// The model stopped early.
    Incomplete,
    /// There was no candidate, or none that could be checked.
    Failed(ErrorCode),
}

impl CallOutcome {
    /// The stable text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Refusal => "refusal",
            Self::Incomplete => "incomplete",
            Self::Failed(code) => code.as_str(),
        }
    }
}

impl ParseReport {
    /// The tokens of all calls together. A number that one call did not report is absent, since its
    /// sum is unknown; without any call the result is `None`.
    #[must_use]
    pub fn usage(&self) -> Option<ModelUsage> {
        let (first, rest) = self.calls.split_first()?;
        let mut sum = first.usage.unwrap_or_default();
        for call in rest {
            let usage = call.usage.unwrap_or_default();
            sum = ModelUsage {
                input_tokens: add(sum.input_tokens, usage.input_tokens),
                output_tokens: add(sum.output_tokens, usage.output_tokens),
                cached_input_tokens: add(sum.cached_input_tokens, usage.cached_input_tokens),
                reasoning_tokens: add(sum.reasoning_tokens, usage.reasoning_tokens),
            };
        }
        (sum != ModelUsage::default()).then_some(sum)
    }
}

fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

/// The calls of one recognition while it goes on.
#[derive(Debug)]
pub(crate) struct Recorder {
    calls: Vec<ModelCall>,
    asked: Option<Instant>,
    /// The last answer has not been checked yet.
    unchecked: bool,
    /// The span of the last question until its outcome is known.
    span: Span,
    observed: ContainedObserver,
}

impl Recorder {
    pub(crate) fn new(observed: ContainedObserver) -> Self {
        Self {
            calls: Vec::new(),
            asked: None,
            unchecked: false,
            span: Span::none(),
            observed,
        }
    }

    /// A question goes out; its executor runs in the span that this returns.
    pub(crate) fn asked(&mut self, stage: Stage, repair: bool) -> Span {
        self.observed
            .notify(|observer| observer.asked(stage, repair));
        self.asked = Some(Instant::now());
        self.calls.push(ModelCall {
            stage,
            repair,
            outcome: CallOutcome::Failed(ErrorCode::ModelRequestFailed),
            faults: Vec::new(),
            duration: Duration::ZERO,
            usage: None,
            model: None,
            request_id: None,
        });
        self.span = span_of(stage, repair);
        self.span.clone()
    }

    /// Its answer came, or it ended with an error.
    pub(crate) fn answered(&mut self, reply: Result<&ModelReply, ErrorCode>) {
        let (Some(asked), Some(call)) = (self.asked.take(), self.calls.last_mut()) else {
            // The recognition ended before the first question, or while an answer was checked.
            if let Err(code) = reply {
                self.ended(code);
            }
            return;
        };
        call.duration = asked.elapsed();
        match reply {
            Err(code) => {
                call.outcome = CallOutcome::Failed(code);
                self.report_last();
            }
            Ok(reply) => {
                self.unchecked = true;
                let info = reply.info();
                call.usage = info.usage;
                call.model.clone_from(&info.model);
                call.request_id.clone_from(&info.request_id);
                call.outcome = match reply {
                    ModelReply::Complete { .. } => CallOutcome::Accepted,
                    ModelReply::Refusal { .. } => CallOutcome::Refusal,
                    ModelReply::Incomplete { .. } => CallOutcome::Incomplete,
                };
            }
        }
    }

    /// The recognition ended while an answer was checked.
    fn ended(&mut self, code: ErrorCode) {
        if let Some(call) = self.calls.last_mut().filter(|_| self.unchecked) {
            call.outcome = CallOutcome::Failed(code);
            self.unchecked = false;
            self.report_last();
        }
    }

    /// Reports the outcome of the last question.
    fn report_last(&mut self) {
        let span = std::mem::replace(&mut self.span, Span::none());
        if let Some(call) = self.calls.last() {
            record(&span, call);
            self.observed.notify(|observer| observer.answered(call));
        }
    }

    /// The answer to a question of this stage was checked.
    pub(crate) fn checked(&mut self, stage: Stage, transition: &Transition) {
        self.unchecked = false;
        self.note_check(transition);
        self.report_last();
        if stage == Stage::Core {
            self.report_core(transition);
        }
    }

    fn report_core(&self, transition: &Transition) {
        match transition {
            Transition::Ask(next, _) => {
                if let Some(core) = next.core() {
                    self.observed
                        .notify(|observer| observer.core(core.result()));
                }
            }
            Transition::Done(result) => self.observed.notify(|observer| {
                // A recognition without a data stage has an empty list of evidence, if evidence was requested.
                if result.evidence.is_some() {
                    observer.core(&Arc::new(IntentResult {
                        evidence: None,
                        ..IntentResult::clone(result)
                    }));
                } else {
                    observer.core(result);
                }
            }),
            Transition::Failed(_) => {}
        }
    }

    fn note_check(&mut self, transition: &Transition) {
        let Some(call) = self.calls.last_mut() else {
            return;
        };
        if call.outcome != CallOutcome::Accepted {
            return;
        }
        match transition {
            Transition::Done(_) => {}
            Transition::Ask(next, _) => {
                if let Some(repair) = next.repair() {
                    call.outcome = CallOutcome::Rejected;
                    call.faults = fault_lines(&repair.diagnostic);
                }
            }
            Transition::Failed(error) => match error.code() {
                ErrorCode::DataExtractionFailed => {}
                ErrorCode::ModelOutputInvalid => {
                    call.outcome = CallOutcome::Rejected;
                    call.faults = error.faults().to_vec();
                }
                code => call.outcome = CallOutcome::Failed(code),
            },
        }
    }

    /// The report, once the recognition has ended.
    pub(crate) fn report(self, begun: Instant) -> ParseReport {
        ParseReport {
            duration: begun.elapsed(),
            calls: self.calls,
        }
    }
}

/// The span of a question: a [`ModelCall`] without its faults, which may quote the model.
fn span_of(stage: Stage, repair: bool) -> Span {
    tracing::info_span!(
        "intent_runtime.question",
        stage = stage.as_str(),
        repair,
        outcome = Empty,
        model = Empty,
        request_id = Empty,
        input_tokens = Empty,
        output_tokens = Empty,
        cached_input_tokens = Empty,
        reasoning_tokens = Empty,
    )
}

/// Records the outcome of a question in its span. Unknown fields stay empty.
fn record(span: &Span, call: &ModelCall) {
    // Without a listener, the lookups of fields by name would be wasted.
    if span.is_disabled() {
        return;
    }
    let usage = call.usage.unwrap_or_default();
    span.record("outcome", call.outcome.as_str())
        .record("model", call.model.as_deref())
        .record("request_id", call.request_id.as_deref())
        .record("input_tokens", usage.input_tokens)
        .record("output_tokens", usage.output_tokens)
        .record("cached_input_tokens", usage.cached_input_tokens)
        .record("reasoning_tokens", usage.reasoning_tokens);
}

/// Milliseconds to the microsecond.
fn millis<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_micros() as f64 / 1000.0)
}

/// `{ durationMs, calls, usage? }`
impl Serialize for ParseReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Whole<'r> {
            #[serde(serialize_with = "millis")]
            duration_ms: Duration,
            calls: &'r [ModelCall],
            #[serde(skip_serializing_if = "Option::is_none")]
            usage: Option<ModelUsage>,
        }
        Whole {
            duration_ms: self.duration,
            calls: &self.calls,
            usage: self.usage(),
        }
        .serialize(serializer)
    }
}

impl Serialize for CallOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(usage: Option<ModelUsage>) -> ModelCall {
        ModelCall {
            stage: Stage::Core,
            repair: false,
            outcome: CallOutcome::Accepted,
            faults: Vec::new(),
            duration: Duration::from_micros(1500),
            usage,
            model: None,
            request_id: None,
        }
    }

    fn tokens(input: Option<u64>, output: Option<u64>) -> ModelUsage {
        ModelUsage {
            input_tokens: input,
            output_tokens: output,
            ..ModelUsage::default()
        }
    }

    #[test]
    fn a_sum_needs_every_call() {
        let sum = |usages: &[Option<ModelUsage>]| {
            ParseReport {
                calls: usages.iter().copied().map(call).collect(),
                ..ParseReport::default()
            }
            .usage()
        };
        assert_eq!(sum(&[]), None);
        assert_eq!(sum(&[None]), None);
        let told = tokens(Some(3), Some(4));
        assert_eq!(sum(&[Some(told)]), Some(told));
        assert_eq!(
            sum(&[Some(told), Some(told)]),
            Some(tokens(Some(6), Some(8)))
        );
        assert_eq!(sum(&[Some(told), None]), None);
        assert_eq!(
            sum(&[Some(told), Some(tokens(Some(1), None))]),
            Some(tokens(Some(4), None))
        );
        assert_eq!(sum(&[Some(tokens(Some(u64::MAX), None)), Some(told)]), None);
        assert_eq!(
            sum(&[Some(tokens(Some(0), None))]),
            Some(tokens(Some(0), None))
        );
    }

    #[test]
    fn json_leaves_out_what_is_not_known() {
        let mut rejected = call(Some(tokens(Some(1), None)));
        rejected.outcome = CallOutcome::Rejected;
        rejected.faults = vec!["/a: no".to_owned()];
        rejected.request_id = Some("r1".to_owned());
        let report = ParseReport {
            duration: Duration::from_millis(2),
            calls: vec![rejected, call(None)],
        };
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            concat!(
                r#"{"durationMs":2.0,"calls":[{"stage":"core","repair":false,"outcome":"rejected","#,
                r#""faults":["/a: no"],"durationMs":1.5,"usage":{"inputTokens":1},"requestId":"r1"},"#,
                r#"{"stage":"core","repair":false,"outcome":"accepted","durationMs":1.5}]}"#
            )
        );
        assert_eq!(
            CallOutcome::Failed(ErrorCode::ModelTimeout).as_str(),
            "MODEL_TIMEOUT"
        );
    }
}
