//! From a command's name to its row, without a match.
//!
//! A fixed hash table over the lower-cased names, built once. An entry's number indexes the
//! statistics.

use base::{Flag, Flags, Handler, Locks, Spec, grammar};
use store::Txn;

use crate::control::ControlRun;

/// How a command runs.
#[derive(Clone, Copy)]
pub enum Action {
    /// On the dataset.
    Data(Handler<Txn>),
    /// On the session or the server.
    Control(ControlRun),
    /// It is only the name before a subcommand.
    Container,
}

/// One command, with everything about it that can be computed beforehand.
pub struct Entry {
    /// Its place in the table; also its number in the statistics.
    pub number: usize,
    /// What is known about it.
    pub spec: &'static Spec,
    /// How it runs.
    pub action: Action,
    /// Its flags as bits, `movablekeys` included.
    pub flags: Flags,
    /// Exact number of words, or minus the least number.
    pub arity: i32,
    /// The arguments, read from the spec's grammar.
    pub arguments: Vec<grammar::Arg>,
    /// Whether its only key is the first argument: the common case, planned without a search.
    pub one_key: bool,
    /// Whether it may change a key in another database than the session's.
    pub moves: bool,
    /// Whether it takes the same short time whatever its arguments: not timed by itself.
    pub quick: bool,
    /// Whether the keys it reads are told to be missing, as keyspace events: it does not only ask
    /// how a value is kept.
    pub tells_misses: bool,
    /// How many words its name has.
    pub words: usize,
    /// The container it is a subcommand of.
    pub parent: Option<usize>,
    /// Its subcommands.
    pub children: Vec<usize>,
}

impl Entry {
    /// Whether a request of `words` words has the right number of them.
    #[inline]
    #[must_use]
    pub fn accepts(&self, words: usize) -> bool {
        let words = i32::try_from(words).unwrap_or(i32::MAX);
        if self.arity >= 0 { words == self.arity } else { words >= -self.arity }
    }

    /// Whether it has this flag.
    #[inline]
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.has(flag)
    }

    /// Whether it is a subcommand of CLIENT.
    pub(crate) fn is_about_clients(&self) -> bool {
        self.spec.name.starts_with("client|")
    }

    /// The name clients see in errors and statistics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.spec.name
    }
}

/// Every command of the server.
pub struct Table {
    entries: Vec<Entry>,
    /// Open addressing over a power of two slots; 0 is empty, else entry number + 1.
    slots: Vec<u16>,
}

/// Longer names are not commands; keeps hashing bounded for hostile input.
const NAME_MAX: usize = 48;

impl Table {
    /// The table of these rows. A spec whose grammar cannot be read is a mistake in the source;
    /// it is reported as text so that a test can show all of them.
    ///
    /// # Errors
    /// The names of broken specs, and what is wrong.
    pub fn new(rows: Vec<(&'static Spec, Action)>) -> Result<Self, String> {
        let mut entries: Vec<Entry> = Vec::with_capacity(rows.len());
        for (number, (spec, action)) in rows.into_iter().enumerate() {
            entries.push(entry(number, spec, action)?);
        }
        for number in 0..entries.len() {
            let Some((parent, _)) = entries[number].spec.name.split_once('|') else { continue };
            let found = entries.iter().position(|e| e.spec.name == parent);
            let found = found.ok_or_else(|| format!("{parent} is not in the table"))?;
            entries[number].parent = Some(found);
            entries[found].children.push(number);
        }
        let size = (entries.len() * 4).next_power_of_two();
        let mut table = Table { entries, slots: vec![0; size] };
        for number in 0..table.entries.len() {
            let mut at = table.home(table.entries[number].spec.name.as_bytes());
            while table.slots[at] != 0 {
                at = (at + 1) % size;
            }
            table.slots[at] = u16::try_from(number + 1).map_err(|_| "too many commands")?;
        }
        Ok(table)
    }

    /// All commands, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The command of a request: a subcommand where `words[0]` is a container that has `words[1]`.
    #[inline]
    #[must_use]
    pub fn find(&self, words: &[&[u8]]) -> Option<&Entry> {
        // A subcommand's full name is for lists and errors; requests send two words.
        let entry = self.by_name(words.first()?).filter(|e| e.parent.is_none())?;
        if entry.children.is_empty() || words.len() < 2 {
            return Some(entry);
        }
        Some(self.child(entry, words[1]).unwrap_or(entry))
    }

    /// The command with this name, in any case; subcommands as `container|sub`.
    #[inline]
    #[must_use]
    pub fn by_name(&self, name: &[u8]) -> Option<&Entry> {
        if name.len() > NAME_MAX {
            return None;
        }
        let mut at = self.home(name);
        loop {
            let number = self.slots[at];
            if number == 0 {
                return None;
            }
            let entry = &self.entries[usize::from(number) - 1];
            if entry.spec.name.as_bytes().eq_ignore_ascii_case(name) {
                return Some(entry);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The subcommand `name` of a container.
    #[must_use]
    pub fn child(&self, container: &Entry, name: &[u8]) -> Option<&Entry> {
        let tail = |e: &&Entry| {
            let sub = e.spec.name.split_once('|').map_or("", |(_, sub)| sub);
            sub.as_bytes().eq_ignore_ascii_case(name)
        };
        container.children.iter().map(|&n| &self.entries[n]).find(tail)
    }

    /// FNV-1a over the lower-cased name.
    #[inline]
    fn home(&self, name: &[u8]) -> usize {
        let mut hash: u32 = 0x811c_9dc5;
        for &byte in name {
            hash = (hash ^ u32::from(byte | 0x20)).wrapping_mul(0x0100_0193);
        }
        (hash ^ (hash >> 15)) as usize & (self.slots.len() - 1)
    }
}

fn entry(number: usize, spec: &'static Spec, action: Action) -> Result<Entry, String> {
    let words = spec.name.split('|').count();
    let arguments =
        grammar::parse(spec.grammar).map_err(|bad| format!("{}: {}", spec.name, bad.0))?;
    let derived = grammar::arity(&arguments, i32::try_from(words).unwrap_or(2));
    let arity = match (spec.arity, action) {
        (0, Action::Container) => -2,
        (0, _) => derived,
        (given, _) => given,
    };
    let only = match spec.keys {
        [key] => Some(key),
        _ => None,
    };
    let one_key = only.is_some_and(|key| {
        key.start == base::Start::Index(1)
            && key.find == base::Find::Range { last: 0, step: 1, limit: 0 }
    }) && (spec.locks)(&[b"x", b"y"]) == Locks::Keys;
    Ok(Entry {
        number,
        spec,
        action,
        flags: Flags::of(spec.flags),
        arity,
        arguments,
        one_key,
        moves: matches!(spec.name, "move" | "copy"),
        quick: spec.flags.contains(&Flag::Fast) || (one_key && spec.complexity == "O(1)"),
        tells_misses: spec.flags.contains(&Flag::ReadOnly)
            && !spec.name.starts_with("object|")
            && spec.name != "memory|usage",
        words,
        parent: None,
        children: Vec::new(),
    })
}
