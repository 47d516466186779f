//! Dropping a future closes its connection, whatever it waits for.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use intent_runtime::executor::api::{ApiExecutor, OutputFormat, Question};

use super::support::*;

/// Asks, and drops the question a little after the server has begun with it.
fn asked_until(executor: &ApiExecutor, begun: impl Fn() -> bool) {
    let question = Question {
        instructions: "i",
        payload: "p",
        output: OutputFormat::Object,
    };
    let mut asked = executor.ask(&question);
    let end = Instant::now() + Duration::from_secs(30);
    while !begun() {
        assert!(poll_for(&mut asked, Duration::from_millis(20)).is_none());
        assert!(Instant::now() < end, "nothing was asked");
    }
    assert!(poll_for(&mut asked, Duration::from_millis(100)).is_none());
}

#[test]
fn before_the_head_and_in_it_and_in_the_body() {
    for begun in [
        "",
        "HTTP/1.1 200 OK\r\ncontent-",
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"status\"",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n",
        "HTTP/1.1 500 X\r\ncontent-length: 100\r\n\r\n{\"error\"",
    ] {
        let server = Server::new(move |stream, _| {
            stream.write_all(begun.as_bytes())?;
            // Nothing more comes from the client but the end of the connection.
            assert_eq!(stream.read(&mut [0])?, 0);
            Ok(false)
        });
        asked_until(&executor(server.base()), || server.seen().len() == 1);
        server.wait_closed(1);
    }
}

/// A byte at a time, for as long as anybody listens.
#[test]
fn in_a_slow_body() {
    let server = Server::new(|stream, _| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")?;
        loop {
            stream.write_all(b" ")?;
            thread::sleep(Duration::from_millis(20));
        }
    });
    asked_until(&executor(server.base()), || server.seen().len() == 1);
    server.wait_closed(1);
}

#[test]
fn while_tls_begins() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = Arc::new(AtomicBool::new(false));
    let begun = accepted.clone();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        accepted.store(true, SeqCst);
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let mut hello = Vec::new();
        stream.read_to_end(&mut hello).map(|_| hello)
    });
    asked_until(&executor(format!("https://{address}/v1")), || {
        begun.load(SeqCst)
    });
    let hello = server.join().unwrap().expect("the connection stayed open");
    assert_eq!(hello.first(), Some(&22), "a TLS handshake record");
}

/// A future that was never polled does nothing.
#[test]
fn before_it_is_polled() {
    let server = Server::json(200, &responses_envelope("{}"));
    let question = Question {
        instructions: "i",
        payload: "p",
        output: OutputFormat::Object,
    };
    drop(executor(server.base()).ask(&question));
    thread::sleep(Duration::from_millis(50));
    assert_eq!(server.connections(), 0);
}

/// Connections that wait for their next request go away by themselves.
#[test]
fn idle_connections_end() {
    let server = Server::json(200, &responses_envelope("{}"));
    let executor = executor(server.base());
    ask(&executor).unwrap();
    let start = Instant::now();
    server.wait_closed(1);
    assert!(start.elapsed() < Duration::from_secs(5));
    // And one that a server has closed meanwhile is not used again.
    let server = Server::raw_and_close(response(
        200,
        "",
        responses_envelope("{}").to_string().as_bytes(),
    ));
    let executor = super::support::executor(server.base());
    let start = Instant::now();
    for _ in 0..20 {
        ask(&executor).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.seen().len(), 20);
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "waits for what does not come"
    );
}

/// Dropping the executor closes what it kept.
#[test]
fn dropping_the_executor_closes_idle_connections() {
    let server = Server::json(200, &responses_envelope("{}"));
    let executor = executor(server.base());
    ask(&executor).unwrap();
    let start = Instant::now();
    drop(executor);
    server.wait_closed(1);
    assert!(start.elapsed() < Duration::from_secs(1));
}
