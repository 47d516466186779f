//! Random schemas and data: the verdict of a selection is that of the snapshot, and of what a
//! model is shown, read by `jsonschema` as it stands.

use intent_runtime::Limits;
use intent_runtime::budget::Budget;
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::schema::{Origin, Schema};
use serde_json::{Map, Value, json};

/// xorshift64*: the same cases in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn name(&mut self) -> &'static str {
        const NAMES: &[&str] = &["a", "b", "ab", "__proto__", "a/b", "a~"];
        let name: &&str = self.pick(NAMES);
        name
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(5)),
            3 => json!(*self.pick(&[0.5, 1.5, -2.0, 3.0])),
            4 => json!(*self.pick(&["", "a", "ab", "é", "aa"])),
            5 | 6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let entries = (0..self.below(4)).map(|_| {
                    let name = self.name().to_owned();
                    (name, self.value(depth - 1))
                });
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    fn schemas(&mut self, depth: usize, newer: bool) -> Value {
        (0..=self.below(3))
            .map(|_| self.schema(depth, newer))
            .collect()
    }

    fn named(&mut self, depth: usize, newer: bool) -> Value {
        let entries = (0..=self.below(2)).map(|_| {
            let name = self.name().to_owned();
            (name, self.schema(depth, newer))
        });
        Value::Object(entries.collect::<Map<_, _>>())
    }

    fn names(&mut self) -> Value {
        match self.below(3) {
            0 => json!([]),
            1 => json!([self.name()]),
            _ => json!(["a", "b"]),
        }
    }

    fn schema(&mut self, depth: usize, newer: bool) -> Value {
        if depth == 0 || self.below(12) == 0 {
            return match self.below(6) {
                0 => json!(false),
                1 => json!(true),
                _ => self.leaf(newer),
            };
        }
        let mut schema = Map::new();
        for _ in 0..=self.below(3) {
            self.applicator(&mut schema, depth - 1, newer);
        }
        if self.below(3) == 0
            && let Value::Object(leaf) = self.leaf(newer)
        {
            schema.extend(leaf);
        }
        Value::Object(schema)
    }

    fn leaf(&mut self, newer: bool) -> Value {
        let container = if newer { "$defs" } else { "definitions" };
        match self.below(14) {
            0 => json!({ "type": self.pick(&["null", "object", "array", "string", "integer"]) }),
            1 => json!({ "type": ["number", "boolean", "object"] }),
            2 => json!({ "enum": [self.value(1), self.value(1)] }),
            3 => json!({ "const": self.value(2) }),
            4 => json!({ "minimum": self.below(3), "exclusiveMaximum": 3 }),
            5 => json!({ "multipleOf": self.pick(&[0.5, 2.0, 3.0]) }),
            6 => json!({ "minLength": self.below(2), "maxLength": 1 + self.below(2) }),
            7 => json!({ "minItems": self.below(2), "maxItems": 1 + self.below(3) }),
            8 => json!({ "minProperties": self.below(2), "maxProperties": 1 + self.below(3) }),
            9 => json!({ "uniqueItems": true }),
            10 => json!({ "pattern": self.pick(&["^a", "b$", "^$"]) }),
            11 => json!({ "required": self.names() }),
            12 => json!({ "$ref": "#" }),
            _ => {
                let name = self.pick(&["x", "y", "z"]);
                json!({ "$ref": format!("#/{container}/{name}") })
            }
        }
    }

    fn applicator(&mut self, schema: &mut Map<String, Value>, depth: usize, newer: bool) {
        let old_items = !newer && self.below(2) == 0;
        let (keyword, value) = match self.below(20) {
            0..=2 => ("properties", self.named(depth, newer)),
            3 => ("additionalProperties", self.schema(depth, newer)),
            4 => (
                "patternProperties",
                json!({ "^a": self.schema(depth, newer), "b$": self.schema(depth, newer) }),
            ),
            5 if old_items => ("items", self.schemas(depth, newer)),
            5 => ("items", self.schema(depth, newer)),
            6 if newer => ("prefixItems", self.schemas(depth, newer)),
            6 => ("additionalItems", self.schema(depth, newer)),
            7 => ("contains", self.schema(depth, newer)),
            8 => ("allOf", self.schemas(depth, newer)),
            9 => ("anyOf", self.schemas(depth, newer)),
            10 => ("oneOf", self.schemas(depth, newer)),
            11 => ("not", self.schema(depth, newer)),
            12 => ("if", self.schema(depth, newer)),
            13 => ("then", self.schema(depth, newer)),
            14 => ("else", self.schema(depth, newer)),
            15 => ("propertyNames", self.schema(0, newer)),
            16 if newer => ("dependentSchemas", self.named(depth, newer)),
            16 => ("dependencies", self.named(depth, newer)),
            17 if newer => (
                "dependentRequired",
                json!({ "a": self.names(), "b": ["ab"] }),
            ),
            17 => ("dependencies", json!({ "a": self.names() })),
            18 if newer => ("unevaluatedProperties", self.schema(0, newer)),
            19 if newer => ("unevaluatedItems", self.schema(0, newer)),
            _ => ("description", json!("d")),
        };
        schema.insert(keyword.to_owned(), value);
    }
}

fn plain(schema: &Value, newer: bool) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(if newer {
            jsonschema::Draft::Draft202012
        } else {
            jsonschema::Draft::Draft7
        })
        .build(schema)
        .unwrap_or_else(|e| panic!("{e}: {schema}"))
}

#[test]
fn verdicts_are_the_snapshots() {
    let limits = ReadLimits {
        depth: 64,
        nodes: 10_000,
    };
    let (mut schemas, mut valid, mut invalid) = (0, 0, 0);
    let (mut enveloped, mut described) = (0, 0);
    for seed in 1..200u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let newer = seed % 2 == 0;
        let (id, container) = if newer {
            ("https://json-schema.org/draft/2020-12/schema", "$defs")
        } else {
            ("http://json-schema.org/draft-07/schema#", "definitions")
        };
        let whole = json!({
            "$schema": id,
            "type": "object",
            "properties": {
                "a": random.schema(3, newer),
                "b": random.schema(3, newer),
                "a/b": if random.below(2) == 0 {
                    json!({ "$ref": "#/properties/a" })
                } else {
                    random.schema(2, newer)
                },
            },
            "required": random.pick(&[json!([]), json!(["a"]), json!(["b", "a/b"])]),
            container: {
                "x": random.schema(2, newer),
                "y": random.schema(2, newer),
                "z": { "type": ["string", "array", "object"] },
            },
        });
        // Some lead back to themselves; the rest must be accepted.
        let schema = match Schema::from_value(whole.clone(), Origin::Json, &Limits::default()) {
            Ok(schema) => schema,
            Err(error) => {
                let message = error.message();
                assert!(message.contains("without consuming"), "{message}: {whole}");
                continue;
            }
        };
        schemas += 1;
        let original = plain(&whole, newer);
        for fields in [vec!["a", "b", "a/b"], vec!["a/b"], vec!["b", "a"]] {
            let selection = schema.select(&fields).unwrap();
            let shown: Value = serde_json::from_str(selection.json()).unwrap();
            let shown = plain(&shown, newer);
            let output: Value = serde_json::from_str(
                &selection
                    .output_schema(intent_runtime::ProofForm::Full, 0)
                    .text,
            )
            .unwrap();
            let strict = intent_runtime::executor::strict::meets_strict_mode(&output.to_string());
            let output = plain(&output, newer);
            for _ in 0..6 {
                let mut data = Map::new();
                for field in &fields {
                    if random.below(5) > 0 {
                        data.insert((*field).to_owned(), random.value(3));
                    }
                }
                let data = Value::Object(data);
                let text = data.to_string();
                let node = read(&text, limits).unwrap();
                let faults = selection.faults(&node, &Budget::unlimited(), 4).unwrap();
                let verdict = faults.is_empty();
                let what = || {
                    format!(
                        "{fields:?} {data}\n{whole}\n{}\n{faults:?}",
                        selection.json()
                    )
                };
                assert_eq!(verdict, shown.is_valid(&data), "selectedSchema {}", what());
                if fields.len() == 3 {
                    assert_eq!(verdict, original.is_valid(&data), "snapshot {}", what());
                }
                let candidate = json!({ "data": data, "evidence": [], "descriptionChecks": [],
                                        "fieldResults": [], "issues": [] });
                // In strict mode optional properties are required and nullable on the wire.
                if !strict {
                    assert_eq!(
                        verdict,
                        output.is_valid(&candidate),
                        "outputSchema {}",
                        what()
                    );
                    enveloped += 1;
                }
                let paths = selection
                    .described_paths(&node, &Budget::unlimited())
                    .unwrap();
                for path in paths {
                    let below = path.strip_prefix("/data").unwrap();
                    assert!(data.pointer(below).is_some(), "{path} {}", what());
                    described += 1;
                }
                *(if verdict { &mut valid } else { &mut invalid }) += 1;
            }
        }
    }
    // The cases tell something only while both verdicts are common.
    assert!(
        schemas > 100 && valid > 300 && invalid > 300,
        "{schemas} schemas, {valid} valid, {invalid} invalid"
    );
    assert!(
        enveloped > 300 && described > 100,
        "{enveloped} compared with the outputSchema, {described} described"
    );
}
