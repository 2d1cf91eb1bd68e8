//! A unit: what a connection does that happens as a whole or not at all.
//!
//! A unit is one command, one MULTI/EXEC group or one script, with what was learnt about it: when
//! it was sent and answered, what a random command took, which deadline the server gave. With that,
//! applying it to a model a second time gives the same result, which is how the checker walks a
//! history.

use std::collections::BTreeSet;

use differential::command::Command;

use crate::value::{Bytes, Name};

/// A command and the database it runs in.
#[derive(Clone, Debug)]
pub struct Step {
    /// The database.
    pub db: u8,
    /// The command.
    pub command: Command,
}

/// Which keys a script declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// None: it finds out what it needs.
    Nothing,
    /// Whatever looks like a key.
    All,
}

/// A script that runs each command it is given: database, number of words, words.
const SCRIPT: &str = "local replies, at = {}, 1
while at <= #ARGV do
  local last = at + 1 + ARGV[at + 1]
  redis.call('SELECT', ARGV[at])
  replies[#replies + 1] = redis.pcall(unpack(ARGV, at + 2, last))
  at = last + 1
end
return replies";

/// See the module.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The commands, at least one.
    pub steps: Vec<Step>,
    /// Whether they are sent between MULTI and EXEC, or as a script.
    pub group: bool,
    /// How a script is sent that runs them: with the keys it will use, or without.
    pub script: Option<Declared>,
    /// Whether it concerns the keys of all partitions (FLUSHDB, SWAPDB, DEL of a shared key): these
    /// are sent while all other connections are idle, and are part of every history.
    pub global: bool,
    /// Whether it was sent on a second connection, to wait there for what the unit before brings.
    pub waits: bool,
    /// Milliseconds: not sent before.
    pub sent: i64,
    /// Milliseconds: when the reply had come, or when the server was dead.
    pub done: i64,
    /// Whether a reply has come, and when.
    pub acked: Option<i64>,
    /// The earliest deadline among the keys it touches that were alive when it was sent.
    pub limit: i64,
    /// Whether `limit` may have passed before it ran: what it did is not known.
    pub tainted: bool,
    /// What a random command took, once known.
    pub picked: Option<Vec<Bytes>>,
    /// The deadline that the server told after a relative expiry.
    pub exact: Option<i64>,
    /// The steps that a server going down refused, by their places: they did nothing.
    pub refused: BTreeSet<usize>,
}

impl Unit {
    /// A unit of these commands; more than one make a group.
    #[must_use]
    pub fn new(steps: Vec<Step>, group: bool) -> Self {
        Self {
            steps,
            group,
            script: None,
            global: false,
            waits: false,
            sent: 0,
            done: i64::MAX,
            acked: None,
            limit: i64::MAX,
            tainted: false,
            picked: None,
            exact: None,
            refused: BTreeSet::new(),
        }
    }

    /// The one command that runs all of it, if it is a script.
    #[must_use]
    pub fn as_script(&self) -> Option<Command> {
        let keys: Vec<Bytes> = match self.script? {
            Declared::Nothing => Vec::new(),
            Declared::All => {
                let words = self.steps.iter().flat_map(|step| step.command.args().iter().skip(1));
                words.filter(|word| word.contains(&b':')).cloned().collect()
            }
        };
        let mut words = vec![b"EVAL".to_vec(), SCRIPT.into(), keys.len().to_string().into()];
        words.extend(keys);
        for step in &self.steps {
            let args = step.command.args();
            words.extend([step.db.to_string().into(), args.len().to_string().into()]);
            words.extend(args.iter().cloned());
        }
        Some(Command::new(words))
    }

    /// Whether its effect is known only after its reply: it must be the last of its batch.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.steps.iter().any(|step| is_late(&step.command))
    }

    /// Whether a server that goes down may refuse a part of it: what runs on query threads.
    #[must_use]
    pub fn may_be_refused(&self) -> bool {
        let is_query = |name: &str| matches!(name, "GRAPH.QUERY" | "FOLIO.COMMIT");
        self.steps.iter().any(|step| is_query(step.command.name().as_str()))
    }

    /// The keys its commands name that belong to the owner of `prefix`, or to all partitions. An
    /// argument that only looks like a key does no harm.
    #[must_use]
    pub fn names(&self, prefix: &[u8]) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        for step in &self.steps {
            let args = step.command.args();
            let target = target_db(&step.command);
            for arg in args.iter().skip(1) {
                if arg.starts_with(prefix) || arg.starts_with(b"shared:") {
                    names.insert((step.db, arg.clone()));
                    names.extend(target.map(|db| (db, arg.clone())));
                }
            }
        }
        names
    }

    /// Those of [`Unit::names`] that are its owner's alone.
    pub fn own_names<'a>(&self, prefix: &'a [u8]) -> impl Iterator<Item = Name> + use<'a> {
        self.names(prefix).into_iter().filter(move |(_, key)| key.starts_with(prefix))
    }

    /// Its commands on one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let steps = self.steps.iter().map(|s| format!("[{}] {}", s.db, s.command));
        let text = steps.collect::<Vec<_>>().join("; ");
        let state = if self.acked.is_some() { "acknowledged" } else { "not acknowledged" };
        match (self.group, self.script) {
            (_, Some(declared)) => return format!("EVAL ({declared:?}) {text} ({state})"),
            (true, None) => return format!("MULTI; {text}; EXEC ({state})"),
            (false, None) => {}
        }
        format!("{text} ({state})")
    }
}

/// The database a MOVE or COPY goes to.
#[must_use]
pub fn target_db(command: &Command) -> Option<u8> {
    let at = match command.name().as_str() {
        "MOVE" => 2,
        "COPY" => command.args().iter().position(|a| a.eq_ignore_ascii_case(b"DB"))? + 1,
        _ => return None,
    };
    std::str::from_utf8(command.args().get(at)?).ok()?.parse().ok()
}

fn is_late(command: &Command) -> bool {
    match command.name().as_str() {
        "SPOP" | "EXPIRE" | "PEXPIRE" => true,
        "SET" | "GETEX" => command.has("PX") || command.has("EX"),
        _ => false,
    }
}
