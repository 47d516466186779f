//! Optional properties on the wire: OpenAI's strict mode wants every property in `required`, so
//! that an optional one is required and may be null there. A candidate's null for it means that it
//! is absent, as long as the caller's schema does not admit null itself.

use serde_json::{Map, Value, json};

use super::keywords::{ValueShape, find};

/// Makes every optional property of closed objects required and nullable.
pub(super) fn close(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    for (key, value) in schema.iter_mut() {
        match (find(key).map(|keyword| keyword.shape), value) {
            (Some(ValueShape::Schema | ValueShape::Items), Value::Array(list))
            | (Some(ValueShape::SchemaList), Value::Array(list)) => list.iter_mut().for_each(close),
            (Some(ValueShape::Schema | ValueShape::Items), schema) => close(schema),
            (Some(ValueShape::Schemas), Value::Object(map)) => map.values_mut().for_each(close),
            _ => {}
        }
    }
    // An object that the caller left open accepts more than its own properties.
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return;
    }
    let required: Vec<String> = names(schema.get("required"));
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (name, property) in properties.iter_mut() {
        if !required.contains(name) {
            admit_null(property);
        }
    }
    let all: Vec<Value> = properties.keys().map(|name| name.clone().into()).collect();
    schema.insert("required".to_owned(), Value::Array(all));
}

fn names(value: Option<&Value>) -> Vec<String> {
    let names = value.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn admit_null(property: &mut Value) {
    let Value::Object(schema) = property else {
        return;
    };
    if schema.contains_key("$ref") || schema.contains_key("const") {
        or_null(property);
        return;
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        let null = json!({ "type": "null" });
        if !branches.contains(&null) {
            branches.push(null);
        }
    }
    let Some(types) = schema.get("type") else {
        return;
    };
    let mut types: Vec<Value> = match types {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    if !types.iter().any(|name| name == "null") {
        types.push("null".into());
    }
    schema.insert("type".to_owned(), Value::Array(types));
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// Makes the schema one of two branches, with its annotations beside them.
fn or_null(property: &mut Value) {
    let mut outer = Map::new();
    let mut inner = std::mem::take(property);
    if let Value::Object(inner) = &mut inner
        && let Some(description) = inner.shift_remove("description")
    {
        outer.insert("description".to_owned(), description);
    }
    outer.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
    *property = Value::Object(outer);
}
