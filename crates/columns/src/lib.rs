//! Replies as columns, and columns for other libraries.
//!
//! ```text
//!   *2 ─┬─ *3 :1 $3 Ada _          id    int64  [ 1, 2 ]
//!       └─ *3 :2 $5 Grace ,1.5     name  utf8   [ Ada, Grace ]     one buffer, and offsets
//!                                  x     double [ null, 1.5 ]      a bit for each that is there
//!
//!   bytes ─► Rows (a wire::Build) ─► Table ─► arrow: what pyarrow, polars and pandas take
//! ```
//!
//! A reply of a hundred thousand rows has half a million parts. As objects of a language each is
//! an allocation; here it is a few bytes at the end of a vector, written in the pass that reads the
//! reply. The vectors are laid out as Apache Arrow has them, so handing a [`Table`] to a library
//! that speaks Arrow copies nothing.
//!
//! What a statement on a graph answers comes as columns already: [`graph`] reads it.
//!
//! What is not a table is refused with words that say where, never bent into one.
#![deny(unsafe_code)] // but for the file that says why it must

#[allow(unsafe_code)]
pub mod arrow;
mod column;
pub mod graph;
mod rows;
mod table;

pub use column::{Bitmap, Cell, Cells, Column, Mismatch, Type};
pub use rows::{NotATable, Rows, Wanted};
pub use table::{Notes, Table};
