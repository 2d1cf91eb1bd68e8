//! The context of a client: trusted authorities, and its own certificate.
//!
//! The server's name is checked as well as its certificate; `redis-cli` checks the certificate
//! alone, so that the holder of any certificate of the same authority can pass for any server.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};

use crate::{pem, suites};

/// Trusted authorities, and the own certificate.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// The server's name, if it is not the host.
    pub name: Option<String>,
    /// File of authorities.
    pub ca_cert_file: Option<String>,
    /// Directory of authorities.
    pub ca_cert_dir: Option<String>,
    /// The text of certificates of authorities. If none of the three is given, the system's count.
    pub ca_cert_text: Option<String>,
    /// Trust any certificate.
    pub insecure: bool,
    /// Trust certificates of an authority, whatever name they are for.
    pub any_name: bool,
    /// File of the client's certificate.
    pub cert_file: Option<String>,
    /// File of its key, which may be the same.
    pub key_file: Option<String>,
    /// What the key is encrypted with.
    pub key_passphrase: Option<String>,
    /// Versions to speak, as in `tls-protocols`; all if not given.
    pub protocols: Option<String>,
    /// Ciphers of TLS 1.2 as in OpenSSL's lists; all that are safe if not given.
    pub ciphers: Option<String>,
}

impl Trust {
    /// Takes an option of a command line that has a value; `false` if it is none of TLS.
    pub fn option(&mut self, option: &str, value: &str) -> bool {
        let field = match option {
            "--sni" => &mut self.name,
            "--cacert" => &mut self.ca_cert_file,
            "--cacertdir" => &mut self.ca_cert_dir,
            "--cert" => &mut self.cert_file,
            "--key" => &mut self.key_file,
            _ => return false,
        };
        *field = Some(value.to_owned());
        true
    }
}

/// Shakes hands with the server at the other end of a blocking socket, which is known by the name
/// of this host unless another was given.
///
/// # Errors
/// A file is missing, the server is not believed, or it does not answer.
pub fn shake_hands(
    trust: &Trust,
    host: &str,
    socket: &mut (impl Read + Write),
) -> io::Result<ClientConnection> {
    let mut session = session(trust, &context(trust).map_err(io::Error::other)?, host)?;
    while session.is_handshaking() {
        session.complete_io(socket)?;
    }
    Ok(session)
}

/// A session with a server, of which nothing has been sent yet.
///
/// # Errors
/// The host, or the name to know it by, is none that a certificate can be for.
pub fn session(
    trust: &Trust,
    context: &Arc<ClientConfig>,
    host: &str,
) -> io::Result<ClientConnection> {
    let name = trust.name.clone().unwrap_or_else(|| host.to_owned());
    let name = ServerName::try_from(name).map_err(io::Error::other)?;
    ClientConnection::new(Arc::clone(context), name).map_err(io::Error::other)
}

/// Where systems keep the authorities they trust.
const SYSTEM: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Makes a context.
///
/// # Errors
/// A file that cannot be read, or no authority to believe.
pub fn context(trust: &Trust) -> Result<Arc<ClientConfig>, String> {
    let mut provider = rustls::crypto::ring::default_provider();
    if let Some(ciphers) = &trust.ciphers {
        provider.cipher_suites = suites::suites(Some(ciphers), None)?;
    }
    let provider = Arc::new(provider);
    let versions = suites::versions(trust.protocols.as_deref().unwrap_or_default())?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&versions)
        .map_err(|error| error.to_string())?;
    let builder = if trust.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    } else if trust.any_name {
        let strict = WebPkiServerVerifier::builder_with_provider(Arc::new(roots(trust)?), provider)
            .build()
            .map_err(|error| error.to_string())?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyName(strict)))
    } else {
        builder.with_root_certificates(roots(trust)?)
    };
    let context = match (&trust.cert_file, &trust.key_file) {
        (None, None) => builder.with_no_client_auth(),
        (Some(cert), Some(key)) => {
            let chain = pem::certificates(cert)
                .map_err(|reason| format!("Invalid client certificate: {cert}: {reason}"))?;
            let wrong = |reason: String| format!("Invalid private key: {key}: {reason}");
            let private = pem::private_key(key, trust.key_passphrase.as_deref().map(str::as_bytes))
                .map_err(wrong)?;
            builder
                .with_client_auth_cert(chain, private)
                .map_err(|error| wrong(error.to_string()))?
        }
        _ => return Err("'--cert' and '--key' must be specified together".to_owned()),
    };
    Ok(Arc::new(context))
}

fn roots(trust: &Trust) -> Result<RootCertStore, String> {
    let (mut file, mut dir) = (trust.ca_cert_file.clone(), trust.ca_cert_dir.clone());
    let text = trust.ca_cert_text.as_deref();
    if file.is_none() && dir.is_none() && text.is_none() {
        file = std::env::var("SSL_CERT_FILE").ok();
        dir = std::env::var("SSL_CERT_DIR").ok();
    }
    if file.is_none() && dir.is_none() && text.is_none() {
        let found = SYSTEM.iter().find(|path| std::path::Path::new(path).is_file());
        let found = found.ok_or("the system has no list of authorities; name one with --cacert")?;
        file = Some((*found).to_owned());
    }
    pem::authorities_and(file.as_deref(), dir.as_deref(), text)
        .map_err(|reason| format!("Failed to load authorities: {reason}"))
}

/// Trusts any certificate, but checks signatures.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Trusts certificates of an authority, under any name.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.0.verify_server_cert(end_entity, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
