//! Certificates, keys and authorities out of PEM files.
//!
//! What OpenSSL reads and this does not: keys in the old encrypted form (`Proc-Type: 4,ENCRYPTED`),
//! whose passphrase is hashed once with MD5, and keys under DES or SHA-1. Each error says how to
//! convert the file.

use std::io;
use std::path::Path;

use pkcs8::EncryptedPrivateKeyInfo;
use pkcs8::der::SecretDocument;
use rustls::RootCertStore;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

const ENCRYPTED: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const ENCRYPTED_END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
/// What stands in a key encrypted as OpenSSL did before PKCS#8.
const OLD: &str = "Proc-Type: 4,ENCRYPTED";
/// How to make a key readable.
const CONVERT: &str = "convert it with 'openssl pkcs8 -topk8 -v2 aes-256-cbc'";

/// The system's words for an error, without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| plain(&error))
}

/// The certificates of a file, in their order: the server's own first, then its intermediate
/// certificates.
///
/// # Errors
/// The file cannot be read, or holds no certificate, or something broken.
pub fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let found = certificates_in(&read(path)?)?;
    if found.is_empty() { Err("no certificate is in it".to_owned()) } else { Ok(found) }
}

fn certificates_in(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(text)
        .collect::<Result<Vec<_>, PemError>>()
        .map_err(|error| error.to_string())
}

/// The private key of a file: PKCS#8, PKCS#1 or SEC1, or PKCS#8 under a passphrase.
///
/// # Errors
/// The file cannot be read, or holds no key, or one that the passphrase does not open.
pub fn private_key(
    path: &str,
    passphrase: Option<&[u8]>,
) -> Result<PrivateKeyDer<'static>, String> {
    let bytes = read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    if let Some(at) = text.find(ENCRYPTED) {
        let passphrase = passphrase.ok_or("it is encrypted, and there is no passphrase")?;
        return decrypt(&text[at..], passphrase);
    }
    if text.contains(OLD) {
        return Err(format!("it is encrypted in the old form of OpenSSL; {CONVERT}"));
    }
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|error| match error {
        PemError::NoItemsFound => "no private key is in it".to_owned(),
        other => other.to_string(),
    })
}

/// Opens a key under a passphrase, at the beginning of a text.
fn decrypt(text: &str, passphrase: &[u8]) -> Result<PrivateKeyDer<'static>, String> {
    let broken = || "the encrypted key is broken".to_owned();
    let end = text.find(ENCRYPTED_END).ok_or_else(broken)? + ENCRYPTED_END.len();
    let (_, document) = SecretDocument::from_pem(&text[..end]).map_err(|_| broken())?;
    let key = EncryptedPrivateKeyInfo::try_from(document.as_bytes())
        .map_err(|_| format!("it is encrypted in a way that is not supported; {CONVERT}"))?;
    let opened = key.decrypt(passphrase).map_err(|_| {
        format!("the passphrase does not open it, or it is encrypted in an old way; {CONVERT}")
    })?;
    Ok(PrivatePkcs8KeyDer::from(opened.as_bytes().to_vec()).into())
}

/// The authorities of a file and of all files of a directory. The files need no special names:
/// what holds no certificate, or is no file, is passed over.
///
/// # Errors
/// The file or the directory cannot be read, or neither has an authority that can be used.
pub fn authorities(file: Option<&str>, dir: Option<&str>) -> Result<RootCertStore, String> {
    authorities_and(file, dir, None)
}

/// As [`authorities`], and also those in a text.
///
/// # Errors
/// As there, and if the text is broken.
pub fn authorities_and(
    file: Option<&str>,
    dir: Option<&str>,
    text: Option<&str>,
) -> Result<RootCertStore, String> {
    let mut found = certificates_in(text.unwrap_or_default().as_bytes())?;
    if let Some(file) = file {
        found.extend(certificates(file).map_err(|reason| format!("{file}: {reason}"))?);
    }
    if let Some(dir) = dir {
        let wrong = |error: io::Error| format!("{dir}: {}", plain(&error));
        for entry in std::fs::read_dir(dir).map_err(wrong)? {
            found.extend(authorities_of(&entry.map_err(wrong)?.path()));
        }
    }
    let mut roots = RootCertStore::empty();
    // Directories name one file several ways.
    found.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
    found.dedup();
    let (_, ignored) = roots.add_parsable_certificates(found);
    if roots.is_empty() {
        let text = text.map(|_| "the text given");
        let places = [file, dir, text].into_iter().flatten().collect::<Vec<_>>().join(", ");
        return Err(format!("{places}: no certificate of an authority is there"));
    }
    if ignored > 0 {
        tracing::warn!("{ignored} certificates of authorities cannot be used");
    }
    Ok(roots)
}

/// The certificates of one file in a directory of them; none if it is something else.
fn authorities_of(path: &Path) -> Vec<CertificateDer<'static>> {
    if !path.is_file() {
        return Vec::new();
    }
    std::fs::read(path).ok().and_then(|text| certificates_in(&text).ok()).unwrap_or_default()
}

#[cfg(test)]
#[path = "pem_tests.rs"]
mod tests;
