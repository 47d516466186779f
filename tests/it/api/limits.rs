//! `maxResponseBytes`.

use std::io::Write as _;
use std::sync::Arc;

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress};
use intent_runtime::executor::api::ApiExecutor;

use super::support::*;

fn limited(server: &Server, bytes: u64) -> ApiExecutor {
    let mut config = config(server.base());
    config.max_response_bytes = bytes;
    ApiExecutor::new(config).unwrap()
}

/// An envelope of just so many bytes.
fn sized(bytes: usize) -> Vec<u8> {
    let mut body = responses_envelope("{}").to_string();
    let end = body.len() - 1;
    body.insert_str(end, &" ".repeat(bytes - body.len()));
    body.into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn exactly_the_limit_passes() {
    for (status, size, passes) in [
        (200, 5000, true),
        (200, 5001, false),
        (500, 5001, false),
        (302, 5001, false),
        (401, 5001, false),
    ] {
        let chunked = {
            let mut out =
                format!("HTTP/1.1 {status} X\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
            for chunk in sized(size).chunks(100) {
                out.extend(
                    format!("{:x}\r\n", chunk.len())
                        .bytes()
                        .chain(chunk.iter().copied())
                        .chain(*b"\r\n"),
                );
            }
            out.extend(b"0\r\n\r\n");
            out
        };
        for bytes in [
            response(status, "", &sized(size)),
            response(status, "content-encoding: gzip\r\n", &gzip(&sized(size))),
            chunked,
        ] {
            let server = Server::raw(bytes);
            let executor = limited(&server, 5000);
            if passes {
                ask(&executor).unwrap();
            } else {
                let error = fails(&executor, "RESOURCE_LIMIT/model");
                assert!(
                    error.message().contains("maxResponseBytes (5000)"),
                    "{error}"
                );
            }
        }
    }
    // A body at the limit on a failure leaves the status its say.
    let server = Server::raw(response(429, "", &sized(5000)));
    fails(&limited(&server, 5000), "MODEL_RATE_LIMITED/model");
}

#[test]
fn an_endless_body_is_cut_off_at_once() {
    for status in [200, 500] {
        let server = Server::new(move |stream, _| {
            write!(
                stream,
                "HTTP/1.1 {status} X\r\ncontent-length: 9007199254740991\r\n\r\n"
            )?;
            loop {
                stream.write_all(&[b' '; 65536])?;
            }
        });
        fails(&limited(&server, 1 << 20), "RESOURCE_LIMIT/model");
        server.wait_closed(1);
    }
}

/// A gzip stream of so many MiB of spaces. After a full flush the encoder starts anew on a whole
/// byte, so that one MiB repeated is as good as many compressed, and sooner done.
fn bomb(mebibytes: usize) -> Vec<u8> {
    let mut encoder = Compress::new(Compression::best(), false);
    let mut block = Vec::with_capacity(1 << 16);
    encoder
        .compress_vec(&vec![b' '; 1 << 20], &mut block, FlushCompress::Full)
        .unwrap();
    assert_eq!(encoder.total_in(), 1 << 20);
    [
        &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255],
        &*block.repeat(mebibytes),
    ]
    .concat()
}

/// Neither a bomb, nor a false length, nor an envelope built to cost much takes memory beyond the
/// limit. In a process of its own, whose peak is its own.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_in_proportion() {
    child("api::limits::memory_child", &[]);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "run by memory_stays_in_proportion"]
fn memory_child() {
    let peak = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let mut lines = status.lines();
        let line = lines.find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let bomb = bomb(200);
    let nested = |item: &str| {
        let body = format!(
            "{{\"status\":\"completed\",\"output\":[{}1]}}",
            item.repeat((8 << 20) / item.len() - 20)
        );
        response(200, "", body.as_bytes())
    };
    let answers: Vec<(&str, Arc<[u8]>)> = vec![
        (
            "RESOURCE_LIMIT",
            response(200, "content-encoding: gzip\r\n", &bomb).into(),
        ),
        (
            "MODEL_REQUEST_FAILED",
            nested("{\"type\":\"reasoning\"},").into(),
        ),
        ("MODEL_REQUEST_FAILED", nested("[],").into()),
        (
            "MODEL_REQUEST_FAILED",
            b"HTTP/1.1 200 OK\r\ncontent-length: 9007199254740991\r\n\r\n{"
                .to_vec()
                .into(),
        ),
    ];
    // Once for what the first request costs anybody.
    let server = Server::json(200, &responses_envelope("{}"));
    ask(&executor(server.base())).unwrap();
    for (code, bytes) in answers {
        let server = Server::raw_and_close(&*bytes);
        let executor = executor(server.base());
        // From here on: what building the answers took at its most hides nothing of the request.
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = peak();
        fails(&executor, &format!("{code}/model"));
        let grown = peak().saturating_sub(before);
        // The limit is 8 MiB; a growing buffer holds it twice at worst while it moves.
        assert!(grown < 40 << 10, "{grown} KiB for {code}");
    }
}
