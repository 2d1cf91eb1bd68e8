//! OpenSSL's words for versions and ciphers, and what rustls has of them.
//!
//! | | TLS 1.2 | TLS 1.3 |
//! | --- | --- | --- |
//! | key exchange | ECDHE | ECDHE |
//! | encryption | AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305 | the same |
//!
//! Lists written for OpenSSL name much more. What OpenSSL knows and this does not is left out with
//! a warning, as OpenSSL leaves out what it was built without; an unknown name is an error, since
//! it is a slip of the pen; and so is a list of which nothing is left.

use rustls::crypto::ring::cipher_suite as ring;
use rustls::{SupportedCipherSuite, SupportedProtocolVersion, version};

/// A suite of TLS 1.2: OpenSSL's name, the words that choose it in a list, and rustls's suite.
struct Cipher {
    name: &'static str,
    /// Besides those of all.
    words: &'static [&'static str],
    suite: SupportedCipherSuite,
}

/// Words that choose every suite there is.
const EVERY: &[&str] = &["ALL", "DEFAULT", "HIGH", "ECDHE", "EECDH", "kECDHE", "kEECDH", "TLSv1.2"];

/// The suites of TLS 1.2, strongest first.
const CIPHERS: &[Cipher] = &[
    Cipher {
        name: "ECDHE-ECDSA-AES256-GCM-SHA384",
        words: &["ECDSA", "aECDSA", "AES", "AES256", "AESGCM", "SHA384"],
        suite: ring::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    },
    Cipher {
        name: "ECDHE-RSA-AES256-GCM-SHA384",
        words: &["RSA", "aRSA", "AES", "AES256", "AESGCM", "SHA384"],
        suite: ring::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    },
    Cipher {
        name: "ECDHE-ECDSA-CHACHA20-POLY1305",
        words: &["ECDSA", "aECDSA", "CHACHA20", "SHA256"],
        suite: ring::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    },
    Cipher {
        name: "ECDHE-RSA-CHACHA20-POLY1305",
        words: &["RSA", "aRSA", "CHACHA20", "SHA256"],
        suite: ring::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    },
    Cipher {
        name: "ECDHE-ECDSA-AES128-GCM-SHA256",
        words: &["ECDSA", "aECDSA", "AES", "AES128", "AESGCM", "SHA256"],
        suite: ring::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    },
    Cipher {
        name: "ECDHE-RSA-AES128-GCM-SHA256",
        words: &["RSA", "aRSA", "AES", "AES128", "AESGCM", "SHA256"],
        suite: ring::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    },
];

/// The suites of TLS 1.3, in OpenSSL's order.
const CIPHERSUITES: &[(&str, SupportedCipherSuite)] = &[
    ("TLS_AES_256_GCM_SHA384", ring::TLS13_AES_256_GCM_SHA384),
    ("TLS_CHACHA20_POLY1305_SHA256", ring::TLS13_CHACHA20_POLY1305_SHA256),
    ("TLS_AES_128_GCM_SHA256", ring::TLS13_AES_128_GCM_SHA256),
];

/// Suites of TLS 1.3 that OpenSSL has besides.
const OTHER_CIPHERSUITES: &[&str] = &["TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"];

/// What the names of OpenSSL's other ciphers, and its words for kinds of them, are made of.
const PARTS: &[&str] = &[
    "3DES",
    "AECDH",
    "ADH",
    "AES",
    "AES128",
    "AES256",
    "AESCCM",
    "AESCCM8",
    "AESGCM",
    "ARIA",
    "ARIA128",
    "ARIA256",
    "ARIAGCM",
    "CAMELLIA",
    "CAMELLIA128",
    "CAMELLIA256",
    "CBC",
    "CBC3",
    "CCM",
    "CCM8",
    "CHACHA20",
    "COMPLEMENTOFDEFAULT",
    "DES",
    "DH",
    "DHE",
    "DSS",
    "ECDH",
    "ECDHE",
    "ECDSA",
    "EDH",
    "EXP",
    "EXPORT",
    "GCM",
    "GOST",
    "IDEA",
    "LOW",
    "MD5",
    "MEDIUM",
    "NULL",
    "POLY1305",
    "PSK",
    "RC2",
    "RC4",
    "RSA",
    "SEED",
    "SHA",
    "SHA1",
    "SHA256",
    "SHA384",
    "SRP",
    "SSLv3",
    "TLSv1",
    "aDH",
    "aDSS",
    "aGOST",
    "aNULL",
    "aPSK",
    "eNULL",
    "kDHE",
    "kDHEPSK",
    "kECDHEPSK",
    "kEDH",
    "kPSK",
    "kRSA",
    "kRSAPSK",
    "kSRP",
];

/// The versions that `tls-protocols` names; both if it names none.
///
/// # Errors
/// A version that is not supported, or no version at all.
pub fn versions(words: &str) -> Result<Vec<&'static SupportedProtocolVersion>, String> {
    let mut versions: Vec<&'static SupportedProtocolVersion> = Vec::new();
    for word in words.split_whitespace() {
        match word.to_ascii_lowercase().as_str() {
            "tlsv1.2" => versions.push(&version::TLS12),
            "tlsv1.3" => versions.push(&version::TLS13),
            "tlsv1" | "tlsv1.1" => {
                return Err(format!(
                    "Invalid tls-protocols specified: {word} is not secure and not supported. Use \
                     'TLSv1.2', 'TLSv1.3' or both."
                ));
            }
            _ => {
                return Err(
                    "Invalid tls-protocols specified. Use 'TLSv1.2', 'TLSv1.3' or both.".to_owned()
                );
            }
        }
    }
    if versions.is_empty() {
        versions = vec![&version::TLS12, &version::TLS13];
    }
    Ok(versions)
}

/// All suites that may be used, those of TLS 1.3 first. `ciphers` is an OpenSSL cipher list for TLS
/// 1.2, `ciphersuites` names those of TLS 1.3; `None` stands for all there are.
///
/// # Errors
/// A name that is no cipher's, or nothing is left.
pub fn suites(
    ciphers: Option<&str>,
    ciphersuites: Option<&str>,
) -> Result<Vec<SupportedCipherSuite>, String> {
    let mut chosen = match ciphersuites {
        None => CIPHERSUITES.iter().map(|(_, suite)| *suite).collect(),
        Some(list) => ciphersuites_of(list)
            .map_err(|reason| format!("Failed to configure ciphersuites: {list}: {reason}"))?,
    };
    match ciphers {
        None => chosen.extend(CIPHERS.iter().map(|cipher| cipher.suite)),
        Some(list) => chosen.extend(
            ciphers_of(list)
                .map_err(|reason| format!("Failed to configure ciphers: {list}: {reason}"))?
                .iter()
                .map(|cipher| cipher.suite),
        ),
    }
    Ok(chosen)
}

fn ciphersuites_of(list: &str) -> Result<Vec<SupportedCipherSuite>, String> {
    let mut chosen = Vec::new();
    for name in list.split(':').filter(|name| !name.is_empty()) {
        match CIPHERSUITES.iter().find(|(known, _)| *known == name) {
            Some((_, suite)) if !chosen.contains(suite) => chosen.push(*suite),
            Some(_) => {}
            None if OTHER_CIPHERSUITES.contains(&name) => left_out(name),
            None => return Err(unknown(name)),
        }
    }
    if chosen.is_empty() { Err(NOTHING.to_owned()) } else { Ok(chosen) }
}

const NOTHING: &str = "none of them is supported";

fn unknown(name: &str) -> String {
    format!("'{name}' is no known cipher")
}

fn left_out(name: &str) {
    tracing::warn!("The cipher {name} is not supported and left out");
}

/// Reads a cipher list: words separated by colons, commas or spaces, each of which adds what it
/// names, or with `-` or `!` takes it away (`!` for good), or with `+` moves it to the end.
fn ciphers_of(list: &str) -> Result<Vec<&'static Cipher>, String> {
    let mut chosen: Vec<&'static Cipher> = Vec::new();
    let mut banned: Vec<&'static str> = Vec::new();
    for word in list.split([':', ',', ' ', ';']).filter(|word| !word.is_empty()) {
        if word == "@STRENGTH" || word.starts_with("@SECLEVEL=") {
            continue;
        }
        let (sign, name) = match word.as_bytes().first() {
            Some(b'!' | b'-' | b'+') => word.split_at(1),
            _ => ("", word),
        };
        let meant = meant(name)?;
        let is_meant = |cipher: &&'static Cipher| meant.iter().any(|m| m.name == cipher.name);
        match sign {
            "" => {
                if meant.is_empty() {
                    left_out(name);
                }
                for cipher in meant {
                    let has = chosen.iter().any(|c| c.name == cipher.name);
                    if !has && !banned.contains(&cipher.name) {
                        chosen.push(cipher);
                    }
                }
            }
            "+" => {
                let (moved, rest) = chosen.into_iter().partition(is_meant);
                let moved: Vec<_> = moved;
                chosen = rest;
                chosen.extend(moved);
            }
            sign => {
                chosen.retain(|cipher| !is_meant(cipher));
                if sign == "!" {
                    banned.extend(meant.iter().map(|cipher| cipher.name));
                }
            }
        }
    }
    if chosen.is_empty() { Err(NOTHING.to_owned()) } else { Ok(chosen) }
}

/// What a word of a cipher list names; nothing if OpenSSL knows the word and no suite here fits.
fn meant(name: &str) -> Result<Vec<&'static Cipher>, String> {
    if let Some(cipher) = CIPHERS.iter().find(|cipher| cipher.name == name) {
        return Ok(vec![cipher]);
    }
    // `ECDHE+AESGCM` is what both of its words name.
    let mut fitting: Vec<&'static Cipher> = CIPHERS.iter().collect();
    for word in name.split('+') {
        let is_known = |part: &str| PARTS.contains(&part) || is_word(part);
        if word.is_empty() || !(is_word(word) || word.split('-').all(is_known)) {
            return Err(unknown(name));
        }
        fitting.retain(|cipher| EVERY.contains(&word) || cipher.words.contains(&word));
    }
    Ok(fitting)
}

fn is_word(word: &str) -> bool {
    EVERY.contains(&word) || CIPHERS.iter().any(|cipher| cipher.words.contains(&word))
}

#[cfg(test)]
#[path = "suites_tests.rs"]
mod tests;
