//! Envelopes: what is a reply, and what is none.

use intent_runtime::executor::api::{ApiExecutor, Format, Protocol, chat, responses};
use intent_runtime::executor::{ModelReply, ModelUsage};
use intent_runtime::{ErrorCode, Stage};
use serde_json::{Value, json};

use super::support::*;

fn complete(text: &str) -> ModelReply {
    ModelReply::Complete {
        text: text.to_owned(),
        info: usage().into(),
    }
}

fn usage() -> Option<ModelUsage> {
    Some(ModelUsage {
        input_tokens: Some(11),
        output_tokens: Some(7),
        ..ModelUsage::default()
    })
}

fn merged(mut base: Value, over: &Value) -> Value {
    for (key, value) in over.as_object().unwrap() {
        base[key] = value.clone();
    }
    base
}

fn response(over: &Value) -> Value {
    merged(responses_envelope("{}"), over)
}

fn message(parts: &Value) -> Value {
    response(&json!({ "output": [{ "type": "message", "role": "assistant", "content": parts }] }))
}

fn completion(choice: &Value, message: &Value) -> Value {
    let mut envelope = chat_envelope("{}");
    let inner = &mut envelope["choices"][0];
    *inner = merged(inner.clone(), choice);
    if !message.is_null() {
        inner["message"] = merged(inner["message"].clone(), message);
    }
    envelope
}

/// A message that says itself how it ended, under a response that says "completed".
fn ended(status: &str) -> Value {
    let parts = json!([{ "type": "output_text", "text": "{" }]);
    response(&json!({
        "output": [{ "type": "message", "role": "assistant", "status": status, "content": parts }]
    }))
}

#[test]
fn responses_replies() {
    for (envelope, reply) in [
        (response(&json!({})), complete("{}")),
        (ended("stop"), complete("{")),
        (ended("in_progress"), complete("{")),
        (
            ended("length"),
            ModelReply::Incomplete {
                detail: Some("length".to_owned()),
                info: usage().into(),
            },
        ),
        (
            ended("incomplete"),
            ModelReply::Incomplete {
                detail: Some("incomplete".to_owned()),
                info: usage().into(),
            },
        ),
        (
            ended("content_filter"),
            ModelReply::Refusal {
                detail: Some("content_filter".to_owned()),
                info: usage().into(),
            },
        ),
        (
            message(
                &json!([{ "type": "output_text", "text": "{\"a\"" }, { "type": "output_text", "text": "" }, { "type": "output_text", "text": ":1}" }]),
            ),
            complete("{\"a\":1}"),
        ),
        (
            message(&json!([{ "type": "refusal", "refusal": "no" }])),
            ModelReply::Refusal {
                detail: None,
                info: usage().into(),
            },
        ),
        (
            message(&json!([{ "type": "output_text", "text": "{" }, { "type": "refusal" }])),
            ModelReply::Refusal {
                detail: None,
                info: usage().into(),
            },
        ),
        (
            response(
                &json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" } }),
            ),
            ModelReply::Incomplete {
                detail: Some("max_output_tokens".into()),
                info: usage().into(),
            },
        ),
        (
            response(
                &json!({ "status": "incomplete", "incomplete_details": { "reason": "PROVIDER-SECRET text" }, "output": 1, "usage": "odd" }),
            ),
            ModelReply::Incomplete {
                detail: None,
                info: None.into(),
            },
        ),
    ] {
        assert_eq!(
            responses::read(envelope.to_string().as_bytes()).unwrap(),
            reply,
            "{envelope}"
        );
    }
}

#[test]
fn chat_replies() {
    let refusal = |detail: Option<&str>| ModelReply::Refusal {
        detail: detail.map(str::to_owned),
        info: usage().into(),
    };
    for (choice, message, reply) in [
        (json!({}), json!({}), complete("{}")),
        (
            json!({}),
            json!({ "tool_calls": null, "function_call": null, "refusal": null }),
            complete("{}"),
        ),
        (
            json!({}),
            json!({ "tool_calls": [], "function_call": {}, "refusal": "" }),
            complete("{}"),
        ),
        (
            json!({}),
            json!({ "content": [{ "type": "text", "text": "{" }, { "type": "thinking", "thinking": [] }, { "type": "text", "text": "}" }] }),
            complete("{}"),
        ),
        (
            json!({}),
            json!({ "reasoning_content": "hm", "content": "{}" }),
            complete("{}"),
        ),
        (
            json!({ "finish_reason": "length" }),
            json!({ "content": null }),
            ModelReply::Incomplete {
                detail: Some("length".into()),
                info: usage().into(),
            },
        ),
        (
            json!({ "finish_reason": "content_filter" }),
            json!({ "content": null }),
            refusal(Some("content_filter")),
        ),
        (
            json!({}),
            json!({ "content": null, "refusal": "no" }),
            refusal(None),
        ),
        (
            json!({}),
            json!({ "content": [{ "type": "refusal", "refusal": "no" }] }),
            refusal(None),
        ),
    ] {
        let envelope = completion(&choice, &message);
        assert_eq!(
            chat::read(envelope.to_string().as_bytes()).unwrap(),
            reply,
            "{envelope}"
        );
    }
}

#[test]
fn responses_refused() {
    let item = responses_envelope("{}")["output"][1].clone();
    for (envelope, says) in [
        (response(&json!({ "status": "failed" })), "status failed"),
        (
            response(
                &json!({ "status": "failed", "error": { "message": "PROVIDER-SECRET", "code": "server_error" } }),
            ),
            "an error (code server_error)",
        ),
        (
            response(
                &json!({ "error": { "message": "PROVIDER-SECRET", "type": "PROVIDER-SECRET !" } }),
            ),
            "an error.",
        ),
        (
            response(&json!({ "error": "PROVIDER-SECRET" })),
            "an error.",
        ),
        (
            response(&json!({ "status": "PROVIDER-SECRET ?" })),
            "a status other than completed",
        ),
        (response(&json!({ "status": null })), "no status"),
        (json!({ "output": [] }), "no status"),
        (response(&json!({ "output": null })), "no output"),
        (response(&json!({ "output": {} })), "no array"),
        (response(&json!({ "output": [] })), "no message"),
        (response(&json!({ "output": [1] })), "no object"),
        (response(&json!({ "output": [["message"]] })), "no object"),
        (
            response(&json!({ "output": [{ "role": "assistant" }] })),
            "without a type",
        ),
        (
            response(
                &json!({ "output": [item, { "type": "function_call", "name": "x", "arguments": "{}" }] }),
            ),
            "type function_call",
        ),
        (
            response(&json!({ "output": [item, item] })),
            "several messages",
        ),
        (
            response(&json!({ "output": [merged(item.clone(), &json!({ "role": "user" }))] })),
            "not the assistant's",
        ),
        (
            response(&json!({ "output": [merged(item.clone(), &json!({ "content": null }))] })),
            "without content",
        ),
        (message(&json!("{}")), "no array"),
        (message(&json!([])), "without text"),
        (
            message(&json!([{ "type": "output_text", "text": "" }])),
            "without text",
        ),
        (
            message(&json!([{ "type": "output_text", "text": 1 }])),
            "without text",
        ),
        (message(&json!([{ "type": "output_text" }])), "without text"),
        (
            message(&json!([{ "type": "output_audio" }])),
            "type output_audio",
        ),
        (message(&json!(["{}"])), "no object"),
        (chat_envelope("{}"), "no status"),
        (json!([]), "no JSON object"),
        (json!(["completed", null, []]), "no JSON object"),
        (json!("completed"), "no JSON object"),
        (json!(null), "no JSON object"),
    ] {
        let error =
            responses::read(envelope.to_string().as_bytes()).expect_err(&envelope.to_string());
        refused(&error, says);
    }
}

/// Several messages, each with its phase, and what is read of them.
#[test]
fn phases() {
    let message = |phase: Value, text: &str| {
        let content = match text {
            "-" => json!(null),
            "refusal" => json!([{ "type": "refusal", "refusal": "no" }]),
            text => json!([{ "type": "output_text", "text": text }]),
        };
        json!({ "type": "message", "role": "assistant", "phase": phase, "content": content })
    };
    let (none, comment, last) = (json!(null), json!("commentary"), json!("final_answer"));
    for (messages, read) in [
        (vec![(&comment, "I look."), (&last, "{}")], Ok("{}")),
        (vec![(&last, "{}"), (&comment, "Done.")], Ok("{}")),
        (vec![(&none, "I look."), (&last, "{}")], Ok("{}")),
        (
            vec![(&comment, "a"), (&comment, "refusal"), (&none, "{}")],
            Ok("{}"),
        ),
        (vec![(&none, ""), (&none, "{}")], Ok("{}")),
        (vec![(&none, "{}"), (&none, "-"), (&none, "")], Ok("{}")),
        (vec![(&last, ""), (&last, "{}")], Ok("{}")),
        (vec![(&last, "{}"), (&last, "{}")], Err("several messages")),
        (vec![(&none, "{}"), (&none, "{}")], Err("several messages")),
        (
            vec![(&none, "{}"), (&none, "refusal")],
            Err("several messages"),
        ),
        (vec![(&none, "{}"), (&last, "")], Err("without text")),
        (
            vec![(&none, "{}"), (&json!("other"), "{}")],
            Err("several messages"),
        ),
        (vec![(&comment, "{}")], Err("commentary alone")),
        (vec![(&none, ""), (&none, "")], Err("without text")),
        (vec![(&none, "-")], Err("without content")),
        (vec![], Err("no message")),
    ] {
        let output: Vec<_> = messages
            .iter()
            .map(|(phase, text)| message((*phase).clone(), text))
            .collect();
        let envelope = response(&json!({ "output": output })).to_string();
        match (responses::read(envelope.as_bytes()), read) {
            (Ok(reply), Ok(text)) => assert_eq!(reply, complete(text)),
            (Err(error), Err(says)) => refused(&error, says),
            (reply, _) => panic!("{envelope}: {reply:?}"),
        }
    }
    let output = json!([message(comment, "a"), message(last, "refusal")]);
    let envelope = response(&json!({ "output": output })).to_string();
    let reply = responses::read(envelope.as_bytes()).unwrap();
    assert!(matches!(reply, ModelReply::Refusal { .. }));
}

#[test]
fn chat_refused() {
    let choice = chat_envelope("{}")["choices"][0].clone();
    for (envelope, says) in [
        (json!({ "choices": [] }), "no choice"),
        (json!({ "choices": null }), "no choices"),
        (json!({ "choices": choice }), "no array"),
        (json!({ "choices": [choice, choice] }), "several choices"),
        (json!({ "choices": [null] }), "no object"),
        (
            json!({ "choices": [choice], "error": { "code": 429, "message": "PROVIDER-SECRET" } }),
            "an error (code 429)",
        ),
        (
            completion(&json!({ "message": null }), &json!(null)),
            "without a message",
        ),
        (
            completion(&json!({ "message": ["assistant"] }), &json!(null)),
            "without a message",
        ),
        (
            completion(&json!({}), &json!({ "role": "user" })),
            "not the assistant's",
        ),
        (
            completion(&json!({}), &json!({ "role": null })),
            "not the assistant's",
        ),
        (
            completion(
                &json!({ "finish_reason": "tool_calls" }),
                &json!({ "content": null, "tool_calls": [{ "id": "1" }] }),
            ),
            "calls a tool",
        ),
        (
            completion(&json!({}), &json!({ "tool_calls": [{ "id": "1" }] })),
            "calls a tool",
        ),
        (
            completion(&json!({}), &json!({ "function_call": { "name": "x" } })),
            "calls a tool",
        ),
        (
            completion(
                &json!({}),
                &json!({ "refusal": { "text": "PROVIDER-SECRET" } }),
            ),
            "refusal",
        ),
        (
            completion(&json!({ "finish_reason": "eos" }), &json!({})),
            "finish_reason eos",
        ),
        (
            completion(&json!({ "finish_reason": null }), &json!({})),
            "no finish_reason",
        ),
        (
            completion(&json!({ "finish_reason": "PROVIDER-SECRET !" }), &json!({})),
            "a finish_reason other than stop",
        ),
        (
            completion(&json!({}), &json!({ "content": null })),
            "without content",
        ),
        (
            completion(&json!({}), &json!({ "content": "" })),
            "without text",
        ),
        (
            completion(&json!({}), &json!({ "content": [] })),
            "without text",
        ),
        (
            completion(&json!({}), &json!({ "content": 1 })),
            "neither text nor an array",
        ),
        (
            completion(&json!({}), &json!({ "content": ["{}"] })),
            "no object",
        ),
        (
            completion(&json!({}), &json!({ "content": [{ "type": "text" }] })),
            "without text",
        ),
        (responses_envelope("{}"), "no choices"),
        (json!([[choice]]), "no JSON object"),
    ] {
        let error = chat::read(envelope.to_string().as_bytes()).expect_err(&envelope.to_string());
        refused(&error, says);
    }
}

fn refused(error: &intent_runtime::IntentError, says: &str) {
    assert_eq!(
        (error.code(), error.stage()),
        (ErrorCode::ModelRequestFailed, Stage::Model)
    );
    assert!(error.message().contains(says), "{says}: {error}");
    assert!(!error.message().contains("PROVIDER-SECRET"), "{error}");
}

#[test]
fn usage_is_numbers_or_absent() {
    for (odd, usage) in [
        (json!(null), None),
        (json!("many"), None),
        (
            json!({ "input_tokens": 3 }),
            Some(ModelUsage {
                input_tokens: Some(3),
                output_tokens: None,
                ..ModelUsage::default()
            }),
        ),
        (
            json!({ "input_tokens": -3, "output_tokens": 4 }),
            Some(ModelUsage {
                input_tokens: None,
                output_tokens: Some(4),
                ..ModelUsage::default()
            }),
        ),
        (
            json!({ "input_tokens": { "a": 1 }, "output_tokens": 0.5 }),
            None,
        ),
    ] {
        let envelope = response(&json!({ "usage": odd }));
        let reply = responses::read(envelope.to_string().as_bytes()).unwrap();
        assert_eq!(
            reply,
            ModelReply::Complete {
                text: "{}".into(),
                info: usage.into(),
            },
            "{odd}"
        );
    }
}

/// What is no envelope at all, from every side.
#[test]
fn bytes() {
    let whole = responses_envelope("é{}").to_string();
    let whole_chat = chat_envelope("é{}").to_string();
    for end in 0..whole.len() {
        assert!(responses::read(&whole.as_bytes()[..end]).is_err());
    }
    for end in 0..whole_chat.len() {
        assert!(chat::read(&whole_chat.as_bytes()[..end]).is_err());
    }
    let deep = format!("{{\"status\":{}", "[".repeat(1_000_000));
    let deep_closed = format!("{{\"x\":{}{}}}", "[".repeat(500_000), "]".repeat(500_000));
    let many = format!(
        "{{\"status\":\"completed\",\"output\":[{}{{}}]}}",
        "{},".repeat(100_000)
    );
    for bytes in [
        b"".as_slice(),
        b"{",
        b"{\"status\":\"completed\",\"status\":\"completed\",\"output\":[]}",
        b"\xef\xbb\xbf{}",
        b"{\"a\":\"\xff\"}",
        b"{} {}",
        deep.as_bytes(),
        deep_closed.as_bytes(),
        many.as_bytes(),
    ] {
        assert!(responses::read(bytes).is_err());
        assert!(chat::read(bytes).is_err());
    }
    // White space around is fine, and so is depth in a place that nobody reads.
    let mut odd = format!(" \n{}", &whole[..whole.len() - 1]);
    odd.push_str(&format!(
        ",\"x\":{}{}}}\r\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    ));
    assert_eq!(responses::read(odd.as_bytes()).unwrap(), complete("é{}"));
}

/// Envelopes with a few bytes changed: whatever comes of it, it is an answer.
#[test]
fn mutations() {
    let responses_text = responses_envelope("é\"{}\u{1}").to_string().into_bytes();
    let chat_text = chat_envelope("é\"{}\u{1}").to_string().into_bytes();
    let interesting = b"{}[]\",:\\u0d8f1e-.n \xff\xed\xa0\x80";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let (mut whole, mut broken) = (0, 0);
    for _ in 0..20_000 {
        for (text, read) in [
            (&responses_text, responses::read as fn(&[u8]) -> _),
            (&chat_text, chat::read),
        ] {
            let mut text = text.clone();
            for _ in 0..=next(3) {
                let at = next(text.len());
                text[at] = interesting[next(interesting.len())];
            }
            match read(&text) {
                Ok(_) => whole += 1,
                Err(error) => {
                    assert_eq!(error.code(), ErrorCode::ModelRequestFailed);
                    broken += 1;
                }
            }
        }
    }
    assert!(whole > 1_000 && broken > 1_000, "{whole} {broken}");
}

/// A lone surrogate reaches the candidate's reader as something that no JSON has.
#[test]
fn lone_surrogates() {
    let envelope = responses_envelope("@")
        .to_string()
        .replace('@', "{\\\"a\\\":\\\"\\ud800\\\"}");
    assert_eq!(
        responses::read(envelope.as_bytes()).unwrap(),
        complete("{\"a\":\"\\u{d800}\"}")
    );
}

/// In every format, and by the readers of envelopes too.
#[test]
fn what_surrounds_a_candidate_is_taken_off() {
    for reply in [
        "<think>\nhm {}\n</think>\n\n```json\n{\"a\":1}\n```\n",
        "hm {}\n</think>\n```\n{\"a\":1}\n```",
        "~~~\n{\"a\":1}\n~~~",
    ] {
        let (response, completion) = (responses_envelope(reply), chat_envelope(reply));
        for protocol in [Protocol::Responses, Protocol::ChatCompletions] {
            let envelope = match protocol {
                Protocol::Responses => &response,
                Protocol::ChatCompletions => &completion,
            };
            let bytes = envelope.to_string();
            let read = match protocol {
                Protocol::Responses => responses::read(bytes.as_bytes()),
                Protocol::ChatCompletions => chat::read(bytes.as_bytes()),
            };
            assert_eq!(read.unwrap(), complete("{\"a\":1}\n"));
            let server = Server::json(200, envelope);
            for &format in Format::ALL {
                let mut config = config(server.base());
                config.protocol = protocol;
                config.format = format;
                assert_eq!(
                    ask(&ApiExecutor::new(config).unwrap()).unwrap(),
                    complete("{\"a\":1}\n")
                );
            }
        }
    }
}
