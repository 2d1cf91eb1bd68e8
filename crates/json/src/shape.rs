//! A shape: the ordered names of an object, shared by all objects that have them.
//!
//! An object of a shape is its values alone, so that names cost nothing per document. Names are
//! kept as they are written, with quotes and colon, so that writing a member is copying it.
//!
//! ```text
//!   wire   "id":"name":"a\nb":a⏎b          names that need escaping follow once more, as they are
//!   keys   {hash, where in wire, where the name is}, in order
//!   index  one byte per slot, linear probing: position + 1; only above 8 names
//! ```

use table::size_class;

use crate::escape::write_string;
use crate::hash::hash;

/// An object with more names than this has them to itself.
pub(crate) const SHAPE_NAMES: usize = 128;
/// Up to this many names are compared one by one.
const FEW: usize = 8;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Shape {
    /// The hash of the list of names.
    pub list_hash: u64,
    wire: Box<str>,
    keys: Box<[Key]>,
    index: Box<[u8]>,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    hash: u32,
    wire: u32,
    wire_len: u32,
    name: u32,
    name_len: u32,
}

impl Shape {
    /// A shape of these names, which must be distinct and at most [`SHAPE_NAMES`].
    pub fn new<'a>(list_hash: u64, names: impl ExactSizeIterator<Item = &'a str>) -> Shape {
        let mut wire = Vec::new();
        let mut keys = Vec::with_capacity(names.len());
        let mut escaped = Vec::new();
        for name in names {
            let at = wire.len();
            let clean = write_string(name.as_bytes(), &mut wire);
            wire.push(b':');
            if !clean {
                escaped.push((keys.len(), name));
            }
            keys.push(Key {
                hash: hash(name.as_bytes()) as u32,
                wire: at as u32,
                wire_len: (wire.len() - at) as u32,
                name: at as u32 + 1,
                name_len: name.len() as u32,
            });
        }
        for (number, name) in escaped {
            keys[number].name = wire.len() as u32;
            wire.extend_from_slice(name.as_bytes());
        }
        let wire = String::from_utf8(wire).unwrap_or_default().into_boxed_str();
        Shape { list_hash, wire, index: index_of(&keys), keys: keys.into_boxed_slice() }
    }

    /// How many names there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// A name; empty if there is none at `position`.
    #[inline]
    pub fn name(&self, position: usize) -> &str {
        let Some(key) = self.keys.get(position) else { return "" };
        let at = key.name as usize;
        self.wire.get(at..at + key.name_len as usize).unwrap_or_default()
    }

    /// A name in quotes, escaped, with a colon; empty if there is none at `position`.
    #[inline]
    pub fn wire(&self, position: usize) -> &[u8] {
        let Some(key) = self.keys.get(position) else { return b"" };
        let at = key.wire as usize;
        &self.wire.as_bytes()[at..at + key.wire_len as usize]
    }

    #[inline]
    fn is(&self, key: &Key, name: &[u8]) -> bool {
        let at = key.name as usize;
        key.name_len as usize == name.len() && &self.wire.as_bytes()[at..at + name.len()] == name
    }

    /// The position of a name. O(1).
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        if self.index.is_empty() {
            return self.keys.iter().position(|key| self.is(key, name));
        }
        let hash = hash(name) as u32;
        let mask = self.index.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let position = usize::from(self.index[slot].checked_sub(1)?);
            let key = &self.keys[position];
            if key.hash == hash && self.is(key, name) {
                return Some(position);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Bytes allocated, but for the shape itself.
    pub fn memory(&self) -> usize {
        size_class(self.wire.len())
            + size_class(size_of_val::<[Key]>(&self.keys))
            + size_class(self.index.len())
    }
}

fn index_of(keys: &[Key]) -> Box<[u8]> {
    if keys.len() <= FEW {
        return Box::default();
    }
    let mut index = vec![0_u8; (keys.len() * 2).next_power_of_two()];
    let mask = index.len() - 1;
    for (position, key) in keys.iter().enumerate() {
        let mut slot = key.hash as usize & mask;
        while index[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        index[slot] = position as u8 + 1;
    }
    index.into_boxed_slice()
}
