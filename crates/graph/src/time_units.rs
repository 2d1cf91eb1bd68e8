//! How long units of time are: for what computes with times, and for the order of what is stored.

pub use calendar::days::{DAY_SECONDS, NANOS};

/// The seconds of a month, where durations are compared: of 365.2425 days, the twelfth part.
pub const MONTH_SECONDS: i64 = 2_629_746;
