//! Random schemas: what is accepted gives the verdicts that `boon` gives, on the snapshot and on
//! what a model is shown.

use std::time::Instant;

use intent_runtime::budget::Budget;
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::schema::{Origin, Schema};
use intent_runtime::{ErrorCode, Limits, Stage};
use serde_json::{Map, Value, json};

use crate::bytes::Bytes;

const READ: ReadLimits = ReadLimits {
    depth: 64,
    nodes: 10_000,
};

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    if bytes.one_in(4) {
        // Any JSON at all as a schema.
        if let Ok(value) = serde_json::from_slice(bytes.rest()) {
            raw(value);
        }
        return;
    }
    let newer = bytes.one_in(2);
    let whole = whole(&mut bytes, newer);
    let schema = match Schema::from_value(whole.clone(), Origin::Json, &Limits::default()) {
        Ok(schema) => schema,
        Err(error) => {
            let message = error.message();
            assert!(message.contains("without consuming"), "{message}: {whole}");
            return;
        }
    };
    assert_eq!(
        schema.json(),
        whole.to_string(),
        "the snapshot is what was given"
    );
    let names: Vec<&str> = schema.fields().collect();
    let original = Other::new(&whole, newer);
    for fields in [names.clone(), names[..1].to_vec()] {
        let selection = schema.select(&fields).unwrap();
        let shown: Value = serde_json::from_str(selection.json()).unwrap();
        let output: Value = serde_json::from_str(
            &selection
                .output_schema(intent_runtime::ProofForm::Full, 0)
                .text,
        )
        .unwrap();
        let (shown, output) = (Other::new(&shown, newer), Other::new(&output, newer));
        for _ in 0..8 {
            let mut data = Map::new();
            for field in &fields {
                if !bytes.one_in(5) {
                    data.insert((*field).to_owned(), bytes.value(3));
                }
            }
            let data = Value::Object(data);
            let text = data.to_string();
            let node = read(&text, READ).unwrap();
            let faults = selection.faults(&node, &Budget::unlimited(), 4).unwrap();
            let verdict = faults.is_empty();
            let what = || {
                format!(
                    "{fields:?} {data}\n{whole}\n{}\n{faults:?}",
                    selection.json()
                )
            };
            assert_eq!(verdict, shown.accepts(&data), "selectedSchema {}", what());
            if fields.len() == names.len() {
                assert_eq!(verdict, original.accepts(&data), "snapshot {}", what());
            }
            let candidate = json!({ "data": data, "evidence": [], "descriptionChecks": [],
                                    "fieldResults": [], "issues": [] });
            assert_eq!(
                verdict,
                output.accepts(&candidate),
                "outputSchema {}",
                what()
            );
            for path in selection
                .described_paths(&node, &Budget::unlimited())
                .unwrap()
            {
                let below = path.strip_prefix("/data").unwrap();
                assert!(node.resolve(below).is_some(), "{path} {}", what());
            }
        }
    }
}

fn raw(value: Value) {
    let schema = match Schema::from_value(value.clone(), Origin::Json, &Limits::default()) {
        Ok(schema) => schema,
        Err(error) => {
            assert!(matches!(
                error.code(),
                ErrorCode::SchemaUnsupported | ErrorCode::LimitExceeded
            ));
            assert_eq!(error.stage(), Stage::Config);
            assert!(error.message().len() < 4000, "{}", error.message());
            assert!(
                !error.message().contains(char::is_control),
                "{}",
                error.message()
            );
            return;
        }
    };
    // What was accepted is accepted again as it was kept, and as it is shown.
    let kept: Value = serde_json::from_str(schema.json()).unwrap();
    if kept.as_object().is_some_and(Map::is_empty) {
        return;
    }
    let again = Schema::from_value(kept.clone(), Origin::Json, &Limits::default())
        .unwrap_or_else(|e| panic!("{}: {kept}", e.message()));
    assert_eq!(again.json(), schema.json());
    let fields: Vec<&str> = schema.fields().collect();
    if fields.is_empty() {
        return;
    }
    let selection = schema.select(&fields).unwrap();
    let shown: Value = serde_json::from_str(selection.json()).unwrap();
    if let Err(error) = Schema::from_value(shown, Origin::Json, &Limits::default()) {
        // References may be written out as copies, which are larger and deeper.
        let limit = error.code() == ErrorCode::LimitExceeded;
        assert!(limit, "{}: {}", error.message(), selection.json());
    }
    let _: Value = serde_json::from_str(
        &selection
            .output_schema(intent_runtime::ProofForm::Full, 0)
            .text,
    )
    .unwrap();
    let budget = Budget::until(Instant::now() + std::time::Duration::from_millis(20));
    let node = read("{}", READ).unwrap();
    let _ = selection.faults(&node, &budget, 4);
    let _ = selection.described_paths(&node, &budget);
}

struct Other(boon::Schemas, boon::SchemaIndex);

impl Other {
    fn new(schema: &Value, newer: bool) -> Self {
        let mut compiler = boon::Compiler::new();
        compiler.set_default_draft(if newer {
            boon::Draft::V2020_12
        } else {
            boon::Draft::V7
        });
        let mut schemas = boon::Schemas::new();
        let url = "http://test.invalid/schema.json";
        compiler
            .add_resource(url, schema.clone())
            .unwrap_or_else(|e| panic!("{e}: {schema}"));
        let index = compiler
            .compile(url, &mut schemas)
            .unwrap_or_else(|e| panic!("{e}: {schema}"));
        Self(schemas, index)
    }

    fn accepts(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}

pub(crate) fn whole(bytes: &mut Bytes<'_>, newer: bool) -> Value {
    let (id, container) = if newer {
        ("https://json-schema.org/draft/2020-12/schema", "$defs")
    } else {
        ("http://json-schema.org/draft-07/schema#", "definitions")
    };
    let mut gen_ = Schemas { bytes, newer };
    json!({
        "$schema": id,
        "type": "object",
        "properties": {
            "a": gen_.schema(3),
            "b": gen_.schema(2),
            "a/b": if gen_.bytes.one_in(3) {
                json!({ "$ref": "#/properties/a" })
            } else {
                gen_.schema(2)
            },
        },
        "required": gen_.bytes.pick(&[json!([]), json!(["a"]), json!(["b", "a/b"])]),
        container: {
            "x": gen_.schema(2),
            "y": gen_.schema(1),
            "z": { "type": ["string", "array", "object"] },
        },
    })
}

struct Schemas<'b, 'd> {
    bytes: &'b mut Bytes<'d>,
    newer: bool,
}

impl Schemas<'_, '_> {
    fn schemas(&mut self, depth: usize) -> Value {
        (0..=self.bytes.below(3))
            .map(|_| self.schema(depth))
            .collect()
    }

    fn named(&mut self, depth: usize) -> Value {
        let mut map = Map::new();
        for _ in 0..=self.bytes.below(2) {
            map.insert(self.bytes.name().to_owned(), self.schema(depth));
        }
        Value::Object(map)
    }

    fn names(&mut self) -> Value {
        match self.bytes.below(3) {
            0 => json!([]),
            1 => json!([self.bytes.name()]),
            _ => json!(["a", "b"]),
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        if depth == 0 || self.bytes.one_in(8) {
            return match self.bytes.below(8) {
                6 => json!(false),
                7 => json!(true),
                _ => self.leaf(),
            };
        }
        let mut schema = Map::new();
        for _ in 0..=self.bytes.below(3) {
            self.applicator(&mut schema, depth - 1);
        }
        if self.bytes.one_in(3)
            && let Value::Object(leaf) = self.leaf()
        {
            schema.extend(leaf);
        }
        Value::Object(schema)
    }

    fn leaf(&mut self) -> Value {
        let container = if self.newer { "$defs" } else { "definitions" };
        let bytes = &mut *self.bytes;
        match bytes.below(15) {
            0 => json!({ "type": bytes.pick(&["null", "object", "array", "string", "integer"]) }),
            1 => json!({ "type": ["number", "boolean", "object"] }),
            2 => {
                let (first, second) = (bytes.value(1), bytes.value(1));
                // Draft-7 wants the entries of an enum to differ; so does boon.
                // As numbers: 3 is 3.0, and zero has no sign.
                let plain =
                    |value: &Value| value.to_string().replace("-0.0", "0").replace(".0", "");
                if plain(&first) == plain(&second) {
                    json!({ "enum": [first] })
                } else {
                    json!({ "enum": [first, second] })
                }
            }
            3 => json!({ "const": bytes.value(2) }),
            4 => json!({ "minimum": bytes.below(3), "exclusiveMaximum": 3 }),
            5 => json!({ "multipleOf": bytes.pick(&[0.5, 2.0, 3.0]) }),
            6 => json!({ "minLength": bytes.below(2), "maxLength": 1 + bytes.below(2) }),
            7 => json!({ "minItems": bytes.below(2), "maxItems": 1 + bytes.below(3) }),
            8 => json!({ "minProperties": bytes.below(2), "maxProperties": 1 + bytes.below(3) }),
            9 => json!({ "uniqueItems": true }),
            10 => json!({ "pattern": bytes.pick(&["^a", "b$", "^$", "[^a]"]) }),
            11 => json!({ "required": self.names() }),
            12 => json!({ "$ref": "#" }),
            13 => json!({ "description": bytes.text() }),
            _ => {
                let name = bytes.pick(&["x", "y", "z"]);
                json!({ "$ref": format!("#/{container}/{name}") })
            }
        }
    }

    fn applicator(&mut self, schema: &mut Map<String, Value>, depth: usize) {
        let newer = self.newer;
        let old_items = !newer && self.bytes.one_in(2);
        let (keyword, value) = match self.bytes.below(20) {
            0..=2 => ("properties", self.named(depth)),
            3 => ("additionalProperties", self.schema(depth)),
            4 => (
                "patternProperties",
                json!({ "^a": self.schema(depth), "b$": self.schema(depth) }),
            ),
            5 if old_items => ("items", self.schemas(depth)),
            5 => ("items", self.schema(depth)),
            6 if newer => ("prefixItems", self.schemas(depth)),
            6 => ("additionalItems", self.schema(depth)),
            7 => ("contains", self.schema(depth)),
            8 => ("allOf", self.schemas(depth)),
            9 => ("anyOf", self.schemas(depth)),
            10 => ("oneOf", self.schemas(depth)),
            11 => ("not", self.schema(depth)),
            12 => ("if", self.schema(depth)),
            13 => ("then", self.schema(depth)),
            14 => ("else", self.schema(depth)),
            15 => ("propertyNames", self.schema(0)),
            16 if newer => ("dependentSchemas", self.named(depth)),
            16 => ("dependencies", self.named(depth)),
            17 if newer => (
                "dependentRequired",
                json!({ "a": self.names(), "b": ["ab"] }),
            ),
            17 => ("dependencies", json!({ "a": self.names() })),
            18 if newer => ("unevaluatedProperties", self.schema(0)),
            19 if newer => ("unevaluatedItems", self.schema(0)),
            _ => ("description", json!("d")),
        };
        schema.insert(keyword.to_owned(), value);
    }
}
