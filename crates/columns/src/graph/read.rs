//! Numbers, texts and values out of bytes.

use std::sync::Arc;

use graph::temporal::{
    Date, DateTime, Duration, Instant, LocalDateTime, LocalTime, NANOS, Time, Zone,
};
use graph::value::{DEEPEST, Map, Path, Point, Value};

use super::Malformed;

const SHORT: Malformed = Malformed("bytes are missing");
const NO_TIME: Malformed = Malformed("there is no such time");

/// Bytes that are read from the front.
pub(super) struct Read<'a> {
    bytes: &'a [u8],
}

impl<'a> Read<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Read { bytes }
    }

    /// So many bytes.
    pub fn take(&mut self, many: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.bytes.split_at_checked(many).ok_or(SHORT)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// So many cells of so many bytes.
    pub fn cells(&mut self, many: usize, width: usize) -> Result<&'a [u8], Malformed> {
        self.take(many.checked_mul(width).ok_or(SHORT)?)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>().ok_or(SHORT)?;
        self.bytes = rest;
        Ok(*taken)
    }

    pub fn byte(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn i64(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_le_bytes)
    }

    fn f32(&mut self) -> Result<f32, Malformed> {
        self.array().map(f32::from_le_bytes)
    }

    /// How many follow that take so many bytes each at least.
    pub fn count(&mut self, least: usize) -> Result<usize, Malformed> {
        let many = self.u32()? as usize;
        if many.saturating_mul(least) > self.bytes.len() { Err(SHORT) } else { Ok(many) }
    }

    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let many = self.count(1)?;
        std::str::from_utf8(self.take(many)?).map_err(|_| Malformed("a text is no text"))
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> Result<(), Malformed> {
        if self.bytes.is_empty() { Ok(()) } else { Err(Malformed("there are bytes too many")) }
    }

    pub fn date(&mut self) -> Result<Value, Malformed> {
        Date::from_days(self.i64()?).map(Value::Date).map_err(|_| NO_TIME)
    }

    pub fn local_time(&mut self) -> Result<Value, Malformed> {
        self.i64().map(|nanos| Value::LocalTime(LocalTime::from_nanos(nanos)))
    }

    pub fn time(&mut self) -> Result<Value, Malformed> {
        let local = LocalTime::from_nanos(self.i64()?);
        let offset = self.array().map(i32::from_le_bytes)?;
        Time::new(local, offset).map(Value::Time).map_err(|_| NO_TIME)
    }

    pub fn local_date_time(&mut self) -> Result<Value, Malformed> {
        let at = self.instant()?;
        let made = LocalDateTime::from_seconds(at.seconds, at.nanos);
        made.map(Value::LocalDateTime).map_err(|_| NO_TIME)
    }

    pub fn instant(&mut self) -> Result<Instant, Malformed> {
        let (seconds, nanos) = (self.i64()?, self.u32()?);
        if i64::from(nanos) < NANOS { Ok(Instant { seconds, nanos }) } else { Err(NO_TIME) }
    }

    pub fn zone(&mut self) -> Result<Zone, Malformed> {
        let many = self.byte()?;
        if many == 0 {
            let offset = self.array().map(i32::from_le_bytes)?;
            return Zone::fixed(offset).map_err(|_| NO_TIME);
        }
        let name = std::str::from_utf8(self.take(many.into())?);
        let unknown = Malformed("there is a zone that this client does not know");
        name.ok().and_then(|name| Zone::named(name).ok()).ok_or(unknown)
    }

    pub fn date_time(instant: Instant, zone: Zone) -> Result<Value, Malformed> {
        DateTime::new(instant, zone).map(Value::DateTime).map_err(|_| NO_TIME)
    }

    pub fn duration(&mut self) -> Result<Value, Malformed> {
        let (months, days, rest) = (self.i64()?, self.i64()?, self.instant()?);
        let made = Duration::new(months, days, rest.seconds, rest.nanos.into());
        made.map(Value::from).map_err(|_| NO_TIME)
    }

    pub fn point(&mut self) -> Result<Value, Malformed> {
        Ok(Value::Point(Point { latitude: self.f32()?, longitude: self.f32()? }))
    }

    fn places(&mut self, many: usize) -> Result<Vec<u64>, Malformed> {
        (0..many).map(|_| self.u32().map(u64::from)).collect()
    }

    fn path(&mut self) -> Result<Value, Malformed> {
        let many = self.count(4)?;
        let (nodes, by) = (self.places(many)?, self.places(many.saturating_sub(1))?);
        let path = Path::new(nodes, by).ok_or(Malformed("a path has no nodes"))?;
        Ok(Value::Path(Arc::new(path)))
    }

    /// A value of any type, which lies so deep in others.
    pub fn value(&mut self, depth: u32) -> Result<Value, Malformed> {
        // What holds a last one is one deeper.
        if depth > DEEPEST + 1 {
            return Err(Malformed("values are nested too deep"));
        }
        Ok(match self.byte()? {
            0 => Value::Null,
            1 => Value::Boolean(false),
            2 => Value::Boolean(true),
            3 => Value::Integer(self.i64()?),
            4 => Value::Float(self.array().map(f64::from_le_bytes)?),
            5 => Value::from(self.text()?),
            6 => {
                let many = self.count(1)?;
                let items = (0..many).map(|_| self.value(depth + 1));
                Value::list(items.collect::<Result<Vec<_>, _>>()?)
            }
            7 => {
                let many = self.count(5)?;
                let entries =
                    (0..many).map(|_| Ok((Arc::from(self.text()?), self.value(depth + 1)?)));
                let map = Map::new(entries.collect::<Result<Vec<_>, _>>()?);
                Value::Map(Arc::new(map))
            }
            8 => Value::Node(self.u32()?.into()),
            9 => Value::Relationship(self.u32()?.into()),
            10 => self.path()?,
            11 => self.point()?,
            12 => {
                let many = self.count(4)?;
                let numbers = (0..many).map(|_| self.f32()).collect::<Result<Vec<_>, _>>()?;
                Value::Vector(numbers.into())
            }
            13 => self.date()?,
            14 => self.local_time()?,
            15 => self.time()?,
            16 => self.local_date_time()?,
            17 => {
                let instant = self.instant()?;
                Self::date_time(instant, self.zone()?)?
            }
            18 => self.duration()?,
            _ => return Err(Malformed("there is a type that this client does not know")),
        })
    }
}
