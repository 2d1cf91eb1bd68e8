//! What `HRANDFIELD`, `SRANDMEMBER` and `ZRANDMEMBER` are asked for.

use base::{Args, CmdError, error};

/// How many elements to draw, and whether each is answered with what belongs to it.
#[derive(Clone, Copy)]
pub(crate) struct Draw {
    /// None: one, alone. Repeats are allowed if it is negative.
    pub count: Option<i64>,
    /// With its value, or its score.
    pub with: bool,
}

/// The smallest integer has no positive counterpart and is refused.
const COUNT_RANGE: CmdError = CmdError::new(
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
);

impl Draw {
    /// A count, and `with` behind it, where they are there.
    ///
    /// # Errors
    /// They are malformed, or there is more.
    pub fn parse(args: &mut Args<'_>, with: &str) -> Result<Self, CmdError> {
        if args.left() == 0 {
            return Ok(Draw { count: None, with: false });
        }
        let count = parse_count(args)?;
        let with = args.token(with);
        args.end()?;
        // Twice as many elements must still be a number of elements.
        if with && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
            return Err(error::OUT_OF_RANGE);
        }
        Ok(Draw { count: Some(count), with })
    }
}

/// How many elements to draw; repeats are allowed if it is negative.
///
/// # Errors
/// It is no integer, or the one that cannot be negated.
pub(crate) fn parse_count(args: &mut Args<'_>) -> Result<i64, CmdError> {
    let count = args.integer()?;
    if count == i64::MIN { Err(COUNT_RANGE) } else { Ok(count) }
}
