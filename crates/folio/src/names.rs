//! The tags of a project, by dense numbers.

use blocks::Block;
use haystack::Tag;
use table::size_class;

use crate::limits;

#[derive(Clone, Default)]
pub struct Names {
    tags: Vec<Tag>,
    /// Their numbers in the order of their texts.
    sorted: Vec<u16>,
    /// Bytes of their texts.
    texts: usize,
}

impl Names {
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    pub fn tag(&self, number: u16) -> Option<&Tag> {
        self.tags.get(usize::from(number))
    }

    /// The number of a tag. O(log n).
    pub fn number(&self, tag: &str) -> Option<u16> {
        self.search(tag).ok().map(|at| self.sorted[at])
    }

    /// The number of a tag, a new one if need be; `None` if there are too many.
    pub fn add(&mut self, tag: &Tag) -> Option<u16> {
        let at = match self.search(tag) {
            Ok(at) => return Some(self.sorted[at]),
            Err(at) => at,
        };
        let number = u16::try_from(self.tags.len()).ok();
        let number = number.filter(|number| usize::from(*number) < limits::MOST_TAGS)?;
        self.texts += tag.name().memory();
        self.tags.push(tag.clone());
        self.sorted.insert(at, number);
        Some(number)
    }

    /// Gives the number of a tag to another that has none.
    pub fn rename(&mut self, number: u16, tag: &Tag) {
        self.sorted.retain(|other| *other != number);
        if let Err(at) = self.search(tag)
            && let Some(own) = self.tags.get_mut(usize::from(number))
        {
            self.texts = self.texts + tag.name().memory() - own.name().memory();
            *own = tag.clone();
            self.sorted.insert(at, number);
        }
    }

    /// All numbers in the order of the texts.
    pub fn in_order(&self) -> &[u16] {
        &self.sorted
    }

    fn search(&self, tag: &str) -> Result<usize, usize> {
        self.sorted.binary_search_by(|&number| self.tags[usize::from(number)].as_str().cmp(tag))
    }
}

impl Block for Names {
    fn memory(&self) -> usize {
        let tags = size_class(self.tags.capacity() * size_of::<Tag>());
        tags + self.texts + size_class(self.sorted.capacity() * size_of::<u16>())
    }
}
