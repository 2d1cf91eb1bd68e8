//! `kvist import hxredis` and `kvist export hxredis`: a project of hxRedis, which keeps Haxall's
//! records in Redis, becomes a project of a running server, and one is written as hxRedis has it.
//!
//! ```text
//!   import   SCAN ─► rec:ID ─► changes ─► FOLIO.APPLY ─┐
//!                    his:ID ─► samples ─► FOLIO.APPLY ─┴─► a key for the time being ─► RENAME
//!   export   DUMP ─► the project of one moment ─► rec:ID, his:ID, idx:tag:TAG ─► idx:all
//! ```
//!
//! Either is done whole or not at all: the project gets its name when all of it is there, and
//! hxRedis finds records by `idx:all`, which is made last. Neither side is asked for more than a
//! page at a time; what is kept between pages are the ids.

pub mod export;
pub mod import;
mod layout;
mod record;
mod text;

use self::layout::Layout;
use crate::offline::remote::{Login, Server};

/// What stands behind the verbs.
pub const WORD: &str = "hxredis";

/// The arguments of both verbs.
#[derive(Debug, Default)]
struct Arguments {
    from: String,
    to: String,
    /// The key of the project.
    project: String,
    /// The number of hxRedis's database, and how its keys begin.
    db: Option<u32>,
    layout: Layout,
    /// What the ids of the project may be given without.
    id_prefix: Option<String>,
    /// Who the user of the server with the project is.
    login: Login,
    /// What is there is replaced.
    replace: bool,
    /// What is damaged is left out.
    skip_damaged: bool,
}

impl Arguments {
    /// The server that hxRedis works with.
    fn redis(&self, name: &str) -> Result<Server, String> {
        Server::connect_to_database(name, &Login::default(), self.db)
    }
}

fn parse(args: &[String]) -> Result<Arguments, String> {
    let mut parsed = Arguments { login: Login::of_environment(), ..Arguments::default() };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--from" => parsed.from = value()?,
            "--to" => parsed.to = value()?,
            "--db" => parsed.db = Some(value()?.parse().map_err(|_| "--db needs a number")?),
            "--prefix" => parsed.layout = Layout::new(&value()?),
            "--id-prefix" => parsed.id_prefix = Some(value()?),
            "--user" => parsed.login.user = Some(value()?),
            "--pass" => parsed.login.password = Some(value()?),
            "--replace" => parsed.replace = true,
            "--skip-damaged" => parsed.skip_damaged = true,
            option if option.starts_with("--") => return Err(format!("there is no '{option}'")),
            word if parsed.project.is_empty() => word.clone_into(&mut parsed.project),
            word => return Err(format!("'{word}' is one word too many")),
        }
    }
    let is_whole = ![&parsed.from, &parsed.to, &parsed.project].iter().any(|it| it.is_empty());
    is_whole.then_some(parsed).ok_or_else(|| "it needs --from, --to and PROJECT".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn arguments_are_told_apart() {
        let read = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            parse(&words)
        };
        let all = "--from a:1 p --db 3 --to b:2 --prefix t: --id-prefix p: --replace --user u";
        let parsed = read(all).unwrap_or_default();
        assert_eq!((parsed.from.as_str(), parsed.to.as_str()), ("a:1", "b:2"));
        assert_eq!((parsed.project.as_str(), parsed.db), ("p", Some(3)));
        assert_eq!(parsed.layout.record("a"), "t:rec:a");
        assert_eq!((parsed.id_prefix.as_deref(), parsed.replace), (Some("p:"), true));
        assert!(!parsed.skip_damaged && parsed.login.user.as_deref() == Some("u"));
        for wrong in ["--from a:1 p", "--from a:1 --to b:2", "p q", "--db x", "--what", "--from"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
