//! XREAD and XREADGROUP: entries behind those already read, for which both can wait.
//!
//! A request that waits goes on for one stream at a time, by a request of its own: what `$` meant
//! is then an id, and a count that was not given is [`WOKEN_COUNT`]. It is served when there are
//! entries for it, whatever woke it: an id that has moved, or an entry that is gone again, is none.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key,
    KeyFlag, KeySpec, Kind, Millis, Nothing, Protocol, Reply, Resume, Run, Spec, StreamId, Wait,
    error, num,
};
use hashbrown::HashMap;
use types::Stream;
use types::stream::{self, Entry, Log, Pending};

use super::journal::Changes;
use super::{group, ids, reply};

const GROUP_FOR_READ: CmdError = CmdError::new(
    "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.",
);
const NOACK_FOR_READ: CmdError = CmdError::new(
    "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.",
);
/// Redis says so of XREADGROUP too.
const UNBALANCED: CmdError = CmdError::new(
    "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
);
const NO_GROUP_OPTION: CmdError = CmdError::new("ERR Missing GROUP option for XREADGROUP");
const TIMEOUT: CmdError = CmdError::new("ERR timeout is not an integer or out of range");
const LAST_FOR_GROUP: CmdError = CmdError::new(
    "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of \
     this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would \
     just return an empty result set.",
);
const NEW_FOR_READ: CmdError = CmdError::new(
    "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> \
     <consumer> option.",
);
const KEY_GONE: CmdError = CmdError::new("UNBLOCKED the stream key no longer exists");
const GROUP_GONE: CmdError =
    CmdError::new("NOGROUP the consumer group this client was blocked on no longer exists");

/// What a request that has waited gets at most, if it says nothing.
const WOKEN_COUNT: usize = 1000;

/// Who reads for a group.
#[derive(Clone, Copy)]
struct Reader<'a> {
    group: &'a [u8],
    consumer: &'a [u8],
}

/// Where reading begins.
#[derive(Clone, Copy)]
enum From {
    /// Behind this id; for a group, in the consumer's own history.
    After(StreamId),
    /// Behind what the group has delivered.
    New,
}

impl From {
    /// The word of a request that says so.
    fn word(self) -> Box<[u8]> {
        match self {
            From::After(id) => ids::with_text(id, |text| text.into()),
            From::New => Box::from(*b">"),
        }
    }
}

/// The arguments of both commands.
struct Read<'a> {
    reader: Option<Reader<'a>>,
    /// 0: as many as there are.
    count: usize,
    /// Milliseconds; 0: for ever.
    block: Option<u64>,
    no_ack: bool,
    keys: Vec<Key<'a>>,
    /// Where the keys are in the request.
    keys_at: usize,
    ids: &'a [&'a [u8]],
    woken: bool,
}

impl<'a> Read<'a> {
    fn parse(mut args: Args<'a>, for_group: bool) -> Result<Self, CmdError> {
        let woken = args.is_woken();
        let (mut reader, mut count, mut block, mut no_ack) = (None, 0, None, false);
        loop {
            if args.left() > 1 && args.token("BLOCK") {
                let timeout = num::parse_i64(args.next()?).ok_or(TIMEOUT)?;
                block = Some(u64::try_from(timeout).map_err(|_| error::TIMEOUT_NEGATIVE)?);
            } else if args.left() > 1 && args.token("COUNT") {
                count = usize::try_from(args.integer()?).unwrap_or(0);
            } else if args.left() > 1 && args.token("STREAMS") {
                break;
            } else if args.left() > 2 && args.token("GROUP") {
                if !for_group {
                    return Err(GROUP_FOR_READ);
                }
                reader = Some(Reader { group: args.next()?, consumer: args.next()? });
            } else if args.token("NOACK") {
                if !for_group {
                    return Err(NOACK_FOR_READ);
                }
                no_ack = true;
            } else {
                return Err(error::SYNTAX);
            }
        }
        let words = args.left();
        if !words.is_multiple_of(2) {
            return Err(UNBALANCED);
        }
        if for_group && reader.is_none() {
            return Err(NO_GROUP_OPTION);
        }
        let keys_at = args.argv().len() - words;
        let keys = args.keys(words / 2)?;
        let ids = args.rest();
        Ok(Read { reader, count, block, no_ack, keys, keys_at, ids, woken })
    }

    fn most(&self) -> usize {
        if self.count == 0 { usize::MAX } else { self.count }
    }

    /// What the words for ids mean, now that the streams can be asked.
    fn resolve<H: Holds<Stream>>(&self, host: &H) -> Result<Vec<From>, CmdError> {
        let mut all = Vec::with_capacity(self.keys.len());
        for (key, &id) in self.keys.iter().zip(self.ids) {
            if self.reader.is_some() {
                host.notify_if_missing(*key);
            }
            let stream = host.peek(*key)?;
            if let Some(reader) = self.reader
                && stream.is_none_or(|stream| stream.group(reader.group).is_none())
            {
                if self.woken {
                    return Err(GROUP_GONE);
                }
                let after = " in XREADGROUP with GROUP option";
                return Err(reply::no_key_or_group(key.bytes, reader.group, after));
            }
            all.push(match (error::until_zero(id), self.reader) {
                (b"$", Some(_)) => return Err(LAST_FOR_GROUP),
                (b"$", None) => {
                    From::After(stream.map_or(StreamId::MIN, |stream| stream.log().last_id()))
                }
                (b">", None) => return Err(NEW_FOR_READ),
                (b">", Some(_)) => From::New,
                (_, reader) => match ids::strict(id)? {
                    // As Redis writes ">" down.
                    StreamId::MAX if reader.is_some() => From::New,
                    id => From::After(id),
                },
            });
        }
        Ok(all)
    }

    /// The request that goes on waiting for one stream, up to that.
    fn again(&self, name: &[u8]) -> Argv {
        let mut argv = Argv::new(&[name]);
        if let Some(Reader { group, consumer }) = self.reader {
            argv.push(b"GROUP");
            argv.push(group);
            argv.push(consumer);
        }
        argv.push(b"COUNT");
        let count = if self.count == 0 { WOKEN_COUNT } else { self.count };
        argv.push(itoa::Buffer::new().format(count).as_bytes());
        argv.push(b"BLOCK");
        argv.push(b"0");
        if self.no_ack {
            argv.push(b"NOACK");
        }
        argv.push(b"STREAMS");
        argv
    }

    /// Nothing can be answered: waits, or says so.
    fn wait(&self, name: &[u8], from: &[From], now: Millis, out: &mut dyn Reply) -> Effect {
        let Some(timeout) = self.block else {
            out.null_array();
            return Effect::None;
        };
        let behind = from.iter().map(|from| from.word()).collect();
        // Requests of one group find something in a stream at the same time, and so do those that
        // read behind the same entry.
        let alike = self.reader.map(|reader| [b"group ", reader.group].concat().into());
        let until = match timeout {
            0 => None,
            // A moment beyond all time never comes.
            _ => now.checked_add(timeout).filter(|&at| i64::try_from(at).is_ok()),
        };
        Effect::Block(Box::new(Wait {
            keys: (self.keys_at..self.keys_at + self.keys.len()).collect(),
            kind: Kind::Stream,
            until,
            in_transaction: Nothing::NullArray,
            resume: Some(Resume {
                again: self.again(name),
                behind,
                alike,
                gone: self.reader.map(|_| KEY_GONE),
            }),
        }))
    }
}

/// Whether there are entries behind `id`.
fn is_behind(log: &Log, id: StreamId) -> bool {
    log.last_id() > id && !log.is_empty() && log.greatest_id() > id
}

/// Begins a reply about so many streams.
fn begin(streams: usize, out: &mut dyn Reply) {
    match out.protocol() {
        Protocol::Resp2 => out.array(streams),
        Protocol::Resp3 => out.map(streams),
    }
}

/// Begins the part about one.
fn name(key: Key<'_>, out: &mut dyn Reply) {
    if out.protocol() == Protocol::Resp2 {
        out.array(2);
    }
    out.bulk(key.bytes);
}

/// Whether there is `BLOCK` among the options.
fn asks_to_wait(argv: &[&[u8]]) -> bool {
    let mut options = argv.iter().skip(1).take_while(|word| !word.eq_ignore_ascii_case(b"STREAMS"));
    options.any(|word| word.eq_ignore_ascii_case(b"BLOCK"))
}

/// Answers entries behind given ids.
pub struct XRead<'a>(Read<'a>);

impl<'a> Command<'a> for XRead<'a> {
    const SPEC: Spec = Spec {
        name: "xread",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Answers the entries of streams behind given ids, or waits for some.",
        complexity: "O(N) in the entries answered",
        grammar: "[COUNT count:integer] [BLOCK milliseconds:integer] \
                  STREAMS streams={key:key... id:string...}",
        arity: -4,
        flags: &[Flag::ReadOnly, Flag::Blocking],
        categories: &[Category::Stream],
        keys: &[KeySpec {
            flags: &[KeyFlag::ReadOnly, KeyFlag::Access],
            start: base::Start::Keyword { word: "STREAMS", from: 1, over: &[] },
            find: base::Find::Range { last: -1, step: 1, limit: 2 },
        }],
        behaviour: Behaviour::NEW.asks_to_wait(asks_to_wait),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Read::parse(args, false).map(XRead)
    }
}

impl<H: Holds<Stream>> Run<H> for XRead<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let read = self.0;
        let from = read.resolve(host)?;
        let mut ready: Vec<(Key<'_>, Vec<Entry<'_>>)> = Vec::new();
        for (&key, from) in read.keys.iter().zip(&from) {
            let (Some(stream), From::After(id)) = (host.peek(key)?, from) else { continue };
            let log = stream.log();
            if let Some(first) = id.next().filter(|_| is_behind(log, *id)) {
                ready.push((key, log.range(first, StreamId::MAX).take(read.most()).collect()));
            }
        }
        if ready.is_empty() {
            return Ok(read.wait(b"XREAD", &from, host.now(), out));
        }
        begin(ready.len(), out);
        for (key, entries) in ready {
            name(key, out);
            reply::entries(entries, out);
        }
        Ok(Effect::None)
    }
}

/// What may stand before STREAMS: a group or a consumer may be called like that.
const OPTIONS: &[(&str, usize)] = &[("GROUP", 2), ("COUNT", 1), ("BLOCK", 1), ("NOACK", 0)];

/// Answers entries that a group has not delivered yet, or a consumer's history.
pub struct XReadGroup<'a>(Read<'a>);

impl<'a> Command<'a> for XReadGroup<'a> {
    const SPEC: Spec = Spec {
        name: "xreadgroup",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Answers entries that a group has not delivered yet, or a consumer's history.",
        complexity: "O(N) in the entries answered",
        grammar: "GROUP group_consumer={group:string consumer:string} [COUNT count:integer] \
                  [BLOCK milliseconds:integer] [NOACK] \
                  STREAMS streams={key:key... id:string...}",
        arity: -7,
        flags: &[Flag::Write, Flag::Blocking],
        categories: &[Category::Stream],
        keys: &[KeySpec {
            flags: &[KeyFlag::ReadOnly, KeyFlag::Access],
            start: base::Start::Keyword { word: "STREAMS", from: 4, over: OPTIONS },
            find: base::Find::Range { last: -1, step: 1, limit: 2 },
        }],
        behaviour: Behaviour::NEW.asks_to_wait(asks_to_wait),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Read::parse(args, true).map(XReadGroup)
    }
}

impl<H: Holds<Stream>> Run<H> for XReadGroup<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let read = self.0;
        let from = read.resolve(host)?;
        let Some(reader) = read.reader else { return Err(NO_GROUP_OPTION) };
        let served = read.served(host, reader, &from)?;
        let now = host.now();
        let count = served.iter().filter(|&&served| served).count();
        if count == 0 {
            return Ok(read.wait(b"XREADGROUP", &from, now, out));
        }
        begin(count, out);
        let mut changes = Changes::new(host.is_recorded(), reader.group, reader.consumer);
        for (at, &key) in read.keys.iter().enumerate() {
            if !served[at] {
                // A consumer that gets nothing is not even made.
                continue;
            }
            let new_consumer = host.edit_existing(key, |stream| {
                stream.edit_group(reader.group, |log, group| {
                    let (number, created) = group.find_or_create(reader.consumer, now);
                    group.see(number, now);
                    if created {
                        changes.created(key.bytes);
                    }
                    let mut to = Delivery { read: &read, key, number, now };
                    match from[at] {
                        From::New => to.deliver(log, group, &mut changes, out),
                        From::After(id) => to.remind(log, group, id, &mut changes, out),
                    }
                    created
                })
            })?;
            if new_consumer.flatten() == Some(true) {
                host.notify(Class::Stream, group::CONSUMER_MADE, key);
            }
        }
        Ok(changes.effect())
    }
}

impl Read<'_> {
    /// Which streams have something for the reader. A stream that is named twice has less the
    /// second time.
    fn served<H: Holds<Stream>>(
        &self,
        host: &H,
        reader: Reader<'_>,
        from: &[From],
    ) -> Result<Vec<bool>, CmdError> {
        let mut read_to: HashMap<&[u8], StreamId> = HashMap::new();
        let mut served = Vec::with_capacity(from.len());
        for (key, from) in self.keys.iter().zip(from) {
            let Some(stream) = host.peek(*key)? else {
                served.push(false);
                continue;
            };
            let (log, group) = (stream.log(), stream.group(reader.group));
            let before = read_to.get(key.bytes).copied();
            let last = before.or(group.map(|group| group.last_id)).unwrap_or(StreamId::MAX);
            let is_served = matches!(from, From::After(_)) || is_behind(log, last);
            if is_served && matches!(from, From::New) && self.keys.len() > 1 {
                let entries = last.next().map(|first| log.range(first, StreamId::MAX));
                let to = entries.and_then(|entries| entries.take(self.most()).last());
                read_to.insert(key.bytes, to.map_or(last, |entry| entry.id));
            }
            served.push(is_served);
        }
        Ok(served)
    }
}

/// Entries of one stream on their way to a consumer.
struct Delivery<'a> {
    read: &'a Read<'a>,
    key: Key<'a>,
    number: u32,
    now: Millis,
}

impl Delivery<'_> {
    /// Entries that the group has not delivered yet.
    fn deliver(
        &mut self,
        log: &Log,
        group: &mut stream::Group,
        changes: &mut Changes<'_>,
        out: &mut dyn Reply,
    ) {
        let first = group.last_id.next();
        let range = first.map(|first| log.range(first, StreamId::MAX).take(self.read.most()));
        let entries: Vec<Entry<'_>> = range.into_iter().flatten().collect();
        let mut pending = Vec::with_capacity(entries.len());
        for entry in &entries {
            group.advance(log, entry.id);
            let (delivered, consumer) = (self.now, self.number);
            pending.push(Pending { id: entry.id, delivered, deliveries: 1, consumer });
        }
        let key = self.key.bytes;
        if !self.read.no_ack {
            pending.iter().for_each(|one| group.deliver(*one));
            changes.claimed(key, &pending);
        }
        if !entries.is_empty() {
            changes.read_to(key, group);
        }
        name(self.key, out);
        reply::entries(entries, out);
    }

    /// Entries that the consumer has got already and not acknowledged.
    fn remind(
        &mut self,
        log: &Log,
        group: &mut stream::Group,
        after: StreamId,
        changes: &mut Changes<'_>,
        out: &mut dyn Reply,
    ) {
        // Redis counts on from 0-0 behind the greatest id, but that one means ">".
        let first = after.next().unwrap_or(StreamId::MIN);
        let own = group.consumer(self.number).map(|consumer| consumer.pending_from(first));
        let ids: Vec<StreamId> = own.into_iter().flatten().take(self.read.most()).collect();
        name(self.key, out);
        out.array(ids.len());
        let mut pending = Vec::new();
        for id in ids {
            match log.get(id) {
                Some(entry) => {
                    reply::entry(entry, out);
                    let deliveries = group.pending_at(id).map_or(0, |one| one.deliveries);
                    pending.push(Pending {
                        id,
                        delivered: self.now,
                        deliveries: deliveries.wrapping_add(1),
                        consumer: self.number,
                    });
                }
                None => {
                    out.array(2);
                    ids::write(id, out);
                    out.null_array();
                }
            }
        }
        pending.iter().for_each(|one| group.deliver(*one));
        changes.claimed(self.key.bytes, &pending);
    }
}
