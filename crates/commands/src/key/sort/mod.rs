//! SORT and SORT_RO.
//!
//! `order.rs` puts elements in order, `pattern.rs` finds values by patterns like `weight_*`.

mod order;
mod pattern;

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Find, Flag, Group, Key,
    KeyFlag, KeyHasher, KeyRules, KeySpec, Kind, Locks, Property, Reply, Run, RunTime, Spec, Start,
    Stores, error,
};
use types::{End, List, Set, ZSet};

use self::order::{Direction, Order};
use self::pattern::look_up;
use crate::Host;

/// What SORT and SORT_RO have in common.
struct Request<'a> {
    key: Key<'a>,
    by: Option<&'a [u8]>,
    limit: Option<(i64, i64)>,
    get: Vec<&'a [u8]>,
    direction: Direction,
    alpha: bool,
    store: Option<Key<'a>>,
    hasher: &'a KeyHasher,
}

impl<'a> Request<'a> {
    fn parse(mut args: Args<'a>, may_store: bool) -> Result<Self, CmdError> {
        let mut request = Request {
            key: args.key()?,
            by: None,
            limit: None,
            get: Vec::new(),
            direction: Direction::Ascending,
            alpha: false,
            store: None,
            hasher: args.hasher(),
        };
        while args.left() > 0 {
            if args.token("ASC") {
                request.direction = Direction::Ascending;
            } else if args.token("DESC") {
                request.direction = Direction::Descending;
            } else if args.token("ALPHA") {
                request.alpha = true;
            } else if args.left() > 2 && args.token("LIMIT") {
                request.limit = Some((args.integer()?, args.integer()?));
            } else if may_store && args.left() > 1 && args.token("STORE") {
                request.store = Some(args.key()?);
            } else if args.left() > 1 && args.token("BY") {
                request.by = Some(args.next()?);
            } else if args.left() > 1 && args.token("GET") {
                request.get.push(args.next()?);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(request)
    }

    /// The elements in the order asked for, cut to the limit.
    fn sorted<H: Host>(&self, host: &H, kind: Option<Kind>) -> Result<Vec<Vec<u8>>, CmdError> {
        let elements = self.elements(host, kind)?;
        let (from, to) = self.window(elements.len());
        let natural = self.by.is_some_and(|by| !by.contains(&b'*'));
        // A set has no order of its own; what is stored, or seen by a script, must not be
        // random.
        let shown = self.store.is_some() || host.is_scripted();
        let forced = natural && kind == Some(Kind::Set) && shown;
        if natural && !forced {
            let mut elements = elements;
            if kind != Some(Kind::Set) && self.direction == Direction::Descending {
                elements.reverse();
            }
            elements.truncate(to);
            return Ok(elements.split_off(from.min(elements.len())));
        }
        let by = self.by.filter(|_| !forced);
        let order = Order { alpha: self.alpha || forced, direction: self.direction };
        let weigh = |element: &[u8]| match by {
            Some(by) => look_up(host, self.hasher, by, element),
            None => Some(element.to_vec()),
        };
        let mut sorted = order.sort(elements, by.is_some(), weigh)?;
        sorted.truncate(to);
        Ok(sorted.split_off(from.min(sorted.len())))
    }

    fn elements<H: Host>(&self, host: &H, kind: Option<Kind>) -> Result<Vec<Vec<u8>>, CmdError> {
        let mut elements = Vec::new();
        match kind {
            None => {}
            Some(Kind::List) => {
                let list: Option<&List> = host.peek(self.key)?;
                elements.extend(list.into_iter().flat_map(List::iter).map(<[u8]>::to_vec));
            }
            Some(Kind::Set) => {
                let set: Option<&Set> = host.peek(self.key)?;
                elements.extend(set.into_iter().flat_map(Set::iter).map(|m| m.to_vec()));
            }
            Some(Kind::ZSet) => {
                let zset: Option<&ZSet> = host.peek(self.key)?;
                elements.extend(zset.into_iter().flat_map(ZSet::iter).map(|(m, _)| m.to_vec()));
            }
            Some(_) => return Err(error::WRONG_TYPE),
        }
        Ok(elements)
    }

    /// The positions `from..to` that the limit leaves of `len` elements.
    fn window(&self, len: usize) -> (usize, usize) {
        let Some((offset, count)) = self.limit else { return (0, len) };
        let from = usize::try_from(offset.max(0)).unwrap_or(usize::MAX).min(len);
        match usize::try_from(count) {
            Ok(count) => (from, from.saturating_add(count).min(len)),
            Err(_) => (from, len),
        }
    }

    /// What is answered or stored for the sorted elements.
    fn output<H: Host>(&self, host: &H, sorted: Vec<Vec<u8>>) -> Vec<Option<Vec<u8>>> {
        if self.get.is_empty() {
            return sorted.into_iter().map(Some).collect();
        }
        let found = |element: &Vec<u8>| {
            let values = self.get.iter().map(|get| look_up(host, self.hasher, get, element));
            values.collect::<Vec<_>>()
        };
        sorted.iter().flat_map(found).collect()
    }

    fn run<H: Host>(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.notify_if_missing(self.key);
        let kind = host.kind(self.key);
        if kind == Some(Kind::ZSet) {
            host.reshape(self.key, ZSet::unpack)?;
        }
        let sorted = self.sorted(host, kind)?;
        let output = self.output(host, sorted);
        let Some(target) = self.store else {
            out.array(output.len());
            output.iter().for_each(|value| out.bulk_or_null(value.as_deref()));
            return Ok(Effect::None);
        };
        if output.is_empty() {
            let removed = host.remove(target, false);
            if removed {
                host.notify(Class::Generic, "del", target);
            }
            out.int(0);
            return Ok(if removed { Effect::AsSent } else { Effect::None });
        }
        let limits = host.limits();
        let mut list = List::default();
        for value in &output {
            list.push(End::Tail, value.as_deref().unwrap_or_default(), &limits);
        }
        host.put(target, list, Deadline::Clear);
        host.notify(Class::List, "sortstore", target);
        out.count(output.len());
        Ok(Effect::AsSent)
    }
}

/// Patterns name keys that only the elements tell, and the target stands anywhere.
fn locks(argv: &[&[u8]]) -> Locks {
    let names_keys = |word: &&[u8]| {
        ["BY", "GET", "STORE"].iter().any(|t| word.eq_ignore_ascii_case(t.as_bytes()))
    };
    if argv.iter().skip(2).any(names_keys) { Locks::Every } else { Locks::Keys }
}

/// Where a request stores. The spec says "anywhere", since `STORE` may also be the value of another
/// option. The last one counts.
fn target(argv: &[&[u8]]) -> Option<usize> {
    let (mut at, mut target) = (2, None);
    while let Some(word) = argv.get(at) {
        at += match word.to_ascii_uppercase().as_slice() {
            b"LIMIT" => 3,
            b"BY" | b"GET" => 2,
            b"STORE" if at + 1 < argv.len() => {
                target = Some(at + 1);
                2
            }
            _ => 1,
        };
    }
    target
}

/// Sorts, and may store the result.
pub struct Sort<'a>(Request<'a>);

impl<'a> Command<'a> for Sort<'a> {
    const SPEC: Spec = Spec {
        name: "sort",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Sorts a list, set or sorted set.",
        complexity: "O(N+M*log(M)), when N is the number of elements and M of those answered",
        grammar: "key:key [BY pattern:pattern#1] [LIMIT offset_count={offset:integer \
                  count:integer}] [GET pattern:pattern#1+...] [order=(ASC | DESC)] \
                  [sorting!ALPHA] [STORE destination:key#2]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Set, Category::SortedSet, Category::List, Category::Dangerous],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
            KeySpec {
                flags: &[KeyFlag::ReadOnly, KeyFlag::Access],
                start: Start::Unknown,
                find: Find::Unknown,
            },
            KeySpec {
                flags: &[KeyFlag::Overwrite, KeyFlag::Update],
                start: Start::Unknown,
                find: Find::Unknown,
            },
        ],
        behaviour: Behaviour::NEW
            .locks(locks)
            .stores(Stores::Sorted)
            .properties(&[Property::ReadsByPattern])
            .run_time(RunTime::Long)
            .key_rules(KeyRules { target, ..KeyRules::NEW }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Request::parse(args, true).map(Sort)
    }
}

impl<H: Host> Run<H> for Sort<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}

/// Sorts without storing.
pub struct SortRo<'a>(Request<'a>);

impl<'a> Command<'a> for SortRo<'a> {
    const SPEC: Spec = Spec {
        name: "sort_ro",
        group: Group::Generic,
        since: "7.0.0",
        summary: "Sorts a list, set or sorted set, without storing.",
        complexity: "O(N+M*log(M)), when N is the number of elements and M of those answered",
        grammar: "key:key [BY pattern:pattern#1] [LIMIT offset_count={offset:integer \
                  count:integer}] [GET pattern:pattern#1+...] [order=(ASC | DESC)] \
                  [sorting!ALPHA]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Set, Category::SortedSet, Category::List, Category::Dangerous],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
            KeySpec {
                flags: &[KeyFlag::ReadOnly, KeyFlag::Access],
                start: Start::Unknown,
                find: Find::Unknown,
            },
        ],
        behaviour: Behaviour::NEW
            .locks(locks)
            .properties(&[Property::ReadsByPattern])
            .run_time(RunTime::Long),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Request::parse(args, false).map(SortRo)
    }
}

impl<H: Host> Run<H> for SortRo<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}
