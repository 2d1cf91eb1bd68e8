//! A connection that remembers its state, so that it can be made again: the user, which protocol,
//! which database.

use std::io::{self, Read, Write};

use wire::{ReplyParser, Value};

use crate::options::Target;
use crate::stream::Stream;

/// What went wrong on the way to a reply.
#[derive(Debug)]
pub enum Trouble {
    /// The server cannot be reached; the text names it.
    Unreachable(String),
    /// The connection broke.
    Broken(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Unreachable(text) => write!(to, "{text}"),
            Trouble::Broken(text) => write!(to, "Error: {text}"),
        }
    }
}

/// A client that connects when it has to.
pub struct Client {
    /// The address and the user.
    pub target: Target,
    /// The database now selected.
    pub db: i64,
    /// A transaction is open.
    pub in_multi: bool,
    link: Option<Link>,
    /// Complaints while connecting (a wrong password, say) that are no reason to stop.
    pub complaints: Vec<String>,
}

struct Link {
    stream: Stream,
    parser: ReplyParser,
}

impl Client {
    /// A client, not connected yet.
    #[must_use]
    pub fn new(target: Target) -> Self {
        let db = target.db;
        Client { target, db, in_multi: false, link: None, complaints: Vec::new() }
    }

    /// Whether it is connected, as far as it knows.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// Gives the connection up.
    pub fn disconnect(&mut self) {
        self.link = None;
        self.in_multi = false;
    }

    /// Connects if it is not connected.
    ///
    /// # Errors
    /// The server cannot be reached, or hangs up at once.
    pub fn connect(&mut self) -> Result<(), Trouble> {
        if self.link.is_some() {
            return Ok(());
        }
        let stream = Stream::open(&self.target).map_err(|error| {
            Trouble::Unreachable(format!(
                "Could not connect to Kvist at {}: {}",
                self.target.name(),
                reason(&error)
            ))
        })?;
        self.link = Some(Link { stream, parser: ReplyParser::new() });
        self.introduce()
    }

    /// Password, protocol, database.
    fn introduce(&mut self) -> Result<(), Trouble> {
        if let Some(password) = self.target.password.clone() {
            let login: Vec<Vec<u8>> =
                [Some("AUTH".to_owned()), self.target.user.clone(), Some(password)]
                    .into_iter()
                    .flatten()
                    .map(String::into_bytes)
                    .collect();
            self.complain_about(&login, "AUTH failed")?;
        }
        if let Some(version) = self.target.protocol {
            let hello = [b"HELLO".to_vec(), version.to_string().into_bytes()];
            self.complain_about(&hello, &format!("HELLO {version} failed"))?;
        }
        if self.db != 0 {
            let select = [b"SELECT".to_vec(), self.db.to_string().into_bytes()];
            let before = self.complaints.len();
            self.complain_about(&select, &format!("SELECT {} failed", self.db))?;
            if self.complaints.len() > before {
                self.db = 0;
            }
        }
        Ok(())
    }

    fn complain_about(&mut self, words: &[Vec<u8>], what: &str) -> Result<(), Trouble> {
        self.send(words)?;
        if let Some(error) = self.receive()?.as_error() {
            self.complaints.push(format!("{what}: {}", String::from_utf8_lossy(error)));
        }
        Ok(())
    }

    /// Sends a command.
    ///
    /// # Errors
    /// Not connected, or the connection breaks.
    pub fn send(&mut self, words: &[Vec<u8>]) -> Result<(), Trouble> {
        let request = wire::request(words);
        let link = self.link()?;
        let sent = link.stream.write_all(&request);
        sent.map_err(|error| self.broken(reason(&error)))
    }

    /// Waits for a reply.
    ///
    /// # Errors
    /// Not connected, the connection breaks, or what comes is no reply.
    pub fn receive(&mut self) -> Result<Value, Trouble> {
        let mut chunk = [0; 16 << 10];
        loop {
            let link = self.link()?;
            match link.parser.next_value() {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(error) => return Err(self.broken(error.to_string())),
            }
            match link.stream.read(&mut chunk) {
                Ok(0) => return Err(self.broken("Server closed the connection".to_owned())),
                Ok(n) => link.parser.feed(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken(reason(&error))),
            }
        }
    }

    /// Both directions of the connection, for bulk loading.
    ///
    /// # Errors
    /// Not connected, or the system does not give a second handle.
    pub fn split(&mut self) -> Result<(impl Write + Send + use<>, impl Read + use<>), Trouble> {
        let link = self.link.take().ok_or_else(not_connected)?;
        let writer = link.stream.try_clone().map_err(|e| Trouble::Broken(reason(&e)))?;
        Ok((writer, link.stream))
    }

    /// Follows what a command that succeeded has changed about the connection.
    pub fn follow(&mut self, words: &[Vec<u8>], reply: &Value) {
        if reply.as_error().is_some() {
            return;
        }
        let is = |word: &[u8], name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        match words {
            [name] if is(name, "multi") => self.in_multi = true,
            [name] if is(name, "exec") || is(name, "discard") => self.in_multi = false,
            [name] if is(name, "reset") => {
                self.in_multi = false;
                self.db = 0;
                self.target.protocol = None;
            }
            [name, db] if is(name, "select") && !self.in_multi => {
                self.db = std::str::from_utf8(db).ok().and_then(|db| db.parse().ok()).unwrap_or(0);
            }
            [name, password] if is(name, "auth") => {
                self.target.user = None;
                self.target.password = Some(String::from_utf8_lossy(password).into_owned());
            }
            [name, user, password] if is(name, "auth") => {
                self.target.user = Some(String::from_utf8_lossy(user).into_owned());
                self.target.password = Some(String::from_utf8_lossy(password).into_owned());
            }
            [name, version, ..] if is(name, "hello") => {
                self.target.protocol = if version == b"3" { Some(3) } else { Some(2) };
            }
            _ => {}
        }
    }

    fn link(&mut self) -> Result<&mut Link, Trouble> {
        self.link.as_mut().ok_or_else(not_connected)
    }

    fn broken(&mut self, why: String) -> Trouble {
        self.disconnect();
        Trouble::Broken(why)
    }
}

fn not_connected() -> Trouble {
    Trouble::Broken("not connected".to_owned())
}

/// The system's words for an error, without its number.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    text.rsplit_once("lookup address information: ").map_or(text, |(_, why)| why).to_owned()
}
