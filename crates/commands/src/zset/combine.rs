//! What union, intersection and difference share: their inputs, options and results.
//!
//! Inputs are sorted sets, or sets whose members all score 1. As in Redis, inputs are looked up
//! before options are read, so that a key of another type is reported first.

use std::cmp::Ordering;

use base::{
    Args, Behaviour, Category, Class, CmdError, Deadline, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeyHasher, KeySpec, Reply, Spec, Stores, error, num,
};
use types::set::{Member, Text};
use types::{Set, ZSet};

use super::reply;

/// What those have in common that answer their result.
pub(super) const ANSWERS: Spec = Spec {
    group: Group::SortedSet,
    flags: &[Flag::ReadOnly],
    categories: &[Category::SortedSet],
    keys: &[KeySpec::counted(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
    ..Spec::NEW
};

/// What those have in common that store it.
pub(super) const STORES: Spec = Spec {
    group: Group::SortedSet,
    flags: &[Flag::Write, Flag::DenyOom],
    categories: &[Category::SortedSet],
    keys: &[
        KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update]),
        KeySpec::counted(2, &[KeyFlag::ReadOnly, KeyFlag::Access]),
    ],
    behaviour: Behaviour::NEW.stores(Stores::Derived),
    ..Spec::NEW
};

/// Where a result goes, and what it is made of.
pub(super) struct Stored<'a> {
    pub destination: Key<'a>,
    pub inputs: Inputs<'a>,
}

impl<'a> Stored<'a> {
    /// Reads them; `name` is the command's, for errors.
    ///
    /// # Errors
    /// As [`Inputs::parse`].
    pub fn parse(mut args: Args<'a>, name: &str) -> Result<Self, CmdError> {
        Ok(Stored { destination: args.key()?, inputs: Inputs::parse(args, name)? })
    }
}

/// The keys of the inputs, and options that are not parsed yet.
pub(super) struct Inputs<'a> {
    keys: Vec<Key<'a>>,
    options: Args<'a>,
}

/// Which options a command has.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// WEIGHTS and AGGREGATE.
    pub weights: bool,
    /// WITHSCORES.
    pub with_scores: bool,
    /// LIMIT.
    pub limit: bool,
}

/// What the options say.
pub(super) struct Options {
    weights: Vec<f64>,
    pub aggregate: Aggregate,
    pub with_scores: bool,
    /// How many members are enough; 0: all.
    pub limit: usize,
}

/// How the scores that a member has in several inputs become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Sum,
    Min,
    Max,
}

impl Aggregate {
    /// `score` and one more. Infinities of both signs sum up to 0; if `next` is not a number, it
    /// is never the lower nor the higher one. Never NaN if `score` is not.
    pub fn combine(self, score: f64, next: f64) -> f64 {
        match self {
            Aggregate::Sum => zero_if_nan(score + next),
            Aggregate::Min if next < score => next,
            Aggregate::Max if next > score => next,
            Aggregate::Min | Aggregate::Max => score,
        }
    }
}

fn zero_if_nan(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

impl<'a> Inputs<'a> {
    /// Reads a number of keys and the keys; `name` is the command's, for errors.
    ///
    /// # Errors
    /// The number is none, not positive, or larger than what follows.
    pub fn parse(mut args: Args<'a>, name: &str) -> Result<Self, CmdError> {
        let count = args.integer()?;
        if count < 1 {
            return Err(error::no_input_keys(name));
        }
        let keys = args.keys(usize::try_from(count).unwrap_or(usize::MAX))?;
        Ok(Inputs { keys, options: args })
    }

    /// What is at the keys.
    ///
    /// # Errors
    /// Any of the keys holds neither a sorted set nor a set.
    pub fn sources<'h, H>(&self, host: &'h H) -> Result<Vec<Source<'h>>, CmdError>
    where
        H: Holds<ZSet> + Holds<Set>,
    {
        let source = |key: &Key<'a>| {
            host.notify_if_missing(*key);
            let what = match Holds::<ZSet>::peek(host, *key) {
                Ok(zset) => zset.map_or(What::Nothing, What::Scored),
                Err(_) => Holds::<Set>::peek(host, *key)?.map_or(What::Nothing, What::Plain),
            };
            Ok(Source { what, weight: 1.0 })
        };
        self.keys.iter().map(source).collect()
    }

    /// The options, of which this command knows some.
    ///
    /// # Errors
    /// Unknown or malformed options.
    pub fn options(&self, known: Known) -> Result<Options, CmdError> {
        let mut args = self.options.clone();
        let mut options = Options {
            weights: Vec::new(),
            aggregate: Aggregate::Sum,
            with_scores: false,
            limit: 0,
        };
        while args.left() > 0 {
            if known.weights && args.left() > self.keys.len() && args.token("WEIGHTS") {
                let weight = |_| num::parse_f64(args.next()?).ok_or(error::WEIGHT_NOT_FLOAT);
                options.weights = (0..self.keys.len()).map(weight).collect::<Result<_, _>>()?;
            } else if known.weights && args.left() > 1 && args.token("AGGREGATE") {
                options.aggregate = parse_aggregate(&mut args)?;
            } else if known.with_scores && args.token("WITHSCORES") {
                options.with_scores = true;
            } else if known.limit && args.left() > 1 && args.token("LIMIT") {
                let limit = num::parse_i64(args.next()?).and_then(|n| usize::try_from(n).ok());
                options.limit = limit.ok_or(error::LIMIT_NEGATIVE)?;
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(options)
    }

    /// Hashes members like keys, with a seed that clients do not know.
    pub fn hasher(&self) -> &'a KeyHasher {
        self.options.hasher()
    }
}

fn parse_aggregate(args: &mut Args<'_>) -> Result<Aggregate, CmdError> {
    if args.token("SUM") {
        Ok(Aggregate::Sum)
    } else if args.token("MIN") {
        Ok(Aggregate::Min)
    } else if args.token("MAX") {
        Ok(Aggregate::Max)
    } else {
        Err(error::SYNTAX)
    }
}

impl Options {
    /// Gives the sources their weights, then puts them in order, smallest first: intersecting
    /// gets cheap by it, and sums of doubles depend on it, so that clients see it.
    pub fn arrange(&self, sources: &mut [Source<'_>]) {
        for (source, weight) in sources.iter_mut().zip(&self.weights) {
            source.weight = *weight;
        }
        sources.sort_by_key(Source::len);
    }
}

/// One input and its weight.
pub(super) struct Source<'h> {
    what: What<'h>,
    weight: f64,
}

enum What<'h> {
    Nothing,
    Scored(&'h ZSet),
    Plain(&'h Set),
}

/// Members with scores, in any order.
pub(super) type Pairs<'h> = Vec<(Text<'h>, f64)>;

impl<'h> Source<'h> {
    pub fn len(&self) -> usize {
        match self.what {
            What::Nothing => 0,
            What::Scored(zset) => zset.len(),
            What::Plain(set) => set.len(),
        }
    }

    /// The score of `member`, times the weight, which may be NaN. O(1).
    pub fn weighed(&self, member: &[u8]) -> Option<f64> {
        match self.what {
            What::Nothing => None,
            What::Scored(zset) => zset.score(member).map(|score| score * self.weight),
            What::Plain(set) => set.contains(member).then_some(self.weight),
        }
    }

    /// Whether `member` is one. O(1).
    pub fn contains(&self, member: &[u8]) -> bool {
        match self.what {
            What::Nothing => false,
            What::Scored(zset) => zset.score(member).is_some(),
            What::Plain(set) => set.contains(member),
        }
    }

    /// All members with their scores times the weight; 0 for what is not a number.
    pub fn iter(&self) -> impl Iterator<Item = (Text<'h>, f64)> + use<'h> {
        let (scored, plain) = match self.what {
            What::Nothing => (None, None),
            What::Scored(zset) => (Some(zset.iter()), None),
            What::Plain(set) => (None, Some(set.iter())),
        };
        let weight = self.weight;
        let scored = scored.into_iter().flatten();
        let plain = plain.into_iter().flatten();
        scored
            .map(|(member, score)| (Member::Bytes(member), score))
            .chain(plain.map(|member| (member, 1.0)))
            .map(move |(member, score)| (member.text(), zero_if_nan(score * weight)))
    }
}

/// Answers a result, lowest score first.
pub(super) fn answer(mut pairs: Pairs<'_>, with_scores: bool, out: &mut dyn Reply) {
    // Scores are never NaN here; zeros of both signs are equal, so that members decide.
    pairs.sort_unstable_by(|a, b| {
        let scores = a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal);
        scores.then_with(|| a.0.cmp(&b.0))
    });
    reply::members(pairs.iter().map(|(member, score)| (&**member, *score)), with_scores, out);
}

/// Makes a sorted set of a result.
pub(super) fn collect<H: Holds<ZSet>>(pairs: &Pairs<'_>, host: &H) -> ZSet {
    let pairs = pairs.iter().map(|(member, score)| (&**member, *score));
    ZSet::collect(pairs, &host.limits())
}

/// Puts a result in place of whatever `key` holds and answers its size; an empty one removes the
/// key. `event` is told if there is a result.
pub(crate) fn store<H: Holds<ZSet>>(
    (event, key): (&'static str, Key<'_>),
    result: ZSet,
    host: &mut H,
    out: &mut dyn Reply,
) -> Effect {
    out.count(result.len());
    if result.is_empty() {
        if !host.remove(key, true) {
            return Effect::None;
        }
        host.notify(Class::Generic, "del", key);
        return Effect::AsSent;
    }
    host.put(key, result, Deadline::Clear);
    host.notify(Class::ZSet, event, key);
    Effect::AsSent
}
