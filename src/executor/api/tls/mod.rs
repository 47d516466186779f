//! The certificates that an https connection trusts.
//!
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` stand in place of the system's certificates, as for OpenSSL;
//! without them the system's are used. If the system has none, the fallback roots are used (those of
//! Node.js). `NODE_EXTRA_CA_CERTS` is added in each case. A file that cannot be read is no error by
//! itself: its fault is kept as a note, and is reported when a certificate is refused.

mod failure;
mod system;
mod verifier;

use std::path::Path;
use std::sync::Arc;

use rustls::client::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{RootCertStore, crypto};
use rustls_native_certs::load_certs_from_paths;

use super::environment::Environment;
pub(super) use failure::reason;
use verifier::Verifier;

/// The roots that were found.
pub(super) struct TrustedRoots {
    roots: RootCertStore,
    /// The files that could not be read.
    pub(super) notes: Vec<String>,
}

impl TrustedRoots {
    /// No roots, for an executor that makes no TLS connection.
    pub(super) fn none() -> Self {
        Self {
            roots: RootCertStore::empty(),
            notes: Vec::new(),
        }
    }

    /// Loads the roots of an environment. Reads files, and may ask for the fallback roots.
    pub(super) fn from_environment(environment: &Environment) -> Self {
        let mut trust = Self::none();
        if environment.cert_file.is_none() && environment.cert_dirs.is_empty() {
            trust.add(system::certificates());
        } else {
            if let Some(file) = &environment.cert_file {
                trust.add_from("SSL_CERT_FILE", Some(file), None);
            }
            for dir in &environment.cert_dirs {
                trust.add_from("SSL_CERT_DIR", None, Some(dir));
            }
        }
        if trust.roots.is_empty()
            && let Some(fallback) = &environment.fallback_roots
        {
            for text in fallback() {
                trust.add(CertificateDer::pem_slice_iter(text.as_bytes()).filter_map(Result::ok));
            }
        }
        if let Some(file) = &environment.extra_certs {
            trust.add_from("NODE_EXTRA_CA_CERTS", Some(file), None);
        }
        if trust.roots.is_empty() {
            trust
                .notes
                .push("the system has no root certificates".to_owned());
        }
        trust
    }

    fn add(&mut self, certs: impl IntoIterator<Item = CertificateDer<'static>>) -> usize {
        // Certificates that cannot serve as roots are skipped, as in every TLS library.
        self.roots.add_parsable_certificates(certs).0
    }

    fn add_from(&mut self, variable: &str, file: Option<&Path>, dir: Option<&Path>) {
        let found = load_certs_from_paths(file, dir);
        let errors = found.errors;
        let added = self.add(found.certs);
        if let Some(error) = errors.first() {
            self.notes.push(format!("{variable}: {error}"));
        } else if added == 0 {
            self.notes
                .push(format!("{variable} names no PEM certificate"));
        }
    }

    /// The client's side of TLS 1.2 and 1.3 with these roots, HTTP/1.1 alone.
    pub(super) fn client_config(self) -> Result<ClientConfig, String> {
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let builder = if self.roots.is_empty() {
            builder.with_root_certificates(self.roots)
        } else {
            let verifier =
                Verifier::new(self.roots, provider).map_err(|error| error.to_string())?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}
