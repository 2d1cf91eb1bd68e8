//! Parts of a string in bits, as BITCOUNT and BITPOS name them.

use base::{CmdError, error};

/// What positions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Byte,
    Bit,
}

impl Unit {
    /// # Errors
    /// A syntax error if the word is neither BYTE nor BIT.
    pub fn parse(word: &[u8]) -> Result<Self, CmdError> {
        if word.eq_ignore_ascii_case(b"BIT") {
            Ok(Unit::Bit)
        } else if word.eq_ignore_ascii_case(b"BYTE") {
            Ok(Unit::Byte)
        } else {
            Err(error::SYNTAX)
        }
    }
}

/// Bits `first..=last`; never empty, never beyond the string it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub first: usize,
    pub last: usize,
}

impl Span {
    /// The bits from `start` to `end` (both included, from the end if negative, clamped) of a
    /// string of `length` bytes; `None` if there are none.
    pub fn of(start: i64, end: i64, length: usize, unit: Unit) -> Option<Span> {
        let width: i64 = match unit {
            Unit::Byte => 8,
            Unit::Bit => 1,
        };
        // No string is anywhere near an eighth of the address space.
        let total = i64::try_from(length).ok()?.checked_mul(8 / width)?;
        let from_end = |at: i64| if at < 0 { (total + at).max(0) } else { at };
        let (start, end) = (from_end(start), from_end(end).min(total - 1));
        if start > end {
            return None;
        }
        let first = usize::try_from(start * width).ok()?;
        let last = usize::try_from(end * width + (width - 1)).ok()?;
        Some(Span { first, last })
    }

    /// The byte of the first bit, and which of its bits belong to the span or come after it.
    pub fn head(self) -> (usize, u8) {
        (self.first / 8, 0xff >> (self.first % 8))
    }

    /// The byte of the last bit, and which of its bits belong to the span or come before it.
    pub fn tail(self) -> (usize, u8) {
        (self.last / 8, 0xff << (7 - self.last % 8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_clamped() {
        let span = |start, end, unit| Span::of(start, end, 3, unit).map(|s| (s.first, s.last));
        assert_eq!(span(0, -1, Unit::Byte), Some((0, 23)));
        assert_eq!(span(-1, 100, Unit::Byte), Some((16, 23)));
        assert_eq!(span(-100, -3, Unit::Byte), Some((0, 7)));
        assert_eq!(span(5, 5, Unit::Bit), Some((5, 5)));
        assert_eq!(span(-2, -1, Unit::Bit), Some((22, 23)));
        assert_eq!(span(3, 3, Unit::Byte), None);
        assert_eq!(span(2, 1, Unit::Byte), None);
        assert_eq!(span(i64::MIN, i64::MAX, Unit::Bit), Some((0, 23)));
        assert_eq!(span(i64::MAX, i64::MIN, Unit::Bit), None);
        assert_eq!(Span::of(0, -1, 0, Unit::Byte), None);
    }

    #[test]
    fn ends_are_masked() {
        let span = Span { first: 5, last: 16 };
        assert_eq!(span.head(), (0, 0b0000_0111));
        assert_eq!(span.tail(), (2, 0b1000_0000));
    }
}
