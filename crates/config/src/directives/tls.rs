//! Encrypted connections.

use crate::directive::{Directive as D, INT_MAX};

pub(super) const LIST: &[D] = &[
    D::int("tls-port", "0", 0, 65535, "TCP port of the Redis protocol over TLS. 0 closes it."),
    D::text(
        "tls-cert-file",
        "",
        "The server's certificate in PEM form, then those that vouch for it. CONFIG SET reads the \
         file again, be its name the same.",
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
