//! The one error type, its codes, stages and issues.
//!
//! Callers branch on [`ErrorCode`], [`Stage`] and [`Issue`]; messages are for people. A message
//! names the offending key, path or limit, and never carries an API key, a provider's body or
//! the user's materials beyond a short path ([`crate::text::quoted`] cuts what it quotes).

pub(crate) mod facts;
mod kind;
mod message;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value};

use crate::candidate::IntentResult;
use crate::report::ParseReport;

pub use facts::{HttpFact, LimitFact, is_retryable};
pub(crate) use kind::{ErrorKind, Got, InvalidArgument, Must};
pub(crate) use message::MAX_DETAIL_BYTES;

macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[allow(unreachable_pub, reason = "some names are for one module")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        #[allow(unreachable_pub, reason = "some names are for one module")]
        impl $name {
            /// Every member, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable text that crosses every boundary.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The member with this text.
            #[must_use]
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result { f.write_str(self.as_str()) }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::options::FromJson for $name {
            fn from_json(given: $crate::options::Given<'_>) -> Result<Self, $crate::error::IntentError> {
                let named = given.value.as_str().and_then(Self::from_text);
                named.ok_or_else(|| given.wrong_value($crate::error::Must::OneOf(&[$($text),+])))
            }
        }
    };
}
pub(crate) use codes;

codes! {
    /// The code of an error, stable across releases.
    ErrorCode {
        /// A configuration value is not what it must be.
        ConfigInvalid = "CONFIG_INVALID",
        /// The schema uses what this package does not accept.
        SchemaUnsupported = "SCHEMA_UNSUPPORTED",
        /// A request is not what it must be.
        InputInvalid = "INPUT_INVALID",
        /// `fields` names a property that the schema does not define.
        UnknownField = "UNKNOWN_FIELD",
        /// One of [`crate::Limits`] was passed.
        LimitExceeded = "LIMIT_EXCEEDED",
        /// A response of a service was larger than allowed.
        ResourceLimit = "RESOURCE_LIMIT",
        /// `parse` without an executor.
        ExecutorNotConfigured = "EXECUTOR_NOT_CONFIGURED",
        /// The instance was disposed.
        InstanceDisposed = "INSTANCE_DISPOSED",
        /// The service refused the credentials.
        ModelAuthFailed = "MODEL_AUTH_FAILED",
        /// The service refused for its rate limit.
        ModelRateLimited = "MODEL_RATE_LIMITED",
        /// The call to the model failed.
        ModelRequestFailed = "MODEL_REQUEST_FAILED",
        /// A deadline passed.
        ModelTimeout = "MODEL_TIMEOUT",
        /// The caller gave up.
        ModelAborted = "MODEL_ABORTED",
        /// The model refused.
        ModelRefused = "MODEL_REFUSED",
        /// The model stopped before the end of its answer.
        ModelOutputIncomplete = "MODEL_OUTPUT_INCOMPLETE",
        /// The answer is not an acceptable candidate.
        ModelOutputInvalid = "MODEL_OUTPUT_INVALID",
        /// The data stage ended with issues.
        DataExtractionFailed = "DATA_EXTRACTION_FAILED",
        /// An executor's capabilities do not suffice.
        HostCapabilityUnsupported = "HOST_CAPABILITY_UNSUPPORTED",
        /// No such job in this session.
        BridgeJobNotFound = "BRIDGE_JOB_NOT_FOUND",
        /// The job was idle for too long.
        BridgeJobExpired = "BRIDGE_JOB_EXPIRED",
        /// The submission does not belong to the job's present step.
        BridgeStepConflict = "BRIDGE_STEP_CONFLICT",
    }
}

impl ErrorCode {
    /// The stage of an error that was made without one.
    #[must_use]
    pub const fn default_stage(self) -> Stage {
        match self {
            Self::ConfigInvalid | Self::SchemaUnsupported | Self::HostCapabilityUnsupported => {
                Stage::Config
            }
            Self::InputInvalid | Self::UnknownField | Self::ExecutorNotConfigured => Stage::Input,
            Self::DataExtractionFailed => Stage::Data,
            Self::BridgeJobNotFound | Self::BridgeJobExpired | Self::BridgeStepConflict => {
                Stage::Bridge
            }
            _ => Stage::Model,
        }
    }
}

codes! {
    /// The stage at which an error arose.
    Stage {
        /// Construction.
        Config = "config",
        /// A request, before any stage.
        Input = "input",
        /// The first question.
        Core = "core",
        /// The second question.
        Data = "data",
        /// The call to the model itself.
        Model = "model",
        /// Handling of a job.
        Bridge = "bridge",
    }
}

codes! {
    /// The subject of a data issue.
    DataIssueCode {
        /// A required value was not given.
        RequiredMissing = "DATA_REQUIRED_MISSING",
        /// More than one value fits.
        Ambiguous = "DATA_AMBIGUOUS",
        /// The materials contradict each other.
        Conflict = "DATA_CONFLICT",
        /// A value that this one depends on is missing.
        DependencyMissing = "DATA_DEPENDENCY_MISSING",
        /// More or fewer values than the schema can hold.
        CardinalityMismatch = "DATA_CARDINALITY_MISMATCH",
        /// The schema cannot hold the value.
        ValueUnrepresentable = "DATA_VALUE_UNREPRESENTABLE",
        /// The value breaks a description.
        ConstraintViolated = "DATA_CONSTRAINT_VIOLATED",
        /// The candidate cannot tell if the value meets a description.
        DescriptionUndetermined = "DATA_DESCRIPTION_UNDETERMINED",
        /// Reserved: never produced, refused in a candidate.
        SourceInvalid = "DATA_SOURCE_INVALID",
    }
}

impl DataIssueCode {
    /// The category that goes with the code.
    #[must_use]
    pub const fn category(self) -> IssueCategory {
        match self {
            Self::RequiredMissing | Self::Ambiguous | Self::Conflict | Self::DependencyMissing => {
                IssueCategory::BusinessInformation
            }
            Self::CardinalityMismatch
            | Self::ValueUnrepresentable
            | Self::ConstraintViolated
            | Self::DescriptionUndetermined => IssueCategory::Definition,
            Self::SourceInvalid => IssueCategory::Processing,
        }
    }
}

codes! {
    /// The party that can mend an issue.
    IssueCategory {
        /// The request.
        Input = "input",
        /// The configuration.
        Config = "config",
        /// The user, by saying more.
        BusinessInformation = "business_information",
        /// Whoever wrote the schema.
        Definition = "definition",
        /// The processing itself.
        Processing = "processing",
    }
}

/// The code of an [`Issue`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssueCode {
    /// One that the data stage reports.
    Data(DataIssueCode),
    /// One of the error codes.
    Error(ErrorCode),
}

impl IssueCode {
    /// The stable text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data(code) => code.as_str(),
            Self::Error(code) => code.as_str(),
        }
    }
}

impl Serialize for IssueCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One problem of the data stage, in the model's own words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Issue {
    /// The subject.
    pub code: IssueCode,
    /// The party that can mend it.
    pub category: IssueCategory,
    /// JSON Pointer from `/data`, or `None`.
    pub path: Option<String>,
    /// The explanation.
    pub message: String,
}

/// The cause that a foreign error carried; opaque to the core.
pub type Cause = Arc<dyn Any + Send + Sync>;

/// The error of every operation; cheap to clone.
#[derive(Clone)]
pub struct IntentError(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    code: ErrorCode,
    stage: Stage,
    message: String,
    issues: Vec<Issue>,
    partial_result: Option<Arc<IntentResult>>,
    cause: Option<Cause>,
    settled: Option<Settled>,
    limit: Option<LimitFact>,
    faults: Vec<String>,
    http: Option<HttpFact>,
    /// The word of the code that met the failure; without it code, stage and HTTP response decide.
    retryable: Option<bool>,
    report: Option<Arc<ParseReport>>,
}

/// The results of a data stage that ended with an error.
#[derive(Clone)]
struct Settled {
    data: Map<String, Value>,
    missing: Vec<String>,
}

impl IntentError {
    /// An error of a code at a stage.
    #[must_use]
    pub fn new(code: ErrorCode, stage: Stage, message: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            code,
            stage,
            message: message.into(),
            issues: Vec::new(),
            partial_result: None,
            cause: None,
            settled: None,
            limit: None,
            faults: Vec::new(),
            http: None,
            retryable: None,
            report: None,
        }))
    }

    /// An error at the stage that its code implies.
    #[must_use]
    pub fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(code, code.default_stage(), message)
    }

    fn edit(&mut self) -> &mut Inner {
        Arc::make_mut(&mut self.0)
    }

    /// Sets the issues.
    #[must_use]
    pub fn with_issues(mut self, issues: Vec<Issue>) -> Self {
        self.edit().issues = issues;
        self
    }

    /// Sets the fields that are settled though others are not, and the paths of those that were
    /// required and not given.
    #[must_use]
    pub fn with_settled(mut self, data: Map<String, Value>, missing: Vec<String>) -> Self {
        self.edit().settled = Some(Settled { data, missing });
        self
    }

    /// Sets the core result, if there is one.
    #[must_use]
    pub fn with_partial_result(mut self, partial: Option<Arc<IntentResult>>) -> Self {
        self.edit().partial_result = partial;
        self
    }

    /// Sets the foreign error that caused it.
    #[must_use]
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.edit().cause = Some(cause);
        self
    }

    /// Sets the limit that was exceeded.
    #[must_use]
    pub fn with_limit(mut self, name: impl Into<String>, max: u64, actual: Option<u64>) -> Self {
        let name = name.into();
        self.edit().limit = Some(LimitFact { name, max, actual });
        self
    }

    /// Sets all faults of the candidate.
    #[must_use]
    pub fn with_faults(mut self, faults: Vec<String>) -> Self {
        self.edit().faults = faults;
        self
    }

    /// Sets the HTTP answer of the service.
    #[must_use]
    pub fn with_http(mut self, http: HttpFact) -> Self {
        self.edit().http = Some(http);
        self
    }

    /// Sets whether the same call may succeed later, for a case that code, stage and HTTP answer do not
    /// decide: a broken or refused connection.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.edit().retryable = Some(retryable);
        self
    }

    /// Sets the report of the recognition until it failed.
    #[must_use]
    pub fn with_report(mut self, report: Arc<ParseReport>) -> Self {
        self.edit().report = Some(report);
        self
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Where.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.0.stage
    }

    /// The message for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The issues of the data stage.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.0.issues
    }

    /// The default result, once core has succeeded.
    #[must_use]
    pub fn partial_result(&self) -> Option<&Arc<IntentResult>> {
        self.0.partial_result.as_ref()
    }

    /// For `DATA_EXTRACTION_FAILED`, the fields that are extracted, bound to their evidence, without an
    /// issue, and valid.
    #[must_use]
    pub fn data(&self) -> Option<&Map<String, Value>> {
        self.0.settled.as_ref().map(|settled| &settled.data)
    }

    /// For `DATA_EXTRACTION_FAILED`, the paths of required values that were not given.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        let settled = self.0.settled.as_ref();
        settled.map_or(&[], |settled| &settled.missing)
    }

    /// The foreign error behind it.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        self.0.cause.as_ref()
    }

    /// The limit that was passed: of every `LIMIT_EXCEEDED`, and of a `RESOURCE_LIMIT` for a response that is too large.
    /// Without it, the latter says that the system gives no thread.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitFact> {
        self.0.limit.as_ref()
    }

    /// Everything that is wrong with the candidate, as far as one diagnostic holds it: of
    /// `MODEL_OUTPUT_INVALID`.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.0.faults
    }

    /// The answer of the service, where it answered with a failure.
    #[must_use]
    pub fn http(&self) -> Option<&HttpFact> {
        self.0.http.as_ref()
    }

    /// True if the same call may succeed later without any change.
    #[must_use]
    pub fn retryable(&self) -> bool {
        let Inner {
            code,
            stage,
            http,
            retryable,
            ..
        } = &*self.0;
        retryable.unwrap_or_else(|| is_retryable(*code, *stage, http.as_ref()))
    }

    /// The report up to the failure; every error of `parse` has one.
    #[must_use]
    pub fn report(&self) -> Option<&Arc<ParseReport>> {
        self.0.report.as_ref()
    }
}

impl fmt::Display for IntentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.0.code, self.0.stage, self.0.message)
    }
}

impl fmt::Debug for IntentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntentError")
            .field("code", &self.0.code)
            .field("stage", &self.0.stage)
            .field("message", &self.0.message)
            .field("issues", &self.0.issues)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for IntentError {}

/// `{ code, stage, message, issues, partialResult?, data?, missing? }`, as `toJSON()` gives it;
/// the last two of `DATA_EXTRACTION_FAILED` alone.
impl Serialize for IntentError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = &*self.0;
        let fields = 4
            + usize::from(inner.partial_result.is_some())
            + 2 * usize::from(inner.settled.is_some());
        let mut out = serializer.serialize_struct("IntentError", fields)?;
        out.serialize_field("code", &inner.code)?;
        out.serialize_field("stage", &inner.stage)?;
        out.serialize_field("message", &inner.message)?;
        out.serialize_field("issues", &inner.issues)?;
        match &inner.partial_result {
            Some(partial) => out.serialize_field("partialResult", &**partial)?,
            None => out.skip_field("partialResult")?,
        }
        match &inner.settled {
            Some(settled) => {
                out.serialize_field("data", &settled.data)?;
                out.serialize_field("missing", &settled.missing)?;
            }
            None => {
                out.skip_field("data")?;
                out.skip_field("missing")?;
            }
        }
        out.end()
    }
}
