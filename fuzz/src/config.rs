//! Configurations as JSON; the first byte says of what.

use std::net::IpAddr;

use intent_runtime::executor::api::ApiExecutor;
use intent_runtime::materials::Materials;
use intent_runtime::{BridgeConfig, ErrorCode, Intent, IntentConfig, Request, Stage};
use serde_json::{Value, json};

pub fn run(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else {
        return;
    };
    if kind % 4 == 3 {
        // A base URL as it stands, the rest in order.
        if let Ok(url) = std::str::from_utf8(text) {
            api(
                &json!({ "provider": "openai", "model": "m", "apiKey": "sk-0123456789", "baseURL": url }),
            );
        }
        return;
    }
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        return;
    };
    match kind % 4 {
        0 => match IntentConfig::from_value(value).and_then(Intent::new) {
            Ok(intent) => drop(intent),
            Err(error) => config_error(&error),
        },
        1 => {
            let intent = Intent::new(IntentConfig::default()).unwrap();
            if let Err(error) = BridgeConfig::new([("a", intent.clone())]).options(&value) {
                config_error(&error);
            }
            let request = Request::from_value(value);
            if let Err(error) = Materials::new(intent.definition(), request) {
                assert!(matches!(
                    error.code(),
                    ErrorCode::InputInvalid | ErrorCode::LimitExceeded | ErrorCode::UnknownField
                ));
                assert_eq!(error.stage(), Stage::Input);
            }
        }
        _ => api(&value),
    }
}

fn config_error(error: &intent_runtime::IntentError) {
    assert!(matches!(
        error.code(),
        ErrorCode::ConfigInvalid | ErrorCode::LimitExceeded
    ));
    assert_eq!(error.stage(), Stage::Config);
    assert!(error.message().len() < 2000, "{}", error.message());
}

fn api(config: &Value) {
    // A word or a number may stand in a message for itself.
    let key = config
        .get("apiKey")
        .and_then(Value::as_str)
        .filter(|key| key.contains(char::is_alphabetic) && key.contains(char::is_numeric))
        .unwrap_or_default();
    match ApiExecutor::from_value(config, None) {
        Ok(executor) => {
            // The name of a model is shown, even where it reads like the secret.
            let model = config.get("model").and_then(Value::as_str);
            assert!(
                key.len() < 8
                    || model.is_some_and(|model| model.contains(key))
                    || !format!("{executor:?}").contains(key)
            );
            if let Some(url) = config.get("baseURL").and_then(Value::as_str) {
                let url = url::Url::parse(url).unwrap_or_else(|e| panic!("accepted {url}: {e}"));
                assert!(url.username().is_empty() && url.password().is_none());
                assert!(url.query().is_none() && url.fragment().is_none());
                match url.scheme() {
                    "https" => {}
                    "http" => {
                        let address: Option<IpAddr> = match url.host() {
                            Some(url::Host::Ipv4(v4)) => Some(v4.into()),
                            Some(url::Host::Ipv6(v6)) => Some(v6.into()),
                            _ => None,
                        };
                        assert!(address.is_none_or(private), "plain http to {url}");
                    }
                    other => panic!("{other}"),
                }
            }
        }
        Err(error) => {
            config_error(&error);
            // A key that nobody knows is named, even where it reads like the secret.
            assert!(
                key.len() < 8
                    || error.message().contains("unknown key")
                    || !error.message().contains(key),
                "{}",
                error.message()
            );
        }
    }
}

/// 127/8, ::1, RFC 1918, fc00::/7, 169.254/16, fe80::/10, an IPv4-mapped one as its IPv4.
fn private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => match v4.octets() {
            [127 | 10, ..] | [192, 168, ..] | [169, 254, ..] => true,
            [172, second, ..] => (16..32).contains(&second),
            _ => false,
        },
        IpAddr::V6(v6) => {
            let s = v6.segments();
            match s {
                [0, 0, 0, 0, 0, 0, 0, 1] => true,
                [0, 0, 0, 0, 0, 0xffff, a, b] => private(IpAddr::from([
                    (a >> 8) as u8,
                    a as u8,
                    (b >> 8) as u8,
                    b as u8,
                ])),
                _ => s[0] & 0xfe00 == 0xfc00 || s[0] & 0xffc0 == 0xfe80,
            }
        }
    }
}
