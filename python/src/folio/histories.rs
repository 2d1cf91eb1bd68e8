//! Histories of several points as one table: long, with a row for each sample, or wide, with a
//! column for each point.

use std::sync::Arc;

use haystack::value::Rows;
use haystack::{Cell, Col, DateTime, Dict, Tag, Value, Zone};
use pyo3::prelude::*;

use super::arrow;
use super::grid::Grid;
use super::refused;
use crate::columns::Columns;
use crate::leaving;

/// Points with the grids of their samples: `ts` and `val`.
type Points = Vec<(String, Py<Grid>)>;

/// A row for each sample, those of a point one after the other.
struct Long<'a> {
    ids: &'a [String],
    parts: Vec<&'a (dyn Rows + Sync)>,
    /// Where the rows of each begin, and where the last end.
    starts: Vec<usize>,
    meta: Dict,
    cols: Vec<Col>,
}

/// The columns of the long form.
const LONG: [&str; 6] = ["id", "ts", "val_num", "val_bool", "val_str", "val_na"];

fn cols(names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Vec<Col>, haystack::Error> {
    names.into_iter().map(|name| Tag::new(name.as_ref()).map(Col::new)).collect()
}

impl Long<'_> {
    /// The history of a row, and the row in it.
    fn place(&self, row: usize) -> Option<(usize, usize)> {
        let part = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        Some((part, row - self.starts.get(part)?))
    }

    fn sample(&self, (part, row): (usize, usize), col: usize) -> Option<Cell<'_>> {
        let rows = *self.parts.get(part)?;
        Some(match col {
            0 => Cell::Ref(self.ids.get(part)?, None),
            1 => rows.cell(row, 0),
            _ => match (col, rows.cell(row, 1)) {
                (2, cell @ Cell::Number(..)) => cell,
                (3, cell @ Cell::Bool(_)) => cell,
                (5, cell) => Cell::Bool(matches!(cell, Cell::Na)),
                (4, Cell::Number(..) | Cell::Bool(_) | Cell::Na | Cell::Null) => Cell::Null,
                (4, cell) => cell,
                _ => Cell::Null,
            },
        })
    }
}

impl Rows for Long<'_> {
    fn meta(&self) -> &Dict {
        &self.meta
    }

    fn cols(&self) -> &[Col] {
        &self.cols
    }

    fn row_count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let place = self.place(row).filter(|_| row < self.row_count());
        let cell = place.and_then(|place| self.sample(place, col)).unwrap_or_default();
        match cell {
            // Units are of points: here they would make texts of numbers.
            Cell::Number(number, _) => Cell::Number(number, None),
            cell => cell,
        }
    }
}

/// A row for each instant at which any point has a sample.
struct Wide<'a> {
    parts: Vec<&'a (dyn Rows + Sync)>,
    zone: Zone,
    /// The instants, in nanoseconds since 1970.
    at: Vec<i64>,
    /// For each history the row of the sample at each instant.
    places: Vec<Vec<Option<usize>>>,
    meta: Dict,
    cols: Vec<Col>,
}

fn instant(rows: &(dyn Rows + Sync), row: usize) -> Option<DateTime> {
    if let Cell::DateTime(at) = rows.cell(row, 0) { Some(at) } else { None }
}

/// The zone of the first samples, if they agree.
fn zone_of(parts: &[&(dyn Rows + Sync)]) -> Zone {
    let mut zones = parts.iter().filter_map(|rows| instant(*rows, 0)).map(DateTime::zone);
    let first = zones.next().unwrap_or(Zone::UTC);
    if zones.all(|zone| zone == first) { first } else { Zone::UTC }
}

impl<'a> Wide<'a> {
    fn new(ids: &[String], parts: Vec<&'a (dyn Rows + Sync)>) -> Result<Self, haystack::Error> {
        let all = parts.iter().map(|rows| {
            let rows_at = (0..rows.row_count()).filter_map(|row| instant(*rows, row));
            rows_at.map(DateTime::nanos).collect::<Vec<i64>>()
        });
        let all: Vec<Vec<i64>> = all.collect();
        let mut at = all.concat();
        at.sort_unstable();
        at.dedup();
        let places = all
            .iter()
            .map(|own| at.iter().map(|nanos| own.binary_search(nanos).ok()).collect::<Vec<_>>());
        let places = places.collect();
        let mut cols = cols(
            ["ts".to_owned()]
                .into_iter()
                .chain((0..parts.len()).map(|number| format!("v{number}"))),
        )?;
        for (col, id) in cols.iter_mut().skip(1).zip(ids) {
            col.meta.put("id", Value::id(id)?)?;
        }
        let (zone, meta) = (zone_of(&parts), Dict::new());
        Ok(Wide { parts, zone, at, places, meta, cols })
    }
}

impl Rows for Wide<'_> {
    fn meta(&self) -> &Dict {
        &self.meta
    }

    fn cols(&self) -> &[Col] {
        &self.cols
    }

    fn row_count(&self) -> usize {
        self.at.len()
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let Some(&nanos) = self.at.get(row) else { return Cell::Null };
        let Some(part) = col.checked_sub(1) else {
            return Cell::DateTime(DateTime::from_nanos(nanos, self.zone));
        };
        let place = self.places.get(part).and_then(|places| *places.get(row)?);
        let rows = self.parts.get(part).zip(place);
        rows.map_or(Cell::Null, |(rows, place)| rows.cell(place, 1))
    }
}

/// The samples of some points as columns, a row for each: `id`, `ts`, and what it is by its kind.
#[pyfunction]
pub fn long_histories(py: Python<'_>, points: Points) -> PyResult<Columns> {
    let (ids, grids): (Vec<String>, Vec<Py<Grid>>) = points.into_iter().unzip();
    let parts: Vec<_> = grids.iter().map(|grid| grid.get().rows_of()).collect();
    let mut starts = vec![0];
    for part in &parts {
        starts.push(starts.last().copied().unwrap_or(0) + part.row_count());
    }
    let cols = cols(LONG).map_err(|error| refused(py, error))?;
    let long = Long { ids: &ids, parts, starts, meta: Dict::new(), cols };
    let table = leaving::without(py, || arrow::table(&long, |_| None));
    Ok(Columns { table: Arc::new(table) })
}

/// The samples of some points as columns, one for each point, named by its id: a row for each
/// instant at which any has one.
#[pyfunction]
pub fn wide_histories(py: Python<'_>, points: Points) -> PyResult<Columns> {
    let (ids, grids): (Vec<String>, Vec<Py<Grid>>) = points.into_iter().unzip();
    let parts: Vec<_> = grids.iter().map(|grid| grid.get().rows_of()).collect();
    let made = leaving::without(py, || {
        let wide = Wide::new(&ids, parts)?;
        let names = ["ts".to_owned()].into_iter().chain(ids.iter().cloned()).collect();
        Ok(arrow::table(&wide, |_| None).with_names(names))
    });
    let table = made.map_err(|error: haystack::Error| refused(py, error))?;
    Ok(Columns { table: Arc::new(table) })
}
