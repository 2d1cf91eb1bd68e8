//! ZADD and ZINCRBY, which is ZADD with INCR.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    PackLimits, Reply, Run, Spec, error,
};
use smallvec::SmallVec;
use types::ZSet;

/// Gives members scores.
pub struct ZAdd<'a> {
    key: Key<'a>,
    options: Options,
    pairs: SmallVec<[(f64, &'a [u8]); 4]>,
}

/// What ZADD may do to whom.
#[derive(Clone, Copy, Default)]
struct Options {
    /// NX: only members that are new.
    only_new: bool,
    /// XX: only members that are not.
    only_old: bool,
    /// GT: members that are not new only get higher scores.
    only_up: bool,
    /// LT: members that are not new only get lower scores.
    only_down: bool,
    /// CH: count members whose score changed, too.
    count_changed: bool,
    /// INCR: add to the score.
    increment: bool,
}

impl Options {
    fn parse(args: &mut Args<'_>) -> Self {
        let mut options = Options::default();
        loop {
            let option = if args.token("NX") {
                &mut options.only_new
            } else if args.token("XX") {
                &mut options.only_old
            } else if args.token("GT") {
                &mut options.only_up
            } else if args.token("LT") {
                &mut options.only_down
            } else if args.token("CH") {
                &mut options.count_changed
            } else if args.token("INCR") {
                &mut options.increment
            } else {
                return options;
            };
            *option = true;
        }
    }

    fn check(self, pairs: usize) -> Result<(), CmdError> {
        if self.only_new && self.only_old {
            return Err(error::ZADD_XX_NX);
        }
        let directions = [self.only_new, self.only_up, self.only_down];
        if directions.into_iter().filter(|&chosen| chosen).count() > 1 {
            return Err(error::ZADD_GT_LT_NX);
        }
        if self.increment && pairs > 1 {
            return Err(error::ZADD_INCR_PAIRS);
        }
        Ok(())
    }

    /// Applies one pair.
    fn apply(self, zset: &mut ZSet, (score, member): (f64, &[u8]), limits: &PackLimits) -> Outcome {
        let mut outcome = Outcome::Left;
        zset.update(member, limits, |old| {
            let Some(old) = old else {
                if self.only_old {
                    return None;
                }
                outcome = Outcome::Added(score);
                return Some(score);
            };
            if self.only_new {
                return None;
            }
            let new = if self.increment { old + score } else { score };
            if new.is_nan() {
                outcome = Outcome::NotANumber;
                return None;
            }
            if self.only_up && new <= old || self.only_down && new >= old {
                return None;
            }
            outcome = if new == old { Outcome::Same(new) } else { Outcome::Changed(new) };
            Some(new)
        });
        outcome
    }
}

/// What happened to a member.
enum Outcome {
    /// An option forbade to touch it.
    Left,
    /// It had this score already.
    Same(f64),
    Added(f64),
    Changed(f64),
    NotANumber,
}

/// What happened to all of them.
#[derive(Default)]
struct Outcomes {
    added: usize,
    changed: usize,
    /// The score of the last member, unless it was left alone.
    score: Option<f64>,
    not_a_number: bool,
}

impl Outcomes {
    fn count(&mut self, outcome: Outcome) {
        self.score = match outcome {
            Outcome::Left => None,
            Outcome::Same(score) => Some(score),
            Outcome::Added(score) => {
                self.added += 1;
                Some(score)
            }
            Outcome::Changed(score) => {
                self.changed += 1;
                Some(score)
            }
            Outcome::NotANumber => {
                self.not_a_number = true;
                None
            }
        };
    }
}

impl<'a> ZAdd<'a> {
    fn parse_with(mut args: Args<'a>, increment: bool) -> Result<Self, CmdError> {
        let key = args.key()?;
        let mut options = Options::parse(&mut args);
        options.increment |= increment;
        if args.left() == 0 || !args.left().is_multiple_of(2) {
            return Err(error::SYNTAX);
        }
        options.check(args.left() / 2)?;
        let mut pairs = SmallVec::with_capacity(args.left() / 2);
        while args.left() > 0 {
            pairs.push((args.double()?, args.next()?));
        }
        Ok(ZAdd { key, options, pairs })
    }

    /// ZADD of pairs that another command has parsed, with NX, XX and CH as told.
    pub(crate) fn of(
        key: Key<'a>,
        [only_new, only_old, count_changed]: [bool; 3],
        pairs: SmallVec<[(f64, &'a [u8]); 4]>,
    ) -> Self {
        let options = Options { only_new, only_old, count_changed, ..Options::default() };
        ZAdd { key, options, pairs }
    }

    fn run<H: Holds<ZSet>>(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let ZAdd { key, options, pairs } = self;
        let limits = host.limits();
        let apply = |zset: &mut ZSet| {
            let mut outcomes = Outcomes::default();
            for pair in pairs {
                outcomes.count(options.apply(zset, pair, &limits));
            }
            outcomes
        };
        let outcomes = if options.only_old {
            host.edit_existing(key, apply)?.unwrap_or_default()
        } else {
            host.edit(key, apply)?
        };
        if outcomes.added + outcomes.changed > 0 {
            let event = if options.increment { "zincr" } else { "zadd" };
            host.notify(Class::ZSet, event, key);
        }
        if outcomes.not_a_number {
            return Err(error::SCORE_NAN);
        }
        match outcomes.score {
            Some(score) if options.increment => out.double(score),
            None if options.increment => out.null(),
            _ if options.count_changed => out.count(outcomes.added + outcomes.changed),
            _ => out.count(outcomes.added),
        }
        let changed = outcomes.added + outcomes.changed > 0;
        Ok(if changed { Effect::AsSent } else { Effect::None })
    }
}

impl<'a> Command<'a> for ZAdd<'a> {
    const SPEC: Spec = Spec {
        name: "zadd",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Gives members of a sorted set scores, adding those that are new.",
        complexity: "O(log N) for each member, when N is the number of members",
        grammar: "key:key [condition=(NX | XX) @3.0.2] [comparison=(GT | LT) @6.2.0] [change!CH \
                  @3.0.2] [increment!INCR @3.0.2] score_member={score:double member:string} ...",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        history: &[
            ("2.4.0", "Several members at a time."),
            ("3.0.2", "`NX`, `XX`, `CH`, `INCR`."),
            ("6.2.0", "`GT`, `LT`."),
        ],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        ZAdd::parse_with(args, false)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZAdd<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.run(host, out)
    }
}

/// Adds to the score of a member; a new member starts at 0. The options of ZADD are read as
/// options here, too, and then miss as arguments, as in Redis.
pub struct ZIncrBy<'a>(ZAdd<'a>);

impl<'a> Command<'a> for ZIncrBy<'a> {
    const SPEC: Spec = Spec {
        name: "zincrby",
        group: Group::SortedSet,
        since: "1.2.0",
        summary: "Adds a number to the score of a member of a sorted set.",
        complexity: "O(log N), when N is the number of members",
        grammar: "key:key increment:integer member:string",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        ZAdd::parse_with(args, true).map(ZIncrBy)
    }
}

impl<H: Holds<ZSet>> Run<H> for ZIncrBy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}
