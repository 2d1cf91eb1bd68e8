//! What blocking commands share: how long they wait.

use base::num::LongDouble;
use base::{CmdError, Millis, error};

/// The deadline of a timeout in seconds with a fraction, seen from `now`; `None` for 0, which
/// means for ever. Fractions of milliseconds are rounded up.
///
/// # Errors
/// Not a number, or negative. A number too large for 64 bits of milliseconds is reported as
/// negative, as Redis does.
pub(crate) fn deadline(text: &[u8], now: Millis) -> Result<Option<Millis>, CmdError> {
    let seconds = LongDouble::parse(text).ok_or(error::TIMEOUT_NOT_FLOAT)?;
    let millis = seconds.scaled_up(1000).and_then(|millis| u64::try_from(millis).ok());
    let millis = millis.ok_or(error::TIMEOUT_NEGATIVE)?;
    if millis == 0 {
        return Ok(None);
    }
    // A moment beyond all time never comes.
    Ok(millis.checked_add(now).filter(|&at| i64::try_from(at).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts() {
        for (text, wanted) in [
            ("0", Ok(None)),
            ("-0", Ok(None)),
            ("0.0011", Ok(Some(7))),
            ("0.1", Ok(Some(105))),
            ("2", Ok(Some(2005))),
            ("0x10", Ok(Some(16_005))),
            ("1e-30", Ok(Some(6))),
            ("1e-400", Ok(Some(6))),
            // Rounded up, to 0: a thousand times the nearest number to 0.001 is below 1.
            ("-0.001", Ok(None)),
            ("-1e-400", Ok(None)),
            ("-0.0011", Err(error::TIMEOUT_NEGATIVE)),
            ("-1", Err(error::TIMEOUT_NEGATIVE)),
            ("inf", Err(error::TIMEOUT_NEGATIVE)),
            ("-inf", Err(error::TIMEOUT_NEGATIVE)),
            ("1e300", Err(error::TIMEOUT_NEGATIVE)),
            ("1e4000", Err(error::TIMEOUT_NEGATIVE)),
            ("9223372036854775.807", Ok(None)),
            ("9223372036854775.9", Err(error::TIMEOUT_NEGATIVE)),
            ("9223370000000000", Ok(Some(9_223_370_000_000_000_005))),
            ("1e5000", Err(error::TIMEOUT_NOT_FLOAT)),
            ("nan", Err(error::TIMEOUT_NOT_FLOAT)),
            (" 1", Err(error::TIMEOUT_NOT_FLOAT)),
            ("", Err(error::TIMEOUT_NOT_FLOAT)),
        ] {
            assert_eq!(deadline(text.as_bytes(), 5), wanted, "{text}");
        }
    }
}
