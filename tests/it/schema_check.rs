//! Older drafts, unknown keywords, and what `check_schema` says.

use intent_runtime::Limits;
use intent_runtime::schema::{Origin, Schema, check_schema};
use serde_json::{Value, json};

fn of_draft(id: &str, property: &Value) -> Value {
    json!({ "$schema": id, "type": "object", "properties": { "v": property } })
}

fn read(schema: Value, origin: Origin) -> Result<Value, String> {
    Schema::from_value(schema, origin, &Limits::default())
        .map(|schema| serde_json::from_str(schema.json()).unwrap())
        .map_err(|error| error.message().to_owned())
}

const D04: &str = "http://json-schema.org/draft-04/schema#";
const D06: &str = "http://json-schema.org/draft-06/schema#";
const D07: &str = "http://json-schema.org/draft-07/schema#";
const D2019: &str = "https://json-schema.org/draft/2019-09/schema";
const D2020: &str = "https://json-schema.org/draft/2020-12/schema";

#[test]
fn older_drafts_become_the_dialect_that_says_the_same() {
    for (id, written, becomes, kept) in [
        (
            D04,
            json!({ "id": "x", "type": "number", "maximum": 9, "exclusiveMaximum": true }),
            D07,
            json!({ "type": "number", "exclusiveMaximum": 9 }),
        ),
        (
            D04,
            json!({ "minimum": 1, "exclusiveMinimum": false }),
            D07,
            json!({ "minimum": 1 }),
        ),
        (D06, json!({ "const": 1 }), D07, json!({ "const": 1 })),
        (
            D2019,
            json!({ "type": "array", "items": [{ "type": "string" }], "additionalItems": false }),
            D2020,
            json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": false }),
        ),
        (
            D2019,
            json!({ "items": { "type": "string" }, "additionalItems": false }),
            D2020,
            json!({ "items": { "type": "string" } }),
        ),
        (
            D2019,
            json!({ "dependentRequired": { "a": ["b"] }, "unevaluatedProperties": false }),
            D2020,
            json!({ "dependentRequired": { "a": ["b"] }, "unevaluatedProperties": false }),
        ),
    ] {
        let snapshot = read(of_draft(id, &written), Origin::Json).unwrap();
        assert_eq!(snapshot["$schema"], becomes, "{written}");
        assert_eq!(snapshot["properties"]["v"], kept, "{written}");
    }
}

#[test]
fn what_means_something_else_is_refused() {
    for (id, property, says) in [
        (D04, json!({ "const": 1 }), "no keyword of draft 04"),
        (
            D04,
            json!({ "if": { "type": "string" } }),
            "no keyword of draft 04",
        ),
        (
            D04,
            json!({ "exclusiveMaximum": true }),
            "needs \"maximum\"",
        ),
        (
            D04,
            json!({ "maximum": 1, "exclusiveMaximum": 2 }),
            "must be true or false",
        ),
        (D06, json!({ "then": {} }), "no keyword of draft 06"),
        (
            D2019,
            json!({ "prefixItems": [{}] }),
            "no keyword of 2019-09",
        ),
        (
            D2019,
            json!({ "contains": {}, "unevaluatedItems": false }),
            "something else in 2019-09",
        ),
        (D2019, json!({ "$recursiveRef": "#" }), "$recursiveRef"),
        (D2019, json!({ "$schema": D2020 }), "another dialect"),
    ] {
        let error = read(of_draft(id, &property), Origin::Json).unwrap_err();
        assert!(error.contains(says), "{property}: {error}");
    }
}

#[test]
fn unknown_keywords_and_formats_are_annotations_where_that_is_asked() {
    let property = json!({ "type": "string", "nullable": true, "example": "x", "format": "float" });
    let schema = json!({ "type": "object", "properties": { "v": property } });
    assert!(read(schema.clone(), Origin::Json).is_err());
    let kept = read(schema.clone(), Origin::Annotated).unwrap();
    assert_eq!(kept, schema);
    // What other dialects give a meaning cannot become an annotation.
    for meant in ["$dynamicRef", "$anchor", "$recursiveRef", "$vocabulary"] {
        let schema = json!({ "type": "object", "properties": { "v": { meant: "x" } } });
        assert!(read(schema, Origin::Annotated).is_err(), "{meant}");
    }
    // Values of known keywords are checked all the same.
    let bad = json!({ "type": "object", "properties": { "v": { "type": "text" } } });
    assert!(read(bad, Origin::Annotated).is_err());
}

#[test]
fn every_refusal_is_found_in_one_pass() {
    let schema = json!({
        "type": "object",
        "required": ["a", "b"],
        "properties": {
            "a": { "requierd": [], "type": "text" },
            "a/b": { "items": { "format": "float" }, "pattern": "(" },
            "c": { "$ref": "#/definitions/none" },
        },
    });
    let report = check_schema(schema, Origin::Json, &Limits::default());
    let paths: Vec<&str> = report.refused.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/properties/a/requierd",
            "/properties/a/type",
            "/properties/a~1b/items/format",
            "",
            "/properties/a~1b/pattern",
        ],
        "{:?}",
        report.refused
    );
    let reference =
        json!({ "type": "object", "properties": { "c": { "$ref": "#/definitions/none" } } });
    let report = check_schema(reference, Origin::Json, &Limits::default());
    assert_eq!(report.refused[0].path, "/properties/c/$ref");
    assert_eq!(
        check_schema(json!([]), Origin::Json, &Limits::default())
            .refused
            .len(),
        1
    );
}

#[test]
fn what_is_loose_is_told_with_its_place() {
    let schema = json!({
        "type": "object",
        "properties": {
            "any": { "description": "anything" },
            "open": { "type": "object", "properties": {} },
            "closed": { "type": "object", "additionalProperties": false },
            "list": { "type": "array" },
            "code": { "type": "string", "format": "ulid", "pattern": "^x$", "nullable": true, "x-own": 1 },
        },
    });
    let report = check_schema(schema, Origin::Annotated, &Limits::default());
    assert!(report.refused.is_empty(), "{:?}", report.refused);
    let paths: Vec<&str> = report.loose.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/properties/any",
            "/properties/open",
            "/properties/list",
            "/properties/code/format",
            "/properties/code/nullable",
        ]
    );
}

#[test]
fn strict_mode_dialect_and_tokens() {
    let strict = json!({
        "type": "object",
        "properties": { "a": { "type": "string" } },
        "required": ["a"],
        "additionalProperties": false,
    });
    let report = check_schema(strict, Origin::Json, &Limits::default());
    assert_eq!(report.dialect, Some("Draft-7"));
    assert!(
        report.tokens > 15 && report.tokens < 40,
        "{}",
        report.tokens
    );
    if cfg!(feature = "http") {
        assert_eq!(report.strict, Some(true));
    }
    let open = json!({ "type": "object", "properties": { "a": { "type": "object" } } });
    let report = check_schema(open, Origin::Json, &Limits::default());
    if cfg!(feature = "http") {
        assert_eq!(report.strict, Some(false));
    }
    assert!(
        check_schema(json!({}), Origin::Json, &Limits::default())
            .refused
            .is_empty()
    );
}
