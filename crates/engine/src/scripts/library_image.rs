//! Libraries of functions as records and snapshots keep them.
//!
//! ```text
//!   | count | names that are gone ... | count | libraries that are there now ... |
//!
//!   library:   | code | count | functions ... |
//!   function:  | name | flags | 0, or 1 and a description |
//! ```
//!
//! What a library registered is kept beside its code, so that nothing runs when it is read back:
//! neither the time that takes nor what it depends on can keep a server from starting. A snapshot
//! holds the change from none to all. A change that is applied twice, or to what has seen younger
//! ones, and is followed by those again, leads to the same.

use std::sync::Arc;

use journal::codec::{Malformed, Source, put_bytes, put_number};
use script::{Function, FunctionFlags, Libraries, Library};

/// What became of the libraries.
pub(crate) struct Change {
    gone: Vec<Vec<u8>>,
    there: Vec<Library>,
}

/// What leads from some libraries to others; `None` if that is nothing.
pub(super) fn change(before: &Libraries, after: &Libraries) -> Option<Vec<u8>> {
    let gone: Vec<&[u8]> = before
        .iter()
        .map(|library| library.name().as_bytes())
        .filter(|name| after.library(name).is_none())
        .collect();
    let is_new = |library: &&Arc<Library>| {
        let known = before.library(library.name().as_bytes());
        known.is_none_or(|known| !Arc::ptr_eq(known, library))
    };
    let there: Vec<&Arc<Library>> = after.iter().filter(is_new).collect();
    if gone.is_empty() && there.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    put(&mut out, &gone, &there);
    Some(out)
}

/// Appends what leads from none to all of them.
pub(crate) fn put_all(out: &mut Vec<u8>, libraries: &Libraries) {
    put(out, &[], &libraries.iter().collect::<Vec<_>>());
}

fn put(out: &mut Vec<u8>, gone: &[&[u8]], there: &[&Arc<Library>]) {
    put_number(out, gone.len() as u64);
    gone.iter().for_each(|name| put_bytes(out, name));
    put_number(out, there.len() as u64);
    for library in there {
        put_bytes(out, library.code());
        put_number(out, library.functions().len() as u64);
        for function in library.functions() {
            put_bytes(out, function.name.as_bytes());
            out.push(function.flags.bits());
            out.push(u8::from(function.description.is_some()));
            if let Some(description) = &function.description {
                put_bytes(out, description);
            }
        }
    }
}

/// Reads what was written.
///
/// # Errors
/// It is something else.
pub(crate) fn read(body: &[u8]) -> Result<Change, Malformed> {
    let mut source = Source::new(body);
    let (mut gone, mut there) = (Vec::new(), Vec::new());
    for _ in 0..source.length()? {
        gone.push(source.bytes()?.to_vec());
    }
    for _ in 0..source.length()? {
        there.push(library(&mut source)?);
    }
    if source.is_done() {
        Ok(Change { gone, there })
    } else {
        Err(Malformed("something behind the libraries"))
    }
}

fn library(source: &mut Source<'_>) -> Result<Library, Malformed> {
    const NONE: Malformed = Malformed("a library that cannot be");
    let code = source.bytes()?;
    let mut functions = Vec::new();
    for _ in 0..source.length()? {
        let name = String::from_utf8(source.bytes()?.to_vec()).map_err(|_| NONE)?;
        let flags = FunctionFlags::from_bits(source.byte()?).ok_or(NONE)?;
        let description = match source.byte()? {
            0 => None,
            1 => Some(source.bytes()?.to_vec()),
            _ => return Err(NONE),
        };
        functions.push(Function { name, description, flags });
    }
    Library::known(code, functions).map_err(|_| NONE)
}

impl Change {
    /// Makes it.
    ///
    /// # Errors
    /// A function is in a library already that stays: this is no change of these libraries.
    pub fn apply(self, libraries: &mut Libraries) -> Result<(), Malformed> {
        let replaced = self.there.iter().map(|library| library.name().as_bytes());
        for name in self.gone.iter().map(Vec::as_slice).chain(replaced) {
            libraries.remove(name);
        }
        for library in self.there {
            let added = libraries.add(Arc::new(library), false);
            added.map_err(|_| Malformed("a function that is in two libraries"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "library_image_tests.rs"]
mod tests;
