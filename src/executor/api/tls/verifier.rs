//! A certificate that is trusted itself.
//!
//! `openssl req -x509` makes a certificate that signs itself and calls itself an authority. Named
//! as a root it is meant to be the service's own, and OpenSSL takes it so; webpki refuses an
//! authority's certificate as a service's.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

#[derive(Debug)]
pub(super) struct Verifier {
    roots: Arc<RootCertStore>,
    rest: Arc<WebPkiServerVerifier>,
}

impl Verifier {
    /// Builds a verifier for roots, of which there is at least one.
    pub(super) fn new(
        roots: RootCertStore,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, rustls::client::VerifierBuilderError> {
        let roots = Arc::new(roots);
        let rest = WebPkiServerVerifier::builder_with_provider(roots.clone(), provider).build()?;
        Ok(Self { roots, rest })
    }

    /// True if a certificate has the name and the key of a root. Whoever completes the handshake
    /// with it holds that root's key.
    fn is_root(&self, certificate: &CertificateDer<'_>) -> bool {
        let mut one = RootCertStore::empty();
        one.add(certificate.clone().into_owned()).is_ok()
            && one.roots.iter().all(|root| self.roots.roots.contains(root))
    }
}

/// webpki checks the dates before it returns this error.
fn is_authority(error: &Error) -> bool {
    match error {
        Error::InvalidCertificate(CertificateError::Other(other)) => {
            other.to_string() == "CaUsedAsEndEntity"
        }
        _ => false,
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.rest.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        ) {
            Err(error) if is_authority(&error) && self.is_root(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.rest
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.rest
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.rest.supported_verify_schemes()
    }
}
