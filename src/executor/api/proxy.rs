//! Chooses the proxy for a service.
//!
//! `NO_PROXY` is read as other tools read it: entries are separated by commas or white space;
//! `*` is every host; `example.com`, `.example.com` and `*.example.com` are that domain and all
//! below it; an address is itself, and `10.0.0.0/8` the addresses with that beginning; `host:443` is
//! that port alone.

use std::net::IpAddr;

use reqwest::{Proxy, Url};

use super::address::{is_loopback, literal};
use super::envelope::is_plain;
use super::environment::Variable;
use crate::text::quoted;

/// The schemes of proxies that the client can speak to.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// Returns the variable that names the proxy for an endpoint: none over plain http, where a proxy could
/// be anywhere, none for this machine, and none for the hosts of `NO_PROXY`.
pub(super) fn variable_for<'v>(
    endpoint: &Url,
    proxy: Option<&'v Variable>,
    no_proxy: Option<&str>,
) -> Option<&'v Variable> {
    let direct = endpoint.scheme() != "https"
        || is_loopback(endpoint)
        || no_proxy.is_some_and(|list| names(list, endpoint));
    proxy.filter(|_| !direct)
}

/// # Errors
/// The fault of the value, without the value: it may hold a password.
pub(super) fn from_variable(variable: &Variable) -> Result<Proxy, String> {
    let (name, value) = (variable.name, &*variable.value);
    if let Some((scheme, _)) = value.split_once("://") {
        let scheme = scheme.to_ascii_lowercase();
        if !SCHEMES.contains(&&*scheme) {
            let what = if is_plain(&scheme, 16, "+-.") {
                format!("of scheme {}", quoted(&scheme))
            } else {
                "of an unknown scheme".to_owned()
            };
            return Err(format!(
                "{name} names a proxy {what}; {} can be used",
                SCHEMES.join(", ")
            ));
        }
    }
    Proxy::https(value).map_err(|_| format!("{name} is not the URL of a proxy"))
}

/// True if a list names the host of an endpoint.
fn names(list: &str, endpoint: &Url) -> bool {
    let host = endpoint.host_str().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    let address = literal(endpoint);
    list.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|entry| !entry.is_empty())
        .any(|entry| {
            if entry == "*" {
                return true;
            }
            let (name, port) = parts(entry);
            if port.is_some_and(|port| endpoint.port_or_known_default() != Some(port)) {
                return false;
            }
            match address {
                Some(address) => covers(name, address),
                None => is_below(host, name),
            }
        })
}

/// An entry's host and its port.
fn parts(entry: &str) -> (&str, Option<u16>) {
    let split = entry.rsplit_once(':').and_then(|(host, port)| {
        // The last group of an IPv6 address without brackets is no port.
        let bare = !host.contains(':') || host.ends_with(']');
        Some((host, port.parse().ok().filter(|_| bare)?))
    });
    let (host, port) = split.map_or((entry, None), |(host, port)| (host, Some(port)));
    let inside = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    (inside.unwrap_or(host), port)
}

/// True if a host is the domain of an entry, or below it.
fn is_below(host: &str, entry: &str) -> bool {
    let entry = entry.strip_prefix('*').unwrap_or(entry);
    let entry = entry.strip_prefix('.').unwrap_or(entry);
    // As the URL parser writes host names: in lower case and in ASCII.
    let Some(domain) = Url::parse(&format!("https://{entry}"))
        .ok()
        .filter(|url| url.path() == "/" && url.query().is_none() && url.fragment().is_none())
        .and_then(|url| Some(url.host_str()?.trim_end_matches('.').to_owned()))
    else {
        return false;
    };
    host.strip_suffix(&*domain)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// True if an entry is an address, or the beginning that it has.
fn covers(entry: &str, address: IpAddr) -> bool {
    let (first, bits) = match entry.split_once('/') {
        Some((first, bits)) => (first, bits.parse::<u32>().ok()),
        None => (entry, Some(128)),
    };
    let (Ok(first), Some(bits)) = (first.parse::<IpAddr>(), bits) else {
        return false;
    };
    let bits_of = |address: IpAddr| match address.to_canonical() {
        IpAddr::V4(v4) => (32, u128::from(v4.to_bits()) << 96),
        IpAddr::V6(v6) => (128, v6.to_bits()),
    };
    let ((width, first), (other, address)) = (bits_of(first), bits_of(address));
    let whole = !entry.contains('/');
    if width != other || (!whole && bits > width) {
        return false;
    }
    let differ = first ^ address;
    differ == 0 || (!whole && differ.leading_zeros() >= bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn lists() {
        for (endpoint, list, named) in [
            ("https://api.example.com/v1", "*", true),
            ("https://api.example.com/v1", "other,*", true),
            ("https://api.example.com/v1", "", false),
            ("https://api.example.com/v1", ", ,", false),
            ("https://api.example.com/v1", "api.example.com", true),
            ("https://api.example.com/v1", "example.com", true),
            ("https://api.example.com/v1", ".example.com", true),
            ("https://api.example.com/v1", "*.example.com", true),
            ("https://api.example.com/v1", "*.EXAMPLE.com.", true),
            ("https://a.b.example.com/v1", "*.example.com", true),
            ("https://example.com/v1", "*.example.com", true),
            ("https://badexample.com/v1", "example.com", false),
            ("https://badexample.com/v1", "*.example.com", false),
            ("https://badexample.com/v1", "*example.com", false),
            ("https://api.example.com/v1", "b.api.example.com", false),
            ("https://api.example.com/v1", "com", true),
            ("https://api.example.com./v1", "example.com", true),
            ("https://api.example.com/v1", "api.example.com:443", true),
            ("https://api.example.com:443/v1", "example.com:443", true),
            ("https://api.example.com/v1", "api.example.com:8443", false),
            (
                "https://api.example.com:8443/v1",
                "*.example.com:8443",
                true,
            ),
            ("https://api.example.com:8443/v1", "example.com", true),
            (
                "https://api.example.com/v1",
                "a b  api.example.com\tc",
                true,
            ),
            (
                "https://api.example.com/v1",
                "a, b,api.example.com ,c",
                true,
            ),
            (
                "https://api.example.com/v1",
                "https://api.example.com",
                false,
            ),
            ("https://api.example.com/v1", "api.example.com/v1", false),
            ("https://bücher.example/v1", "bücher.example", true),
            ("https://bücher.example/v1", "xn--bcher-kva.example", true),
            ("https://10.1.2.3/v1", "10.1.2.3", true),
            ("https://10.1.2.3/v1", "10.1.2.3:443", true),
            ("https://10.1.2.3/v1", "10.1.2.3:80", false),
            ("https://10.1.2.3/v1", "10.0.0.0/8", true),
            ("https://10.1.2.3/v1", "10.1.2.0/31", false),
            ("https://10.1.2.3/v1", "10.1.2.0/30", true),
            ("https://10.1.2.3/v1", "0.0.0.0/0", true),
            ("https://10.1.2.3/v1", "10.0.0.0/33", false),
            ("https://10.1.2.3/v1", "::/0", false),
            ("https://10.1.2.3/v1", "1.2.3", false),
            ("https://10.1.2.3/v1", "10.0.0.0/x", false),
            ("https://[fd00::5]/v1", "fd00::5", true),
            ("https://[fd00::5]/v1", "[fd00::5]", true),
            ("https://[fd00::5]/v1", "[fd00::5]:443", true),
            ("https://[fd00::5]/v1", "[fd00::5]:80", false),
            ("https://[fd00::5]/v1", "fd00::/8", true),
            ("https://[fd00::5]/v1", "fe80::/10", false),
            ("https://[::ffff:10.1.2.3]/v1", "10.0.0.0/8", true),
        ] {
            assert_eq!(names(list, &url(endpoint)), named, "{endpoint} {list:?}");
        }
    }

    #[test]
    fn schemes() {
        let variable = |value: &str| Variable {
            name: "HTTPS_PROXY",
            value: value.to_owned(),
        };
        for value in [
            "proxy:3128",
            "user:pw@proxy",
            "HTTP://proxy",
            "socks5h://proxy:1080",
        ] {
            assert!(from_variable(&variable(value)).is_ok(), "{value}");
        }
        for (value, says) in [
            ("ftp://user:hunter2@proxy", "of scheme \"ftp\""),
            ("socks://proxy:1080", "of scheme \"socks\""),
            ("pac+https://proxy", "of scheme \"pac+https\""),
            ("user:hunter2@://proxy", "of an unknown scheme"),
            ("http://", "is not the URL of a proxy"),
        ] {
            let error = from_variable(&variable(value)).unwrap_err();
            assert!(
                error.contains(says) && !error.contains("hunter2"),
                "{error}"
            );
        }
    }
}
