//! A type to copy from, and to show what a type costs: a ring, which keeps the last words pushed.
//!
//! It is there in builds with debug assertions only, as are its commands (`commands::example`), in
//! a server with `--example-commands yes`. The test `new_type` of the engine takes rings through
//! all that values go through.
//!
//! Its words are held in blocks, so that it can be shared: a reader keeps a version of a ring while
//! others push. A type whose values stay small, or that are read in a moment, needs none of that.

use std::sync::Arc;

use base::codec::{Malformed, Source, put_bytes, put_framed, put_number};
use base::{DataType, Indivisible, Kind, PackLimits, Versioned, Versions};
use blocks::{Block, Blocks, Frozen};
use rdb::Portable;
use table::{UnalignedBox, size_class};

/// The value of a key that holds a ring. By default it holds nothing, and is no key then.
///
/// ```
/// use kvist_types::example::Ring;
/// let mut ring = Ring::default();
/// for word in [b"a", b"b", b"c"] {
///     ring.push(word, 2);
/// }
/// assert_eq!(ring.words().collect::<Vec<_>>(), [b"b", b"c"]);
/// ```
#[derive(Clone, Default)]
pub struct Ring(Option<UnalignedBox<Body>>);

/// Behind a pointer: every key pays for the size of the largest type.
#[derive(Clone, Default)]
struct Body {
    blocks: Blocks<Words>,
    span: Span,
}

/// Which words of the blocks are the ring's.
#[derive(Clone, Copy, Default)]
struct Span {
    /// Words of the first block that have been dropped.
    dropped: usize,
    /// Words that are there.
    len: usize,
}

/// A block: what is copied if a word of it comes or goes while a version shares it.
#[derive(Clone, Default)]
struct Words {
    words: Vec<Box<[u8]>>,
    /// Bytes that the words take.
    bytes: usize,
}

/// Words of a block.
const FULL: usize = 64;

impl Block for Words {
    fn memory(&self) -> usize {
        size_class(self.words.capacity() * size_of::<Box<[u8]>>()) + self.bytes
    }
}

impl Words {
    fn push(&mut self, word: &[u8]) {
        self.bytes += size_class(word.len());
        self.words.push(word.into());
    }

    /// Lets go of a word; those behind it stay where they are.
    fn drop_word(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at) {
            self.bytes -= size_class(word.len());
            *word = Box::default();
        }
    }
}

impl Body {
    fn push(&mut self, word: &[u8]) {
        let Body { blocks, span } = self;
        if (span.dropped + span.len).is_multiple_of(FULL) {
            blocks.push(Words::default());
        }
        let last = blocks.now().len().saturating_sub(1);
        blocks.edit(last, |block| block.push(word));
        span.len += 1;
    }

    fn drop_first(&mut self) {
        let Body { blocks, span } = self;
        blocks.edit(0, |block| block.drop_word(span.dropped));
        (span.dropped, span.len) = (span.dropped + 1, span.len - 1);
        if span.dropped == FULL || span.len == 0 {
            blocks.drop_first();
            span.dropped = 0;
        }
    }
}

impl Span {
    fn words(self, blocks: &Frozen<Words>) -> impl Iterator<Item = &[u8]> {
        let words = blocks.iter().flat_map(|block| &block.words);
        words.skip(self.dropped).map(|word| &**word)
    }
}

impl Ring {
    /// Appends a word, and drops the first ones so that there are at most so many.
    pub fn push(&mut self, word: &[u8], most: usize) {
        let body = self.0.get_or_insert_with(|| UnalignedBox::new(Body::default()));
        body.push(word);
        while body.span.len > most {
            body.drop_first();
        }
    }

    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |body| body.span.len)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words, the oldest first.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.0.as_ref().into_iter().flat_map(|body| body.span.words(body.blocks.now()))
    }
}

/// A ring as it was.
#[derive(Default)]
pub struct FrozenRing {
    blocks: Frozen<Words>,
    span: Span,
}

impl FrozenRing {
    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words, the oldest first.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.span.words(&self.blocks)
    }
}

/// What it takes to be shared: the blocks do it.
impl Versioned for Ring {
    type Frozen = FrozenRing;

    fn freeze(&self, versions: &Arc<Versions>) -> FrozenRing {
        self.0.as_ref().map_or_else(FrozenRing::default, |body| FrozenRing {
            blocks: body.blocks.freeze(versions),
            span: body.span,
        })
    }
}

impl DataType for Ring {
    const KIND: Kind = Kind::Ring;
    type Context = ();
    type Copying = Indivisible;
    type Assembly = Indivisible;

    fn is_empty(&self) -> bool {
        Ring::is_empty(self)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |body| size_class(size_of::<Body>()) + body.blocks.memory())
    }

    fn encoding(&self) -> &'static str {
        "ring"
    }

    fn free_effort(&self) -> usize {
        1 + self.len()
    }

    fn versions(&self) -> Option<&Arc<Versions>> {
        self.0.as_ref()?.blocks.versions()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_framed(out, |out| {
            put_number(out, self.len() as u64);
            self.words().for_each(|word| put_bytes(out, word));
        });
    }

    fn decode(
        source: &mut Source<'_>,
        _limits: &PackLimits,
        _context: &mut (),
    ) -> Result<Self, Malformed> {
        let mut source = Source::new(source.bytes()?);
        let mut ring = Ring::default();
        for _ in 0..source.length()? {
            ring.push(source.bytes()?, usize::MAX);
        }
        if source.is_done() { Ok(ring) } else { Err(Malformed("bytes behind a ring")) }
    }
}

/// As a value of a module: of a type that Redis does not know there is nothing to say.
impl Portable for Ring {}
