//! Passwords, of which only the SHA-256 is kept.

use sha2::{Digest, Sha256};

use crate::error::RuleError;

/// The hash of a password: 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Password(Box<[u8]>);

/// Digits of a hash.
const DIGITS: usize = 64;

impl Password {
    /// Bytes that one takes beside itself.
    pub(crate) const MEMORY: usize = DIGITS;

    /// Hashes a password.
    ///
    /// # Examples
    /// ```
    /// # use kvist_acl::Password;
    /// let hash = Password::hash(b"foo");
    /// assert_eq!(&hash.as_bytes()[..8], b"2c26b46b");
    /// ```
    #[must_use]
    pub fn hash(password: &[u8]) -> Self {
        let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble & 15)];
        let digest = Sha256::digest(password);
        Password(digest.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect())
    }

    /// Takes a hash as it is written.
    ///
    /// # Errors
    /// It is not made of 64 lower-case hexadecimal digits.
    pub fn read(text: &[u8]) -> Result<Self, RuleError> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.iter().all(is_digit) {
            return Err(RuleError::BadHash);
        }
        Ok(Password(text.into()))
    }

    /// Its digits.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the two are the same, in a time that does not depend on where they differ.
    #[must_use]
    pub fn is(&self, other: &Password) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        let difference = pairs.fold(0, |sum, (a, b)| sum | (a ^ b));
        std::hint::black_box(difference) == 0
    }
}
