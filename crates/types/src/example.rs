//! A type to copy from, and to show what a type costs: a ring, which keeps the last words pushed.
//!
//! It is there in builds with debug assertions only, and no command of the server makes one: the
//! test `new_type` of the engine has some, and takes rings through all that values go through.

use std::collections::VecDeque;

use base::codec::{Malformed, Source, put_bytes, put_framed, put_number};
use base::{DataType, Indivisible, Kind, PackLimits};
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
    words: VecDeque<Box<[u8]>>,
    /// Bytes that the words take.
    bytes: usize,
}

impl Ring {
    /// Appends a word, and drops the first ones so that there are at most so many.
    pub fn push(&mut self, word: &[u8], most: usize) {
        let body = self.0.get_or_insert_with(|| UnalignedBox::new(Body::default()));
        body.bytes += size_class(word.len());
        body.words.push_back(word.into());
        while body.words.len() > most {
            let Some(first) = body.words.pop_front() else { break };
            body.bytes -= size_class(first.len());
        }
    }

    /// The words, the oldest first.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        const NONE: &VecDeque<Box<[u8]>> = &VecDeque::new();
        self.0.as_ref().map_or(NONE, |body| &body.words).iter().map(|word| &**word)
    }
}

impl DataType for Ring {
    const KIND: Kind = Kind::Ring;
    type Context = ();
    type Copying = Indivisible;
    type Assembly = Indivisible;

    fn is_empty(&self) -> bool {
        self.words().len() == 0
    }

    fn elements(&self) -> usize {
        self.words().len()
    }

    fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |body| {
            let slots = body.words.capacity() * size_of::<Box<[u8]>>();
            size_class(size_of::<Body>()) + size_class(slots) + body.bytes
        })
    }

    fn encoding(&self) -> &'static str {
        "ring"
    }

    fn free_effort(&self) -> usize {
        1 + self.words().len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_framed(out, |out| {
            put_number(out, self.words().len() as u64);
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
