//! What blocking commands share: how long they wait.

use base::num::{self, LongDouble};
use base::{CmdError, Millis, error};

/// The deadline of a timeout in seconds with a fraction, seen from `now`; `None` for 0, which
/// means for ever.
///
/// # Errors
/// Not a number, negative, or too far away. A number too large for 64 bits of milliseconds is
/// reported as negative, as Redis does.
pub(crate) fn deadline(text: &[u8], now: Millis) -> Result<Option<Millis>, CmdError> {
    if LongDouble::parse(text).is_none() {
        return Err(error::TIMEOUT_NOT_FLOAT);
    }
    // What only the longer format can hold is far out of range anyway.
    let seconds = num::parse_f64(text).unwrap_or(f64::INFINITY);
    let millis = (seconds * 1000.0).ceil();
    if !(0.0..9.3e18).contains(&millis) {
        return Err(error::TIMEOUT_NEGATIVE);
    }
    if millis == 0.0 {
        return Ok(None);
    }
    // Not negative and below 2^64: the cast is exact to the precision of a double.
    let until = (millis as u64).checked_add(now).filter(|&at| i64::try_from(at).is_ok());
    until.map(Some).ok_or(CmdError::new("ERR timeout is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts() {
        assert_eq!(deadline(b"0", 5), Ok(None));
        assert_eq!(deadline(b"0.0011", 5), Ok(Some(7)));
        assert_eq!(deadline(b"2", 5), Ok(Some(2005)));
        assert_eq!(deadline(b"-1", 5), Err(error::TIMEOUT_NEGATIVE));
        assert_eq!(deadline(b"inf", 5), Err(error::TIMEOUT_NEGATIVE));
        assert_eq!(deadline(b"1e300", 5), Err(error::TIMEOUT_NEGATIVE));
        assert_eq!(deadline(b"x", 5), Err(error::TIMEOUT_NOT_FLOAT));
    }
}
