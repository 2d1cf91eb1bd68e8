//! A dictionary: names and their numbers, in order of first use. No name ever goes or changes its
//! number.

use blocks::Block;

use super::vec_bytes;

/// How many names there may be.
const MOST: usize = 1 << 16;

/// Names with dense numbers.
#[derive(Clone, Default)]
pub(crate) struct Names {
    names: Vec<Box<str>>,
    /// The numbers, in order of the names.
    sorted: Vec<u16>,
    heap: usize,
    hash: NamesHash,
}

/// A hash of names in their order (FNV-1a), which each name goes on with.
#[derive(Clone, Copy)]
struct NamesHash(u32);

impl Default for NamesHash {
    fn default() -> Self {
        NamesHash(0x811c_9dc5)
    }
}

impl NamesHash {
    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
}

/// One hash of those of several dictionaries. O(1).
pub(crate) fn hash_of_all<const N: usize>(dictionaries: [&Names; N]) -> u32 {
    let mut hash = NamesHash::default();
    for names in dictionaries {
        hash.add(names.hash.0.to_le_bytes());
    }
    hash.0
}

impl Names {
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name with this number.
    pub fn name(&self, number: u16) -> Option<&str> {
        self.names.get(usize::from(number)).map(AsRef::as_ref)
    }

    /// The number of a name.
    pub fn number(&self, name: &str) -> Option<u16> {
        self.search(name).ok().map(|at| self.sorted[at])
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// The number of a name, a new one if it has none. `None`: there are too many names.
    pub fn add(&mut self, name: &str) -> Option<u16> {
        let at = match self.search(name) {
            Ok(at) => return Some(self.sorted[at]),
            Err(at) => at,
        };
        let number = u16::try_from(self.names.len()).ok()?;
        self.names.push(name.into());
        self.sorted.insert(at, number);
        self.heap += table::size_class(name.len());
        // No name has this byte: it is none of UTF-8.
        self.hash.add(name.bytes().chain([0xff]));
        Some(number)
    }

    /// Whether no further name can be added.
    pub fn is_full(&self) -> bool {
        self.names.len() >= MOST
    }

    fn search(&self, name: &str) -> Result<usize, usize> {
        self.sorted.binary_search_by(|&number| self.names[usize::from(number)].as_ref().cmp(name))
    }
}

impl Block for Names {
    fn memory(&self) -> usize {
        self.heap + vec_bytes(&self.names) + vec_bytes(&self.sorted)
    }
}
