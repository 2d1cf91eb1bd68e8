//! The values of openCypher: what an expression has, a property holds and a reply shows.
//!
//! A value is 24 bytes. What is larger lies behind a counted pointer, so that a copy costs a count.
//! Nodes and relationships are their ids: what they hold, the graph says.
//!
//! | what is asked | where |
//! | --- | --- |
//! | `=`, `<>`, `IN`, which may be unknown | [`equality`] |
//! | `<`, `<=`, `>`, `>=`, which may be unknown | [`comparison`] |
//! | the order of all values, by which `ORDER BY` sorts | [`order`] |
//! | whether two are one for `DISTINCT` and grouping, and a hash | [`equivalence`] |
//! | `AND`, `OR`, `XOR`, `NOT` | [`logic`] |
//! | `+`, `-`, `*`, `/`, `%`, `^` | [`arithmetic`] |
//! | `a[i]`, `a[i..j]`, `a.key` | [`access`] |
//! | the text of a verbose reply, a literal of the language | [`text`], [`literal`] |
//! | JSON | [`json`] |
//! | FalkorDB's numbers of types | [`type_number`] |
//! | what the storage holds | [`stored`] |

pub mod access;
pub mod arithmetic;
pub mod comparison;
pub mod equality;
pub mod equivalence;
mod error;
pub mod json;
pub mod literal;
pub mod logic;
mod map;
mod nesting;
pub mod number;
pub mod order;
mod path;
mod point;
pub mod stored;
pub mod text;
pub mod type_number;
mod types;

use std::sync::Arc;

pub use error::{Class, Detail, Error};
pub use map::Map;
pub use nesting::{DEEPEST, LARGEST, Nesting};
pub use path::Path;
pub use point::Point;
pub use types::Type;

use crate::storage::text_units;
use crate::temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// What is missing or unknown.
    #[default]
    Null,
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A number with a fraction, infinity, or NaN.
    Float(f64),
    /// A text.
    String(Arc<str>),
    /// A list, and how it is nested: [`Value::list`] makes one.
    List(Arc<[Value]>, Nesting),
    /// A map.
    Map(Arc<Map>),
    /// A node, by its id.
    Node(u64),
    /// A relationship, by its id.
    Relationship(u64),
    /// A path.
    Path(Arc<Path>),
    /// A point on the earth.
    Point(Point),
    /// A vector of numbers for indexes of similarity.
    Vector(Arc<[f32]>),
    /// A day.
    Date(Date),
    /// A time of day.
    LocalTime(LocalTime),
    /// A time of day at an offset.
    Time(Time),
    /// A day and a time of day.
    LocalDateTime(LocalDateTime),
    /// An instant in a time zone.
    DateTime(DateTime),
    /// A span of months, days and seconds.
    Duration(Arc<Duration>),
}

/// The bytes of an allocation with two counts and `bytes` behind them.
pub(crate) fn shared(bytes: usize) -> usize {
    (2 * size_of::<usize>() + bytes).next_multiple_of(align_of::<usize>())
}

impl Value {
    /// The name of its type, as errors and `typeOf` give it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "Null",
            Value::Boolean(_) => "Boolean",
            Value::Integer(_) => "Integer",
            Value::Float(_) => "Float",
            Value::String(_) => "String",
            Value::List(..) => "List",
            Value::Map(_) => "Map",
            Value::Node(_) => "Node",
            Value::Relationship(_) => "Edge",
            Value::Path(_) => "Path",
            Value::Point(_) => "Point",
            Value::Vector(_) => "Vectorf32",
            Value::Date(_) => "Date",
            Value::LocalTime(_) => "Time",
            Value::Time(_) => "Zoned Time",
            Value::LocalDateTime(_) => "Datetime",
            Value::DateTime(_) => "Zoned Datetime",
            Value::Duration(_) => "Duration",
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// A list of these values.
    pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
        let values: Arc<[Value]> = values.into_iter().collect();
        let nesting = Nesting::around(values.iter());
        Value::List(values, nesting)
    }

    /// How deep it is nested, and how much is in it.
    pub fn nesting(&self) -> Nesting {
        match self {
            Value::List(_, nesting) => *nesting,
            Value::Map(map) => map.nesting(),
            _ => Nesting::default(),
        }
    }

    /// How much there is to go through when it is hashed, compared or written: a value is one, and
    /// so are 16 bytes of text. O(1).
    pub fn units(&self) -> u32 {
        match self {
            Value::String(text) => text_units(text).saturating_add(1),
            Value::List(_, nesting) => nesting.size().saturating_add(1),
            Value::Map(map) => map.nesting().size().saturating_add(1),
            Value::Path(path) => u32::try_from(path.nodes().len()).unwrap_or(u32::MAX),
            Value::Vector(numbers) => u32::try_from(numbers.len() / 4).map_or(u32::MAX, |n| n + 1),
            _ => 1,
        }
    }

    /// The value, unless it is nested too deep or holds too many. All that makes lists and maps of
    /// others asks this: literals, `+`, functions, `collect`.
    pub fn checked(self) -> Result<Value, Error> {
        let nesting = self.nesting();
        if nesting.depth() > DEEPEST {
            return Err(Error::out_of_range("Lists and maps are nested too deep"));
        }
        if nesting.size() > LARGEST {
            return Err(Error::out_of_range("A list or map has too many values"));
        }
        Ok(self)
    }

    /// A map of these entries.
    pub fn map<K: Into<Arc<str>>>(entries: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Map(Arc::new(Map::new(entries.into_iter().map(|(k, v)| (k.into(), v)))))
    }

    /// The bytes that it keeps beside its own 24: all of what it shares with others, as if it were
    /// alone; for lists and maps about so many. O(1).
    pub fn memory(&self) -> usize {
        match self {
            Value::String(text) => shared(text.len()),
            Value::List(_, nesting) => shared(nesting.size() as usize * size_of::<Value>()),
            Value::Map(map) => shared(size_of::<Map>()) + map.memory(),
            Value::Path(path) => shared(size_of::<Path>()) + path.memory(),
            Value::Vector(numbers) => shared(size_of_val(&**numbers)),
            Value::Duration(_) => shared(size_of::<Duration>()),
            _ => 0,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::String(value.into())
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Value {
        Value::list(values)
    }
}

impl From<Duration> for Value {
    fn from(value: Duration) -> Value {
        Value::Duration(Arc::new(value))
    }
}

/// What may be unknown: unknown is null.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}
