//! What a model is told of the shape of its answer, where the service is not.

use std::sync::Arc;

use intent_runtime::Stage;
use intent_runtime::executor::api::{ApiExecutor, Format, OutputFormat, Protocol, Question};
use intent_runtime::executor::{ModelExecutor, ModelFormat, ModelRequest, OutputSchema};
use intent_runtime::prompt::{CORE_FORMAT_NAME, CORE_INSTRUCTIONS, CORE_SCHEMA, DATA_INSTRUCTIONS};

use super::support::*;

const DATA: &str = r#"{"type":"object","properties":{"data":{"type":"object"}}}"#;

/// The system texts of both stages.
fn systems(format: Format) -> [String; 2] {
    let server = Server::json(200, &chat_envelope("{}"));
    let mut config = config(server.base());
    config.protocol = Protocol::ChatCompletions;
    config.format = format;
    let executor: Arc<dyn ModelExecutor> = Arc::new(ApiExecutor::new(config).unwrap());
    let core = (
        Stage::Core,
        CORE_INSTRUCTIONS.clone(),
        ModelFormat::JsonSchema {
            name: CORE_FORMAT_NAME,
        },
        CORE_SCHEMA.clone(),
    );
    let data = (
        Stage::Data,
        DATA_INSTRUCTIONS.clone(),
        ModelFormat::JsonObject,
        Arc::new(OutputSchema::new(DATA)),
    );
    for (stage, instructions, format, output_schema) in [core, data] {
        block_on(executor.generate(Arc::new(ModelRequest {
            form: intent_runtime::ProofForm::Full,
            stage,
            instructions,
            payload: "{}".into(),
            format,
            output_schema,
        })))
        .unwrap();
    }
    let text = |n: usize| {
        server.seen()[n].json()["messages"][0]["content"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    [text(0), text(1)]
}

#[test]
fn of_both_stages() {
    let (core, data) = (&**CORE_INSTRUCTIONS, &**DATA_INSTRUCTIONS);
    assert_eq!(systems(Format::JsonSchema), [core, data]);
    let schema = |schema: &str| format!("\n\nOutput schema (JSON Schema): {schema}");
    assert_eq!(
        systems(Format::JsonObject),
        [
            format!("{core}{}", schema(&CORE_SCHEMA.text)),
            format!("{data}{}", schema(DATA)),
        ]
    );
    // The instructions of the data stage describe its candidate.
    let [told, untold] = systems(Format::Text);
    assert_eq!(untold, data);
    let shape = told.strip_prefix(core).unwrap();
    assert!(
        shape.starts_with("\n\nOutput schema: {\"normalizedInput\": string, "),
        "{shape}"
    );
    assert!(
        shape.contains("\"questions\": {\"question\": string, \"options\": string[]}[]"),
        "{shape}"
    );
    assert!(shape.len() * 2 < CORE_SCHEMA.text.len(), "{}", shape.len());
}

/// A question of another origin: its schema as it is, where it says more than shapes.
#[test]
fn of_other_questions() {
    let server = Server::json(200, &responses_envelope("{}"));
    let mut config = config(server.base());
    config.format = Format::Text;
    let executor = ApiExecutor::new(config).unwrap();
    for (schema, described, told) in [
        (
            r#"{"type":"array","items":{"type":"string"}}"#,
            false,
            "i\n\nOutput schema: string[]",
        ),
        (
            r#"{"type":"string","minLength":1}"#,
            false,
            "i\n\nOutput schema (JSON Schema): {\"type\":\"string\",\"minLength\":1}",
        ),
        (r#"{"type":"string"}"#, true, "i"),
    ] {
        block_on(executor.ask(&Question {
            instructions: "i",
            payload: "p",
            output: OutputFormat::Schema {
                name: "n",
                schema: &OutputSchema::new(schema),
                described,
            },
        }))
        .unwrap();
        assert_eq!(server.seen().pop().unwrap().json()["instructions"], told);
    }
}
