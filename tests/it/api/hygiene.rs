//! The key is nowhere but in the header.

use intent_runtime::executor::api::{ApiExecutor, ApiKey, Environment, Secret, Variable};
use serde_json::json;
use tracing_subscriber::filter::LevelFilter;

use super::support::*;

#[test]
fn formatting() {
    let executor = executor("https://service.example/v1");
    let mut config = config("https://service.example/v1");
    config.environment.proxy = Some(Variable {
        name: "HTTPS_PROXY",
        value: "http://user:hunter2@proxy".to_owned(),
    });
    for shown in [
        format!("{:?}", Secret::new(KEY)),
        format!("{config:?} {config:#?}"),
        format!("{executor:?} {executor:#?}"),
        format!("{:?}", config.clone().environment),
    ] {
        assert!(
            !shown.contains(KEY) && !shown.contains("hunter2"),
            "{shown}"
        );
        assert!(!shown.is_empty());
    }
    assert!(format!("{:?}", Environment::default()).contains("Environment"));
}

/// Every line that reqwest, hyper and rustls log at their most talkative, of requests that end in
/// every way, and what panics would print.
#[test]
fn logs() {
    let output = child("api::hygiene::logs_child", &[("RUST_BACKTRACE", "full")]);
    let output = [output.stdout, output.stderr].concat();
    let output = String::from_utf8_lossy(&output);
    for part in ["hyper_util", "reqwest", "DONE"] {
        assert!(output.contains(part), "{part} logged nothing");
    }
    assert!(!output.contains(KEY) && !output.contains("hunter2"));
}

#[test]
#[ignore = "run by logs"]
fn logs_child() {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(std::io::stderr)
        .init();
    let echo = Server::new(|stream, seen| {
        // A gateway that repeats what it was sent.
        let authorization = seen.header("authorization").unwrap();
        assert!(authorization.contains(KEY));
        let body = json!({ "error": { "message": authorization, "type": authorization, "code": KEY, "param": KEY } });
        let body = body.to_string();
        write!(
            stream,
            "HTTP/1.1 401 {authorization}\r\nx-echo: {authorization}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        Ok(true)
    });
    let mut errors = vec![fails(&executor(echo.base()), "MODEL_AUTH_FAILED/model")];
    let server = Server::json(200, &responses_envelope("{}"));
    println!("{:?}", ask(&executor(server.base())).unwrap());
    // A header of the caller's own, and keys from a source.
    let mut gateway = config(server.base());
    gateway.headers = vec![("x-gateway".into(), Secret::new("Token hunter2-0123456789"))];
    gateway.api_key = ApiKey::from_fn(|| Ok(Secret::new("hunter2-9876543210")));
    println!(
        "{gateway:?} {:?}",
        ask(&ApiExecutor::new(gateway.clone()).unwrap()).unwrap()
    );
    gateway.api_key = ApiKey::from_fn(|| Err("hunter2".into()));
    errors.push(fails(
        &ApiExecutor::new(gateway).unwrap(),
        "MODEL_AUTH_FAILED/model",
    ));
    for bytes in [
        "",
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{",
        "HTTP/1.1 200 OK\r\n\r\nno",
    ] {
        errors.push(fails(
            &executor(Server::raw_and_close(bytes).base()),
            "MODEL_REQUEST_FAILED/model",
        ));
    }
    errors.push(fails(
        &executor("http://127.0.0.1:1/v1"),
        "MODEL_REQUEST_FAILED/model",
    ));
    errors.push(fails(
        &executor(format!("https://{}/v1", Server::without_tls().address)),
        "MODEL_REQUEST_FAILED/model",
    ));
    let mut proxied = config("https://service.example/v1");
    proxied.environment.proxy = Some(Variable {
        name: "HTTPS_PROXY",
        value: "http://127.0.0.1:1".to_owned(),
    });
    errors.push(fails(
        &ApiExecutor::new(proxied).unwrap(),
        "MODEL_REQUEST_FAILED/model",
    ));
    for error in &errors {
        println!("{error} {error:?}");
    }
    let panics =
        std::panic::catch_unwind(|| panic!("{:?} {:?}", executor(server.base()), config("x")));
    assert!(panics.is_err());
    println!("DONE");
}
