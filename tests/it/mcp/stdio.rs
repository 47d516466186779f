//! The standard streams of a process of its own: this test binary, started again.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::host::*;

const CHILD: &str = "mcp::stdio::child";

/// Not a test: what the others start.
#[test]
#[ignore = "is started by the other tests"]
fn child() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let bridge = bridge();
    let service = server(&bridge).serve_stdio().unwrap();
    runtime.block_on(service.closed());
    // Before the test harness writes its own last words.
    std::process::exit(0);
}

fn start(stdin: Stdio, stdout: Stdio) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            CHILD,
            "--ignored",
            "--nocapture",
            "--test-threads=2",
        ])
        .env("RUST_LOG", "trace")
        .stdin(stdin)
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn started() -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut child = start(Stdio::piped(), Stdio::piped());
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, stdin, BufReader::new(stdout))
}

/// The next answer; the test harness's own first words are not one.
fn answer(stdout: &mut impl BufRead) -> Option<Value> {
    let mut line = String::new();
    loop {
        line.clear();
        if stdout.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        if line.starts_with('{') {
            return Some(serde_json::from_str(&line).unwrap());
        }
        assert!(
            line.trim().is_empty() || line.starts_with("running 1 test"),
            "{line}"
        );
    }
}

/// Ends by itself, in time and in silence.
fn assert_ends(mut child: Child, within: Duration) {
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > within {
            child.kill().unwrap();
            panic!("still there after {within:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert!(status.success(), "{status}: {stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn answers_then_ends_with_its_input() {
    let (child, mut stdin, mut stdout) = started();
    for id in 0..5 {
        writeln!(
            stdin,
            "{}",
            call_line(
                id,
                "intent_prepare",
                json!({ "instance": "orders", "input": "x" })
            )
        )
        .unwrap();
    }
    // The last one without a newline.
    write!(stdin, r#"{{"jsonrpc":"2.0","id":5,"method":"ping"}}"#).unwrap();
    drop(stdin);
    let mut ids = Vec::new();
    while let Some(answer) = answer(&mut stdout) {
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5]);
    assert_ends(child, Duration::from_secs(1));
}

#[test]
fn closed_output_ends_it_quietly() {
    let (child, mut stdin, mut stdout) = started();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    answer(&mut stdout).unwrap();
    drop(stdout);
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    // The input stays open.
    assert_ends(child, Duration::from_secs(5));
}

/// Node makes the pipes of a script non-blocking when it touches them, and the descriptors of
/// parent and child share that.
#[cfg(unix)]
#[test]
fn non_blocking_descriptors_are_waited_for() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let (mut host, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let stdin = Stdio::from(OwnedFd::from(theirs.try_clone().unwrap()));
    let child = start(stdin, Stdio::from(OwnedFd::from(theirs)));
    let input = "x".repeat(60_000);
    let mut read = BufReader::new(host.try_clone().unwrap());
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(50));
        // More than a socket holds, so that the child finds it full.
        for id in 0..20 {
            writeln!(
                host,
                "{}",
                call_line(
                    id,
                    "intent_prepare",
                    json!({ "instance": "plain", "input": input })
                )
            )
            .unwrap();
        }
        std::thread::sleep(Duration::from_millis(200));
        for _ in 0..20 {
            let answer = answer(&mut read).unwrap();
            assert_eq!(reply(&answer)["kind"], "task");
        }
    }
    host.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(answer(&mut read).is_none());
    assert_ends(child, Duration::from_secs(1));
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_line_does_not_grow_memory() {
    let (child, mut stdin, mut stdout) = started();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    answer(&mut stdout).unwrap();
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM:"))
            .unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
            >> 10
    };
    let before = resident();
    let piece = vec![b'x'; 1 << 20];
    stdin
        .write_all(br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":""#)
        .unwrap();
    for _ in 0..96 {
        stdin.write_all(&piece).unwrap();
    }
    let grown = resident() - before;
    assert!(grown < 64, "{grown} MiB more");
    stdin.write_all(b"\"}\n").unwrap();
    let answer = answer(&mut stdout).unwrap();
    assert_eq!(answer["id"], 2);
    assert_invalid(&answer);
    drop(stdin);
    assert_ends(child, Duration::from_secs(1));
}
