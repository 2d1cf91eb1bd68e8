//! Grids: rows of cells below named columns, with dicts of what is said of the whole and of
//! columns.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use super::{Dict, Value};
use crate::{Error, Limits, Tag};

/// A column: its name, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Col {
    /// The name.
    pub name: Tag,
    /// What is said of it.
    pub meta: Dict,
}

impl Col {
    /// A column of which nothing is said.
    pub fn new(name: Tag) -> Col {
        Col { name, meta: Dict::new() }
    }

    /// What to show above it: its `dis`, or its name.
    pub fn dis(&self) -> &str {
        self.meta.get("dis").and_then(Value::as_str).unwrap_or(&self.name)
    }
}

type Places = HashMap<Tag, usize, foldhash::fast::RandomState>;

/// A grid. Cells lie row by row in one piece; to find a column by name takes O(1).
#[derive(Clone, Debug, Default)]
pub struct Grid {
    meta: Dict,
    cols: Vec<Col>,
    places: Places,
    /// So many cells for each row as there are columns.
    cells: Vec<Value>,
}

/// Makes a grid row by row.
#[derive(Debug)]
pub struct GridBuilder(Grid);

/// A row of a grid.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    grid: &'a Grid,
    row: usize,
}

static NULL: Value = Value::NULL;

impl GridBuilder {
    /// A grid without rows; an error if it has no columns, or two of one name.
    pub fn new(meta: Dict, cols: Vec<Col>) -> Result<GridBuilder, Error> {
        if cols.is_empty() {
            return Err(Error::new("Grid without columns"));
        }
        let mut places = Places::default();
        for (place, col) in cols.iter().enumerate() {
            if places.insert(col.name.clone(), place).is_some() {
                return Err(Error::new(format!("Duplicate column '{}'", col.name)));
            }
        }
        Ok(GridBuilder(Grid { meta, cols, places, cells: Vec::new() }))
    }

    /// Appends a row. Cells that are missing are null; what is beyond the columns is left out.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Value>) {
        let cols = self.0.cols.len();
        let start = self.0.cells.len();
        self.0.cells.extend(cells.into_iter().take(cols));
        self.0.cells.resize_with(start + cols, || Value::NULL);
    }

    /// Appends a row of a dict's tags. Those that are no columns are left out.
    pub fn push_dict(&mut self, dict: &Dict) {
        let start = self.0.cells.len();
        self.0.cells.resize_with(start + self.0.cols.len(), || Value::NULL);
        for (tag, value) in dict.iter() {
            let place = self.0.places.get(tag).map(|place| start + place);
            if let Some(cell) = place.and_then(|place| self.0.cells.get_mut(place)) {
                cell.clone_from(value);
            }
        }
    }

    /// Whether there is a column of this name.
    pub fn has_col(&self, name: &str) -> bool {
        self.0.places.contains_key(name)
    }

    /// The grid as it is.
    pub fn finish(self) -> Grid {
        self.0
    }
}

/// The order of columns of a grid that is made of dicts.
fn by_importance(a: &Tag, b: &Tag) -> Ordering {
    let rank = |tag: &str| match tag {
        "id" => 0,
        "def" => 1,
        "name" => 2,
        "mod" => 4,
        _ => 3,
    };
    rank(a).cmp(&rank(b)).then_with(|| a.cmp(b))
}

impl Grid {
    /// A grid of dicts: the columns are all their tags, `id`, `def` and `name` first, `mod` last,
    /// the others in alphabetical order. Without tags it has the one column `empty` and no rows. An
    /// error
    /// if so many of the cells would be empty that the grid were many times as large as the dicts.
    ///
    /// ```
    /// use kvist_haystack::{Dict, Grid, Value};
    /// let mut site = Dict::new();
    /// site.put("dis", "Main Street")?;
    /// site.put("id", Value::id("a")?)?;
    /// let grid = Grid::from_dicts(Dict::new(), &[site])?;
    /// let names: Vec<&str> = grid.cols().iter().map(|col| col.name.as_str()).collect();
    /// assert_eq!(names, ["id", "dis"]);
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn from_dicts<'a>(
        meta: Dict,
        dicts: impl IntoIterator<Item = &'a Dict, IntoIter: Clone>,
    ) -> Result<Grid, Error> {
        let dicts = dicts.into_iter();
        let (mut tags, mut rows, mut entries) = (BTreeSet::new(), 0_usize, 0_usize);
        for dict in dicts.clone() {
            rows += 1;
            entries += dict.len();
            tags.extend(dict.iter().map(|(tag, _)| tag.clone()));
        }
        let mut tags: Vec<Tag> = tags.into_iter().collect();
        tags.sort_by(by_importance);
        if tags.is_empty() {
            return Ok(Grid::empty(meta));
        }
        if !Limits::allows_cells(tags.len(), rows, entries.saturating_mul(24)) {
            return Err(Error::new("Grid with too many empty cells"));
        }
        let mut grid = GridBuilder::new(meta, tags.into_iter().map(Col::new).collect())?;
        dicts.for_each(|dict| grid.push_dict(dict));
        Ok(grid.finish())
    }

    /// The grid without rows, whose one column is called `empty`.
    pub fn empty(meta: Dict) -> Grid {
        let tag = Tag::known("empty");
        let places = [(tag.clone(), 0)].into_iter().collect();
        Grid { meta, cols: vec![Col::new(tag)], places, cells: Vec::new() }
    }

    /// What is said of the whole.
    pub fn meta(&self) -> &Dict {
        &self.meta
    }

    /// What is said of the whole, to change it.
    pub fn meta_mut(&mut self) -> &mut Dict {
        &mut self.meta
    }

    /// The columns.
    pub fn cols(&self) -> &[Col] {
        &self.cols
    }

    /// The place of a column.
    pub fn col(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.cols.len()).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The value in a row and a column, both counted from 0; null beyond the last.
    pub fn value(&self, row: usize, col: usize) -> &Value {
        let place = row.checked_mul(self.cols.len()).map(|start| start + col);
        let within = place.filter(|_| col < self.cols.len());
        within.and_then(|place| self.cells.get(place)).unwrap_or(&NULL)
    }

    /// A row, counted from 0; beyond the last all cells are null.
    pub fn row(&self, row: usize) -> Row<'_> {
        Row { grid: self, row }
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// The bytes that it has, see [`Value::memory`].
    pub fn memory(&self) -> usize {
        let cells = self.cells.capacity() * size_of::<Value>();
        let values: usize = self.cells.iter().map(Value::memory).sum();
        let cols: usize = self.cols.iter().map(|col| size_of::<Tag>() + col.meta.memory()).sum();
        size_of::<Grid>() + self.meta.memory() + cols + self.places.capacity() * 17 + cells + values
    }
}

impl<'a> Row<'a> {
    /// The value in a column of this name; null if there is none.
    pub fn get(&self, name: &str) -> &'a Value {
        self.grid.col(name).map_or(&NULL, |col| self.grid.value(self.row, col))
    }

    /// The values, column by column.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &'a Value> + use<'a> {
        let (grid, row) = (self.grid, self.row);
        (0..grid.cols.len()).map(move |col| grid.value(row, col))
    }

    /// What is there, as a dict.
    pub fn to_dict(&self) -> Dict {
        let names = self.grid.cols.iter().map(|col| col.name.clone());
        names.zip(self.values().cloned()).collect()
    }
}

impl PartialEq for Grid {
    fn eq(&self, other: &Grid) -> bool {
        self.meta == other.meta && self.cols == other.cols && self.cells == other.cells
    }
}

impl Eq for Grid {}

impl PartialOrd for Grid {
    fn partial_cmp(&self, other: &Grid) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By columns' names, then cells, then what is said of them.
impl Ord for Grid {
    fn cmp(&self, other: &Grid) -> Ordering {
        let names = |grid: &Grid| grid.cols.iter().map(|col| col.name.clone()).collect::<Vec<_>>();
        let metas = |grid: &Grid| {
            let metas = grid.cols.iter().map(|col| Value::dict(col.meta.clone()));
            metas.chain([Value::dict(grid.meta.clone())]).collect::<Vec<_>>()
        };
        names(self)
            .cmp(&names(other))
            .then_with(|| self.cells.cmp(&other.cells))
            .then_with(|| metas(self).cmp(&metas(other)))
    }
}
