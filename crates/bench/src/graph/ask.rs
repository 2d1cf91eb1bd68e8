//! A client of graphs that reads answers without keeping them: what it costs must not hide what
//! the server does.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::client::encode;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// A connection to a server.
pub(super) struct Asker {
    stream: TcpStream,
    buffer: Vec<u8>,
    at: usize,
    filled: usize,
    /// Bytes that have come.
    pub received: u64,
}

impl Asker {
    /// Connects.
    pub fn connect(addr: &str) -> io::Result<Asker> {
        let stream = TcpStream::connect(addr)?;
        stream.set_nodelay(true)?;
        Ok(Asker { stream, buffer: vec![0; PIECE], at: 0, filled: 0, received: 0 })
    }

    /// Asks one statement of a graph; how many rows came.
    pub fn rows(&mut self, graph: &str, statement: &str) -> io::Result<u64> {
        self.send(&[&query(graph, statement)])?;
        self.answer()
    }

    /// Sends several requests at once.
    pub fn send(&mut self, requests: &[&[u8]]) -> io::Result<()> {
        self.stream.write_all(&requests.concat())
    }

    /// Reads the answer to a statement; how many rows it has.
    pub fn answer(&mut self) -> io::Result<u64> {
        let (kind, parts) = self.head()?;
        if kind != b'*' {
            return Err(io::Error::other("an answer that is no array"));
        }
        // Header, rows, lines; or lines alone.
        if parts < 3 {
            self.pass(parts)?;
            return Ok(0);
        }
        self.pass(1)?;
        let (_, rows) = self.head()?;
        self.pass(rows)?;
        self.pass(parts - 2)?;
        Ok(u64::try_from(rows).unwrap_or(0))
    }

    /// Passes over so many replies, whatever is in them.
    pub fn pass(&mut self, replies: i64) -> io::Result<()> {
        let mut left = replies.max(0);
        while left > 0 {
            let (kind, number) = self.head()?;
            left -= 1;
            match kind {
                b'*' => left += number.max(0),
                b'$' if number >= 0 => self.skip(usize::try_from(number).unwrap_or(0) + 2)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A line: its kind, and its number if it has one.
    fn head(&mut self) -> io::Result<(u8, i64)> {
        let kind = self.byte()?;
        let (mut number, mut negative) = (0_i64, false);
        let mut text = Vec::new();
        loop {
            let byte = self.byte()?;
            match byte {
                b'\r' => break,
                b'-' => negative = true,
                b'0'..=b'9' => {
                    number = number.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
                }
                _ => {}
            }
            if kind == b'-' {
                text.push(byte);
            }
        }
        self.byte()?;
        if kind == b'-' {
            return Err(io::Error::other(String::from_utf8_lossy(&text).into_owned()));
        }
        Ok((kind, if negative { -number } else { number }))
    }

    fn byte(&mut self) -> io::Result<u8> {
        if self.at == self.filled {
            self.fill()?;
        }
        let byte = self.buffer[self.at];
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, mut count: usize) -> io::Result<()> {
        while count > self.filled - self.at {
            count -= self.filled - self.at;
            self.fill()?;
        }
        self.at += count;
        Ok(())
    }

    fn fill(&mut self) -> io::Result<()> {
        self.filled = self.stream.read(&mut self.buffer)?;
        self.at = 0;
        self.received += self.filled as u64;
        match self.filled {
            0 => Err(io::Error::other("the server closed the connection")),
            _ => Ok(()),
        }
    }
}

/// A statement as a request.
pub(super) fn query(graph: &str, statement: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(&[b"GRAPH.QUERY", graph.as_bytes(), statement.as_bytes(), b"--compact"], &mut bytes);
    bytes
}
