//! Records by their ids.

use ::folio::{Layer, Slot, View};
use base::{Args, CmdError, Reply, error};
use haystack::{Dict, Value};

use super::format::Format;
use super::{reply, told};

/// How records are read by id.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub format: Option<Format>,
    /// What is not there is null, and no error.
    pub unchecked: bool,
    /// Those in the trash, too.
    trash: bool,
    pub layer: Layer,
}

impl Options {
    /// All that is left. `of_layers`: some tags of a record may be asked for.
    ///
    /// # Errors
    /// An option that is none.
    pub fn parse(args: &mut Args<'_>, of_layers: bool) -> Result<Self, CmdError> {
        let mut options =
            Options { format: None, unchecked: false, trash: false, layer: Layer::Merged };
        while args.left() > 0 {
            if args.token("UNCHECKED") {
                options.unchecked = true;
            } else if args.token("TRASH") {
                options.trash = true;
            } else if of_layers && args.token("PERSISTENT") {
                options.layer = Layer::Persistent;
            } else if of_layers && args.token("TRANSIENT") {
                options.layer = Layer::Transient;
            } else if let Some(format) = Format::take(args)? {
                options.format = Some(format);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(options)
    }

    /// The record with an id.
    ///
    /// # Errors
    /// `UnknownRecErr`: there is none.
    pub fn find(self, view: &View, id: &str) -> Result<Option<Slot>, CmdError> {
        let found = view.find_any(id).filter(|_| self.trash);
        match found.map_or_else(|| view.read_by_id(id), Ok) {
            Ok(slot) => Ok(Some(slot)),
            Err(_) if self.unchecked => Ok(None),
            Err(error) => Err(told(&error)),
        }
    }
}

/// A record's dict, in the order of a grid's columns, its id with its display name.
pub(super) fn dict(view: &View, slot: Slot, layer: Layer) -> Dict {
    let (sorted, mut dict) = (view.dict(slot, layer), Dict::new());
    let is_first = |tag: &str| ["id", "def", "name"].contains(&tag);
    let first = ["id", "def", "name"].into_iter();
    let first = first.filter_map(|name| sorted.iter().find(|(tag, _)| tag.as_str() == name));
    let rest = sorted.iter().filter(|(tag, _)| !is_first(tag) && tag.as_str() != "mod");
    let last = sorted.iter().filter(|(tag, _)| tag.as_str() == "mod");
    for (tag, value) in first.chain(rest).chain(last) {
        let named = (tag.as_str() == "id")
            .then(|| Value::id_dis(view.id_of(slot), &view.display(slot)).ok());
        dict.set(tag.clone(), named.flatten().unwrap_or_else(|| value.clone()));
    }
    dict
}

/// Writes a record.
pub(super) fn write(
    view: &View,
    slot: Slot,
    layer: Layer,
    format: Option<Format>,
    out: &mut dyn Reply,
) {
    reply::record(&dict(view, slot, layer), format, out);
}
