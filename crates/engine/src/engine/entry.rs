//! One command of the table, with everything about it that can be computed beforehand.

use base::{Flag, Flags, Group, Handler, Locks, Properties, Property, ScriptBy, Spec, grammar};
use store::Txn;

use super::context::ControlRun;

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
    /// What is asked of it for each request.
    pub facts: Facts,
    /// Which words it takes.
    pub syntax: Syntax,
    /// What it is called, and what it is part of.
    pub naming: Naming,
}

/// What is asked of a command for each request, so that nothing is looked for in its spec then.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its flags as bits, `movablekeys` included.
    pub flags: Flags,
    /// What is special about it, as bits.
    pub properties: Properties,
    /// Whether its only key is the first argument: the common case, planned without a search.
    pub one_key: bool,
    /// Whether it may change a key in another database than the session's.
    pub moves: bool,
    /// Whether it takes the same short time whatever its arguments: not timed by itself.
    pub quick: bool,
    /// Whether the keys it reads are told to be missing, as keyspace events: it does not only ask
    /// how a value is kept.
    pub tells_misses: bool,
    /// Whether it sends messages to subscribers.
    pub publishes: bool,
    /// Whether it asks for the order of keys, and so for an index.
    pub ordered: bool,
}

impl Facts {
    fn of(spec: &Spec) -> Self {
        let only = match spec.keys {
            [key] => Some(key),
            _ => None,
        };
        let one_key = only.is_some_and(|key| {
            key.start == base::Start::Index(1)
                && key.find == base::Find::Range { last: 0, step: 1, limit: 0 }
        }) && (spec.behaviour.cost.locks)(&[b"x", b"y"]) == Locks::Keys;
        let properties = Properties::of(spec.behaviour.properties);
        Facts {
            flags: Flags::of(spec.flags),
            properties,
            one_key,
            moves: spec.behaviour.keys.database.is_some(),
            quick: spec.flags.contains(&Flag::Fast) || (one_key && spec.complexity == "O(1)"),
            tells_misses: spec.flags.contains(&Flag::ReadOnly)
                && !properties.has(Property::ReadsMetadata),
            publishes: spec.behaviour.words.channels.publishes(),
            ordered: spec.group == Group::Range,
        }
    }
}

/// Which words a command takes.
pub struct Syntax {
    /// Exact number of words, or minus the least number.
    pub arity: i32,
    /// The arguments, read from the spec's grammar.
    pub arguments: Vec<grammar::Arg>,
    /// The least number of words, and whether there may be more.
    least: usize,
    more: bool,
}

impl Syntax {
    fn of(spec: &Spec, action: Action, words: usize) -> Result<Self, String> {
        let arguments =
            grammar::parse(spec.grammar).map_err(|bad| format!("{}: {}", spec.name, bad.0))?;
        let derived = grammar::arity(&arguments, i32::try_from(words).unwrap_or(2));
        let arity = match (spec.arity, action) {
            (0, Action::Container) => -2,
            (0, _) => derived,
            (given, _) => given,
        };
        let least = usize::try_from(arity.unsigned_abs()).unwrap_or(usize::MAX);
        Ok(Syntax { arity, arguments, least, more: arity < 0 })
    }

    #[inline]
    fn accepts(&self, words: usize) -> bool {
        words == self.least || (words > self.least && self.more)
    }
}

/// What a command is called, and what it is part of.
pub struct Naming {
    /// How many words its name has.
    pub words: usize,
    /// The container it is a subcommand of.
    pub parent: Option<usize>,
    /// Its subcommands.
    pub children: Vec<usize>,
    /// The name clients call it by, if that is not its own; empty if they cannot call it.
    pub(super) called: Option<Box<[u8]>>,
    /// Clients call it, or its container, by another name than its own.
    pub(super) renamed: bool,
}

impl Entry {
    /// The command of a row.
    ///
    /// # Errors
    /// Its grammar cannot be read: its name, and what is wrong.
    pub(super) fn new(number: usize, spec: &'static Spec, action: Action) -> Result<Self, String> {
        let words = spec.name.split('|').count();
        let syntax = Syntax::of(spec, action, words)?;
        let naming =
            Naming { words, parent: None, children: Vec::new(), called: None, renamed: false };
        Ok(Entry { number, spec, action, facts: Facts::of(spec), syntax, naming })
    }

    /// Whether a request of `words` words has the right number of them.
    #[inline]
    #[must_use]
    pub fn accepts(&self, words: usize) -> bool {
        self.syntax.accepts(words)
    }

    /// Whether it has this flag.
    #[inline]
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.facts.flags.has(flag)
    }

    /// Whether it has this property.
    #[inline]
    #[must_use]
    pub fn is(&self, property: Property) -> bool {
        self.facts.properties.has(property)
    }

    /// Whether it runs a script or a function.
    #[must_use]
    pub fn runs_script(&self) -> bool {
        self.spec.behaviour.words.script != ScriptBy::None
    }

    /// The name clients see in errors and statistics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// The name clients call it by; empty if they cannot. That of a subcommand is its own.
    #[must_use]
    pub fn called(&self) -> &[u8] {
        self.naming.called.as_deref().unwrap_or(self.spec.name.as_bytes())
    }

    /// The second name clients may call it by, if there is one: taking the first away takes the
    /// second with it. They are there for clients of NeuroIndex, in whose protocol they are for
    /// bytes that are no text; here every string is bytes.
    #[must_use]
    pub fn alias(&self) -> Option<&'static str> {
        let alias = self.spec.alias;
        (!alias.is_empty() && self.naming.called.is_none()).then_some(alias)
    }

    /// Whether a request of this name calls it by another than its own.
    #[inline]
    pub(crate) fn is_called_otherwise(&self, name: &[u8]) -> bool {
        self.naming.renamed || (!self.spec.alias.is_empty() && name.len() != self.name().len())
    }
}
