//! XADD.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Holds,
    Key, KeyFlag, KeySpec, Millis, Reply, Run, Spec, StreamId, error,
};
use types::Stream;

use super::ids;
use super::trimming::{self, Trimming};

const ZERO: CmdError = CmdError::new("ERR The ID specified in XADD must be greater than 0-0");
const EXHAUSTED: CmdError =
    CmdError::new("ERR The stream has exhausted the last possible ID, unable to add more items");
const NOT_GREATER: CmdError = CmdError::new(
    "ERR The ID specified in XADD is equal or smaller than the target stream top item",
);
const TOO_LARGE: CmdError = CmdError::new("ERR Elements are too large to be stored");

/// The names and values of an entry together.
const CONTENT_MAX: usize = 1 << 30;

/// The id an entry is to have.
enum Wanted {
    /// The next of this moment.
    Auto,
    /// The next of a given millisecond.
    Millis(u64),
    /// This one.
    Exact(StreamId),
}

/// Adds an entry.
pub struct XAdd<'a> {
    key: Key<'a>,
    make: bool,
    trimming: Trimming,
    id: Wanted,
    fields: &'a [&'a [u8]],
}

impl<'a> Command<'a> for XAdd<'a> {
    const SPEC: Spec = Spec {
        name: "xadd",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Adds an entry to a stream.",
        complexity: "O(1), and O(N) for the N entries that trimming removes",
        grammar: "key:key [NOMKSTREAM @6.2.0] [trim={strategy=(MAXLEN | MINID @6.2.0) \
                  [operator=(equal!= | approximately!~)] threshold:string \
                  [LIMIT count:integer @6.2.0]}] id_or_auto=(auto_id!* | id:string) \
                  field_value={field:string value:string} ...",
        arity: -5,
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        tips: &["nondeterministic_output"],
        history: &[
            ("6.2.0", "`NOMKSTREAM`, `MINID`, `LIMIT`."),
            ("7.0.0", "Ids of the form `ms-*`."),
        ],
        behaviour: Behaviour::NEW.extent(Extent::Beyond(trimming::reach)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let (mut make, mut trimming, mut id) = (true, Trimming::default(), None);
        while let Some(word) = args.peek() {
            if word == b"*" {
                break;
            }
            if trimming.option(&mut args)? {
                continue;
            }
            if args.token("NOMKSTREAM") {
                make = false;
                continue;
            }
            id = Some(ids::of_new(word)?);
            break;
        }
        trimming.check_alone()?;
        let fields = args.rest().get(1..).unwrap_or_default();
        if fields.is_empty() || !fields.len().is_multiple_of(2) {
            trimming.check_exact(Millis::MAX)?;
            return Err(error::wrong_arity("xadd"));
        }
        let id = match id {
            None => Wanted::Auto,
            Some((StreamId::MIN, true)) => {
                trimming.check_exact(Millis::MAX)?;
                return Err(ZERO);
            }
            Some((id, true)) => Wanted::Exact(id),
            Some((id, false)) => Wanted::Millis(id.ms),
        };
        Ok(XAdd { key, make, trimming, id, fields })
    }
}

impl XAdd<'_> {
    /// The id of the new entry behind `last`.
    fn next_id(&self, last: StreamId, now: Millis) -> Result<StreamId, CmdError> {
        if last == StreamId::MAX {
            return Err(EXHAUSTED);
        }
        let id = match self.id {
            Wanted::Exact(id) => id,
            Wanted::Auto if now > last.ms => return Ok(StreamId { ms: now, seq: 0 }),
            Wanted::Auto => return last.next().ok_or(EXHAUSTED),
            Wanted::Millis(ms) if ms == last.ms => {
                // Redis says so of a millisecond that is full.
                let seq = last.seq.checked_add(1).ok_or(TOO_LARGE)?;
                StreamId { ms, seq }
            }
            Wanted::Millis(ms) => StreamId { ms, seq: 0 },
        };
        if id > last { Ok(id) } else { Err(NOT_GREATER) }
    }
}

impl<H: Holds<Stream>> Run<H> for XAdd<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.trimming.check_exact(host.now())?;
        let last = match host.peek(self.key)? {
            Some(stream) => stream.log().last_id(),
            None if self.make => StreamId::MIN,
            None => {
                out.null();
                return Ok(Effect::None);
            }
        };
        let id = self.next_id(last, host.now())?;
        if self.fields.iter().map(|word| word.len()).sum::<usize>() > CONTENT_MAX {
            return Err(TOO_LARGE);
        }
        let limits = host.limits();
        let as_sent = !host.is_recorded()
            || matches!(self.id, Wanted::Exact(_)) && !self.trimming.is_approximate();
        let (rewritten, trimmed) = host.edit(self.key, |stream| {
            // It is greater than the last, and not too large.
            let _ = stream.push(id, self.fields, &limits);
            let trimmed = self.trimming.apply(stream, &limits);
            ((!as_sent).then(|| self.exactly(stream, id)), trimmed)
        })?;
        host.notify(Class::Stream, "xadd", self.key);
        if trimmed > 0 {
            host.notify(Class::Stream, "xtrim", self.key);
        }
        ids::write(id, out);
        Ok(rewritten.map_or(Effect::AsSent, Effect::Rewritten))
    }
}

impl XAdd<'_> {
    /// The request without a clock, and trimming what was trimmed.
    fn exactly(&self, stream: &Stream, id: StreamId) -> Argv {
        let mut argv = Argv::new(&[b"XADD", self.key.bytes]);
        self.trimming.write_exact(stream, &mut argv);
        ids::with_text(id, |text| argv.push(text));
        self.fields.iter().for_each(|word| argv.push(word));
        argv
    }
}
