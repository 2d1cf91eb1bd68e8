//! ACL GENPASS.

use std::fs::File;
use std::io::Read;

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::ACL;
use crate::control::{Act, Control, misused};

/// The most bits at a time.
const MOST: i64 = 4096;
const DEFAULT: i64 = 256;

/// Makes a password up.
pub struct AclGenPass {
    bits: i64,
}

impl<'a> Command<'a> for AclGenPass {
    const SPEC: Spec = Spec {
        name: "acl|genpass",
        summary: "Makes up a password that cannot be guessed.",
        grammar: "[bits:integer]",
        ..ACL
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() > 1 {
            return Err(misused(args.argv()));
        }
        let bits = if args.left() == 0 { DEFAULT } else { args.integer()? };
        if !(1..=MOST).contains(&bits) {
            return Err(CmdError::new(
                "ERR ACL GENPASS argument must be the number of bits for the output password, a \
                 positive number up to 4096",
            ));
        }
        Ok(AclGenPass { bits })
    }
}

impl Act for AclGenPass {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let digits = usize::try_from(self.bits).unwrap_or(0).div_ceil(4);
        let mut bytes = vec![0; digits.div_ceil(2)];
        // The system's random numbers: those of commands are fast, but could be predicted.
        File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).map_err(
            |error| {
                tracing::error!(%error, "no random numbers from the system");
                CmdError::new("ERR no random numbers from the system")
            },
        )?;
        let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble & 15)];
        let text: Vec<u8> =
            bytes.iter().flat_map(|&b| [digit(b >> 4), digit(b)]).take(digits).collect();
        out.bulk(&text);
        Ok(())
    }
}
