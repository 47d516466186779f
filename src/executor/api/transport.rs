//! One request, one answer, over HTTP/1.1.
//!
//! No retry and no redirect; a body is counted as it comes out of decompression and cut off at
//! the limit; dropping the future of [`Transport::post`] closes the connection. A client belongs
//! to one service, so proxy and address rules are settled when it is built, which is at the first
//! request: until then nothing is read and nothing is opened.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue,
};
use reqwest::{Client, NoProxy, Proxy, RequestBuilder, StatusCode, Url, redirect, retry};
use tokio::sync::OnceCell;

use super::address::{PublicAddress, Resolver, is_loopback};
use super::reuse::Reuse;
use super::surroundings::{Surroundings, Variable};
use super::tls::{self, Trust};
use crate::error::{ErrorCode, IntentError};
use crate::text::{quoted, shown};

/// An idle connection is given up before the servers in common use give it up (Node.js and
/// uvicorn after 5 s): a request that meets a connection just closed would be lost, since nothing
/// is ever sent twice.
const IDLE: Duration = Duration::from_secs(4);

/// The way to one endpoint.
pub(super) struct Transport {
    endpoint: Url,
    headers: HeaderMap,
    max_response_bytes: u64,
    connect_timeout: Duration,
    surroundings: Surroundings,
    connected: OnceCell<Connected>,
}

struct Connected {
    client: Client,
    reuse: Reuse,
    /// What was wrong with certificate files.
    notes: Vec<String>,
}

/// What came back, whatever its status.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    /// What the headers say of a body that turns out to be unreadable.
    pub(super) content_type: Option<HeaderValue>,
    pub(super) content_encoding: Option<HeaderValue>,
}

impl Transport {
    pub(super) const fn new(
        endpoint: Url,
        headers: HeaderMap,
        max_response_bytes: u64,
        connect_timeout: Duration,
        surroundings: Surroundings,
    ) -> Self {
        Self {
            endpoint,
            headers,
            max_response_bytes,
            connect_timeout,
            surroundings,
            connected: OnceCell::const_new(),
        }
    }

    /// Sends one request. Runs on [`crate::runtime`] alone.
    pub(super) async fn post(
        &self,
        authorization: Option<HeaderValue>,
        body: Vec<u8>,
    ) -> Result<Answer, IntentError> {
        let connected = self.connected.get_or_try_init(|| self.connect()).await?;
        let mut request = connected.client.post(self.endpoint.clone()).body(body);
        if let Some(authorization) = authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let exchange = self.exchange(connected, request);
        connected.reuse.count(exchange).await
    }

    async fn exchange(
        &self,
        connected: &Connected,
        request: RequestBuilder,
    ) -> Result<Answer, IntentError> {
        let mut response = request
            .send()
            .await
            .map_err(|error| self.failed(&error, &connected.notes))?;
        let mut answer = Answer {
            status: response.status(),
            body: Vec::new(),
            content_type: response.headers().get(CONTENT_TYPE).cloned(),
            content_encoding: response.headers().get(CONTENT_ENCODING).cloned(),
        };
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => {
                    if (answer.body.len() + chunk.len()) as u64 > self.max_response_bytes {
                        return Err(IntentError::of(
                            ErrorCode::ResourceLimit,
                            format!(
                                "The response of the service exceeds maxResponseBytes ({}).",
                                self.max_response_bytes
                            ),
                        ));
                    }
                    answer.body.extend_from_slice(&chunk);
                }
                Ok(None) => return Ok(answer),
                // The status has said what matters already.
                Err(_) if !answer.status.is_success() => {
                    answer.body.clear();
                    return Ok(answer);
                }
                Err(error) => {
                    return Err(request_failed(format!(
                        "The response of the service broke off: {}.",
                        reason(&error, &connected.notes)
                    )));
                }
            }
        }
    }

    /// Builds the client, on a thread that may block: certificates are files.
    async fn connect(&self) -> Result<Connected, IntentError> {
        let surroundings = self.surroundings.clone();
        let plain = self.endpoint.scheme() == "http";
        let trust = tokio::task::spawn_blocking(move || {
            if plain {
                Trust::nobody()
            } else {
                Trust::of(&surroundings)
            }
        })
        .await
        .map_err(|_| unready("reading the root certificates failed"))?;
        let notes = trust.notes.clone();
        let tls = trust
            .client_config()
            .map_err(|error| unready(&error.to_string()))?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.extend(self.headers.clone());
        let reuse = Reuse::new();
        let mut builder = Client::builder()
            .connector_layer(reuse.clone())
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("intent-runtime/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .http1_only()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE)
            .dns_resolver(Arc::new(Resolver {
                lookup: self.surroundings.lookup.clone(),
                private_only: plain,
            }))
            .no_proxy();
        if let Some(variable) = self.proxy() {
            builder = builder.proxy(self.proxy_of(variable)?);
        }
        let client = builder
            .build()
            .map_err(|error| unready(&reason(&error, &[])))?;
        Ok(Connected {
            client,
            reuse,
            notes,
        })
    }

    /// The variable that names a proxy for this endpoint: none over plain http, where a proxy
    /// could be anywhere, and none for this machine itself.
    fn proxy(&self) -> Option<&Variable> {
        let wanted = self.endpoint.scheme() == "https" && !is_loopback(&self.endpoint);
        self.surroundings.proxy.as_ref().filter(|_| wanted)
    }

    fn proxy_of(&self, variable: &Variable) -> Result<Proxy, IntentError> {
        let no_proxy = self
            .surroundings
            .no_proxy
            .as_deref()
            .and_then(NoProxy::from_string);
        Proxy::https(&*variable.value)
            .map(|proxy| proxy.no_proxy(no_proxy))
            // Its value may hold a password.
            .map_err(|_| unready(&format!("{} is not the URL of a proxy", variable.name)))
    }

    /// The error for what reqwest reports before there is a response. Its own text names the
    /// whole URL and little of the cause.
    fn failed(&self, error: &reqwest::Error, notes: &[String]) -> IntentError {
        let host = quoted(self.endpoint.authority());
        if !error.is_connect() {
            return request_failed(format!(
                "The connection to the service at {host} broke off before a response came: {}.",
                reason(error, notes)
            ));
        }
        if error.is_timeout() {
            let seconds = self.connect_timeout.as_secs_f64();
            return IntentError::of(
                ErrorCode::ModelTimeout,
                format!("Connecting to the service at {host} took longer than {seconds} s."),
            );
        }
        let by = match self.proxy() {
            Some(variable) => format!(" (through the proxy of {})", variable.name),
            None => String::new(),
        };
        request_failed(format!(
            "Could not connect to the service at {host}{by}: {}.",
            reason(error, notes)
        ))
    }
}

fn request_failed(message: String) -> IntentError {
    IntentError::of(ErrorCode::ModelRequestFailed, message)
}

/// The error where no client can be built.
fn unready(what: &str) -> IntentError {
    request_failed(format!("The HTTP client could not be set up: {what}."))
}

/// What lies behind an error, for people, to follow a colon.
fn reason(error: &reqwest::Error, notes: &[String]) -> String {
    let mut deepest = String::new();
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(refused) = cause.downcast_ref::<PublicAddress>() {
            return refused.to_string();
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return tls::reason(tls, notes);
        }
        deepest = cause.to_string();
        // `source` of an I/O error passes over the error that it was made of.
        next = match cause.downcast_ref::<io::Error>().map(io::Error::get_ref) {
            Some(Some(inner)) => Some(inner),
            _ => cause.source(),
        };
    }
    shown(&deepest).into_owned()
}
