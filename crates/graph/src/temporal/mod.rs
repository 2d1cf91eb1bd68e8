//! Dates, times, instants and durations of openCypher: to the nanosecond, from the year
//! −999,999,999 to 999,999,999, in the proleptic Gregorian calendar, with the time zones of the
//! IANA database.
//!
//! | | is |
//! | --- | --- |
//! | [`Date`] | days since 1970-01-01 |
//! | [`LocalTime`] | nanoseconds since midnight |
//! | [`Time`] | the same, and seconds east of Greenwich |
//! | [`LocalDateTime`] | seconds since 1970-01-01T00:00 by some clock on a wall, and nanoseconds |
//! | [`DateTime`] | seconds since 1970-01-01T00:00Z, nanoseconds, and a zone |
//! | [`Duration`] | months, days, seconds and nanoseconds |
//!
//! The time of the statement and its zone are handed in, as a [`Clock`].

pub mod accessor;
mod addition;
pub mod construct;
mod date;
mod datetime;
pub mod difference;
mod duration;
mod duration_text;
mod fields;
mod print;
mod scan;
mod time;
pub mod truncate;
mod zone;

use ::calendar::days as calendar;
pub use calendar::{DAY_NANOS, DAY_SECONDS, NANOS};
pub use date::Date;
pub use datetime::{DateTime, LocalDateTime};
pub use duration::Duration;
pub use time::{LocalTime, Time};
pub use zone::Zone;

/// An instant: seconds since 1970-01-01T00:00Z, and nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instant {
    /// Seconds since 1970-01-01T00:00Z.
    pub seconds: i64,
    /// Nanoseconds of the second, below 1,000,000,000.
    pub nanos: u32,
}

/// What a statement takes the time from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// When its transaction began.
    pub transaction: Instant,
    /// When it began itself.
    pub statement: Instant,
    /// The time now.
    pub realtime: Instant,
    /// The zone of what names none.
    pub zone: Zone,
}
