//! The context of a server: everything the `tls-*` directives say, read and checked.
//!
//! The order of the checks and the first words of each error are those of Redis, for tools that
//! searches a log for them; the reasons are our own.

use std::sync::Arc;

use config::{AuthClients, Identity, TlsSettings};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{Error, ServerConfig};

use crate::sessions::Sessions;
use crate::{pem, suites};

/// Makes a context.
///
/// # Errors
/// What to write to the log: a file that cannot be read, a name that means nothing.
pub fn context(settings: &TlsSettings) -> Result<Arc<ServerConfig>, String> {
    let own = files(&settings.own, "")?;
    if settings.auth_clients != AuthClients::No
        && settings.ca_cert_file.is_none()
        && settings.ca_cert_dir.is_none()
    {
        return Err(
            "Either tls-ca-cert-file or tls-ca-cert-dir must be specified when tls-cluster, \
                    tls-replication or tls-auth-clients are enabled!"
                .to_owned(),
        );
    }
    let versions = suites::versions(&settings.protocols)?;
    let suites = suites::suites(settings.ciphers.as_deref(), settings.ciphersuites.as_deref())?;
    let provider = Arc::new(CryptoProvider {
        cipher_suites: suites,
        ..rustls::crypto::ring::default_provider()
    });
    let key = certified(own, settings.own.passphrase.as_deref(), &provider)?;
    let verifier = verifier(settings, &provider)?;
    let mut context = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&versions)
        .map_err(|error| format!("Failed to configure ciphers: {error}"))?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
    context.ignore_client_order = settings.prefer_server_ciphers;
    match &settings.session_cache {
        Some(cache) => {
            context.session_storage = Arc::new(Sessions::new(cache.size, cache.timeout));
        }
        None => {
            context.session_storage = Arc::new(NoServerSessionStorage {});
            context.send_tls13_tickets = 0;
        }
    }
    check_unused(settings, &provider)?;
    Ok(Arc::new(context))
}

/// The two files of an identity, whose directives are named `tls-…cert-file` and `tls-…key-file`.
fn files<'a>(identity: &'a Identity, whose: &str) -> Result<(&'a str, &'a str), String> {
    let cert = identity.cert_file.as_deref();
    let cert = cert.ok_or_else(|| format!("No tls-{whose}cert-file configured!"))?;
    let key = identity.key_file.as_deref();
    let key = key.ok_or_else(|| format!("No tls-{whose}key-file configured!"))?;
    Ok((cert, key))
}

/// Loads a certificate and its key.
fn certified(
    (cert, key): (&str, &str),
    passphrase: Option<&[u8]>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, String> {
    let chain = pem::certificates(cert)
        .map_err(|reason| format!("Failed to load certificate: {cert}: {reason}"))?;
    let wrong = |reason: String| format!("Failed to load private key: {key}: {reason}");
    let private = pem::private_key(key, passphrase).map_err(wrong)?;
    pair(chain, private, provider).map_err(wrong)
}

fn pair(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, String> {
    let key = provider.key_provider.load_private_key(key).map_err(|error| error.to_string())?;
    let certified = CertifiedKey::new(chain, key);
    match certified.keys_match() {
        // Certificates of version 1, which small guides make, cannot be looked into; clients check
        // them, and they have always worked.
        Ok(()) | Err(Error::InvalidCertificate(_)) => Ok(certified),
        Err(Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(certified),
        Err(_) => Err("it is not the key of the certificate".to_owned()),
    }
}

/// The verifier of client certificates.
fn verifier(
    settings: &TlsSettings,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, String> {
    if settings.ca_cert_file.is_none() && settings.ca_cert_dir.is_none() {
        return Ok(WebPkiClientVerifier::no_client_auth());
    }
    let wrong =
        |reason: String| format!("Failed to configure CA certificate(s) file/directory: {reason}");
    let roots = pem::authorities(settings.ca_cert_file.as_deref(), settings.ca_cert_dir.as_deref());
    // Read even if no client is asked for one: a wrong name in a configuration should be reported
    // early.
    let roots = roots.map_err(wrong)?;
    let builder =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    let builder = match settings.auth_clients {
        AuthClients::No => return Ok(WebPkiClientVerifier::no_client_auth()),
        AuthClients::Optional => builder.allow_unauthenticated(),
        AuthClients::Yes => builder,
    };
    builder.build().map_err(|error| wrong(error.to_string()))
}

/// Checks what is named and has no use yet, as Redis would: parameters for a key exchange that is
/// not offered, and the identity for connections that the server opens.
fn check_unused(settings: &TlsSettings, provider: &CryptoProvider) -> Result<(), String> {
    if let Some(path) = &settings.dh_params_file {
        std::fs::metadata(path).map_err(|error| {
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default();
            format!("Failed to load {path}: {reason}")
        })?;
        tracing::info!(
            "tls-dh-params-file is not used: keys are exchanged over elliptic curves only"
        );
    }
    if settings.client.cert_file.is_some() {
        let client = files(&settings.client, "client-")?;
        certified(client, settings.client.passphrase.as_deref(), provider)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
