//! The texts of dates, times and instants, as ISO 8601 has them.

use std::fmt::{self, Display, Formatter};

use super::{Date, DateTime, LocalDateTime, LocalTime, Time, Zone};

impl Display for Date {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        match year {
            ..0 => write!(f, "-{:04}", -year)?,
            0..10_000 => write!(f, "{year:04}")?,
            _ => write!(f, "+{year}")?,
        }
        write!(f, "-{month:02}-{day:02}")
    }
}

impl Display for LocalTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (hour, minute, second, nano) = self.parts();
        write!(f, "{hour:02}:{minute:02}")?;
        if second == 0 && nano == 0 {
            return Ok(());
        }
        write!(f, ":{second:02}")?;
        match nano {
            0 => Ok(()),
            _ if nano % 1_000_000 == 0 => write!(f, ".{:03}", nano / 1_000_000),
            _ if nano % 1_000 == 0 => write!(f, ".{:06}", nano / 1_000),
            _ => write!(f, ".{nano:09}"),
        }
    }
}

/// An offset: `Z`, `+01:00`, `-02:05:07`.
pub(super) fn offset(seconds: i32) -> String {
    let size = seconds.unsigned_abs();
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes, rest) = (size / 3_600, size / 60 % 60, size % 60);
    match (seconds, rest) {
        (0, _) => "Z".to_owned(),
        (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{rest:02}"),
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local, offset(self.offset()))
    }
}

impl Display for LocalDateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date(), self.time())
    }
}

impl Display for DateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local(), offset(self.offset()))?;
        self.zone().name().map_or(Ok(()), |name| write!(f, "[{name}]"))
    }
}

/// Its name, or else its offset.
impl Display for Zone {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => f.write_str(&offset(self.offset_at(0))),
        }
    }
}
