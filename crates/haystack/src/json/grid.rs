//! Grids in JSON, row by row: members may come in any order, so the text is looked over first, as
//! far as the rows if they come last.

use super::tree::{member, skip};
use super::{Json, check_size, depth_of, parse};
use crate::scan::Cursor;
use crate::value::{Col, GridBuilder};
use crate::{Dict, Error, Grid, Limits, Value};

/// What distinguishes the two formats.
pub(crate) trait Format {
    /// A value of a tree.
    fn value(json: &Json<'_>, depth: usize) -> Result<Value, Error>;

    /// A column.
    fn col(json: &Json<'_>, depth: usize) -> Result<Col, Error>;

    /// A dict of the members of an object, without nulls.
    fn dict(json: &Json<'_>, depth: usize) -> Result<Dict, Error>;
}

type Places = std::collections::HashMap<crate::Tag, usize, foldhash::fast::RandomState>;

/// Reads a grid row by row.
pub(crate) struct GridReader<'a, F> {
    text: Cursor<'a>,
    limits: Limits,
    meta: Dict,
    cols: Vec<Col>,
    places: Places,
    rows: usize,
    is_done: bool,
    /// Whether what stands behind the rows was looked at.
    all_seen: bool,
    format: std::marker::PhantomData<F>,
}

/// Where the members of a grid begin.
struct Members {
    meta: Option<usize>,
    cols: usize,
    rows: usize,
    /// Whether all of the text was looked over.
    all_seen: bool,
}

/// Looks the members over; what stands before the rows is enough, if that is all there should be.
fn members(text: &mut Cursor<'_>) -> Result<Members, Error> {
    let start = text.place();
    text.expect(b'{')?;
    let (mut meta, mut cols, mut rows) = (None, None, None);
    text.skip_space();
    let mut ends = text.take(b'}');
    while !ends {
        text.skip_space();
        let name = member(text)?;
        text.skip_space();
        let place = Some(text.place());
        match (name.as_ref(), cols) {
            ("meta", _) => meta = place,
            ("cols", _) => cols = place,
            ("rows", Some(cols)) if meta.is_some() => {
                return Ok(Members { meta, cols, rows: text.place(), all_seen: false });
            }
            ("rows", _) => rows = place,
            _ => {}
        }
        skip(text)?;
        ends = next_or_end(text)?;
    }
    expect_end(text)?;
    let missing = |name: &str| text.error_at(start, format!("Grid without '{name}'"));
    let cols = cols.ok_or_else(|| missing("cols"))?;
    Ok(Members { meta, cols, rows: rows.ok_or_else(|| missing("rows"))?, all_seen: true })
}

/// Takes the comma behind a member, or the end of the object.
fn next_or_end(text: &mut Cursor<'_>) -> Result<bool, Error> {
    text.skip_space();
    let ends = text.take(b'}');
    if !ends {
        text.expect(b',')?;
    }
    Ok(ends)
}

fn expect_end(text: &mut Cursor<'_>) -> Result<(), Error> {
    text.skip_space();
    if text.is_end() { Ok(()) } else { Err(text.expected("the end")) }
}

/// Looks over the members behind the rows.
fn skip_rest(text: &mut Cursor<'_>) -> Result<(), Error> {
    while !next_or_end(text)? {
        text.skip_space();
        member(text)?;
        text.skip_space();
        skip(text)?;
    }
    expect_end(text)
}

impl<'a, F: Format> GridReader<'a, F> {
    pub fn new(whole: &'a str, limits: Limits) -> Result<GridReader<'a, F>, Error> {
        check_size(whole, limits)?;
        let whole = whole.strip_prefix('\u{feff}').unwrap_or(whole);
        let mut text = Cursor::within(whole, limits);
        text.skip_space();
        let members = members(&mut text)?;
        let depth = depth_of(limits);
        let mut meta = Dict::new();
        if let Some(place) = members.meta {
            text.go_to(place);
            let json = parse(&mut text, depth)?;
            meta = F::dict(&json, limits.depth).map_err(|e| text.error_at(place, e.message()))?;
            meta.remove("ver");
        }
        text.go_to(members.cols);
        let json = parse(&mut text, depth)?;
        let cols = cols::<F>(&json, limits.depth);
        let cols = cols.map_err(|e| text.error_at(members.cols, e.message()))?;
        let places = cols.iter().enumerate().map(|(place, col)| (col.name.clone(), place));
        let places = places.collect();
        text.go_to(members.rows);
        text.expect(b'[')?;
        let format = std::marker::PhantomData;
        let all_seen = members.all_seen;
        let mut reader = GridReader {
            text,
            limits,
            meta,
            cols,
            places,
            rows: 0,
            is_done: false,
            all_seen,
            format,
        };
        reader.take_end()?;
        Ok(reader)
    }

    /// Takes the end of the rows, if it is here; then nothing may be wrong behind them.
    fn take_end(&mut self) -> Result<(), Error> {
        self.text.skip_space();
        self.is_done = self.text.take(b']');
        if self.is_done && !self.all_seen {
            skip_rest(&mut self.text)?;
        }
        Ok(())
    }

    pub fn meta(&self) -> &Dict {
        &self.meta
    }

    pub fn cols(&self) -> &[Col] {
        &self.cols
    }

    pub fn next_row(&mut self, row: &mut Vec<Value>) -> Result<bool, Error> {
        row.clear();
        if self.is_done {
            return Ok(false);
        }
        self.text.skip_space();
        let place = self.text.place();
        self.rows += 1;
        if !Limits::allows_cells(self.cols.len(), self.rows, place) {
            return Err(self.text.error("Grid with too many empty cells"));
        }
        let before = self.text;
        let json = parse(&mut self.text, depth_of(self.limits))?;
        self.read_row(&json, row).map_err(|e| self.text.error_at(place, e.message()))?;
        // The tree goes, and the values stay.
        let units = row.iter().map(|value| 1 + value.memory() / 16).sum();
        self.text.charge_instead(&before, units)?;
        self.take_end()?;
        if !self.is_done {
            self.text.expect(b',')?;
        }
        Ok(true)
    }

    /// The cells of an object. What has no column is refused, as it would be lost.
    fn read_row(&self, json: &Json<'_>, row: &mut Vec<Value>) -> Result<(), Error> {
        let Json::Object(members) = json else { return Err(Error::new("A row is no object")) };
        row.resize_with(self.cols.len(), || Value::NULL);
        for (name, value) in members {
            let place = self.places.get(name.as_ref()).copied();
            match place.and_then(|place| row.get_mut(place)) {
                Some(cell) => *cell = F::value(value, self.limits.depth)?,
                None if name == "_kind" => {}
                None => return Err(Error::new(format!("No column '{}'", first(name)))),
            }
        }
        Ok(())
    }

    pub fn read_rest(mut self) -> Result<Grid, Error> {
        let mut grid = GridBuilder::new(std::mem::take(&mut self.meta), self.cols.clone())?;
        let mut row = Vec::new();
        while self.next_row(&mut row)? {
            grid.push(row.drain(..));
        }
        Ok(grid.finish())
    }
}

fn first(name: &str) -> String {
    name.chars().take(60).collect()
}

fn cols<F: Format>(json: &Json<'_>, depth: usize) -> Result<Vec<Col>, Error> {
    let Json::List(cols) = json else { return Err(Error::new("Columns are no list")) };
    let cols: Vec<Col> = cols.iter().map(|col| F::col(col, depth)).collect::<Result<_, _>>()?;
    // Finds what is wrong with them as a whole.
    GridBuilder::new(Dict::new(), cols.clone())?;
    Ok(cols)
}

/// A grid of a tree: one within another value.
pub(crate) fn nested<F: Format>(json: &Json<'_>, depth: usize) -> Result<Grid, Error> {
    let mut meta = match json.get("meta") {
        Some(meta) => F::dict(meta, depth)?,
        None => Dict::new(),
    };
    meta.remove("ver");
    let missing = |name| Error::new(format!("Grid without '{name}'"));
    let cols = cols::<F>(json.get("cols").ok_or_else(|| missing("cols"))?, depth)?;
    let Some(Json::List(rows)) = json.get("rows") else { return Err(missing("rows")) };
    // What is known of the text is how many members it has.
    let members = rows.iter().map(|row| if let Json::Object(m) = row { m.len() } else { 0 });
    let bytes = (members.sum::<usize>() + rows.len() + cols.len()).saturating_mul(4);
    if !Limits::allows_cells(cols.len(), rows.len(), bytes) {
        return Err(Error::new("Grid with too many empty cells"));
    }
    let mut grid = GridBuilder::new(meta, cols)?;
    for row in rows {
        let dict = F::dict(row, depth)?;
        if let Some((name, _)) = dict.iter().find(|(name, _)| !grid.has_col(name)) {
            return Err(Error::new(format!("No column '{name}'")));
        }
        grid.push_dict(&dict);
    }
    Ok(grid.finish())
}
