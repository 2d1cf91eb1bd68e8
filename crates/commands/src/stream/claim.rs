//! XCLAIM.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Holds, Key,
    KeyFlag, KeySpec, Millis, Reply, Run, Spec, StreamId, num,
};
use types::Stream;
use types::stream::{self, Log, Pending};

use super::journal::Changes;
use super::{group, ids, reply};

const IDLE_TIME: CmdError = CmdError::new("ERR Invalid min-idle-time argument for XCLAIM");
const IDLE: CmdError = CmdError::new("ERR Invalid IDLE option argument for XCLAIM");
const TIME: CmdError = CmdError::new("ERR Invalid TIME option argument for XCLAIM");
const RETRY_COUNT: CmdError = CmdError::new("ERR Invalid RETRYCOUNT option argument for XCLAIM");

/// Makes pending entries those of another consumer.
pub struct XClaim<'a> {
    key: Key<'a>,
    group: &'a [u8],
    consumer: &'a [u8],
    rest: &'a [&'a [u8]],
}

impl<'a> Command<'a> for XClaim<'a> {
    const SPEC: Spec = Spec {
        name: "xclaim",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Gives pending entries to another consumer of their group.",
        complexity: "O(log N) for each, when N is the number of pending entries",
        grammar: "key:key group:string consumer:string min-idle-time:string id:string... \
                  [IDLE ms:integer] [TIME unix-time-milliseconds:unix-time] \
                  [RETRYCOUNT count:integer] [FORCE] [JUSTID] [LASTID id:string]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        tips: &["nondeterministic_output"],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| argv.len())),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, group, consumer) = (args.key()?, args.next()?, args.next()?);
        Ok(XClaim { key, group, consumer, rest: args.rest() })
    }
}

/// What is to be claimed, and how.
struct Claim {
    ids: Vec<StreamId>,
    min_idle: u64,
    delivered: Millis,
    retry_count: Option<u64>,
    force: bool,
    just_id: bool,
    last_id: StreamId,
    now: Millis,
}

impl Claim {
    /// Reads the words behind the consumer, which Redis looks at after the key.
    fn parse(words: &[&[u8]], now: Millis) -> Result<Claim, CmdError> {
        let (first, words) = words.split_first().ok_or(IDLE_TIME)?;
        let min_idle = num::parse_i64(first).ok_or(IDLE_TIME)?;
        let ids: Vec<StreamId> = words.iter().map_while(|word| ids::strict(word).ok()).collect();
        let mut claim = Claim {
            min_idle: u64::try_from(min_idle).unwrap_or(0),
            delivered: now,
            retry_count: None,
            force: false,
            just_id: false,
            last_id: StreamId::MIN,
            now,
            ids,
        };
        let clock = now.cast_signed();
        let mut rest = words[claim.ids.len()..].iter();
        let mut delivered = -1;
        while let Some(word) = rest.next() {
            let more = rest.len() > 0;
            let is = |option: &str| word.eq_ignore_ascii_case(option.as_bytes());
            let mut value =
                |error: CmdError| rest.next().and_then(|word| num::parse_i64(word)).ok_or(error);
            if is("FORCE") {
                claim.force = true;
            } else if is("JUSTID") {
                claim.just_id = true;
            } else if more && is("IDLE") {
                delivered = clock.wrapping_sub(value(IDLE)?);
            } else if more && is("TIME") {
                delivered = value(TIME)?;
            } else if more && is("RETRYCOUNT") {
                claim.retry_count = u64::try_from(value(RETRY_COUNT)?).ok();
            } else if more && is("LASTID") {
                claim.last_id = ids::strict(rest.next().copied().unwrap_or_default())?;
            } else {
                return Err(CmdError::quoting("ERR Unrecognized XCLAIM option '", word, "'"));
            }
        }
        // A time that makes no sense is taken for now. A clock that stands at 0 is that of a
        // replay: it knows no now, and what is written down made sense once.
        if let Ok(at) = u64::try_from(delivered)
            && (at <= now || now == 0)
        {
            claim.delivered = at;
        }
        Ok(claim)
    }

    /// What is known of an entry if it is claimed; `None` if it stays as it is. The consumer is yet
    /// to be filled in.
    fn of(&self, group: &stream::Group, id: StreamId) -> Option<Pending> {
        let before = group.pending_at(id).copied();
        if before.is_none() && !self.force {
            return None;
        }
        if let Some(before) = before {
            let idle = self.now.cast_signed().wrapping_sub(before.delivered.cast_signed());
            if self.min_idle > 0 && idle < self.min_idle.cast_signed() {
                return None;
            }
        }
        let deliveries = match (self.retry_count, before.map_or(1, |before| before.deliveries)) {
            (Some(count), _) => count,
            (None, count) if self.just_id => count,
            (None, count) => count.wrapping_add(1),
        };
        Some(Pending { id, delivered: self.delivered, deliveries, consumer: 0 })
    }

    /// Claims for the consumer of this name, who is made with the first entry; what is the
    /// consumer's now, what was found deleted, and whether the consumer is new.
    fn run(&self, log: &Log, group: &mut stream::Group, name: &[u8]) -> Claimed {
        let mut done = Claimed { claimed: Vec::new(), gone: Vec::new(), created: false };
        for &id in &self.ids {
            if log.get(id).is_none() {
                if group.acknowledge(id) {
                    done.gone.push(id);
                }
                continue;
            }
            let Some(pending) = self.of(group, id) else { continue };
            let (consumer, created) = group.find_or_create(name, self.now);
            // In a replay the consumer is not seen now, but was when the entry was delivered.
            group.see(consumer, if self.now == 0 { self.delivered } else { self.now });
            let pending = Pending { consumer, ..pending };
            group.deliver(pending);
            done.claimed.push(pending);
            done.created |= created;
        }
        done
    }
}

/// What a request has claimed.
struct Claimed {
    claimed: Vec<Pending>,
    gone: Vec<StreamId>,
    created: bool,
}

impl<H: Holds<Stream>> Run<H> for XClaim<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let XClaim { key, group: name, consumer, rest } = self;
        let missing = || reply::no_key_or_group(key.bytes, name, "");
        host.notify_if_missing(key);
        if host.peek(key)?.is_none_or(|stream| stream.group(name).is_none()) {
            return Err(missing());
        }
        let claim = Claim::parse(rest, host.now())?;
        let mut changes = Changes::new(host.is_recorded(), name, consumer);
        let done = host.edit(key, |stream| {
            stream.edit_group(name, |log, group| {
                let moved = claim.last_id > group.last_id;
                group.last_id = group.last_id.max(claim.last_id);
                let Claimed { claimed, gone, created } = claim.run(log, group, consumer);
                if created {
                    changes.created(key.bytes);
                }
                changes.claimed(key.bytes, &claimed);
                changes.dropped(key.bytes, &gone);
                if moved {
                    changes.read_to(key.bytes, group);
                }
                answer(log, claim.just_id, &claimed, out);
                created
            })
        })?;
        if done.ok_or_else(missing)? {
            host.notify(Class::Stream, group::CONSUMER_MADE, key);
        }
        Ok(changes.effect())
    }
}

/// Answers what was claimed: ids, or entries.
pub(super) fn answer(log: &Log, just_id: bool, claimed: &[Pending], out: &mut dyn Reply) {
    if just_id {
        let ids: Vec<StreamId> = claimed.iter().map(|one| one.id).collect();
        return reply::id_list(&ids, out);
    }
    reply::entries(claimed.iter().filter_map(|one| log.get(one.id)).collect(), out);
}
