//! A blocking client, just enough to load keys and check answers.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// One connection.
pub(crate) struct Client {
    reader: BufReader<TcpStream>,
}

/// A reply, as far as the checks need it.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) enum Reply {
    Text(String),
    Error(String),
    Int(i64),
    Bytes(Option<Vec<u8>>),
    List(Vec<Reply>),
}

impl Client {
    /// Connects.
    pub fn connect(addr: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(addr)?;
        stream.set_nodelay(true)?;
        Ok(Client::over(stream))
    }

    /// A client of any server.
    pub fn over(stream: TcpStream) -> Self {
        Client { reader: BufReader::with_capacity(1 << 16, stream) }
    }

    /// Sends one request and reads its reply.
    pub fn call(&mut self, words: &[&[u8]]) -> io::Result<Reply> {
        let mut bytes = Vec::new();
        encode(words, &mut bytes);
        self.send(&bytes)?;
        self.read()
    }

    /// Sends encoded requests.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }

    /// Reads one reply.
    pub fn read(&mut self) -> io::Result<Reply> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the server closed the connection"));
        }
        let body = line.get(1..).unwrap_or("").trim_end();
        let number = || body.parse::<i64>().map_err(io::Error::other);
        match line.as_bytes().first() {
            Some(b'+') => Ok(Reply::Text(body.to_owned())),
            Some(b'-') => Ok(Reply::Error(body.to_owned())),
            Some(b':') => Ok(Reply::Int(number()?)),
            Some(b'$') => match usize::try_from(number()?) {
                Err(_) => Ok(Reply::Bytes(None)),
                Ok(len) => {
                    let mut bytes = vec![0; len + 2];
                    self.reader.read_exact(&mut bytes)?;
                    bytes.truncate(len);
                    Ok(Reply::Bytes(Some(bytes)))
                }
            },
            Some(b'*') => {
                let count = usize::try_from(number()?).unwrap_or(0);
                (0..count).map(|_| self.read()).collect::<io::Result<_>>().map(Reply::List)
            }
            _ => Err(io::Error::other(format!("a reply began with {line:?}"))),
        }
    }

    /// A field of `INFO`.
    pub fn info(&mut self, field: &str) -> io::Result<Option<String>> {
        let Reply::Bytes(Some(text)) = self.call(&[b"INFO"])? else { return Ok(None) };
        let text = String::from_utf8_lossy(&text).into_owned();
        let prefix = format!("{field}:");
        Ok(text.lines().find_map(|l| l.strip_prefix(&prefix)).map(|v| v.trim().to_owned()))
    }
}

/// Appends an encoded request.
pub(crate) fn encode(words: &[&[u8]], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    for word in words {
        out.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
}
