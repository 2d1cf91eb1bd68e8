//! Tags with their values, in the order in which they came.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

use super::Value;
use crate::{Error, Name, Tag};

/// More tags than this have an index.
const SMALL: usize = 16;

/// Tags with their values. They keep the order in which they came, which does not count for
/// equality. No value is null. To find a tag takes O(1).
#[derive(Clone, Default)]
pub struct Dict {
    entries: Vec<(Tag, Value)>,
    /// The place of each tag, if they are many.
    index: Option<Box<Index>>,
}

#[derive(Clone)]
struct Index(HashMap<Tag, usize, foldhash::fast::RandomState>);

impl Dict {
    /// A dict without tags.
    pub fn new() -> Dict {
        Dict::default()
    }

    /// How many tags there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, tag: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.0.get(tag).copied(),
            None => self.entries.iter().position(|(name, _)| name.as_str() == tag),
        }
    }

    /// The value of a tag.
    pub fn get(&self, tag: &str) -> Option<&Value> {
        self.entries.get(self.place(tag)?).map(|(_, value)| value)
    }

    /// Whether a tag is there.
    pub fn has(&self, tag: &str) -> bool {
        self.place(tag).is_some()
    }

    /// Sets a tag, in its place or behind all others; null removes it.
    pub fn set(&mut self, tag: Tag, value: impl Into<Value>) {
        let value = value.into();
        if value.is_null() {
            self.remove(&tag);
            return;
        }
        match self.place(&tag).and_then(|place| self.entries.get_mut(place)) {
            Some(entry) => entry.1 = value,
            None => self.append(tag, value),
        }
    }

    /// Sets a tag by its name; an error if no tag may be called so.
    ///
    /// ```
    /// use kvist_haystack::{Dict, Value};
    /// let mut dict = Dict::new();
    /// dict.put("site", Value::MARKER)?;
    /// dict.put("dis", "Main Street")?;
    /// assert!(dict.has("site") && dict.put("No tag", 1.0).is_err());
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn put(&mut self, tag: &str, value: impl Into<Value>) -> Result<(), Error> {
        self.set(Tag::new(tag)?, value);
        Ok(())
    }

    /// Appends a tag that is not there.
    fn append(&mut self, tag: Tag, value: Value) {
        if let Some(index) = &mut self.index {
            index.0.insert(tag.clone(), self.entries.len());
        }
        self.entries.push((tag, value));
        if self.index.is_none() && self.entries.len() > SMALL {
            self.make_index();
        }
    }

    fn make_index(&mut self) {
        let places = self.entries.iter().enumerate();
        let index = places.map(|(place, (tag, _))| (tag.clone(), place)).collect();
        self.index = Some(Box::new(Index(index)));
    }

    /// Removes a tag. Takes O(n), as the others keep their order; see [`Dict::retain`] for many.
    pub fn remove(&mut self, tag: &str) -> Option<Value> {
        let (_, value) = self.entries.remove(self.place(tag)?);
        if self.index.is_some() {
            self.make_index();
        }
        Some(value)
    }

    /// Keeps the tags of which this says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&Tag, &Value) -> bool) {
        self.entries.retain(|(tag, value)| keep(tag, value));
        self.index = None;
        if self.entries.len() > SMALL {
            self.make_index();
        }
    }

    /// The tags with their values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Tag, &Value)> {
        self.entries.iter().map(|(tag, value)| (tag, value))
    }

    /// The id, if the tag `id` is a ref.
    pub fn id(&self) -> Option<&Name> {
        self.get("id")?.as_id()
    }

    /// The entries in the order of their tags.
    pub(super) fn sorted(&self) -> Vec<&(Tag, Value)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        entries
    }

    /// The bytes that it has, see [`Value::memory`].
    pub fn memory(&self) -> usize {
        const ENTRY: usize = size_of::<(Tag, Value)>();
        let index = self.index.as_ref().map_or(0, |index| 48 + index.0.capacity() * 17);
        let values: usize = self.entries.iter().map(|(_, value)| value.memory()).sum();
        size_of::<Dict>() + self.entries.capacity() * ENTRY + index + values
    }
}

impl FromIterator<(Tag, Value)> for Dict {
    fn from_iter<I: IntoIterator<Item = (Tag, Value)>>(entries: I) -> Dict {
        let mut dict = Dict::new();
        for (tag, value) in entries {
            dict.set(tag, value);
        }
        dict
    }
}

impl PartialEq for Dict {
    fn eq(&self, other: &Dict) -> bool {
        self.len() == other.len() && self.iter().all(|(tag, value)| other.get(tag) == Some(value))
    }
}

impl Eq for Dict {}

impl Hash for Dict {
    /// In any order of the tags.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hasher = foldhash::fast::FixedState::default();
        let each = self.entries.iter().map(|entry| hasher.hash_one(entry));
        each.fold(0_u64, u64::wrapping_add).hash(state);
    }
}

/// As in Zinc.
impl std::fmt::Debug for Dict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::zinc::to_text(&super::Cell::Dict(self)))
    }
}
