//! A command as it goes over the wire, and the steps a run is made of.
//!
//! Commands are kept as raw arguments, never as text, so that a recorded run is sent again exactly.
//! Printing is for people: quoted as `redis-cli` reads it, long arguments cut.

use std::collections::BTreeSet;
use std::fmt;

/// One request: the name and its arguments, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    args: Vec<Vec<u8>>,
}

/// What a run does next. Everything but [`Step::Send`] ends the pipeline before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send on the first connection.
    Send(Command),
    /// Send on the second connection (disturbs WATCH, for instance).
    Other(Command),
    /// A cursor command: run to its end and compared as a set.
    Scan(Command),
    /// A command with a random answer: checked for shape and membership.
    Random(Command),
    /// A command over a lexical range: sent only where its answer is defined.
    Lexical(Command),
    /// Wait this many milliseconds (lets a short expiry pass).
    Pause(u64),
}

impl Step {
    /// The command of this step, if it has one.
    #[must_use]
    pub fn command(&self) -> Option<&Command> {
        match self {
            Self::Send(c) | Self::Other(c) | Self::Scan(c) | Self::Random(c) | Self::Lexical(c) => {
                Some(c)
            }
            Self::Pause(_) => None,
        }
    }

    /// The same step with another command.
    #[must_use]
    pub fn with(&self, command: Command) -> Self {
        match self {
            Self::Send(_) => Self::Send(command),
            Self::Other(_) => Self::Other(command),
            Self::Scan(_) => Self::Scan(command),
            Self::Random(_) => Self::Random(command),
            Self::Lexical(_) => Self::Lexical(command),
            Self::Pause(ms) => Self::Pause(*ms),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(c) | Self::Scan(c) | Self::Random(c) | Self::Lexical(c) => c.fmt(f),
            Self::Other(c) => write!(f, "{c}   (on the second connection)"),
            Self::Pause(ms) => write!(f, "(wait {ms} ms)"),
        }
    }
}

impl Command {
    /// A command of these arguments, the name first.
    #[must_use]
    pub fn new(args: Vec<Vec<u8>>) -> Self {
        Self { args }
    }

    /// A command from words, for the harness's own questions.
    #[must_use]
    pub fn words(words: &[&str]) -> Self {
        Self { args: words.iter().map(|w| w.as_bytes().to_vec()).collect() }
    }

    /// All arguments, the name first.
    #[must_use]
    pub fn args(&self) -> &[Vec<u8>] {
        &self.args
    }

    /// Argument `at` in upper case, lossily as text; empty if there is none.
    #[must_use]
    pub fn upper(&self, at: usize) -> String {
        self.args
            .get(at)
            .map(|a| String::from_utf8_lossy(a).to_ascii_uppercase())
            .unwrap_or_default()
    }

    /// The name in upper case.
    #[must_use]
    pub fn name(&self) -> String {
        self.upper(0)
    }

    /// The name, with the subcommand where the command is a container: what differences are grouped
    /// by.
    #[must_use]
    pub fn title(&self) -> String {
        let name: String = self.name().chars().take(24).collect();
        match name.as_str() {
            "CLIENT" | "OBJECT" | "COMMAND" | "CONFIG" if self.args.len() > 1 => {
                let sub: String = self.upper(1).chars().take(24).collect();
                format!("{name} {sub}")
            }
            _ => name,
        }
    }

    /// Whether the word stands among the arguments after the name, in any case.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.args.iter().skip(1).any(|a| a.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// The arguments that are keys of the universe: every argument spelled like one counts, because
    /// a false involvement costs nothing while a missed one would lose the cause of a difference.
    #[must_use]
    pub fn keys(&self, universe: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
        self.args.iter().skip(1).filter(|a| universe.contains(*a)).cloned().collect()
    }

    /// Appends the RESP form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("*{}\r\n", self.args.len()).as_bytes());
        for arg in &self.args {
            out.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
            out.extend_from_slice(arg);
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// Bytes as readable text: printable ASCII as it is, the rest escaped.
#[must_use]
pub fn escaped(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn quoted(arg: &[u8]) -> String {
    const LONGEST: usize = 80;
    let plain = |b: &u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b'\\');
    if !arg.is_empty() && arg.len() <= LONGEST && arg.iter().all(plain) {
        return String::from_utf8_lossy(arg).into_owned();
    }
    if arg.len() <= LONGEST {
        return format!("\"{}\"", escaped(arg).replace("\\'", "'"));
    }
    format!("\"{}…\"({} bytes)", escaped(&arg[..24]), arg.len())
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        for (at, arg) in self.args.iter().take(SHOWN).enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{}", quoted(arg))?;
        }
        if self.args.len() > SHOWN {
            write!(f, " … ({} arguments)", self.args.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_and_prints() {
        let command = Command::new(vec![b"set".to_vec(), b"a b".to_vec(), b"\0".to_vec(), vec![]]);
        let mut out = Vec::new();
        command.encode(&mut out);
        assert_eq!(out, b"*4\r\n$3\r\nset\r\n$3\r\na b\r\n$1\r\n\0\r\n$0\r\n\r\n");
        assert_eq!(command.to_string(), r#"set "a b" "\x00" """#);
        assert_eq!(command.name(), "SET");
    }

    #[test]
    fn containers_are_titled_with_their_subcommand() {
        assert_eq!(Command::words(&["object", "encoding", "k"]).title(), "OBJECT ENCODING");
        assert_eq!(Command::words(&["get", "k"]).title(), "GET");
    }
}
