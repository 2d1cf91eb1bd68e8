//! What SCRAM-SHA-256 is proven by (RFC 5802, RFC 7677): keys that are derived from a password and
//! tell nothing of it.
//!
//! ```text
//!   password, salt ─ PBKDF2, 10 000 rounds ─► salted ─► "Client Key" ─ SHA-256 ─► stored
//!                                                └────► "Server Key" ────────────► server
//! ```
//!
//! From the SHA-256 that a [`User`](crate::User) keeps of its password they cannot be derived. So a
//! password that is given in plain is kept, as a [`PlainPassword`], until that is done.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::password::Password;

/// Bytes of a key, a salt and a proof.
pub const KEY: usize = 32;
/// Rounds by which keys are derived: as many as Project Haystack's servers have.
pub const ROUNDS: u32 = 10_000;
/// Of so many passwords of one user keys are kept, the newest: to derive one takes milliseconds.
pub const MOST_KEYS: usize = 16;

/// A key, a salt or a proof.
pub type Key = [u8; KEY];

/// The code by which a message is proven to be of one who knows a key.
///
/// # Examples
/// ```
/// # use kvist_acl::scram;
/// assert_ne!(scram::code(b"key", b"a"), scram::code(b"key", b"b"));
/// ```
#[must_use]
pub fn code(key: &[u8], message: &[u8]) -> Key {
    // A key of any length is one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; KEY] };
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// Whether two keys are the same, in a time that does not depend on where they differ.
#[must_use]
pub fn same(a: &Key, b: &Key) -> bool {
    let difference = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(difference) == 0
}

/// A password as it was given, until keys were derived from it.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainPassword {
    text: Vec<u8>,
    hash: Password,
}

impl PlainPassword {
    pub(crate) fn new(text: &[u8], hash: Password) -> Self {
        PlainPassword { text: text.to_vec(), hash }
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<PlainPassword>() + self.text.capacity() + Password::MEMORY
    }

    /// The hash by which its user knows it.
    #[must_use]
    pub fn hash(&self) -> &Password {
        &self.hash
    }
}

impl std::fmt::Debug for PlainPassword {
    /// Never the text: it must not come into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(redacted)")
    }
}

/// What one password of a user is proven by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScramKeys {
    /// The password they are of, by its hash: they are good for as long as the user has it.
    pub password: Password,
    /// The hash of the key that a client shows to have.
    pub stored: Key,
    /// The key that this server shows to have.
    pub server: Key,
}

impl ScramKeys {
    /// Derives the keys of a password, which takes milliseconds: it must not be done while others
    /// wait.
    ///
    /// # Examples
    /// ```
    /// # use kvist_acl::{PlainPassword, ScramKeys, Terms, User, Vocabulary};
    /// let words = Vocabulary::new([("get", vec![])]);
    /// let mut user = User::new(Terms { vocabulary: &words, all_channels: false });
    /// user.take_only(b"pencil");
    /// let plain = user.take_plain_passwords().remove(0);
    /// let keys = ScramKeys::derive(&plain, b"salt");
    /// assert_eq!(&keys.password, plain.hash());
    /// ```
    #[must_use]
    pub fn derive(password: &PlainPassword, salt: &[u8]) -> Self {
        let mut salted = [0; KEY];
        pbkdf2::pbkdf2_hmac::<Sha256>(&password.text, salt, ROUNDS, &mut salted);
        let stored = Sha256::digest(code(&salted, b"Client Key")).into();
        let server = code(&salted, b"Server Key");
        ScramKeys { password: password.hash.clone(), stored, server }
    }

    /// Bytes that they take.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<ScramKeys>() + Password::MEMORY
    }

    /// Whether a proof is of one who knows the password and has said and heard these messages.
    #[must_use]
    pub fn are_proven(&self, messages: &[u8], proof: &Key) -> bool {
        let mut client = code(&self.stored, messages);
        client.iter_mut().zip(proof).for_each(|(byte, proof)| *byte ^= proof);
        same(&Sha256::digest(client).into(), &self.stored)
    }

    /// What shows a client that this server knows the password, too.
    #[must_use]
    pub fn signature(&self, messages: &[u8]) -> Key {
        code(&self.server, messages)
    }
}

#[cfg(test)]
#[path = "scram_tests.rs"]
mod tests;
