//! SRANDMEMBER.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Makes, PackLimits, Reply, Rng, Run, Spec, behaviour, error,
};
use types::Set;

use crate::draw::parse_count;
use crate::repeats::Repeats;

/// Answers members drawn at random: one; or a number of distinct ones; or, if the number is
/// negative, that many which may repeat.
pub struct SRandMember<'a> {
    key: Key<'a>,
    count: Option<i64>,
}

impl<'a> Command<'a> for SRandMember<'a> {
    const SPEC: Spec = Spec {
        name: "srandmember",
        group: Group::Set,
        since: "1.0.0",
        summary: "Answers members of a set drawn at random.",
        complexity: "O(N), when N is the number of members answered",
        grammar: "key:key [count:integer @2.6.0]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        history: &[("2.6.0", "A count.")],
        behaviour: Behaviour::NEW.makes(Makes::Bytes(|argv| behaviour::repeats_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        match args.left() {
            0 => Ok(SRandMember { key, count: None }),
            1 => Ok(SRandMember { key, count: Some(parse_count(&mut args)?) }),
            _ => Err(error::SYNTAX),
        }
    }
}

impl<H: Holds<Set>> Run<H> for SRandMember<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        // The set stays borrowed while members are drawn: random numbers come from an offspring.
        let (mut rng, limits) = (Rng::new(host.rng().next_u64()), host.limits());
        let set = host.peek(self.key)?;
        match (set, self.count) {
            (None, None) => out.null(),
            (Some(set), None) => match set.random(&mut rng) {
                Some(member) => out.bulk(&member.text()),
                None => out.null(),
            },
            (None, Some(_)) | (_, Some(0)) => out.array(0),
            (Some(set), Some(count)) => many(set, count, (&mut rng, limits), out)?,
        }
        Ok(Effect::None)
    }
}

fn many(
    set: &Set,
    count: i64,
    (rng, limits): (&mut Rng, PackLimits),
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let draws = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count < 0 {
        let mut repeats = Repeats::new(draws, limits)?;
        out.array(draws);
        for member in (0..draws).map_while(|_| set.random(rng)) {
            let member = member.text();
            repeats.add(member.len())?;
            out.bulk(&member);
        }
    } else if draws >= set.len() {
        out.array(set.len());
        set.iter().for_each(|member| out.bulk(&member.text()));
    } else {
        let drawn = set.random_distinct(draws, rng);
        out.array(drawn.len());
        drawn.into_iter().for_each(|member| out.bulk(&member.text()));
    }
    Ok(())
}
