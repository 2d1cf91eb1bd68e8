//! Seconds since 1970 as dates and back, in UTC, with the formats of C's `strftime` and `strptime`
//! in its plain locale.
//!
//! Own, on the calendar that other parts of the program use: the libraries for dates print a
//! locale's names, refuse formats by panicking or have no `strptime` that reads a date alone.

use std::fmt::Write;

use calendar::days;

use super::value::Value;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY: i64 = 86_400;
/// Seconds to the end of the year 9999.
const LAST: f64 = 253_402_300_799.0;
/// The longest date that is printed.
const MAX_TEXT: usize = 1 << 16;

/// What is asked of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// These round down to the unit.
    Day,
    Hour,
    Minute,
    Month,
    /// These are numbers of a date.
    Year,
    DayOfWeek,
    DayOfMonth,
    DayOfYear,
    MonthOfYear,
}

/// A date and a time of day.
struct Date {
    seconds: i64,
    year: i64,
    month: i64,
    day: i64,
    /// From 0 on Sundays.
    weekday: i64,
    /// From 0.
    of_year: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Date {
    fn of(seconds: i64) -> Self {
        let (day_number, of_day) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = days::civil(day_number);
        Self {
            seconds,
            year,
            month,
            day,
            weekday: days::weekday(day_number) % 7,
            of_year: day_number - days::days_of(year, 1, 1),
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
        }
    }
}

fn seconds_of(value: &Value) -> Option<i64> {
    let seconds = value.as_number().filter(|seconds| seconds.abs() <= LAST)?;
    #[allow(clippy::cast_possible_truncation)] // bounded
    Some(seconds.floor() as i64)
}

#[allow(clippy::cast_precision_loss)] // bounded
fn number(seconds: i64) -> Value {
    Value::Number(seconds as f64)
}

/// A part of a time; `Null` before 1970, as in RediSearch.
pub(super) fn of_unit(unit: Unit, value: &Value) -> Value {
    let Some(seconds) = seconds_of(value).filter(|seconds| *seconds >= 0) else {
        return Value::Null;
    };
    let date = Date::of(seconds);
    number(match unit {
        Unit::Day => seconds - seconds % DAY,
        Unit::Hour => seconds - seconds % 3600,
        Unit::Minute => seconds - seconds % 60,
        Unit::Month => days::days_of(date.year, date.month, 1) * DAY,
        Unit::Year => date.year,
        Unit::DayOfWeek => date.weekday,
        Unit::DayOfMonth => date.day,
        Unit::DayOfYear => date.of_year,
        Unit::MonthOfYear => date.month - 1,
    })
}

/// `timefmt(time, format = "%FT%TZ")`.
pub(super) fn format(value: &Value, format: &Value) -> Value {
    let Some(seconds) = seconds_of(value) else { return Value::Null };
    let format = match format {
        Value::Null => b"%FT%TZ".to_vec(),
        Value::Text(format) => format.clone(),
        _ => return Value::Null,
    };
    let date = Date::of(seconds);
    let (mut text, mut bytes) = (Vec::new(), format.iter());
    while let Some(byte) = bytes.next() {
        if *byte == b'%' {
            let mut directive = bytes.next();
            // Other digits and eras of a locale; there are none.
            while matches!(directive, Some(b'E' | b'O')) {
                directive = bytes.next();
            }
            let Some(directive) = directive else { return Value::Null };
            let mut part = String::new();
            if print(*directive, &date, &mut part).is_none() {
                return Value::Null;
            }
            text.extend_from_slice(part.as_bytes());
        } else {
            text.push(*byte);
        }
        if text.len() > MAX_TEXT {
            return Value::Null;
        }
    }
    Value::Text(text)
}

fn name(names: &'static [&'static str], at: i64) -> &'static str {
    usize::try_from(at).ok().and_then(|at| names.get(at)).unwrap_or(&"")
}

/// Hours of a half of the day.
fn half(hour: i64) -> i64 {
    (hour + 11) % 12 + 1
}

/// Prints one directive; `None` if there is none of this letter.
fn print(directive: u8, date: &Date, to: &mut String) -> Option<()> {
    let (weekday, month) = (name(&WEEKDAYS, date.weekday), name(&MONTHS, date.month - 1));
    let short = |name: &'static str| name.get(..3).unwrap_or("");
    let all = |letters: &[u8], between: &str, to: &mut String| {
        for (at, letter) in letters.iter().enumerate() {
            if at > 0 {
                to.push_str(between);
            }
            print(*letter, date, to)?;
        }
        Some(())
    };
    let monday_first = (date.weekday + 6) % 7;
    let (iso_year, iso_week) = days::week(date.seconds.div_euclid(DAY));
    let written = match directive {
        b'a' => write!(to, "{}", short(weekday)),
        b'A' => write!(to, "{weekday}"),
        b'b' | b'h' => write!(to, "{}", short(month)),
        b'B' => write!(to, "{month}"),
        b'C' => write!(to, "{:02}", date.year.div_euclid(100)),
        b'd' => write!(to, "{:02}", date.day),
        b'e' => write!(to, "{:2}", date.day),
        b'G' => write!(to, "{iso_year}"),
        b'g' => write!(to, "{:02}", iso_year.rem_euclid(100)),
        b'H' => write!(to, "{:02}", date.hour),
        b'I' => write!(to, "{:02}", half(date.hour)),
        b'j' => write!(to, "{:03}", date.of_year + 1),
        b'k' => write!(to, "{:2}", date.hour),
        b'l' => write!(to, "{:2}", half(date.hour)),
        b'm' => write!(to, "{:02}", date.month),
        b'M' => write!(to, "{:02}", date.minute),
        b'p' => write!(to, "{}", if date.hour < 12 { "AM" } else { "PM" }),
        b'P' => write!(to, "{}", if date.hour < 12 { "am" } else { "pm" }),
        b's' => write!(to, "{}", date.seconds),
        b'S' => write!(to, "{:02}", date.second),
        b'u' => write!(to, "{}", monday_first + 1),
        b'U' => write!(to, "{:02}", (date.of_year + 7 - date.weekday) / 7),
        b'V' => write!(to, "{iso_week:02}"),
        b'w' => write!(to, "{}", date.weekday),
        b'W' => write!(to, "{:02}", (date.of_year + 7 - monday_first) / 7),
        b'y' => write!(to, "{:02}", date.year.rem_euclid(100)),
        b'Y' => write!(to, "{}", date.year),
        b'z' => write!(to, "+0000"),
        b'Z' => write!(to, "GMT"),
        b'%' => write!(to, "%"),
        b'n' => writeln!(to),
        b't' => write!(to, "\t"),
        b'c' => return all(b"abeTY", " ", to),
        b'D' | b'x' => return all(b"mdy", "/", to),
        b'F' => return all(b"Ymd", "-", to),
        b'r' => {
            all(b"IMS", ":", to)?;
            to.push(' ');
            return print(b'p', date, to);
        }
        b'R' => return all(b"HM", ":", to),
        b'T' | b'X' => return all(b"HMS", ":", to),
        _ => return None,
    };
    written.ok()
}

/// What was read of a date.
struct Read<'a> {
    text: &'a [u8],
    year: i64,
    month: i64,
    day: i64,
    of_year: Option<i64>,
    hour: i64,
    is_afternoon: Option<bool>,
    minute: i64,
    second: i64,
    /// `%s`: seconds since 1970, in place of all else.
    seconds: Option<i64>,
    /// `%z`, in seconds.
    zone: i64,
}

/// `parsetime(text, format)`; `Null` if the text is not of the format. What the format leaves open
/// is that of 1900-01-01 00:00:00, as in C after the structure was cleared, but for the day, which
/// is the first.
pub(super) fn parse(text: &Value, format: &Value) -> Value {
    let (Some(text), Some(format)) = (text.as_text(), format.as_text()) else { return Value::Null };
    let mut read = Read {
        text: &text,
        year: 1900,
        month: 1,
        day: 1,
        of_year: None,
        hour: 0,
        is_afternoon: None,
        minute: 0,
        second: 0,
        seconds: None,
        zone: 0,
    };
    let is_read = read.all(&format, 0).is_some() && read.text.is_empty();
    if is_read { read.seconds().map_or(Value::Null, number) } else { Value::Null }
}

impl Read<'_> {
    fn all(&mut self, format: &[u8], depth: usize) -> Option<()> {
        let mut bytes = format.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'%' => {
                    let mut directive = *bytes.next()?;
                    while matches!(directive, b'E' | b'O') {
                        directive = *bytes.next()?;
                    }
                    self.directive(directive, depth)?;
                }
                byte if byte.is_ascii_whitespace() => self.text = self.text.trim_ascii_start(),
                byte => self.text = self.text.strip_prefix(&[*byte])?,
            }
        }
        Some(())
    }

    /// A number of at most so many digits, in bounds.
    fn number(&mut self, digits: usize, least: i64, most: i64) -> Option<i64> {
        self.text = self.text.trim_ascii_start();
        let length = self.text.iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.text.split_at_checked(length)?;
        let number = std::str::from_utf8(number).ok()?.parse().ok()?;
        self.text = rest;
        (least..=most).contains(&number).then_some(number)
    }

    /// The place of a name, which may be cut to three letters.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (at, name) in names.iter().enumerate() {
            for written in [*name, name.get(..3)?] {
                let start = self.text.get(..written.len());
                if start.is_some_and(|start| start.eq_ignore_ascii_case(written.as_bytes())) {
                    self.text = self.text.get(written.len()..)?;
                    return i64::try_from(at).ok();
                }
            }
        }
        None
    }

    fn half_of_day(&mut self) -> Option<bool> {
        let (half, rest) = self.text.split_at_checked(2)?;
        self.text = rest;
        match &half.to_ascii_uppercase()[..] {
            b"AM" => Some(false),
            b"PM" => Some(true),
            _ => None,
        }
    }

    fn directive(&mut self, directive: u8, depth: usize) -> Option<()> {
        match directive {
            b'Y' => self.year = self.number(4, 0, 9999)?,
            b'y' => {
                let year = self.number(2, 0, 99)?;
                self.year = if year < 69 { 2000 + year } else { 1900 + year };
            }
            b'm' => self.month = self.number(2, 1, 12)?,
            b'd' | b'e' => self.day = self.number(2, 1, 31)?,
            b'j' => self.of_year = Some(self.number(3, 1, 366)?),
            b'b' | b'B' | b'h' => self.month = self.name(&MONTHS)? + 1,
            b'a' | b'A' => drop(self.name(&WEEKDAYS)?),
            b'u' | b'w' => drop(self.number(1, 0, 7)?),
            b'H' | b'k' => self.hour = self.number(2, 0, 23)?,
            b'I' | b'l' => self.hour = self.number(2, 1, 12)? % 12,
            b'p' | b'P' => self.is_afternoon = Some(self.half_of_day()?),
            b'M' => self.minute = self.number(2, 0, 59)?,
            b'S' => self.second = self.number(2, 0, 60)?,
            b's' => self.seconds = Some(self.number(12, 0, i64::MAX)?),
            b'z' => self.zone = self.zone()?,
            b'Z' => {
                let letters =
                    self.text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                self.text = self.text.get(letters..)?;
            }
            b'n' | b't' => self.text = self.text.trim_ascii_start(),
            b'%' => self.text = self.text.strip_prefix(b"%")?,
            _ if depth > 0 => return None,
            b'D' | b'x' => self.all(b"%m/%d/%y", 1)?,
            b'F' => self.all(b"%Y-%m-%d", 1)?,
            b'R' => self.all(b"%H:%M", 1)?,
            b'T' | b'X' => self.all(b"%H:%M:%S", 1)?,
            b'r' => self.all(b"%I:%M:%S %p", 1)?,
            b'c' => self.all(b"%a %b %e %H:%M:%S %Y", 1)?,
            _ => return None,
        }
        Some(())
    }

    /// `Z`, `+hh`, `+hhmm` or `+hh:mm`.
    fn zone(&mut self) -> Option<i64> {
        if let Some(rest) = self.text.strip_prefix(b"Z") {
            self.text = rest;
            return Some(0);
        }
        let (sign, rest) = self.text.split_first()?;
        let sign = match sign {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.text = rest;
        let hours = self.number(2, 0, 23)?;
        self.text = self.text.strip_prefix(b":").unwrap_or(self.text);
        let has_minutes = self.text.first().is_some_and(u8::is_ascii_digit);
        let minutes = if has_minutes { self.number(2, 0, 59)? } else { 0 };
        Some(sign * (hours * 3600 + minutes * 60))
    }

    fn seconds(&self) -> Option<i64> {
        if let Some(seconds) = self.seconds {
            return Some(seconds);
        }
        if self.day > days::month_days(self.year, self.month) {
            return None;
        }
        let hour =
            self.hour + if self.is_afternoon == Some(true) && self.hour < 12 { 12 } else { 0 };
        let day = match self.of_year {
            Some(of_year) => days::days_of(self.year, 1, 1) + of_year - 1,
            None => days::days_of(self.year, self.month, self.day),
        };
        Some(day * DAY + hour * 3600 + self.minute * 60 + self.second - self.zone)
    }
}
