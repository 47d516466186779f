//! `checkSchema` for JavaScript.

use napi_derive::napi;
use serde_json::{Value, json};

use super::request::{Unread, places};
use super::{error_json, read_json};
use crate::definition::IntentConfig;
use crate::error::{ErrorCode, IntentError};
use crate::schema::{Finding, Origin, check_schema};

/// Checks a schema; `{ report }` or `{ error }` as JSON. `config` and `unread` are those of
/// `createIntent`, of which `limits` and `unknownKeywords` count.
#[napi(catch_unwind, js_name = "checkSchema")]
#[must_use]
pub fn check_schema_json(
    config: String,
    unread: Vec<Unread>,
    schema: String,
    standard: bool,
) -> String {
    let check = || -> Result<Value, IntentError> {
        let config = IntentConfig::read(
            read_json(&config, ErrorCode::ConfigInvalid)?,
            &places(unread),
        )?;
        config.limits.check()?;
        let origin = if standard {
            Origin::Standard
        } else {
            Origin::Json
        };
        let origin = config.unknown_keywords.applied_to(origin);
        let schema = read_json(&schema, ErrorCode::SchemaUnsupported)?;
        let report = check_schema(schema, origin, &config.limits);
        Ok(json!({
            "supported": report.refused.is_empty(),
            "refused": findings(&report.refused),
            "loose": findings(&report.loose),
            "dialect": report.dialect,
            "strict": report.strict.unwrap_or(false),
            "tokens": report.tokens,
        }))
    };
    match check() {
        Ok(report) => json!({ "report": report }).to_string(),
        Err(error) => format!("{{\"error\":{}}}", error_json(&error)),
    }
}

fn findings(all: &[Finding]) -> Vec<Value> {
    all.iter()
        .map(|one| json!({ "path": one.path, "message": one.message }))
        .collect()
}
