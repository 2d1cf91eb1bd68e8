//! Grids from CSV.

use super::MARKER;
use crate::json::check_size;
use crate::scan::Cursor;
use crate::value::{Col, GridBuilder};
use crate::{Dict, Error, Grid, Limits, Tag, Value};

/// Reads the line of names, then rows one by one.
pub struct Reader<'a> {
    text: Cursor<'a>,
    cols: Vec<Col>,
    rows: usize,
}

/// The tag that a display name stands for: its words with capital letters, without what a tag must
/// not have. `None` if nothing is left.
///
/// ```
/// use kvist_haystack::csv::to_tag;
/// assert_eq!(to_tag("Total Area (m²)").unwrap().as_str(), "totalAreaM");
/// assert_eq!(to_tag("siteRef").unwrap().as_str(), "siteRef");
/// assert_eq!(to_tag("2nd"), to_tag("v2nd"));
/// assert_eq!(to_tag("²"), None);
/// ```
pub fn to_tag(name: &str) -> Option<Tag> {
    let mut tag = String::new();
    for word in name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if tag.is_empty() => tag.push(first.to_ascii_lowercase()),
            Some(first) => tag.push(first.to_ascii_uppercase()),
            None => {}
        }
        tag.push_str(chars.as_str());
    }
    if tag.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        tag.insert(0, 'v');
    }
    Tag::new(&tag).ok()
}

impl<'a> Reader<'a> {
    /// Reads the line of names. What is no tag becomes one, and the name as it stood is its `dis`.
    pub fn new(text: &'a str, limits: Limits) -> Result<Reader<'a>, Error> {
        check_size(text, limits)?;
        let mut text = Cursor::within(text.strip_prefix('\u{feff}').unwrap_or(text), limits);
        let (mut cols, mut names) = (Vec::new(), Vec::new());
        fields(&mut text, &mut names)?;
        for name in names {
            let name = name.trim();
            let shown: String = name.chars().take(60).collect();
            let tag = to_tag(name);
            let tag = tag.ok_or_else(|| text.error(format!("No column is called '{shown}'")))?;
            let mut col = Col::new(tag);
            if col.name.as_str() != name {
                col.meta.put("dis", name)?;
            }
            cols.push(col);
        }
        GridBuilder::new(Dict::new(), cols.clone()).map_err(|e| text.error(e.message()))?;
        Ok(Reader { text, cols, rows: 0 })
    }

    /// The columns.
    pub fn cols(&self) -> &[Col] {
        &self.cols
    }

    /// Reads a row into `row`, a value for each column; what is missing is null. False at the end.
    pub fn next_row(&mut self, row: &mut Vec<Value>) -> Result<bool, Error> {
        row.clear();
        while self.text.is_line_end() && !self.text.is_end() && self.cols.len() > 1 {
            self.text.take_line_end();
        }
        if self.text.is_end() {
            return Ok(false);
        }
        self.rows += 1;
        if !Limits::allows_cells(self.cols.len(), self.rows, self.text.place()) {
            return Err(self.text.error("Grid with too many empty cells"));
        }
        let (place, mut texts) = (self.text.place(), Vec::new());
        self.text.charge(self.cols.len())?;
        fields(&mut self.text, &mut texts)?;
        if texts.len() > self.cols.len() {
            let cols = self.cols.len();
            return Err(self.text.error_at(place, format!("More than {cols} fields")));
        }
        row.extend(texts.iter().map(|text| match text.as_str() {
            "" => Value::NULL,
            MARKER => Value::MARKER,
            text => text.into(),
        }));
        row.resize_with(self.cols.len(), || Value::NULL);
        Ok(true)
    }
}

/// The fields of a record, which ends with a line, but for those between quotation marks.
fn fields(text: &mut Cursor<'_>, fields: &mut Vec<String>) -> Result<(), Error> {
    loop {
        let field = if text.peek() == Some(b'"') {
            quoted(text)?
        } else {
            text.take_while(|byte| !matches!(byte, b',' | b'\n' | b'\r')).to_owned()
        };
        text.charge(2)?;
        fields.push(field);
        if text.take(b',') {
            continue;
        }
        if text.take_line_end() || text.is_end() {
            return Ok(());
        }
        return Err(text.expected("',' or the end of the line"));
    }
}

fn quoted(text: &mut Cursor<'_>) -> Result<String, Error> {
    let start = text.place();
    text.skip(1);
    let mut field = String::new();
    loop {
        field.push_str(text.take_while(|byte| byte != b'"'));
        if !text.take(b'"') {
            return Err(text.error_at(start, "Quotation mark without an end"));
        }
        if !text.take(b'"') {
            return Ok(field);
        }
        field.push('"');
    }
}

/// Reads a grid, within the usual [`Limits`].
pub fn read_grid(text: &str) -> Result<Grid, Error> {
    read_grid_within(text, Limits::DEFAULT)
}

/// Reads a grid, within limits.
pub fn read_grid_within(text: &str, limits: Limits) -> Result<Grid, Error> {
    let mut reader = Reader::new(text, limits)?;
    let mut grid = GridBuilder::new(Dict::new(), reader.cols.clone())?;
    let mut row = Vec::new();
    while reader.next_row(&mut row)? {
        grid.push(row.drain(..));
    }
    Ok(grid.finish())
}
