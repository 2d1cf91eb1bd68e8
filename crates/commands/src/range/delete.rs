//! RANGE.DELETE.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Locks, Reply, Run, Spec,
    error,
};
use types::{KeyList, Ordered, Span};

use super::{options, span};

/// Keys of a step: the shards of all of them are held at once, for some dozen microseconds.
const STEP: usize = 128;

/// Deletes the keys between two bounds.
pub struct Delete<'a> {
    span: Span<'a>,
    limit: usize,
}

impl<'a> Command<'a> for Delete<'a> {
    const SPEC: Spec = Spec {
        name: "range.delete",
        group: Group::Range,
        since: "0.1.0",
        summary: "Deletes the keys between two bounds, in steps; other clients go on between them.",
        complexity: "O(M*log(N)), when N is the number of keys in the database and M that of the \
                     keys deleted",
        grammar: "start:string end:string [LIMIT count:integer]",
        flags: &[Flag::Write],
        categories: &[Category::Keyspace, Category::Dangerous],
        tips: &["request_policy:all_shards", "response_policy:agg_sum"],
        behaviour: Behaviour::NEW.locks(|_| Locks::Each),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let span = span::between(args.next()?, args.next()?)?;
        let mut limit = usize::MAX;
        while args.left() > 0 {
            if args.left() < 2 || !args.token("LIMIT") {
                return Err(error::SYNTAX);
            }
            limit = options::limit(&mut args)?;
        }
        Ok(Delete { span, limit })
    }
}

impl<H: Ordered> Run<H> for Delete<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (mut deleted, mut last) = (0, None::<Vec<u8>>);
        while deleted < self.limit && !host.must_stop() {
            let left = last.as_ref().map_or(self.span, |name| span::rest(self.span, false, name));
            let mut names = KeyList::default();
            host.names(left, false, STEP.min(self.limit - deleted), &mut names)?;
            deleted += host.hold(&names, |host| {
                let gone = |name: &&[u8]| host.may(name) && host.delete(host.key_of(name));
                names.iter().filter(gone).count()
            });
            match names.last() {
                Some(name) => last = Some(name.to_vec()),
                None => break,
            }
        }
        out.count(deleted);
        // Each key was recorded in its step; that there was a change is all there is to say.
        Ok(if deleted == 0 { Effect::None } else { Effect::Several(Vec::new()) })
    }
}
