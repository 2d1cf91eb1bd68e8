//! Encrypted connections.

use crate::directive::{Directive as D, INT_MAX};

pub(super) const LIST: &[D] = &[
    D::int("tls-port", "0", 0, 65535, "TCP port of the Redis protocol over TLS. 0 closes it.")
        .default_only(),
    D::text("tls-cert-file", "", "The server's certificate.").pending(),
    D::text("tls-key-file", "", "The private key of that certificate.").pending(),
    D::text("tls-key-file-pass", "", "Passphrase of that key.").pending(),
    D::text("tls-client-cert-file", "", "Certificate for connections this server opens.").pending(),
    D::text("tls-client-key-file", "", "The private key of that certificate.").pending(),
    D::text("tls-client-key-file-pass", "", "Passphrase of that key.").pending(),
    D::text("tls-dh-params-file", "", "Diffie-Hellman parameters for old clients.").pending(),
    D::text("tls-ca-cert-file", "", "File of trusted authorities.").pending(),
    D::text("tls-ca-cert-dir", "", "Directory of trusted authorities.").pending(),
    D::one_of(
        "tls-auth-clients",
        &["no", "yes", "optional"],
        "yes",
        "Whether clients must, may or need not show a certificate.",
    )
    .pending(),
    D::yes_no("tls-replication", "no", "Use TLS towards the master.").default_only(),
    D::yes_no("tls-cluster", "no", "Use TLS on the cluster bus.").default_only(),
    D::text("tls-protocols", "", "Accepted versions, such as: TLSv1.2 TLSv1.3.").pending(),
    D::text("tls-ciphers", "", "Accepted ciphers up to TLS 1.2.").pending(),
    D::text("tls-ciphersuites", "", "Accepted cipher suites of TLS 1.3.").pending(),
    D::yes_no("tls-prefer-server-ciphers", "no", "Let the server's order of ciphers win.")
        .pending(),
    D::yes_no("tls-session-caching", "yes", "Let clients resume sessions.").pending(),
    D::int("tls-session-cache-size", "20480", 0, INT_MAX, "Sessions remembered. 0: no limit.")
        .pending(),
    D::int("tls-session-cache-timeout", "300", 0, INT_MAX, "Seconds a session is remembered.")
        .pending(),
];
