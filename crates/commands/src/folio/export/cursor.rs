//! Where an export goes on.

use ::folio::Slot;

/// What a part begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The records from a place on.
    Records(Slot),
    /// The samples of the records from a place on; of the first those from a millisecond on.
    Samples(Slot, i64),
}

impl Position {
    /// The first record.
    pub const START: Position = Position::Records(0);
}

/// Which version is read for whom, and from where on. As a client has it:
///
/// ```text
///   version-asked-r-place         all in hexadecimal
///   version-asked-s-place-millisecond          but this
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The number of the version.
    pub version: u64,
    /// What was asked for, as a number.
    pub asked: u64,
    /// What comes next.
    pub position: Position,
}

impl Cursor {
    /// The text of it.
    pub fn text(self) -> String {
        let Cursor { version, asked, position } = self;
        match position {
            Position::Records(slot) => format!("{version:x}-{asked:x}-r-{slot:x}"),
            Position::Samples(slot, at) => format!("{version:x}-{asked:x}-s-{slot:x}-{at}"),
        }
    }

    /// That of a text.
    pub fn read(text: &[u8]) -> Option<Cursor> {
        let mut parts = std::str::from_utf8(text).ok()?.splitn(5, '-');
        let version = u64::from_str_radix(parts.next()?, 16).ok()?;
        let asked = u64::from_str_radix(parts.next()?, 16).ok()?;
        let stage = parts.next()?;
        let slot = Slot::from_str_radix(parts.next()?, 16).ok()?;
        let position = match (stage, parts.next()) {
            ("r", None) => Position::Records(slot),
            ("s", Some(at)) => Position::Samples(slot, at.parse().ok()?),
            _ => return None,
        };
        Some(Cursor { version, asked, position })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_texts() {
        let positions = [
            Position::START,
            Position::Records(Slot::MAX),
            Position::Samples(7, i64::MIN),
            Position::Samples(0, -1),
            Position::Samples(Slot::MAX, i64::MAX),
        ];
        for position in positions {
            for version in [1, u64::MAX] {
                let cursor = Cursor { version, asked: version / 3, position };
                assert_eq!(Cursor::read(cursor.text().as_bytes()), Some(cursor));
            }
        }
        let nonsense = [
            "",
            "0",
            "-",
            "1-1-r",
            "1-1-x-0",
            "1-1-r-0-0",
            "1-1-s-0",
            "1-1-s-0-x",
            "g-1-r-0",
            "1-1-r-fffffffff",
            "1-r-0",
        ];
        for nonsense in nonsense {
            assert_eq!(Cursor::read(nonsense.as_bytes()), None, "{nonsense}");
        }
        assert_eq!(Cursor::read(b"\xff"), None);
    }
}
