//! What a caller may pass as a schema, what becomes of it, and which descriptions apply.

use std::sync::Arc;
use std::time::{Duration, Instant};

use intent_runtime::budget::{Budget, Exhausted};
use intent_runtime::json::{ReadLimits, read};
use intent_runtime::schema::{Origin, Schema, Selection};
use intent_runtime::{ErrorCode, IntentError, Limits, ProofForm, Stage};
use serde_json::{Value, json};

const READ_LIMITS: ReadLimits = ReadLimits {
    depth: 512,
    nodes: 1_000_000,
};

fn new(schema: Value) -> Result<Schema, IntentError> {
    Schema::from_value(schema, Origin::Json, &Limits::default())
}

/// A schema with one property.
fn of(property: Value) -> Value {
    json!({ "type": "object", "properties": { "v": property } })
}

fn all(schema: &Schema) -> Arc<Selection> {
    let fields: Vec<&str> = schema.fields().collect();
    schema.select(&fields).unwrap()
}

fn faults(schema: Value, data: Value) -> Vec<(String, String)> {
    let text = data.to_string();
    let node = read(&text, READ_LIMITS).unwrap();
    all(&new(schema).unwrap())
        .faults(&node, &Budget::unlimited(), 20)
        .unwrap()
}

fn is_valid(property: Value, value: &str) -> bool {
    let text = format!("{{\"v\":{value}}}");
    let node = read(&text, READ_LIMITS).unwrap();
    all(&new(of(property)).unwrap())
        .faults(&node, &Budget::unlimited(), 1)
        .unwrap()
        .is_empty()
}

fn described(schema: Value, data: Value) -> Vec<String> {
    let text = data.to_string();
    let node = read(&text, READ_LIMITS).unwrap();
    all(&new(schema).unwrap())
        .described_paths(&node, &Budget::unlimited())
        .unwrap()
}

#[test]
fn schemas_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Schema>();
    shared::<Selection>();
}

#[test]
fn refusals_name_the_place() {
    let many: Vec<Value> = vec![json!({}); 65];
    for (schema, message) in [
        (json!(null), "must be a JSON Schema object, got null"),
        (json!(true), "got a boolean"),
        (json!([]), "got an array"),
        (
            json!({ "type": "array", "properties": {} }),
            "schema.type must be \"object\"",
        ),
        (
            json!({ "properties": {} }),
            "schema.type must be \"object\"",
        ),
        (
            json!({ "type": ["object"], "properties": {} }),
            "schema.type must be \"object\"",
        ),
        (json!({ "type": "object" }), "schema.properties is missing"),
        (
            of(json!({ "maxLenght": 3 })),
            "schema.properties.v: unknown keyword \"maxLenght\" (did you mean \"maxLength\"?)",
        ),
        (
            of(json!({ "nullable": true })),
            "unknown keyword \"nullable\"",
        ),
        (
            of(json!({ "items": [{ "requierd": [] }] })),
            "schema.properties.v.items[0]: unknown keyword \"requierd\" (did you mean \"required\"?)",
        ),
        (
            of(json!(3)),
            "schema.properties.v must be a schema (an object such as { \"type\": \"string\" }, or a boolean), got a number",
        ),
        (
            of(json!({ "allOf": [null] })),
            "schema.properties.v.allOf[0] must be a schema",
        ),
        (
            of(json!({ "dependencies": { "a": [1] } })),
            "dependencies.a must be a schema or an array",
        ),
        (
            of(json!({ "type": "text" })),
            "schema.properties.v.type must be one of",
        ),
        (
            of(json!({ "minLength": -1 })),
            "schema.properties.v.minLength must be a non-negative",
        ),
        (of(json!({ "multipleOf": 0 })), "must be a number above 0"),
        (of(json!({ "anyOf": [] })), "with at least one entry"),
        (
            of(json!({ "required": ["a", "a"] })),
            "must be an array of distinct strings",
        ),
        (
            of(json!({ "anyOf": many })),
            "schema.properties.v.anyOf: it has 65 branches",
        ),
        (
            of(json!({ "pattern": "(" })),
            "schema.properties.v.pattern: the pattern \"(\" is refused",
        ),
        (
            of(json!({ "patternProperties": { "[": {} } })),
            "schema.properties.v.patternProperties[\"[\"]: the pattern \"[\" is refused",
        ),
        (of(json!({ "format": "phone" })), "unknown format \"phone\""),
        (
            of(json!({ "$ref": "https://a.example/b" })),
            "only references inside the schema",
        ),
        (
            of(json!({ "$ref": "other.json#/a" })),
            "only references inside the schema",
        ),
        (
            of(json!({ "$ref": "#name" })),
            "only references inside the schema",
        ),
        (
            of(json!({ "$ref": "#/definitions/none" })),
            "does not point at a schema",
        ),
        (
            of(json!({ "$ref": "#/properties" })),
            "does not point at a schema",
        ),
        (
            of(json!({ "$ref": "#/properties/v" })),
            "without consuming any data",
        ),
        (
            of(json!({ "$anchor": "a" })),
            "\"$anchor\" is not supported",
        ),
        (
            of(json!({ "$dynamicRef": "#a" })),
            "\"$dynamicRef\" is not supported",
        ),
        (
            json!({
                "type": "object",
                "properties": {},
                "definitions": { "a": { "allOf": [{ "$ref": "#/definitions/b" }] },
                                 "b": { "not": { "$ref": "#/definitions/a" } } },
            }),
            "without consuming any data",
        ),
        (
            json!({ "$schema": "https://json-schema.org/draft/2019-08/schema", "type": "object",
                    "properties": {} }),
            "schema.$schema: only Draft-7",
        ),
        (
            json!({ "$schema": 7, "type": "object", "properties": {} }),
            "got a number",
        ),
        (
            of(json!({ "prefixItems": [{}], "additionalItems": false })),
            "cannot use both",
        ),
        (
            of(json!({ "minContains": 1, "items": [{}] })),
            "cannot use both",
        ),
        (
            of(json!({ "$defs": {}, "dependencies": {} })),
            "cannot use both",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                    "properties": { "v": { "dependentRequired": {} } } }),
            "is no keyword of Draft-7",
        ),
        (
            json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                    "properties": { "v": { "additionalItems": {} } } }),
            "is no keyword of 2020-12",
        ),
        (
            json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                    "properties": { "v": { "items": [{}] } } }),
            "\"prefixItems\" in 2020-12",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema", "type": "object",
                    "properties": { "v": { "$schema": "https://json-schema.org/draft/2020-12/schema" } } }),
            "cannot name another dialect",
        ),
        (
            json!({ "type": "object", "properties": { "a": {} }, "required": ["b\n"] }),
            "schema.required names \"b\\u000a\"",
        ),
        (
            json!({ "type": "object", "properties": {}, "exactLength": "3" }),
            "schema.exactLength must be a non-negative integer",
        ),
    ] {
        let error = new(schema.clone()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SchemaUnsupported, "{schema}");
        assert_eq!(error.stage(), Stage::Config);
        assert!(
            error.message().contains(message),
            "{schema}: {}",
            error.message()
        );
    }
}

#[test]
fn the_root_refuses_what_a_selection_would_change() {
    for (keyword, value) in [
        ("anyOf", json!([{}])),
        ("oneOf", json!([{}])),
        ("allOf", json!([{}])),
        ("not", json!({})),
        ("if", json!({})),
        ("then", json!({})),
        ("else", json!({})),
        ("enum", json!([{}])),
        ("const", json!({})),
        ("$ref", json!("#/properties/v")),
        ("patternProperties", json!({})),
        ("propertyNames", json!({})),
        ("minProperties", json!(0)),
        ("maxProperties", json!(9)),
        ("dependencies", json!({})),
        ("dependentRequired", json!({})),
        ("dependentSchemas", json!({})),
        ("unevaluatedProperties", json!(false)),
    ] {
        let mut schema = of(json!({}));
        schema[keyword] = value.clone();
        let error = new(schema).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SchemaUnsupported);
        assert!(
            error
                .message()
                .contains(&format!("schema.{keyword} is not supported at the root")),
            "{}",
            error.message()
        );
        // Inside a property each is welcome, and so is a property of that name.
        let mut inner = of(json!({ keyword: value }));
        inner["properties"][keyword] = json!({ "default": { keyword: 1 } });
        if keyword != "$ref" {
            new(inner).unwrap();
        }
    }
}

#[test]
fn what_is_kept_and_what_is_dropped() {
    let kept = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "t",
        "type": "object",
        "properties": {
            "__proto__": { "description": "d", "x-widget": { "unknown": 1 }, "default": { "$id": 1 } },
            "$id": { "enum": [{ "_label": 1 }], "examples": [{ "$ref": 1 }], "const": { "$id": 2 } },
            "_label": { "contentEncoding": "base64", "contentMediaType": "a/b", "contentSchema": 7 },
            "a.b": { "readOnly": true, "writeOnly": false, "deprecated": true, "$comment": "c" },
        },
    });
    let mut given = kept.clone();
    given["$id"] = json!("https://a.example/b");
    given["_customMessages"] = json!({});
    given["properties"]["_label"]["_label"] = json!("L");
    given["properties"]["_label"]["_description"] = json!("L");
    given["properties"]["_label"]["_required"] = json!(true);
    given["properties"]["_label"]["$schema"] = json!("https://json-schema.org/draft-07/schema");
    let schema = new(given).unwrap();
    assert_eq!(schema.json(), kept.to_string());
    assert_eq!(
        schema.fields().collect::<Vec<_>>(),
        ["__proto__", "$id", "_label", "a.b"]
    );
    assert!(schema.has_field("__proto__") && !schema.has_field("constructor"));

    for empty in [Schema::empty(), new(json!({})).unwrap()] {
        assert_eq!(empty.json(), "{}");
        assert_eq!(empty.fields().count(), 0);
        assert_eq!(
            empty.select(&["a"]).unwrap_err().code(),
            ErrorCode::UnknownField
        );
    }
}

#[test]
fn exact_length_tightens_and_never_weakens() {
    for (given, kept) in [
        (
            json!({ "exactLength": 3 }),
            json!({ "minLength": 3, "maxLength": 3 }),
        ),
        (
            json!({ "minLength": 5, "exactLength": 3, "maxLength": 9 }),
            json!({ "minLength": 5, "maxLength": 3 }),
        ),
        (
            json!({ "maxLength": 2, "exactLength": 3, "minLength": 1 }),
            json!({ "maxLength": 2, "minLength": 3 }),
        ),
    ] {
        let schema = new(of(given)).unwrap();
        let snapshot: Value = serde_json::from_str(schema.json()).unwrap();
        assert_eq!(snapshot["properties"]["v"], kept);
    }
}

#[test]
fn limits_are_exact() {
    let nested = of(json!({ "properties": { "a": { "items": {} } } }));
    let schema =
        json!({ "type": "object", "properties": { "a": {}, "b": { "properties": { "c": {} } } } });
    let bytes = schema.to_string().len() as u64;
    let with = |set: &dyn Fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        limits
    };
    for (schema, good, bad, name) in [
        (
            &nested,
            with(&|l| l.max_schema_depth = 3),
            with(&|l| l.max_schema_depth = 2),
            "maxSchemaDepth",
        ),
        (
            &schema,
            with(&|l| l.max_schema_properties = 3),
            with(&|l| l.max_schema_properties = 2),
            "maxSchemaProperties",
        ),
        (
            &schema,
            with(&|l| l.max_schema_bytes = bytes),
            with(&|l| l.max_schema_bytes = bytes - 1),
            "maxSchemaBytes",
        ),
    ] {
        Schema::from_value(schema.clone(), Origin::Json, &good).unwrap();
        let error = Schema::from_value(schema.clone(), Origin::Json, &bad).unwrap_err();
        assert_eq!(error.code(), ErrorCode::LimitExceeded);
        assert_eq!(error.stage(), Stage::Config);
        assert!(error.message().contains(name), "{}", error.message());
    }
    // Whatever the limits say, depth has an end.
    let mut deep = json!({});
    for _ in 0..150 {
        deep = json!({ "items": deep });
    }
    let unbounded = with(&|l| l.max_schema_depth = 1 << 50);
    let error = Schema::from_value(of(deep), Origin::Json, &unbounded).unwrap_err();
    assert_eq!(error.code(), ErrorCode::SchemaUnsupported);
    let mut data = json!(0);
    for _ in 0..600 {
        data = json!([data]);
    }
    let error = new(of(json!({ "default": data }))).unwrap_err();
    assert_eq!(error.code(), ErrorCode::SchemaUnsupported);
}

#[test]
fn unknown_formats_are_annotations_in_two_cases() {
    assert!(new(of(json!({ "format": "ulid" }))).is_err());
    assert!(new(of(json!({ "format": "ulid", "pattern": "^[0-9A-Z]+$" }))).is_ok());
    let zod = of(json!({ "type": "string", "format": "ulid" }));
    let schema = Schema::from_value(zod.clone(), Origin::Standard, &Limits::default()).unwrap();
    assert_eq!(schema.json(), zod.to_string());
    let text = r#"{"v":"anything"}"#;
    let node = read(text, READ_LIMITS).unwrap();
    assert!(
        all(&schema)
            .faults(&node, &Budget::unlimited(), 1)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn formats_are_asserted_in_every_dialect() {
    for (format, good, bad) in [
        ("date", "2024-02-29", "2023-02-29"),
        ("time", "10:20:30Z", "25:00:00Z"),
        ("date-time", "2024-01-01T00:00:00+08:00", "2024-01-01"),
        ("duration", "P1DT2H", "1d"),
        ("uri", "mailto:a@b.example", "//b.example/a"),
        ("uri-reference", "../a?b#c", "a b"),
        ("url", "https://u:p@b.example:8/a?b#c", "mailto:a@b.example"),
        ("url", "ftp://[::1]/", "https:///a"),
        ("url", "http://b.example", "http://b example"),
        ("email", "a@b.example", "a.b.example"),
        ("hostname", "b.example", "-b.example"),
        ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("ipv6", "::1", "1::2::3"),
        ("regex", "^\\p{L}+$", "("),
        (
            "uuid",
            "2f1e4a8c-0b7d-4c2a-9f6e-1a2b3c4d5e6f",
            "2f1e4a8c0b7d4c2a9f6e1a2b3c4d5e6f",
        ),
        ("json-pointer", "/a~1b", "a"),
        ("relative-json-pointer", "1/a", "/a"),
    ] {
        for dialect in [
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
        ] {
            let mut schema = of(json!({ "format": format }));
            schema["$schema"] = json!(dialect);
            for (text, valid) in [(good, true), (bad, false)] {
                let faults = faults(schema.clone(), json!({ "v": text }));
                assert_eq!(
                    faults.is_empty(),
                    valid,
                    "{format} {text} {dialect}: {faults:?}"
                );
            }
            assert!(faults(schema, json!({ "v": 1 })).is_empty());
        }
    }
}

#[test]
fn numbers_are_exact() {
    for (property, good, bad) in [
        (
            json!({ "multipleOf": 0.01 }),
            ["19.99", "-0.0", "1e2"],
            ["19.995", "1e-3", "0.011"],
        ),
        (
            json!({ "multipleOf": 1e-7 }),
            ["3e-7", "9007199254740991", "0.5"],
            ["1e-8", "1.5e-7", "2.00000001"],
        ),
        (
            json!({ "type": "integer" }),
            ["1.0", "-0.0", "1e3"],
            ["1.5", "\"1\"", "1e-1"],
        ),
        (
            json!({ "const": 1.0 }),
            ["1", "1.0", "10e-1"],
            ["1.1", "true", "\"1\""],
        ),
        (
            json!({ "enum": [0, 5] }),
            ["0", "-0.0", "5.0"],
            ["-5", "0.1", "false"],
        ),
        (
            json!({ "maximum": 9_007_199_254_740_990u64 }),
            ["9007199254740990", "1.5", "-1"],
            [
                "9007199254740991",
                "9007199254740991.0",
                "9.007199254740991e15",
            ],
        ),
    ] {
        for text in good {
            assert!(is_valid(property.clone(), text), "{property} {text}");
        }
        for text in bad {
            assert!(!is_valid(property.clone(), text), "{property} {text}");
        }
    }
}

#[test]
fn unique_items_compare_by_value() {
    let unique = json!({ "uniqueItems": true });
    for text in [
        "[1, 2]",
        "[0, false]",
        "[[1], [1, 1]]",
        "[{\"a\":1}, {\"a\":2}]",
        "[\"1\", 1]",
    ] {
        assert!(is_valid(unique.clone(), text), "{text}");
    }
    for text in [
        "[1, 1.0]",
        "[0, -0.0]",
        "[{\"a\":1,\"b\":2}, {\"b\":2.0,\"a\":1}]",
        "[[{}], [{}]]",
    ] {
        assert!(!is_valid(unique.clone(), text), "{text}");
    }
}

#[test]
fn patterns_have_ecmascript_meaning_wherever_they_stand() {
    for property in [
        json!({ "pattern": "^\\d+$" }),
        json!({ "anyOf": [{ "pattern": "^\\d+$" }] }),
        json!({ "oneOf": [{ "pattern": "^\\d+$" }, false] }),
        json!({ "allOf": [{ "not": { "not": { "pattern": "^\\d+$" } } }] }),
        json!({ "if": { "pattern": "^\\d+$" }, "else": false }),
    ] {
        assert!(is_valid(property.clone(), "\"12\""), "{property}");
        assert!(!is_valid(property.clone(), "\"١٢\""), "{property}");
        assert!(is_valid(property, "12"));
    }
    let names = json!({ "propertyNames": { "pattern": "^\\d+$" } });
    assert!(is_valid(names.clone(), "{\"1\": 0}"));
    assert!(!is_valid(names, "{\"١\": 0}"));
    let items = json!({ "contains": { "pattern": "^\\w$" } });
    assert!(is_valid(items.clone(), "[\"é\", \"e\"]"));
    assert!(!is_valid(items, "[\"é\"]"));
}

#[test]
fn pattern_properties_have_ecmascript_meaning() {
    let closed = json!({
        "properties": { "id": { "type": "integer" }, "x1": {} },
        "patternProperties": { "^\\w$": { "type": "string" }, "^x\\d$": { "type": "boolean" } },
        "additionalProperties": false,
        "required": ["id"],
    });
    for (text, valid) in [
        (r#"{"id": 1, "a": "s", "x1": true}"#, true),
        (r#"{"id": 1, "é": "s"}"#, false),
        (r#"{"id": 1, "a": 1}"#, false),
        (r#"{"id": 1, "x1": 1}"#, false),
        (r#"{"id": 1, "x١": true}"#, false),
        (r#"{"a": "s"}"#, false),
        ("{\"id\": 1, \"\u{10ffff}0\u{10ffff}\": \"s\"}", false),
        ("{\"id\": 1, \"zz\u{10ffff}0\u{10ffff}\": \"s\"}", false),
    ] {
        assert_eq!(is_valid(closed.clone(), text), valid, "{text}");
    }
    let unevaluated = json!({
        "$defs": {},
        "allOf": [{ "patternProperties": { "^\\d$": {} } }],
        "dependentRequired": { "1": ["2"] },
        "unevaluatedProperties": false,
    });
    for (text, valid) in [
        (r#"{"1": 0, "2": 0}"#, true),
        (r#"{"1": 0}"#, false),
        (r#"{"2": 0}"#, true),
        (r#"{"١": 0}"#, false),
    ] {
        assert_eq!(is_valid(unevaluated.clone(), text), valid, "{text}");
    }
    let faults = faults(
        of(closed),
        json!({ "v": { "é/": "s", "a": 1, "x2": { "y": 0 }, "\u{10ffff}": 0 } }),
    );
    let mut places: Vec<&str> = faults.iter().map(|(pointer, _)| pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/data/v", "/data/v", "/data/v/a", "/data/v/x2"]);
    assert!(
        faults
            .iter()
            .any(|(_, m)| m == "required: \"id\" is missing")
            && faults
                .iter()
                .any(|(_, m)| m == "additionalProperties: not allowed: \"é/\", \"\u{10ffff}\""),
        "{faults:?}"
    );
}

#[test]
fn faults_say_where_and_what() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": "string", "minLength": 2 },
            "b": { "type": "array", "items": { "enum": ["x", "y"] }, "maxItems": 1 },
            "c": { "anyOf": [{ "type": "integer" }, { "pattern": "^c" }] },
            "d": { "properties": { "e": { "minimum": 3 } }, "required": ["f"] },
            "g": { "multipleOf": 0.5 },
        },
        "required": ["h", "a"],
        "additionalProperties": true,
    });
    let mut schema = schema;
    schema["properties"]["h"] = json!({});
    let found = faults(
        schema.clone(),
        json!({ "a": 1, "b": ["x", "z"], "c": "d", "d": { "e": 1 }, "g": 0.7, "z": 0 }),
    );
    let expected = [
        ("/data", "required: \"h\" is missing"),
        ("/data", "additionalProperties: not allowed: \"z\""),
        ("/data/a", "type: must be string"),
        ("/data/b", "maxItems: must have at most 1 items"),
        ("/data/b/1", "enum: must be one of \"x\", \"y\""),
        (
            "/data/c",
            "anyOf: none of 2 branches matches (/data/c type: must be integer; /data/c pattern: \
             must match ^c)",
        ),
        ("/data/d", "required: \"f\" is missing"),
        ("/data/d/e", "minimum: must be at least 3"),
        ("/data/g", "multipleOf: must be a multiple of 0.5"),
    ];
    for (pointer, message) in expected {
        assert!(
            found.contains(&(pointer.to_owned(), message.to_owned())),
            "{pointer} {message}: {found:#?}"
        );
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    let text = r#"{"a": 1, "b": 2}"#;
    let node = read(text, READ_LIMITS).unwrap();
    let schema = new(schema).unwrap();
    let few = all(&schema).faults(&node, &Budget::unlimited(), 1).unwrap();
    assert_eq!(few.len(), 1);
}

#[test]
fn selections_project_the_root() {
    let schema = new(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "T",
        "description": "D",
        "type": "object",
        "properties": { "a": { "title": "A" }, "b": {}, "c": { "x-k": 1 } },
        "required": ["c", "a"],
        "additionalProperties": { "type": "string" },
        "definitions": { "unused": {} },
    }))
    .unwrap();
    let selection = schema.select(&["c", "b", "c"]).unwrap();
    assert_eq!(selection.fields(), ["c", "b"]);
    assert!(selection.is_required("c") && !selection.is_required("a"));
    assert_eq!(
        selection.json(),
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","description":"D","properties":{"c":{"x-k":1},"b":{}},"required":["c"],"additionalProperties":false}"#
    );
    assert!(Arc::ptr_eq(
        &selection,
        &schema.select(&["c", "b"]).unwrap()
    ));
    assert!(!Arc::ptr_eq(
        &selection,
        &schema.select(&["b", "c"]).unwrap()
    ));
    let error = schema.select(&["a", "toString"]).unwrap_err();
    assert_eq!(
        (error.code(), error.stage()),
        (ErrorCode::UnknownField, Stage::Input)
    );
    assert!(error.message().contains("\"toString\""));

    let envelope: Value = serde_json::from_str(
        &selection
            .output_schema(intent_runtime::ProofForm::Full, 0)
            .text,
    )
    .unwrap();
    assert_eq!(
        envelope["$schema"],
        json!("http://json-schema.org/draft-07/schema#")
    );
    assert_eq!(
        envelope["required"],
        json!([
            "data",
            "evidence",
            "descriptionChecks",
            "fieldResults",
            "issues"
        ])
    );
    assert_eq!(
        envelope["properties"]["data"]["properties"],
        json!({ "c": { "x-k": 1 }, "b": {} })
    );
    assert!(envelope["properties"]["data"].get("$schema").is_none());
    assert!(Arc::ptr_eq(
        &selection.output_schema(intent_runtime::ProofForm::Full, 0),
        &selection.output_schema(intent_runtime::ProofForm::Full, 0)
    ));
}

#[test]
fn the_least_recent_selection_goes() {
    let limits = Limits {
        max_schema_cache_entries: 2,
        ..Limits::default()
    };
    let properties = json!({ "type": "object", "properties": { "a": {}, "b": {}, "c": {} } });
    let schema = Schema::from_value(properties, Origin::Json, &limits).unwrap();
    let a = schema.select(&["a"]).unwrap();
    schema.select(&["b"]).unwrap();
    assert!(Arc::ptr_eq(&a, &schema.clone().select(&["a"]).unwrap()));
    schema.select(&["c"]).unwrap();
    assert!(Arc::ptr_eq(&a, &schema.select(&["a"]).unwrap()));
    schema.select(&["b"]).unwrap();
    schema.select(&["c"]).unwrap();
    assert!(!Arc::ptr_eq(&a, &schema.select(&["a"]).unwrap()));
}

#[test]
fn references_keep_their_targets() {
    let schema = new(json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/properties/b" },
            "b": { "type": "array", "items": { "$ref": "#" } },
            "c": { "$ref": "#/definitions/d/properties/e" },
            "f": { "items": { "$ref": "#/properties/f/items/0" } },
        },
        "definitions": { "b": {}, "d": { "properties": { "e": { "type": "null" } } } },
    }));
    // `items` of `f` is a schema here, so `/0` is no place.
    assert!(schema.is_err());
    let schema = new(json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/properties/b" },
            "b": { "type": "array", "items": { "$ref": "#" } },
            "c": { "$ref": "#/definitions/d/properties/e" },
            "g": { "properties": { "h": { "$ref": "#/properties/g" } } },
        },
        "definitions": { "b": {}, "d": { "properties": { "e": { "type": "null" } } }, "z": {} },
    }))
    .unwrap();
    let select = |fields: &[&str]| -> Value {
        serde_json::from_str(schema.select(fields).unwrap().json()).unwrap()
    };
    assert_eq!(
        select(&["a"]),
        json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/definitions/b-2" } },
            "required": [],
            "additionalProperties": false,
            "definitions": {
                "b-2": { "type": "array", "items": { "$ref": "#/definitions/root" } },
                "root": {
                    "type": "object",
                    "properties": {
                        "a": { "$ref": "#/definitions/b-2" },
                        "b": { "type": "array", "items": { "$ref": "#/definitions/root" } },
                        "c": { "$ref": "#/definitions/d/properties/e" },
                        "g": { "properties": { "h": { "$ref": "#/definitions/g" } } },
                    },
                },
                "d": { "properties": { "e": { "type": "null" } } },
                "g": { "properties": { "h": { "$ref": "#/definitions/g" } } },
            },
        })
    );
    assert_eq!(
        select(&["c", "g"])["properties"],
        json!({
            "c": { "$ref": "#/definitions/d/properties/e" },
            "g": { "properties": { "h": { "$ref": "#/properties/g" } } },
        })
    );
    let output: Value = serde_json::from_str(
        &schema
            .select(&["g"])
            .unwrap()
            .output_schema(intent_runtime::ProofForm::Full, 0)
            .text,
    )
    .unwrap();
    assert_eq!(
        output["properties"]["data"]["properties"],
        json!({ "g": { "properties": { "h": { "$ref": "#/definitions/g" } } } })
    );
    assert_eq!(
        output["definitions"],
        json!({ "g": { "properties": { "h": { "$ref": "#/definitions/g" } } } })
    );
    // The whole of a closed schema is still `#`, save inside the envelope.
    let closed = new(json!({
        "type": "object",
        "properties": { "t": { "items": { "$ref": "#" } } },
        "additionalProperties": false,
    }))
    .unwrap();
    assert_eq!(
        all(&closed).json(),
        r##"{"type":"object","properties":{"t":{"items":{"$ref":"#"}}},"required":[],"additionalProperties":false}"##
    );
    assert!(
        all(&closed)
            .output_schema(intent_runtime::ProofForm::Full, 0)
            .text
            .contains("#/definitions/root")
    );
}

/// The tree of a long schema is read anew from its text: nothing else may tell it from a short one.
#[test]
fn a_long_schema_is_selected_as_a_short_one() {
    let with_note = |note: &str| {
        let mut nested = json!({ "const": 0.1 });
        for _ in 0..5 {
            nested = json!({ "items": nested });
        }
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "description": note,
            "required": ["b", "a"],
            "properties": {
                "a": { "$ref": "#/properties/b" },
                "b": { "$ref": "#/$defs/code" },
                "c": nested,
                "d": { "enum": [1.5, 1e300, "x", null], "default": { "k": [0.30000000000000004] } },
            },
            "$defs": { "code": { "type": "string", "pattern": "^[A-Z]{2}$", "description": "d" } },
        })
    };
    let long_note = "n".repeat(60_000);
    let (short, long) = (new(with_note("n")), new(with_note(&long_note)));
    let (short, long) = (short.unwrap(), long.unwrap());
    assert!(short.json().len() < 1 << 10 && long.json().len() > 60_000);
    let data = read(r#"{"a":"ab","b":"AB","c":[[0]],"d":2}"#, READ_LIMITS).unwrap();
    for fields in [&["a", "b", "c", "d"][..], &["a"], &["d", "c"], &["c", "a"]] {
        let (one, other) = (short.select(fields).unwrap(), long.select(fields).unwrap());
        assert_eq!(one.json(), other.json().replace(&long_note, "n"));
        for context in [0, 3] {
            let form = ProofForm::Full;
            let (one, other) = (
                one.output_schema(form, context),
                other.output_schema(form, context),
            );
            assert_eq!(*one.text, other.text.replace(&long_note, "n"));
        }
        let asked = |of: &Selection| of.faults(&data, &Budget::unlimited(), 20).unwrap();
        assert_eq!(asked(&one), asked(&other));
        assert!(!asked(&one).is_empty());
        assert_eq!(one.is_required("a"), other.is_required("a"));
    }
    assert_eq!(
        short.fields().collect::<Vec<_>>(),
        long.fields().collect::<Vec<_>>()
    );
    assert!(long.has_field("d") && !long.has_field("e"));
}

/// Half the stack of a Node.js worker.
#[test]
fn a_long_schema_is_read_anew_on_a_small_stack() {
    let mut deep = json!(0);
    for _ in 0..500 {
        deep = json!([deep]);
    }
    let schema = of(json!({ "default": deep, "description": "n".repeat(60_000) }));
    let schema = new(schema).unwrap();
    let asked = move || all(&schema).json().len();
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(asked);
    assert!(thread.unwrap().join().unwrap() > 61_000);
}

#[test]
fn recursion_follows_the_snapshot() {
    let open = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "kids": { "items": { "$ref": "#" } } },
        "required": ["name"],
    });
    let schema = new(open).unwrap();
    let selection = schema.select(&["kids"]).unwrap();
    let check = |text: &str| {
        let node = read(text, READ_LIMITS).unwrap();
        selection.faults(&node, &Budget::unlimited(), 9).unwrap()
    };
    assert!(check(r#"{"kids":[{"name":"a","other":1,"kids":[]}]}"#).is_empty());
    assert_eq!(
        check(r#"{"kids":[{"name":"a","kids":[{"kids":[]}]}]}"#),
        [(
            "/data/kids/0/kids/0".to_owned(),
            "required: \"name\" is missing".to_owned()
        )]
    );
    assert_eq!(check(r#"{"name":"a"}"#).len(), 1);
}

#[test]
fn descriptions_apply_where_their_schema_does() {
    let d = |text: &str| json!({ "description": text });
    let v = |property: Value| of(property);
    let new_dialect = |mut schema: Value| {
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema
    };
    let named = json!({ "type": "string", "description": "d" });
    for (schema, data, expected) in [
        // Plain places.
        (v(d("d")), json!({ "v": 1 }), vec!["/data/v"]),
        (v(d("d")), json!({}), vec![]),
        (v(d("\u{feff} ")), json!({ "v": 1 }), vec![]),
        (v(d("\u{200b}")), json!({ "v": 1 }), vec!["/data/v"]),
        (
            v(json!({ "properties": { "a/b": d("d"), "c": d("d") }, "description": "d" })),
            json!({ "v": { "a/b": 1 } }),
            vec!["/data/v", "/data/v/a~1b"],
        ),
        (
            v(json!({ "items": d("d") })),
            json!({ "v": [1, 2] }),
            vec!["/data/v/0", "/data/v/1"],
        ),
        (
            v(json!({ "items": [{}, d("d")], "additionalItems": d("d") })),
            json!({ "v": [1, 2, 3] }),
            vec!["/data/v/1", "/data/v/2"],
        ),
        (
            v(json!({ "items": {}, "additionalItems": d("d") })),
            json!({ "v": [1] }),
            vec![],
        ),
        (
            v(json!({ "prefixItems": [d("d")], "items": d("d") })),
            json!({ "v": [1, 2] }),
            vec!["/data/v/0", "/data/v/1"],
        ),
        (
            v(
                json!({ "properties": { "a": {} }, "patternProperties": { "^p": d("d") },
                      "additionalProperties": d("d") }),
            ),
            json!({ "v": { "p1": 0, "a": 0, "z": 0 } }),
            vec!["/data/v/p1", "/data/v/z"],
        ),
        (
            v(
                json!({ "properties": { "a": {} }, "patternProperties": { "^p": {} },
                      "additionalProperties": d("d") }),
            ),
            json!({ "v": { "p1": 0, "a": 0, "z": 0 } }),
            vec!["/data/v/z"],
        ),
        // Combinators.
        (
            v(json!({ "allOf": [{ "allOf": [d("d")] }] })),
            json!({ "v": 1 }),
            vec!["/data/v"],
        ),
        (
            v(
                json!({ "anyOf": [{ "type": "object", "properties": { "a": named } },
                                { "type": "object", "properties": { "b": named } }] }),
            ),
            json!({ "v": { "a": 1, "b": "x" } }),
            vec!["/data/v/b"],
        ),
        (
            v(json!({ "oneOf": [{ "type": "string", "description": "d" }, { "type": "null" }] })),
            json!({ "v": null }),
            vec![],
        ),
        (
            v(json!({ "oneOf": [{ "description": "d" }, { "description": "e" }] })),
            json!({ "v": null }),
            vec!["/data/v"],
        ),
        (
            v(json!({ "not": { "description": "d", "type": "null" } })),
            json!({ "v": 1 }),
            vec![],
        ),
        (
            v(json!({ "propertyNames": d("d") })),
            json!({ "v": { "a": 1 } }),
            vec![],
        ),
        (
            v(json!({ "unevaluatedProperties": d("d"), "unevaluatedItems": d("d") })),
            json!({ "v": { "a": 1 } }),
            vec![],
        ),
        (
            v(
                json!({ "if": { "properties": { "k": { "const": 1, "description": "if" } } },
                      "then": { "properties": { "t": d("d") } },
                      "else": { "properties": { "e": d("d") } } }),
            ),
            json!({ "v": { "k": 1, "t": 0, "e": 0 } }),
            vec!["/data/v/k", "/data/v/t"],
        ),
        (
            v(
                json!({ "if": { "properties": { "k": { "const": 1, "description": "if" } } },
                      "then": { "properties": { "t": d("d") } },
                      "else": { "properties": { "e": d("d") } } }),
            ),
            json!({ "v": { "k": 2, "t": 0, "e": 0 } }),
            vec!["/data/v/e"],
        ),
        (
            v(json!({ "then": d("d"), "else": d("d") })),
            json!({ "v": 1 }),
            vec![],
        ),
        (
            v(json!({ "contains": { "type": "integer", "description": "d" } })),
            json!({ "v": ["a", 1, "b", 2] }),
            vec!["/data/v/1", "/data/v/3"],
        ),
        (
            v(json!({ "dependencies": { "a": d("d"), "b": ["a"] } })),
            json!({ "v": { "a": 1 } }),
            vec!["/data/v"],
        ),
        (
            v(json!({ "dependencies": { "a": d("d") } })),
            json!({ "v": { "b": 1 } }),
            vec![],
        ),
        (
            v(json!({ "dependentSchemas": { "a": { "properties": { "b": d("d") } } } })),
            json!({ "v": { "b": 1, "a": 1 } }),
            vec!["/data/v/b"],
        ),
        // References.
        (
            json!({ "type": "object", "properties": { "v": { "$ref": "#/definitions/x", "description": "beside" } },
                    "definitions": { "x": { "type": "null" } } }),
            json!({ "v": 1 }),
            vec!["/data/v"],
        ),
        (
            json!({ "type": "object", "properties": { "v": { "$ref": "#/definitions/x",
                      "properties": { "a": d("d") } } },
                    "definitions": { "x": { "properties": { "b": d("d") } } } }),
            json!({ "v": { "a": 1, "b": 1 } }),
            vec!["/data/v/b"],
        ),
        (
            new_dialect(
                json!({ "type": "object", "properties": { "v": { "$ref": "#/$defs/x",
                      "properties": { "a": d("d") } } },
                    "$defs": { "x": { "properties": { "b": d("d") } } } }),
            ),
            json!({ "v": { "a": 1, "b": 1 } }),
            vec!["/data/v/a", "/data/v/b"],
        ),
        (
            json!({ "type": "object", "description": "root",
                    "properties": { "v": { "items": { "$ref": "#" } }, "n": d("d") } }),
            json!({ "v": [{ "n": 1, "v": [{}] }], "n": 1 }),
            vec![
                "/data",
                "/data/v/0",
                "/data/v/0/n",
                "/data/v/0/v/0",
                "/data/n",
            ],
        ),
        // Invalid data is described all the same.
        (
            json!({ "type": "object", "description": "r", "properties": { "v": named, "w": { "type": "null" } } }),
            json!({ "w": 1, "v": 1, "unknown": 2 }),
            vec!["/data", "/data/v"],
        ),
        (
            json!({ "type": "object", "description": "r", "properties": { "v": named } }),
            json!({ "__proto__": {} }),
            vec!["/data"],
        ),
    ] {
        assert_eq!(
            described(schema.clone(), data.clone()),
            expected,
            "{schema} {data}"
        );
    }
}

/// Literals and what `not` and `if` make of them are decided without `jsonschema`, with the same outcome.
#[test]
fn conditions_of_literals_are_decided_as_jsonschema_does() {
    let values = [
        json!(null),
        json!(1),
        json!("a"),
        json!(["a"]),
        json!({"a": 1}),
        json!(true),
    ];
    let mut conditions = vec![
        json!({"const": 1.0}),
        json!({"enum": ["a", null, {"a": 1}]}),
        json!({"const": ["a"]}),
        json!(true),
        json!(false),
    ];
    for _ in 0..2 {
        let plain = conditions.clone();
        for (at, one) in plain.iter().enumerate() {
            let other = &plain[(at * 7 + 1) % plain.len()];
            conditions.extend([
                json!({ "not": one }),
                json!({ "if": one, "then": false }),
                json!({ "if": one, "else": other }),
                json!({ "if": one, "then": other, "else": { "not": other } }),
                json!({ "not": one, "if": other, "then": false }),
            ]);
        }
    }
    let mut held = 0;
    for condition in &conditions {
        let expected = jsonschema::draft202012::new(condition).unwrap();
        let decided = json!({ "if": condition, "then": { "description": "d" } });
        let negated = json!({ "not": condition });
        for value in &values {
            let holds = expected.is_valid(value);
            held += usize::from(holds);
            let schema = of(json!({ "anyOf": [decided] }));
            let paths = described(schema, json!({ "v": value }));
            assert_eq!(paths == ["/data/v"], holds, "{condition} {value} {paths:?}");
            let text = value.to_string();
            assert_eq!(
                is_valid(condition.clone(), &text),
                holds,
                "{condition} {value}"
            );
            let found = faults(of(negated.clone()), json!({ "v": value }));
            let fault = (
                "/data/v".to_owned(),
                "not: matches what it must not match".to_owned(),
            );
            let told: &[_] = if holds { &[fault] } else { &[] };
            assert_eq!(found, told, "{condition} {value}");
        }
    }
    assert!(
        held > conditions.len() && held < 5 * conditions.len(),
        "{held}"
    );
}

#[test]
fn only_selected_fields_are_described() {
    let schema = new(json!({
        "type": "object",
        "properties": { "a": { "description": "d" }, "b": { "description": "d" } },
    }))
    .unwrap();
    let node = read(r#"{"a":1,"b":2}"#, READ_LIMITS).unwrap();
    let selection = schema.select(&["b"]).unwrap();
    assert_eq!(
        selection
            .described_paths(&node, &Budget::unlimited())
            .unwrap(),
        ["/data/b"]
    );
}

/// `levels` definitions, each `anyOf` of two references to the next.
fn doubling(levels: usize, last: Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        definitions.insert(format!("d{level}"), json!({ "anyOf": [next, next] }));
    }
    definitions.insert(format!("d{levels}"), last);
    json!({
        "type": "object",
        "properties": { "v": { "$ref": "#/$defs/d0" } },
        "$defs": definitions,
    })
}

#[test]
fn doubling_schemas_end_with_the_budget() {
    for (levels, last) in [
        (22, json!({ "type": "null", "description": "d" })),
        (40, json!({ "type": "null" })),
        (60, json!({ "type": "null", "description": "d" })),
    ] {
        let describes = last.get("description").is_some();
        let schema = new(doubling(levels, last)).unwrap();
        let selection = all(&schema);
        for text in [r#"{"v":1}"#, r#"{"v":[]}"#] {
            let node = read(text, READ_LIMITS).unwrap();
            let budget = || Budget::until(Instant::now() + Duration::from_millis(40));
            let start = Instant::now();
            assert_eq!(selection.faults(&node, &budget(), 5), Err(Exhausted));
            if describes {
                // Nothing satisfies a branch; what is not known in time is no verdict.
                let described = selection.described_paths(&node, &budget());
                assert!(matches!(described, Err(Exhausted)) || described == Ok(vec![]));
            }
            assert!(
                start.elapsed() < Duration::from_secs(2),
                "{:?}",
                start.elapsed()
            );
        }
        // A value that the first way satisfies is decided at once.
        let node = read(r#"{"v":null}"#, READ_LIMITS).unwrap();
        let faults = selection.faults(&node, &Budget::unlimited(), 5);
        assert_eq!(faults, Ok(vec![]));
        let described = selection
            .described_paths(&node, &Budget::unlimited())
            .unwrap();
        assert_eq!(described.len(), usize::from(describes));
    }
}

#[test]
fn a_quick_verdict_has_no_endless_faults() {
    let mut schema = doubling(30, json!({ "type": "null" }));
    schema["properties"]["a"] = json!({ "type": "null" });
    schema["properties"] = json!({
        "a": schema["properties"]["a"], "v": schema["properties"]["v"],
    });
    let schema = new(schema).unwrap();
    let node = read(r#"{"a":1,"v":1}"#, READ_LIMITS).unwrap();
    let budget = Budget::until(Instant::now() + Duration::from_secs(60));
    let faults = all(&schema).faults(&node, &budget, 5).unwrap();
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn giving_up_is_no_verdict() {
    use std::sync::atomic::AtomicBool;
    let flag = Arc::new(AtomicBool::new(true));
    let selection = all(&new(of(json!({ "description": "d", "type": "null" }))).unwrap());
    let node = read(r#"{"v":1}"#, READ_LIMITS).unwrap();
    let budget = Budget::unlimited().or_given_up(flag);
    assert_eq!(selection.faults(&node, &budget, 5), Err(Exhausted));
}

/// Deep data through a recursive schema fits the stack that a runtime's threads have.
#[test]
fn deep_data_fits_the_stack() {
    let run = || {
        let schema = new(json!({
            "type": "object",
            "properties": { "v": { "$ref": "#" } },
            "description": "r",
            "additionalProperties": false,
        }))
        .unwrap();
        let text = format!(
            "{}{}",
            "{\"v\":".repeat(511),
            "{}".to_owned() + &"}".repeat(511)
        );
        let node = read(&text, READ_LIMITS).unwrap();
        let selection = all(&schema);
        assert_eq!(selection.faults(&node, &Budget::unlimited(), 5), Ok(vec![]));
        assert_eq!(
            selection
                .described_paths(&node, &Budget::unlimited())
                .unwrap()
                .len(),
            512
        );
        let bad = text.replace("{}", "{\"w\":1}");
        let node = read(&bad, READ_LIMITS).unwrap();
        assert_eq!(
            selection
                .faults(&node, &Budget::unlimited(), 5)
                .unwrap()
                .len(),
            1
        );
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

/// What schema and data together make of the stack is bounded too: a verdict or giving up.
#[test]
fn no_schema_overflows_the_stack() {
    let on_small_stack = |run: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(run)
            .unwrap()
            .join()
            .unwrap();
    };
    let limits = Limits {
        max_schema_depth: 1000,
        max_schema_bytes: 1 << 20,
        ..Limits::default()
    };
    let build = |schema: Value| {
        let limits = Limits {
            max_schema_depth: 1000,
            max_schema_bytes: 1 << 20,
            ..Limits::default()
        };
        Schema::from_value(schema, Origin::Json, &limits)
    };
    // Over a hundred combinators for each of 512 levels of data.
    on_small_stack(Box::new(move || {
        let mut verdicts = 0;
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let mut nested = json!({ "$ref": "#", "description": "d" });
            for _ in 0..120 {
                nested = json!({ keyword: [nested] });
            }
            let schema = build(of(nested)).unwrap();
            let selection = all(&schema);
            for (levels, close) in [(3, "{}"), (511, "{}"), (511, "{\"v\":1}"), (3, "1")] {
                let text = format!("{}{close}{}", "{\"v\":".repeat(levels), "}".repeat(levels));
                let node = read(&text, READ_LIMITS).unwrap();
                let budget = || Budget::until(Instant::now() + Duration::from_millis(100));
                // Giving up is no verdict; a verdict that is reached is the right one.
                if let Ok(faults) = selection.faults(&node, &budget(), 5) {
                    assert_eq!(
                        faults.is_empty(),
                        close == "{}",
                        "{keyword} {levels} {close}"
                    );
                    verdicts += 1;
                }
                if let Ok(paths) = selection.described_paths(&node, &budget()) {
                    assert!(
                        paths.len() <= levels + 1,
                        "{keyword} {levels} {close}: {paths:?}"
                    );
                }
            }
        }
        assert!(verdicts > 0, "nothing was decided");
    }));
    // A chain of references as long as is accepted, and one that is too long.
    let chain = |length: usize, link: &dyn Fn(Value) -> Value| {
        let mut definitions = serde_json::Map::new();
        for at in 0..length {
            let next = json!({ "$ref": format!("#/definitions/d{}", at + 1) });
            definitions.insert(format!("d{at}"), link(next));
        }
        definitions.insert(
            format!("d{length}"),
            json!({ "type": "null", "description": "d" }),
        );
        json!({ "type": "object", "properties": { "v": { "$ref": "#/definitions/d0" } },
                "definitions": definitions })
    };
    let plain = chain(510, &|next| next);
    let nested = chain(255, &|next| json!({ "allOf": [next] }));
    for long in [
        chain(3000, &|next| next),
        chain(2000, &|next| json!({ "not": next })),
    ] {
        let error = Schema::from_value(long, Origin::Json, &limits).unwrap_err();
        assert!(
            error.message().contains("apply one inside the other"),
            "{}",
            error.message()
        );
    }
    for schema in [plain, nested] {
        on_small_stack(Box::new(move || {
            let selection = all(&build(schema).unwrap());
            for (text, faults, paths) in [(r#"{"v":null}"#, 0, 1), (r#"{"v":1}"#, 1, 1)] {
                let node = read(text, READ_LIMITS).unwrap();
                let found = selection.faults(&node, &Budget::unlimited(), 5);
                assert_eq!(found.map(|f| f.len()), Ok(faults));
                let found = selection.described_paths(&node, &Budget::unlimited());
                assert_eq!(found.map(|p| p.len()), Ok(paths));
            }
        }));
    }
    // As deep as is accepted, again and again behind references.
    on_small_stack(Box::new(move || {
        let mut definitions = serde_json::Map::new();
        for at in 0..20 {
            let mut nested = json!({ "$ref": format!("#/definitions/d{}", at + 1) });
            for _ in 0..120 {
                nested = json!({ "properties": { "a": nested, "b": { "items": {} } } });
            }
            definitions.insert(format!("d{at}"), nested);
        }
        definitions.insert("d20".to_owned(), json!({ "type": "null" }));
        let limits = Limits {
            max_schema_depth: 1000,
            max_schema_properties: 100_000,
            max_schema_bytes: 1 << 20,
            ..Limits::default()
        };
        let schema = json!({ "type": "object", "definitions": definitions,
                             "properties": { "v": { "$ref": "#/definitions/d0" } } });
        let selection = all(&Schema::from_value(schema, Origin::Json, &limits).unwrap());
        let node = read(r#"{"v":1}"#, READ_LIMITS).unwrap();
        assert_eq!(selection.faults(&node, &Budget::unlimited(), 5), Ok(vec![]));
    }));
}

/// The schemas of the parse vectors.
#[test]
fn parse_vectors() {
    fn expand(value: &Value, pieces: &Value) -> Value {
        let expand = |value: &Value| expand(value, pieces);
        match value {
            Value::Array(list) => list.iter().map(expand).collect(),
            Value::Object(map) => match (map.get("$fill"), map.get("$piece")) {
                (Some(fill), _) => (0..fill[1].as_u64().unwrap())
                    .map(|_| expand(&fill[0]))
                    .collect(),
                (_, Some(name)) => pieces[name.as_str().unwrap()].clone(),
                _ => Value::Object(map.iter().map(|(k, v)| (k.clone(), expand(v))).collect()),
            },
            other => other.clone(),
        }
    }
    let file: Value =
        serde_json::from_str(include_str!("../../__test__/data/parse-vectors.json")).unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for vector in file["vectors"].as_array().unwrap() {
        let config = expand(&vector["config"], &file["pieces"]);
        let Some(schema) = config.get("schema") else {
            continue;
        };
        let mut limits = Limits::default();
        for (name, value) in config["limits"].as_object().into_iter().flatten() {
            *limits.by_name(name).unwrap() = value.as_u64().unwrap();
        }
        let name = vector["name"].as_str().unwrap();
        let outcome = Schema::from_value(schema.clone(), Origin::Json, &limits);
        let error = &vector["expect"]["error"];
        if error["stage"] == "config" && name.starts_with("schema") {
            let found = outcome.expect_err(name);
            assert_eq!(
                found.code().as_str(),
                error["code"].as_str().unwrap(),
                "{name}"
            );
            refused += 1;
        } else {
            outcome.expect(name);
            accepted += 1;
        }
    }
    assert!(
        accepted > 60 && refused >= 20,
        "only {accepted} vectors with a schema that is accepted, {refused} with one that is refused"
    );
}

/// A matcher that gives up is no verdict, wherever it stands.
#[test]
fn catastrophic_patterns_end_with_the_budget() {
    // Backreferences keep the matcher from remembering what failed.
    let bad = "^(a*)*(a*)*\\1\\2b$";
    let text = format!("{{\"v\":\"{}c\"}}", "a".repeat(60));
    let name = format!("{{\"v\":{{\"{}c\":1}}}}", "a".repeat(60));
    for (property, text) in [
        (json!({ "pattern": bad }), &text),
        (json!({ "not": { "pattern": bad } }), &text),
        (
            json!({ "anyOf": [{ "pattern": bad }, { "type": "string", "description": "d" }] }),
            &text,
        ),
        (json!({ "propertyNames": { "pattern": bad } }), &name),
        (
            json!({ "patternProperties": { bad: { "description": "d" } } }),
            &name,
        ),
        (
            json!({ "patternProperties": { bad: {} }, "additionalProperties": { "description": "d" } }),
            &name,
        ),
    ] {
        // Of `anyOf` only the branch that is described is decided, and its pattern is none.
        let describes =
            property.to_string().contains("description") && property.get("anyOf").is_none();
        let selection = all(&new(of(property.clone())).unwrap());
        let node = read(text, READ_LIMITS).unwrap();
        let budget = || Budget::until(Instant::now() + Duration::from_millis(50));
        let start = Instant::now();
        assert_eq!(
            selection.faults(&node, &budget(), 5),
            Err(Exhausted),
            "{property}"
        );
        if describes {
            assert_eq!(
                selection.described_paths(&node, &budget()),
                Err(Exhausted),
                "{property}"
            );
        }
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "{:?}",
            start.elapsed()
        );
    }
}
