//! The addresses that requests may go to.
//!
//! A base URL is an absolute `http` or `https` URL without credentials, query or fragment, read
//! as the WHATWG URL standard reads it. Over plain http a key and a user's text are readable on
//! the way, so plain http goes to private addresses alone: 127/8, `::1`, RFC 1918, fc00::/7
//! (RFC 4193), 169.254/16 (RFC 3927), fe80::/10 (RFC 4291), and an IPv4-mapped address as its
//! IPv4. The rule is checked twice: for a literal when the executor is made ([`base_url`]; the URL
//! parser has by then turned every spelling of it, decimal, octal, hexadecimal, full-width, into
//! an address), and for a name when a connection is made ([`Resolver`]), on all of its answers.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::runtime;
use crate::text::quoted;

/// True if plain http may go to this address.
#[must_use]
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private(IpAddr::V4(v4)),
            None => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
        },
    }
}

/// The address that a URL names without a name server.
pub(super) fn literal(url: &Url) -> Option<IpAddr> {
    // `host_str` is the serialised host, an IPv6 address in brackets.
    let host = url.host_str()?;
    match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(v6) => v6.parse().map(IpAddr::V6).ok(),
        None => host.parse().map(IpAddr::V4).ok(),
    }
}

/// `localhost` and the names below it, which always mean this machine (RFC 6761, section 6.3).
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name
            .len()
            .checked_sub(".localhost".len())
            .and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(".localhost"))
}

/// True if a URL plainly names this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match literal(url) {
        Some(IpAddr::V6(v6)) => {
            v6.is_loopback() || v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
        }
        Some(IpAddr::V4(v4)) => v4.is_loopback(),
        None => url.host_str().is_some_and(is_localhost),
    }
}

/// Endpoints that a caller may have copied together with the root.
const ENDPOINTS: [&str; 3] = ["/chat/completions", "/responses", "/completions"];

/// Reads a base URL; the answer has no slash at its end.
///
/// # Errors
/// The fault of a base URL, to follow the word `baseURL`. A text that may carry a credential is
/// not repeated.
pub(super) fn base_url(text: &str) -> Result<Url, String> {
    let absolute = || "must be an absolute http or https URL".to_owned();
    let scheme_end = text.find("://").ok_or_else(absolute)?;
    let (scheme, rest) = (&text[..scheme_end], &text[scheme_end + 3..]);
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(absolute());
    }
    // The URL parser drops tabs and line ends and reads `\` as `/`, which the caller hardly
    // intended.
    if text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err("must not contain white space, control characters or backslashes".to_owned());
    }
    // An empty query or fragment counts: no endpoint can be put behind it.
    if text.contains(['?', '#']) {
        return Err("must not have a query or fragment".to_owned());
    }
    let authority = rest.split('/').next().unwrap_or_default();
    if authority.contains('@') {
        return Err("must not carry credentials; the key goes into apiKey".to_owned());
    }
    if authority.is_empty() {
        return Err("must name a host".to_owned());
    }
    let mut url = Url::parse(text).map_err(|e| format!("is no URL: {e}"))?;
    if url.scheme() == "http"
        && let Some(address) = literal(&url)
        && !is_private(address)
    {
        return Err(format!(
            "has plain http to {address}, and plain http goes to loopback and private addresses only; use https"
        ));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if let Some(endpoint) = ENDPOINTS.iter().find(|end| path.ends_with(**end)) {
        return Err(format!(
            "must be the root of the API, without {endpoint}, which is put behind it"
        ));
    }
    url.set_path(&path);
    Ok(url)
}

/// The URL of an endpoint below a base.
pub(super) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// Resolves names: the system's resolver unless a caller brings its own.
pub type Lookup = Arc<dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync>;

/// Resolves names for the connector.
pub(super) struct Resolver {
    pub(super) lookup: Option<Lookup>,
    /// True if a name with any other than private addresses is refused.
    pub(super) private_only: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        let lookup = self.lookup.clone();
        let private_only = self.private_only;
        Box::pin(async move {
            let addresses = if is_localhost(&name) {
                vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
            } else {
                let name = name.clone();
                runtime::run_blocking(move || match lookup {
                    Some(lookup) => lookup(&name),
                    None => Ok((&*name, 0).to_socket_addrs()?.map(|a| a.ip()).collect()),
                })
                .ok_or_else(super::no_thread)?
                .await
                .map_err(io::Error::other)??
            };
            if private_only && let Some(address) = addresses.iter().find(|a| !is_private(**a)) {
                let address = *address;
                return Err(PublicAddress { name, address }.into());
            }
            let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

/// A connection that was not made.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} resolves to {address}, which is not private, and plain http goes to loopback and private addresses only; use https",
    quoted(name)
)]
pub(super) struct PublicAddress {
    name: String,
    address: IpAddr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses() {
        for address in [
            "127.0.0.1",
            "127.255.255.255",
            "10.0.0.0",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
        ] {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "8.8.8.8",
            "126.255.255.255",
            "128.0.0.1",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.0.1",
            "100.64.0.1",
            "169.253.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::2",
            "fbff::1",
            "fec0::1",
            "ff02::1",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "::ffff:0.0.0.0",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
        ] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn base_urls() {
        for (text, base) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("https://x.example/v1//", "https://x.example/v1"),
            ("https://x.example", "https://x.example/"),
            (
                "HTTPS://X.example:443/a%2Fb/%e4",
                "https://x.example/a%2Fb/%e4",
            ),
            ("http://2130706433/v1", "http://127.0.0.1/v1"),
            ("http://0x7f.1/v1", "http://127.0.0.1/v1"),
            ("http://017700000001", "http://127.0.0.1/"),
            ("http://127.0.0.1./v1", "http://127.0.0.1/v1"),
            ("http://１２７.0.0.1/v1", "http://127.0.0.1/v1"),
            ("http://[::ffff:a00:1]/v1", "http://[::ffff:a00:1]/v1"),
            ("http://[0:0::1]:8080/v1", "http://[::1]:8080/v1"),
            ("http://gateway.internal./v1", "http://gateway.internal./v1"),
            (
                "https://b\u{fc}cher.example/v1",
                "https://xn--bcher-kva.example/v1",
            ),
        ] {
            assert_eq!(base_url(text).unwrap().as_str(), base, "{text}");
        }
        for text in [
            "",
            "gateway",
            "/v1",
            "//x.example/v1",
            "ftp://x/v1",
            "https:x.example",
            "https:/x/v1",
            "https://",
            "https:///v1",
            "https://u:p@x.example/v1",
            "https://@x.example/v1",
            "https://x.example/v1?",
            "https://x.example/v1?a=1",
            "https://x.example/v1#",
            "https://x.example/v1#a",
            "https://x.example?a",
            " https://x.example",
            "https://x.example/v1\n",
            "https:\\\\x.example",
            "https://x.example\\@y/v1",
            "https://x .example",
            "https://x.example:99999/v1",
            "https://[::1/v1",
            "http://[fe80::1%25eth0]/v1",
            "http://[fe80::1%eth0]/v1",
            "https://%00/v1",
            "http://8.8.8.8/v1",
            "http://134744072/v1",
            "http://0x08080808/v1",
            "http://010.8.8.8/v1",
            "http://8.8.8.8./v1",
            "http://8.8.2056/v1",
            "http://８.8.8.8/v1",
            "http://0/v1",
            "http://0.0.0.0/v1",
            "http://[::]/v1",
            "http://[2001:4860:4860::8888]/v1",
            "http://[::ffff:8.8.8.8]/v1",
            "http://[::ffff:808:808]/v1",
            "http://[::127.0.0.1]/v1",
            "http://1.2.3.4.5/v1",
            "http://08.0.0.1/v1",
        ] {
            let fault = base_url(text).expect_err(text);
            assert!(!fault.contains("u:p"), "{fault}");
        }
    }

    #[test]
    fn names_of_this_machine() {
        for name in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.b.localhost",
            "a.localhost.",
        ] {
            assert!(is_localhost(name), "{name}");
        }
        for name in ["localhost.example", "notlocalhost", "", ".", "é.localhos"] {
            assert!(!is_localhost(name), "{name}");
        }
    }
}
