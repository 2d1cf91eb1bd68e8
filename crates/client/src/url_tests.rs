//! What URLs may look like, and what is refused.

use super::{Options, Url};
use crate::options::{Address, Protocol};
use proptest::prelude::*;

#[test]
fn every_part_may_be_missing() {
    for (text, host, port, db) in [
        ("redis://", None, None, None),
        ("redis://h", Some("h"), None, None),
        ("redis://h:1", Some("h"), Some(1), None),
        ("redis://:1/", None, Some(1), None),
        ("redis:///7", None, None, Some(7)),
        ("redis://u@h/7", Some("h"), None, Some(7)),
        ("redis://[::1]", Some("::1"), None, None),
        ("redis://[::1]:5/6", Some("::1"), Some(5), Some(6)),
        ("rediss://h/x", Some("h"), None, None),
        ("redis://h?x=1#part", Some("h"), None, None),
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!((url.host.as_deref(), url.port, url.path_db()), (host, port, db), "{text}");
    }
}

#[test]
fn credentials() {
    for (text, username, password) in [
        ("redis://h", None, None),
        ("redis://u@h", Some("u"), None),
        ("redis://u:@h", Some("u"), None),
        ("redis://:p@h", None, Some("p")),
        ("redis://u:p@h", Some("u"), Some("p")),
        ("redis://u%40x:p%2F%3Aq@h", Some("u@x"), Some("p/:q")),
        ("redis://u:p@ss@h", Some("u"), Some("p@ss")),
        ("redis://u:100%@h", Some("u"), Some("100%")),
        ("unix://u:p@/run/x", Some("u"), Some("p")),
    ] {
        let url = Url::parse(text).unwrap();
        let got = (url.username.as_deref(), url.password.as_deref());
        assert_eq!(got, (username, password), "{text}");
    }
}

#[test]
fn options() {
    let options = Options::from_url("unix:///run/my%20server?db=4&protocol=3").unwrap();
    assert_eq!(options.address, Address::Unix("/run/my server".into()));
    assert_eq!((options.db, options.protocol), (4, Protocol::Resp3));
    assert!(options.tls.is_none());
    let options = Options::from_url("rediss://h/1?db=2&ca_certs=%2Fca.pem").unwrap();
    assert_eq!(options.db, 2, "the query wins");
    assert_eq!(options.tls.unwrap().ca_cert_file.as_deref(), Some("/ca.pem"));
}

#[test]
fn refused() {
    for text in [
        "",
        "redis",
        "http://h",
        "redis:/h",
        "redis://h:x",
        "redis://h:99999",
        "redis://[::1",
        "redis://%ff:x@h",
        "redis://h?db=x",
        "redis://h?timeout=-1",
        "redis://h?timeout=nan",
        "redis://h?protocol=4",
        "redis://h?colour=red",
        "redis://h?ca_certs=x",
        "unix://",
    ] {
        assert!(Options::from_url(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_is_encoded_comes_back(user in "\\PC+", password in "\\PC+", name in "\\PC+") {
        let encode = |text: &str| -> String {
            text.bytes().map(|byte| format!("%{byte:02x}")).collect()
        };
        let text = format!(
            "redis://{}:{}@h?client_name={}", encode(&user), encode(&password), encode(&name)
        );
        let options = Options::from_url(&text).unwrap();
        prop_assert_eq!(options.username, Some(user));
        prop_assert_eq!(options.password, Some(password));
        prop_assert_eq!(options.name, Some(name));
    }

    #[test]
    fn nothing_panics(text in "(redis|unix)://\\PC*") {
        let _ = Options::from_url(&text);
    }
}
