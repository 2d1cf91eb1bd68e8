//! Contexts from files, and what is said of those that are wrong.

use std::time::Duration;

use config::SessionCache;
use testkit::folder::Folder;

use super::*;

struct Files {
    _dir: Folder,
    settings: TlsSettings,
}

impl Files {
    /// A certificate, its key, and settings that name them.
    fn new(name: &str) -> Self {
        let dir = Folder::new(name);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(dir.join("cert"), made.cert.pem()).unwrap();
        std::fs::write(dir.join("key"), made.signing_key.serialize_pem()).unwrap();
        let path = |name: &str| Some(dir.at(name));
        let none = Identity { cert_file: None, key_file: None, passphrase: None };
        let settings = TlsSettings {
            port: 1,
            own: Identity { cert_file: path("cert"), key_file: path("key"), passphrase: None },
            client: none,
            dh_params_file: None,
            ca_cert_file: path("cert"),
            ca_cert_dir: None,
            auth_clients: AuthClients::Yes,
            protocols: String::new(),
            ciphers: None,
            ciphersuites: None,
            prefer_server_ciphers: false,
            session_cache: Some(SessionCache { size: 1, timeout: Duration::from_secs(1) }),
        };
        Files { _dir: dir, settings }
    }

    /// What is said when the settings are changed so.
    fn complaint(&self, change: impl FnOnce(&mut TlsSettings)) -> String {
        let mut settings = self.settings.clone();
        change(&mut settings);
        context(&settings).expect_err("it is wrong")
    }
}

#[test]
fn what_is_right_becomes_a_context() {
    let files = Files::new("right");
    let made = context(&files.settings).unwrap();
    assert!(made.session_storage.can_cache());
    let mut other = files.settings.clone();
    other.session_cache = None;
    other.auth_clients = AuthClients::No;
    other.ca_cert_file = None;
    other.prefer_server_ciphers = true;
    other.client = other.own.clone();
    other.dh_params_file = other.own.cert_file.clone();
    let made = context(&other).unwrap();
    assert!(made.ignore_client_order);
    assert_eq!(made.send_tls13_tickets, 0);
    assert!(!made.session_storage.can_cache());
}

#[test]
fn what_is_wrong_is_told_as_redis_begins_it() {
    let (files, other) = (Files::new("wrong"), Files::new("other"));
    let nowhere = || Some("/nonexistent".to_owned());
    type Change<'a> = Box<dyn FnOnce(&mut TlsSettings) + 'a>;
    let cases: Vec<(Change<'_>, &str)> = vec![
        (Box::new(|s| s.own.cert_file = None), "No tls-cert-file configured!"),
        (Box::new(|s| s.own.key_file = None), "No tls-key-file configured!"),
        (
            Box::new(|s| s.ca_cert_file = None),
            "Either tls-ca-cert-file or tls-ca-cert-dir must be ",
        ),
        (
            Box::new(|s| s.own.cert_file = nowhere()),
            "Failed to load certificate: /nonexistent: No such file or directory",
        ),
        (
            Box::new(|s| s.own.key_file = nowhere()),
            "Failed to load private key: /nonexistent: No such file or directory",
        ),
        (Box::new(|s| s.own.key_file = s.own.cert_file.clone()), "Failed to load private key: "),
        (
            Box::new(|s| s.own.key_file = other.settings.own.key_file.clone()),
            "Failed to load private key: ",
        ),
        (
            Box::new(|s| s.ca_cert_file = nowhere()),
            "Failed to configure CA certificate(s) file/directory: /nonexistent: No such file",
        ),
        (Box::new(|s| s.protocols = "foo".to_owned()), "Invalid tls-protocols specified."),
        (
            Box::new(|s| s.ciphers = Some("foo".to_owned())),
            "Failed to configure ciphers: foo: 'foo' is no known cipher",
        ),
        (
            Box::new(|s| s.dh_params_file = nowhere()),
            "Failed to load /nonexistent: No such file or directory",
        ),
        (Box::new(|s| s.client.cert_file = nowhere()), "No tls-client-key-file configured!"),
        (
            Box::new(|s| {
                s.client = s.own.clone();
                s.client.cert_file = nowhere();
            }),
            "Failed to load certificate: /nonexistent: ",
        ),
    ];
    for (change, beginning) in cases {
        let complaint = files.complaint(change);
        assert!(complaint.starts_with(beginning), "{complaint}");
    }
    // Only versions without suites are left.
    let complaint = files.complaint(|s| {
        s.protocols = "TLSv1.2".to_owned();
        s.ciphers = Some("RC4-SHA".to_owned());
    });
    assert!(complaint.starts_with("Failed to configure ciphers: RC4-SHA"), "{complaint}");
}
