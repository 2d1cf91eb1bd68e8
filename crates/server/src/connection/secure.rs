//! A TCP socket with TLS on it.
//!
//! ```text
//!   receive: socket ─► ciphertext, at the end ─► rustls ─► plaintext, at the beginning
//!                      └───────────── of the caller's buffer ────────────────────────┘
//!   send:    plaintext ─► rustls, at most CHUNK at a time ─► socket
//! ```
//!
//! Towards a connection it behaves like a socket. Two things make that so:
//!
//! * Events are edge-triggered, so nothing that was read from the socket may stay behind unseen:
//!   each call hands out all plaintext of what it read, or says that there may be more.
//! * Bytes count as sent when the kernel has taken all of the records they are in, not before.
//!   Those in between are offered again by the caller, as for a full socket, and recognized
//!   (`withheld_replies`). So a connection knows what it owes, output limits count it, and
//!   rustls never holds more than CHUNK.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::{ServerConfig, ServerConnection};

use super::stream::Received;

/// Bytes encrypted at a time: four records, written with one system call.
const CHUNK: usize = 64 << 10;
/// Plaintext that rustls may still have when it is given more: an unfinished record.
const RECORD: usize = 18 << 10;
/// The smallest buffer that [`Tls::receive`] takes.
pub const ROOM_MIN: usize = 4 * RECORD;
/// Reads from the socket in one turn that bring nothing for the connection: handshakes, mostly.
const ROUNDS: usize = 16;

/// A connected, non-blocking socket with TLS on it.
pub struct Tls {
    pub(crate) socket: TcpStream,
    session: ServerConnection,
    /// The handshake is not over, or its end has not been reported.
    greeting: bool,
    /// The peer has broken the rules; nothing more is read.
    broken: bool,
    /// Bytes that were encrypted and that the caller does not know to be sent.
    held: usize,
    /// To be said after the handshake; then the connection is closed.
    pub last_words: Option<&'static [u8]>,
}

impl Tls {
    /// TLS on an accepted socket. The handshake goes on as the peer's part comes.
    ///
    /// # Errors
    /// The context is not usable.
    pub fn accept(socket: TcpStream, context: &Arc<ServerConfig>) -> io::Result<Self> {
        let session = ServerConnection::new(Arc::clone(context)).map_err(io::Error::other)?;
        let last_words = None;
        Ok(Tls { socket, session, greeting: true, broken: false, held: 0, last_words })
    }

    /// Whether the handshake is not over.
    pub fn is_greeting(&self) -> bool {
        self.greeting
    }

    /// Reads what is there, into a buffer of [`ROOM_MIN`] bytes at least.
    pub fn receive(&mut self, into: &mut [u8]) -> Received {
        for _ in 0..ROUNDS {
            if self.greeting {
                match self.greet() {
                    Ok(true) => return Received::Greeted,
                    Ok(false) => continue,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        return Received::Nothing;
                    }
                    Err(error) => {
                        let addr = self.socket.peer_addr();
                        let addr = addr.map_or_else(|_| String::new(), |addr| addr.to_string());
                        tls::failures::tell(&addr, &error);
                        return Received::End;
                    }
                }
            }
            match self.drain(into) {
                // Of what came with the end of the handshake; the socket has not been asked.
                Some(n) if n > 0 => return Received::Bytes(n, true),
                Some(_) => {}
                None => return Received::End,
            }
            match self.fetch(into) {
                Received::Bytes(0, true) => {}
                received => return received,
            }
        }
        Received::Later
    }

    /// Reads once and goes on with the handshake; whether it is over.
    fn greet(&mut self) -> io::Result<bool> {
        // Straight from the socket: what follows the handshake stays there, or with rustls.
        match self.session.read_tls(&mut self.socket) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(false),
            Err(error) => return Err(error),
        }
        let processed = self.session.process_new_packets();
        // An alert, if that failed.
        self.push_pending();
        processed.map_err(io::Error::other)?;
        self.greeting = self.session.is_handshaking();
        Ok(!self.greeting)
    }

    /// Reads once from the socket, and takes all of the plaintext that makes.
    fn fetch(&mut self, into: &mut [u8]) -> Received {
        if self.broken || into.len() < ROOM_MIN {
            return Received::Broken;
        }
        // Ciphertext is longer than its plaintext, but for the record that was begun before.
        let (plain, cipher) = into.split_at_mut(into.len() / 2 + RECORD / 2);
        let n = loop {
            match self.socket.read(cipher) {
                Ok(0) => return Received::End,
                Ok(n) => break n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Received::Nothing,
                Err(_) => return Received::Broken,
            }
        };
        let mut more = n == cipher.len();
        let mut got = 0;
        let mut rest = &cipher[..n];
        while !rest.is_empty() {
            let taken = self.session.read_tls(&mut rest).unwrap_or(0);
            let state = self.session.process_new_packets();
            got += self.drain(&mut plain[got..]).unwrap_or(0);
            match state {
                // The next read reports it.
                Ok(state) if state.peer_has_closed() => {
                    more = true;
                    break;
                }
                Ok(_) => self.broken |= taken == 0,
                Err(error) => {
                    tracing::debug!("Reading from client: {error}");
                    self.broken = true;
                }
            }
            if self.broken {
                more = true;
                break;
            }
        }
        // Answers to what is not for the connection: new keys, an alert.
        self.push_pending();
        if got == 0 && self.broken { Received::Broken } else { ready(got, more) }
    }

    /// Takes the plaintext there is; `None` if the peer has said that there will be no more.
    fn drain(&mut self, into: &mut [u8]) -> Option<usize> {
        let mut got = 0;
        while got < into.len() {
            match self.session.reader().read(&mut into[got..]) {
                Ok(0) if got == 0 => return None,
                Ok(0) | Err(_) => break,
                Ok(n) => got += n,
            }
        }
        Some(got)
    }

    /// Sends as much as the kernel takes. When it would block, the next bytes offered must begin
    /// with those that were not taken.
    ///
    /// # Errors
    /// `WouldBlock` if none are taken; anything else if the connection is over.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut sent = 0;
        loop {
            match self.push() {
                Ok(()) => sent += std::mem::take(&mut self.held),
                Err(error) if error.kind() == ErrorKind::WouldBlock && sent > 0 => return Ok(sent),
                Err(error) => return Err(error),
            }
            let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) else {
                return Ok(bytes.len());
            };
            self.held = self.session.writer().write(&rest[..rest.len().min(CHUNK)])?;
            if self.held == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
        }
    }

    /// Hands the kernel what is encrypted.
    fn push(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.socket) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Hands the kernel what TLS itself has to say, as far as it takes it. That the peer has gone
    /// is learned by reading.
    pub fn push_pending(&mut self) {
        let _ = self.push();
    }

    /// Says that nothing more will come, as far as the kernel takes it at once, to a peer that can
    /// know who says it.
    pub fn say_goodbye(&mut self) {
        if self.greeting {
            return;
        }
        self.session.send_close_notify();
        self.push_pending();
    }
}

/// What a read that brought so many bytes has brought.
fn ready(got: usize, more: bool) -> Received {
    // Records that are not complete, or not for the connection: the socket is asked again, so that
    // nothing is left in it when the loop waits.
    if got == 0 { Received::Bytes(0, true) } else { Received::Bytes(got, more) }
}

#[cfg(test)]
#[path = "secure_tests.rs"]
mod tests;
