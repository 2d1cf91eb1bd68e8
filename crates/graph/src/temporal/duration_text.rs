//! The text of a duration, and a duration from its text.

use std::fmt::{self, Display, Formatter};

use super::duration::{ONE, Parts};
use super::{Date, Duration, LocalTime};
use crate::value::Error;

/// `P12Y5M14DT16H13M10.000000001S`; each part has its own sign, and what is zero is left out.
impl Display for Duration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let part = |f: &mut Formatter<'_>, number: i128, unit: char| match number {
            0 => Ok(()),
            _ => write!(f, "{number}{unit}"),
        };
        if *self == Duration::default() {
            return f.write_str("PT0S");
        }
        let (months, nanos) = (i128::from(self.months()), self.all_nanos());
        f.write_str("P")?;
        part(f, months / 12, 'Y')?;
        part(f, months % 12, 'M')?;
        part(f, self.days().into(), 'D')?;
        if nanos == 0 {
            return Ok(());
        }
        f.write_str("T")?;
        part(f, nanos / (3_600 * ONE), 'H')?;
        part(f, nanos / (60 * ONE) % 60, 'M')?;
        let seconds = nanos % (60 * ONE);
        if seconds == 0 {
            return Ok(());
        }
        let sign = if seconds < 0 { "-" } else { "" };
        let (whole, rest) = (seconds.abs() / ONE, seconds.abs() % ONE);
        if rest == 0 {
            return write!(f, "{sign}{whole}S");
        }
        let digits = format!("{rest:09}");
        write!(f, "{sign}{whole}.{}S", digits.trim_end_matches('0'))
    }
}

/// A number in front of a text, in billionths, and what follows it.
fn number(text: &str) -> Option<(i128, &str)> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = rest.split_at(digits(rest));
    let (fraction, rest) = match rest.strip_prefix(['.', ',']) {
        Some(behind) => behind.split_at(digits(behind)),
        None => ("", rest),
    };
    if whole.len() + fraction.len() == 0 || whole.len() > 19 {
        return None;
    }
    let fraction = format!("{fraction:0<9}");
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let size = whole * ONE + fraction.get(..9)?.parse::<i128>().ok()?;
    Some((if negative { -size } else { size }, rest))
}

/// `nYnMnWnDTnHnMnS`.
fn by_units(mut text: &str) -> Option<Parts> {
    // Each unit comes at most once, and in this order.
    const UNITS: [(bool, char); 7] = [
        (false, 'Y'),
        (false, 'M'),
        (false, 'W'),
        (false, 'D'),
        (true, 'H'),
        (true, 'M'),
        (true, 'S'),
    ];
    let mut parts = Parts::default();
    let (mut next, mut of_time) = (0, false);
    while !text.is_empty() {
        if !of_time && let Some(rest) = text.strip_prefix('T') {
            (of_time, text) = (true, rest);
        }
        let (amount, rest) = number(text)?;
        let unit = rest.chars().next()?;
        let place = UNITS[next..].iter().position(|&known| known == (of_time, unit))? + next;
        match place {
            0 => parts.months += amount * 12,
            1 => parts.months += amount,
            2 => parts.days += amount * 7,
            3 => parts.days += amount,
            4 => parts.seconds += amount * 3_600,
            5 => parts.seconds += amount * 60,
            _ => parts.seconds += amount,
        }
        (next, text) = (place + 1, &rest[unit.len_utf8()..]);
    }
    (next > 0).then_some(parts)
}

/// `2012-02-02T14:37:21.545`: years, months and days as in a date, where none may be zero.
fn by_date(text: &str) -> Option<Parts> {
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let (year, month, day) = Date::parse(date).ok()?.civil();
    let time = if time.is_empty() { LocalTime::default() } else { LocalTime::parse(time).ok()? };
    let months = i128::from(year * 12 + month) * ONE;
    Some(Parts { months, days: i128::from(day) * ONE, seconds: time.nanos().into() })
}

impl Duration {
    /// A duration from its text.
    pub fn parse(text: &str) -> Result<Duration, Error> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let parts =
            rest.strip_prefix('P').and_then(|text| by_units(text).or_else(|| by_date(text)));
        let refused = || Error::temporal(format!("Text cannot be parsed to a Duration: '{text}'"));
        let duration = Duration::from_parts(parts.ok_or_else(refused)?)?;
        if negative { duration.negated() } else { Ok(duration) }
    }
}
