//! A scripted server on loopback, one thread for each connection, and what tests ask of it.

use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::pin;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use intent_runtime::IntentError;
use intent_runtime::executor::api::{
    ApiExecutor, ApiExecutorConfig, Environment, OutputFormat, Protocol, Provider, Question, Secret,
};
use intent_runtime::executor::{ModelReply, OutputSchema};
use serde_json::{Value, json};

pub(crate) const KEY: &str = "sk-test-0123456789-secret";

/// What a server saw of one request.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(n, _)| n == name);
        let value = values.next().map(|(_, v)| v.as_str());
        assert!(values.next().is_none(), "{name} twice");
        value
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// Answers one request; `false` ends the connection.
pub(crate) type Handler = dyn Fn(&mut dyn Stream, &Seen) -> io::Result<bool> + Send + Sync;
/// What a connection is before HTTP.
pub(crate) type Accept = dyn Fn(TcpStream) -> io::Result<Box<dyn Stream>> + Send + Sync;

#[derive(Default)]
struct Counts {
    total: AtomicUsize,
    open: AtomicUsize,
    most: AtomicUsize,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    counts: Arc<Counts>,
    closed: Arc<(Mutex<usize>, Condvar)>,
}

impl Server {
    pub(crate) fn new(
        handler: impl Fn(&mut dyn Stream, &Seen) -> io::Result<bool> + Send + Sync + 'static,
    ) -> Self {
        Self::accepting(|stream| Ok(Box::new(stream)), handler)
    }

    /// [`Server::json`] on the IPv6 loopback; `None` on a machine without one.
    pub(crate) fn on_ipv6(body: &Value) -> Option<Self> {
        let listener = TcpListener::bind("[::1]:0").ok()?;
        let bytes = response(200, "", body.to_string().as_bytes());
        Some(Self::on(
            listener,
            |stream| Ok(Box::new(stream)),
            move |stream, _| stream.write_all(&bytes).map(|()| true),
        ))
    }

    pub(crate) fn accepting(
        accept: impl Fn(TcpStream) -> io::Result<Box<dyn Stream>> + Send + Sync + 'static,
        handler: impl Fn(&mut dyn Stream, &Seen) -> io::Result<bool> + Send + Sync + 'static,
    ) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), accept, handler)
    }

    fn on(
        listener: TcpListener,
        accept: impl Fn(TcpStream) -> io::Result<Box<dyn Stream>> + Send + Sync + 'static,
        handler: impl Fn(&mut dyn Stream, &Seen) -> io::Result<bool> + Send + Sync + 'static,
    ) -> Self {
        let server = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            counts: Arc::default(),
            closed: Arc::default(),
        };
        let (accept, handler): (Arc<Accept>, Arc<Handler>) = (Arc::new(accept), Arc::new(handler));
        let (seen, counts, closed) = (
            server.seen.clone(),
            server.counts.clone(),
            server.closed.clone(),
        );
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                counts.total.fetch_add(1, SeqCst);
                let open = counts.open.fetch_add(1, SeqCst) + 1;
                counts.most.fetch_max(open, SeqCst);
                let (accept, handler) = (accept.clone(), handler.clone());
                let (seen, counts, closed) = (seen.clone(), counts.clone(), closed.clone());
                thread::spawn(move || {
                    let _ = stream.set_nodelay(true);
                    let _ = accept(stream).and_then(|mut stream| {
                        while let Some(request) = request(&mut *stream)? {
                            seen.lock().unwrap().push(request.clone());
                            if !handler(&mut *stream, &request)? {
                                break;
                            }
                        }
                        Ok(())
                    });
                    counts.open.fetch_sub(1, SeqCst);
                    *closed.0.lock().unwrap() += 1;
                    closed.1.notify_all();
                });
            }
        });
        server
    }

    /// Answers every request with these bytes and goes on.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |stream, _| stream.write_all(&bytes).map(|()| true))
    }

    /// Answers every request with these bytes and ends the connection.
    pub(crate) fn raw_and_close(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |stream, _| stream.write_all(&bytes).map(|()| false))
    }

    /// Speaks no TLS, and says so to whoever begins with it.
    pub(crate) fn without_tls() -> Self {
        Self::accepting(
            |mut stream| {
                let _ = stream.read(&mut [0; 4096])?;
                stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")?;
                Err(io::ErrorKind::InvalidData.into())
            },
            |_, _| Ok(false),
        )
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::raw(response(status, "", body.to_string().as_bytes()))
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.counts.total.load(SeqCst)
    }

    pub(crate) fn most_open(&self) -> usize {
        self.counts.most.load(SeqCst)
    }

    /// Waits until so many connections have ended.
    pub(crate) fn wait_closed(&self, count: usize) {
        let (closed, changed) = &*self.closed;
        let (closed, _) = changed
            .wait_timeout_while(closed.lock().unwrap(), Duration::from_secs(5), |n| {
                *n < count
            })
            .unwrap();
        assert!(*closed >= count, "the connection stayed open");
    }
}

/// Reads one request; `None` at the end of the connection.
fn request(stream: &mut dyn Stream) -> io::Result<Option<Seen>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Ok(None);
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Some(Seen {
        line,
        headers,
        body,
    }))
}

/// A whole response with its length.
pub(crate) fn response(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut out = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    out.extend_from_slice(body);
    out
}

pub(crate) fn responses_envelope(text: &str) -> Value {
    json!({ "id": "r", "object": "response", "status": "completed", "error": null, "output": [
        { "type": "reasoning", "id": "x", "summary": [] },
        { "type": "message", "role": "assistant", "status": "completed", "content": [{ "type": "output_text", "text": text, "annotations": [] }] },
    ], "usage": { "input_tokens": 11, "output_tokens": 7, "total_tokens": 18 } })
}

pub(crate) fn chat_envelope(text: &str) -> Value {
    json!({ "id": "c", "object": "chat.completion", "choices": [
        { "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } },
    ], "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 } })
}

/// A configuration with nothing of the test machine's environment.
pub(crate) fn config(base_url: impl Into<String>) -> ApiExecutorConfig {
    let mut config = ApiExecutorConfig::new(Provider::OpenAi, "m-1", Secret::new(KEY));
    config.base_url = Some(base_url.into());
    config.environment = Environment::default();
    config
}

pub(crate) fn executor(base_url: impl Into<String>) -> ApiExecutor {
    ApiExecutor::new(config(base_url)).unwrap()
}

pub(crate) fn chat_executor(base_url: impl Into<String>) -> ApiExecutor {
    let mut config = config(base_url);
    config.protocol = Protocol::ChatCompletions;
    ApiExecutor::new(config).unwrap()
}

pub(crate) fn schema() -> OutputSchema {
    OutputSchema::new(
        r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"null"}},"required":["z","a"],"additionalProperties":false}"#,
    )
}

/// Asks one plain question.
pub(crate) fn ask(executor: &ApiExecutor) -> Result<ModelReply, IntentError> {
    let schema = schema();
    let shape = OutputFormat::Schema {
        name: "intent_core",
        schema: &schema,
        described: false,
    };
    block_on(executor.ask(&Question {
        instructions: "Do it.",
        payload: "{\"a\":\"é\\\"\"}",
        output: shape,
    }))
}

/// Asks, and wants this error.
pub(crate) fn fails(executor: &ApiExecutor, code_and_stage: &str) -> IntentError {
    let error = ask(executor).expect_err(code_and_stage);
    assert_eq!(
        format!("{}/{}", error.code(), error.stage()),
        code_and_stage,
        "{error}"
    );
    for shown in [
        error.to_string(),
        format!("{error:#?}"),
        serde_json::to_string(&error).unwrap(),
    ] {
        assert!(!shown.contains(KEY), "{shown}");
        assert!(!shown.contains("PROVIDER-SECRET"), "{shown}");
    }
    error
}

/// Waits for a future on a thread that knows nothing of tokio.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    poll_for(future, Duration::from_secs(60)).expect("the future did not end")
}

/// The outcome of a future, or `None` if it has none by then; it is dropped either way.
pub(crate) fn poll_for<T>(future: impl Future<Output = T>, time: Duration) -> Option<T> {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    let end = Instant::now() + time;
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(value);
        }
        let left = end.checked_duration_since(Instant::now())?;
        thread::park_timeout(left);
    }
}

/// Runs one ignored test of this binary in a process of its own.
pub(crate) fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
        test,
    ]);
    for name in [
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
    ] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("1 passed"),
        "{test} did not run"
    );
    output
}
