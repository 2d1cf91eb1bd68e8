//! GEORADIUS and GEORADIUSBYMEMBER, and their forms that only read: the searches of old.

use base::{
    Args, Behaviour, Category, CmdError, Command, Deprecated, Effect, Find, Flag, Group, Holds,
    KeyFlag, KeyRules, KeySpec, Locks, Reply, Run, Spec, Start, behaviour,
};
use types::ZSet;

use super::search::{Form, Search};

/// The key behind a word among the options, which begin at `from`.
const fn stored_at(word: &'static str, from: i32) -> KeySpec {
    KeySpec {
        flags: &[KeyFlag::Overwrite, KeyFlag::Update],
        start: Start::Keyword { word, from, over: &[] },
        find: Find::Range { last: 0, step: 1, limit: 0 },
    }
}

/// Of several STORE and STOREDIST the last of all counts.
const STORES: KeyRules = KeyRules {
    target: |argv| behaviour::behind_last(argv, 5, &["STORE", "STOREDIST"]),
    ..KeyRules::NEW
};

/// Key specs find the first STORE and the first STOREDIST. Given again, the last of all counts,
/// which they do not find.
fn locks(argv: &[&[u8]]) -> Locks {
    let stores = |word: &&&[u8]| {
        word.eq_ignore_ascii_case(b"STORE") || word.eq_ignore_ascii_case(b"STOREDIST")
    };
    if argv.iter().skip(5).filter(stores).count() > 1 { Locks::Every } else { Locks::Keys }
}

fn search(form: Form, mut args: Args<'_>) -> Result<Search<'_>, CmdError> {
    let source = args.key()?;
    Ok(Search { form, source, destination: None, options: args })
}

const COMPLEXITY: &str =
    "O(log N + M), when N is the number of members and M of those around the circle";
const BY_RADIUS: &str = "`GEOSEARCH` and `GEOSEARCHSTORE` with `BYRADIUS`";
const BY_RADIUS_OF_MEMBER: &str =
    "`GEOSEARCH` and `GEOSEARCHSTORE` with `BYRADIUS` and `FROMMEMBER`";

macro_rules! radius {
    ($(#[$doc:meta])* $name:ident, $form:expr, $spec:expr) => {
        $(#[$doc])*
        pub struct $name<'a>(Search<'a>);

        impl<'a> Command<'a> for $name<'a> {
            const SPEC: Spec = $spec;

            fn parse(args: Args<'a>) -> Result<Self, CmdError> {
                search($form, args).map($name)
            }
        }

        impl<H: Holds<ZSet>> Run<H> for $name<'_> {
            fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
                self.0.run(host, out)
            }
        }
    };
}

radius! {
    /// Finds the members around a place.
    GeoRadius,
    Form::Around { stores: true },
    Spec {
        name: "georadius",
        group: Group::Geo,
        since: "3.2.0",
        summary: "Finds the members of a sorted set of places that lie around a place.",
        complexity: COMPLEXITY,
        grammar: "key:key longitude:double latitude:double radius:double unit=(M | KM | FT | MI) \
                  [WITHCOORD] [WITHDIST] [WITHHASH] [count={COUNT count:integer [ANY @6.2.0]}] \
                  [order=(ASC | DESC)] [STORE key:key#1] [STOREDIST key:key#2]",
        arity: -6,
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Geo],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
            stored_at("STORE", 6),
            stored_at("STOREDIST", 6),
        ],
        history: &[("6.2.0", "`ANY` for `COUNT`."), ("7.0.0", "Names of units in upper case.")],
        deprecated: Some(Deprecated { since: "6.2.0", instead: BY_RADIUS }),
        behaviour: Behaviour::NEW.locks(locks).key_rules(STORES),
        ..Spec::NEW
    }
}

radius! {
    /// Finds the members around a place, and cannot store them.
    GeoRadiusRo,
    Form::Around { stores: false },
    Spec {
        name: "georadius_ro",
        group: Group::Geo,
        since: "3.2.10",
        summary: "GEORADIUS that only reads.",
        complexity: COMPLEXITY,
        grammar: "key:key longitude:double latitude:double radius:double unit=(M | KM | FT | MI) \
                  [WITHCOORD] [WITHDIST] [WITHHASH] [count={COUNT count:integer [ANY @6.2.0]}] \
                  [order=(ASC | DESC)]",
        arity: -6,
        flags: &[Flag::ReadOnly],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("6.2.0", "`ANY` for `COUNT`.")],
        deprecated: Some(Deprecated { since: "6.2.0", instead: BY_RADIUS }),
        ..Spec::NEW
    }
}

radius! {
    /// Finds the members around one of them.
    GeoRadiusByMember,
    Form::AroundMember { stores: true },
    Spec {
        name: "georadiusbymember",
        group: Group::Geo,
        since: "3.2.0",
        summary: "Finds the members of a sorted set of places that lie around one of them.",
        complexity: COMPLEXITY,
        grammar: "key:key member:string radius:double unit=(M | KM | FT | MI) [WITHCOORD] \
                  [WITHDIST] [WITHHASH] [count={COUNT count:integer [ANY]}] [order=(ASC | DESC)] \
                  [STORE key:key#1] [STOREDIST key:key#2]",
        arity: -5,
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Geo],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
            stored_at("STORE", 5),
            stored_at("STOREDIST", 5),
        ],
        history: &[("7.0.0", "Names of units in upper case.")],
        deprecated: Some(Deprecated { since: "6.2.0", instead: BY_RADIUS_OF_MEMBER }),
        behaviour: Behaviour::NEW.locks(locks).key_rules(STORES),
        ..Spec::NEW
    }
}

radius! {
    /// Finds the members around one of them, and cannot store them.
    GeoRadiusByMemberRo,
    Form::AroundMember { stores: false },
    Spec {
        name: "georadiusbymember_ro",
        group: Group::Geo,
        since: "3.2.10",
        summary: "GEORADIUSBYMEMBER that only reads.",
        complexity: COMPLEXITY,
        grammar: "key:key member:string radius:double unit=(M | KM | FT | MI) [WITHCOORD] \
                  [WITHDIST] [WITHHASH] [count={COUNT count:integer [ANY]}] [order=(ASC | DESC)]",
        arity: -5,
        flags: &[Flag::ReadOnly],
        categories: &[Category::Geo],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        deprecated: Some(Deprecated { since: "6.2.0", instead: BY_RADIUS_OF_MEMBER }),
        ..Spec::NEW
    }
}
