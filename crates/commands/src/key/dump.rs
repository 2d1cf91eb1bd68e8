//! DUMP.

use std::io::{self, Write};

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, error,
};
use rdb::{Encoder, Limits, dump};

use crate::{Host, portable};

/// Answers a value as bytes that RESTORE takes, here and in Redis.
pub struct Dump<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Dump<'a> {
    const SPEC: Spec = Spec {
        name: "dump",
        group: Group::Generic,
        since: "2.6.0",
        summary: "Answers a value as bytes that RESTORE takes.",
        complexity: "O(N) in the bytes of the value",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Dump { key: args.key()? })
    }
}

impl<H: Host> Run<H> for Dump<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        match payload_within(host, self.key, out.room())? {
            Some(payload) => out.bulk(&payload),
            None => out.null(),
        }
        Ok(Effect::None)
    }
}

/// A text that is not wanted once it is longer than there is room for.
struct Within {
    bytes: Vec<u8>,
    room: usize,
}

impl Write for Within {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // One byte more than there is room for: who is given that knows that something is missing.
        let most = self.room.saturating_sub(self.bytes.len()).saturating_add(1);
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(most)]);
        if bytes.len() < most { Ok(bytes.len()) } else { Err(io::ErrorKind::OutOfMemory.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What DUMP answers for `key`; `None` if it is not there. O(n) in the bytes of the value.
///
/// # Errors
/// The value is of a type that files cannot hold.
pub fn payload<H: Host>(host: &H, key: Key<'_>) -> Result<Option<Vec<u8>>, CmdError> {
    payload_within(host, key, usize::MAX)
}

/// As [`payload`]; of one that is longer than `room` the beginning, which is longer, too.
fn payload_within<H: Host>(
    host: &H,
    key: Key<'_>,
    room: usize,
) -> Result<Option<Vec<u8>>, CmdError> {
    let Some(value) = encoded(host, key, room)? else { return Ok(None) };
    Ok(Some(if value.len() > room { value } else { dump::seal(value) }))
}

/// The value at `key` as a file holds it, without its name; of one that is longer than `room` the
/// beginning, which is longer, too.
fn encoded<H: Host>(host: &H, key: Key<'_>, room: usize) -> Result<Option<Vec<u8>>, CmdError> {
    let encoder = &mut Encoder::new(Limits::from(&host.limits()), true);
    let mut value = Within { bytes: Vec::new(), room };
    let written = portable::write(host, key, encoder, &mut value)?;
    match written {
        Some(Ok(())) => Ok(Some(value.bytes)),
        Some(Err(_)) if value.bytes.len() > room => Ok(Some(value.bytes)),
        Some(Err(_)) => Err(error::INTERNAL), // never: a vector takes what it is given
        None => Ok(None),
    }
}
