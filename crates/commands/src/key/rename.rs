//! RENAME, RENAMENX, COPY, MOVE: a value changes its place.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Databases, Effect, Flag, Group, Key,
    KeyFlag, KeyRules, KeySpec, Reply, Run, Spec, Stores, behaviour, error, num,
};

/// Gives a key another name, replacing what had it.
pub struct Rename<'a> {
    from: Key<'a>,
    to: Key<'a>,
}

impl<'a> Command<'a> for Rename<'a> {
    const SPEC: Spec = Spec {
        name: "rename",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Gives a key another name, replacing what had it.",
        complexity: "O(1)",
        grammar: "key:key newkey:key#1",
        flags: &[Flag::Write],
        categories: &[Category::Keyspace],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::Overwrite, KeyFlag::Update]),
        ],
        behaviour: Behaviour::NEW.stores(Stores::Moved),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Rename { from: args.key()?, to: args.key()? })
    }
}

impl<H: Databases> Run<H> for Rename<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if host.kind(self.from).is_none() {
            return Err(error::NO_SUCH_KEY);
        }
        if self.from.bytes == self.to.bytes {
            out.ok();
            return Ok(Effect::None);
        }
        rename(host, self.from, self.to);
        out.ok();
        Ok(Effect::AsSent)
    }
}

fn rename<H: Databases>(host: &mut H, from: Key<'_>, to: Key<'_>) {
    host.rename(from, to);
    host.notify(Class::Generic, "rename_from", from);
    host.notify(Class::Generic, "rename_to", to);
}

/// Gives a key another name, if no key has it.
pub struct RenameNx<'a> {
    from: Key<'a>,
    to: Key<'a>,
}

impl<'a> Command<'a> for RenameNx<'a> {
    const SPEC: Spec = Spec {
        name: "renamenx",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Gives a key another name, if no key has it.",
        complexity: "O(1)",
        grammar: "key:key newkey:key#1",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec::one(2, &[KeyFlag::Overwrite, KeyFlag::Insert]),
        ],
        history: &[("3.2.0", "Both names may be the same.")],
        behaviour: Behaviour::NEW.stores(Stores::Moved),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(RenameNx { from: args.key()?, to: args.key()? })
    }
}

impl<H: Databases> Run<H> for RenameNx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if host.kind(self.from).is_none() {
            return Err(error::NO_SUCH_KEY);
        }
        if self.from.bytes == self.to.bytes || host.kind(self.to).is_some() {
            out.int(0);
            return Ok(Effect::None);
        }
        rename(host, self.from, self.to);
        out.int(1);
        Ok(Effect::AsSent)
    }
}

/// Copies a key, perhaps to another database.
pub struct Copy<'a> {
    from: Key<'a>,
    to: Key<'a>,
    /// Every one that is named: Redis checks them all, and the last counts.
    dbs: Vec<&'a [u8]>,
    replace: bool,
    /// Something behind the options read so far is wrong. Told only after the database has been
    /// checked, as Redis checks each option while it reads.
    malformed: bool,
}

impl<'a> Command<'a> for Copy<'a> {
    const SPEC: Spec = Spec {
        name: "copy",
        group: Group::Generic,
        since: "6.2.0",
        summary: "Copies a key, perhaps to another database.",
        complexity: "O(N), when N is the number of elements of a collection",
        grammar: "source:key destination:key#1 [DB destination-db:integer] [REPLACE]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Keyspace],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
            KeySpec::one(2, &[KeyFlag::Overwrite, KeyFlag::Update]),
        ],
        behaviour: Behaviour::NEW.stores(Stores::Copied).key_rules(KeyRules {
            database: Some(|argv| number(argv, behaviour::behind_last(argv, 3, &["DB"])?)),
            ..KeyRules::NEW
        }),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (from, to) = (args.key()?, args.key()?);
        let mut copy = Copy { from, to, dbs: Vec::new(), replace: false, malformed: false };
        while args.left() > 0 {
            if args.token("REPLACE") {
                copy.replace = true;
            } else if args.left() > 1 && args.token("DB") {
                copy.dbs.push(args.next()?);
            } else {
                copy.malformed = true;
                break;
            }
        }
        Ok(copy)
    }
}

impl Copy<'_> {
    /// The database that the copy goes to.
    fn target<H: Databases>(&self, host: &H) -> Result<usize, CmdError> {
        let mut db = host.db();
        for text in &self.dbs {
            db = database(host, text)?;
        }
        if self.malformed {
            return Err(error::SYNTAX);
        }
        if db == host.db() && self.from.bytes == self.to.bytes {
            return Err(error::SAME_OBJECT);
        }
        Ok(db)
    }
}

/// What a `COPY` with these arguments copies: the key, where to, in which database, and whether it
/// replaces what is there. `None` if the request is wrong.
pub fn what_is_copied<'a, H: Databases>(
    host: &H,
    args: Args<'a>,
) -> Option<(Key<'a>, (usize, Key<'a>), bool)> {
    let copy = Copy::parse(args).ok()?;
    let db = copy.target(host).ok()?;
    Some((copy.from, (db, copy.to), copy.replace))
}

impl<H: Databases> Run<H> for Copy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let db = self.target(host)?;
        host.notify_if_missing(self.from);
        let copied = host.copy(self.from, self.to, db, self.replace)?;
        if copied {
            host.notify_in(db, Class::Generic, "copy_to", self.to);
        }
        out.int(i64::from(copied));
        Ok(if copied { Effect::AsSent } else { Effect::None })
    }
}

/// Moves a key to another database.
pub struct Move<'a> {
    key: Key<'a>,
    db: &'a [u8],
}

impl<'a> Command<'a> for Move<'a> {
    const SPEC: Spec = Spec {
        name: "move",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Moves a key to another database.",
        complexity: "O(1)",
        grammar: "key:key db:integer",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW
            .stores(Stores::Moved)
            .key_rules(KeyRules { database: Some(|argv| number(argv, 2)), ..KeyRules::NEW }),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Move { key: args.key()?, db: args.next()? })
    }
}

impl<H: Databases> Run<H> for Move<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let db = database(host, self.db)?;
        if db == host.db() {
            return Err(error::SAME_OBJECT);
        }
        let moved = host.move_to(self.key, db);
        if moved {
            host.notify(Class::Generic, "move_from", self.key);
            host.notify_in(db, Class::Generic, "move_to", self.key);
        }
        out.int(i64::from(moved));
        Ok(if moved { Effect::AsSent } else { Effect::None })
    }
}

/// The number of the database that a request names at a position.
fn number(argv: &[&[u8]], at: usize) -> Option<usize> {
    usize::try_from(num::parse_i64(argv.get(at)?)?).ok()
}

/// The database with the number `text`.
pub(super) fn database<H: Databases>(host: &H, text: &[u8]) -> Result<usize, CmdError> {
    let number = num::parse_i64(text).ok_or(error::NOT_INTEGER)?;
    let number = i32::try_from(number).map_err(|_| error::NOT_INT32)?;
    let number = usize::try_from(number).ok().filter(|&n| n < host.databases());
    number.ok_or(error::DB_OUT_OF_RANGE)
}
