//! Dates, times and instants from their texts.

use std::str::FromStr;

use super::{Date, DateTime, Time, Zone};
use crate::Error;

/// Takes a text from the front.
struct Text<'a>(&'a [u8]);

impl Text<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.0.first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    /// A number of `least` to `most` digits.
    fn number(&mut self, least: usize, most: usize) -> Option<u64> {
        let digits = self.0.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        let value = number.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        (digits >= least).then_some(value)
    }

    fn after(&mut self, byte: u8, digits: usize) -> Option<u64> {
        self.take(byte).then(|| self.number(digits, digits))?
    }

    fn date(&mut self) -> Option<(i64, i64, i64)> {
        let parts = (self.number(4, 4)?, self.after(b'-', 2)?, self.after(b'-', 2)?);
        Some((to_i64(parts.0), to_i64(parts.1), to_i64(parts.2)))
    }

    /// The hour may have one digit, and the seconds may be missing.
    fn time(&mut self) -> Option<(u64, u64, u64, u64)> {
        let (hour, minute) = (self.number(1, 2)?, self.after(b':', 2)?);
        if self.0.first() != Some(&b':') {
            return Some((hour, minute, 0, 0));
        }
        let second = self.after(b':', 2)?;
        let nanos = if self.take(b'.') { self.fraction()? } else { 0 };
        Some((hour, minute, second, nanos))
    }

    /// Digits after a point, in nanoseconds; those beyond nine are cut.
    fn fraction(&mut self) -> Option<u64> {
        let before = self.0.len();
        let value = self.number(1, 9)?;
        let digits = u32::try_from(before - self.0.len()).ok()?;
        while self.0.first().is_some_and(u8::is_ascii_digit) {
            self.0 = &self.0[1..];
        }
        Some(value * 10_u64.pow(9 - digits))
    }

    /// `Z` or `±hh:mm`, in seconds. Some clients write the seconds of mean local times as well.
    fn offset(&mut self) -> Option<i64> {
        if self.take(b'Z') || self.take(b'z') {
            return Some(0);
        }
        let sign = if self.take(b'-') { -1 } else { self.take(b'+').then_some(1)? };
        let (hours, minutes) = (self.number(2, 2)?, self.after(b':', 2)?);
        let seconds = if self.0.first() == Some(&b':') { self.after(b':', 2)? } else { 0 };
        let is_good = hours <= 18 && minutes < 60 && seconds < 60;
        is_good.then(|| sign * to_i64(hours * 3_600 + minutes * 60 + seconds))
    }
}

fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// `2024-02-29`.
impl FromStr for Date {
    type Err = Error;

    fn from_str(text: &str) -> Result<Date, Error> {
        let mut rest = Text(text.as_bytes());
        match rest.date() {
            Some((year, month, day)) if rest.0.is_empty() => Date::new(year, month, day),
            _ => Err(Error::new(format!("Invalid date '{}'", shown(text)))),
        }
    }
}

/// `14:30:00.5`; the hour may have one digit, and seconds may be missing: `8:30`.
impl FromStr for Time {
    type Err = Error;

    fn from_str(text: &str) -> Result<Time, Error> {
        let mut rest = Text(text.as_bytes());
        match rest.time() {
            Some((hour, minute, second, nanos)) if rest.0.is_empty() => {
                Time::new(hour, minute, second, nanos)
            }
            _ => Err(Error::new(format!("Invalid time '{}'", shown(text)))),
        }
    }
}

impl DateTime {
    /// An instant from its ISO text and the name of its zone, which may be missing if the text ends
    /// with `Z` (then it is `UTC`).
    ///
    /// ```
    /// use kvist_haystack::DateTime;
    /// let ts = DateTime::parse("2024-05-01T09:30:00-04:00", Some("New_York"))?;
    /// assert_eq!(ts.to_string(), "2024-05-01T09:30:00-04:00 New_York");
    /// assert_eq!(ts, DateTime::parse("2024-05-01T13:30:00Z", None)?);
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn parse(iso: &str, zone: Option<&str>) -> Result<DateTime, Error> {
        DateTime::parse_or(iso, zone, |offset| (offset == 0).then_some(Zone::UTC))
    }

    /// The same; where no zone is named, the offset in seconds says which it is.
    pub(crate) fn parse_or(
        iso: &str,
        zone: Option<&str>,
        without: impl FnOnce(i64) -> Option<Zone>,
    ) -> Result<DateTime, Error> {
        let invalid = || Error::new(format!("Invalid dateTime '{}'", shown(iso)));
        let mut rest = Text(iso.as_bytes());
        let (year, month, day) = rest.date().ok_or_else(invalid)?;
        rest.take(b'T').then_some(()).ok_or_else(invalid)?;
        let (hour, minute, second, nanos) = rest.time().ok_or_else(invalid)?;
        let offset = rest.offset().ok_or_else(invalid)?;
        if !rest.0.is_empty() {
            return Err(invalid());
        }
        let zone = match zone {
            Some(name) => Zone::named(name),
            None => without(offset).ok_or_else(|| Error::new("dateTime without a time zone")),
        }?;
        let time = Time::new(hour, minute, second, nanos)?;
        DateTime::from_local(Date::new(year, month, day)?, time, offset, zone)
    }
}
