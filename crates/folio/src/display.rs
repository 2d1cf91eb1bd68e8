//! What records are called.
//!
//! A name is what the tags say at the moment it is asked for: nothing is kept, so a change of a
//! record shows at once in the names of all that are made of its name, however many those are.

use std::borrow::Cow;

use haystack::{Cell, display};

use crate::Slot;
use crate::limits::{LONGEST_DISPLAY, MOST_NAMES_LOOKED_AT, MOST_PARTS_OF_NAME};
use crate::view::{DIS, DIS_MACRO, View};

/// A name while it is made: the records whose names it is made of, from the first down to this one,
/// and how many more may be looked at, and how many tags.
struct Making {
    path: Vec<Slot>,
    names: usize,
    parts: usize,
}

impl Making {
    fn new() -> Making {
        Making { path: Vec::new(), names: MOST_NAMES_LOOKED_AT, parts: MOST_PARTS_OF_NAME }
    }
}

/// Takes one of what is left, if any is.
fn take(left: &mut usize) -> bool {
    let is_left = *left > 0;
    *left = left.saturating_sub(1);
    is_left
}

impl View {
    /// What a record is called: by its `disMacro`, else `dis`, `disKey`, `name`, `def`, `tag`, or
    /// its id. A macro's refs show the names of the records they lead to; where that leads back to
    /// a record whose name is being made, its id.
    ///
    /// Borrowed unless it has to be put together. A name looks at
    /// [`MOST_NAMES_LOOKED_AT`] others and at [`MOST_PARTS_OF_NAME`] tags at most, and is cut at
    /// [`LONGEST_DISPLAY`] bytes: however long what it is made of is, it takes no more time.
    #[must_use]
    pub fn display(&self, slot: Slot) -> Cow<'_, str> {
        self.name(slot, &mut Making::new())
    }

    /// Whether a record is called by what its tag `dis` is, as it is.
    pub(crate) fn has_plain_name(&self, slot: Slot) -> bool {
        let is_plain =
            matches!(self.cell_of(slot, DIS), Cell::Str(name) if name.len() <= LONGEST_DISPLAY);
        is_plain && self.cell_of(slot, DIS_MACRO).is_null()
    }

    fn name(&self, slot: Slot, making: &mut Making) -> Cow<'_, str> {
        if let Cell::Str(text) = self.cell_of(slot, DIS_MACRO) {
            making.path.push(slot);
            let text = display::of_macro(text, LONGEST_DISPLAY, |tag| self.part(slot, tag, making));
            making.path.pop();
            return cut(Cow::Owned(text));
        }
        let dis = self.cell_of(slot, DIS);
        if !dis.is_null() {
            return cut(text_of(dis));
        }
        let tags = ["disKey", "name", "def", "tag"];
        let first = tags.iter().map(|tag| (*tag, self.value(slot, tag)));
        match first.into_iter().find(|(_, cell)| !cell.is_null()) {
            Some(("disKey", cell)) => cut(last_part(text_of(cell))),
            Some((_, cell)) => cut(text_of(cell)),
            None => Cow::Borrowed(self.id_of(slot)),
        }
    }

    /// What a tag is in a macro.
    fn part(&self, slot: Slot, tag: &str, making: &mut Making) -> Option<String> {
        if !take(&mut making.parts) {
            return None;
        }
        let cell = self.value(slot, tag);
        let Cell::Ref(id, _) = cell else {
            return (!cell.is_null()).then(|| cut(text_of(cell)).into_owned());
        };
        // A record's own id would be its own name.
        let target = self.slot_of(id).filter(|target| !making.path.contains(target));
        let target = target.filter(|_| take(&mut making.names));
        Some(target.map_or_else(
            || cut(Cow::Borrowed(id)).into_owned(),
            |target| self.name(target, making).into_owned(),
        ))
    }
}

fn text_of(cell: Cell<'_>) -> Cow<'_, str> {
    match cell {
        Cell::Str(text) | Cell::Uri(text) => Cow::Borrowed(text),
        cell => Cow::Owned(display::beginning_of_cell(&cell, LONGEST_DISPLAY)),
    }
}

/// What stands behind the `::` of a key for translations.
fn last_part(key: Cow<'_, str>) -> Cow<'_, str> {
    match key.rfind("::") {
        Some(at) => Cow::Owned(key.get(at + 2..).unwrap_or_default().to_owned()),
        None => key,
    }
}

/// The beginning of a name that is too long.
fn cut(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.len() <= LONGEST_DISPLAY {
        return name;
    }
    let end = (0..=LONGEST_DISPLAY).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    Cow::Owned(name.get(..end).unwrap_or_default().to_owned())
}
