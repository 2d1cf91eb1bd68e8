//! The messages of SCRAM (RFC 5802) as Project Haystack sends them.
//!
//! ```text
//!   client-first   n,,n=ada,r=NONCE
//!   server-first            r=NONCE+MORE,s=SALT,i=10000
//!   client-final   c=biws,  r=NONCE+MORE,p=PROOF
//!   server-final            v=SIGNATURE
//! ```
//!
//! What a proof is of: client-first without its head, server-first, and client-final without the
//! proof. Channels are not bound: TLS may end before this server.

use acl::scram::Key;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::header::{decoded, encoded};

/// The longest nonce of a client.
const LONGEST_NONCE: usize = 256;

/// What a client says first.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientFirst<'m> {
    /// What it says of channels: `n,,` or `y,,`.
    pub head: &'m str,
    /// The rest, of which a proof is.
    pub bare: &'m str,
    /// Its name, as the message has it.
    name: &'m str,
    /// Its nonce.
    pub nonce: &'m str,
}

impl<'m> ClientFirst<'m> {
    /// Reads it. `None` if it is none, or asks for what is not spoken: a channel that is bound,
    /// another user's rights, extensions.
    pub fn read(message: &'m str) -> Option<Self> {
        let rest = message.strip_prefix("n,,").or_else(|| message.strip_prefix("y,,"))?;
        let (name, nonce) = rest.strip_prefix("n=")?.split_once(",r=")?;
        let printable = nonce.bytes().all(|byte| matches!(byte, b'!'..=b'~') && byte != b',');
        let fits = printable && !nonce.is_empty() && nonce.len() <= LONGEST_NONCE;
        let head = message.get(..3)?;
        (fits && !name.contains(",")).then_some(ClientFirst { head, bare: rest, name, nonce })
    }

    /// Whether it is of this user. Some clients write commas and equals signs as they are told to,
    /// and some as they are.
    pub fn is_of(&self, user: &str) -> bool {
        self.name == user || self.name.replace("=2C", ",").replace("=3D", "=") == user
    }
}

/// What the server says first.
pub fn server_first(nonce: &str, salt: &Key, rounds: u32) -> String {
    format!("r={nonce},s={},i={rounds}", STANDARD.encode(salt))
}

/// What a client says at last.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientFinal<'m> {
    /// What its proof is of.
    pub bare: &'m str,
    /// The proof.
    pub proof: Key,
}

impl<'m> ClientFinal<'m> {
    /// Reads it. `None` if it is none, or does not say again what was said of channels and nonces.
    pub fn read(message: &'m str, head: &str, nonce: &str) -> Option<Self> {
        let (bare, proof) = message.rsplit_once(",p=")?;
        let (channel, said) = bare.strip_prefix("c=")?.split_once(",r=")?;
        let same = decoded(channel)? == head.as_bytes() && said == nonce;
        let proof = Key::try_from(decoded(proof)?).ok()?;
        same.then_some(ClientFinal { bare, proof })
    }
}

/// What the server says at last.
pub fn server_final(signature: &Key) -> String {
    encoded(format!("v={}", STANDARD.encode(signature)).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_messages() {
        let first = ClientFirst::read("n,,n=ada,r=abc").unwrap();
        assert_eq!((first.head, first.bare, first.nonce), ("n,,", "n=ada,r=abc", "abc"));
        assert!(first.is_of("ada") && !first.is_of("ad"));
        assert_eq!(ClientFirst::read("y,,n=ada,r=abc").unwrap().head, "y,,");
        assert!(ClientFirst::read("n,,n=a=3Db,r=x").unwrap().is_of("a=b"));
        assert!(ClientFirst::read("n,,n=a=b,r=x").unwrap().is_of("a=b"));
        let long = format!("n,,n=ada,r={}", "x".repeat(LONGEST_NONCE + 1));
        for wrong in [
            "",
            "n,,",
            "n,,n=ada",
            "n,,n=ada,r=",
            "n,,n=ada,r=a b",
            "n,,n=ada,r=a,ext=1",
            "n,,m=x,n=ada,r=a",
            "n,a=root,n=ada,r=a",
            "p=tls-unique,,n=ada,r=a",
            "n,,n=ada,r=\u{e9}",
            &long,
        ] {
            assert_eq!(ClientFirst::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn final_messages() {
        let proof = STANDARD.encode([7; 32]);
        let message = format!("c=biws,r=abcd,p={proof}");
        let last = ClientFinal::read(&message, "n,,", "abcd").unwrap();
        assert_eq!((last.bare, last.proof), ("c=biws,r=abcd", [7; 32]));
        let unpadded = message.trim_end_matches('=');
        assert!(ClientFinal::read(unpadded, "n,,", "abcd").is_some());
        // Other nonces, another head than before, a short proof, none.
        assert_eq!(ClientFinal::read(&message, "n,,", "abc"), None);
        assert_eq!(ClientFinal::read(&message, "y,,", "abcd"), None);
        for wrong in ["", "c=biws,r=abcd", "c=biws,r=abcd,p=", "c=biws,r=abcd,p=AAAA", "r=abcd"] {
            assert_eq!(ClientFinal::read(wrong, "n,,", "abcd"), None, "{wrong}");
        }
    }
}
