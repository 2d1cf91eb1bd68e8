//! RING.WAIT: answers the words of a ring as they are now, or as they are when there is one.

use base::{
    Args, Behaviour, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Kind, Nothing,
    Property, Query, Reply, Run, Shares, Spec, Wait,
};
use types::example::Ring;

use super::scan::scan;

/// Waits for a ring, and reads all words of a version of it.
pub(super) struct WaitForRing<'a> {
    key: Key<'a>,
    /// Where it waits until a test lets it pass.
    gate: Vec<u8>,
}

impl<'a> Command<'a> for WaitForRing<'a> {
    const SPEC: Spec = Spec {
        name: "ring.wait",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers the words of a ring beside others, when there is one.",
        complexity: "O(N)",
        grammar: "key:key gate:string",
        flags: &[Flag::ReadOnly, Flag::Blocking],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(WaitForRing { key: args.key()?, gate: args.next()?.to_vec() })
    }
}

impl<H: Shares<Ring>> Run<H> for WaitForRing<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(ring) = host.share(self.key)? else {
            return Ok(Effect::Block(Box::new(Wait {
                keys: vec![1],
                kind: Kind::Ring,
                until: None,
                in_transaction: Nothing::NullArray,
                resume: None,
            })));
        };
        let gate = self.gate;
        Ok(Effect::Query(Query::over(ring, move |ring, pace, out| scan(ring, &gate, pace, out))))
    }
}
