//! RESTORE, and RESTORE-ASKING, which nodes of a cluster use among themselves.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Makes, Millis, Reply, Run, Spec, behaviour, error, num,
};
use rdb::{Value, dump};

use crate::Host;
use crate::portable::{self, Restored};

/// Makes a key of the bytes that DUMP answered, here or in Redis up to 7.2.
pub struct Restore<'a> {
    key: Key<'a>,
    ttl: &'a [u8],
    payload: &'a [u8],
    replace: bool,
    absolute: bool,
    idle_seconds: Option<u64>,
    frequency: Option<u8>,
    argv: &'a [&'a [u8]],
}

impl<'a> Command<'a> for Restore<'a> {
    const SPEC: Spec = Spec {
        name: "restore",
        group: Group::Generic,
        since: "2.6.0",
        summary: "Makes a key of bytes that DUMP answered.",
        complexity: "O(N) in the bytes of the value, O(N log N) for sorted sets",
        grammar: "key:key ttl:integer serialized-value:string [REPLACE @3.0.0] [ABSTTL @5.0.0] \
                  [IDLETIME seconds:integer @5.0.0] [FREQ frequency:integer @5.0.0]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Keyspace, Category::Dangerous],
        keys: &[KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update])],
        history: &[
            ("3.0.0", "`REPLACE`."),
            ("5.0.0", "`ABSTTL`."),
            ("5.0.0", "`IDLETIME`, `FREQ`."),
        ],
        behaviour: Behaviour::NEW.from_now(|argv| !behaviour::says(argv, 4, &["ABSTTL"])).makes(
            Makes::Bytes(|argv| argv.get(3).map_or(0, |dump| dump.len().saturating_mul(16))),
        ),
        // Strings inside may be compressed.
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let argv = args.argv();
        let (key, ttl, payload) = (args.key()?, args.next()?, args.next()?);
        let mut restore = Restore {
            key,
            ttl,
            payload,
            replace: false,
            absolute: false,
            idle_seconds: None,
            frequency: None,
            argv,
        };
        while args.left() > 0 {
            if args.token("REPLACE") {
                restore.replace = true;
            } else if args.token("ABSTTL") {
                restore.absolute = true;
            } else if args.left() > 1 && restore.frequency.is_none() && args.token("IDLETIME") {
                let seconds = u64::try_from(args.integer()?);
                restore.idle_seconds = Some(seconds.map_err(|_| IDLE)?);
            } else if args.left() > 1 && restore.idle_seconds.is_none() && args.token("FREQ") {
                let count = u8::try_from(args.integer()?).map_err(|_| FREQUENCY)?;
                restore.frequency = Some(count);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(restore)
    }
}

/// As RESTORE: what one node of a cluster sends another while a slot moves.
pub struct RestoreAsking<'a>(Restore<'a>);

impl<'a> Command<'a> for RestoreAsking<'a> {
    const SPEC: Spec = Spec {
        name: "restore-asking",
        group: Group::Server,
        since: "3.0.0",
        summary: "As RESTORE, from one node of a cluster to another.",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Asking, Flag::SysCmd],
        ..Restore::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Restore::parse(args).map(RestoreAsking)
    }
}

impl<H: Host> Run<H> for RestoreAsking<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}

const IDLE: CmdError = CmdError::new("ERR Invalid IDLETIME value, must be >= 0");
const FREQUENCY: CmdError = CmdError::new("ERR Invalid FREQ value, must be >= 0 and <= 255");
const TTL: CmdError = CmdError::new("ERR Invalid TTL value, must be >= 0");
const BUSY: CmdError = CmdError::new("BUSYKEY Target key name already exists.");
const BAD_DATA: CmdError = CmdError::new("ERR Bad data format");

impl<H: Host> Run<H> for Restore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let taken = host.kind(self.key).is_some();
        if taken && !self.replace {
            return Err(BUSY);
        }
        let ttl = num::parse_i64(self.ttl).ok_or(error::NOT_INTEGER)?;
        if ttl < 0 {
            return Err(TTL);
        }
        let mut restored: Option<Restored> = None;
        let limits = host.limits();
        let mut take = |value: Value| match &mut restored {
            Some(first) => first.extend(value, &limits).is_some(),
            None => {
                restored = portable::restore(host, value, &limits);
                restored.is_some()
            }
        };
        dump::decode_in_parts(self.payload, portable::PART, &mut take)
            .map_err(|failure| CmdError::new(failure.text()))?;
        let value = restored.ok_or(BAD_DATA)?;
        out.ok();
        let deadline = match self.deadline(ttl, host.now()) {
            Ok(deadline) => deadline,
            Err(()) if taken => {
                host.remove(self.key, false);
                host.notify(Class::Generic, "del", self.key);
                return Ok(Effect::Rewritten(Argv::new(&[b"DEL", self.key.bytes])));
            }
            Err(()) => return Ok(Effect::None),
        };
        if taken {
            // The old key goes, another comes: that counts as new, unlike an overwritten one.
            host.notify(Class::New, "new", self.key);
        }
        portable::put(host, self.key, value, deadline.map_or(Deadline::Clear, Deadline::At));
        if let Some(count) = self.frequency.filter(|_| host.counts_uses()) {
            host.set_frequency(self.key, count);
        }
        if let Some(seconds) = self.idle_seconds.filter(|_| !host.counts_uses()) {
            host.set_idle(self.key, seconds);
        }
        host.notify(Class::Generic, "restore", self.key);
        Ok(match deadline {
            Some(at) if !self.absolute => Effect::Rewritten(self.absolutely(at)),
            _ => Effect::AsSent,
        })
    }
}

impl Restore<'_> {
    /// When the key dies, if ever; an error if it would be dead already.
    fn deadline(&self, ttl: i64, now: Millis) -> Result<Option<Millis>, ()> {
        if ttl == 0 {
            return Ok(None);
        }
        let base = if self.absolute { 0 } else { i64::try_from(now).unwrap_or(i64::MAX) };
        // Too late to be told is taken for long past, as in Redis.
        let at = ttl.checked_add(base).and_then(|at| Millis::try_from(at).ok());
        at.filter(|&at| at > now).map(Some).ok_or(())
    }

    /// The request with its deadline in place of its time to live.
    fn absolutely(&self, at: Millis) -> Argv {
        let mut argv = Argv::default();
        for (place, word) in self.argv.iter().enumerate() {
            match i64::try_from(at) {
                Ok(at) if place == 2 => argv.push_int(at),
                _ => argv.push(word),
            }
        }
        argv.push(b"ABSTTL");
        argv
    }
}
