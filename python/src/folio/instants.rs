//! Days, times of day and instants as Python's, with the zones of its `zoneinfo`.

use haystack::{Date, DateTime, Time, Zone};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt};

use super::refused;

/// The number that Python has for 1970-01-01.
const EPOCH: i32 = 719_163;

struct Module {
    date: Py<PyAny>,
    time: Py<PyAny>,
    datetime: Py<PyAny>,
    /// The beginning of 1970 in Greenwich.
    epoch: Py<PyAny>,
    zone_info: Py<PyAny>,
    /// The zones that were made, by their full names.
    zones: Py<PyDict>,
}

fn module(py: Python<'_>) -> PyResult<&Module> {
    static MODULE: PyOnceLock<Module> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || {
        let datetime = py.import("datetime")?;
        let utc = datetime.getattr("timezone")?.getattr("utc")?;
        let class = datetime.getattr("datetime")?;
        Ok(Module {
            date: datetime.getattr("date")?.unbind(),
            time: datetime.getattr("time")?.unbind(),
            epoch: class.call1((1970, 1, 1, 0, 0, 0, 0, utc))?.unbind(),
            datetime: class.unbind(),
            zone_info: py.import("zoneinfo")?.getattr("ZoneInfo")?.unbind(),
            zones: PyDict::new(py).unbind(),
        })
    })
}

/// A day.
pub fn date(py: Python<'_>, date: Date) -> PyResult<Bound<'_, PyAny>> {
    let (year, month, day) = date.civil();
    let class = module(py)?.date.bind(py);
    // Python has no year 0: it says so.
    class.call1((year, month, day))
}

/// A time of day, to microseconds.
pub fn time(py: Python<'_>, time: Time) -> PyResult<Bound<'_, PyAny>> {
    module(py)?.time.bind(py).call1(clock(time))
}

/// Hours, minutes, seconds and microseconds.
fn clock(time: Time) -> (u64, u64, u64, u64) {
    let (seconds, micros) = (time.nanos() / 1_000_000_000, time.nanos() % 1_000_000_000 / 1_000);
    (seconds / 3_600, seconds / 60 % 60, seconds % 60, micros)
}

/// The name that other libraries know a zone by.
pub fn name_of(zone: Zone) -> &'static str {
    if zone == Zone::UTC { "UTC" } else { zone.full() }
}

/// The zone of Python's for one.
fn zone_info<'py>(py: Python<'py>, zone: Zone) -> PyResult<Bound<'py, PyAny>> {
    let module = module(py)?;
    let (zones, name) = (module.zones.bind(py), name_of(zone));
    if let Some(made) = zones.get_item(name)? {
        return Ok(made);
    }
    let made = module.zone_info.bind(py).call1((name,))?;
    zones.set_item(name, &made)?;
    Ok(made)
}

/// An instant, to microseconds.
pub fn datetime(py: Python<'_>, at: DateTime) -> PyResult<Bound<'_, PyAny>> {
    let zone = zone_info(py, at.zone())?;
    let ((year, month, day), (hour, minute, second, micros)) =
        (at.date().civil(), clock(at.time()));
    let local = (year, month, day, hour, minute, second, micros, zone);
    let class = module(py)?.datetime.bind(py);
    let seconds = at.nanos().div_euclid(1_000_000_000) + i64::from(at.offset());
    if at.zone() == Zone::UTC || at.zone().offset_of_local(seconds) == at.offset() {
        return class.call1(local);
    }
    // Clocks show that time twice, and this is the second.
    let fold = PyDict::new(py);
    fold.set_item("fold", 1)?;
    class.call(local, Some(&fold))
}

/// What a day, a time of day or an instant of Python's is: nothing if it is none of them.
pub enum Moment {
    /// A day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// An instant.
    DateTime(DateTime),
}

/// What an object is of these.
pub fn moment(object: &Bound<'_, PyAny>) -> PyResult<Option<Moment>> {
    let py = object.py();
    let module = module(py)?;
    if object.is_instance(module.datetime.bind(py))? {
        return instant(object).map(|at| Some(Moment::DateTime(at)));
    }
    if object.is_instance(module.date.bind(py))? {
        let number: i32 = object.call_method0("toordinal")?.extract()?;
        let none = || refused(py, "a day is in the years 0 to 9999");
        return Date::from_days(number - EPOCH).map(Moment::Date).ok_or_else(none).map(Some);
    }
    if object.is_instance(module.time.bind(py))? {
        let part = |name: &str| object.getattr(name)?.extract::<u64>();
        let (hour, minute, second) = (part("hour")?, part("minute")?, part("second")?);
        let time = Time::new(hour, minute, second, part("microsecond")? * 1_000);
        return time.map(Moment::Time).map_err(|error| refused(py, error)).map(Some);
    }
    Ok(None)
}

fn instant(object: &Bound<'_, PyAny>) -> PyResult<DateTime> {
    let py = object.py();
    if object.getattr("tzinfo")?.is_none() {
        return Err(refused(py, "a datetime needs a zone: datetime(…, tzinfo=ZoneInfo(…))"));
    }
    let since = object.sub(module(py)?.epoch.bind(py))?;
    let part = |name: &str| since.getattr(name)?.extract::<i64>();
    let (days, seconds, micros) = (part("days")?, part("seconds")?, part("microseconds")?);
    let nanos = (i128::from(days) * 86_400 + i128::from(seconds)) * 1_000_000_000;
    let nanos = i64::try_from(nanos + i128::from(micros) * 1_000);
    let beyond = |_| refused(py, "DateTime beyond the years 1677 to 2262");
    Ok(DateTime::from_nanos(nanos.map_err(beyond)?, zone(object)?))
}

/// The zone of an instant of Python's: by its name, or of whole hours.
fn zone(object: &Bound<'_, PyAny>) -> PyResult<Zone> {
    let py = object.py();
    let named = object.getattr("tzinfo")?.getattr_opt("key")?;
    if let Some(name) = named
        && let Ok(name) = name.extract::<String>()
    {
        return Zone::named(&name).map_err(|error| refused(py, error));
    }
    let offset = object.call_method0("utcoffset")?.call_method0("total_seconds")?;
    let seconds: i64 = py.get_type::<PyInt>().call1((offset,))?.extract()?;
    let none = || refused(py, "the zone of a datetime has no name: use zoneinfo.ZoneInfo");
    Zone::fixed(seconds).ok_or_else(none)
}
