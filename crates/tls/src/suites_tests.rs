//! Cipher lists as people write them.

use super::*;

fn names(list: &str) -> Vec<&'static str> {
    ciphers_of(list).unwrap().iter().map(|cipher| cipher.name).collect()
}

#[test]
fn names_choose_and_order() {
    let list = "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305";
    assert_eq!(names(list).join(":"), list);
    assert_eq!(names("DEFAULT").len(), 6);
    assert_eq!(names("HIGH:!aNULL:!MD5:@STRENGTH").len(), 6);
    assert_eq!(names("ECDHE+AESGCM:!ECDSA").len(), 2);
    assert_eq!(names("ALL:-AES128:+AES256")[0], "ECDHE-ECDSA-CHACHA20-POLY1305");
    assert_eq!(names("!RSA,ALL").len(), 3);
    // Mozilla's list for servers: what is not here is left out.
    let mozilla = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
                   ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
                   ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:\
                   DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-CHACHA20-POLY1305";
    assert_eq!(names(mozilla).len(), 6);
}

#[test]
fn unknown_names_are_errors() {
    for bad in ["foo", "ECDHE-RSA-AES128-GCM-SHA257", "ALL:!foo", "ECDHE+", "AES256-SHA", "!ALL"] {
        assert!(ciphers_of(bad).is_err(), "{bad}");
    }
    assert_eq!(ciphers_of("foo").err().unwrap(), "'foo' is no known cipher");
    assert_eq!(ciphers_of("RC4-SHA").err().unwrap(), NOTHING);
}

#[test]
fn suites_of_both_versions() {
    assert_eq!(suites(None, None).unwrap().len(), 9);
    let some = suites(Some("AES256"), Some("TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256"));
    let some = some.unwrap();
    assert_eq!(some.len(), 3);
    assert_eq!(some[0], ring::TLS13_AES_128_GCM_SHA256);
    let wrong = suites(None, Some("TLS_FOO")).unwrap_err();
    assert!(wrong.starts_with("Failed to configure ciphersuites: TLS_FOO: "), "{wrong}");
    let wrong = suites(Some("foo"), None).unwrap_err();
    assert!(wrong.starts_with("Failed to configure ciphers: foo: "), "{wrong}");
    assert!(suites(None, Some("TLS_AES_128_CCM_SHA256")).is_err());
}

#[test]
fn versions_are_those_that_are_safe() {
    assert_eq!(versions("").unwrap().len(), 2);
    assert_eq!(versions("tlsv1.2").unwrap(), [&version::TLS12]);
    assert_eq!(versions("TLSv1.3  TLSv1.2").unwrap().len(), 2);
    assert!(versions("TLSv1.1 TLSv1.2").unwrap_err().contains("TLSv1.1 is not secure"));
    assert!(versions("SSLv3").is_err());
}
