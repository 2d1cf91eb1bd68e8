//! From a command's name to its row, without a match.
//!
//! A fixed hash table over the lower-cased names, built once; names up to eight letters are
//! compared as one word. An entry's number indexes the statistics.
//!
//! A command may be called by another name than its own, or by none (`rename-command`). Its own is
//! what rules, statistics, errors and the journal know it by; the other is what clients send. So
//! there are two tables, and only code that has words from a client may use the one of the names in
//! use.

use base::Spec;

use super::entry::{Action, Entry};

/// Every command of the server.
pub struct Table {
    entries: Vec<Entry>,
    /// By their own names.
    own: Names,
    /// By the names clients call them by.
    called: Names,
}

/// Where names lead: open addressing over a power of two slots. Subcommands are found by their
/// containers.
struct Names {
    slots: Vec<Slot>,
    /// Bytes of the longest name: longer ones need not be looked for.
    longest: usize,
}

/// A name, or none.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// The name's letters in one word, see [`digest`].
    digest: u64,
    len: u32,
    /// Entry number + 1; 0 if there is none.
    number: u32,
}

/// Why a command cannot be called by another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnameable {
    /// There is no such command, or clients cannot call it any more.
    Unknown,
    /// Another is called by that name.
    Taken,
}

impl std::fmt::Display for Unnameable {
    /// In Redis's words.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unnameable::Unknown => "No such command in rename-command",
            Unnameable::Taken => "Target command name already exists",
        })
    }
}

impl Table {
    /// The table of these rows. A spec whose grammar cannot be read is a mistake in the source;
    /// it is reported as text so that a test can show all of them.
    ///
    /// # Errors
    /// The names of broken specs, and what is wrong.
    pub fn new(rows: Vec<(&'static Spec, Action)>) -> Result<Self, String> {
        let mut entries: Vec<Entry> = Vec::with_capacity(rows.len());
        for (number, (spec, action)) in rows.into_iter().enumerate() {
            entries.push(Entry::new(number, spec, action)?);
        }
        for number in 0..entries.len() {
            let Some((parent, _)) = entries[number].spec.name.split_once('|') else { continue };
            let found = entries.iter().position(|e| e.spec.name == parent);
            let found = found.ok_or_else(|| format!("{parent} is not in the table"))?;
            entries[number].naming.parent = Some(found);
            entries[found].naming.children.push(number);
        }
        if u16::try_from(entries.len()).is_err() {
            return Err("too many commands".to_owned());
        }
        let own = Names::of(&entries, |entry| entry.spec.name.as_bytes());
        let called = Names::of(&entries, Entry::called);
        Ok(Table { entries, own, called })
    }

    /// Makes clients call a command by another name, in any case; by none, if that is empty.
    ///
    /// # Errors
    /// There is no such command, or there is one of that other name.
    ///
    /// ```
    /// use kvist_engine::{Unnameable, command_table};
    ///
    /// let mut table = command_table().unwrap();
    /// table.rename(b"GET", b"fetch").unwrap();
    /// assert!(table.find(&[b"get", b"k"]).is_none());
    /// assert_eq!(table.find(&[b"Fetch", b"k"]).unwrap().name(), "get");
    /// assert_eq!(table.find_own(&[b"get", b"k"]).unwrap().name(), "get");
    /// assert_eq!(table.rename(b"get", b"other"), Err(Unnameable::Unknown));
    /// assert_eq!(table.rename(b"fetch", b"set"), Err(Unnameable::Taken));
    /// ```
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Unnameable> {
        let found = self.called.get(&self.entries, Entry::called, from);
        let found = found.filter(|entry| entry.called().eq_ignore_ascii_case(from));
        let number = found.ok_or(Unnameable::Unknown)?.number;
        let taken = self.called.get(&self.entries, Entry::called, to);
        if taken.is_some_and(|entry| entry.number != number) {
            return Err(Unnameable::Taken);
        }
        self.entries[number].naming.called = Some(to.into());
        for renamed in std::iter::once(number).chain(self.entries[number].naming.children.clone()) {
            self.entries[renamed].naming.renamed = true;
        }
        self.called = Names::of(&self.entries, Entry::called);
        Ok(())
    }

    /// All commands, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All commands that clients can call, in order; subcommands where their containers can be.
    pub fn callable(&self) -> impl Iterator<Item = &Entry> {
        let can = |entry: &Entry| !entry.called().is_empty();
        self.entries
            .iter()
            .filter(move |entry| can(entry.naming.parent.map_or(entry, |at| &self.entries[at])))
    }

    /// The command of a request of a client: a subcommand where `words[0]` is a container that has
    /// `words[1]`.
    #[inline]
    #[must_use]
    pub fn find(&self, words: &[&[u8]]) -> Option<&Entry> {
        self.find_by(words.first()?, || words.get(1).copied())
    }

    /// The same by the first word; the second is only asked for if that is a container.
    #[inline]
    pub(crate) fn find_by<'w>(
        &self,
        name: &[u8],
        second: impl FnOnce() -> Option<&'w [u8]>,
    ) -> Option<&Entry> {
        let entry = self.called.get(&self.entries, Entry::called, name)?;
        if entry.naming.children.is_empty() {
            return Some(entry);
        }
        Some(second().and_then(|second| self.child(entry, second)).unwrap_or(entry))
    }

    /// The command of a request in its own name: one of the journal, or of the server itself.
    #[inline]
    #[must_use]
    pub fn find_own(&self, words: &[&[u8]]) -> Option<&Entry> {
        let entry = self.own.get(&self.entries, |e| e.spec.name.as_bytes(), words.first()?)?;
        if entry.naming.children.is_empty() || words.len() < 2 {
            return Some(entry);
        }
        Some(self.child(entry, words[1]).unwrap_or(entry))
    }

    /// The command that clients call by this name, in any case; subcommands as `container|sub`.
    #[must_use]
    pub fn by_name(&self, name: &[u8]) -> Option<&Entry> {
        let mut words = name.splitn(2, |&byte| byte == b'|');
        let entry = self.called.get(&self.entries, Entry::called, words.next()?)?;
        match words.next() {
            Some(sub) => self.child(entry, sub),
            None => Some(entry),
        }
    }

    /// The subcommand `name` of a container.
    #[must_use]
    pub fn child(&self, container: &Entry, name: &[u8]) -> Option<&Entry> {
        let tail = |e: &&Entry| {
            let sub = e.spec.name.split_once('|').map_or("", |(_, sub)| sub);
            sub.as_bytes().eq_ignore_ascii_case(name)
        };
        container.naming.children.iter().map(|&n| &self.entries[n]).find(tail)
    }
}

impl Names {
    /// Of all commands that have one.
    fn of(entries: &[Entry], name: impl Fn(&Entry) -> &[u8]) -> Self {
        let size = (entries.len() * 4).next_power_of_two();
        let mut names = Names { slots: vec![Slot::default(); size], longest: 0 };
        for entry in entries.iter().filter(|entry| entry.naming.parent.is_none()) {
            names.add(name(entry), entry.number);
            names.add(entry.alias().unwrap_or_default().as_bytes(), entry.number);
        }
        names
    }

    /// Has a name lead somewhere; nothing is no name.
    fn add(&mut self, text: &[u8], number: usize) {
        if text.is_empty() {
            return;
        }
        let digest = digest(text);
        let mut at = self.home(digest);
        while self.slots[at].number != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        // `Table::new` has made sure that the numbers fit, and no name is so long.
        let number = u32::try_from(number + 1).unwrap_or(0);
        let len = u32::try_from(text.len()).unwrap_or(0);
        self.slots[at] = Slot { digest, len, number };
        self.longest = self.longest.max(text.len());
    }

    /// Compares lengths and words only, unless the name is too long for its word to say it all.
    #[inline]
    fn get<'t>(
        &self,
        entries: &'t [Entry],
        own: impl Fn(&Entry) -> &[u8],
        name: &[u8],
    ) -> Option<&'t Entry> {
        if name.len() > self.longest {
            return None;
        }
        let digest = digest(name);
        let mut at = self.home(digest);
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                return None;
            }
            if slot.digest == digest && slot.len as usize == name.len() {
                let entry = &entries[slot.number as usize - 1];
                if name.len() <= WORD || own(entry).eq_ignore_ascii_case(name) {
                    return Some(entry);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn home(&self, digest: u64) -> usize {
        // The upper bits of the product depend on all letters; there are few slots.
        (digest.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (self.slots.len() - 1)
    }
}

const WORD: usize = size_of::<u64>();

/// A name in lower case as one word: all of it, or its ends folded together.
#[inline]
fn digest(name: &[u8]) -> u64 {
    let four = |at: usize| {
        name[at..].first_chunk().map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk)))
    };
    match (name.first_chunk::<WORD>(), name.last_chunk::<WORD>()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            if name.len() == WORD {
                return lower_case(first);
            }
            lower_case(first) ^ lower_case(last).rotate_left(23)
        }
        // The last four bytes may be among the first four: then they say the same twice.
        _ if name.len() >= 4 => {
            let last = name.len() - 4;
            lower_case(four(0) | four(last) << (8 * last))
        }
        _ => {
            let few = match *name {
                [a, b, c] => [a, b, c, 0],
                [a, b] => [a, b, 0, 0],
                [a] => [a, 0, 0, 0],
                _ => [0; 4],
            };
            lower_case(u32::from_le_bytes(few).into())
        }
    }
}

/// Eight characters in lower case. Those that are no capital letters of ASCII stay.
#[inline]
fn lower_case(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = word & (0x7f * EACH);
    let from_a = low + (0x80 - u64::from(b'A')) * EACH;
    let beyond_z = low + (0x7f - u64::from(b'Z')) * EACH;
    let capital = (from_a ^ beyond_z) & !word & (0x80 * EACH);
    word | capital >> 2
}

#[cfg(test)]
mod tests {
    use super::{Entry, WORD, digest};

    #[test]
    fn second_names_go_with_the_first() {
        let mut table = crate::command_table().expect("the table is sound");
        let second = |entry: &Entry| Some((entry.alias()?, entry.name()));
        let aliases: Vec<_> = table.entries().iter().filter_map(second).collect();
        assert!(aliases.contains(&("getb", "get")), "{aliases:?}");
        for (alias, own) in aliases {
            assert!(alias.len() <= WORD && alias.len() != own.len());
            let alias = alias.to_ascii_uppercase();
            let found = table.find(&[alias.as_bytes(), b"k"]).expect("it is there");
            assert_eq!(found.name(), own);
            assert!(found.is_called_otherwise(alias.as_bytes()));
            assert!(!found.is_called_otherwise(own.as_bytes()));
            assert!(table.rename(alias.as_bytes(), b"x").is_err());
            assert!(table.rename(b"append", alias.as_bytes()).is_err());
            table.rename(own.as_bytes(), b"").expect("it can be taken away");
            assert!(table.find(&[alias.as_bytes(), b"k"]).is_none());
        }
    }

    #[test]
    fn a_word_is_a_name_in_lower_case() {
        for len in 0..=8_usize {
            for byte in 0..=255_u8 {
                let name: Vec<u8> = (0..len).map(|at| byte.wrapping_add(at as u8)).collect();
                let mut bytes = name.to_ascii_lowercase();
                bytes.resize(8, 0);
                let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                assert_eq!(digest(&name), word, "{name:?}");
            }
        }
    }

    #[test]
    fn long_names_differ_by_their_ends() {
        assert_eq!(digest(b"INCRBYFLOAT"), digest(b"incrbyfloat"));
        assert_ne!(digest(b"zremrangebyrank"), digest(b"zremrangebylex1"));
    }
}
