//! SUNION, SUNIONSTORE.

use base::{Args, CmdError, Command, Effect, Holds, Reply, Run, Spec};
use types::Set;

use super::sources::{ANSWERING, STORING, Sources, Storing, reply};

/// Answers the members of any of several sets.
pub struct SUnion<'a>(Sources<'a>);

impl<'a> Command<'a> for SUnion<'a> {
    const SPEC: Spec = Spec {
        name: "sunion",
        summary: "Answers the members that any of several sets has.",
        complexity: "O(N), when N is the number of members of all sets together",
        ..ANSWERING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SUnion(Sources::parse(&mut args)))
    }
}

impl<H: Holds<Set>> Run<H> for SUnion<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = union(&self.0, host)?;
        reply(result.iter(), out);
        Ok(Effect::None)
    }
}

/// Stores the members of any of several sets.
pub struct SUnionStore<'a>(Storing<'a>);

impl<'a> Command<'a> for SUnionStore<'a> {
    const SPEC: Spec = Spec {
        name: "sunionstore",
        summary: "Stores the members that any of several sets has.",
        complexity: "O(N), when N is the number of members of all sets together",
        ..STORING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Storing::parse(args).map(SUnionStore)
    }
}

impl<H: Holds<Set>> Run<H> for SUnionStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = union(&self.0.sources, host)?;
        Ok(self.0.store("sunionstore", result, host, out))
    }
}

/// Members are added one by one to a set of integers, as in Redis: that decides the encoding of
/// the result, and that integers are answered in ascending order.
fn union<H: Holds<Set>>(sources: &Sources<'_>, host: &H) -> Result<Set, CmdError> {
    let limits = host.limits();
    let mut result = Set::default();
    for member in sources.sets(host)?.into_iter().flatten().flat_map(Set::iter) {
        result.add_member(member, &limits);
    }
    Ok(result)
}
