//! A running server that a verb talks to, and what the verb says of its progress.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use client::{Connection, Options, Pipeline, Protocol, ReplyLimits, ServerError, Value};

use super::PASSWORDS;
use super::fetch::address;

/// One request may take so long.
const TIMEOUT: Duration = Duration::from_secs(600);
/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(200);
/// Bytes that a string of a reply may have: a whole project is one.
const LONGEST: usize = 64 << 30;

/// A user, and what shows that it is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Login {
    pub user: Option<String>,
    pub password: Option<String>,
}

impl Login {
    /// The default user, with the password of the environment.
    pub fn of_environment() -> Self {
        let password = PASSWORDS.iter().find_map(|name| std::env::var(name).ok());
        Login { user: None, password }
    }
}

/// A server.
pub(super) struct Server {
    connection: Connection,
    name: String,
    /// Whether a request got no reply.
    pub lost: bool,
}

impl Server {
    /// Connects to `HOST:PORT`, or to a URL as `kvist cli -u` takes one.
    ///
    /// # Errors
    /// It is none, or does not answer.
    pub fn connect(name: &str, login: &Login) -> Result<Self, String> {
        Self::open(name, Self::options(name, login)?)
    }

    /// Connects to a database of one, which then answers as RESP2 has it.
    ///
    /// # Errors
    /// It is none, or does not answer.
    pub fn connect_to_database(name: &str, login: &Login, db: Option<u32>) -> Result<Self, String> {
        let options = Self::options(name, login)?;
        let db = db.unwrap_or(options.db);
        Self::open(name, Options { db, protocol: Protocol::Resp2, ..options })
    }

    fn options(name: &str, login: &Login) -> Result<Options, String> {
        let mut options = if name.contains("://") {
            Options::from_url(name).map_err(|error| format!("{name}: {error}"))?
        } else {
            let (host, port) = address(name)?;
            Options::tcp(host, port)
        };
        options.timeout = Some(TIMEOUT);
        options.limits = ReplyLimits { bytes: LONGEST, ..ReplyLimits::default() };
        options.username = login.user.clone().or(options.username);
        options.password = login.password.clone().or(options.password);
        Ok(options)
    }

    fn open(name: &str, options: Options) -> Result<Self, String> {
        // What a URL says of a password is not shown.
        let name = name.rsplit('@').next().unwrap_or_default().to_owned();
        let connection = Connection::open(&options).map_err(|error| format!("{name}: {error}"))?;
        Ok(Server { connection, name, lost: false })
    }

    /// Asks for one thing.
    ///
    /// # Errors
    /// It refuses, or is gone.
    pub fn ask<W: AsRef<[u8]>>(&mut self, words: &[W]) -> Result<Value, String> {
        let answer = self.connection.call(words.iter().map(AsRef::as_ref));
        self.lost = !matches!(answer, Ok(_) | Err(client::Error::Server(_)));
        answer.map_err(|error| format!("{}: {error}", self.name))
    }

    /// Asks for many things at once.
    ///
    /// # Errors
    /// It is gone.
    pub fn ask_all(
        &mut self,
        requests: &Pipeline,
    ) -> Result<Vec<Result<Value, ServerError>>, String> {
        let answers = self.connection.pipeline(requests);
        self.lost = answers.is_err();
        answers.map_err(|error| format!("{}: {error}", self.name))
    }

    /// Asks for many things at once, none of which may be refused.
    ///
    /// # Errors
    /// One is, or the server is gone.
    pub fn all_of(&mut self, requests: &Pipeline) -> Result<Vec<Value>, String> {
        let answers: Result<Vec<_>, _> = self.ask_all(requests)?.into_iter().collect();
        answers.map_err(|error| format!("{}: {}", self.name, error.message()))
    }

    /// An integer.
    ///
    /// # Errors
    /// It refuses, answers something else, or is gone.
    pub fn count<W: AsRef<[u8]>>(&mut self, words: &[W]) -> Result<u64, String> {
        let answer = self.ask(words)?;
        let count = answer.as_i64().and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| self.unexpected())
    }

    /// The error for a reply of another shape.
    pub fn unexpected(&self) -> String {
        format!("{}: a reply is not what it should be", self.name)
    }

    /// An error about what the server has.
    pub fn says(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.name)
    }
}

/// What `SCAN`, or a command like it, answers, page by page. Elements may come more than once.
pub(super) struct Pages<'a> {
    command: Vec<&'a [u8]>,
    options: Vec<&'a [u8]>,
    cursor: Option<Vec<u8>>,
}

impl<'a> Pages<'a> {
    /// Asks with these words before and behind the cursor.
    pub fn new(command: &[&'a [u8]], options: &[&'a [u8]]) -> Self {
        let (command, options) = (command.to_vec(), options.to_vec());
        Pages { command, options, cursor: Some(b"0".to_vec()) }
    }

    /// The next page; none behind the last.
    ///
    /// # Errors
    /// The server refuses, or is gone.
    pub fn next(&mut self, server: &mut Server) -> Result<Option<Vec<Vec<u8>>>, String> {
        let Some(cursor) = self.cursor.take() else { return Ok(None) };
        let words = [&self.command[..], &[&cursor], &self.options].concat();
        let answer = server.ask(&words)?;
        let Some([next, keys]) = answer.as_slice() else { return Err(server.unexpected()) };
        let next = next.as_bytes().ok_or_else(|| server.unexpected())?;
        self.cursor = (next != b"0").then(|| next.to_vec());
        let keys = keys.as_slice().unwrap_or_default().iter().filter_map(Value::as_bytes);
        Ok(Some(keys.map(<[u8]>::to_vec).collect()))
    }
}

/// Says on the terminal how far it has come.
pub(super) struct Progress {
    shown: Option<Instant>,
    terminal: bool,
}

impl Progress {
    pub fn new() -> Self {
        Progress { shown: None, terminal: std::io::stderr().is_terminal() }
    }

    /// On the same line as before.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if self.terminal && self.shown.is_none_or(|shown| shown.elapsed() >= SHOWN) {
            self.shown = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r{}", text());
        }
    }

    /// The last word, on a line of its own.
    pub fn end(&self, text: &str) {
        let begin = if self.terminal { "\r" } else { "" };
        let _ = writeln!(std::io::stderr(), "{begin}{text}");
    }
}
