//! The header by which callers of the Haystack API say who they are, as text.
//!
//! ```text
//!   HELLO username=<base64url>
//!   SCRAM handshakeToken=<token>, data=<base64url> [, hash=SHA-256]
//!   BEARER authToken=<token>
//! ```

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE_NO_PAD};
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

/// The only hash that is spoken.
pub const HASH: &str = "SHA-256";
/// The longest message of SCRAM, in characters of base64.
const LONGEST: usize = 4096;

/// What a caller says of itself.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing, or something that the other routes know: Basic, or a token of the port's own.
    Other,
    /// It begins to log in, by this name.
    Hello(String),
    /// It goes on to log in.
    Scram {
        /// Which login.
        handshake: String,
        /// What it says.
        message: String,
    },
    /// It has logged in.
    Bearer(String),
    /// What cannot be read, and why.
    Nonsense(&'static str),
}

/// Reads it.
pub fn read(headers: &HeaderMap) -> Said {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        let several = headers.contains_key(AUTHORIZATION);
        return if several { Said::Nonsense("more than one Authorization") } else { Said::Other };
    };
    let Ok(text) = value.to_str() else { return Said::Other };
    let (scheme, rest) = text.trim().split_once(' ').unwrap_or((text, ""));
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    if is("hello") {
        return hello(rest);
    }
    if is("scram") {
        return scram(rest);
    }
    match parameter(rest, "authToken") {
        Some(token) if is("bearer") => Said::Bearer(token.to_owned()),
        _ => Said::Other,
    }
}

fn hello(rest: &str) -> Said {
    let name = parameter(rest, "username").and_then(decoded);
    match name.and_then(|name| String::from_utf8(name).ok()) {
        Some(name) if !name.is_empty() => Said::Hello(name),
        _ => Said::Nonsense("HELLO needs a username in base64url"),
    }
}

fn scram(rest: &str) -> Said {
    if parameter(rest, "hash").is_some_and(|hash| !hash.eq_ignore_ascii_case(HASH)) {
        return Said::Nonsense("no other hash than SHA-256 is spoken");
    }
    let handshake = parameter(rest, "handshakeToken");
    let message = parameter(rest, "data").and_then(decoded);
    match (handshake, message.and_then(|message| String::from_utf8(message).ok())) {
        (Some(handshake), Some(message)) => {
            Said::Scram { handshake: handshake.to_owned(), message }
        }
        _ => Said::Nonsense("SCRAM needs a handshakeToken, and data in base64url"),
    }
}

/// A parameter of a list: `name=value, …`.
fn parameter<'t>(list: &'t str, name: &str) -> Option<&'t str> {
    let pairs = list.split(',').filter_map(|pair| pair.trim().split_once('='));
    let mut pairs = pairs.map(|(name, value)| (name.trim_end(), value.trim()));
    pairs.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// With or without the signs that fill it up, and the bits of the last digit as they come.
const READER: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Reads base64 of either alphabet. `None` if it is none, or too long.
///
/// Clients of Haystack are told to use that of URLs without padding; some use the other, and some
/// pad.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    if text.len() > LONGEST {
        return None;
    }
    let plain = text.chars().map(|c| match c {
        '+' => '-',
        '/' => '_',
        c => c,
    });
    READER.decode(plain.collect::<String>()).ok()
}

/// Writes base64 as it stands in headers.
pub fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, text.parse().unwrap());
        read(&headers)
    }

    #[test]
    fn base64_of_either_kind_is_read() {
        for text in ["_-8", "/+8", "_-8=", "/+8=", "/-8"] {
            assert_eq!(decoded(text), Some(vec![0xff, 0xef]), "{text}");
        }
        for text in ["_-8==", "*", "a", "=", "a b="] {
            assert_eq!(decoded(text), None, "{text}");
        }
        assert_eq!(decoded(&"A".repeat(LONGEST + 4)), None);
        assert_eq!(decoded(""), Some(vec![]));
    }

    #[test]
    fn headers_are_read() {
        assert_eq!(said("HELLO username=c3U"), Said::Hello("su".to_owned()));
        assert_eq!(said("hello  Username=c3U="), Said::Hello("su".to_owned()));
        let scram = |handshake: &str, message: &str| Said::Scram {
            handshake: handshake.to_owned(),
            message: message.to_owned(),
        };
        assert_eq!(said("SCRAM data=biws, handshakeToken=ab"), scram("ab", "n,,"));
        assert_eq!(said("scram handshakeToken = ab,data=biws,hash=sha-256"), scram("ab", "n,,"));
        assert_eq!(said("BEARER authToken=s-x"), Said::Bearer("s-x".to_owned()));
        for other in ["Bearer x", "Basic c3U6c3U=", "x", "Digest username=c3U"] {
            assert_eq!(said(other), Said::Other, "{other}");
        }
        for wrong in [
            "HELLO",
            "HELLO username=",
            "HELLO username=%",
            "HELLO user=c3U",
            "SCRAM data=biws",
            "SCRAM handshakeToken=ab",
            "SCRAM handshakeToken=ab, data=*",
            "SCRAM data=biws, handshakeToken=ab, hash=SHA-1",
            "SCRAM data=_w, handshakeToken=ab",
        ] {
            assert!(matches!(said(wrong), Said::Nonsense(_)), "{wrong}");
        }
        let mut two = HeaderMap::new();
        two.append(AUTHORIZATION, "BEARER authToken=a".parse().unwrap());
        two.append(AUTHORIZATION, "BEARER authToken=b".parse().unwrap());
        assert!(matches!(read(&two), Said::Nonsense(_)));
        assert_eq!(read(&HeaderMap::new()), Said::Other);
    }
}
