//! GEOSEARCH and GEOSEARCHSTORE.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, KeyFlag, KeySpec, Reply, Run,
    Spec,
};
use types::ZSet;

use super::search::{Form, Search};

/// Finds the members in a circle or a box.
pub struct GeoSearch<'a>(Search<'a>);

impl<'a> Command<'a> for GeoSearch<'a> {
    const SPEC: Spec = Spec {
        name: "geosearch",
        group: Group::Geo,
        since: "6.2.0",
        summary: "Finds the members of a sorted set of places that lie in a circle or a box.",
        complexity: "O(log N + M), when N is the number of members and M of those around the shape",
        grammar: "key:key from=(FROMMEMBER member:string | FROMLONLAT \
                  longitude_latitude={longitude:double latitude:double}) by=(circle={BYRADIUS \
                  radius:double unit=(M | KM | FT | MI)} | box={BYBOX width:double height:double \
                  unit=(M | KM | FT | MI)}) [order=(ASC | DESC)] [count={COUNT count:integer \
                  [ANY]}] [WITHCOORD] [WITHDIST] [WITHHASH]",
        arity: -7,
        flags: &[Flag::ReadOnly],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("7.0.0", "Names of units in upper case.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let source = args.key()?;
        let search = Search { form: Form::Options, source, destination: None, options: args };
        Ok(GeoSearch(search))
    }
}

impl<H: Holds<ZSet>> Run<H> for GeoSearch<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}

/// Stores the members in a circle or a box at another key.
pub struct GeoSearchStore<'a>(Search<'a>);

impl<'a> Command<'a> for GeoSearchStore<'a> {
    const SPEC: Spec = Spec {
        name: "geosearchstore",
        group: Group::Geo,
        since: "6.2.0",
        summary: "Stores the members of a sorted set of places that lie in a circle or a box.",
        complexity: "O(log N + M), when N is the number of members and M of those around the shape",
        grammar: "destination:key source:key#1 from=(FROMMEMBER member:string | FROMLONLAT \
                  longitude_latitude={longitude:double latitude:double}) by=(circle={BYRADIUS \
                  radius:double unit=(M | KM | FT | MI)} | box={BYBOX width:double height:double \
                  unit=(M | KM | FT | MI)}) [order=(ASC | DESC)] [count={COUNT count:integer \
                  [ANY]}] [STOREDIST]",
        arity: -8,
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Geo],
        keys: &[
            KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update]),
            KeySpec::one(2, &[KeyFlag::ReadOnly, KeyFlag::Access]),
        ],
        history: &[("7.0.0", "Names of units in upper case.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (destination, source) = (Some(args.key()?), args.key()?);
        let search = Search { form: Form::OptionsStored, source, destination, options: args };
        Ok(GeoSearchStore(search))
    }
}

impl<H: Holds<ZSet>> Run<H> for GeoSearchStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}
