//! Whose certificates are trusted.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::Dialing;

/// What verifies certificates: this machine with what the user adds to it, or nobody.
pub(super) fn verifier(
    dialing: &Dialing,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let provider = Arc::clone(provider);
    let named = dialing.authorities.clone();
    let machine = match dialing.verifies_nothing {
        true => None,
        false => Some(Verifier::new_with_extra_roots(named.iter().cloned(), Arc::clone(&provider))?),
    };
    Ok(Arc::new(Trust { machine, named, provider }))
}

/// This machine, and the certificates that the user names; or every certificate. That the server has its key is proven in either
/// case.
///
/// A certificate that signed itself is often marked as that of an authority, and no authority may be a server. One that is the
/// very certificate which the user named is trusted all the same, for its names; its dates are the user's affair.
#[derive(Debug)]
struct Trust {
    machine: Option<Verifier>,
    named: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(machine) = &self.machine else { return Ok(ServerCertVerified::assertion()) };
        let verified = machine.verify_server_cert(certificate, chain, name, stapled, now);
        let is_named = || self.named.iter().any(|named| named == certificate);
        match verified {
            // The kind of the error is that of a library below rustls.
            Err(error) if error.to_string().contains("CaUsedAsEndEntity") && is_named() => {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
