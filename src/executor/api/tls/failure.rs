//! Describes failures of TLS for people, with advice if there is any, and without names of types.

use rustls::{AlertDescription, CertificateError, Error};

use crate::text::quoted;

/// Returns the reason, to follow a colon. `notes` are the faults of the root files.
pub(in super::super) fn reason(error: &Error, notes: &[String]) -> String {
    let Error::InvalidCertificate(certificate) = error else {
        return handshake(error);
    };
    let mut reason = of_certificate(certificate);
    for note in notes {
        reason.push_str("; ");
        reason.push_str(note);
    }
    reason
}

fn of_certificate(error: &CertificateError) -> String {
    use CertificateError as E;
    match error {
        E::Expired | E::ExpiredContext { .. } => "its certificate has expired".to_owned(),
        E::NotValidYet | E::NotValidYetContext { .. } => {
            "its certificate is not valid yet; is the clock of this machine right?".to_owned()
        }
        E::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            "its certificate names no host as subjectAltName, and a common name alone is not taken; make one that names its host (openssl req -addext \"subjectAltName=DNS:HOST\")".to_owned()
        }
        E::NotValidForNameContext { presented, .. } => match presented.iter().find_map(|n| dns(n)) {
            Some(name) => format!("its certificate is for another name ({})", quoted(name)),
            None => "its certificate is for another name".to_owned(),
        },
        E::NotValidForName => "its certificate is for another name".to_owned(),
        E::UnknownIssuer => {
            "its certificate comes from an issuer that is not trusted; name the certificate of a private authority in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE".to_owned()
        }
        E::Revoked => "its certificate was revoked".to_owned(),
        E::BadEncoding | E::UnhandledCriticalExtension => {
            "its certificate cannot be read".to_owned()
        }
        E::BadSignature => {
            "its certificate is not signed by the issuer that it names".to_owned()
        }
        E::UnsupportedSignatureAlgorithmContext { .. }
        | E::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "its certificate is signed in a way that is not supported, such as by SHA-1".to_owned()
        }
        E::InvalidPurpose | E::InvalidPurposeContext { .. } => {
            "its certificate is not meant for servers".to_owned()
        }
        E::Other(other) => match &*other.to_string() {
            "CaUsedAsEndEntity" => "its certificate is that of an authority (CA:TRUE); name this very certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE, or give the service one without (openssl req -addext \"basicConstraints=CA:FALSE\")".to_owned(),
            "UnsupportedCertVersion" => "its certificate is of an X.509 version before 3; make one of version 3".to_owned(),
            "EndEntityUsedAsCa" => "its certificate is signed by one that is no authority's".to_owned(),
            "PathLenConstraintViolated" | "MaximumPathDepthExceeded" => "the chain of its certificate is longer than allowed".to_owned(),
            _ => "its certificate breaks a rule of X.509".to_owned(),
        },
        _ => "its certificate is refused".to_owned(),
    }
}

/// The name in rustls' `DnsName("example.com")`.
fn dns(presented: &str) -> Option<&str> {
    presented.strip_prefix("DnsName(\"")?.strip_suffix("\")")
}

fn handshake(error: &Error) -> String {
    let why = match error {
        Error::InvalidMessage(_) => {
            "the answer is no TLS. Is it a port of plain http? That wants a baseURL of http://, which goes to private addresses only"
        }
        Error::AlertReceived(alert) => return format!("TLS failed: {}", alerted(*alert)),
        Error::PeerIncompatible(_) | Error::NoApplicationProtocol => {
            "the service has no TLS 1.2 or 1.3 in common with this client"
        }
        Error::NoCertificatesPresented => "the service shows no certificate",
        Error::DecryptError | Error::PeerSentOversizedRecord => {
            "what came from the service was altered on the way"
        }
        Error::FailedToGetCurrentTime => "the clock of this machine cannot be read",
        Error::FailedToGetRandomBytes => "this machine gives no random numbers",
        _ => "the service does not keep to the protocol",
    };
    format!("TLS failed: {why}")
}

/// The alert with which a service ended the handshake (RFC 8446, section 6.2).
fn alerted(alert: AlertDescription) -> String {
    let why = match alert {
        AlertDescription::ProtocolVersion
        | AlertDescription::HandshakeFailure
        | AlertDescription::InsufficientSecurity => {
            "it has no TLS 1.2 or 1.3 in common with this client"
        }
        AlertDescription::UnrecognisedName => "it does not serve this host name",
        AlertDescription::CertificateRequired | AlertDescription::BadCertificate => {
            "it asks for a certificate of the client, which this package does not send"
        }
        AlertDescription::InternalError => "it met an error of its own",
        AlertDescription::AccessDenied => "it lets this client not in",
        _ => return format!("the service ended it (alert {})", u8::from(alert)),
    };
    format!("the service ended it: {why}")
}
