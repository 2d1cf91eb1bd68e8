//! One client connection: sends commands, reads replies, knows when the other side has gone.
//!
//! Blocking sockets with time limits: a server that hangs is a difference like any other, so no
//! read may wait for ever.

use std::io::{self, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::command::Command;
use crate::resp::{Reply, read_reply};

/// A connection to a server on this machine.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<TcpStream>,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects to `127.0.0.1:port`; every read and write fails after `patience`.
    ///
    /// # Errors
    /// Whatever connecting gives.
    pub fn open(port: u16, patience: Duration) -> io::Result<Self> {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(Self { reader: BufReader::with_capacity(64 * 1024, stream), buffer: Vec::new() })
    }

    /// Sends commands in one write.
    ///
    /// # Errors
    /// Whatever the socket gives.
    pub fn send(&mut self, commands: &[&Command]) -> io::Result<()> {
        self.buffer.clear();
        for command in commands {
            command.encode(&mut self.buffer);
        }
        self.reader.get_mut().write_all(&self.buffer)
    }

    /// Reads one reply.
    ///
    /// # Errors
    /// As [`read_reply`].
    pub fn receive(&mut self) -> io::Result<Reply> {
        read_reply(&mut self.reader)
    }

    /// Sends one command and reads its reply.
    ///
    /// # Errors
    /// As [`Connection::send`] and [`Connection::receive`].
    pub fn ask(&mut self, command: &Command) -> io::Result<Reply> {
        self.send(&[command])?;
        self.receive()
    }

    /// Sends commands and reads all their replies.
    ///
    /// # Errors
    /// As [`Connection::send`] and [`Connection::receive`].
    pub fn ask_all(&mut self, commands: &[Command]) -> io::Result<Vec<Reply>> {
        let mut replies = Vec::with_capacity(commands.len());
        // Bounded, so that neither side can fill both socket buffers and wait for the other.
        for part in commands.chunks(200) {
            self.send(&part.iter().collect::<Vec<_>>())?;
            for _ in part {
                replies.push(self.receive()?);
            }
        }
        Ok(replies)
    }
}

/// What an error on a connection means, in the words of the report.
#[must_use]
pub fn loss(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "no reply in time".to_owned(),
        io::ErrorKind::InvalidData => format!("not RESP: {error}"),
        _ => "connection closed".to_owned(),
    }
}
