//! XAUTOCLAIM.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Holds, Key,
    KeyFlag, KeySpec, Millis, Reply, Run, Spec, StreamId, behaviour, error, num,
};
use types::Stream;
use types::stream::{self, Log, Pending};

use super::claim::answer;
use super::journal::Changes;
use super::{group, ids, reply};

const IDLE_TIME: CmdError = CmdError::new("ERR Invalid min-idle-time argument for XAUTOCLAIM");
const COUNT: CmdError = CmdError::new("ERR COUNT must be > 0");

/// For every entry that may be claimed, so many are looked at.
const ATTEMPTS: usize = 10;
/// Redis takes no greater count.
const COUNT_MAX: usize = (i64::MAX / 16) as usize;

/// How many entries a request may look at.
fn scanned(argv: &[&[u8]]) -> usize {
    behaviour::behind_last(argv, 6, &["COUNT"]).map_or(100, |at| behaviour::count_at(argv, at))
}

/// Makes what has been pending for long the consumer's.
pub struct XAutoClaim<'a> {
    key: Key<'a>,
    group: &'a [u8],
    consumer: &'a [u8],
    min_idle: u64,
    start: StreamId,
    count: usize,
    just_id: bool,
}

impl<'a> Command<'a> for XAutoClaim<'a> {
    const SPEC: Spec = Spec {
        name: "xautoclaim",
        group: Group::Stream,
        since: "6.2.0",
        summary: "Gives entries that have been pending for long to another consumer.",
        complexity: "O(1) if COUNT is small",
        grammar: "key:key group:string consumer:string min-idle-time:string start:string \
                  [COUNT count:integer] [JUSTID]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        tips: &["nondeterministic_output"],
        history: &[("7.0.0", "The third element: what was found deleted.")],
        behaviour: Behaviour::NEW.extent(Extent::Elements(scanned)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, group, consumer) = (args.key()?, args.next()?, args.next()?);
        let min_idle = num::parse_i64(args.next()?).ok_or(IDLE_TIME)?;
        let mut claim = XAutoClaim {
            key,
            group,
            consumer,
            min_idle: u64::try_from(min_idle).unwrap_or(0),
            start: ids::start(args.next()?)?,
            count: 100,
            just_id: false,
        };
        while args.left() > 0 {
            if args.left() > 1 && args.token("COUNT") {
                let count = num::parse_i64(args.next()?).and_then(|n| usize::try_from(n).ok());
                claim.count = count.filter(|n| (1..=COUNT_MAX).contains(n)).ok_or(COUNT)?;
            } else if args.token("JUSTID") {
                claim.just_id = true;
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(claim)
    }
}

/// What a walk over the pending entries found.
struct Found {
    claimed: Vec<Pending>,
    gone: Vec<StreamId>,
    /// Where the next walk goes on; 0-0 at the end.
    next: StreamId,
}

impl XAutoClaim<'_> {
    /// Walks over what is pending without changing it. The consumer is yet to be filled in.
    fn find(&self, log: &Log, group: &stream::Group, now: Millis) -> Found {
        let mut found = Found { claimed: Vec::new(), gone: Vec::new(), next: StreamId::MIN };
        let mut pending = group.pending_from(self.start);
        for _ in 0..self.count.saturating_mul(ATTEMPTS) {
            if found.claimed.len() + found.gone.len() >= self.count {
                break;
            }
            let Some(one) = pending.next() else { return found };
            if log.get(one.id).is_none() {
                found.gone.push(one.id);
                continue;
            }
            let idle = now.cast_signed().wrapping_sub(one.delivered.cast_signed());
            if self.min_idle > 0 && idle < self.min_idle.cast_signed() {
                continue;
            }
            let deliveries = one.deliveries.wrapping_add(u64::from(!self.just_id));
            found.claimed.push(Pending { id: one.id, delivered: now, deliveries, consumer: 0 });
        }
        found.next = pending.next().map_or(StreamId::MIN, |one| one.id);
        found
    }
}

impl<H: Holds<Stream>> Run<H> for XAutoClaim<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (key, name) = (self.key, self.group);
        let missing = || reply::no_key_or_group(key.bytes, name, "");
        host.notify_if_missing(key);
        if host.peek(key)?.is_none_or(|stream| stream.group(name).is_none()) {
            return Err(missing());
        }
        let now = host.now();
        let mut changes = Changes::new(host.is_recorded(), name, self.consumer);
        let done = host.edit(key, |stream| {
            stream.edit_group(name, |log, group| {
                let found = self.find(log, group, now);
                let mut made = false;
                if !found.claimed.is_empty() {
                    let (consumer, created) = group.find_or_create(self.consumer, now);
                    group.see(consumer, now);
                    found
                        .claimed
                        .iter()
                        .for_each(|one| group.deliver(Pending { consumer, ..*one }));
                    made = created;
                    if created {
                        changes.created(key.bytes);
                    }
                }
                found.gone.iter().for_each(|id| _ = group.acknowledge(*id));
                changes.claimed(key.bytes, &found.claimed);
                changes.dropped(key.bytes, &found.gone);
                out.array(3);
                ids::write(found.next, out);
                answer(log, self.just_id, &found.claimed, out);
                reply::id_list(&found.gone, out);
                made
            })
        })?;
        if done.ok_or_else(missing)? {
            host.notify(Class::Stream, group::CONSUMER_MADE, key);
        }
        Ok(changes.effect())
    }
}
