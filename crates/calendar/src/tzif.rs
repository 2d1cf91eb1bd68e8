//! What a compiled file of time-zone rules (TZif, RFC 9636) says of an instant, read where it lies.
//!
//! ```text
//! header, its block of 32-bit times   skipped
//! header                              how many there are of each
//! times of changes                    64 bits each, in order
//! kinds after the changes             a byte each
//! kinds                               six bytes each: offset, whether summer, name
//! names, leap seconds, indicators     skipped
//! a rule for all time after           as in the variable TZ of POSIX
//! ```

use crate::days::{self, DAY_SECONDS};

/// What a header says.
struct Counts {
    times: usize,
    kinds: usize,
    names: usize,
    leaps: usize,
    standard: usize,
    universal: usize,
}

const HEADER: usize = 44;

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}

fn counts(bytes: &[u8]) -> Option<Counts> {
    if bytes.get(..4)? != b"TZif" {
        return None;
    }
    let field = |index: usize| -> Option<usize> {
        usize::try_from(u32::from_be_bytes(four(bytes, 20 + index * 4)?)).ok()
    };
    Some(Counts {
        universal: field(0)?,
        standard: field(1)?,
        leaps: field(2)?,
        times: field(3)?,
        kinds: field(4)?,
        names: field(5)?,
    })
}

impl Counts {
    /// The bytes of the block behind the header, with times of so many bytes.
    fn bytes(&self, time: usize) -> usize {
        self.times * (time + 1)
            + self.kinds * 6
            + self.names
            + self.leaps * (time + 4)
            + self.standard
            + self.universal
    }
}

/// How far clocks are ahead of Greenwich at an instant, in seconds; `None` if the file is broken.
pub fn offset_at(file: &[u8], instant: i64) -> Option<i32> {
    let second = file.get(HEADER + counts(file)?.bytes(4)..)?;
    let counts = counts(second)?;
    let block = second.get(HEADER..)?;
    let (times, rest) = block.split_at_checked(counts.times * 8)?;
    let (after, kinds) = rest.split_at_checked(counts.times)?;
    let time = |index: usize| -> Option<i64> {
        Some(i64::from_be_bytes(times.get(index * 8..index * 8 + 8)?.try_into().ok()?))
    };
    let (mut low, mut high) = (0, counts.times);
    while low < high {
        let middle = low.midpoint(high);
        if time(middle)? <= instant { low = middle + 1 } else { high = middle }
    }
    if low == counts.times {
        let footer = block.get(counts.bytes(8)..)?;
        let rule = footer.strip_prefix(b"\n")?.strip_suffix(b"\n")?;
        if let Some(offset) = Rule::read(rule).and_then(|rule| rule.offset_at(instant)) {
            return Some(offset);
        }
    }
    let kind = if low == 0 { 0 } else { usize::from(*after.get(low - 1)?) };
    Some(i32::from_be_bytes(four(kinds, kind * 6)?))
}

/// When a change comes, each year.
#[derive(Clone, Copy)]
enum Day {
    /// The so-manieth day, where February 29 does not count.
    WithoutLeap(i64),
    /// The so-manieth day from zero.
    OfYear(i64),
    /// The so-manieth such day of the week in a month; the fifth is the last.
    OfMonth { month: i64, week: i64, weekday: i64 },
}

/// A day of each year, and the seconds from its midnight.
#[derive(Clone, Copy)]
struct Change {
    day: Day,
    seconds: i64,
}

/// A rule for all years.
struct Rule {
    standard: i64,
    summer: Option<(i64, Change, Change)>,
}

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

    fn number(&mut self) -> Option<i64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    fn name(&mut self) -> Option<()> {
        let length = if self.0.first() == Some(&b'<') {
            self.0.iter().position(|&byte| byte == b'>')? + 1
        } else {
            self.0.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
        };
        self.0 = self.0.get(length..)?;
        (length > 0).then_some(())
    }

    /// `[+-]h[:m[:s]]`, in seconds.
    fn time(&mut self) -> Option<i64> {
        let sign = if self.take(b'-') { -1 } else { 1 };
        self.take(b'+');
        let mut seconds = self.number()? * 3_600;
        for unit in [60, 1] {
            if self.take(b':') {
                seconds += self.number()? * unit;
            }
        }
        Some(sign * seconds)
    }

    fn change(&mut self) -> Option<Change> {
        let day = if self.take(b'M') {
            let month = self.number()?;
            let week = self.take(b'.').then(|| self.number())??;
            let weekday = self.take(b'.').then(|| self.number())??;
            Day::OfMonth { month, week, weekday }
        } else if self.take(b'J') {
            Day::WithoutLeap(self.number()?)
        } else {
            Day::OfYear(self.number()?)
        };
        let seconds = if self.take(b'/') { self.time()? } else { 2 * 3_600 };
        Some(Change { day, seconds })
    }
}

impl Change {
    /// When it comes in a year, by the clock on the wall, in seconds since 1970.
    fn local(self, year: i64) -> i64 {
        let first = days::days_of(year, 1, 1);
        let day = match self.day {
            Day::OfYear(day) => first + day,
            Day::WithoutLeap(day) => first + day - 1 + i64::from(days::is_leap(year) && day >= 60),
            Day::OfMonth { month, week, weekday } => {
                let start = days::days_of(year, month, 1);
                let ahead = (weekday - days::weekday(start) % 7).rem_euclid(7);
                let day = ahead + (week - 1) * 7;
                let days = days::month_days(year, month);
                start + if day >= days { day - 7 } else { day }
            }
        };
        day * DAY_SECONDS + self.seconds
    }
}

impl Rule {
    fn read(text: &[u8]) -> Option<Rule> {
        let mut text = Text(text);
        text.name()?;
        let standard = -text.time()?;
        if text.name().is_none() {
            return Some(Rule { standard, summer: None });
        }
        let given = text.0.first().is_some_and(|&byte| byte != b',');
        let summer = if given { -text.time()? } else { standard + 3_600 };
        let start = text.take(b',').then(|| text.change())??;
        let end = text.take(b',').then(|| text.change())??;
        Some(Rule { standard, summer: Some((summer, start, end)) })
    }

    fn offset_at(&self, instant: i64) -> Option<i32> {
        let Some((summer, start, end)) = self.summer else {
            return i32::try_from(self.standard).ok();
        };
        let year = days::civil(instant.checked_add(self.standard)?.div_euclid(DAY_SECONDS)).0;
        let start = start.local(year) - self.standard;
        let end = end.local(year) - summer;
        let is_summer = if start < end {
            (start..end).contains(&instant)
        } else {
            !(end..start).contains(&instant)
        };
        i32::try_from(if is_summer { summer } else { self.standard }).ok()
    }
}
