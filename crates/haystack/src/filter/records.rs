//! How filters see records, and dicts as records.

use std::collections::HashMap;

use crate::{Cell, Dict, Name, Tag};

/// Records as a filter sees them: their tags, and where refs lead.
pub trait Records {
    /// What names a record for as long as the records are looked at: a place, a reference.
    type Record: Clone;

    /// The value of a tag, or [`Cell::Null`].
    fn tag<'a>(&'a self, record: &Self::Record, tag: &Tag) -> Cell<'a>;

    /// The record of an id, in the trash or not.
    fn find(&self, id: &str) -> Option<Self::Record>;
}

/// Dicts as records. To find one by its id looks at all of them: see [`Dicts`] for many.
impl<'d> Records for &'d [Dict] {
    type Record = &'d Dict;

    fn tag<'a>(&'a self, record: &&'d Dict, tag: &Tag) -> Cell<'a> {
        record.get(tag).map_or(Cell::Null, |value| value.cell())
    }

    fn find(&self, id: &str) -> Option<&'d Dict> {
        self.iter().find(|dict| dict.id().is_some_and(|own| own.as_str() == id))
    }
}

/// Dicts as records, with an index of their ids.
pub struct Dicts<'d> {
    by_id: HashMap<Name, &'d Dict, foldhash::fast::RandomState>,
}

impl<'d> Dicts<'d> {
    /// Makes the index. Of several dicts with one id, the last counts.
    pub fn new(dicts: impl IntoIterator<Item = &'d Dict>) -> Dicts<'d> {
        let with_ids = dicts.into_iter().filter_map(|dict| Some((dict.id()?.clone(), dict)));
        Dicts { by_id: with_ids.collect() }
    }
}

impl<'d> Records for Dicts<'d> {
    type Record = &'d Dict;

    fn tag<'a>(&'a self, record: &&'d Dict, tag: &Tag) -> Cell<'a> {
        record.get(tag).map_or(Cell::Null, |value| value.cell())
    }

    fn find(&self, id: &str) -> Option<&'d Dict> {
        self.by_id.get(id).copied()
    }
}

impl<R: Records> Records for &R {
    type Record = R::Record;

    fn tag<'a>(&'a self, record: &R::Record, tag: &Tag) -> Cell<'a> {
        (**self).tag(record, tag)
    }

    fn find(&self, id: &str) -> Option<R::Record> {
        (**self).find(id)
    }
}
