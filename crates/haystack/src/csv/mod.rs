//! CSV (RFC 4180): display names above columns, values as people read them. Kinds are lost.
//!
//! ```text
//!   id,Site,Area
//!   @a Main Street,✓,740m²          a ref, a marker, a number
//! ```
//!
//! [`write_grid`] writes display texts; [`Reader`] and [`read_grid`] make strings of cells,
//! markers of `✓`, nulls of nothing.
//!
//! ```
//! use kvist_haystack::{csv, zinc};
//! let grid = zinc::read_grid("ver:\"3.0\"\nid,area dis:\"Total Area\"\n@a \"A\",5m²\n")?;
//! let mut out = Vec::new();
//! csv::write_grid(&mut out, &grid);
//! assert_eq!(String::from_utf8(out).unwrap(), "id,Total Area\n@a A,5m²\n");
//! let read = csv::read_grid("id,Total Area\n@a A,5m²\n")?;
//! assert_eq!(read.row(0).get("totalArea").as_str(), Some("5m²"));
//! # Ok::<(), kvist_haystack::Error>(())
//! ```

mod read;
mod write;

pub use read::{Reader, read_grid, read_grid_within, to_tag};
pub use write::{Writer, write_grid};

/// What stands for a marker.
const MARKER: &str = "\u{2713}";

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
