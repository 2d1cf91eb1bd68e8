//! Dates, times and instants to their texts.

use std::fmt;

use super::{Date, DateTime, Time};

/// Appends the last digits of a number, with zeros in front.
fn append_digits(out: &mut Vec<u8>, number: u64, digits: u32) {
    for power in (0..digits).rev() {
        let digit = number / 10_u64.pow(power) % 10;
        out.push(b'0' + u8::try_from(digit).unwrap_or(0));
    }
}

impl Date {
    /// Appends `2024-02-29`.
    pub(crate) fn append(self, out: &mut Vec<u8>) {
        let (year, month, day) = self.civil();
        append_digits(out, year.unsigned_abs(), 4);
        out.push(b'-');
        append_digits(out, month.unsigned_abs(), 2);
        out.push(b'-');
        append_digits(out, day.unsigned_abs(), 2);
    }
}

impl Time {
    /// Appends hours, minutes, seconds, and what is left in groups of three digits.
    pub(crate) fn append(self, out: &mut Vec<u8>) {
        let (seconds, nanos) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        append_digits(out, seconds / 3_600, 2);
        out.push(b':');
        append_digits(out, seconds / 60 % 60, 2);
        out.push(b':');
        append_digits(out, seconds % 60, 2);
        let (fraction, digits) = match nanos {
            0 => return,
            nanos if nanos % 1_000_000 == 0 => (nanos / 1_000_000, 3),
            nanos if nanos % 1_000 == 0 => (nanos / 1_000, 6),
            nanos => (nanos, 9),
        };
        out.push(b'.');
        append_digits(out, fraction, digits);
    }
}

impl DateTime {
    /// Appends its text without the zone's name. Offsets have no seconds, so those of mean local
    /// times are cut, in a way that the instant stays the same.
    pub(crate) fn append_iso(self, out: &mut Vec<u8>) {
        let offset = self.offset() / 60 * 60;
        let (date, time) = self.local(offset);
        date.append(out);
        out.push(b'T');
        time.append(out);
        if offset == 0 {
            return out.push(b'Z');
        }
        let minutes = u64::from(offset.unsigned_abs() / 60);
        out.push(if offset < 0 { b'-' } else { b'+' });
        append_digits(out, minutes / 60, 2);
        out.push(b':');
        append_digits(out, minutes % 60, 2);
    }

    /// Appends it as Zinc has it, with the name of its zone.
    pub(crate) fn append(self, out: &mut Vec<u8>) {
        self.append_iso(out);
        out.push(b' ');
        out.extend_from_slice(self.zone().city().as_bytes());
    }
}

/// Writes what this appends.
fn show(f: &mut fmt::Formatter<'_>, append: impl FnOnce(&mut Vec<u8>)) -> fmt::Result {
    let mut text = Vec::new();
    append(&mut text);
    f.write_str(&String::from_utf8_lossy(&text))
}

/// `2024-02-29`
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.append(out))
    }
}

/// Hours, minutes, seconds, and what is left in groups of three digits.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.append(out))
    }
}

/// As Zinc has it: `2024-05-01T09:30:00-04:00 New_York`, `2024-05-01T09:30:00Z UTC`.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.append(out))
    }
}
