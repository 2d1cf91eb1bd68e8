//! PFDEBUG: how a HyperLogLog looks inside.

use std::fmt::Write as _;

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Strings,
};
use types::hyperloglog::{self, Encoding, Opcode, Registers};

use super::{corrupted, find, report_raw};

const NO_KEY: CmdError = CmdError::new("ERR The specified key does not exist");
const NOT_SPARSE: CmdError = CmdError::new("ERR HLL encoding is not sparse");

/// Shows or changes how a HyperLogLog is kept.
pub struct PfDebug<'a> {
    subcommand: &'a [u8],
    key: Key<'a>,
}

impl<'a> Command<'a> for PfDebug<'a> {
    const SPEC: Spec = Spec {
        name: "pfdebug",
        group: Group::HyperLogLog,
        since: "2.8.9",
        summary: "Shows how a HyperLogLog is kept (ENCODING, DECODE, GETREG), or makes it dense \
                  (TODENSE).",
        complexity: "O(N), when N is the length of the HyperLogLog",
        grammar: "subcommand:string key:key",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Admin, Flag::SysCmd],
        categories: &[Category::HyperLogLog],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PfDebug { subcommand: args.next()?, key: args.key()? })
    }
}

impl<H: Strings> Run<H> for PfDebug<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (bytes, encoding) = find(host, self.key)?.ok_or(NO_KEY)?;
        let length = bytes.len();
        report_raw(host, self.key, length)?;
        let is = |name: &str| self.subcommand.eq_ignore_ascii_case(name.as_bytes());
        if is("GETREG") {
            let changed = to_dense(host, self.key, encoding)?;
            let mut registers = Registers::default();
            if let Some((bytes, _)) = find(host, self.key)? {
                registers.merge(bytes).map_err(corrupted)?;
            }
            out.array(registers.iter().len());
            registers.iter().for_each(|rank| out.int(i64::from(rank)));
            Ok(changed)
        } else if is("DECODE") {
            if encoding != Encoding::Sparse {
                return Err(NOT_SPARSE);
            }
            let bytes = host.string(self.key)?.unwrap_or_default();
            out.bulk(decode(bytes).as_bytes());
            Ok(Effect::None)
        } else if is("ENCODING") {
            out.simple(if encoding == Encoding::Dense { "dense" } else { "sparse" });
            Ok(Effect::None)
        } else if is("TODENSE") {
            let changed = to_dense(host, self.key, encoding)?;
            out.int(i64::from(changed != Effect::None));
            Ok(changed)
        } else {
            Err(CmdError::quoting("ERR Unknown PFDEBUG subcommand '", self.subcommand, "'"))
        }
    }
}

fn to_dense<H: Strings>(
    host: &mut H,
    key: Key<'_>,
    encoding: Encoding,
) -> Result<Effect, CmdError> {
    if encoding == Encoding::Dense {
        return Ok(Effect::None);
    }
    host.edit_string(key, hyperloglog::to_dense)?.map_err(corrupted)?;
    Ok(Effect::AsSent)
}

/// The runs of a sparse HyperLogLog as text.
fn decode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for opcode in hyperloglog::opcodes(bytes) {
        // Writing to a string cannot fail.
        let _ = match opcode {
            Opcode::Zeros(length) => write!(text, "z:{length} "),
            Opcode::ManyZeros(length) => write!(text, "Z:{length} "),
            Opcode::Run(rank, length) => write!(text, "v:{rank},{length} "),
        };
    }
    text.truncate(text.trim_end().len());
    text
}
