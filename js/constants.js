// The public constants. A test compares them with the lists of the native side, which are the source.

exports.ACTIONS = Object.freeze([
  'query',
  'analyze',
  'generate',
  'modify',
  'delete',
  'execute',
  'other',
]);

exports.STATUSES = Object.freeze([
  'ready',
  'needs_clarification',
  'awaiting_confirmation',
  'conditional',
]);

exports.DEFAULT_LIMITS = Object.freeze({
  maxInputBytes: 65536,
  maxContextBytes: 131072,
  maxContextMessages: 100,
  maxSchemaBytes: 131072,
  maxSchemaDepth: 8,
  maxSchemaProperties: 256,
  maxRequestBytes: 524288,
  maxOutputBytes: 262144,
  maxCandidateDepth: 32,
  maxCandidateNodes: 20000,
  maxIntentCount: 100,
  maxEvidenceEntries: 4096,
  maxIssueCount: 256,
  maxConcurrentParses: 4,
  maxQueuedParses: 0,
  maxSchemaCacheEntries: 128,
  maxValidationMs: 1000,
  maxValidationQueueEntries: 32,
});

exports.ERROR_CODES = Object.freeze([
  'CONFIG_INVALID',
  'SCHEMA_UNSUPPORTED',
  'INPUT_INVALID',
  'UNKNOWN_FIELD',
  'LIMIT_EXCEEDED',
  'RESOURCE_LIMIT',
  'EXECUTOR_NOT_CONFIGURED',
  'INSTANCE_DISPOSED',
  'MODEL_AUTH_FAILED',
  'MODEL_RATE_LIMITED',
  'MODEL_REQUEST_FAILED',
  'MODEL_TIMEOUT',
  'MODEL_ABORTED',
  'MODEL_REFUSED',
  'MODEL_OUTPUT_INCOMPLETE',
  'MODEL_OUTPUT_INVALID',
  'DATA_EXTRACTION_FAILED',
  'HOST_CAPABILITY_UNSUPPORTED',
  'BRIDGE_JOB_NOT_FOUND',
  'BRIDGE_JOB_EXPIRED',
  'BRIDGE_STEP_CONFLICT',
]);

exports.DATA_ISSUE_CODES = Object.freeze([
  'DATA_REQUIRED_MISSING',
  'DATA_AMBIGUOUS',
  'DATA_CONFLICT',
  'DATA_DEPENDENCY_MISSING',
  'DATA_CARDINALITY_MISMATCH',
  'DATA_VALUE_UNREPRESENTABLE',
  'DATA_CONSTRAINT_VIOLATED',
  'DATA_DESCRIPTION_UNDETERMINED',
  'DATA_SOURCE_INVALID',
]);
