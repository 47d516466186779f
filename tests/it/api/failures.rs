//! Statuses, broken servers, and what may be told of them.

use std::io::{self, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use intent_runtime::executor::ModelReply;
use intent_runtime::executor::api::{ApiExecutor, OutputFormat, Question, Secret};
use serde_json::json;

use super::support::*;

#[test]
fn statuses() {
    let body = json!({ "error": { "message": "PROVIDER-SECRET", "type": "invalid_request_error", "code": "model.not-found", "param": null } });
    for (status, code) in [
        (300, "MODEL_REQUEST_FAILED"),
        (301, "MODEL_REQUEST_FAILED"),
        (302, "MODEL_REQUEST_FAILED"),
        (304, "MODEL_REQUEST_FAILED"),
        (307, "MODEL_REQUEST_FAILED"),
        (308, "MODEL_REQUEST_FAILED"),
        (400, "MODEL_REQUEST_FAILED"),
        (401, "MODEL_AUTH_FAILED"),
        (403, "MODEL_AUTH_FAILED"),
        (404, "MODEL_REQUEST_FAILED"),
        (408, "MODEL_REQUEST_FAILED"),
        (413, "MODEL_REQUEST_FAILED"),
        (421, "MODEL_REQUEST_FAILED"),
        (425, "MODEL_REQUEST_FAILED"),
        (429, "MODEL_RATE_LIMITED"),
        (500, "MODEL_REQUEST_FAILED"),
        (503, "MODEL_REQUEST_FAILED"),
        (529, "MODEL_REQUEST_FAILED"),
        (999, "MODEL_REQUEST_FAILED"),
    ] {
        let location = "location: /elsewhere\r\nretry-after: 0\r\n";
        // 304 has no body, whatever it says.
        let body = if status == 304 {
            String::new()
        } else {
            body.to_string()
        };
        let server = Server::raw(response(status, location, body.as_bytes()));
        let error = fails(&executor(server.base()), &format!("{code}/model"));
        assert!(
            error.message().contains(&format!("HTTP {status}")),
            "{error}"
        );
        if status != 304 {
            let words = "(type invalid_request_error, code model.not-found)";
            assert!(error.message().contains(words), "{error}");
        }
        assert_eq!(server.seen().len(), 1, "{status}: no retry");
    }
}

/// Of an error body only short plain words are told, and never the key.
#[test]
fn error_bodies() {
    for (error, told) in [
        (
            json!({ "type": "a", "code": 42, "param": "text.format" }),
            " (type a, code 42, param text.format)",
        ),
        (
            json!({ "type": "PROVIDER-SECRET with spaces", "code": ["PROVIDER-SECRET"], "param": "PROVIDER-SECRET\n" }),
            "",
        ),
        (
            json!({ "type": KEY, "code": format!("x-{KEY}"), "param": format!("{KEY}.y") }),
            "",
        ),
        (
            json!({ "type": "a".repeat(65), "code": "b".repeat(64) }),
            &*format!(" (code {})", "b".repeat(64)),
        ),
        (json!({ "type": "", "code": null }), ""),
        (json!("PROVIDER-SECRET"), ""),
        (json!(null), ""),
        (json!([{ "type": "PROVIDER-SECRET" }]), ""),
    ] {
        let server = Server::json(500, &json!({ "error": error }));
        let told = format!("The service answered with HTTP 500{told}.");
        assert_eq!(
            fails(&executor(server.base()), "MODEL_REQUEST_FAILED/model").message(),
            told
        );
    }
    for body in [
        "",
        "PROVIDER-SECRET",
        "{\"error\":",
        "[]",
        "<html>PROVIDER-SECRET</html>",
        "\u{feff}{}",
    ] {
        let server = Server::raw(response(500, "", body.as_bytes()));
        fails(&executor(server.base()), "MODEL_REQUEST_FAILED/model");
    }
    // A short key is in many words.
    let server = Server::json(500, &json!({ "error": { "type": "a-k-b", "code": "b" } }));
    let mut config = config(server.base());
    config.api_key = Secret::new("k").into();
    let error = ask(&ApiExecutor::new(config).unwrap()).unwrap_err();
    assert_eq!(
        error.message(),
        "The service answered with HTTP 500 (code b)."
    );
}

/// The same at 200: an envelope's error, and words of it that hold the key.
#[test]
fn envelopes_do_not_tell_the_key() {
    for body in [
        json!({ "error": { "code": KEY } }),
        json!({ "status": KEY }),
        json!({ "status": "completed", "output": [{ "type": KEY }] }),
        json!({ "status": "completed", "output": [{ "type": "message", "role": "assistant", "content": [{ "type": KEY }] }] }),
    ] {
        fails(
            &executor(Server::json(200, &body).base()),
            "MODEL_REQUEST_FAILED/model",
        );
    }
    let body = json!({ "choices": [{ "finish_reason": KEY, "message": { "role": "assistant", "content": "{}" } }] });
    fails(
        &chat_executor(Server::json(200, &body).base()),
        "MODEL_REQUEST_FAILED/model",
    );
    let body = json!({ "status": "incomplete", "incomplete_details": { "reason": KEY } });
    let reply = ask(&executor(Server::json(200, &body).base())).unwrap();
    assert!(!format!("{reply:?}").contains(KEY));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn broken_servers() {
    let body = responses_envelope("{}").to_string();
    let packed = gzip(body.as_bytes());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    let join = |head: String, body: &[u8]| [head.as_bytes(), body].concat();
    for (name, bytes, says) in [
        ("nothing at all", Vec::new(), "before a response came"),
        ("half a head", b"HTTP/1.1 200 OK\r\ncontent-".to_vec(), "before a response came"),
        ("no HTTP", b"SSH-2.0-OpenSSH_9.0\r\n\r\n".to_vec(), "before a response came"),
        ("HTTP/2 alone", b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64".to_vec(), "before a response came"),
        ("half a gzip stream", response(200, "content-encoding: gzip\r\n", &packed[..packed.len() / 2]), "broke off"),
        ("a gzip stream without its end", response(200, "content-encoding: gzip\r\n", &packed[..packed.len() - 1]), "broke off"),
        ("no gzip where it says so", response(200, "content-encoding: gzip\r\n", body.as_bytes()), "broke off"),
        ("garbage behind a gzip stream", response(200, "content-encoding: gzip\r\n", &[&packed[..], b"garbage"].concat()), "no whole gzip stream"),
        ("half a second member", response(200, "content-encoding: gzip\r\n", &[&packed[..], &packed[..20]].concat()), "no whole gzip stream"),
        ("a coding that nobody asked for", response(200, "content-encoding: br\r\n", b"\x0b\x02\x80{}\x03"), "a content-encoding that was not asked for"),
        ("a short body", join(format!("{head}content-length: {}\r\n\r\n", body.len() + 1), body.as_bytes()), "broke off"),
        ("two lengths", join(format!("{head}content-length: 2\r\ncontent-length: 3\r\n\r\n"), b"{} "), "before a response came"),
        ("chunks without an end", join(format!("{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n", body.len()), format!("{body}\r\n").as_bytes()), "broke off"),
        ("no chunks where it says so", join(format!("{head}transfer-encoding: chunked\r\n\r\n"), body.as_bytes()), "broke off"),
        ("204", b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), "no body (HTTP 204)"),
        ("205", b"HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n".to_vec(), "no body (HTTP 205)"),
        ("an empty 200", response(200, "", b""), "no body (HTTP 200)"),
        ("an event stream", b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 27\r\n\r\ndata: {}\n\ndata: [DONE]\n\n   ".to_vec(), "is an event stream, and none was asked for"),
        ("HTML", b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 13\r\n\r\n<html></html>".to_vec(), "HTML page"),
        ("no UTF-8", response(200, "", b"{\"status\":\"\xff\"}"), "not UTF-8"),
        ("UTF-16", response(200, "", &body.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()), "no JSON object"),
        ("switching protocols", b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n".to_vec(), "HTTP 101"),
        ("a head of 1 MiB", [head.as_bytes(), format!("x: {}\r\n", "x".repeat(1000)).repeat(1049).as_bytes(), b"content-length: 2\r\n\r\n{}"].concat(), "before a response came"),
        ("one header of 1 MiB", [head.as_bytes(), b"x: ", "x".repeat(1 << 20).as_bytes(), b"\r\ncontent-length: 2\r\n\r\n{}"].concat(), "before a response came"),
    ] {
        let server = Server::raw_and_close(bytes);
        let executor = executor(server.base());
        let start = Instant::now();
        let error = fails(&executor, "MODEL_REQUEST_FAILED/model");
        assert!(error.message().contains(says), "{name}: {error}");
        assert!(start.elapsed() < Duration::from_secs(5), "{name}");
        assert_eq!(server.connections(), 1, "{name}: no retry");
        server.wait_closed(1);
    }
}

#[test]
fn what_is_odd_and_still_whole() {
    let body = responses_envelope("{}").to_string();
    for (name, bytes) in [
        ("gzip", response(200, "content-encoding: gzip\r\n", &gzip(body.as_bytes()))),
        ("gzip of several members", response(200, "content-encoding: gzip\r\n", &[gzip(&body.as_bytes()[..20]), gzip(b""), gzip(&body.as_bytes()[20..])].concat())),
        ("gzip by its older name", response(200, "content-encoding: X-GZIP\r\n", &gzip(body.as_bytes()))),
        ("a byte-order mark", response(200, "", format!("\u{feff}{body}").as_bytes())),
        ("no type", format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()),
        ("another type", format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()),
        ("until the end", format!("HTTP/1.1 200 OK\r\n\r\n{body}").into_bytes()),
        ("HTTP/1.0", format!("HTTP/1.0 200 OK\r\n\r\n{body}").into_bytes()),
        ("chunks", format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{{\r\n{:X};x=y\r\n{}\r\n0\r\nx: y\r\n\r\n", body.len() - 1, &body[1..]).into_bytes()),
        ("100 first", [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".to_vec(), response(200, "", body.as_bytes())].concat()),
        ("201", response(201, "", body.as_bytes())),
    ] {
        let server = Server::raw_and_close(bytes);
        match ask(&executor(server.base())) {
            Ok(ModelReply::Complete { text, .. }) => assert_eq!(text, "{}", "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn connections_that_fail() {
    // Nobody listens.
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let error = fails(
        &executor(format!("http://127.0.0.1:{port}/v1")),
        "MODEL_REQUEST_FAILED/model",
    );
    assert!(error.message().contains("refused"), "{error}");
    assert!(
        error.message().contains(&format!("\"127.0.0.1:{port}\"")),
        "{error}"
    );
    // A reused connection that breaks once the request is there is no reason to ask again.
    let asked = AtomicUsize::new(0);
    let server = Server::new(move |stream, _| {
        if asked.fetch_add(1, SeqCst) > 0 {
            return Ok(false);
        }
        let body = responses_envelope("{}").to_string();
        stream.write_all(&response(200, "", body.as_bytes()))?;
        Ok(true)
    });
    let executor = executor(server.base());
    ask(&executor).unwrap();
    let error = fails(&executor, "MODEL_REQUEST_FAILED/model");
    assert!(
        error.message().contains("before a response came"),
        "{error}"
    );
    assert_eq!((server.seen().len(), server.connections()), (2, 1));
}

/// A service that accepts and then says nothing while TLS should begin.
#[test]
fn connecting_has_an_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let silent = thread::spawn(move || listener.accept().unwrap());
    let mut config = config(format!("https://{address}/v1"));
    config.connect_timeout = Duration::from_millis(200);
    let error = fails(&ApiExecutor::new(config).unwrap(), "MODEL_TIMEOUT/model");
    assert!(
        error.message().contains("took longer than 0.2 s"),
        "{error}"
    );
    drop(silent.join().unwrap());
}

/// The time to connect is not a time to answer.
#[test]
fn a_slow_answer_is_waited_for() {
    let server = Server::new(|stream, _| {
        thread::sleep(Duration::from_millis(600));
        stream.write_all(&response(
            200,
            "",
            responses_envelope("{}").to_string().as_bytes(),
        ))?;
        Ok(true)
    });
    let mut config = config(server.base());
    config.connect_timeout = Duration::from_millis(200);
    ask(&ApiExecutor::new(config).unwrap()).unwrap();
}

#[test]
fn a_body_that_breaks_does_not_hide_the_status() {
    let server = Server::raw_and_close("HTTP/1.1 401 X\r\ncontent-length: 100\r\n\r\n{\"error\"");
    fails(&executor(server.base()), "MODEL_AUTH_FAILED/model");
}

/// A gateway may answer before it has read what it will not take.
#[test]
fn an_answer_before_the_end_of_the_request() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 100]);
            let _ = stream
                .write_all(b"HTTP/1.1 413 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            let _ = io::copy(&mut stream, &mut io::sink());
        }
    });
    let payload = "x".repeat(4 << 20);
    let error = block_on(executor(base).ask(&Question {
        instructions: "i",
        payload: &payload,
        output: OutputFormat::Object,
    }))
    .unwrap_err();
    assert!(error.message().contains("HTTP 413"), "{error}");
}
