//! A client for tests: whole pipelines over one connection, replies in a flat form.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

/// One connection that sends whole pipelines.
pub struct Client {
    stream: BufReader<TcpStream>,
    pending: Vec<u8>,
    count: usize,
}

impl Client {
    /// On a connection to a server, whichever it is.
    pub fn on(stream: TcpStream) -> Self {
        Client { stream: BufReader::new(stream), pending: Vec::new(), count: 0 }
    }

    /// Adds a command to the pipeline.
    pub fn add(&mut self, words: &[&[u8]]) {
        let _ = write!(self.pending, "*{}\r\n", words.len());
        for word in words {
            let _ = write!(self.pending, "${}\r\n", word.len());
            self.pending.extend_from_slice(word);
            self.pending.extend_from_slice(b"\r\n");
        }
        self.count += 1;
    }

    /// Sends the pipeline; the replies in a flat form: lines as they are, bulk strings as bytes,
    /// an array as its header line followed by its elements.
    pub fn run(&mut self) -> Vec<Vec<Vec<u8>>> {
        self.try_run().expect("the server reads and answers")
    }

    fn try_run(&mut self) -> io::Result<Vec<Vec<Vec<u8>>>> {
        self.stream.get_mut().write_all(&self.pending)?;
        self.pending.clear();
        (0..std::mem::take(&mut self.count)).map(|_| self.reply()).collect()
    }

    /// As `ask`, of a server that may not be there.
    ///
    /// # Errors
    /// It is not.
    pub fn try_ask(&mut self, words: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
        self.add(words);
        self.try_run().map(|mut replies| replies.pop().unwrap_or_default())
    }

    /// Sends one command; its reply, with the parts of an array after its header.
    pub fn ask(&mut self, words: &[&[u8]]) -> Vec<Vec<u8>> {
        self.add(words);
        self.run().pop().expect("a reply")
    }

    /// Sends a command given as one line; its reply as text.
    pub fn say(&mut self, line: &str) -> String {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let reply = self.ask(&words);
        let parts: Vec<String> = reply.iter().map(|part| part.escape_ascii().to_string()).collect();
        parts.join(" ")
    }

    /// Reads one message that was not asked for, in the form of a reply.
    pub fn hear(&mut self) -> Vec<Vec<u8>> {
        self.reply().expect("a message")
    }

    fn reply(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let (mut parts, mut left) = (Vec::new(), 1);
        while left > 0 {
            left -= 1;
            let mut line = Vec::new();
            self.stream.read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\r\n") {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let text = String::from_utf8_lossy(&line[1..]).trim_end().to_owned();
            line.truncate(line.len() - 2);
            match (line[0], text.parse::<usize>()) {
                (b'$', Ok(len)) => {
                    let mut bulk = vec![0; len + 2];
                    self.stream.read_exact(&mut bulk)?;
                    bulk.truncate(len);
                    parts.push(bulk);
                }
                (b'*' | b'>', Ok(len)) => {
                    left += len;
                    parts.push(line);
                }
                _ => parts.push(line),
            }
        }
        Ok(parts)
    }
}
