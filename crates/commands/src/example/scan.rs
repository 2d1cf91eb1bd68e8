//! RING.SCAN: answers the words of a ring as they are now, however long that takes.

use base::{
    Args, Behaviour, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Pace, Property,
    Query, Reply, Run, Shares, Spec,
};
use types::example::{FrozenRing, Ring};

use super::gate;

/// Reads all words of a version of a ring.
pub(super) struct Scan<'a> {
    key: Key<'a>,
    /// Where it waits until a test lets it pass.
    gate: Vec<u8>,
}

impl<'a> Command<'a> for Scan<'a> {
    const SPEC: Spec = Spec {
        name: "ring.scan",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers the words of a ring beside others.",
        complexity: "O(N)",
        grammar: "key:key gate:string",
        flags: &[Flag::ReadOnly],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Scan { key: args.key()?, gate: args.next()?.to_vec() })
    }
}

impl<H: Shares<Ring>> Run<H> for Scan<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(ring) = host.share(self.key)? else {
            out.array(0);
            return Ok(Effect::None);
        };
        let gate = self.gate;
        let query = Query::over(ring, move |ring, pace, out| scan(ring, &gate, pace, out));
        Ok(Effect::Query(query))
    }
}

/// So many words are a piece of work.
const PIECE: usize = 256;

/// Passes the gate, and writes the words.
pub(super) fn scan(
    ring: &FrozenRing,
    gate: &[u8],
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    gate::pass(gate, pace, out)?;
    out.array(ring.len());
    for (number, word) in ring.words().enumerate() {
        if number % PIECE == 0 {
            pace.go_on(&*out, gate.len())?;
            if number > 0 {
                gate::pass_again(gate)?;
            }
        }
        out.bulk(word);
    }
    Ok(())
}
