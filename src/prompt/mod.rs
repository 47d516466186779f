//! The two questions: fixed instructions, the core schema, and the payload of each request.
//!
//! The instructions are the same text for every request of a stage, since providers cache equal
//! prefixes. A payload depends only on configuration and request.

use std::sync::{Arc, LazyLock};

use crate::definition::{Definition, ProofForm};
use crate::error::Stage;
use crate::executor::OutputSchema;
use crate::materials::Materials;
use crate::text::push_json_string;

/// The name of the core format.
pub const CORE_FORMAT_NAME: &str = "intent_core";

/// The system text of the core stage.
pub static CORE_INSTRUCTIONS: LazyLock<Arc<str>> =
    LazyLock::new(|| include_str!("core.md").trim_end().into());

/// The system text of the data stage.
pub static DATA_INSTRUCTIONS: LazyLock<Arc<str>> =
    LazyLock::new(|| include_str!("data.md").trim_end().into());

/// The system text of the core stage with [`ProofForm::Brief`].
pub static BRIEF_CORE_INSTRUCTIONS: LazyLock<Arc<str>> = LazyLock::new(|| {
    let blockers = "- `blockers`: null when nothing stands in the way, else ";
    CORE_INSTRUCTIONS
        .replacen("- `blockers`: ", blockers, 1)
        .into()
});

/// The system text of the data stage with [`ProofForm::Brief`].
pub static BRIEF_DATA_INSTRUCTIONS: LazyLock<Arc<str>> =
    LazyLock::new(|| include_str!("brief.md").trim_end().into());

/// The core candidate's JSON Schema with [`ProofForm::Brief`]: blockers may be null.
pub static BRIEF_CORE_SCHEMA: LazyLock<Arc<OutputSchema>> = LazyLock::new(|| {
    let blockers = r#""blockers":{"type":"object""#;
    let or_null = r#""blockers":{"type":["object","null"]"#;
    Arc::new(OutputSchema::new(
        CORE_SCHEMA.text.replacen(blockers, or_null, 1),
    ))
});

/// The core candidate's JSON Schema, within what OpenAI's strict mode accepts.
pub static CORE_SCHEMA: LazyLock<Arc<OutputSchema>> = LazyLock::new(|| {
    // The file may be formatted; the schema is sent and counted in compact form.
    let text = include_str!("core.schema.json");
    let compact = serde_json::from_str::<serde_json::Value>(text).map(|schema| schema.to_string());
    Arc::new(OutputSchema::new(compact.unwrap_or_else(|_| text.into())))
});

/// The system text of a stage.
pub fn instructions(stage: Stage, form: ProofForm) -> &'static Arc<str> {
    match (stage, form) {
        (Stage::Data, ProofForm::Full) => &DATA_INSTRUCTIONS,
        (Stage::Data, ProofForm::Brief) => &BRIEF_DATA_INSTRUCTIONS,
        (_, ProofForm::Full) => &CORE_INSTRUCTIONS,
        (_, ProofForm::Brief) => &BRIEF_CORE_INSTRUCTIONS,
    }
}

/// The core candidate's JSON Schema.
pub fn core_schema(form: ProofForm) -> &'static Arc<OutputSchema> {
    match form {
        ProofForm::Full => &CORE_SCHEMA,
        ProofForm::Brief => &BRIEF_CORE_SCHEMA,
    }
}

/// The rejected candidate and its faults.
#[derive(Debug)]
pub struct Repair {
    /// The candidate as the model wrote it.
    pub candidate: Box<str>,
    /// Its faults.
    pub diagnostic: Box<str>,
}

impl Repair {
    /// UTF-8 bytes as JSON.
    #[must_use]
    pub fn json_len(&self) -> usize {
        r#"{"candidate":,"diagnostic":}"#.len()
            + crate::text::json_string_len(&self.candidate)
            + crate::text::json_string_len(&self.diagnostic)
    }
}

/// The payload of a request, its keys in the order of docs/candidates.md. `core_result` is the
/// JSON of the core result in the data stage.
pub(crate) fn payload(
    definition: &Definition,
    materials: &Materials,
    core_result: Option<&str>,
    repair: Option<&Repair>,
) -> String {
    let mut out = String::with_capacity(
        256 + materials.json_len()
            + definition.schema().json().len()
            + core_result.map_or(0, str::len)
            + repair.map_or(0, Repair::json_len),
    );
    out.push_str("{\"structuredLanguage\":");
    push_json_string(&mut out, definition.prompt_language());
    if definition.proof() == ProofForm::Brief {
        push_brief(&mut out, definition, materials, core_result);
        push_repair(&mut out, repair);
        out.push('}');
        return out;
    }
    out.push(',');
    materials.write_json(&mut out);
    out.push_str(",\"schemaReference\":");
    out.push_str(definition.schema().json());
    if let (Some(core_result), Some(selection)) = (core_result, materials.selection()) {
        out.push_str(",\"checkedDefault\":");
        out.push_str(core_result);
        out.push_str(",\"selectedSchema\":");
        out.push_str(selection.json());
        out.push_str(",\"selectedFields\":[");
        for (i, field) in selection.fields().iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            push_json_string(&mut out, field);
        }
        out.push(']');
        push_rules(&mut out, &definition.evidence().prompt_rules(selection));
    }
    push_repair(&mut out, repair);
    out.push('}');
    out
}

/// Writes the rest of a payload with [`ProofForm::Brief`]: the fixed parts of an instance first, so
/// that services find the same prefix in every request. The data stage needs only the selected
/// schema.
fn push_brief(
    out: &mut String,
    definition: &Definition,
    materials: &Materials,
    core_result: Option<&str>,
) {
    match (core_result, materials.selection()) {
        (Some(core_result), Some(selection)) => {
            out.push_str(",\"selectedSchema\":");
            out.push_str(selection.json());
            push_rules(out, &definition.evidence().prompt_rules(selection));
            out.push(',');
            materials.write_json_context_first(out);
            out.push_str(",\"checkedDefault\":");
            out.push_str(core_result);
        }
        _ => {
            out.push_str(",\"schemaReference\":");
            out.push_str(definition.schema().json());
            out.push(',');
            materials.write_json_context_first(out);
        }
    }
}

fn push_repair(out: &mut String, repair: Option<&Repair>) {
    if let Some(repair) = repair {
        out.push_str(",\"repair\":{\"candidate\":");
        push_json_string(out, &repair.candidate);
        out.push_str(",\"diagnostic\":");
        push_json_string(out, &repair.diagnostic);
        out.push('}');
    }
}

/// Writes `evidenceRules`, if there are any.
fn push_rules(out: &mut String, rules: &[String]) {
    if rules.is_empty() {
        return;
    }
    out.push_str(",\"evidenceRules\":[");
    for (i, rule) in rules.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        push_json_string(out, rule);
    }
    out.push(']');
}
