//! Project Haystack: kinds of values, dicts and grids, formats, units, zones, filters.
//!
//! ```text
//!   Zinc · Hayson · JSON v3 · Trio · CSV          text, row by row
//!        │ read            ▲ write
//!        ▼                 │
//!   Value, Dict, Grid ──► Cell ◄── columns        16 bytes a value; a cell borrows
//!                          ▲
//!   Filter ── Evaluator ───┘    Namespace         grammar, rules, defs and specs
//! ```
//!
//! | module | what it knows |
//! | --- | --- |
//! | [`value`] | the kinds: [`Value`] in 16 bytes, [`Cell`] that borrows, [`Dict`], [`Grid`] |
//! | [`name`] | texts that are shared by all that say the same: ids, symbols, tags |
//! | [`time`] | dates, times, instants with a zone |
//! | [`mod@unit`] | units of measurement and what they convert to |
//! | [`zinc`], [`hayson`], [`json3`], [`trio`], [`csv`] | the formats |
//! | [`filter`] | filters: parsing, writing, evaluating |
//! | [`defs`] | what `^symbol` and names of specs stand for |
//! | [`display`] | display strings: values, dicts, macros |
//! | [`search`], [`natural`] | the search option; the order in which people sort |
//!
//! A value is written from a [`Cell`], which borrows, so rows go out straight from columns of any
//! shape. All readers are bounded by [`Limits`]: what they take of memory and stack is in
//! proportion to the text, and every malformed text is an [`Error`] with its line and column.
//!
//! ```
//! use kvist_haystack::{Dict, Evaluator, Filter, Value, zinc};
//!
//! let text = "ver:\"3.0\"\nid,dis,area\n@a \"A\",\"Site A\",740m²\n@b,\"Site B\",N\n";
//! let grid = zinc::read_grid(text)?;
//! assert_eq!(grid.row(0).get("area").to_string(), "740m²");
//!
//! let rows: Vec<Dict> = grid.rows().map(|row| row.to_dict()).collect();
//! let filter = Filter::parse("area > 500m² and not site")?;
//! let evaluator = Evaluator::new(&filter, &rows[..]);
//! assert_eq!(rows.iter().filter(|row| evaluator.matches(row)).count(), 1);
//! # Ok::<(), kvist_haystack::Error>(())
//! ```
//!
//! This crate must not know of keys, clients, files, clocks or threads; its registers of names
//! alone are shared between threads.

#![forbid(unsafe_code)]

pub mod csv;
pub mod defs;
pub mod display;
mod error;
pub mod filter;
pub mod hayson;
mod json;
pub mod json3;
mod limits;
pub mod name;
pub mod natural;
mod scalar;
mod scan;
pub mod search;
pub mod time;
pub mod trio;
pub mod unit;
pub mod value;
pub mod zinc;

pub use defs::{Defs, Namespace};
pub use error::Error;
pub use filter::{Evaluator, Filter, Records};
pub use limits::Limits;
pub use name::{Name, Tag};
pub use search::Search;
pub use time::{Date, DateTime, Time, Zone};
pub use unit::Unit;
pub use value::{Cell, Col, Coord, Dict, Grid, GridBuilder, Kind, Number, Ref, Row, Value, XStr};
