//! HyperLogLog: strings that estimate how many distinct elements were seen.
//!
//! The algorithm and its bytes are in [`types::hyperloglog`]; here are the commands.

mod pfadd;
mod pfcount;
mod pfdebug;
mod pfmerge;
mod pfselftest;

use base::{CmdError, Key, Row, Strings, rows};
use types::hyperloglog::{self, Corrupted, Encoding};

use self::pfadd::PfAdd;
use self::pfcount::PfCount;
use self::pfdebug::PfDebug;
use self::pfmerge::PfMerge;
use self::pfselftest::PfSelfTest;

/// The rows of this family.
#[must_use]
pub fn rows<H: Strings>() -> Vec<Row<H>> {
    rows![H; PfAdd, PfCount, PfDebug, PfMerge, PfSelfTest]
}

const NOT_A_HYPERLOGLOG: CmdError =
    CmdError::new("WRONGTYPE Key is not a valid HyperLogLog string value.");
const CORRUPTED: CmdError = CmdError::new("INVALIDOBJ Corrupted HLL object detected");

fn corrupted(_: Corrupted) -> CmdError {
    CORRUPTED
}

/// The HyperLogLog at `key`, if there is one.
///
/// # Errors
/// The key holds something else.
fn find<'h, H: Strings>(
    host: &'h H,
    key: Key<'_>,
) -> Result<Option<(&'h [u8], Encoding)>, CmdError> {
    let Some(bytes) = host.string(key)? else { return Ok(None) };
    let encoding = hyperloglog::encoding(bytes).ok_or(NOT_A_HYPERLOGLOG)?;
    Ok(Some((bytes, encoding)))
}

/// Longest string that is reported with another encoding than `raw`.
const LONGEST_EMBEDDED: usize = 44;

/// Lets a HyperLogLog of `length` bytes be reported as `raw`, as Redis does with each one that a
/// command might have changed.
///
/// # Errors
/// The key holds something else.
fn report_raw<H: Strings>(host: &mut H, key: Key<'_>, length: usize) -> Result<(), CmdError> {
    if length <= LONGEST_EMBEDDED && host.encoding(key) != Some("raw") {
        host.edit_string(key, |_| ())?;
    }
    Ok(())
}
