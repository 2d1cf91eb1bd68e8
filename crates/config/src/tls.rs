//! The typed side of the `tls-*` directives.

use std::time::Duration;

use crate::settings::Settings;

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
    /// File of the certificate, and of those that vouch for it.
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

impl Settings {
    /// What is configured about TLS.
    pub(crate) fn tls(&self) -> TlsSettings {
        let session_cache = SessionCache {
            size: self.int("tls-session-cache-size"),
            timeout: Duration::from_secs(self.int("tls-session-cache-timeout")),
        };
        TlsSettings {
            port: self.int("tls-port"),
            own: self.identity(["tls-cert-file", "tls-key-file", "tls-key-file-pass"]),
            client: self.identity([
                "tls-client-cert-file",
                "tls-client-key-file",
                "tls-client-key-file-pass",
            ]),
            dh_params_file: self.path("tls-dh-params-file"),
            ca_cert_file: self.path("tls-ca-cert-file"),
            ca_cert_dir: self.path("tls-ca-cert-dir"),
            auth_clients: match self.word("tls-auth-clients") {
                "no" => AuthClients::No,
                "optional" => AuthClients::Optional,
                _ => AuthClients::Yes,
            },
            protocols: self.string("tls-protocols"),
            ciphers: self.path("tls-ciphers"),
            ciphersuites: self.path("tls-ciphersuites"),
            prefer_server_ciphers: self.yes("tls-prefer-server-ciphers"),
            session_cache: self.yes("tls-session-caching").then_some(session_cache),
        }
    }

    fn identity(&self, [cert, key, pass]: [&str; 3]) -> Identity {
        Identity {
            cert_file: self.path(cert),
            key_file: self.path(key),
            passphrase: self.secret(pass),
        }
    }
}
