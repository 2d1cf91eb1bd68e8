//! Units of measurement: 457 in 60 quantities, those of users, and conversion.
//!
//! The list is `data/units.txt`: facts that Project Haystack publishes, in a form of ours.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use crate::{Error, Name};

/// A unit: one of the list, or a user's own, whose name begins with an underscore.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Unit(Is);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Is {
    Known(u16),
    Own(Name),
}

/// What the list says of a unit.
struct Entry {
    symbol: &'static str,
    names: Vec<&'static str>,
    quantity: &'static str,
    /// The powers of kg, m, sec, K, A, mol and cd.
    dimension: [i8; 7],
    scale: f64,
    offset: f64,
}

struct Units {
    entries: Vec<Entry>,
    by_name: HashMap<&'static str, u16, foldhash::fast::FixedState>,
}

/// The bytes of the name of a user's unit, at most.
const LONGEST: usize = 64;

fn entry(line: &'static str, quantity: &'static str) -> Option<Entry> {
    let mut fields = line.split('\t');
    let symbol = fields.next()?;
    let names = fields.next()?.split(' ').filter(|name| *name != "-").collect();
    let powers = fields.next()?;
    let mut dimension = [0; 7];
    if powers != "-" {
        for (power, text) in dimension.iter_mut().zip(powers.split(',')) {
            *power = text.parse().ok()?;
        }
    }
    let (scale, offset) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Entry { symbol, names, quantity, dimension, scale, offset })
}

fn load() -> Units {
    let (mut entries, mut quantity) = (Vec::new(), "");
    for line in include_str!("../data/units.txt").lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            quantity = name;
        } else if !line.starts_with('#') {
            entries.extend(entry(line, quantity));
        }
    }
    let names = entries.iter().enumerate().flat_map(|(place, entry)| {
        let names = entry.names.iter().copied().chain([entry.symbol]);
        names.filter_map(move |name| Some((name, u16::try_from(place).ok()?)))
    });
    let by_name = names.collect();
    Units { entries, by_name }
}

fn units() -> &'static Units {
    static UNITS: OnceLock<Units> = OnceLock::new();
    UNITS.get_or_init(load)
}

/// Whether a character may be in a unit.
pub fn is_unit_char(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '%' | '$' | '/' | '_') || c > '\u{80}'
}

impl Unit {
    /// The unit of any of its names; one that begins with an underscore is made.
    ///
    /// ```
    /// use kvist_haystack::Unit;
    /// assert_eq!(Unit::named("kilowatt")?, Unit::named("kW")?);
    /// assert_eq!(Unit::named("kilowatt")?.symbol(), "kW");
    /// assert_eq!(Unit::named("_widgets")?.symbol(), "_widgets");
    /// assert!(Unit::named("widgets").is_err());
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Unit, Error> {
        if let Some(place) = units().by_name.get(name) {
            return Ok(Unit(Is::Known(*place)));
        }
        let is_own = name.starts_with('_') && name.len() > 1 && name.len() <= LONGEST;
        if is_own && name.chars().all(is_unit_char) {
            return Ok(Unit(Is::Own(Name::new(name))));
        }
        let shown: String = name.chars().take(60).collect();
        Err(Error::new(format!("Unknown unit '{shown}'")))
    }

    /// The units of the list, quantity by quantity.
    pub fn all() -> impl Iterator<Item = Unit> {
        let places = 0..u16::try_from(units().entries.len()).unwrap_or(0);
        places.map(|place| Unit(Is::Known(place)))
    }

    /// The unit of a place in the list.
    pub(crate) fn at(place: u16) -> Unit {
        Unit(Is::Known(place))
    }

    /// Its place in the list, unless it is a user's own.
    pub(crate) fn place(&self) -> Option<u16> {
        match self.0 {
            Is::Known(place) => Some(place),
            Is::Own(_) => None,
        }
    }

    /// The symbol at a place of the list.
    pub(crate) fn symbol_at(place: u16) -> &'static str {
        units().entries.get(usize::from(place)).map_or("", |entry| entry.symbol)
    }

    fn entry(&self) -> Option<&'static Entry> {
        units().entries.get(usize::from(self.place()?))
    }

    /// What numbers are written with.
    pub fn symbol(&self) -> &str {
        match &self.0 {
            Is::Known(place) => Unit::symbol_at(*place),
            Is::Own(name) => name,
        }
    }

    /// What it measures: `length`, `power`; nothing is known of a user's own.
    pub fn quantity(&self) -> Option<&'static str> {
        self.entry().map(|entry| entry.quantity)
    }

    /// All its names, the symbol last.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.entry().map_or(&[][..], |entry| &entry.names);
        names.iter().copied().chain([self.symbol()])
    }

    /// A number of this unit in another one; `None` if their dimensions differ, or if either is a
    /// currency or a user's own, of which nothing is known.
    ///
    /// ```
    /// use kvist_haystack::Unit;
    /// let (f, c) = (Unit::named("°F")?, Unit::named("°C")?);
    /// assert!((f.convert(212.0, &c).unwrap() - 100.0).abs() < 1e-9);
    /// assert_eq!(f.convert(1.0, &Unit::named("kW")?), None);
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn convert(&self, number: f64, to: &Unit) -> Option<f64> {
        if self == to {
            return Some(number);
        }
        let (from, to) = (self.entry()?, to.entry()?);
        let agree = from.dimension == to.dimension
            && from.quantity != "currency"
            && to.quantity != "currency";
        agree.then(|| (number * from.scale + from.offset - to.offset) / to.scale)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

#[cfg(test)]
#[path = "unit_tests.rs"]
mod tests;
