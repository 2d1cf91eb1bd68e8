//! FOLIO.WATCH.POLL: the records of a watch that have changed.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, error,
};
use types::Folio;

use super::watch::{number, with};

/// Answers what has changed.
pub struct WatchPoll<'a> {
    key: Key<'a>,
    watch: &'a [u8],
    is_whole: bool,
    after: After,
}

/// What becomes of what is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// It is answered no more.
    Done,
    /// It is answered again until it is let go.
    Kept,
    /// Nothing is answered: what was kept is let go.
    LetGo,
}

impl<'a> Command<'a> for WatchPoll<'a> {
    const SPEC: Spec = Spec {
        name: "folio.watch.poll",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers the ids of those records of a watch that have changed since it was last \
                  asked, or of all.",
        complexity: "O(N), when N is the number of ids answered",
        grammar: "key:key watch:string [REFRESH] [after=(KEEP | LETGO)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, watch) = (args.key()?, args.next()?);
        let is_whole = args.token("REFRESH");
        let after = match () {
            () if args.token("KEEP") => After::Kept,
            () if args.token("LETGO") => After::LetGo,
            () => After::Done,
        };
        args.end()?;
        if is_whole && after == After::LetGo {
            return Err(error::SYNTAX);
        }
        Ok(WatchPoll { key, watch, is_whole, after })
    }
}

impl<H: Holds<Folio>> Run<H> for WatchPoll<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let watch = number(self.watch)?;
        let ids = with(host, self.key, |all, now| match (self.after, self.is_whole) {
            (After::Kept, is_whole) => all.keep(watch, is_whole, now),
            (After::LetGo, _) => all.let_go(watch, now).map(|()| Vec::new()),
            (After::Done, true) => all.refresh(watch, now),
            (After::Done, false) => all.poll(watch, now),
        })?;
        out.array(ids.len());
        ids.iter().for_each(|id| out.bulk(id.as_str().as_bytes()));
        Ok(Effect::None)
    }
}
