//! The ways to use the client: one command, lines of a pipe, a prompt.

use std::io::{BufRead, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wire::Value;

use crate::client::{Client, Trouble};
use crate::format::{Style, format};
use crate::options::Options;
use crate::{pipe, prompt};

/// A client with the ways it prints.
pub struct Terminal {
    /// The client.
    pub client: Client,
    /// What the command line said.
    pub options: Options,
}

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A reply that is no error.
    Fine,
    /// An error reply.
    Refused,
    /// No reply.
    Failed,
}

/// Does what the command line asks for.
#[must_use]
pub fn run(options: Options) -> ExitCode {
    let mut terminal = Terminal { client: Client::new(options.target.clone()), options };
    if terminal.options.pipe {
        return pipe::run(&mut terminal);
    }
    if terminal.options.command.is_empty() {
        if std::io::stdin().is_terminal() {
            return prompt::run(&mut terminal);
        }
        return terminal.lines(std::io::stdin().lock());
    }
    match terminal.words() {
        Ok(words) => terminal.one_command(&words),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

impl Terminal {
    /// The command of the command line, with what comes from the standard input.
    fn words(&self) -> Result<Vec<Vec<u8>>, String> {
        let mut words: Vec<Vec<u8>> = Vec::new();
        for word in &self.options.command {
            if self.options.quoted {
                match wire::split_line(word.as_bytes()).as_deref() {
                    Some([unquoted]) => words.push(unquoted.clone()),
                    _ => return Err("Invalid quoted string specified in command line.".to_owned()),
                }
            } else {
                words.push(word.clone().into_bytes());
            }
        }
        let stdin = || {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map_err(|e| e.to_string())?;
            Ok::<_, String>(bytes)
        };
        if let Some(tag) = &self.options.tag_from_stdin {
            let place = words.iter_mut().find(|word| *word == tag.as_bytes());
            *place.ok_or("Using -X option but stdin tag not match.")? = stdin()?;
        } else if self.options.last_from_stdin {
            words.push(stdin()?);
        }
        Ok(words)
    }

    fn one_command(&mut self, words: &[Vec<u8>]) -> ExitCode {
        let mut runs = 0;
        while self.options.repeat.is_none_or(|times| runs < times) {
            match self.command(words) {
                Outcome::Fine => {}
                Outcome::Refused if !self.options.error_exit => {}
                Outcome::Refused | Outcome::Failed => return ExitCode::FAILURE,
            }
            runs += 1;
            std::thread::sleep(Duration::from_secs_f64(self.options.interval.max(0.0)));
        }
        ExitCode::SUCCESS
    }

    /// Runs the lines of a pipe.
    fn lines(&mut self, input: impl BufRead) -> ExitCode {
        for line in input.split(b'\n') {
            let Ok(line) = line else { return ExitCode::FAILURE };
            let Some(words) = wire::split_line(&line) else {
                println!("Invalid argument(s)");
                continue;
            };
            match words.first() {
                None => continue,
                Some(name) if is_farewell(name) => break,
                Some(_) => {}
            }
            match self.command(&words) {
                Outcome::Fine | Outcome::Refused => {}
                Outcome::Failed if self.client.is_connected() => {}
                // A second try reconnects; a server that is away stays away for this pipe.
                Outcome::Failed if self.client.connect().is_err() => return ExitCode::FAILURE,
                Outcome::Failed => {}
            }
        }
        ExitCode::SUCCESS
    }

    /// Runs one command and prints what comes of it.
    pub fn command(&mut self, words: &[Vec<u8>]) -> Outcome {
        match self.exchange(words) {
            Ok(reply) if reply.as_error().is_some() => Outcome::Refused,
            Ok(_) => Outcome::Fine,
            Err(trouble) => {
                eprintln!("{trouble}");
                Outcome::Failed
            }
        }
    }

    fn exchange(&mut self, words: &[Vec<u8>]) -> Result<Value, Trouble> {
        self.connect()?;
        self.client.send(words)?;
        if silent(words) {
            return Ok(Value::Null);
        }
        if listens(words) && self.client.target.protocol != Some(3) {
            return self.listen(words);
        }
        let started = Instant::now();
        let reply = loop {
            match self.client.receive()? {
                push @ Value::Push(_) if !expects_push(words) => {
                    if self.options.show_pushes {
                        self.print(&push, &[]);
                    }
                }
                reply => break reply,
            }
        };
        self.client.follow(words, &reply);
        self.print(&reply, words);
        let took = started.elapsed();
        if took >= Duration::from_millis(500) && std::io::stdout().is_terminal() {
            println!("({:.2}s)", took.as_secs_f64());
        }
        if listens(words) && reply.as_error().is_none() {
            return self.listen(&[]);
        }
        Ok(reply)
    }

    /// Prints whatever comes, until the connection or the user ends it.
    fn listen(&mut self, words: &[Vec<u8>]) -> Result<Value, Trouble> {
        if self.options.style == Style::Typed {
            println!("Reading messages... (press Ctrl-C to quit)");
        }
        loop {
            let reply = self.client.receive()?;
            self.print(&reply, words);
            if reply.as_error().is_some() {
                return Ok(reply);
            }
        }
    }

    /// Connects if necessary, and says what did not please the server.
    pub fn connect(&mut self) -> Result<(), Trouble> {
        let connected = self.client.connect();
        for complaint in self.client.complaints.drain(..) {
            eprintln!("{complaint}");
        }
        connected
    }

    fn print(&self, reply: &Value, words: &[Vec<u8>]) {
        let one_shot = !self.options.command.is_empty();
        if let Some(error) = reply.as_error().filter(|_| one_shot && self.options.error_exit) {
            eprintln!("{}", String::from_utf8_lossy(error));
            return;
        }
        let text = if answers_text(words) {
            let mut text = format(reply, Style::Raw, &self.options.between);
            text.pop();
            text
        } else {
            format(reply, self.options.style, &self.options.between)
        };
        let mut out = std::io::stdout().lock();
        // The reader of our output may have gone; the error cannot be shown.
        let _ = out.write_all(&text).and_then(|()| out.flush());
    }
}

fn is(word: Option<&Vec<u8>>, name: &str) -> bool {
    word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// Words that end the session without asking the server.
#[must_use]
pub fn is_farewell(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"quit") || word.eq_ignore_ascii_case(b"exit")
}

/// After these, messages come until the end.
fn listens(words: &[Vec<u8>]) -> bool {
    ["subscribe", "psubscribe", "ssubscribe", "monitor"].iter().any(|name| is(words.first(), name))
}

/// The server answers these with pushes.
fn expects_push(words: &[Vec<u8>]) -> bool {
    ["subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"]
        .iter()
        .any(|name| is(words.first(), name))
}

/// The server does not answer these.
fn silent(words: &[Vec<u8>]) -> bool {
    is(words.first(), "client")
        && is(words.get(1), "reply")
        && (is(words.get(2), "off") || is(words.get(2), "skip"))
}

/// The replies to these are texts of many lines, printed as they are.
fn answers_text(words: &[Vec<u8>]) -> bool {
    let second = |names: &[&str]| names.iter().any(|name| is(words.get(1), name));
    let Some(first) = words.first() else { return false };
    match first.to_ascii_lowercase().as_slice() {
        b"info" | b"lolwut" => true,
        b"debug" => second(&["htstats", "htstats-key", "client-eviction"]),
        b"memory" => second(&["malloc-stats", "doctor"]),
        b"cluster" => second(&["nodes", "info"]),
        b"client" => second(&["list", "info"]),
        b"latency" => second(&["graph", "doctor"]),
        _ => false,
    }
}
