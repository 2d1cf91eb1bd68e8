//! What a reader takes at most.

/// Bounds of what a reader takes. Memory is in proportion to the text in any case; these say how
/// much of it there may be, what may come of it, and how deep it nests, on which the stack depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep lists, dicts, grids and parentheses nest.
    pub depth: usize,
    /// The bytes of a text; of a stream, those of one row.
    pub bytes: usize,
    /// What its values take, but for their texts, in units of 16 bytes and about: a scalar is one
    /// or two, a list, dict or grid ten with what it holds beside. Of four bytes of text can come a
    /// hundred and fifty; of a stream, this is each row's.
    pub units: usize,
}

/// Units of a list, a dict or a grid without what is in it.
pub(crate) const NESTED: usize = 8;

/// Cells that a grid has in any case.
const FREE_CELLS: usize = 1 << 20;
/// Cells more for each byte of text.
const CELLS_PER_BYTE: usize = 8;

impl Limits {
    /// What holds where nothing else is said: 64 levels, 512 MB of text, 1 GB of values.
    pub const DEFAULT: Limits = Limits { depth: 64, bytes: 512 << 20, units: 1 << 26 };

    /// Whether a grid of so many columns and rows may come of so many bytes: a text of short rows
    /// below a long line of columns must not become a grid a thousand times its size.
    pub(crate) fn allows_cells(cols: usize, rows: usize, bytes: usize) -> bool {
        let most = bytes.saturating_mul(CELLS_PER_BYTE).saturating_add(FREE_CELLS);
        cols.saturating_mul(rows) <= most
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
