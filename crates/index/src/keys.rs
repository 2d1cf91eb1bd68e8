//! A list of byte strings in one piece of memory.

/// Byte strings, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl KeyList {
    /// How many there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all of them together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Adds one at the end.
    #[inline]
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    /// Adds one that comes in two parts.
    #[inline]
    pub(crate) fn push_parts(&mut self, first: &[u8], second: &[u8]) {
        self.bytes.extend_from_slice(first);
        self.push(second);
    }

    /// The one at `at`; empty if there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> &[u8] {
        let Some(&end) = self.ends.get(at) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The last one.
    #[must_use]
    pub fn last(&self) -> Option<&[u8]> {
        self.len().checked_sub(1).map(|at| self.get(at))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Removes all but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

impl<'k> FromIterator<&'k [u8]> for KeyList {
    fn from_iter<I: IntoIterator<Item = &'k [u8]>>(keys: I) -> Self {
        let mut list = KeyList::default();
        keys.into_iter().for_each(|key| list.push(key));
        list
    }
}
