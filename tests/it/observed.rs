//! What a recognition did, as a Rust caller learns it: the report, the observer, the `tracing` spans.
//! All three tell the same of every question, however it ends.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use intent_runtime::executor::BoxFuture;
use intent_runtime::schema::Origin;
use intent_runtime::{
    CallOutcome, Cancel, ErrorCode, Intent, IntentConfig, IntentError, IntentResult, Limits,
    ModelCall, ModelExecutor, ModelReply, ModelRequest, ModelUsage, ParseObserver, ParseReport,
    ReplyInfo, Request, Stage,
};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Instrument as _, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use crate::bridge::{core, data};

const INPUT: &str = "Query order 000123.";

/// What a model does when it is asked.
enum Answer {
    Reply(ModelReply),
    Error(ErrorCode),
    Panic,
    Silence,
}

impl Answer {
    fn text(text: impl Into<String>, info: ReplyInfo) -> Self {
        let text = text.into();
        Self::Reply(ModelReply::Complete { text, info })
    }

    fn plain(text: impl Into<String>) -> Self {
        Self::text(text, ReplyInfo::default())
    }
}

/// Gives its answers in their order. Its own spans begin where it is called and where it is polled.
struct Scripted(Mutex<VecDeque<Answer>>);

impl ModelExecutor for Scripted {
    fn id(&self) -> &str {
        "scripted"
    }

    fn generate(&self, _: Arc<ModelRequest>) -> BoxFuture<'_, Result<ModelReply, IntentError>> {
        drop(tracing::info_span!("called"));
        let answer = self.0.lock().unwrap().pop_front().unwrap();
        Box::pin(async move {
            drop(tracing::info_span!("polled"));
            match answer {
                Answer::Reply(reply) => Ok(reply),
                Answer::Error(code) => Err(IntentError::of(code, "the model is away.")),
                Answer::Panic => panic!("a fault of the executor"),
                Answer::Silence => std::future::pending().await,
            }
        })
    }
}

/// Keeps what it is told.
#[derive(Default)]
struct Noted(Mutex<Vec<Note>>);

#[derive(Debug, Clone, PartialEq)]
enum Note {
    Core(Arc<IntentResult>),
    Asked(Stage, bool),
    Answered(ModelCall),
}

impl ParseObserver for Noted {
    fn core(&self, result: &Arc<IntentResult>) {
        self.0.lock().unwrap().push(Note::Core(Arc::clone(result)));
    }

    fn asked(&self, stage: Stage, repair: bool) {
        self.0.lock().unwrap().push(Note::Asked(stage, repair));
    }

    fn answered(&self, call: &ModelCall) {
        self.0.lock().unwrap().push(Note::Answered(call.clone()));
    }
}

/// A span that has begun: its name, the span around it, its fields, and whether it has ended.
#[derive(Debug, Clone, Default)]
struct Seen {
    name: &'static str,
    parent: Option<&'static str>,
    fields: BTreeMap<&'static str, String>,
    ended: bool,
}

impl Visit for Seen {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}

/// Records every span, in the order in which they begin.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(Id, Seen)>>>);

impl Spans {
    fn change(&self, id: &Id, change: impl FnOnce(&mut Seen)) {
        let mut spans = self.0.lock().unwrap();
        // An id is used again once its span has ended.
        let of_id = spans.iter_mut().rev().find(|(known, _)| known == id);
        change(&mut of_id.unwrap().1);
    }

    fn named(&self, name: &str) -> Vec<Seen> {
        let spans = self.0.lock().unwrap();
        let seen = spans.iter().map(|(_, seen)| seen);
        seen.filter(|seen| seen.name == name).cloned().collect()
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut seen = Seen {
            name: attributes.metadata().name(),
            parent: context.lookup_current().map(|span| span.name()),
            ..Seen::default()
        };
        attributes.record(&mut seen);
        self.0.lock().unwrap().push((id.clone(), seen));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        self.change(id, |seen| values.record(seen));
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.change(&id, |seen| seen.ended = true);
    }
}

fn intent(answers: Vec<Answer>, change: impl FnOnce(&mut IntentConfig)) -> Intent {
    let schema = json!({
        "type": "object",
        "properties": { "orderId": { "type": "string", "description": "Order id." } },
        "required": ["orderId"],
    });
    let mut config = IntentConfig {
        executor: Some(Arc::new(Scripted(Mutex::new(answers.into())))),
        schema: Some((schema, Origin::Json)),
        ..IntentConfig::default()
    };
    change(&mut config);
    Intent::new(config).unwrap()
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().build().unwrap().block_on(future)
}

struct Observed {
    result: Result<Arc<IntentResult>, IntentError>,
    report: ParseReport,
    notes: Vec<Note>,
    spans: Spans,
}

/// One recognition below a span `request`, with all that was told of it.
fn observe(intent: &Intent, cancel: Cancel) -> Observed {
    let (noted, spans) = (Arc::new(Noted::default()), Spans::default());
    let _listens =
        tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let outcome = block_on(
        intent
            .parse_observed(Ok(Request::new(INPUT)), cancel, Arc::clone(&noted) as _)
            .instrument(tracing::info_span!("request")),
    );
    let notes = noted.0.lock().unwrap().clone();
    let (result, report) = match outcome {
        Ok((result, report)) => (Ok(result), report),
        Err(error) => {
            let report = ParseReport::clone(error.report().unwrap());
            (Err(error), report)
        }
    };
    Observed {
        result,
        report,
        notes,
        spans,
    }
}

/// What the span of a question has of a call.
fn fields_of(call: &ModelCall) -> BTreeMap<&'static str, String> {
    let usage = call.usage.unwrap_or_default();
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    [
        ("stage", Some(call.stage.as_str().to_owned())),
        ("repair", Some(call.repair.to_string())),
        ("outcome", Some(call.outcome.as_str().to_owned())),
        ("model", call.model.clone()),
        ("request_id", call.request_id.clone()),
        ("input_tokens", number(usage.input_tokens)),
        ("output_tokens", number(usage.output_tokens)),
        ("cached_input_tokens", number(usage.cached_input_tokens)),
        ("reasoning_tokens", number(usage.reasoning_tokens)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

impl Observed {
    fn code(&self) -> Option<ErrorCode> {
        self.result.as_ref().err().map(IntentError::code)
    }

    fn outcomes(&self) -> Vec<(Stage, bool, &'static str)> {
        let calls = self.report.calls.iter();
        calls
            .map(|call| (call.stage, call.repair, call.outcome.as_str()))
            .collect()
    }

    /// The observer and the spans tell of each call what the report tells.
    fn agrees(&self) {
        let calls = &self.report.calls;
        let told = self.notes.iter().filter_map(|note| match note {
            Note::Answered(call) => Some(call),
            _ => None,
        });
        assert!(told.eq(calls));
        let asked = self.notes.iter().filter_map(|note| match note {
            Note::Asked(stage, repair) => Some((*stage, *repair)),
            _ => None,
        });
        assert!(asked.eq(calls.iter().map(|call| (call.stage, call.repair))));

        let questions = self.spans.named("intent_runtime.question");
        assert_eq!(questions.len(), calls.len());
        for (span, call) in questions.iter().zip(calls) {
            assert_eq!(span.fields, fields_of(call));
            assert_eq!((span.parent, span.ended), (Some("request"), true));
        }
        for name in ["called", "polled"] {
            let own = self.spans.named(name);
            assert_eq!(own.len(), calls.len());
            for span in own {
                assert_eq!(span.parent, Some("intent_runtime.question"));
            }
        }
        let sum: Duration = calls.iter().map(|call| call.duration).sum();
        assert!(self.report.duration >= sum);
    }
}

fn tokens(input: u64, output: u64) -> ModelUsage {
    ModelUsage {
        input_tokens: Some(input),
        output_tokens: Some(output),
        cached_input_tokens: Some(0),
        reasoning_tokens: None,
    }
}

#[test]
fn two_stages_with_a_repair_in_each() {
    let info = |id: &str| ReplyInfo {
        usage: Some(tokens(10, 4)),
        model: Some("m-1".to_owned()),
        request_id: Some(id.to_owned()),
    };
    let mut unproved = data();
    unproved["data"]["orderId"] = "777777".into();
    let answers = vec![
        Answer::text("{}", info("r-1")),
        Answer::text(core(), info("r-2")),
        Answer::text(unproved.to_string(), info("r-3")),
        Answer::text(data().to_string(), info("r-4")),
    ];
    let observed = observe(&intent(answers, |_| {}), Cancel::new());
    observed.agrees();
    assert_eq!(
        observed.outcomes(),
        [
            (Stage::Core, false, "rejected"),
            (Stage::Core, true, "accepted"),
            (Stage::Data, false, "rejected"),
            (Stage::Data, true, "accepted"),
        ]
    );
    for call in &observed.report.calls {
        let rejected = call.outcome == CallOutcome::Rejected;
        assert_eq!(call.faults.is_empty(), !rejected);
    }
    let missing = "(root): the key \"intents\" is missing".to_owned();
    assert!(observed.report.calls[0].faults.contains(&missing));
    assert_eq!(observed.report.usage(), Some(tokens(40, 16)));
    // Core is told once, between the answer that it came of and the question for the data.
    assert!(matches!(
        &observed.notes[2..6],
        [
            Note::Asked(Stage::Core, true),
            Note::Answered(_),
            Note::Core(_),
            Note::Asked(Stage::Data, false)
        ]
    ));
    assert_eq!(
        observed.result.unwrap().data["orderId"],
        Value::from("000123")
    );
    // No span holds a fault, which quotes the candidate, or anything else of a text.
    let spans = observed.spans.0.lock().unwrap();
    for (_, span) in &*spans {
        for value in span.fields.values() {
            assert!(
                !value.contains("777777") && !value.contains("root"),
                "{value}"
            );
        }
    }
}

#[test]
fn a_sum_is_absent_where_one_call_did_not_tell() {
    let told = ReplyInfo::from(Some(tokens(10, 4)));
    let answers = vec![
        Answer::text(core(), told),
        Answer::plain(data().to_string()),
    ];
    let observed = observe(&intent(answers, |_| {}), Cancel::new());
    observed.agrees();
    assert!(observed.result.is_ok());
    assert_eq!(observed.report.usage(), None);
}

#[test]
fn each_end_without_a_result() {
    let refusal = |usage| {
        let info = ReplyInfo::from(usage);
        let detail = Some("no".to_owned());
        Answer::Reply(ModelReply::Refusal { detail, info })
    };
    let incomplete = || {
        let (detail, info) = (None, ReplyInfo::from(Some(tokens(3, 9))));
        Answer::Reply(ModelReply::Incomplete { detail, info })
    };
    let usual: fn(&mut IntentConfig) = |_| {};
    let brief: fn(&mut IntentConfig) = |config| config.timeout_ms = 30;
    let short: fn(&mut IntentConfig) = |config| {
        config.limits = Limits {
            max_output_bytes: 9,
            ..Limits::default()
        };
    };
    let once: fn(&mut IntentConfig) = |config| config.repair_attempts = 0;
    for (last, change, code, outcome) in [
        (
            refusal(Some(tokens(5, 1))),
            usual,
            ErrorCode::ModelRefused,
            "refusal",
        ),
        (refusal(None), usual, ErrorCode::ModelRefused, "refusal"),
        (
            incomplete(),
            usual,
            ErrorCode::ModelOutputIncomplete,
            "incomplete",
        ),
        (
            Answer::Error(ErrorCode::ModelRateLimited),
            usual,
            ErrorCode::ModelRateLimited,
            "MODEL_RATE_LIMITED",
        ),
        (
            Answer::Panic,
            usual,
            ErrorCode::ModelRequestFailed,
            "MODEL_REQUEST_FAILED",
        ),
        (
            Answer::Silence,
            brief,
            ErrorCode::ModelTimeout,
            "MODEL_TIMEOUT",
        ),
        (
            Answer::plain(core()),
            short,
            ErrorCode::LimitExceeded,
            "LIMIT_EXCEEDED",
        ),
        (
            Answer::plain("{}"),
            once,
            ErrorCode::ModelOutputInvalid,
            "rejected",
        ),
    ] {
        let observed = observe(&intent(vec![last], change), Cancel::new());
        observed.agrees();
        assert_eq!(observed.code(), Some(code));
        assert_eq!(observed.outcomes(), [(Stage::Core, false, outcome)]);
        assert!(
            !observed
                .notes
                .iter()
                .any(|note| matches!(note, Note::Core(_)))
        );
    }
}

#[test]
fn an_end_in_the_data_stage_keeps_the_call_before_it() {
    let usage = Some(tokens(7, 2));
    let answers = vec![Answer::text(core(), usage.into()), Answer::Silence];
    let observed = observe(
        &intent(answers, |config| config.timeout_ms = 200),
        Cancel::new(),
    );
    observed.agrees();
    assert_eq!(observed.code(), Some(ErrorCode::ModelTimeout));
    assert_eq!(
        observed.outcomes(),
        [
            (Stage::Core, false, "accepted"),
            (Stage::Data, false, "MODEL_TIMEOUT"),
        ]
    );
    // The timeout told no tokens, so their sum is unknown.
    assert_eq!(observed.report.usage(), None);
    assert_eq!(observed.report.calls[0].usage, usage);
    assert!(
        observed
            .notes
            .iter()
            .any(|note| matches!(note, Note::Core(_)))
    );
}

#[test]
fn what_asks_nobody_has_no_question() {
    let cancel = Cancel::new();
    cancel.set();
    let aborted = observe(&intent(vec![], |_| {}), cancel);
    aborted.agrees();
    assert_eq!(aborted.code(), Some(ErrorCode::ModelAborted));
    let intent = intent(vec![], |_| {});
    intent.dispose();
    let disposed = observe(&intent, Cancel::new());
    disposed.agrees();
    assert_eq!(disposed.code(), Some(ErrorCode::InstanceDisposed));
    for ParseReport { calls, .. } in [aborted.report, disposed.report] {
        assert_eq!(calls, []);
    }
}

#[test]
fn a_dropped_recognition_ends_its_span_without_an_outcome() {
    let spans = Spans::default();
    let _listens =
        tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let intent = intent(vec![Answer::Silence], |_| {});
    block_on(async {
        tokio::select! {
            biased;
            _ = intent.parse(Request::new(INPUT)) => panic!("it was answered"),
            () = std::future::ready(()) => {}
        }
    });
    let [question] = &spans.named("intent_runtime.question")[..] else {
        panic!("one question was asked");
    };
    assert!(question.ended);
    assert_eq!(
        question.fields.keys().copied().collect::<Vec<_>>(),
        ["repair", "stage"]
    );
}

#[test]
fn a_panic_of_an_observer_changes_nothing() {
    struct Broken;
    impl ParseObserver for Broken {
        fn core(&self, _: &Arc<IntentResult>) {
            panic!("core");
        }
        fn asked(&self, _: Stage, _: bool) {
            panic!("asked");
        }
        fn answered(&self, _: &ModelCall) {
            panic!("answered");
        }
    }
    let answers = || vec![Answer::plain(core()), Answer::plain(data().to_string())];
    let request = || Ok(Request::new(INPUT));
    let (broken, plain) = (intent(answers(), |_| {}), intent(answers(), |_| {}));
    let (result, report) =
        block_on(broken.parse_observed(request(), Cancel::new(), Arc::new(Broken))).unwrap();
    let (same, _) = block_on(plain.parse_with_report(Request::new(INPUT))).unwrap();
    assert_eq!(result, same);
    let outcomes = report.calls.iter().map(|call| call.outcome);
    assert!(outcomes.eq([CallOutcome::Accepted; 2]));
}
