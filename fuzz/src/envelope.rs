//! Replies of model services. The first byte says which kind.

use intent_runtime::executor::api::{chat, responses};
use intent_runtime::{ErrorCode, ModelReply, Stage};
use serde_json::Value;

pub fn run(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else {
        return;
    };
    let read = if kind % 2 == 0 {
        responses::read
    } else {
        chat::read
    };
    // A byte-order mark is passed over.
    let json = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let plain: Result<Value, _> = serde_json::from_slice(json);
    match read(body) {
        Ok(ModelReply::Complete { text, .. }) => {
            assert!(!text.is_empty());
            assert!(plain.is_ok_and(|value| value.is_object()));
        }
        Ok(_) => assert!(plain.is_ok_and(|value| value.is_object())),
        Err(error) => {
            assert_eq!(
                (error.code(), error.stage()),
                (ErrorCode::ModelRequestFailed, Stage::Model)
            );
            let message = error.message();
            assert!(message.len() < 1000, "{message}");
            assert!(error.partial_result().is_none() && error.issues().is_empty());
            // Short marks of an `error` object may be told; sentences of the body may not.
            if let Ok(value) = &plain {
                texts(value, &mut |text| {
                    // White space around a mark tells nothing, and may stand before a word of the message.
                    let text = text.trim();
                    let told = text.len() <= 64
                        && text
                            .bytes()
                            .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
                    assert!(
                        told || text.len() < 12 || !message.contains(text),
                        "{message}"
                    );
                });
            }
        }
    }
}

fn texts(value: &Value, look: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => look(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, look)),
        Value::Object(map) => map.values().for_each(|value| texts(value, look)),
        _ => {}
    }
}
