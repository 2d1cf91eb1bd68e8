//! HRANDFIELD.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Makes, PackLimits, Protocol, Reply, Rng, Run, Spec, behaviour,
};
use types::Hash;

use crate::draw::Draw;
use crate::repeats::Repeats;

/// Answers fields drawn at random: one; or a number of distinct ones; or, if the number is
/// negative, that many which may repeat.
pub struct HRandField<'a> {
    key: Key<'a>,
    draw: Draw,
}

impl<'a> Command<'a> for HRandField<'a> {
    const SPEC: Spec = Spec {
        name: "hrandfield",
        group: Group::Hash,
        since: "6.2.0",
        summary: "Answers fields of a hash drawn at random.",
        complexity: "O(N), when N is the number of fields answered",
        grammar: "key:key [options={count:integer [WITHVALUES]}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        behaviour: Behaviour::NEW.makes(Makes::Bytes(|argv| behaviour::repeats_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HRandField { key: args.key()?, draw: Draw::parse(&mut args, "WITHVALUES")? })
    }
}

impl<H: Holds<Hash>> Run<H> for HRandField<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        // The hash stays borrowed while fields are drawn: random numbers come from an offspring.
        let (mut rng, limits) = (Rng::new(host.rng().next_u64()), host.limits());
        let hash = host.peek(self.key)?;
        match (hash, self.draw.count) {
            (None, None) => out.null(),
            (Some(hash), None) => out.bulk_or_null(hash.random(&mut rng).map(|(field, _)| field)),
            (None, Some(_)) | (_, Some(0)) => out.array(0),
            (Some(hash), Some(count)) => self.many(hash, count, (&mut rng, limits), out)?,
        }
        Ok(Effect::None)
    }
}

impl HRandField<'_> {
    fn many(
        &self,
        hash: &Hash,
        count: i64,
        (rng, limits): (&mut Rng, PackLimits),
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let draws = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        if count < 0 {
            let mut repeats = Repeats::new(draws, limits)?;
            self.header(draws, out);
            for (field, value) in (0..draws).map_while(|_| hash.random(rng)) {
                repeats.add(field.len() + if self.draw.with { value.len() } else { 0 })?;
                self.element(field, value, out);
            }
        } else if draws >= hash.len() {
            self.header(hash.len(), out);
            hash.iter().for_each(|(field, value)| self.element(field, value, out));
        } else {
            let drawn = hash.random_distinct(draws, rng);
            self.header(drawn.len(), out);
            drawn.into_iter().for_each(|(field, value)| self.element(field, value, out));
        }
        Ok(())
    }

    /// In RESP3 each field stands with its value in an array of its own.
    fn header(&self, fields: usize, out: &mut dyn Reply) {
        let flat = self.draw.with && out.protocol() == Protocol::Resp2;
        out.array(if flat { fields * 2 } else { fields });
    }

    fn element(&self, field: &[u8], value: &[u8], out: &mut dyn Reply) {
        if !self.draw.with {
            return out.bulk(field);
        }
        if out.protocol() == Protocol::Resp3 {
            out.array(2);
        }
        out.bulk(field);
        out.bulk(value);
    }
}
