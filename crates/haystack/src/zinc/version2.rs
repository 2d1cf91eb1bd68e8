//! Grids in version 2, which has neither lists, dicts, grids, symbols nor NA.

use super::write::{append, head};
use crate::value::Rows;
use crate::{Cell, Dict, Error};

/// Appends a grid in version 2; an error, and nothing appended, if a value has no form in it.
///
/// ```
/// use kvist_haystack::{Grid, zinc};
/// let grid = zinc::read_grid("ver:\"3.0\"\na\nBin(\"text/plain\")\n")?;
/// let mut out = Vec::new();
/// zinc::write_grid_2(&mut out, &grid)?;
/// assert_eq!(out, b"ver:\"2.0\"\na\nBin(text/plain)\n");
/// let list = zinc::read_grid("ver:\"3.0\"\na\n[1]\n")?;
/// assert!(zinc::write_grid_2(&mut out, &list).is_err());
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub fn write_grid_2(out: &mut Vec<u8>, grid: &(impl Rows + ?Sized)) -> Result<(), Error> {
    check_dict(grid.meta())?;
    grid.cols().iter().try_for_each(|col| check_dict(&col.meta))?;
    let start = out.len();
    head(out, "2.0", grid.meta(), grid.cols());
    let written = (0..grid.row_count()).try_for_each(|row| write_row(out, grid, row));
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn write_row(out: &mut Vec<u8>, grid: &(impl Rows + ?Sized), row: usize) -> Result<(), Error> {
    let cols = grid.cols().len();
    for col in 0..cols {
        let cell = grid.cell(row, col);
        check(&cell)?;
        if col > 0 {
            out.push(b',');
        }
        match cell {
            Cell::XStr(_, mime) => out.extend_from_slice(format!("Bin({mime})").as_bytes()),
            Cell::Null if cols > 1 => {}
            cell => append(out, &cell),
        }
    }
    out.push(b'\n');
    Ok(())
}

fn check_dict(dict: &Dict) -> Result<(), Error> {
    let plain = |cell: Cell<'_>| match cell {
        Cell::XStr(..) => Err(refused(&cell)),
        cell => check(&cell),
    };
    dict.iter().try_for_each(|(_, value)| plain(value.cell()))
}

fn refused(cell: &Cell<'_>) -> Error {
    Error::new(format!("Zinc 2.0 has no form for {}", cell.kind().name()))
}

fn check(cell: &Cell<'_>) -> Result<(), Error> {
    match cell {
        Cell::XStr("Bin", mime) if !mime.contains([')', '\n', '\r', '"']) => Ok(()),
        Cell::XStr(..)
        | Cell::List(_)
        | Cell::Dict(_)
        | Cell::Grid(_)
        | Cell::Symbol(_)
        | Cell::Na => Err(refused(cell)),
        _ => Ok(()),
    }
}
