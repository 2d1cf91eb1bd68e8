//! Trio: dicts as text that people edit, a tag a line.
//!
//! ```text
//!   dis: Main Street           a string that needs no quotation marks
//!   site                       a marker
//!   area: 3400ft²              anything that Zinc has; true and false
//!   doc:
//!     Some lines of text       lines that are indented
//!   table: Zinc:
//!     ver:"3.0" …              a grid, or a list or dict with grids in it; after Trio: a dict, or
//!                              a list of several
//!   ---                        the next dict
//! ```
//!
//! ```
//! use kvist_haystack::trio;
//! let dicts = trio::read("dis: Main Street\nsite\n---\ndis: \"Other\"\n")?;
//! assert_eq!(dicts.len(), 2);
//! assert_eq!(dicts[0].get("dis").unwrap().as_str(), Some("Main Street"));
//! assert_eq!(trio::to_text(&dicts), "dis:Main Street\nsite\n---\ndis:Other\n");
//! # Ok::<(), kvist_haystack::Error>(())
//! ```

mod read;
mod write;

use crate::{Dict, Error, Limits, Value};

pub use read::Reader;
pub use write::append_dict;

/// Reads all dicts of a text, within the usual [`Limits`].
pub fn read(text: &str) -> Result<Vec<Dict>, Error> {
    let mut reader = Reader::new(text, Limits::DEFAULT)?;
    let mut dicts = Vec::new();
    while let Some(dict) = reader.next_dict()? {
        dicts.push(dict);
    }
    Ok(dicts)
}

/// Reads one value as it stands behind the name of a tag, on one line: what Zinc has, or else a
/// string.
///
/// ```
/// use kvist_haystack::trio;
/// assert_eq!(trio::read_line("740m²")?.to_string(), "740m²");
/// assert_eq!(trio::read_line("Main Street")?.as_str(), Some("Main Street"));
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub fn read_line(line: &str) -> Result<Value, Error> {
    read::scalar(crate::scan::Cursor::new(line), line)
}

/// The text of dicts.
pub fn to_text<'a>(dicts: impl IntoIterator<Item = &'a Dict>) -> String {
    let mut out = Vec::new();
    for dict in dicts {
        if !out.is_empty() {
            out.extend_from_slice(b"---\n");
        }
        append_dict(&mut out, dict);
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
#[path = "trio_tests.rs"]
mod tests;
