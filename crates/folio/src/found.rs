//! Records that were found, with the moment at which they were: rows that may be kept.

use std::sync::OnceLock;

use base::Version;
use haystack::value::Rows;
use haystack::{Cell, Col, Dict};

use crate::answer::Shape;
use crate::project::FrozenProject;
use crate::view::ID;
use crate::{Slot, View};

/// Records that were found, as they were then: what an [`Answer`](crate::Answer) is, but that it
/// holds the version of the project that it reads. Made in O(1); which columns there are is found
/// out when it is asked for.
pub struct Found {
    version: Version<FrozenProject>,
    slots: Vec<Slot>,
    meta: Dict,
    shape: OnceLock<Shape>,
}

impl Found {
    /// Some records of a version.
    #[must_use]
    pub fn new(version: Version<FrozenProject>, slots: Vec<Slot>) -> Found {
        Found { version, slots, meta: Dict::new(), shape: OnceLock::new() }
    }

    fn view(&self) -> &View {
        &self.version
    }

    fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| Shape::new(self.view(), &self.slots))
    }
}

impl Rows for Found {
    fn meta(&self) -> &Dict {
        &self.meta
    }

    fn cols(&self) -> &[Col] {
        &self.shape().cols
    }

    fn row_count(&self) -> usize {
        self.slots.len()
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let (view, shape) = (self.view(), self.shape());
        let (Some(&slot), Some(&number)) = (self.slots.get(row), shape.numbers.get(col)) else {
            return Cell::Null;
        };
        match view.cell_of(slot, number) {
            Cell::Ref(id, _) if number == ID => Cell::Ref(id, Some(shape.name_of(view, row, slot))),
            cell => cell,
        }
    }
}
