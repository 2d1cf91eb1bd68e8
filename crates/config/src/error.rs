//! What can be wrong with a configuration, worded for the person who must put it right.

use std::fmt;
use std::path::PathBuf;

/// Where a setting was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In a file, or in text standing for one.
    File {
        /// The file, as it was named.
        name: String,
        /// The line, counted from 1.
        line: usize,
    },
    /// Among the arguments of the program.
    CommandLine {
        /// Which option, counted from 1.
        option: usize,
    },
    /// In an environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// In CONFIG SET.
    RunTime,
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { name, line } => write!(out, "{name}:{line}"),
            Self::CommandLine { .. } => out.write_str("command line"),
            Self::Environment { variable } => write!(out, "environment variable {variable}"),
            Self::RunTime => out.write_str("CONFIG SET"),
        }
    }
}

/// Why the server can't start with this configuration. Its text is the whole message to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// A file that can't be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// A setting that can't be accepted.
    Rejected {
        /// Where it stands.
        source: Source,
        /// What stands there.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = env!("CARGO_PKG_VERSION");
        match self {
            Self::Unreadable { path, reason } => {
                write!(out, "Fatal error, can't open config file '{}': {reason}", path.display())
            }
            Self::Rejected { source, text, reason } => {
                let place = match source {
                    Source::File { name, line } => {
                        writeln!(out, "\n*** FATAL CONFIG FILE ERROR (Kvist {version}) ***")?;
                        format!("the configuration file {name}, at line {line}")
                    }
                    Source::CommandLine { option } => {
                        writeln!(out, "\n*** FATAL CONFIG ERROR (Kvist {version}) ***")?;
                        format!("the command line, at option {option}")
                    }
                    other => {
                        writeln!(out, "\n*** FATAL CONFIG ERROR (Kvist {version}) ***")?;
                        format!("{other}")
                    }
                };
                write!(out, "Reading {place}\n>>> '{text}'\n{reason}")
            }
        }
    }
}

impl std::error::Error for LoadError {}

/// Why CONFIG SET changed nothing. Its text is the reply, without the leading `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// No such directive: the name that the client sent.
    UnknownOption(Vec<u8>),
    /// A value that can't be accepted.
    Failed {
        /// The directive.
        name: String,
        /// What is wrong.
        reason: String,
    },
}

impl SetError {
    /// The error for a change that was fine as such but could not be carried out, such as an
    /// address that can't be listened on. The caller also gives the changes to
    /// [`Settings::revert`](crate::Settings::revert).
    #[must_use]
    pub fn failed(name: &str, reason: &str) -> Self {
        Self::Failed { name: name.to_owned(), reason: reason.to_owned() }
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line break would end the error reply in the middle.
        let flat = |name: &str| name.replace(['\r', '\n'], " ");
        match self {
            Self::UnknownOption(name) => write!(
                out,
                "ERR Unknown option or number of arguments for CONFIG SET - '{}'",
                flat(&String::from_utf8_lossy(name))
            ),
            Self::Failed { name, reason } => write!(
                out,
                "ERR CONFIG SET failed (possibly related to argument '{}') - {}",
                flat(name),
                flat(reason)
            ),
        }
    }
}

impl std::error::Error for SetError {}
