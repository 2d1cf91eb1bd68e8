//! A bound on random elements that may repeat: `SRANDMEMBER key -1000000000` and its like.
//!
//! Nothing in the data bounds such a reply; Redis builds it until memory ends. Here a request for
//! more than [`MOST`] elements, or whose reply outgrows `proto-max-bulk-len`, is refused.

use base::{CmdError, PackLimits, error};

/// Elements one request may draw with repeats.
const MOST: usize = 1 << 24;
/// Bytes that an element's reply takes beside the element.
const FRAME: usize = 8;

/// What a request for random elements may still answer.
pub(crate) struct Repeats {
    bytes: usize,
}

impl Repeats {
    /// A request for `draws` elements.
    ///
    /// # Errors
    /// "value is out of range": these are too many.
    pub fn new(draws: usize, limits: PackLimits) -> Result<Self, CmdError> {
        if draws > MOST {
            return Err(error::OUT_OF_RANGE);
        }
        Ok(Repeats { bytes: limits.string_max })
    }

    /// One more element, of so many bytes.
    ///
    /// # Errors
    /// "value is out of range": the reply grows too long.
    pub fn add(&mut self, bytes: usize) -> Result<(), CmdError> {
        self.bytes = self.bytes.checked_sub(bytes + FRAME).ok_or(error::OUT_OF_RANGE)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_hold() {
        let limits = PackLimits { string_max: 100, ..PackLimits::default() };
        assert!(Repeats::new(MOST + 1, limits).is_err());
        let mut repeats = Repeats::new(MOST, limits).unwrap();
        assert_eq!(repeats.add(84), Ok(()));
        assert_eq!(repeats.add(0), Ok(()));
        assert_eq!(repeats.add(0), Err(error::OUT_OF_RANGE));
    }
}
