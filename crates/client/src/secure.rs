//! TLS as a layer between bytes on the wire and bytes of the protocol, without a socket.
//!
//! ```text
//!   requests ──► seal ──► take_output ──► wire
//!   replies  ◄── reader ◄── receive   ◄── wire
//! ```
//!
//! Blocking sockets and event loops drive the same layer. Closing says nothing to the peer: a
//! process that was forked may drop its copy without ending the session of its parent.

use crate::error::Error;
use rustls::ClientConnection;
use std::io::{self, Read, Write};
use wire::ReplyReader;

/// Trusted authorities and the own certificate, under the names of `redis-cli`'s options.
pub use tls::client::Trust as Tls;

/// One session.
#[derive(Debug)]
pub struct Secure {
    session: ClientConnection,
}

impl Secure {
    /// A session with a server known by this name, unless `tls` gives another one. Its first bytes
    /// wait in [`take_output`](Self::take_output).
    ///
    /// # Errors
    /// [`Error::Invalid`] if a file cannot be read or the name is none.
    pub fn new(tls: &Tls, host: &str) -> Result<Self, Error> {
        let context = tls::client::context(tls).map_err(Error::Invalid)?;
        let mut session = tls::client::session(tls, &context, host)
            .map_err(|error| Error::Invalid(error.to_string()))?;
        // What is sent is bounded by the sender, and refused bytes would have to be kept anyway.
        session.set_buffer_limit(None);
        Ok(Secure { session })
    }

    /// Takes bytes off the wire and hands what they hold to a reader. Returns how many bytes that
    /// were; 0 is no end, but a record that is not complete, or one of TLS itself.
    ///
    /// # Errors
    /// The peer is not believed, or does not speak TLS.
    pub fn receive<V>(
        &mut self,
        mut wire: &[u8],
        reader: &mut ReplyReader<V>,
    ) -> io::Result<usize> {
        let mut total = 0;
        while !wire.is_empty() {
            self.session.read_tls(&mut wire)?;
            let state = self
                .session
                .process_new_packets()
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let mut left = state.plaintext_bytes_to_read();
            while left > 0 {
                let count = self.session.reader().read(reader.spare(left))?;
                if count == 0 {
                    break;
                }
                reader.filled(count);
                total += count;
                left = left.saturating_sub(count);
            }
        }
        Ok(total)
    }

    /// Encrypts bytes to be sent. They may be given before the peers have shaken hands.
    ///
    /// # Errors
    /// None that is known; those of writing into memory.
    pub fn seal(&mut self, plain: &[u8]) -> io::Result<()> {
        self.session.writer().write_all(plain)
    }

    /// Appends what is to go onto the wire.
    ///
    /// # Errors
    /// None that is known; those of writing into memory.
    pub fn take_output(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(out)?;
        }
        Ok(())
    }

    /// Whether the peers still shake hands.
    #[must_use]
    pub fn is_handshaking(&self) -> bool {
        self.session.is_handshaking()
    }
}
