//! Histories of points: what HIS.READ, HIS.WRITE, HIS.WRITEALL and HIS.CLEAR share.

use ::folio::{HisWritten, Slot, Span, View};
use base::{Args, CmdError, Reply};
use haystack::{Cell, DateTime, Dict, Time, Value, Zone, zinc};

use super::{id, reply, text, told};

const NO_ITEM: CmdError = CmdError::new("HisWriteErr An item has a DateTime 'ts' and a 'val'");

const NO_INSTANT: CmdError =
    CmdError::new("ERR an instant is a DateTime or a Date as Zinc writes them, or - or +");
/// The first instant, and the one behind the last, where none is named.
const FIRST: &[u8] = b"-";
const LAST: &[u8] = b"+";

/// Instants as a request names them: from one, to before another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    start: Edge,
    end: Edge,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Edge {
    First,
    Last,
    At(DateTime),
    /// The beginning of a day in the zone of the point.
    Day(haystack::Date),
}

impl Range {
    /// The two words that stand next.
    ///
    /// # Errors
    /// They are no instants.
    pub fn take(args: &mut Args<'_>) -> Result<Range, CmdError> {
        Ok(Range { start: edge(args.next()?)?, end: edge(args.next()?)? })
    }

    /// The instants, where days begin as clocks of a zone show it.
    ///
    /// # Errors
    /// A day is beyond what instants are.
    pub fn span(self, zone: Zone) -> Result<Span, CmdError> {
        let at = |edge: Edge| match edge {
            Edge::First => Ok(DateTime::from_nanos(i64::MIN, zone)),
            Edge::Last => Ok(DateTime::from_nanos(i64::MAX, zone)),
            Edge::At(at) => Ok(at),
            Edge::Day(day) => {
                let midnight = Time::from_nanos(0).ok_or(NO_INSTANT)?;
                DateTime::in_zone(day, midnight, zone).map_err(|_| NO_INSTANT)
            }
        };
        Ok(Span { start: at(self.start)?, end: at(self.end)? })
    }
}

fn edge(word: &[u8]) -> Result<Edge, CmdError> {
    match word {
        FIRST => return Ok(Edge::First),
        LAST => return Ok(Edge::Last),
        _ => {}
    }
    let value = zinc::read_value(text(word)?).map_err(|_| NO_INSTANT)?;
    match value.cell() {
        Cell::DateTime(at) => Ok(Edge::At(at)),
        Cell::Date(day) => Ok(Edge::Day(day)),
        _ => Err(NO_INSTANT),
    }
}

/// The point with an id.
///
/// # Errors
/// `UnknownRecErr`: there is none.
pub(super) fn point(view: &View, word: &[u8]) -> Result<Slot, CmdError> {
    view.read_by_id(id(word)?).map_err(|error| told(&error))
}

/// The zone of a point, as far as it says one.
pub(super) fn zone(view: &View, slot: Slot) -> Zone {
    match view.value(slot, "tz") {
        Cell::Str(name) => Zone::named(name).unwrap_or(Zone::UTC),
        _ => Zone::UTC,
    }
}

/// A sample of a request.
///
/// # Errors
/// `HisWriteErr`: it is none.
pub(super) fn item(mut record: Dict) -> Result<(DateTime, Value), CmdError> {
    let value = record.remove("val").ok_or(NO_ITEM)?;
    match record.get("ts").map(Value::cell) {
        Some(Cell::DateTime(at)) => Ok((at, value)),
        _ => Err(NO_ITEM),
    }
}

/// Writes how many samples were written, and from when to when; of which point, where that is not
/// known.
pub(super) fn show(written: &HisWritten, of: Option<&str>, out: &mut dyn Reply) {
    let mut text = Vec::new();
    out.map(1 + usize::from(of.is_some()) + 2 * usize::from(written.span.is_some()));
    if let Some(id) = of {
        out.bulk(b"id");
        reply::value(&Cell::Ref(id, None), &mut text, out);
    }
    out.bulk(b"count");
    out.count(written.count);
    if let Some((start, end)) = written.span {
        for (name, at) in [("start", start), ("end", end)] {
            out.bulk(name.as_bytes());
            reply::value(&Cell::DateTime(at), &mut text, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_begin_in_the_zone_of_the_point() {
        let range = |start: &str, end: &str| {
            Ok::<_, CmdError>(Range { start: edge(start.as_bytes())?, end: edge(end.as_bytes())? })
        };
        let berlin = Zone::named("Berlin").unwrap_or(Zone::UTC);
        let day = range("2024-07-01", "2024-07-02").and_then(|range| range.span(berlin));
        let day = day.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(day.end.nanos() - day.start.nanos(), 24 * 3600 * 1_000_000_000);
        assert_eq!(day.start.iso(), "2024-07-01T00:00:00+02:00");
        let all = range("-", "+").and_then(|range| range.span(berlin));
        let all = all.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((all.start.nanos(), all.end.nanos()), (i64::MIN, i64::MAX));
        for none in ["", "5", "now", "2024-13-01", "\"2024-01-01\""] {
            assert_eq!(edge(none.as_bytes()), Err(NO_INSTANT), "{none}");
        }
    }
}
