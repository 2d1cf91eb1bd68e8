//! The credentials of a call: three headers, one meaning.
//!
//! ```text
//!   authorization: Basic base64(user:password)
//!   authorization: Bearer token      token is  user:password  or the default user's password
//!   x-api-key: token                 or the key of `grpc-api-key`
//! ```
//!
//! Nothing here decides; `connection_user.rs` does, with the users of the server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tonic::codegen::http::HeaderMap;

/// The credentials a call claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<'c> {
    /// None.
    None,
    /// A user, by `Basic`: still encoded.
    Basic(&'c [u8]),
    /// The user with this token.
    Token(&'c [u8]),
    /// A header that cannot be read.
    Malformed,
}

/// Reads the headers; `x-api-key` comes first.
pub fn claim(headers: &HeaderMap) -> Claim<'_> {
    if let Some(key) = headers.get("x-api-key") {
        // As text, which is what the header's own clients send.
        return key.to_str().map_or(Claim::Malformed, |key| Claim::Token(key.as_bytes()));
    }
    let Some(value) = headers.get("authorization") else { return Claim::None };
    let bytes = value.as_bytes();
    let Some(space) = bytes.iter().position(|&byte| byte == b' ') else { return Claim::Malformed };
    let (scheme, rest) = (&bytes[..space], bytes[space..].trim_ascii());
    if scheme.eq_ignore_ascii_case(b"bearer") {
        Claim::Token(rest)
    } else if scheme.eq_ignore_ascii_case(b"basic") {
        Claim::Basic(rest)
    } else {
        Claim::Malformed
    }
}

/// The user and the password in the words of `Basic`.
pub fn basic(encoded: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let decoded = STANDARD.decode(encoded).ok()?;
    split(&decoded).map(|(user, password)| (user.to_vec(), password.to_vec()))
}

/// The user and the password of `user:password`.
pub fn split(token: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = token.iter().position(|&byte| byte == b':')?;
    Some((&token[..colon], &token[colon + 1..]))
}

/// What is kept and compared of a secret: its hash, so that neither memory nor the time of a
/// comparison tells it.
#[derive(Clone, Copy)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Secret(Sha256::digest(bytes).into())
    }

    /// Whether the two are the same, in a time that does not depend on where they differ.
    pub fn is(&self, other: &Secret) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        std::hint::black_box(pairs.fold(0, |bits, (a, b)| bits | (a ^ b))) == 0
    }
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn with(name: &'static str, value: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn headers_are_read() {
        assert_eq!(claim(&HeaderMap::new()), Claim::None);
        assert_eq!(claim(&with("x-api-key", "k")), Claim::Token(b"k"));
        assert_eq!(claim(&with("authorization", "Bearer t")), Claim::Token(b"t"));
        assert_eq!(claim(&with("authorization", "bAsIc  eDp5")), Claim::Basic(b"eDp5"));
        for bad in ["Digest x", "Basic", ""] {
            assert_eq!(claim(&with("authorization", bad)), Claim::Malformed, "{bad}");
        }
    }

    #[test]
    fn passwords_may_have_colons_and_users_may_not() {
        assert_eq!(basic(b"eDp5Ono="), Some((b"x".to_vec(), b"y:z".to_vec())));
        assert_eq!(basic(b"eA=="), None);
        assert_eq!(basic(b"%%"), None);
    }

    #[test]
    fn secrets_are_compared_whole() {
        let same = |one: &[u8], other: &[u8]| Secret::of(one).is(&Secret::of(other));
        assert!(same(b"abc", b"abc") && same(b"", b""));
        assert!(!same(b"abc", b"abd") && !same(b"abc", b"ab") && !same(b"bbc", b"abc"));
    }
}
