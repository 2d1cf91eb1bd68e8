//! `pointWrite`: what a writable point is told to be, at 17 levels of which the first that is set
//! counts.
//!
//! A level is a transient tag of the record, `writeLevel1` to `writeLevel17`: a dict of `val`,
//! `who` and, at level 8, `expires`. So writers of different levels are not in each other's way.
//! What counts is in `writeVal` and `writeLevel`, as elsewhere; after each write it is looked at
//! until it is what the levels say.

use haystack::{Col, DateTime, Dict, Grid, GridBuilder, Tag, Unit, Value, Zone};
use journal::wall_clock;

use super::call::{Call, Reply};
use super::commit::{commit, diffs};
use super::fault::Fault;

/// How many levels there are.
const LEVELS: u8 = 17;
/// The level of people, whose writes may end by themselves.
const MANUAL: u8 = 8;
/// What counts is looked at so often after a write: others write meanwhile.
const LOOKS: usize = 8;
/// The longest time for which a write may hold, in seconds.
const LONGEST: f64 = 10.0 * 365.0 * 86_400.0;

/// `pointWrite`: reads the levels of a point, or writes one of them.
pub async fn run(mut call: Call) -> Result<Reply, Fault> {
    let arg = call.arg();
    let id = arg.get("id").and_then(Value::as_id).cloned();
    let id = id.ok_or_else(|| Fault::argument("a Ref 'id' is needed"))?;
    let record = call.record(id.as_str()).await?;
    if !record.has("point") || !record.has("writable") {
        return Err(Fault::argument(format!("'{id}' is no writable point", id = id.as_str())));
    }
    let Some(level) = arg.get("level") else { return Ok(levels(&record)?.into()) };
    let level = number_of(level)?;
    write(&mut call, id.as_str(), level, &arg).await?;
    let mut meta = Dict::new();
    meta.put("ok", Value::MARKER)?;
    Ok(Grid::empty(meta).into())
}

fn number_of(level: &Value) -> Result<u8, Fault> {
    let number = level.as_number().map(|number| number.value);
    let level = (1..=LEVELS).find(|level| number == Some(f64::from(*level)));
    level.ok_or_else(|| Fault::argument("'level' must be a whole number from 1 to 17"))
}

fn now() -> DateTime {
    let nanos = i64::try_from(wall_clock()).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    DateTime::from_nanos(nanos, Zone::UTC)
}

fn tag(level: u8) -> String {
    format!("writeLevel{level}")
}

/// What a level says, unless that has come to its end.
fn set_at(record: &Dict, level: u8, now: DateTime) -> Option<&Dict> {
    let set = record.get(&tag(level))?.as_dict()?;
    let lasts = set.get("expires").and_then(instant).is_none_or(|end| end > now);
    (lasts && set.has("val")).then_some(set)
}

fn instant(value: &Value) -> Option<DateTime> {
    if let haystack::Cell::DateTime(instant) = value.cell() { Some(instant) } else { None }
}

/// The first level that is set, and what it says.
fn effective(record: &Dict, now: DateTime) -> (Value, Value) {
    let found = (1..=LEVELS).find_map(|level| {
        let val = set_at(record, level, now)?.get("val")?.clone();
        Some((val, Value::from(f64::from(level))))
    });
    found.unwrap_or_default()
}

/// All levels as rows.
fn levels(record: &Dict) -> Result<Grid, Fault> {
    let names = ["level", "levelDis", "val", "who", "expires"];
    let cols = names.iter().map(|name| Tag::new(name).map(Col::new));
    let mut grid = GridBuilder::new(Dict::new(), cols.collect::<Result<_, _>>()?)?;
    for level in 1..=LEVELS {
        let set = set_at(record, level, now());
        let of = |name: &str| set.and_then(|set| set.get(name)).cloned().unwrap_or_default();
        let dis = match level {
            1 => "1 (emergency)".to_owned(),
            MANUAL => "8 (manual)".to_owned(),
            LEVELS => "17 (default)".to_owned(),
            level => level.to_string(),
        };
        let number = Value::from(f64::from(level));
        grid.push([number, dis.into(), of("val"), of("who"), of("expires")]);
    }
    Ok(grid.finish())
}

/// Writes a level, or takes back what was written.
async fn write(call: &mut Call, id: &str, level: u8, arg: &Dict) -> Result<(), Fault> {
    let mut change = Dict::new();
    change.put(&tag(level), Value::REMOVE)?;
    if let Some(val) = arg.get("val") {
        let mut set = Dict::new();
        set.put("val", val.clone())?;
        let who = arg.get("who").and_then(Value::as_str).map(str::to_owned);
        set.put("who", who.unwrap_or_else(|| call.user()))?;
        if let Some(end) = ends(level, arg.get("duration"))? {
            set.put("expires", end)?;
        }
        change.put(&tag(level), set)?;
    }
    change_record(call, id, change).await?;
    for _ in 0..LOOKS {
        let record = call.record(id).await?;
        let (val, level) = effective(&record, now());
        let is = |name: &str, value: &Value| record.get(name).unwrap_or(&Value::NULL) == value;
        if is("writeVal", &val) && is("writeLevel", &level) {
            break;
        }
        let mut change = Dict::new();
        for (name, value) in [("writeVal", val), ("writeLevel", level)] {
            change.put(name, if value.is_null() { Value::REMOVE } else { value })?;
        }
        change_record(call, id, change).await?;
    }
    Ok(())
}

async fn change_record(call: &mut Call, id: &str, mut change: Dict) -> Result<(), Fault> {
    change.put("id", Value::id(id)?)?;
    let grid = Grid::from_dicts(Dict::new(), &[change])?;
    let options = ["TRANSIENT", "FORCE"].map(|word| word.as_bytes().to_vec());
    let words = options.into_iter().chain(diffs("UPDATE", &grid)?).collect();
    commit(call, words).await.map(drop)
}

/// When a write at a level ends by itself.
fn ends(level: u8, duration: Option<&Value>) -> Result<Option<DateTime>, Fault> {
    let Some(duration) = duration else { return Ok(None) };
    if level != MANUAL {
        return Err(Fault::argument("only level 8 has a 'duration'"));
    }
    let seconds = duration
        .as_number()
        .and_then(|number| number.unit.as_ref()?.convert(number.value, &Unit::named("sec").ok()?));
    let seconds = seconds.filter(|seconds| (0.0..=LONGEST).contains(seconds));
    let seconds = seconds.ok_or_else(|| Fault::argument("'duration' must be a time, as 30min"))?;
    // At most ten years: it fits.
    let end = now().nanos().saturating_add((seconds * 1e9) as i64);
    Ok(Some(DateTime::from_nanos(end, Zone::UTC)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use haystack::zinc;

    fn dict(text: &str) -> Dict {
        zinc::read_value(text).unwrap().as_dict().unwrap().clone()
    }

    #[test]
    fn the_first_level_that_is_set_counts() {
        let record = dict(
            "{writeLevel16:{val:3 who:\"a\"} writeLevel17:{val:9 who:\"b\"} \
             writeLevel8:{val:5 who:\"c\" expires:2024-01-01T00:00:00Z UTC}}",
        );
        let day = |text: &str| instant(&zinc::read_value(text).unwrap()).unwrap();
        let before = day("2023-12-31T00:00:00Z UTC");
        assert_eq!(effective(&record, before), (Value::from(5.0), Value::from(8.0)));
        assert_eq!(effective(&record, now()), (Value::from(3.0), Value::from(16.0)));
        assert_eq!(effective(&Dict::new(), now()), (Value::NULL, Value::NULL));
        let rows = levels(&record).unwrap();
        assert_eq!(rows.len(), 17);
        assert!(rows.row(7).get("val").is_null() && rows.row(15).get("who").as_str() == Some("a"));
    }

    #[test]
    fn levels_and_durations_are_checked() {
        let value = |text: &str| zinc::read_value(text).unwrap();
        for wrong in ["0", "18", "1.5", "-1", "NaN", "\"8\""] {
            assert!(number_of(&value(wrong)).is_err(), "{wrong}");
        }
        assert_eq!((number_of(&value("17")).unwrap(), number_of(&value("1")).unwrap()), (17, 1));
        assert!(ends(8, Some(&value("30min"))).unwrap().is_some());
        for wrong in ["30", "30kW", "-1min", "INF", "99999999day", "\"x\""] {
            assert!(ends(8, Some(&value(wrong))).is_err(), "{wrong}");
        }
        assert!(ends(9, Some(&value("30min"))).is_err() && ends(9, None).unwrap().is_none());
    }
}
