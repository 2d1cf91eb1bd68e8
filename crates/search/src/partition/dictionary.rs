//! Terms and their postings: found by a hash, walked in order.
//!
//! A term has a number that stays while any row has it, by which documents refer to their terms.
//! The order is kept apart, as chunks of term numbers: 4 to 8 bytes a term, where a tree of texts
//! would keep each text a second time. Stems are terms that have no place in the order, so that no
//! prefix or wildcard finds them.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::postings::Postings;
use super::record::Shape;

/// What a term stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// A word, or a tag.
    Word,
    /// A stem that some words have.
    Stem,
}

/// The number of a term.
pub type TermId = u32;

struct Term {
    text: Box<[u8]>,
    postings: Postings,
    kind: TermKind,
}

/// Terms of the text attributes of a partition, or of one tag attribute.
pub struct Dictionary {
    shape: Shape,
    terms: Vec<Term>,
    free: Vec<TermId>,
    by_text: HashTable<TermId>,
    hasher: foldhash::fast::RandomState,
    order: Order,
    /// Bytes allocated by texts and postings.
    texts: usize,
    postings: usize,
    records: usize,
}

impl Dictionary {
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            terms: Vec::new(),
            free: Vec::new(),
            by_text: HashTable::new(),
            hasher: foldhash::fast::RandomState::default(),
            order: Order::default(),
            texts: 0,
            postings: 0,
            records: 0,
        }
    }

    /// What its postings keep of each row.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.by_text.len()
    }

    /// How many rows the postings of all terms have together.
    pub fn records(&self) -> usize {
        self.records
    }

    /// Bytes allocated by postings.
    pub fn postings_memory(&self) -> usize {
        self.postings
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        self.texts
            + self.postings
            + self.terms.capacity() * size_of::<Term>()
            + self.free.capacity() * size_of::<TermId>()
            + self.by_text.allocation_size()
            + self.order.memory()
    }

    fn hash(&self, kind: TermKind, text: &[u8]) -> u64 {
        self.hasher.hash_one((kind, text))
    }

    /// The number of a term, if it is there.
    pub fn find(&self, kind: TermKind, text: &[u8]) -> Option<TermId> {
        let is_it = |id: &TermId| {
            let term = &self.terms[*id as usize];
            term.kind == kind && *term.text == *text
        };
        self.by_text.find(self.hash(kind, text), is_it).copied()
    }

    /// The text of a term that is there.
    pub fn text(&self, id: TermId) -> &[u8] {
        self.terms.get(id as usize).map_or(&[], |term| &term.text)
    }

    /// What a term that is there stands for.
    pub fn kind(&self, id: TermId) -> TermKind {
        self.terms[id as usize].kind
    }

    /// The rows of a term that is there.
    pub fn postings(&self, id: TermId) -> &Postings {
        &self.terms[id as usize].postings
    }

    /// The number of a term, which is added if need be. [`Dictionary::add`] must follow.
    pub fn intern(&mut self, kind: TermKind, text: &[u8]) -> TermId {
        if let Some(id) = self.find(kind, text) {
            return id;
        }
        let term = Term { text: text.into(), postings: Postings::default(), kind };
        self.texts += text.len();
        let id = match self.free.pop() {
            Some(id) => {
                self.terms[id as usize] = term;
                id
            }
            None => {
                self.terms.push(term);
                (self.terms.len() - 1) as TermId
            }
        };
        let hash = self.hash(kind, text);
        let (terms, hasher) = (&self.terms, &self.hasher);
        self.by_text.insert_unique(hash, id, |id| {
            let term = &terms[*id as usize];
            hasher.hash_one((term.kind, &*term.text))
        });
        if kind == TermKind::Word {
            self.order.insert(id, |other| self.terms[other as usize].text.as_ref() < text);
        }
        id
    }

    /// Adds a row, which is absent, to a term.
    pub fn add(&mut self, id: TermId, row: u32, payload: &[u8]) {
        let changed = self.terms[id as usize].postings.insert(row, payload, self.shape);
        self.postings = self.postings.saturating_add_signed(changed);
        self.records += 1;
    }

    /// Removes a row from a term, and the term if it was its last row.
    pub fn remove(&mut self, id: TermId, row: u32) {
        let Some(term) = self.terms.get_mut(id as usize) else { return };
        let (removed, changed) = term.postings.remove(row, self.shape);
        self.postings = self.postings.saturating_add_signed(changed);
        self.records -= usize::from(removed);
        if term.postings.len() == 0 {
            self.drop_term(id);
        }
    }

    fn drop_term(&mut self, id: TermId) {
        let empty = Term { text: [].into(), postings: Postings::default(), kind: TermKind::Word };
        if self.terms[id as usize].kind == TermKind::Word {
            let text = &self.terms[id as usize].text;
            self.order.remove(id, |other| self.terms[other as usize].text < *text);
        }
        let term = std::mem::replace(&mut self.terms[id as usize], empty);
        self.texts -= term.text.len();
        self.postings -= term.postings.allocated();
        if let Ok(entry) =
            self.by_text.find_entry(self.hash(term.kind, &term.text), |other| *other == id)
        {
            entry.remove();
        }
        self.free.push(id);
    }

    /// The words that are not less than a text, in order.
    pub fn words_from<'d>(&'d self, text: &[u8]) -> impl Iterator<Item = TermId> + use<'d> {
        let (chunk, at) = self.order.place(|id| self.text(id) < text);
        self.order.chunks.iter().skip(chunk).flatten().skip(at).copied()
    }
}

/// Terms in the order of their texts.
#[derive(Default)]
struct Order {
    chunks: Vec<Vec<TermId>>,
    /// Bytes allocated by the chunks themselves.
    bytes: usize,
}

const CHUNK: usize = 256;

impl Order {
    /// The chunk and the place of the first term that is not less.
    fn place(&self, mut is_less: impl FnMut(TermId) -> bool) -> (usize, usize) {
        let chunk =
            self.chunks.partition_point(|chunk| chunk.last().is_some_and(|id| is_less(*id)));
        let chunk = chunk.min(self.chunks.len().saturating_sub(1));
        let at = self.chunks.get(chunk).map_or(0, |ids| ids.partition_point(|id| is_less(*id)));
        (chunk, at)
    }

    fn insert(&mut self, id: TermId, is_less: impl FnMut(TermId) -> bool) {
        let (chunk, at) = self.place(is_less);
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        let ids = &mut self.chunks[chunk];
        let before = ids.capacity();
        ids.insert(at, id);
        let mut after = ids.capacity();
        if ids.len() > CHUNK {
            let rest = ids.split_off(CHUNK / 2);
            ids.shrink_to_fit();
            after = ids.capacity() + rest.capacity();
            self.chunks.insert(chunk + 1, rest);
        }
        self.bytes = self.bytes + after * size_of::<TermId>() - before * size_of::<TermId>();
    }

    fn remove(&mut self, id: TermId, is_less: impl FnMut(TermId) -> bool) {
        let (chunk, at) = self.place(is_less);
        let Some(ids) = self.chunks.get_mut(chunk).filter(|ids| ids.get(at) == Some(&id)) else {
            return;
        };
        let before = ids.capacity();
        ids.remove(at);
        if ids.capacity() > 16 && ids.capacity() > 4 * ids.len() {
            ids.shrink_to(2 * ids.len());
        }
        let after = ids.capacity();
        self.bytes = self.bytes + after * size_of::<TermId>() - before * size_of::<TermId>();
        if ids.is_empty() {
            self.bytes -= after * size_of::<TermId>();
            self.chunks.remove(chunk);
        }
    }

    fn memory(&self) -> usize {
        self.bytes + self.chunks.capacity() * size_of::<Vec<TermId>>()
    }
}
