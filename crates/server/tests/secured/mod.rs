//! Servers with TLS, and certificates made for them.

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned, SupportedProtocolVersion};

use crate::server::{Client, Server, Socket, eventually, free_port, ok, temporary, text};

/// Two authorities and what they have signed, in files of a folder:
///
/// ```text
///   ca.crt ─┬─ server.crt, server.key      for localhost and 127.0.0.1
///           ├─ second.crt, second.key      the same, for a change
///           └─ client.crt, client.key
///   other.crt ─ foreign.crt, foreign.key
/// ```
pub struct Pki {
    folder: PathBuf,
}

type Issuer = CertifiedIssuer<'static, KeyPair>;

impl Pki {
    /// Makes all of them.
    pub fn new() -> Self {
        let folder = temporary("pki");
        std::fs::create_dir_all(&folder).unwrap();
        let pki = Pki { folder };
        let ca = pki.authority("ca");
        let other = pki.authority("other");
        pki.certificate("server", &ca);
        pki.certificate("second", &ca);
        pki.certificate("client", &ca);
        pki.certificate("foreign", &other);
        pki
    }

    fn authority(&self, name: &str) -> Issuer {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = Issuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        std::fs::write(self.path(&format!("{name}.crt")), issuer.pem()).unwrap();
        issuer
    }

    fn certificate(&self, name: &str, issuer: &Issuer) {
        let key = KeyPair::generate().unwrap();
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let cert = params.signed_by(&key, issuer).unwrap();
        std::fs::write(self.path(&format!("{name}.crt")), cert.pem()).unwrap();
        std::fs::write(self.path(&format!("{name}.key")), key.serialize_pem()).unwrap();
    }

    /// Where a file is.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// A context of a client that trusts an authority, with a certificate if one is named.
    pub fn context(
        &self,
        authority: &str,
        who: Option<&str>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Arc<ClientConfig> {
        let roots = tls::pem::authorities(Some(&self.path(authority)), None).unwrap();
        let builder =
            ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_protocol_versions(versions)
                .unwrap()
                .with_root_certificates(roots);
        Arc::new(match who {
            None => builder.with_no_client_auth(),
            Some(who) => {
                let chain = tls::pem::certificates(&self.path(&format!("{who}.crt"))).unwrap();
                let key = tls::pem::private_key(&self.path(&format!("{who}.key")), None).unwrap();
                builder.with_client_auth_cert(chain, key).unwrap()
            }
        })
    }

    /// A context of a client that believes the authority of the server and shows nothing.
    pub fn plain_context(&self) -> Arc<ClientConfig> {
        self.context("ca.crt", None, rustls::ALL_VERSIONS)
    }

    /// Starts a server with the first certificate, which asks no client for one, and these further
    /// arguments.
    pub fn start(&self, args: &[&str]) -> Secured {
        let (cert, key) = (self.path("server.crt"), self.path("server.key"));
        let ca = self.path("ca.crt");
        let mut all = vec!["--tls-cert-file", &cert, "--tls-key-file", &key];
        all.extend(["--tls-ca-cert-file", &ca, "--tls-auth-clients", "no"]);
        all.extend(args);
        let server = Server::start(&all);
        let mut admin = server.connect();
        // Another program may take a port that was free a moment ago.
        let port = eventually("a port for TLS", || {
            let port = free_port();
            let done = admin.ask(&["CONFIG", "SET", "tls-port", &port.to_string()]);
            assert!(done == ok() || text(&done).contains("Unable to listen"), "{done:?}");
            (done == ok()).then_some(port)
        });
        Secured { server, admin, port, context: self.plain_context() }
    }
}

impl Drop for Pki {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A running server with TLS.
pub struct Secured {
    /// The server.
    pub server: Server,
    /// A client without TLS.
    pub admin: Client,
    /// Its port for TLS.
    pub port: u16,
    /// What clients go by unless they say otherwise.
    pub context: Arc<ClientConfig>,
}

impl Secured {
    /// A connection to the port for TLS on which nothing has been said.
    pub fn socket(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// A client with TLS.
    pub fn connect(&self) -> Client {
        self.connect_as(&self.context)
    }

    /// A client with TLS and a context of its own; the handshake comes with its first words.
    pub fn connect_as(&self, context: &Arc<ClientConfig>) -> Client {
        Client::new(Socket::Tls(Box::new(self.stream(context))))
    }

    /// The same without its habits.
    pub fn stream(&self, context: &Arc<ClientConfig>) -> StreamOwned<ClientConnection, TcpStream> {
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::clone(context), name).unwrap();
        StreamOwned::new(session, self.socket())
    }

    /// Waits until no clients are connected but `admin`.
    pub fn alone(&mut self) {
        let Secured { server, admin, .. } = self;
        eventually("the end of all connections", || {
            (server.info(admin, "connected_clients") == "1").then_some(())
        });
    }

    /// A number in INFO.
    pub fn number(&mut self, field: &str) -> u64 {
        self.server.info(&mut self.admin, field).parse().unwrap()
    }

    /// `CONFIG SET` of these words.
    pub fn set(&mut self, words: &[&str]) -> String {
        let mut all = vec!["CONFIG", "SET"];
        all.extend(words);
        text(&self.admin.ask(&all))
    }
}
