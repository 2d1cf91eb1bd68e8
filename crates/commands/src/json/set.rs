//! JSON.SET.

use ::json::Floats;
use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Millis, Paths, Reply, Run, Spec, behaviour,
};
use types::Documents;

use super::assign::{self, Assignment, Condition, Outcome};
use super::document;
use crate::string::expiry::Expiry;

const FPHA: CmdError = CmdError::new("ERR invalid FPHA type");
pub(super) const WRONG_FORMAT: CmdError = CmdError::new("ERR wrong format");

/// Puts a value at a path, a document at a key.
pub struct Set<'a> {
    key: Key<'a>,
    path: &'a [u8],
    json: &'a [u8],
    condition: Condition,
    floats: Option<(&'a [u8], Floats)>,
    expiry: Option<Expiry<'a>>,
    creates: bool,
}

impl<'a> Command<'a> for Set<'a> {
    const SPEC: Spec = Spec {
        name: "json.set",
        group: Group::Json,
        since: "1.0.0",
        summary: "Puts a value at a path of a document, or a new document at a key.",
        complexity: "O(N) in the size of the value, and in the values that a path visits that is \
                     not static",
        grammar: "key:key path:string value:string [condition=(NX | XX)] \
                  [FPHA fpha=(BF16 | FP16 | FP32 | FP64)] [FORMAT format=(STRING | JSON)] \
                  [expiration=(EX seconds:integer | PX milliseconds:integer | \
                  EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | \
                  KEEPTTL)] [CREATE]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        behaviour: Behaviour::NEW
            .paths(Paths::At(2))
            .from_now(|argv| behaviour::says(argv, 4, &["EX", "PX"])),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path, json) = (args.key()?, args.next()?, args.next()?);
        let mut set = Set {
            key,
            path,
            json,
            condition: Condition::Always,
            floats: None,
            expiry: None,
            creates: false,
        };
        while args.left() > 0 {
            set.option(&mut args)?;
        }
        Ok(set)
    }
}

/// Reads `FORMAT` with what must follow it, if it stands next; whether it does.
pub(super) fn take_format(args: &mut Args<'_>) -> Result<bool, CmdError> {
    if !args.token("FORMAT") {
        return Ok(false);
    }
    match args.next()? {
        b"STRING" | b"JSON" => Ok(true),
        _ => Err(WRONG_FORMAT),
    }
}

impl<'a> Set<'a> {
    fn option(&mut self, args: &mut Args<'a>) -> Result<(), CmdError> {
        let is_first = self.condition == Condition::Always;
        if is_first && args.token("NX") {
            self.condition = Condition::IfMissing;
        } else if is_first && args.token("XX") {
            self.condition = Condition::IfPresent;
        } else if args.token("FPHA") {
            let word = args.next()?;
            self.floats = Some((word, floats(word)?));
        } else if args.token("CREATE") {
            self.creates = true;
        } else if !take_format(args)? {
            self.expiry = Expiry::take(args, ("KEEPTTL", Expiry::Keep), self.expiry)?;
        }
        Ok(())
    }

    /// A relative deadline is remembered as the absolute one it became. What was asked for to be
    /// there, or not to be, was so.
    fn effect(&self, deadline: Deadline) -> Effect {
        let Deadline::At(at) = deadline else { return Effect::AsSent };
        let mut argv = Argv::new(&[b"JSON.SET", self.key.bytes, self.path, self.json]);
        if let Some((word, _)) = self.floats {
            argv.push(b"FPHA");
            argv.push(word);
        }
        if self.creates {
            argv.push(b"CREATE");
        }
        argv.push(b"PXAT");
        argv.push_int(i64::try_from(at).unwrap_or(i64::MAX));
        Effect::Rewritten(argv)
    }
}

fn floats(word: &[u8]) -> Result<Floats, CmdError> {
    const KINDS: [(&[u8], Floats); 4] = [
        (b"BF16", Floats::Bf16),
        (b"FP16", Floats::F16),
        (b"FP32", Floats::F32),
        (b"FP64", Floats::F64),
    ];
    let found = KINDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
    found.map(|(_, floats)| *floats).ok_or(FPHA)
}

/// A key keeps the deadline it has unless another one is given.
fn deadline(expiry: Option<Expiry<'_>>, now: Millis) -> Result<Deadline, CmdError> {
    expiry.map_or(Ok(Deadline::Keep), |expiry| expiry.deadline(now, "json.set"))
}

impl<H: Documents> Run<H> for Set<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let deadline = deadline(self.expiry, host.now())?;
        let outcome = host.with_tools(|host, tools| {
            if self.condition != Condition::IfMissing
                && self.floats.is_none()
                && let Some(done) = assign::scalar(host, self.key, tools, (self.path, self.json))
            {
                done?;
                if let Deadline::At(at) = deadline {
                    host.set_deadline(self.key, Some(at));
                }
                return Ok(Outcome::All);
            }
            document::peek(host, self.key)?;
            let floats = self.floats.map(|(_, floats)| floats);
            let assignment = Assignment::new(tools, self.path, self.json, floats)?;
            let how = (self.condition, self.creates, deadline);
            assignment.apply(host, self.key, tools, how)
        })?;
        if outcome == Outcome::All {
            out.ok()
        } else {
            out.null()
        }
        if outcome == Outcome::Nothing {
            return Ok(Effect::None);
        }
        host.notify(Class::Module, "json.set", self.key);
        if let Deadline::At(_) = deadline {
            host.notify(Class::Generic, "expire", self.key);
        }
        Ok(self.effect(deadline))
    }
}
