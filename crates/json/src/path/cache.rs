//! The compiled paths a worker has used lately.
//!
//! A look-up is one hash of the text and one comparison, or the comparison alone if the path is the
//! one used last, as in a batch of like requests. The cache is bounded in number and in
//! bytes, so that a flood of paths that never repeat costs their compilation and nothing else; the
//! one used longest ago goes first. It belongs to one thread; the paths it hands out may go
//! anywhere.
//!
//! ```text
//!   index:  hash of the text ──► slot
//!   slots:  [path, newer, older] …      a list through the slots, from the newest to the oldest
//! ```

use std::sync::Arc;

use base::HashSecret;
use hashbrown::HashTable;

use super::{Path, PathError};

/// No slot.
const NONE: u32 = u32::MAX;

/// A text, and what came of compiling it.
type Ready = (Box<[u8]>, Result<Arc<Path>, PathError>);

struct Slot {
    path: Arc<Path>,
    hash: u64,
    bytes: usize,
    newer: u32,
    older: u32,
}

/// Whether a text may be a path with a regular expression in it: the one thing that takes longer
/// to compile than to read. Each stands behind `=~` or in the parentheses of a function.
#[inline]
pub fn may_hold_patterns(text: &[u8]) -> bool {
    text.len() <= super::MAX_LENGTH && text.iter().any(|byte| matches!(byte, b'~' | b'('))
}

/// Compiled paths by their text; the least recently used ones are forgotten.
///
/// ```
/// use kvist_json::path::PathCache;
///
/// let mut cache = PathCache::new(512, 1 << 20, 0x5eed);
/// let path = cache.get(b"$.a.b")?;
/// assert!(std::sync::Arc::ptr_eq(&path, &cache.get(b"$.a.b")?));
/// # Ok::<(), kvist_json::path::PathError>(())
/// ```
pub struct PathCache {
    max_paths: usize,
    max_bytes: usize,
    secret: HashSecret,
    index: HashTable<u32>,
    slots: Vec<Slot>,
    newest: u32,
    oldest: u32,
    bytes: usize,
    /// What came of the last text that was made ready and is not remembered.
    ready: Option<Ready>,
}

impl PathCache {
    /// An empty cache of at most so many paths and bytes; `seed` is random, against chosen texts
    /// that collide.
    pub fn new(max_paths: usize, max_bytes: usize, seed: u64) -> PathCache {
        PathCache {
            max_paths: max_paths.clamp(1, NONE as usize - 1),
            max_bytes,
            secret: HashSecret::new(seed),
            index: HashTable::new(),
            slots: Vec::new(),
            newest: NONE,
            oldest: NONE,
            bytes: 0,
            ready: None,
        }
    }

    /// Compiles a text that will be asked for soon: for those who are about to take locks. What is
    /// wrong with it is said when it is asked for.
    pub fn make_ready(&mut self, text: &[u8]) {
        self.ready = None;
        if let Err(hash) = self.slot(text) {
            let compiled = self.compile(text, hash);
            let newest = self.slots.get(self.newest as usize);
            if newest.is_none_or(|slot| slot.hash != hash) {
                self.ready = Some((text.into(), compiled));
            }
        }
    }

    /// How many paths it holds.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The bytes of the paths it holds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The path of a text, compiled now if it was not yet. O(length); a text that does not compile
    /// is not remembered.
    ///
    /// # Errors
    ///
    /// Those of [`Path::compile`], and [`PathError::Encoding`].
    #[inline]
    pub fn get(&mut self, text: &[u8]) -> Result<Arc<Path>, PathError> {
        match self.slot(text) {
            Ok(at) => Ok(Arc::clone(&self.slots[at as usize].path)),
            Err(hash) => match self.ready.take() {
                Some((ready, compiled)) if *ready == *text => compiled,
                _ => self.compile(text, hash),
            },
        }
    }

    /// The path of a text, if it is here. For those who need it for a moment: an [`Arc`] costs more
    /// than following a short path.
    #[inline]
    pub fn cached(&mut self, text: &[u8]) -> Option<&Path> {
        let at = self.slot(text).ok()?;
        Some(&self.slots[at as usize].path)
    }

    /// Where a text is, which is then the newest; else its hash.
    #[inline]
    fn slot(&mut self, text: &[u8]) -> Result<u32, u64> {
        let is_newest = |slot: &Slot| slot.path.text().as_bytes() == text;
        if self.slots.get(self.newest as usize).is_some_and(is_newest) {
            return Ok(self.newest);
        }
        let hash = self.secret.fast_hash(text);
        let slots = &self.slots;
        let same = |at: &u32| {
            let slot = slots.get(*at as usize);
            slot.is_some_and(|slot| slot.path.text().as_bytes() == text)
        };
        let Some(&at) = self.index.find(hash, same) else { return Err(hash) };
        self.unlink(at);
        self.link(at);
        Ok(at)
    }

    #[cold]
    fn compile(&mut self, text: &[u8], hash: u64) -> Result<Arc<Path>, PathError> {
        let text = std::str::from_utf8(text).map_err(|_| PathError::Encoding)?;
        let path = Arc::new(Path::compile(text)?);
        let bytes = path.memory() + size_of::<Slot>();
        // One path alone must not push out most others.
        if bytes > self.max_bytes / 8 {
            return Ok(path);
        }
        while !self.slots.is_empty()
            && (self.slots.len() >= self.max_paths || self.bytes + bytes > self.max_bytes)
        {
            self.forget_oldest();
        }
        let at = u32::try_from(self.slots.len()).unwrap_or(NONE);
        let slot = Slot { path: Arc::clone(&path), hash, bytes, newer: NONE, older: NONE };
        self.slots.push(slot);
        self.bytes += bytes;
        self.link(at);
        let slots = &self.slots;
        let rehash = |at: &u32| slots.get(*at as usize).map_or(0, |slot| slot.hash);
        self.index.insert_unique(hash, at, rehash);
        Ok(path)
    }

    /// Takes a slot out of the list.
    fn unlink(&mut self, at: u32) {
        let Slot { newer, older, .. } = self.slots[at as usize];
        match self.slots.get_mut(newer as usize) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        match self.slots.get_mut(older as usize) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }

    /// Puts a slot at the new end of the list.
    fn link(&mut self, at: u32) {
        let older = self.newest;
        match self.slots.get_mut(older as usize) {
            Some(slot) => slot.newer = at,
            None => self.oldest = at,
        }
        self.newest = at;
        let slot = &mut self.slots[at as usize];
        slot.older = older;
        slot.newer = NONE;
    }

    /// Forgets a path; the last slot moves into its place.
    fn forget_oldest(&mut self) {
        let at = self.oldest;
        self.unlink(at);
        let gone = self.slots.swap_remove(at as usize);
        self.bytes -= gone.bytes;
        if let Ok(entry) = self.index.find_entry(gone.hash, |found| *found == at) {
            entry.remove();
        }
        let Some(moved) = self.slots.get(at as usize) else { return };
        let was = u32::try_from(self.slots.len()).unwrap_or(NONE);
        let Slot { hash, newer, older, .. } = *moved;
        if let Some(place) = self.index.find_mut(hash, |found| *found == was) {
            *place = at;
        }
        match self.slots.get_mut(newer as usize) {
            Some(slot) => slot.older = at,
            None => self.newest = at,
        }
        match self.slots.get_mut(older as usize) {
            Some(slot) => slot.newer = at,
            None => self.oldest = at,
        }
    }
}
