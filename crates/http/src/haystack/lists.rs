//! What the server knows: operations and formats.

use haystack::{Col, Dict, Grid, GridBuilder, Tag, Value};

use super::Format;
use super::ops::OPS;

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Operations.
    Ops,
    /// Formats, as Haystack 4 has them.
    Filetypes,
    /// Formats, as Haystack 3 had them.
    Formats,
}

/// The list.
pub fn grid(what: What) -> Grid {
    let names: &[&str] = match what {
        What::Ops => &["def", "name", "summary", "noSideEffects"],
        What::Filetypes => &["def", "dis", "mime", "fileExt", "receive", "send"],
        What::Formats => &["mime", "receive", "send"],
    };
    let cols = names.iter().filter_map(|name| Tag::new(name).ok()).map(Col::new).collect();
    // There are names, and they are all different.
    let Ok(mut grid) = GridBuilder::new(Dict::new(), cols) else { return Grid::empty(Dict::new()) };
    match what {
        What::Ops => OPS.iter().for_each(|op| {
            let marker = if op.changes_nothing { Value::MARKER } else { Value::NULL };
            let def = symbol(&format!("op:{}", op.name));
            grid.push([def, op.name.into(), op.about.into(), marker]);
        }),
        What::Filetypes => Format::ALL.iter().for_each(|format| {
            let name = format.name();
            let def = symbol(&format!("filetype:{name}"));
            let (mime, marker) = (Value::str(format.mime()), Value::MARKER);
            grid.push([def, name.into(), mime, name.into(), marker.clone(), marker]);
        }),
        What::Formats => Format::ALL.iter().for_each(|format| {
            grid.push([Value::str(format.mime()), Value::MARKER, Value::MARKER]);
        }),
    }
    grid.finish()
}

fn symbol(name: &str) -> Value {
    Value::symbol(name).unwrap_or_default()
}
