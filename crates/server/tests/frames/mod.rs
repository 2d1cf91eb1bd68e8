//! HTTP/2 frames, written and read byte by byte: a client of gRPC that keeps to no rule.

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

use crate::server::PATIENCE;

/// Kinds of frames.
pub const DATA: u8 = 0;
/// The head of a call, and the end of an answer.
pub const HEADERS: u8 = 1;
/// The end of a stream.
pub const RESET: u8 = 3;
/// The end of a connection.
pub const GOAWAY: u8 = 7;

/// No more comes in this stream.
pub const END: u8 = 1;
const END_HEADERS: u8 = 4;

/// A frame.
#[derive(Debug)]
pub struct Frame {
    /// Its kind.
    pub kind: u8,
    /// Its flags.
    pub flags: u8,
    /// The number of its stream.
    pub stream: u32,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// A frame as it is sent.
pub fn frame(kind: u8, flags: u8, stream: u32, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), bytes].concat()
}

/// What begins a connection.
pub fn preface() -> Vec<u8> {
    [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &frame(4, 0, 0, &[])].concat()
}

/// The head of a call, with further headers.
pub fn head(stream: u32, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    let fixed = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "here"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    for (name, value) in fixed.iter().chain(more) {
        // Neither indexed nor compressed.
        block.push(0);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).ok().filter(|&length| length < 127).unwrap());
            block.extend_from_slice(text.as_bytes());
        }
    }
    frame(HEADERS, END_HEADERS, stream, &block)
}

/// The beginning of a message that says how long it will be.
pub fn announced(length: u32, bytes: &[u8]) -> Vec<u8> {
    [&[0][..], &length.to_be_bytes(), bytes].concat()
}

/// A connection.
pub struct Raw {
    /// Its socket.
    pub socket: TcpStream,
    tls: Option<ClientConnection>,
    read: Vec<u8>,
}

impl Raw {
    /// Connects and says nothing.
    pub fn silent(port: u16) -> Self {
        let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        socket.set_nodelay(true).unwrap();
        Raw { socket, tls: None, read: Vec::new() }
    }

    /// The same with TLS, whose handshake begins with what is sent first.
    pub fn secured(port: u16, context: &Arc<ClientConfig>) -> Self {
        let mut context = (**context).clone();
        context.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from("localhost").unwrap();
        let tls = ClientConnection::new(Arc::new(context), name).unwrap();
        Raw { tls: Some(tls), ..Self::silent(port) }
    }

    /// Connects, and waits for the server's part of the beginning.
    pub fn connect(port: u16) -> Self {
        Self::silent(port).begun()
    }

    /// The same of a connection that was silent so far.
    pub fn begun(self) -> Self {
        let mut raw = self;
        raw.send(&preface());
        assert_eq!(raw.next().map(|frame| frame.kind), Some(4), "settings come first");
        raw.send(&frame(4, 1, 0, &[]));
        raw
    }

    /// Sends bytes; whether the other side took them.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        match &mut self.tls {
            None => self.socket.write_all(bytes).is_ok(),
            Some(tls) => rustls::Stream::new(tls, &mut self.socket).write_all(bytes).is_ok(),
        }
    }

    /// Some bytes; none at the end.
    pub fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.tls {
            None => self.socket.read(into),
            Some(tls) => rustls::Stream::new(tls, &mut self.socket).read(into),
        }
    }

    /// The next frame; none at the end.
    pub fn next(&mut self) -> Option<Frame> {
        let mut chunk = [0; 16 << 10];
        loop {
            if let Some(length) = self.read.get(..3) {
                let end = 9
                    + (usize::from(length[0]) << 16 | usize::from(length[1]) << 8)
                    + usize::from(length[2]);
                if self.read.len() >= end {
                    let bytes: Vec<u8> = self.read.drain(..end).collect();
                    let stream = bytes[5..9].try_into().unwrap();
                    return Some(Frame {
                        kind: bytes[3],
                        flags: bytes[4],
                        stream: u32::from_be_bytes(stream),
                        bytes: bytes[9..].to_vec(),
                    });
                }
            }
            match self.read(&mut chunk) {
                Ok(0) => return None,
                Ok(n) => self.read.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("nothing came"),
                Err(_) => return None,
            }
        }
    }

    /// The frames until a stream ends, which must be before the connection does. Pings are
    /// answered.
    pub fn ended(&mut self, stream: u32) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().expect("the connection ended");
            if frame.stream != stream {
                continue;
            }
            let last = frame.kind == RESET || (frame.kind != 9 && frame.flags & END != 0);
            frames.push(frame);
            if last {
                return frames;
            }
        }
    }

    /// Waits for the end of the connection.
    pub fn closed(&mut self) {
        while self.next().is_some() {}
    }
}
