//! Whom TLS trusts, and proxies.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use intent_runtime::executor::api::{ApiExecutor, Environment, Variable};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::support::*;

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A folder with the certificate in it, and the certificate's path.
    fn saved(&self) -> (Folder, PathBuf) {
        let folder = Folder::new();
        let file = folder.0.join("ca.pem");
        std::fs::write(&file, format!("# ours\n{}", self.pem())).unwrap();
        (folder, file)
    }

    /// A server with a certificate for these names.
    fn server(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Server {
        let key = KeyPair::generate().unwrap();
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.0).unwrap();
        serve(&certificate, &key)
    }
}

/// A server that shows this certificate.
fn serve(certificate: &Certificate, key: &KeyPair) -> Server {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    Server::accepting(
        move |stream| {
            let connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
            Ok(Box::new(StreamOwned::new(connection, stream)))
        },
        |stream, _| {
            let body = responses_envelope("{}").to_string();
            stream.write_all(&response(200, "", body.as_bytes()))?;
            Ok(true)
        },
    )
}

/// A certificate that signs itself, as `openssl req -x509` makes it, and a server that shows it.
fn self_signed(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> (Server, String) {
    let key = KeyPair::generate().unwrap();
    let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    change(&mut params);
    let certificate = params.self_signed(&key).unwrap();
    (serve(&certificate, &key), certificate.pem())
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: Mutex<u32> = Mutex::new(0);
        let mut number = NUMBER.lock().unwrap();
        *number += 1;
        let name = format!("intent-runtime-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn to(host: &str, server: &Server, environment: Environment) -> ApiExecutor {
    let mut config = config(format!("https://{host}:{}/v1", server.address.port()));
    config.environment = environment;
    ApiExecutor::new(config).unwrap()
}

/// A system without certificates.
fn bare() -> Environment {
    Environment {
        cert_file: Some("/nonexistent/ca.pem".into()),
        ..Environment::default()
    }
}

#[test]
fn a_private_authority() {
    let authority = Authority::new();
    let (folder, file) = authority.saved();
    let server = authority.server(&["localhost", "127.0.0.1", "::1"], |_| {});

    // The system's certificates know nothing of it; nor does a system that has none.
    let error = fails(
        &to("localhost", &server, Environment::default()),
        "MODEL_REQUEST_FAILED/model",
    );
    assert!(
        error.message().contains("issuer that is not trusted"),
        "{error}"
    );
    assert!(error.message().contains("NODE_EXTRA_CA_CERTS"), "{error}");
    let error = fails(
        &to("localhost", &server, bare()),
        "MODEL_REQUEST_FAILED/model",
    );
    assert!(error.message().contains("SSL_CERT_FILE: "), "{error}");
    assert!(error.message().contains("no root certificates"), "{error}");
    assert_eq!(server.seen().len(), 0);

    let fallback = authority.pem();
    let trusting = [
        Environment {
            cert_file: Some(file.clone()),
            ..Environment::default()
        },
        Environment {
            cert_dirs: vec!["/nonexistent".into(), folder.0.clone()],
            ..Environment::default()
        },
        Environment {
            extra_certs: Some(file.clone()),
            ..Environment::default()
        },
        Environment {
            extra_certs: Some(file.clone()),
            ..bare()
        },
        Environment {
            fallback_roots: Some(Arc::new(move || vec!["odd".into(), fallback.clone()])),
            ..bare()
        },
    ];
    for (n, environment) in trusting.into_iter().enumerate() {
        for host in ["localhost", "localhost.", "127.0.0.1"] {
            ask(&to(host, &server, environment.clone())).unwrap_or_else(|e| panic!("{n}: {e}"));
        }
    }

    // Fallback roots are for a system that has none.
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let environment = Environment {
        cert_file: Some(file),
        fallback_roots: Some(Arc::new(move || {
            *count.lock().unwrap() += 1;
            Vec::new()
        })),
        ..Environment::default()
    };
    ask(&to("localhost", &server, environment)).unwrap();
    assert_eq!(*asked.lock().unwrap(), 0);
}

#[test]
fn certificates_that_are_refused() {
    let authority = Authority::new();
    let (_folder, file) = authority.saved();
    let trusting = Environment {
        extra_certs: Some(file),
        ..bare()
    };
    for (host, names, change, says) in [
        (
            "localhost",
            ["localhost"],
            (|p| p.not_after = date_time_ymd(2020, 1, 1)) as fn(&mut CertificateParams),
            "has expired",
        ),
        (
            "localhost",
            ["localhost"],
            |p| p.not_before = date_time_ymd(2200, 1, 1),
            "not valid yet",
        ),
        ("localhost", ["other.example"], |_| {}, "for another name"),
        ("127.0.0.1", ["localhost"], |_| {}, "for another name"),
    ] {
        let server = authority.server(&names, change);
        let error = fails(
            &to(host, &server, trusting.clone()),
            "MODEL_REQUEST_FAILED/model",
        );
        assert!(error.message().contains(says), "{error}");
        assert_eq!(server.seen().len(), 0);
    }
    // Plain HTTP where TLS should be.
    let server = Server::without_tls();
    let error = fails(
        &to("localhost", &server, trusting),
        "MODEL_REQUEST_FAILED/model",
    );
    assert!(error.message().contains("TLS failed"), "{error}");
}

/// A certificate that signs itself and is itself named as a root.
#[test]
fn self_signed_certificates() {
    let folder = Folder::new();
    let file = folder.0.join("own.pem");
    let trusting = |pem: &str| {
        std::fs::write(&file, pem).unwrap();
        [
            Environment {
                extra_certs: Some(file.clone()),
                ..bare()
            },
            Environment {
                cert_file: Some(file.clone()),
                ..Environment::default()
            },
            Environment {
                cert_dirs: vec![folder.0.clone()],
                ..Environment::default()
            },
        ]
    };
    for change in [
        (|_| {}) as fn(&mut CertificateParams),
        |params| params.is_ca = IsCa::ExplicitNoCa,
        |params| params.is_ca = IsCa::NoCa,
        |params| params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0)),
    ] {
        let (server, pem) = self_signed(&["localhost", "127.0.0.1"], change);
        for environment in trusting(&pem) {
            for host in ["localhost", "127.0.0.1"] {
                ask(&to(host, &server, environment.clone())).unwrap();
            }
        }
    }
    let (server, pem) = self_signed(&["localhost"], |_| {});
    let (other, other_pem) = self_signed(&["localhost"], |_| {});
    for (server, pem, host, says) in [
        (
            &server,
            &pem,
            "127.0.0.1",
            "for another name (\"localhost\")",
        ),
        (
            &server,
            &other_pem,
            "localhost",
            "name this very certificate in NODE_EXTRA_CA_CERTS",
        ),
        (
            &other,
            &pem,
            "localhost",
            "name this very certificate in NODE_EXTRA_CA_CERTS",
        ),
    ] {
        for environment in trusting(pem) {
            refuses(&to(host, server, environment), says);
        }
    }
    for (change, says) in [
        (
            (|p| p.not_after = date_time_ymd(2020, 1, 1)) as fn(&mut CertificateParams),
            "has expired",
        ),
        (
            |p| p.not_before = date_time_ymd(2200, 1, 1),
            "not valid yet",
        ),
        (
            |p| p.subject_alt_names.clear(),
            "names no host as subjectAltName",
        ),
    ] {
        let (server, pem) = self_signed(&["localhost"], change);
        for environment in trusting(&pem) {
            refuses(&to("localhost", &server, environment), says);
        }
    }
}

/// Fails with this reason, in plain words: no name of a Rust type.
fn refuses(executor: &ApiExecutor, says: &str) {
    let error = fails(executor, "MODEL_REQUEST_FAILED/model");
    assert!(error.message().contains(says), "{says}: {error}");
    let camel = |word: &str| {
        let inside = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
        inside && word.chars().any(|c| c.is_ascii_lowercase())
    };
    let named = error
        .message()
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| {
            camel(word) && !matches!(*word, "subjectAltName" | "basicConstraints" | "baseURL")
        });
    assert_eq!(named, None, "{error}");
}

/// Whatever the other side does instead of TLS, it is told in plain words.
#[test]
fn handshakes_that_fail() {
    let authority = Authority::new();
    let (_folder, file) = authority.saved();
    let trusting = Environment {
        extra_certs: Some(file),
        ..bare()
    };
    let clients = authority.server(&["localhost"], |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    });
    refuses(
        &to("localhost", &clients, trusting.clone()),
        "not meant for servers",
    );
    for (bytes, says) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            "is no TLS. Is it a port of plain http?",
        ),
        (b"SSH-2.0-OpenSSH_9.0\r\n", "is no TLS"),
        // Alerts: fatal, and what for.
        (b"\x15\x03\x03\0\x02\x02\x46", "no TLS 1.2 or 1.3 in common"),
        (b"\x15\x03\x03\0\x02\x02\x28", "no TLS 1.2 or 1.3 in common"),
        (
            b"\x15\x03\x03\0\x02\x02\x70",
            "does not serve this host name",
        ),
        (
            b"\x15\x03\x03\0\x02\x02\x74",
            "asks for a certificate of the client",
        ),
        (b"\x15\x03\x03\0\x02\x02\x50", "met an error of its own"),
        (
            b"\x15\x03\x03\0\x02\x02\x2f",
            "the service ended it (alert 47)",
        ),
        (
            b"\x16\x03\x03\0\x04\x0e\0\0\0",
            "does not keep to the protocol",
        ),
    ] {
        let server = Server::accepting(
            move |mut stream| {
                let _ = stream.read(&mut [0; 4096])?;
                stream.write_all(bytes)?;
                let _ = stream.read(&mut [0; 4096])?;
                Err(io::ErrorKind::InvalidData.into())
            },
            |_, _| Ok(false),
        );
        refuses(&to("localhost", &server, trusting.clone()), says);
    }
    // And the other way round.
    let server = authority.server(&["localhost"], |_| {});
    let plain = executor(format!("http://127.0.0.1:{}/v1", server.address.port()));
    refuses(&plain, "Is it a port of https?");
}

/// The variables of the process, in a process of their own.
#[test]
fn variables() {
    let authority = Authority::new();
    let (folder, file) = authority.saved();
    let server = authority.server(&["localhost"], |_| {});
    let port = server.address.port().to_string();
    let (folder, file) = (folder.0.to_str().unwrap(), file.to_str().unwrap());
    for (variables, trusted) in [
        (vec![], false),
        (vec![("SSL_CERT_FILE", "/nonexistent")], false),
        (vec![("SSL_CERT_FILE", ""), ("SSL_CERT_DIR", "")], false),
        (vec![("SSL_CERT_FILE", ""), ("SSL_CERT_DIR", folder)], true),
        (vec![("SSL_CERT_FILE", file), ("SSL_CERT_DIR", "")], true),
        (vec![("SSL_CERT_FILE", file)], true),
        (vec![("SSL_CERT_DIR", folder)], true),
        (vec![("NODE_EXTRA_CA_CERTS", file)], true),
        (
            vec![
                ("NODE_EXTRA_CA_CERTS", file),
                ("SSL_CERT_FILE", "/nonexistent"),
                ("HTTPS_PROXY", "http://127.0.0.1:1"),
            ],
            true,
        ),
    ] {
        let mut all = vec![("INTENT_TEST_PORT", &*port)];
        all.extend(&variables);
        let output = child("api::tls::variables_child", &all);
        let output = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            output.contains("TRUSTED"),
            trusted,
            "{variables:?}\n{output}"
        );
        // It is the certificate that is not trusted, and not the connection that fails.
        let why = ["issuer that is not trusted", "no root certificates"];
        assert!(
            trusted || why.iter().any(|why| output.contains(why)),
            "{variables:?}\n{output}"
        );
    }
    // What is set later is not looked at, whatever looks for the system's certificates.
    let late = [("INTENT_TEST_PORT", &*port), ("INTENT_TEST_FILE", file)];
    let output = child("api::tls::late_variables_child", &late);
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(output.contains("issuer that is not trusted"), "{output}");
    let proxied = [
        ("INTENT_TEST_PORT", "1"),
        ("https_proxy", "http://user:hunter2@127.0.0.1:1"),
        ("NO_PROXY", "other.example"),
    ];
    let output = String::from_utf8(child("api::tls::proxy_child", &proxied).stdout).unwrap();
    assert!(
        output.contains("through the proxy of https_proxy"),
        "{output}"
    );
    assert!(!output.contains("hunter2"), "{output}");
}

#[test]
#[ignore = "run by variables"]
fn variables_child() {
    let port = std::env::var("INTENT_TEST_PORT").unwrap();
    let mut config = config(format!("https://localhost:{port}/v1"));
    config.environment = Environment::from_process();
    match ask(&ApiExecutor::new(config).unwrap()) {
        Ok(_) => println!("TRUSTED"),
        Err(error) => println!("{error}"),
    }
}

/// Set and empty is not set: what the system has is the same.
#[test]
fn empty_variables() {
    let roots = |variables: &[(&str, &str)]| {
        let output = child("api::tls::bare_child", variables);
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("FALLBACK")
    };
    let unset = roots(&[]);
    for variables in [
        &[("SSL_CERT_FILE", "")][..],
        &[("SSL_CERT_DIR", "")],
        &[("SSL_CERT_FILE", ""), ("SSL_CERT_DIR", "")],
        &[("SSL_CERT_DIR", ":")],
    ] {
        assert_eq!(roots(variables), unset, "{variables:?}");
    }
    assert!(roots(&[("SSL_CERT_FILE", "/dev/null")]));
}

#[test]
#[ignore = "run by empty_variables"]
fn bare_child() {
    let server = Authority::new().server(&["localhost"], |_| {});
    let mut environment = Environment::from_process();
    environment.fallback_roots = Some(Arc::new(|| {
        println!("FALLBACK");
        Vec::new()
    }));
    fails(
        &to("localhost", &server, environment),
        "MODEL_REQUEST_FAILED/model",
    );
}

#[test]
#[ignore = "run by variables"]
fn late_variables_child() {
    let port = std::env::var("INTENT_TEST_PORT").unwrap();
    let file = std::env::var("INTENT_TEST_FILE").unwrap();
    let mut config = config(format!("https://localhost:{port}/v1"));
    config.environment = Environment::from_process();
    let executor = ApiExecutor::new(config).unwrap();
    for name in ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY"] {
        // SAFETY: a process with one test, whose other threads wait for work.
        unsafe { std::env::set_var(name, &file) };
    }
    println!("{}", ask(&executor).unwrap_err());
}

#[test]
#[ignore = "run by variables"]
fn proxy_child() {
    let mut config = config("https://service.example/v1");
    config.environment = Environment::from_process();
    println!(
        "{:?} {:?}",
        config.environment,
        ask(&ApiExecutor::new(config.clone()).unwrap())
    );
}

/// A proxy that takes every `CONNECT` to one server.
struct Tunnel {
    address: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Tunnel {
    fn new(to: &Server, answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (target, heads) = (to.address, seen.clone());
        thread::spawn(move || {
            for mut client in listener.incoming().map_while(Result::ok) {
                let heads = heads.clone();
                thread::spawn(move || -> io::Result<()> {
                    let mut head = Vec::new();
                    let mut byte = [0];
                    while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte)? == 1 {
                        head.push(byte[0]);
                    }
                    heads
                        .lock()
                        .unwrap()
                        .push(String::from_utf8_lossy(&head).to_lowercase());
                    client.write_all(answer.as_bytes())?;
                    if answer.contains(" 200 ") {
                        pipe(&client, &TcpStream::connect(target)?)?;
                    }
                    Ok(())
                });
            }
        });
        Self { address, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn pipe(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    let (mut from, mut to) = (server.try_clone()?, client.try_clone()?);
    thread::spawn(move || io::copy(&mut from, &mut to));
    let (mut from, mut to) = (client, server);
    io::copy(&mut from, &mut to).map(drop)
}

const ESTABLISHED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

fn through(proxy: &str, mut environment: Environment) -> Environment {
    environment.proxy = Some(Variable {
        name: "HTTPS_PROXY",
        value: proxy.to_owned(),
    });
    environment
}

#[test]
fn proxies() {
    let authority = Authority::new();
    let (_folder, file) = authority.saved();
    let trusting = Environment {
        cert_file: Some(file),
        // The proxy looks names up.
        lookup: Some(Arc::new(|name: &str| panic!("{name} was looked up"))),
        ..Environment::default()
    };
    let server = authority.server(
        &["service.example", "localhost", "127.0.0.1", "a.localhost"],
        |_| {},
    );
    let port = server.address.port();

    // A public name goes through; the key does not show on the way.
    let tunnel = Tunnel::new(&server, ESTABLISHED);
    for proxy in [
        format!("http://user:hunter2@{}", tunnel.address),
        format!("user:hunter2@{}", tunnel.address),
    ] {
        let executor = to(
            "service.example",
            &server,
            through(&proxy, trusting.clone()),
        );
        ask(&executor).unwrap();
        ask(&executor).unwrap();
    }
    assert_eq!(tunnel.seen().len(), 2);
    for head in tunnel.seen() {
        assert!(
            head.starts_with(&format!("connect service.example:{port} http/1.1\r\n")),
            "{head}"
        );
        assert!(head.contains("proxy-authorization: basic "), "{head}");
        assert!(!head.contains("bearer") && !head.contains(KEY), "{head}");
    }
    for seen in server.seen() {
        assert_eq!(seen.header("proxy-authorization"), None);
        assert_eq!(
            seen.header("host"),
            Some(&*format!("service.example:{port}"))
        );
    }

    // This machine never does, nor what NO_PROXY names, nor plain http.
    let tunnel = Tunnel::new(&server, ESTABLISHED);
    let proxy = format!("http://{}", tunnel.address);
    for host in ["localhost", "127.0.0.1", "a.localhost", "LOCALHOST"] {
        ask(&to(host, &server, through(&proxy, trusting.clone())))
            .unwrap_or_else(|e| panic!("{host}: {e}"));
    }
    let with_port = format!("service.example:{port}");
    for no_proxy in [
        "*",
        "service.example",
        ".example",
        "*.example",
        "other, SERVICE.EXAMPLE",
        "other service.example",
        &with_port,
    ] {
        let mut environment = through(&proxy, trusting.clone());
        environment.no_proxy = Some(no_proxy.to_owned());
        environment.lookup = Some(Arc::new(|_: &str| Ok(vec!["127.0.0.1".parse().unwrap()])));
        ask(&to("service.example", &server, environment))
            .unwrap_or_else(|e| panic!("{no_proxy}: {e}"));
    }
    // A message says what was tried.
    let mut direct = through(&proxy, trusting.clone());
    direct.no_proxy = Some("service.example".to_owned());
    direct.lookup = Some(Arc::new(|_: &str| Err(io::Error::other("no such name"))));
    let error = fails(
        &to("service.example", &server, direct),
        "MODEL_REQUEST_FAILED/model",
    );
    assert!(error.message().contains("no such name"), "{error}");
    assert!(!error.message().contains("proxy"), "{error}");
    let plain = Server::json(200, &responses_envelope("{}"));
    let mut plain_config = config(format!(
        "http://service.example:{}/v1",
        plain.address.port()
    ));
    plain_config.environment = through(&proxy, Environment::default());
    plain_config.environment.lookup =
        Some(Arc::new(|_: &str| Ok(vec!["127.0.0.1".parse().unwrap()])));
    ask(&ApiExecutor::new(plain_config).unwrap()).unwrap();
    assert_eq!(tunnel.seen(), Vec::<String>::new());

    // A proxy that refuses, and values that are none.
    for (answer, says) in [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
            "authorization required",
        ),
        ("HTTP/1.1 503 No\r\n\r\n", "unsuccessful"),
        ("", ""),
    ] {
        let tunnel = Tunnel::new(&server, answer);
        let proxy = format!("http://user:hunter2@{}", tunnel.address);
        let error = fails(
            &to(
                "service.example",
                &server,
                through(&proxy, trusting.clone()),
            ),
            "MODEL_REQUEST_FAILED/model",
        );
        assert!(
            error.message().contains("through the proxy of HTTPS_PROXY"),
            "{error}"
        );
        assert!(error.message().contains(says), "{error}");
        assert!(!error.message().contains("hunter2"), "{error}");
    }
    for value in [
        "ftp://user:hunter2@proxy",
        "http://",
        "::",
        "http://a b:hunter2",
    ] {
        let error = fails(
            &to("service.example", &server, through(value, trusting.clone())),
            "MODEL_REQUEST_FAILED/model",
        );
        assert!(error.message().contains("HTTPS_PROXY"), "{value}: {error}");
        assert!(!error.message().contains("through the proxy"), "{error}");
        assert!(!error.message().contains("hunter2"), "{error}");
    }
}

/// `ALL_PROXY` is most often one of SOCKS.
#[test]
fn a_socks_proxy() {
    let authority = Authority::new();
    let (_folder, file) = authority.saved();
    let server = authority.server(&["service.example"], |_| {});
    let (target, port) = (server.address, server.address.port());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("socks5h://{}", listener.local_addr().unwrap());
    thread::spawn(move || -> io::Result<()> {
        let (mut client, _) = listener.accept()?;
        // RFC 1928: version, methods; then CONNECT to a domain name.
        let mut greeting = [0; 3];
        client.read_exact(&mut greeting)?;
        assert_eq!(greeting, [5, 1, 0]);
        client.write_all(&[5, 0])?;
        let mut request = vec![0; 5 + "service.example".len() + 2];
        client.read_exact(&mut request)?;
        let wanted = [
            &[5, 1, 0, 3, 15],
            b"service.example".as_slice(),
            &port.to_be_bytes(),
        ]
        .concat();
        assert_eq!(request, wanted);
        client.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0])?;
        pipe(&client, &TcpStream::connect(target)?)
    });
    let environment = Environment {
        cert_file: Some(file),
        ..Environment::default()
    };
    ask(&to(
        "service.example",
        &server,
        through(&proxy, environment),
    ))
    .unwrap();
}
