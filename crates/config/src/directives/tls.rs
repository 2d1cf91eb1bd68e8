//! Encrypted connections.

use std::time::Duration;

use crate::directive::{Directive as D, INT_MAX};
use crate::settings::Settings;

pub(super) const LIST: &[D] = &[
    D::int("tls-port", "0", 0, 65535, "TCP port of the Redis protocol over TLS. 0 closes it."),
    D::text(
        "tls-cert-file",
        "",
        "The server's certificate in PEM form, then its intermediate certificates. CONFIG SET \
         reads the file again, be its name the same.",
    )
    .reread(),
    D::text("tls-key-file", "", "The private key of that certificate. Read again as well.")
        .reread(),
    D::text(
        "tls-key-file-pass",
        "",
        "Passphrase of that key, which must be PKCS#8 under AES (BEGIN ENCRYPTED PRIVATE KEY).",
    ),
    D::text(
        "tls-client-cert-file",
        "",
        "Certificate for connections this server opens. Checked, but none of them uses TLS yet.",
    )
    .reread(),
    D::text("tls-client-key-file", "", "The private key of that certificate.").reread(),
    D::text("tls-client-key-file-pass", "", "Passphrase of that key."),
    D::text(
        "tls-dh-params-file",
        "",
        "Diffie-Hellman parameters for old clients. The file must be there, but is not used: keys \
         are exchanged over elliptic curves.",
    )
    .reread(),
    D::text("tls-ca-cert-file", "", "File of the authorities that clients' certificates are from.")
        .reread(),
    D::text("tls-ca-cert-dir", "", "Directory of files of such authorities, whatever their names.")
        .reread(),
    D::one_of(
        "tls-auth-clients",
        &["no", "yes", "optional"],
        "yes",
        "Whether clients must, may or need not show a certificate.",
    ),
    D::yes_no("tls-replication", "no", "Use TLS towards the master.").default_only(),
    D::yes_no("tls-cluster", "no", "Use TLS on the cluster bus.").default_only(),
    D::text("tls-protocols", "", "Accepted versions: TLSv1.2, TLSv1.3 or both. Empty means both."),
    D::text(
        "tls-ciphers",
        "",
        "Accepted ciphers of TLS 1.2, as OpenSSL lists them. Empty means all there are.",
    ),
    D::text(
        "tls-ciphersuites",
        "",
        "Accepted cipher suites of TLS 1.3, separated by colons. Empty means all there are.",
    ),
    D::yes_no("tls-prefer-server-ciphers", "no", "Let the server's order of ciphers win."),
    D::yes_no("tls-session-caching", "yes", "Let clients resume sessions."),
    D::int("tls-session-cache-size", "20480", 0, INT_MAX, "Sessions remembered. 0: no limit."),
    D::int("tls-session-cache-timeout", "300", 0, INT_MAX, "Seconds a session is remembered."),
];

/// What is configured about TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// TCP port of the Redis protocol over TLS; 0 closes it.
    pub port: u16,
    /// Who the server is.
    pub own: Identity,
    /// Who it is where it is a client.
    pub client: Identity,
    /// Parameters for an old key exchange.
    pub dh_params_file: Option<String>,
    /// File of trusted authorities.
    pub ca_cert_file: Option<String>,
    /// Directory of trusted authorities.
    pub ca_cert_dir: Option<String>,
    /// Whether clients show certificates.
    pub auth_clients: AuthClients,
    /// Accepted versions, separated by spaces; empty for all there are.
    pub protocols: String,
    /// Ciphers of TLS 1.2, as OpenSSL lists them, or `None` for all there are.
    pub ciphers: Option<String>,
    /// Those of TLS 1.3.
    pub ciphersuites: Option<String>,
    /// The server's order of them counts.
    pub prefer_server_ciphers: bool,
    /// What is remembered of sessions, or `None` for nothing.
    pub session_cache: Option<SessionCache>,
}

/// A certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// File of the certificate, with its intermediate certificates.
    pub cert_file: Option<String>,
    /// File of the private key.
    pub key_file: Option<String>,
    /// Passphrase of that file.
    pub passphrase: Option<Vec<u8>>,
}

/// Whether clients show certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthClients {
    /// They are not asked.
    No,
    /// They must.
    Yes,
    /// They may; one that is shown must be good.
    Optional,
}

/// What is remembered of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionCache {
    /// How many; 0 is no limit.
    pub size: usize,
    /// How long.
    pub timeout: Duration,
}

impl TlsSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        let session_cache = SessionCache {
            size: settings.int("tls-session-cache-size"),
            timeout: Duration::from_secs(settings.int("tls-session-cache-timeout")),
        };
        Self {
            port: settings.int("tls-port"),
            own: Identity::of(settings, ["tls-cert-file", "tls-key-file", "tls-key-file-pass"]),
            client: Identity::of(
                settings,
                ["tls-client-cert-file", "tls-client-key-file", "tls-client-key-file-pass"],
            ),
            dh_params_file: settings.path("tls-dh-params-file"),
            ca_cert_file: settings.path("tls-ca-cert-file"),
            ca_cert_dir: settings.path("tls-ca-cert-dir"),
            auth_clients: match settings.word("tls-auth-clients") {
                "no" => AuthClients::No,
                "optional" => AuthClients::Optional,
                _ => AuthClients::Yes,
            },
            protocols: settings.string("tls-protocols"),
            ciphers: settings.path("tls-ciphers"),
            ciphersuites: settings.path("tls-ciphersuites"),
            prefer_server_ciphers: settings.yes("tls-prefer-server-ciphers"),
            session_cache: settings.yes("tls-session-caching").then_some(session_cache),
        }
    }
}

impl Identity {
    fn of(settings: &Settings, [cert, key, pass]: [&str; 3]) -> Self {
        Self {
            cert_file: settings.path(cert),
            key_file: settings.path(key),
            passphrase: settings.secret(pass),
        }
    }
}
