//! The names of the objects of a text that is only checked: whether two of an object are equal.
//!
//! ```text
//!   open    names of the objects that have not ended, outermost first
//!   known   | "id": "name": | "url": | …     of objects that have, none of which has twins
//!   forms   how the first name begins ──► where in `known` such an object's names are
//! ```
//!
//! The objects of a list mostly have the same names. So an object is expected to have those of the
//! last one that began like it: as long as it does, its names are compared with the text in one go,
//! and neither searched for their ends nor hashed; and if it does to its end, they differ.
//!
//! Names are places in the text. This file must not know what stands between them.

use table::size_class;

use crate::lex::hits;

/// A name, with its quotes and its colon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    /// Of what it means.
    pub hash: u64,
    /// Where it is in the text, or nowhere if it is written in another way than we would.
    pub start: usize,
    pub end: usize,
}

/// The names that an object is expected to have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guess {
    first: u32,
    next: u32,
    /// 0 if there are none.
    end: u32,
}

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Names {
    open: Vec<Name>,
    known: Vec<Name>,
    forms: Vec<Guess>,
    /// Hashes that are being sorted.
    sorted: Vec<u64>,
}

/// How many forms are remembered.
const FORMS: usize = 64;
/// Objects with more names are not remembered: there are seldom two of them.
const MOST: usize = 128;
/// How many names are remembered. None of them is forgotten before the text ends: objects that have
/// not ended may be expected to have them.
const KNOWN: usize = 1024;

impl Names {
    /// Begins a text.
    pub fn begin(&mut self) {
        self.open.clear();
        self.known.clear();
        self.forms.clear();
    }

    /// Where the names of an object that begins now will be.
    #[inline]
    pub fn mark(&self) -> usize {
        self.open.len()
    }

    /// What to expect of an object whose first name is at `at`.
    #[inline]
    pub fn guess(&self, text: &[u8], at: usize) -> Guess {
        self.forms.get(form_of(text, at)).copied().unwrap_or_default()
    }

    /// Bytes of the next name with its colon, if it stands at `at` as was expected.
    #[inline]
    pub fn expected(&mut self, guess: &mut Guess, text: &[u8], at: usize) -> Option<usize> {
        if guess.next < guess.end
            && let Some(name) = self.known.get(guess.next as usize)
            && let (Some(name), Some(rest)) = (text.get(name.start..name.end), text.get(at..))
            && rest.starts_with(name)
        {
            guess.next += 1;
            return Some(name.len());
        }
        if guess.end != 0 {
            // Those before it were what they were expected to be.
            self.open.extend_from_slice(&self.known[guess.first as usize..guess.next as usize]);
            *guess = Guess::default();
        }
        None
    }

    /// Adds a name that was not expected.
    #[inline]
    pub fn push(&mut self, name: Name) {
        self.open.push(name);
    }

    /// Ends the object whose names are those from `mark` on; whether two of them are equal.
    #[inline]
    pub fn end_object(&mut self, mark: usize, guess: Guess, text: &[u8]) -> bool {
        guess.end == 0 && self.end_unexpected(mark, text)
    }

    fn end_unexpected(&mut self, mark: usize, text: &[u8]) -> bool {
        let has_twins = self.has_twins(mark);
        let names = &self.open[mark..];
        let may_come_again = names.len() <= MOST && names.iter().all(|name| name.start < name.end);
        let has_room = self.known.len() + names.len() <= KNOWN;
        // Once there are twins, no name counts any more.
        if may_come_again && has_room && !has_twins {
            self.forms.resize(FORMS, Guess::default());
            let first = self.known.len() as u32; // at most KNOWN
            self.known.extend_from_slice(names);
            let end = self.known.len() as u32;
            if let Some(name) = names.first() {
                self.forms[form_of(text, name.start)] = Guess { first, next: first, end };
            }
        }
        self.open.truncate(mark);
        has_twins
    }

    fn has_twins(&mut self, mark: usize) -> bool {
        const NOT_SORTED: usize = 24;
        let names = &self.open[mark..];
        if names.len() <= NOT_SORTED {
            return (1..names.len()).any(|n| {
                let hash = names[n].hash;
                names[..n].iter().fold(false, |found, other| found | (other.hash == hash))
            });
        }
        self.sorted.clear();
        self.sorted.extend(names.iter().map(|name| name.hash));
        self.sorted.sort_unstable();
        self.sorted.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        size_class(self.open.capacity() * size_of::<Name>())
            + size_class(self.known.capacity() * size_of::<Name>())
            + size_class(self.forms.capacity() * size_of::<Guess>())
            + size_class(self.sorted.capacity() * 8)
    }
}

/// A number below [`FORMS`] that is the same for names that begin alike, with the quote at `at`.
#[inline]
fn form_of(text: &[u8], at: usize) -> usize {
    /// 2^64 divided by the golden ratio.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (first, is_whole) = word(text, at + 1);
    let second = if is_whole { 0 } else { word(text, at + 9).0 };
    let mixed = (first ^ second.rotate_left(31)).wrapping_mul(SPREAD);
    (mixed >> 58) as usize
}

/// The next eight bytes of a name, without what is behind it; whether it ends in them.
#[inline]
fn word(text: &[u8], at: usize) -> (u64, bool) {
    let bytes = text.get(at..).and_then(<[u8]>::first_chunk::<8>);
    let Some(bytes) = bytes.map(|bytes| u64::from_le_bytes(*bytes)) else { return (0, true) };
    let hits = hits::<false>(bytes);
    // The high bit of the byte that ends it.
    let end = hits & hits.wrapping_neg();
    (if hits == 0 { bytes } else { bytes & (end >> 7).wrapping_sub(1) }, hits != 0)
}
