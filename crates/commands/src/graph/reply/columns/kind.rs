//! What the cells of a column are: of one type, or of any.
//!
//! | kind | a cell |
//! | --- | --- |
//! | 0 nothing | none: all are missing |
//! | 1 truths | a bit |
//! | 2 integers | 8 bytes |
//! | 3 floats | 8 bytes |
//! | 4 texts | a length of 4 bytes; all bytes follow behind the lengths |
//! | 5 texts that repeat | see [`column`](super::column) |
//! | 6 nodes, 7 relationships | a place among the entities, 4 bytes |
//! | 8 dates | days since 1970-01-01, 8 bytes |
//! | 9 local times | nanoseconds, 8 bytes |
//! | 10 times | local nanoseconds, 8 bytes, and seconds east, 4 |
//! | 11 local dates and times | seconds since 1970, 8 bytes, and nanoseconds, 4 |
//! | 12 dates and times | the same in UTC, and a place among the zones behind all cells, 4 bytes |
//! | 13 durations | months, days, seconds, 8 bytes each, and nanoseconds, 4 |
//! | 14 points | latitude and longitude, floats of 4 bytes |
//! | 15 values | each as [`value`](super::value) writes it |

use ::graph::value::Value;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Nothing = 0,
    Truths = 1,
    Integers = 2,
    Floats = 3,
    Texts = 4,
    RepeatedTexts = 5,
    Nodes = 6,
    Relationships = 7,
    Dates = 8,
    LocalTimes = 9,
    Times = 10,
    LocalDateTimes = 11,
    DateTimes = 12,
    Durations = 13,
    Points = 14,
    Values = 15,
}

impl Kind {
    /// The kind of a column with this value alone.
    pub fn of(value: &Value) -> Kind {
        match value {
            Value::Null => Kind::Nothing,
            Value::Boolean(_) => Kind::Truths,
            Value::Integer(_) => Kind::Integers,
            Value::Float(_) => Kind::Floats,
            Value::String(_) => Kind::Texts,
            Value::Node(_) => Kind::Nodes,
            Value::Relationship(_) => Kind::Relationships,
            Value::Date(_) => Kind::Dates,
            Value::LocalTime(_) => Kind::LocalTimes,
            Value::Time(_) => Kind::Times,
            Value::LocalDateTime(_) => Kind::LocalDateTimes,
            Value::DateTime(_) => Kind::DateTimes,
            Value::Duration(_) => Kind::Durations,
            Value::Point(_) => Kind::Points,
            Value::List(..) | Value::Map(_) | Value::Path(_) | Value::Vector(_) => Kind::Values,
        }
    }

    /// The kind of a column with values of both: nothing goes with all.
    pub fn with(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Nothing, kind) | (kind, Kind::Nothing) => kind,
            (one, other) if one == other => one,
            _ => Kind::Values,
        }
    }
}
