//! `hisRead` and `hisWrite`: histories of one point, or of several in columns.
//!
//! ```text
//!   row id, range                     ─► meta id, hisStart, hisEnd; ts, val
//!   meta range; rows id               ─► columns ts, v0, v1, … whose meta is the id
//!   meta id; rows ts, val             ─► FOLIO.HIS.WRITE
//!   columns ts, v0, …, meta id; rows  ─► FOLIO.HIS.WRITEALL
//! ```
//!
//! What is written is written as a whole or not at all, to however many points.

use std::collections::BTreeMap;

use haystack::{Cell, Col, Date, DateTime, Dict, Grid, GridBuilder, Tag, Time, Value, Zone, zinc};
use journal::wall_clock;

use super::call::{Call, Reply};
use super::fault::Fault;
use crate::session::Words;

/// Points of one request.
const MOST: usize = 1000;
/// A sample takes as long as so many bytes.
const SAMPLE: usize = 64;
/// Cells of the grid that histories of several points are merged to.
const MOST_CELLS: usize = 1 << 24;

/// From when on, and until when; open where that is not said.
#[derive(Clone, Debug, PartialEq)]
struct Range {
    start: Value,
    end: Value,
}

/// `hisRead`
pub async fn read(mut call: Call) -> Result<Reply, Fault> {
    let ids = call.ids()?;
    let shared = call.args.meta().get("range").cloned();
    if ids.is_empty() || ids.len() > MOST {
        return Err(Fault::argument("refs 'id' of one point to a thousand are needed"));
    }
    let given = shared.clone().unwrap_or_else(|| call.args.row(0).get("range").clone());
    if shared.is_none() && ids.len() == 1 {
        let (grid, span) = history(&mut call, &ids[0], &given).await?;
        return Ok(one(grid, &ids[0], span)?.into());
    }
    let (mut merged, mut kept) = (Merged::of(ids.len()), call.memory.beside(0));
    for id in &ids {
        let (grid, _) = history(&mut call, id, &given).await?;
        let bytes = grid.len() * SAMPLE;
        let add = move || merged.add(&grid).map(|()| merged);
        merged = call.work(bytes, add).await??;
        call.keep(&mut kept, merged.memory());
    }
    let bytes = merged.memory();
    Ok(call.work(bytes, move || merged.finish(&ids)).await??.into())
}

/// The samples of a point in a range, and its first and last instant.
async fn history(call: &mut Call, id: &[u8], given: &Value) -> Result<(Grid, Range), Fault> {
    let record = call.record(&String::from_utf8_lossy(id)).await?;
    let zone = record.get("tz").and_then(Value::as_str).map(Zone::named);
    let zone = zone.and_then(Result::ok).unwrap_or(Zone::UTC);
    let range = range(given, zone)?;
    let edge = |value: &Value, open: &str| match value.cell() {
        Cell::Null => open.as_bytes().to_vec(),
        cell => zinc::to_text(&cell).into_bytes(),
    };
    let words = [id.to_vec(), b"RANGE".to_vec(), edge(&range.start, "-"), edge(&range.end, "+")];
    let grid = call.ask_grid("folio.his.read", words.to_vec()).await?;
    let at = |value: &Value| begins(value, zone).map_or(Value::NULL, Value::from);
    Ok((grid, Range { start: at(&range.start), end: at(&range.end) }))
}

fn one(mut grid: Grid, id: &[u8], span: Range) -> Result<Grid, Fault> {
    let meta = grid.meta_mut();
    meta.put("id", Value::id(&String::from_utf8_lossy(id))?)?;
    meta.put("hisStart", span.start)?;
    meta.put("hisEnd", span.end)?;
    Ok(grid)
}

/// What a range says, in the zone of its point.
fn range(given: &Value, zone: Zone) -> Result<Range, Fault> {
    let text = match given.cell() {
        Cell::Date(day) => return of_day(day),
        Cell::DateTime(_) => return Ok(Range { start: given.clone(), end: Value::NULL }),
        Cell::Str(text) => text,
        _ => return Err(no_range()),
    };
    let now = i64::try_from(wall_clock()).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    let today = DateTime::from_nanos(now, zone).date();
    match text.trim() {
        "today" => return of_day(today),
        "yesterday" => return of_day(days_after(today, -1)?),
        _ => {}
    }
    let (start, end) = text.split_once(',').map_or((text, None), |(a, b)| (a, Some(b)));
    let read = |text: &str| zinc::read_value(text.trim()).map_err(|_| no_range());
    let (start, end) = (read(start)?, end.map(read).transpose()?);
    match (start.cell(), end) {
        (Cell::Date(day), None) => of_day(day),
        (Cell::DateTime(_), None) => Ok(Range { start, end: Value::NULL }),
        (Cell::Date(_) | Cell::DateTime(_), Some(end))
            if matches!(end.cell(), Cell::Date(_) | Cell::DateTime(_)) =>
        {
            Ok(Range { start, end })
        }
        _ => Err(no_range()),
    }
}

fn no_range() -> Fault {
    Fault::argument(
        "'range' must be today, yesterday, a Date, a DateTime, or two with a comma between",
    )
}

fn of_day(day: Date) -> Result<Range, Fault> {
    Ok(Range { start: day.into(), end: days_after(day, 1)?.into() })
}

fn days_after(day: Date, days: i32) -> Result<Date, Fault> {
    Date::from_days(day.days().saturating_add(days)).ok_or_else(no_range)
}

/// The instant that an edge of a range is.
fn begins(edge: &Value, zone: Zone) -> Option<DateTime> {
    match edge.cell() {
        Cell::DateTime(at) => Some(at.to_zone(zone)),
        Cell::Date(day) => DateTime::in_zone(day, Time::from_nanos(0)?, zone).ok(),
        _ => None,
    }
}

/// Histories of several points, by instant.
struct Merged {
    /// How many columns there will be.
    width: usize,
    points: usize,
    samples: usize,
    zone: Option<Zone>,
    rows: BTreeMap<i64, Vec<(usize, Value)>>,
}

impl Merged {
    fn of(points: usize) -> Self {
        Merged { width: points + 1, points: 0, samples: 0, zone: None, rows: BTreeMap::new() }
    }

    /// Bytes that it takes, about, and its grid.
    fn memory(&self) -> usize {
        self.samples * 40 + self.rows.len() * (80 + 16 * self.width)
    }

    /// Adds the next history.
    fn add(&mut self, history: &Grid) -> Result<(), Fault> {
        for row in history.rows() {
            let Cell::DateTime(at) = row.get("ts").cell() else { continue };
            self.zone.get_or_insert(at.zone());
            let cells = self.rows.entry(at.nanos()).or_default();
            cells.push((self.points, row.get("val").clone()));
            self.samples += 1;
            if self.width.saturating_mul(self.rows.len()) > MOST_CELLS {
                return Err(Fault::argument("these are too many samples at once"));
            }
        }
        self.points += 1;
        Ok(())
    }

    fn finish(self, ids: &[Vec<u8>]) -> Result<Grid, Fault> {
        let mut cols = vec![Col::new(Tag::new("ts")?)];
        for (at, id) in ids.iter().enumerate() {
            let mut col = Col::new(Tag::new(&format!("v{at}"))?);
            col.meta.put("id", Value::id(&String::from_utf8_lossy(id))?)?;
            cols.push(col);
        }
        let width = self.width;
        let mut grid = GridBuilder::new(Dict::new(), cols)?;
        let zone = self.zone.unwrap_or(Zone::UTC);
        for (nanos, cells) in self.rows {
            let mut row = vec![Value::NULL; width];
            row[0] = DateTime::from_nanos(nanos, zone).into();
            cells.into_iter().for_each(|(point, value)| row[point + 1] = value);
            grid.push(row);
        }
        Ok(grid.finish())
    }
}

/// `hisWrite`
pub async fn write(mut call: Call) -> Result<Reply, Fault> {
    let (args, bytes) = (std::mem::take(&mut call.args), call.bytes);
    let (name, words) = call.work(bytes, move || written(&args)).await??;
    call.ask(name, words).await?;
    Ok(Grid::empty(Dict::new()).into())
}

/// The command that writes the samples of a grid, and its words.
fn written(args: &Grid) -> Result<(&'static str, Words), Fault> {
    let ts = args.col("ts").ok_or_else(no_column)?;
    let id = args.meta().get("id").and_then(Value::as_id);
    let format = [b"FORMAT".to_vec(), b"zinc".to_vec()].into_iter();
    let Some(id) = id else {
        let text = samples(args, ts, &points(args, ts)?)?;
        return Ok(("folio.his.writeall", format.chain([text]).collect()));
    };
    let val = args.col("val").ok_or_else(no_column)?;
    let text = samples(args, ts, &[(None, val)])?;
    let id = id.as_str().as_bytes().to_vec();
    Ok(("folio.his.write", [id].into_iter().chain(format).chain([text]).collect()))
}

fn no_column() -> Fault {
    Fault::argument("meta 'id' and columns 'ts' and 'val', or columns with a meta 'id', are needed")
}

/// The columns with samples of points: whose they are, and where they are.
fn points(args: &Grid, ts: usize) -> Result<Vec<(Option<Value>, usize)>, Fault> {
    let cols = args.cols().iter().enumerate().filter(|(at, _)| *at != ts);
    let points = cols.map(|(at, col)| {
        let id = col.meta.get("id").filter(|id| id.as_id().is_some()).cloned();
        id.map(|id| (Some(id), at)).ok_or_else(no_column)
    });
    let points = points.collect::<Result<Vec<_>, _>>()?;
    if points.is_empty() || points.len() > MOST { Err(no_column()) } else { Ok(points) }
}

/// The samples of columns as text: rows of `ts` and `val`, and of `id` where there is one.
fn samples(args: &Grid, ts: usize, points: &[(Option<Value>, usize)]) -> Result<Vec<u8>, Fault> {
    let is_told = points.iter().any(|(id, _)| id.is_some());
    let names = ["ts", "val"].into_iter().chain(is_told.then_some("id"));
    let cols = names.map(|name| Tag::new(name).map(Col::new));
    let cols = cols.collect::<Result<_, _>>()?;
    let mut grid = GridBuilder::new(Dict::new(), cols)?;
    for (id, col) in points {
        for row in 0..args.len() {
            let (at, value) = (args.value(row, ts), args.value(row, *col));
            if !value.is_null() {
                grid.push([at.clone(), value.clone()].into_iter().chain(id.clone()));
            }
        }
    }
    let mut text = Vec::new();
    zinc::write_grid(&mut text, &grid.finish());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let zone = Zone::named("New_York").unwrap();
        let range = range(&Value::str(text), zone).ok()?;
        Some(format!("{:?} {:?}", range.start, range.end))
    }

    #[test]
    fn ranges() {
        let cases = [
            ("2024-05-01", "2024-05-01 2024-05-02"),
            ("2024-05-01,2024-05-03", "2024-05-01 2024-05-03"),
            ("2024-05-01T00:00:00Z UTC", "2024-05-01T00:00:00Z UTC N"),
            (
                "2024-05-01T00:00:00Z UTC, 2024-05-02T00:00:00Z UTC",
                "2024-05-01T00:00:00Z UTC 2024-05-02T00:00:00Z UTC",
            ),
        ];
        for (text, told) in cases {
            assert_eq!(shown(text).as_deref(), Some(told), "{text}");
        }
        assert!(shown("today").is_some() && shown("yesterday").is_some());
        for wrong in ["", "5", "tomorrow", "2024-05-01,", "2024-05-01,5", ",2024-05-01"] {
            assert_eq!(shown(wrong), None, "{wrong}");
        }
        assert!(range(&Value::from(5.0), Zone::UTC).is_err());
    }

    #[test]
    fn histories_are_merged() {
        let history =
            |text: &str| zinc::read_grid(&format!("ver:\"3.0\"\nts,val\n{text}")).unwrap();
        let mut merged = Merged::of(2);
        let both = [
            "2024-01-01T00:00:00Z UTC,1\n2024-01-03T00:00:00Z UTC,3\n",
            "2024-01-02T00:00:00Z UTC,2\n2024-01-03T00:00:00Z UTC,NA\n",
        ];
        both.iter().for_each(|text| merged.add(&history(text)).unwrap());
        let grid = merged.finish(&[b"a".to_vec(), b"b".to_vec()]).unwrap();
        let cell = |row: usize, name: &str| grid.row(row).get(name).to_string();
        assert_eq!(grid.len(), 3);
        assert!(grid.row(0).get("v1").is_null() && grid.row(1).get("v0").is_null());
        assert_eq!((cell(2, "v0"), cell(2, "v1")), ("3".to_owned(), "NA".to_owned()));
    }

    /// One point may be asked for a thousand times: no more is kept than is answered.
    #[test]
    fn what_is_merged_is_bounded_while_it_comes() {
        let rows = (0..40_000).map(|second| {
            let at = DateTime::from_nanos(second * 1_000_000_000, Zone::UTC);
            format!("{},1\n", zinc::to_text(&Cell::DateTime(at)))
        });
        let text: String = rows.collect();
        let history = zinc::read_grid(&format!("ver:\"3.0\"\nts,val\n{text}")).unwrap();
        let mut merged = Merged::of(1000);
        assert!(merged.add(&history).is_err() && merged.samples <= MOST_CELLS / 1000 + 1);
        let mut merged = Merged::of(100);
        assert!(merged.add(&history).is_ok() && merged.memory() > 40_000 * 100 * 16);
    }
}
