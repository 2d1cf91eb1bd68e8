//! The expiry options that SET, GETEX and their older spellings share.

use base::{Args, CmdError, Deadline, Millis, error, num};

/// An expiry option as written: checked for grammar when parsed, for range when it is applied,
/// because Redis reports syntax errors first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expiry<'a> {
    /// Relative or absolute time.
    Time { text: &'a [u8], unit_ms: i64, absolute: bool },
    /// `KEEPTTL`
    Keep,
    /// `PERSIST`
    Persist,
}

impl<'a> Expiry<'a> {
    /// Reads one of a command's options about time, where none but these may stand: the word
    /// `other`, which stands for `meaning`, or a time. What was `earlier` read must agree.
    pub fn take(
        args: &mut Args<'a>,
        (other, meaning): (&str, Self),
        earlier: Option<Self>,
    ) -> Result<Option<Self>, CmdError> {
        let expiry = match args.token(other) {
            true => meaning,
            false => Self::take_time(args)?.ok_or(error::SYNTAX)?,
        };
        expiry.behind(earlier)
    }

    /// Reads `EX`, `PX`, `EXAT` or `PXAT` with its number, if one stands next.
    fn take_time(args: &mut Args<'a>) -> Result<Option<Self>, CmdError> {
        const UNITS: [(&str, i64, bool); 4] =
            [("EX", 1000, false), ("PX", 1, false), ("EXAT", 1000, true), ("PXAT", 1, true)];
        for (token, unit_ms, absolute) in UNITS {
            if args.token(token) {
                return Ok(Some(Expiry::Time { text: args.next()?, unit_ms, absolute }));
            }
        }
        Ok(None)
    }

    /// This option behind an `earlier` one of the same command. One that is repeated counts for the
    /// last time it stands there; two different ones are an error.
    fn behind(self, earlier: Option<Self>) -> Result<Option<Self>, CmdError> {
        let same = match (self, earlier) {
            (_, None)
            | (Expiry::Keep, Some(Expiry::Keep))
            | (Expiry::Persist, Some(Expiry::Persist)) => true,
            (
                Expiry::Time { unit_ms, absolute, .. },
                Some(Expiry::Time { unit_ms: unit, absolute: kind, .. }),
            ) => (unit_ms, absolute) == (unit, kind),
            _ => false,
        };
        if same { Ok(Some(self)) } else { Err(error::SYNTAX) }
    }

    /// The deadline it means at time `now`, for an error in the name of `command`.
    pub fn deadline(self, now: Millis, command: &str) -> Result<Deadline, CmdError> {
        let (text, unit_ms, absolute) = match self {
            Expiry::Keep => return Ok(Deadline::Keep),
            Expiry::Persist => return Ok(Deadline::Clear),
            Expiry::Time { text, unit_ms, absolute } => (text, unit_ms, absolute),
        };
        let invalid = || error::invalid_expire(command);
        let number = num::parse_i64(text).ok_or(error::NOT_INTEGER)?;
        if number <= 0 {
            return Err(invalid());
        }
        let time = number.checked_mul(unit_ms).ok_or_else(invalid)?;
        let base = if absolute { 0 } else { i64::try_from(now).unwrap_or(i64::MAX) };
        let at = time.checked_add(base).ok_or_else(invalid)?;
        Ok(Deadline::At(Millis::try_from(at).map_err(|_| invalid())?))
    }
}
