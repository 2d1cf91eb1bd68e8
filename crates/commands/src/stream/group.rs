//! XGROUP CREATE, SETID, DESTROY, CREATECONSUMER, DELCONSUMER, HELP.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Keyspace, Locks, Reply, Run, Spec, StreamId,
};
use types::Stream;

/// The event of a new consumer, whichever command made it.
pub(super) const CONSUMER_MADE: &str = "xgroup-createconsumer";

use super::{ids, reply};

const NO_KEY: CmdError = CmdError::new(
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to \
     use the MKSTREAM option to create an empty stream automatically.",
);
const BUSY: CmdError = CmdError::new("BUSYGROUP Consumer Group name already exists");
const ENTRIES_READ: CmdError = CmdError::new("ERR value for ENTRIESREAD must be positive or -1");

/// The name before the subcommands.
pub(crate) const XGROUP: Spec = Spec {
    name: "xgroup",
    group: Group::Stream,
    since: "5.0.0",
    summary: "Makes and changes groups of consumers.",
    complexity: "Depends on subcommand.",
    arity: -2,
    ..Spec::NEW
};

/// What the subcommands have in common.
const ABOUT_GROUP: Spec = Spec {
    group: Group::Stream,
    since: "5.0.0",
    complexity: "O(1)",
    categories: &[Category::Stream],
    ..Spec::NEW
};

/// The key, the group, and what may follow the id.
struct Target<'a> {
    key: Key<'a>,
    group: &'a [u8],
    id: &'a [u8],
    make: bool,
    entries_read: Option<u64>,
    argv: &'a [&'a [u8]],
}

impl<'a> Target<'a> {
    fn parse(mut args: Args<'a>, creates: bool) -> Result<Self, CmdError> {
        let argv = args.argv();
        let (key, group, id) = (args.key()?, args.next()?, args.next()?);
        let mut target = Target { key, group, id, make: false, entries_read: None, argv };
        while args.left() > 0 {
            if creates && args.token("MKSTREAM") {
                target.make = true;
            } else if args.left() > 1 && args.token("ENTRIESREAD") {
                let read = args.integer()?;
                if read < -1 {
                    return Err(ENTRIES_READ);
                }
                target.entries_read = u64::try_from(read).ok();
            } else {
                return Err(reply::subcommand_syntax(argv));
            }
        }
        Ok(target)
    }

    /// That no option was given twice, which Redis notices late.
    fn check_words(&self, most: usize) -> Result<(), CmdError> {
        if self.argv.len() > most {
            return Err(reply::subcommand_syntax(self.argv));
        }
        Ok(())
    }
}

/// Makes a group.
pub struct Create<'a>(Target<'a>);

impl<'a> Command<'a> for Create<'a> {
    const SPEC: Spec = Spec {
        name: "xgroup|create",
        summary: "Makes a group of consumers.",
        grammar: "key:key groupname:string id=(id:string | new_id!$) [MKSTREAM] \
                  [ENTRIESREAD entries_read:integer]",
        flags: &[Flag::Write, Flag::DenyOom],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        history: &[("7.0.0", "`ENTRIESREAD`.")],
        ..ABOUT_GROUP
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Target::parse(args, true).map(Create)
    }
}

impl<H: Holds<Stream>> Run<H> for Create<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Target { key, group, id, make, entries_read, argv } = self.0;
        let stream = host.peek(key)?;
        let there = stream.is_some();
        if !there && !make {
            return Err(NO_KEY);
        }
        self.0.check_words(8)?;
        let id = match (id, stream) {
            (b"$", stream) => stream.map_or(StreamId::MIN, |stream| stream.log().last_id()),
            (id, _) => ids::strict(id)?,
        };
        if stream.is_some_and(|stream| stream.group(group).is_some()) {
            return Err(BUSY);
        }
        host.edit(key, |stream| stream.create_group(group, id, entries_read))?;
        host.notify(Class::Stream, "xgroup-create", key);
        out.ok();
        Ok(if there { Effect::Unwatched(vec![Argv::new(argv)]) } else { Effect::AsSent })
    }
}

/// Sets how far a group has read.
pub struct SetId<'a>(Target<'a>);

impl<'a> Command<'a> for SetId<'a> {
    const SPEC: Spec = Spec {
        name: "xgroup|setid",
        summary: "Sets the last id that a group has delivered.",
        grammar: "key:key groupname:string id=(id:string | new_id!$) \
                  [ENTRIESREAD entries_read:integer]",
        flags: &[Flag::Write],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        history: &[("7.0.0", "`ENTRIESREAD`.")],
        ..ABOUT_GROUP
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Target::parse(args, false).map(SetId)
    }
}

impl<H: Holds<Stream>> Run<H> for SetId<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Target { key, group: name, id, entries_read, argv, .. } = self.0;
        let last = host.peek(key)?.ok_or(NO_KEY)?;
        if last.group(name).is_none() {
            return Err(reply::no_group(key.bytes, name));
        }
        self.0.check_words(7)?;
        let id = if id == b"$" { last.log().last_id() } else { ids::loose(id, 0)? };
        host.edit(key, |stream| {
            stream.edit_group(name, |_, group| {
                group.last_id = id;
                group.entries_read = entries_read;
            })
        })?;
        host.notify(Class::Stream, "xgroup-setid", key);
        out.ok();
        Ok(Effect::Unwatched(vec![Argv::new(argv)]))
    }
}

/// Removes a group.
pub struct Destroy<'a> {
    key: Key<'a>,
    group: &'a [u8],
    argv: &'a [&'a [u8]],
}

impl<'a> Command<'a> for Destroy<'a> {
    const SPEC: Spec = Spec {
        name: "xgroup|destroy",
        summary: "Removes a group of consumers, and what is pending for them.",
        complexity: "O(N), when N is the number of pending entries",
        grammar: "key:key groupname:string",
        flags: &[Flag::Write],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..ABOUT_GROUP
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let argv = args.argv();
        Ok(Destroy { key: args.key()?, group: args.next()?, argv })
    }
}

impl<H: Holds<Stream>> Run<H> for Destroy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let stream = host.peek(self.key)?.ok_or(NO_KEY)?;
        if stream.group(self.group).is_none() {
            out.int(0);
            return Ok(Effect::None);
        }
        host.edit(self.key, |stream| stream.destroy_group(self.group))?;
        host.notify(Class::Stream, "xgroup-destroy", self.key);
        out.int(1);
        Ok(Effect::Unblocks(vec![Argv::new(self.argv)]))
    }
}

/// A consumer of a group.
struct Named<'a> {
    key: Key<'a>,
    group: &'a [u8],
    consumer: &'a [u8],
    argv: &'a [&'a [u8]],
}

impl<'a> Named<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let argv = args.argv();
        Ok(Named { key: args.key()?, group: args.next()?, consumer: args.next()?, argv })
    }

    /// Edits the group, which has to be there.
    fn edit<H: Holds<Stream>, R>(
        &self,
        host: &mut H,
        edit: impl FnOnce(&mut types::stream::Group) -> R,
    ) -> Result<R, CmdError> {
        let stream = host.peek(self.key)?.ok_or(NO_KEY)?;
        let missing = || reply::no_group(self.key.bytes, self.group);
        stream.group(self.group).ok_or_else(missing)?;
        let done =
            host.edit(self.key, |stream| stream.edit_group(self.group, |_, group| edit(group)));
        done?.ok_or_else(missing)
    }

    fn effect(&self) -> Effect {
        Effect::Unwatched(vec![Argv::new(self.argv)])
    }
}

/// Makes a consumer.
pub struct CreateConsumer<'a>(Named<'a>);

impl<'a> Command<'a> for CreateConsumer<'a> {
    const SPEC: Spec = Spec {
        name: "xgroup|createconsumer",
        since: "6.2.0",
        summary: "Makes a consumer of a group.",
        grammar: "key:key groupname:string consumername:string",
        flags: &[Flag::Write, Flag::DenyOom],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        ..ABOUT_GROUP
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Named::parse(args).map(CreateConsumer)
    }
}

impl<H: Holds<Stream>> Run<H> for CreateConsumer<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let now = host.now();
        let made = self.0.edit(host, |group| group.find_or_create(self.0.consumer, now).1)?;
        if made {
            host.notify(Class::Stream, CONSUMER_MADE, self.0.key);
        }
        out.int(i64::from(made));
        Ok(if made { self.0.effect() } else { Effect::None })
    }
}

/// Removes a consumer.
pub struct DelConsumer<'a>(Named<'a>);

impl<'a> Command<'a> for DelConsumer<'a> {
    const SPEC: Spec = Spec {
        name: "xgroup|delconsumer",
        summary: "Removes a consumer of a group, and what is pending for it.",
        grammar: "key:key groupname:string consumername:string",
        flags: &[Flag::Write],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..ABOUT_GROUP
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Named::parse(args).map(DelConsumer)
    }
}

impl<H: Holds<Stream>> Run<H> for DelConsumer<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let gone = self.0.edit(host, |group| group.delete(self.0.consumer))?;
        if gone.is_some() {
            host.notify(Class::Stream, "xgroup-delconsumer", self.0.key);
        }
        out.count(gone.unwrap_or(0));
        Ok(if gone.is_some() { self.0.effect() } else { Effect::None })
    }
}

/// XGROUP HELP.
pub struct GroupHelp<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> Command<'a> for GroupHelp<'a> {
    const SPEC: Spec = Spec {
        name: "xgroup|help",
        summary: "Lists the subcommands of XGROUP.",
        flags: &[Flag::Loading, Flag::Stale],
        behaviour: ABOUT_GROUP.behaviour.locks(|_| Locks::Nothing),
        ..ABOUT_GROUP
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(GroupHelp(std::marker::PhantomData))
    }
}

impl<H: Keyspace> Run<H> for GroupHelp<'_> {
    fn run(self, _: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let lines = [
            "XGROUP <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "CREATE <key> <group> (<id>|$) [MKSTREAM] [ENTRIESREAD <n>]",
            "    Make a group that has read up to <id>; with MKSTREAM the stream too.",
            "CREATECONSUMER <key> <group> <consumer>",
            "    Make a consumer.",
            "DELCONSUMER <key> <group> <consumer>",
            "    Remove a consumer, and what is pending for it.",
            "DESTROY <key> <group>",
            "    Remove a group.",
            "SETID <key> <group> (<id>|$) [ENTRIESREAD <n>]",
            "    Set the last id that the group has delivered.",
            "HELP",
            "    This text.",
        ];
        out.array(lines.len());
        lines.iter().for_each(|line| out.simple(line));
        Ok(Effect::None)
    }
}
