//! ZRANDMEMBER.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Makes, PackLimits, Reply, Rng, Run, Spec, behaviour, error,
};
use types::ZSet;

use super::reply;
use crate::hash::randfield::parse_count;
use crate::repeats::Repeats;

/// Answers members drawn at random: one; or a number of distinct ones; or, if the number is
/// negative, that many which may repeat.
pub struct ZRandMember<'a> {
    key: Key<'a>,
    count: Option<i64>,
    with_scores: bool,
}

impl<'a> Command<'a> for ZRandMember<'a> {
    const SPEC: Spec = Spec {
        name: "zrandmember",
        group: Group::SortedSet,
        since: "6.2.0",
        summary: "Answers members of a sorted set drawn at random.",
        complexity: "O(M*log N), when N is the number of members and M of those answered",
        grammar: "key:key [options={count:integer [WITHSCORES]}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        behaviour: Behaviour::NEW.makes(Makes::Bytes(|argv| behaviour::repeats_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        if args.left() == 0 {
            return Ok(ZRandMember { key, count: None, with_scores: false });
        }
        let count = parse_count(&mut args)?;
        let with_scores = args.token("WITHSCORES");
        args.end()?;
        // Twice as many elements must still be a number of elements.
        if with_scores && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
            return Err(error::OUT_OF_RANGE);
        }
        Ok(ZRandMember { key, count: Some(count), with_scores })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRandMember<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        // The sorted set stays borrowed while members are drawn: random numbers come from an
        // offspring.
        let (mut rng, limits) = (Rng::new(host.rng().next_u64()), host.limits());
        match (host.peek(self.key)?, self.count) {
            (None, None) => out.null(),
            (Some(zset), None) => out.bulk_or_null(zset.random(&mut rng).map(|pair| pair.0)),
            (None, Some(_)) | (_, Some(0)) => out.array(0),
            (Some(zset), Some(count)) => self.many(zset, count, (&mut rng, limits), out)?,
        }
        Ok(Effect::None)
    }
}

impl ZRandMember<'_> {
    fn many(
        &self,
        zset: &ZSet,
        count: i64,
        (rng, limits): (&mut Rng, PackLimits),
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let draws = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        if count < 0 {
            self.repeated(zset, (draws, Repeats::new(draws, limits)?), rng, out)?;
        } else if draws >= zset.len() {
            // All of them come from the highest down, as in Redis.
            reply::members(zset.iter().rev(), self.with_scores, out);
        } else {
            let drawn = zset.random_distinct(draws, rng);
            reply::members(drawn.into_iter(), self.with_scores, out);
        }
        Ok(())
    }

    fn repeated(
        &self,
        zset: &ZSet,
        (draws, mut repeats): (usize, Repeats),
        rng: &mut Rng,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        reply::header(draws, self.with_scores, out);
        if draws < zset.len() {
            for (member, score) in (0..draws).map_while(|_| zset.random(rng)) {
                repeats.add(member.len())?;
                reply::element(member, score, self.with_scores, out);
            }
            return Ok(());
        }
        // Many draws: laying out all members once is cheaper than seeking each.
        let all: Vec<_> = zset.iter().collect();
        for _ in 0..draws {
            let (member, score) = all[rng.below(all.len())];
            repeats.add(member.len())?;
            reply::element(member, score, self.with_scores, out);
        }
        Ok(())
    }
}
