//! One request, one response, over HTTP/1.1.
//!
//! It makes no retry and follows no redirect. A body is counted after decompression and cut off at
//! the limit; dropping the future of [`Transport::post`] closes the connection. A client belongs
//! to one service, so proxy and address rules are settled when it is built, which is at the first
//! request: until then nothing is read and nothing is opened.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, AsHeaderName, CONNECTION, CONTENT_ENCODING,
    CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, TRANSFER_ENCODING,
};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, Version, redirect, retry};
use tokio::sync::OnceCell;

use super::address::Resolver;
use super::body::{BodyDecoder, BodyError};
use super::connection::{self, Attempt};
use super::environment::{Environment, Variable};
use super::proxy;
use super::reuse::ConnectionReuse;
use super::tls::TrustedRoots;
use crate::error::{ErrorCode, ErrorKind, IntentError};
use crate::runtime;

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
    environment: Environment,
    connected: OnceCell<Connected>,
}

struct Connected {
    client: Client,
    reuse: ConnectionReuse,
    /// Faults of certificate files.
    notes: Vec<String>,
}

/// The response to a request, of any status.
pub(super) struct HttpResponse {
    pub(super) status: StatusCode,
    pub(super) version: Version,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl HttpResponse {
    /// A header's text; empty where there is none.
    pub(super) fn header(&self, name: impl AsHeaderName) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// True if the connection may carry another request (RFC 9112, sections 6.3 and 9.3). A body
    /// without a length ends with its connection.
    fn leaves_connection(&self) -> bool {
        let says = |word: &str| {
            self.headers
                .get_all(CONNECTION)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .any(|token| token.trim().eq_ignore_ascii_case(word))
        };
        let bounded = [CONTENT_LENGTH, TRANSFER_ENCODING]
            .iter()
            .any(|name| self.headers.contains_key(name))
            || matches!(
                self.status,
                StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
            );
        bounded && !says("close") && (self.version == Version::HTTP_11 || says("keep-alive"))
    }
}

impl Transport {
    pub(super) const fn new(
        endpoint: Url,
        headers: HeaderMap,
        max_response_bytes: u64,
        connect_timeout: Duration,
        environment: Environment,
    ) -> Self {
        Self {
            endpoint,
            headers,
            max_response_bytes,
            connect_timeout,
            environment,
            connected: OnceCell::const_new(),
        }
    }

    /// The path that requests go to.
    pub(super) fn path(&self) -> &str {
        self.endpoint.path()
    }

    /// Sends one request. Runs on [`crate::runtime`] alone.
    pub(super) async fn post(
        &self,
        authorization: Option<HeaderValue>,
        body: Vec<u8>,
    ) -> Result<HttpResponse, IntentError> {
        let connected = self.connected.get_or_try_init(|| self.connect()).await?;
        let mut request = connected.client.post(self.endpoint.clone()).body(body);
        if let Some(authorization) = authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let exchange = self.exchange(connected, request);
        connected
            .reuse
            .count(exchange, HttpResponse::leaves_connection)
            .await
    }

    async fn exchange(
        &self,
        connected: &Connected,
        request: RequestBuilder,
    ) -> Result<HttpResponse, IntentError> {
        let mut incoming = request
            .send()
            .await
            .map_err(|error| self.failed(connected, &error))?;
        let mut response = HttpResponse {
            status: incoming.status(),
            version: incoming.version(),
            headers: mem::take(incoming.headers_mut()),
            body: Vec::new(),
        };
        match self.body(connected, &response, incoming).await {
            Ok(body) => response.body = body,
            // For a failure the status is enough, unless the body is too long.
            Err(error) if error.code() == ErrorCode::ResourceLimit => return Err(error),
            Err(_) if !response.status.is_success() => {}
            Err(error) => return Err(error),
        }
        Ok(response)
    }

    async fn body(
        &self,
        connected: &Connected,
        response: &HttpResponse,
        mut incoming: Response,
    ) -> Result<Vec<u8>, IntentError> {
        let refused = |why| match why {
            BodyError::TooLong => self.too_long(),
            BodyError::Broken => ErrorKind::BrokeOff("it is no whole gzip stream").error(),
        };
        let mut body = BodyDecoder::new(response.header(CONTENT_ENCODING), self.max_response_bytes);
        let mut empty = true;
        loop {
            match incoming.chunk().await {
                Ok(Some(chunk)) => {
                    empty &= chunk.is_empty();
                    body.take(&chunk).map_err(refused)?;
                }
                Ok(None) if empty => return Ok(Vec::new()),
                Ok(None) => return body.finish().map_err(refused),
                Err(error) => {
                    return Err(connection::body_error(&error, &connected.notes));
                }
            }
        }
    }

    fn too_long(&self) -> IntentError {
        let max = self.max_response_bytes;
        ErrorKind::ResponseTooLong { max }.error()
    }

    /// Builds the client, on a thread that may block: certificates are files.
    async fn connect(&self) -> Result<Connected, IntentError> {
        let environment = self.environment.clone();
        let plain = self.endpoint.scheme() == "http";
        let trust = if plain {
            TrustedRoots::none()
        } else {
            runtime::run_blocking(move || TrustedRoots::from_environment(&environment))
                .ok_or_else(super::no_thread)?
                .await
                .map_err(|_| client_error("reading the root certificates failed"))?
        };
        let notes = trust.notes.clone();
        let tls = trust
            .client_config()
            .map_err(|error| client_error(&error))?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.extend(self.headers.clone());
        let reuse = ConnectionReuse::new();
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
                lookup: self.environment.lookup.clone(),
                private_only: plain,
            }))
            .no_proxy();
        if let Some(variable) = self.proxy() {
            let proxy = proxy::from_variable(variable);
            builder = builder.proxy(proxy.map_err(|fault| client_error(&fault))?);
        }
        let client = builder
            .build()
            .map_err(|error| client_error(&connection::reason(&error, &[])))?;
        Ok(Connected {
            client,
            reuse,
            notes,
        })
    }

    fn proxy(&self) -> Option<&Variable> {
        let Environment {
            proxy, no_proxy, ..
        } = &self.environment;
        proxy::variable_for(&self.endpoint, proxy.as_ref(), no_proxy.as_deref())
    }

    fn failed(&self, connected: &Connected, error: &reqwest::Error) -> IntentError {
        connection::connect_error(
            error,
            &Attempt {
                endpoint: &self.endpoint,
                proxy: self.proxy().map(|variable| variable.name),
                time: self.connect_timeout,
                notes: &connected.notes,
            },
        )
    }
}

/// Returns the error for a client that cannot be built.
fn client_error(why: &str) -> IntentError {
    ErrorKind::NoClient(why).error()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_carry_another_request() {
        let response =
            |version, status: u16, headers: &[(&'static str, &'static str)]| HttpResponse {
                status: StatusCode::from_u16(status).unwrap(),
                version,
                headers: headers
                    .iter()
                    .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                    .collect(),
                body: Vec::new(),
            };
        let length = ("content-length", "2");
        for (version, status, headers, leaves) in [
            (Version::HTTP_11, 200, vec![length], true),
            (
                Version::HTTP_11,
                200,
                vec![("transfer-encoding", "chunked")],
                true,
            ),
            (Version::HTTP_11, 200, vec![], false),
            (Version::HTTP_11, 204, vec![], true),
            (
                Version::HTTP_11,
                200,
                vec![length, ("connection", "close")],
                false,
            ),
            (
                Version::HTTP_11,
                500,
                vec![length, ("connection", "Close")],
                false,
            ),
            (
                Version::HTTP_11,
                200,
                vec![length, ("connection", "upgrade, close")],
                false,
            ),
            (
                Version::HTTP_11,
                200,
                vec![length, ("connection", "keep-alive")],
                true,
            ),
            (Version::HTTP_10, 200, vec![length], false),
            (
                Version::HTTP_10,
                200,
                vec![length, ("connection", "keep-alive")],
                true,
            ),
        ] {
            let response = response(version, status, &headers);
            assert_eq!(
                response.leaves_connection(),
                leaves,
                "{version:?} {status} {headers:?}"
            );
        }
    }
}
