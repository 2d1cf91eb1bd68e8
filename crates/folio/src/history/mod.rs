//! What points have measured: samples by time, packed.
//!
//! ```text
//!   History ─► blocks of up to 512 samples, each packed, in order of time; shared with versions
//!   write   ─► check ─► sorted, the last of each instant ─► the blocks they fall in, packed anew
//! ```
//!
//! Samples have neither unit nor zone: both are the point's, as it is when it is read. So a point
//! that gets another unit or zone has them with all its samples.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `columns` | samples to be read, many at once |
//! | `pack` | samples as bytes |
//! | `series` | merging, clearing, reading |
//! | `check` | what a point takes |
//! | `project` | histories of records: writing, reading, the tags that tell of them |

mod check;
mod columns;
mod pack;
mod project;
mod series;

use arcstr::ArcStr;
use haystack::{Coord, Kind, Unit};

pub use check::not_before;
pub use columns::{Columns, Values};
pub use pack::{pack, unpack};
pub use project::{Clear, HisColumns, HisOptions, HisWritten, Samples, Span};
pub use series::History;

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing that is known.
    Na,
    Number(f64),
    Bool(bool),
    Str(ArcStr),
    Coord(Coord),
}

/// What was measured when.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Milliseconds since 1970.
    pub at: i64,
    pub value: Value,
}

impl Value {
    /// As the values of records are.
    pub fn with_unit(&self, unit: Option<&Unit>) -> haystack::Value {
        match self {
            Value::Na => haystack::Value::NA,
            Value::Number(number) => haystack::Value::number(*number, unit),
            Value::Bool(value) => (*value).into(),
            Value::Str(text) => haystack::Value::str(text.clone()),
            Value::Coord(coord) => (*coord).into(),
        }
    }

    /// Its kind, if it has one.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Value::Na => None,
            Value::Number(_) => Some(Kind::Number),
            Value::Bool(_) => Some(Kind::Bool),
            Value::Str(_) => Some(Kind::Str),
            Value::Coord(_) => Some(Kind::Coord),
        }
    }
}
