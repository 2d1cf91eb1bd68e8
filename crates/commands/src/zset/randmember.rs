//! ZRANDMEMBER.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Makes, PackLimits, Reply, Rng, Run, Spec, behaviour,
};
use types::ZSet;

use super::reply;
use crate::draw::Draw;
use crate::repeats::Repeats;

/// Answers members drawn at random: one; or a number of distinct ones; or, if the number is
/// negative, that many which may repeat.
pub struct ZRandMember<'a> {
    key: Key<'a>,
    draw: Draw,
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
        Ok(ZRandMember { key: args.key()?, draw: Draw::parse(&mut args, "WITHSCORES")? })
    }
}

impl<H: Holds<ZSet>> Run<H> for ZRandMember<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        // The sorted set stays borrowed while members are drawn: random numbers come from an
        // offspring.
        let (mut rng, limits) = (Rng::new(host.rng().next_u64()), host.limits());
        match (host.peek(self.key)?, self.draw.count) {
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
            reply::members(zset.iter().rev(), self.draw.with, out);
        } else {
            let drawn = zset.random_distinct(draws, rng);
            reply::members(drawn.into_iter(), self.draw.with, out);
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
        reply::header(draws, self.draw.with, out);
        if draws < zset.len() {
            for (member, score) in (0..draws).map_while(|_| zset.random(rng)) {
                repeats.add(member.len())?;
                reply::element(member, score, self.draw.with, out);
            }
            return Ok(());
        }
        // Many draws: laying out all members once is cheaper than seeking each.
        let all: Vec<_> = zset.iter().collect();
        for _ in 0..draws {
            let (member, score) = all[rng.below(all.len())];
            repeats.add(member.len())?;
            reply::element(member, score, self.draw.with, out);
        }
        Ok(())
    }
}
