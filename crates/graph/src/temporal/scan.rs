//! Dates, times and instants from their texts: all forms of ISO 8601 that openCypher has.
//!
//! | | |
//! | --- | --- |
//! | dates | `2015-07-21` `20150721` `2015-07` `201507` `2015-202` `2015202` `2015` |
//! | by weeks | `2015-W30-2` `2015W302` `2015-W30` `2015W30` |
//! | by quarters | `2015-Q2-60` `2015Q260` `2015-Q2` `2015Q2` |
//! | years of other lengths | `+999999999-12-31` `-0044-03-15`, with a sign and with hyphens |
//! | times | `21:40:32.142` `214032.142` `21:40` `2140` `21` |
//! | offsets | `Z` `+01` `+0100` `+01:00` `+02:05:59` |
//! | zones | an offset, a name in brackets, or both |

use super::{Date, DateTime, Instant, LocalDateTime, LocalTime, Time, Zone};
use crate::value::Error;

/// What is read of a text, from its front.
struct Scan<'a> {
    rest: &'a [u8],
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Scan<'a> {
        Scan { rest: text.as_bytes() }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// How many digits follow.
    fn digits(&self) -> usize {
        self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// A number of so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        if digits == 0 || digits > 18 || self.digits() < digits {
            return None;
        }
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        Some(number.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    fn date(&mut self) -> Option<Result<Date, Error>> {
        let negative = self.rest.first() == Some(&b'-');
        let signed = negative || self.rest.first() == Some(&b'+');
        if signed {
            self.rest = &self.rest[1..];
            let digits = self.digits();
            let year = if digits < 4 { None } else { self.number(digits) }?;
            return self.of_year(if negative { -year } else { year }, false);
        }
        let compact = self.digits() > 4;
        let year = self.number(4)?;
        self.of_year(year, compact)
    }

    /// What follows a year.
    fn of_year(&mut self, year: i64, compact: bool) -> Option<Result<Date, Error>> {
        if compact {
            return Some(match self.digits() {
                2 => Date::from_calendar(year, self.number(2)?, 1),
                3 => Date::from_ordinal(year, self.number(3)?),
                4 => Date::from_calendar(year, self.number(2)?, self.number(2)?),
                _ => return None,
            });
        }
        let hyphen = self.take(b'-');
        if self.take(b'W') {
            let week = self.number(2)?;
            let more = if hyphen { self.take(b'-') } else { self.digits() > 0 };
            return Some(Date::from_week(year, week, if more { self.number(1)? } else { 1 }));
        }
        if self.take(b'Q') {
            let quarter = self.number(1)?;
            let more = if hyphen { self.take(b'-') } else { self.digits() > 0 };
            return Some(Date::from_quarter(year, quarter, if more { self.number(2)? } else { 1 }));
        }
        match (hyphen, self.digits()) {
            (false, _) => Some(Date::from_calendar(year, 1, 1)),
            (true, 3) => Some(Date::from_ordinal(year, self.number(3)?)),
            (true, _) => {
                let month = self.number(2)?;
                let day = if self.take(b'-') { self.number(2)? } else { 1 };
                Some(Date::from_calendar(year, month, day))
            }
        }
    }

    fn time(&mut self) -> Option<Result<LocalTime, Error>> {
        let compact = self.digits() > 2;
        let more = |scan: &mut Self| if compact { scan.digits() > 0 } else { scan.take(b':') };
        let hour = self.number(2)?;
        let (mut minute, mut second, mut nano) = (0, 0, 0);
        if more(self) {
            minute = self.number(2)?;
            if more(self) {
                second = self.number(2)?;
                if self.take(b'.') || self.take(b',') {
                    nano = self.fraction()?;
                }
            }
        }
        Some(LocalTime::new(hour, minute, second, nano))
    }

    /// The digits behind a point, as billionths.
    fn fraction(&mut self) -> Option<i64> {
        let digits = self.digits();
        let scale = u32::try_from(9_usize.checked_sub(digits)?).ok()?;
        Some(self.number(digits)? * 10_i64.pow(scale))
    }

    /// An offset, in seconds.
    fn offset(&mut self) -> Option<i32> {
        if self.take(b'Z') || self.take(b'z') {
            return Some(0);
        }
        let negative = self.take(b'-');
        if !negative && !self.take(b'+') {
            return None;
        }
        let compact = self.digits() > 2;
        let mut seconds = self.number(2)? * 3_600;
        for unit in [60, 1] {
            if if compact { self.digits() > 0 } else { self.take(b':') } {
                let part = self.number(2).filter(|&part| part < 60)?;
                seconds += part * unit;
            }
        }
        i32::try_from(if negative { -seconds } else { seconds }).ok()
    }

    /// A name in brackets.
    fn name(&mut self) -> Option<&'a str> {
        let inside = self.rest.strip_prefix(b"[")?.strip_suffix(b"]")?;
        self.rest = &[];
        std::str::from_utf8(inside).ok()
    }
}

fn refused(what: &str, text: &str) -> Error {
    Error::temporal(format!("Text cannot be parsed to a {what}: '{text}'"))
}

/// All of a text, or the error that it is not `what`.
fn whole<'a, T>(
    what: &str,
    text: &'a str,
    read: impl FnOnce(&mut Scan<'a>) -> Option<Result<T, Error>>,
) -> Result<T, Error> {
    let mut scan = Scan::new(text);
    match read(&mut scan) {
        Some(read) if scan.is_done() => read,
        _ => Err(refused(what, text)),
    }
}

fn local(scan: &mut Scan<'_>) -> Option<Result<LocalDateTime, Error>> {
    let date = scan.date()?;
    let time = if scan.take(b'T') { scan.time()? } else { Ok(LocalTime::default()) };
    Some(date.and_then(|date| Ok(LocalDateTime::new(date, time?))))
}

impl Date {
    /// A day from its text.
    pub fn parse(text: &str) -> Result<Date, Error> {
        whole("Date", text, Scan::date)
    }
}

impl LocalTime {
    /// A time of day from its text.
    pub fn parse(text: &str) -> Result<LocalTime, Error> {
        whole("Local Time", text, Scan::time)
    }
}

impl Time {
    /// A time of day from its text; in `zone` if the text names none.
    pub fn parse(text: &str, zone: Zone, at: Instant) -> Result<Time, Error> {
        whole("Time", text, |scan| {
            let time = scan.time()?;
            let offset = if scan.is_done() { zone.offset_at(at.seconds) } else { scan.offset()? };
            Some(time.and_then(|time| Time::new(time, offset)))
        })
    }
}

impl LocalDateTime {
    /// A day and a time of day from their text.
    pub fn parse(text: &str) -> Result<LocalDateTime, Error> {
        whole("Local Date Time", text, local)
    }
}

impl DateTime {
    /// An instant from its text; in `zone` if the text names none.
    ///
    /// With an offset beside a name, the offset decides which instant is meant: so a text means the
    /// same under any version of the zones' rules.
    pub fn parse(text: &str, zone: Zone) -> Result<DateTime, Error> {
        whole("Date Time", text, |scan| {
            let local = local(scan)?;
            let offset =
                if scan.is_done() || scan.rest[0] == b'[' { None } else { Some(scan.offset()?) };
            let name = if scan.is_done() { None } else { Some(scan.name()?) };
            Some(local.and_then(|local| placed(local, offset, name, zone)))
        })
    }
}

fn placed(
    local: LocalDateTime,
    offset: Option<i32>,
    name: Option<&str>,
    zone: Zone,
) -> Result<DateTime, Error> {
    let fixed = offset.map(Zone::fixed).transpose()?;
    let name = name.map(Zone::named).transpose()?;
    match (fixed, name) {
        (Some(fixed), Some(name)) => DateTime::from_local(local, fixed)?.at(name),
        (fixed, name) => DateTime::from_local(local, fixed.or(name).unwrap_or(zone)),
    }
}

impl Zone {
    /// A zone from an offset or a name.
    pub fn parse(text: &str) -> Result<Zone, Error> {
        let mut scan = Scan::new(text);
        match scan.offset() {
            Some(seconds) if scan.is_done() => Zone::fixed(seconds),
            _ => Zone::named(text),
        }
    }
}
