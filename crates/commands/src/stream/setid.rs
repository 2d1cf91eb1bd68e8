//! XSETID.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Run, Spec, StreamId, error,
};
use types::Stream;

use super::ids;

const ADDED_NEGATIVE: CmdError = CmdError::new("ERR entries_added must be positive");
const BELOW_GIVEN_DELETED: CmdError = CmdError::new(
    "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id",
);
const BELOW_TOP: CmdError =
    CmdError::new("ERR The ID specified in XSETID is smaller than the target stream top item");
const ADDED_BELOW_LENGTH: CmdError = CmdError::new(
    "ERR The entries_added specified in XSETID is smaller than the target stream length",
);

/// Sets the counters of a stream.
pub struct XSetId<'a> {
    key: Key<'a>,
    id: StreamId,
    added: Option<u64>,
    deleted: StreamId,
    argv: &'a [&'a [u8]],
}

impl<'a> Command<'a> for XSetId<'a> {
    const SPEC: Spec = Spec {
        name: "xsetid",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Sets the last id of a stream, and what it counts; for copies of one.",
        complexity: "O(1)",
        grammar: "key:key last-id:string [ENTRIESADDED entries_added:integer @7.0.0] \
                  [MAXDELETEDID max_deleted_entry_id:string @7.0.0]",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        history: &[("7.0.0", "`ENTRIESADDED`, `MAXDELETEDID`.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let argv = args.argv();
        let (key, id) = (args.key()?, ids::strict(args.next()?)?);
        let mut set = XSetId { key, id, added: None, deleted: StreamId::MIN, argv };
        while args.left() > 0 {
            if args.left() > 1 && args.token("ENTRIESADDED") {
                set.added = Some(u64::try_from(args.integer()?).map_err(|_| ADDED_NEGATIVE)?);
            } else if args.left() > 1 && args.token("MAXDELETEDID") {
                set.deleted = ids::strict(args.next()?)?;
                if set.id < set.deleted {
                    return Err(BELOW_GIVEN_DELETED);
                }
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(set)
    }
}

impl<H: Holds<Stream>> Run<H> for XSetId<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let log = host.peek(self.key)?.ok_or(error::NO_SUCH_KEY)?.log();
        if !log.is_empty() {
            if self.id < log.greatest_id() {
                return Err(BELOW_TOP);
            }
            if self.added.is_some_and(|added| added < log.len() as u64) {
                return Err(ADDED_BELOW_LENGTH);
            }
        }
        let deleted = Some(self.deleted).filter(|&id| id != StreamId::MIN);
        host.edit(self.key, |stream| stream.set_ids(self.id, self.added, deleted))?;
        host.notify(Class::Stream, "xsetid", self.key);
        out.ok();
        Ok(Effect::Unwatched(vec![Argv::new(self.argv)]))
    }
}
