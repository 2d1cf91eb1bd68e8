//! What a point takes: its zone, kind and unit, and whether samples are of them.

use haystack::{Cell, DateTime, Kind, Unit, Zone};

use super::Value;
use crate::error::{Error, ErrorKind};
use crate::view::View;
use crate::{Slot, limits};

const MILLISECOND: i64 = 1_000_000;
/// No sample is older than this year.
const FIRST_YEAR: i64 = 1950;

/// What a point's tags say of its samples.
pub struct Config {
    pub zone: Zone,
    pub kind: Kind,
    pub unit: Option<Unit>,
    /// Nanoseconds to whose multiples instants are cut.
    precision: i64,
}

fn config_error(view: &View, slot: Slot, what: &str) -> Error {
    Error::new(ErrorKind::HisConfig, format!("{what} [{}]", view.id_of(slot)))
}

fn write_error(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::HisWrite, what)
}

impl Config {
    /// That of a record.
    pub fn of(view: &View, slot: Slot) -> Result<Config, Error> {
        let error = |what| config_error(view, slot, what);
        let has = |tag| !view.value(slot, tag).is_null();
        let text =
            |tag| if let Cell::Str(text) = view.value(slot, tag) { Some(text) } else { None };
        for tag in ["point", "his"] {
            if !has(tag) {
                return Err(error(if tag == "his" {
                    "Rec missing 'his' tag"
                } else {
                    "Rec missing 'point' tag"
                }));
            }
        }
        if has("aux") {
            return Err(error("Rec marked as 'aux'"));
        }
        if view.is_trash(slot) {
            return Err(error("Rec marked as 'trash'"));
        }
        let zone = text("tz").ok_or_else(|| error("Rec missing 'tz' tag"))?;
        let zone = Zone::named(zone).map_err(|_| error("Rec has invalid 'tz' tag"))?;
        let kind = text("kind").ok_or_else(|| error("Rec missing 'kind' tag"))?;
        let kinds = [Kind::Number, Kind::Bool, Kind::Str, Kind::Coord];
        let kind = kinds.into_iter().find(|known| known.name() == kind);
        let kind = kind.ok_or_else(|| error("Rec has unsupported 'kind' tag"))?;
        let unit = text("unit").map(Unit::named).transpose();
        let unit = unit.map_err(|_| error("Rec has invalid 'unit' tag"))?;
        let precision = match view.value(slot, "hisTsPrecision") {
            Cell::Null => 1000 * MILLISECOND,
            Cell::Number(1.0, Some("ms")) => MILLISECOND,
            Cell::Number(1.0, Some("s")) => 1000 * MILLISECOND,
            _ => return Err(error("Rec has invalid 'hisTsPrecision' tag")),
        };
        Ok(Config { zone, kind, unit, precision })
    }

    /// Samples in order, the last of each instant; none is one that is taken out.
    pub fn samples(
        &self,
        items: &[(DateTime, haystack::Value)],
    ) -> Result<Vec<(i64, Option<Value>)>, Error> {
        if items.len() > limits::MOST_SAMPLES {
            return Err(write_error(format!("More than {} items", limits::MOST_SAMPLES)));
        }
        let each = items.iter().map(|(at, value)| Ok((self.instant(*at)?, self.value(value)?)));
        let mut samples = each.collect::<Result<Vec<(i64, Option<Value>)>, Error>>()?;
        samples.sort_by_key(|(at, _)| *at); // stable, and at once where they are in order
        samples.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
        Ok(samples)
    }

    fn instant(&self, at: DateTime) -> Result<i64, Error> {
        if at.zone() != self.zone {
            let (own, other) = (self.zone.city(), at.zone().city());
            return Err(write_error(format!(
                "Mismatched timezone, rec tz '{own}' != item tz '{other}'"
            )));
        }
        if at.date().civil().0 < FIRST_YEAR {
            return Err(write_error(format!("Timestamps before {FIRST_YEAR} not supported")));
        }
        Ok((at.nanos() - at.nanos().rem_euclid(self.precision)).div_euclid(MILLISECOND))
    }

    fn value(&self, value: &haystack::Value) -> Result<Option<Value>, Error> {
        let cell = value.cell();
        let value = match cell {
            Cell::Remove => return Ok(None),
            Cell::Na => return Ok(Some(Value::Na)),
            _ if cell.kind() != self.kind => {
                let (own, other) = (self.kind.name(), cell.kind().name());
                let message =
                    format!("Mismatched value type, rec kind '{own}' != item type '{other}'");
                return Err(write_error(message));
            }
            Cell::Number(_, Some(unit)) if self.unit.as_ref().map(Unit::symbol) != Some(unit) => {
                let own = self.unit.as_ref().map_or("null", Unit::symbol);
                let message = format!("Mismatched unit, rec unit '{own}' != item unit '{unit}'");
                return Err(write_error(message));
            }
            Cell::Number(number, _) => Value::Number(rounded(number)),
            Cell::Bool(value) => Value::Bool(value),
            Cell::Coord(coord) => Value::Coord(coord),
            Cell::Str(text) if text.chars().count() > limits::LONGEST_STR => {
                return Err(write_error("Str too long"));
            }
            Cell::Str(text) => Value::Str(text.into()),
            _ => return Err(write_error("Value cannot be stored")),
        };
        Ok(Some(value))
    }

    /// A sample as it is read.
    pub fn item(&self, at: i64, value: &Value) -> (DateTime, haystack::Value) {
        let value = value.with_unit(self.unit.as_ref());
        (DateTime::from_nanos(at.saturating_mul(MILLISECOND), self.zone), value)
    }
}

/// Whole numbers as they are, all others in half the bits; no negative zero.
fn rounded(number: f64) -> f64 {
    let is_whole = number.fract() == 0.0;
    (if is_whole { number } else { f64::from(number as f32) }) + 0.0
}

/// The first millisecond that is not before an instant.
pub fn not_before(at: DateTime) -> i64 {
    let nanos = at.nanos();
    nanos.div_euclid(MILLISECOND) + i64::from(nanos.rem_euclid(MILLISECOND) > 0)
}
