//! `kvist export graph` and `kvist import graph`: a graph of a running server as text, by
//! `GRAPH.EXPORT` and `GRAPH.IMPORT`.
//!
//! ```text
//!   statements   ─► standard output, one behind the other; ◄─ a file, or standard input
//!   tables       ─► a folder: a file for each header, a list of them, and schema.cypher
//! ```
//!
//! Neither side keeps more than a part. What was imported before an error stays: the error says how
//! many statements, or files and lines of the next file, that is, and `--skip` goes on behind them.

pub mod export;
pub mod import;
mod tables;

use std::fmt;

use super::remote::Login;

/// What stands behind the verbs.
pub const WORD: &str = "graph";

/// The arguments of both verbs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    address: String,
    key: String,
    /// The file or folder, if one is named.
    path: Option<String>,
    csv: bool,
    login: Login,
    /// So much has been imported already.
    skip: Imported,
}

/// How much of a text has been imported: `7`, or `7:2000`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Imported {
    /// Whole statements or files.
    whole: u64,
    /// Lines of the file behind these, without its header.
    lines: u64,
}

impl Imported {
    fn of(text: &str) -> Option<Imported> {
        let (whole, lines) = text.split_once(':').unwrap_or((text, "0"));
        Some(Imported { whole: whole.parse().ok()?, lines: lines.parse().ok()? })
    }
}

impl fmt::Display for Imported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            0 => write!(out, "{}", self.whole),
            lines => write!(out, "{}:{lines}", self.whole),
        }
    }
}

/// Reads the arguments behind `graph`.
fn parse(args: &[String]) -> Result<Arguments, String> {
    let mut parsed = Arguments { login: Login::of_environment(), ..Arguments::default() };
    let mut plain = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--format" => match value()?.as_str() {
                "cypher" => parsed.csv = false,
                "csv" => parsed.csv = true,
                other => return Err(format!("'{other}' is no format: cypher, csv")),
            },
            "--user" => parsed.login.user = Some(value()?),
            "--pass" => parsed.login.password = Some(value()?),
            "--skip" => {
                parsed.skip =
                    Imported::of(&value()?).ok_or("--skip needs a number, or FILES:LINES")?;
            }
            option if option.starts_with("--") => return Err(format!("there is no '{option}'")),
            word => plain.push(word.to_owned()),
        }
    }
    let mut plain = plain.into_iter();
    let (address, key) = plain.next().zip(plain.next()).ok_or("HOST:PORT and KEY are missing")?;
    (parsed.address, parsed.key, parsed.path) = (address, key, plain.next());
    match plain.next() {
        Some(word) => Err(format!("'{word}' is one word too many")),
        None => Ok(parsed),
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Imported, Login, parse};

    #[test]
    fn arguments_are_told_apart() {
        let read = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            parse(&words).map(|mut arguments| {
                arguments.login.password = None;
                arguments
            })
        };
        let expected = Arguments {
            address: "h:1".to_owned(),
            key: "g".to_owned(),
            path: Some("d".to_owned()),
            csv: true,
            login: Login { user: Some("u".to_owned()), password: None },
            skip: Imported { whole: 3, lines: 0 },
        };
        assert_eq!(read("h:1 --format csv g d --user u --pass p --skip 3"), Ok(expected));
        for (word, whole, lines) in [("3", 3, 0), ("0:1", 0, 1), ("12:3456", 12, 3456)] {
            let arguments = read(&format!("h:1 g d --skip {word}")).unwrap_or_default();
            assert_eq!(arguments.skip, Imported { whole, lines });
            assert_eq!(arguments.skip.to_string(), word);
        }
        for wrong in ["", ":", "1:", ":1", "1:2:3", "-1", "1:x"] {
            assert!(read(&format!("h:1 g d --skip {wrong}")).is_err(), "{wrong}");
        }
        for wrong in ["h:1", "h:1 g d e", "h:1 g --format xml", "h:1 g --what", "h:1 g --skip x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
