//! JSON documents as values of keys, and what their commands need besides.

mod image;
mod portable;

pub use ::json::path::may_hold_patterns;
use ::json::path::{Budget, PathCache};
use ::json::{Document, Registry};
use base::codec::{Malformed, Source, put_framed};
use base::{Context, DataType, Holds, Indivisible, Kind, PackLimits, Rng};
use table::{UnalignedBox, size_class};

/// The value of a key that holds a JSON document. By default it holds none, and is no key then.
///
/// ```
/// use kvist_types::{Json, JsonTools};
/// let mut tools = JsonTools::new(7);
/// let document = json::Document::from_text(b"[1, 2]", &mut tools.registry).unwrap();
/// let value = Json::from(document);
/// assert_eq!(value.document().and_then(|document| document.text()), Some(&b"[1,2]"[..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Json {
    document: Option<UnalignedBox<Document>>,
    /// It was read as a whole, without its text at hand, and not changed since.
    read_whole: bool,
}

impl From<Document> for Json {
    fn from(document: Document) -> Self {
        Json { document: Some(UnalignedBox::new(document)), read_whole: false }
    }
}

impl Json {
    /// The document.
    #[inline]
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.document.as_deref()
    }

    /// The document, to be changed.
    #[inline]
    #[must_use]
    pub fn document_mut(&mut self) -> Option<&mut Document> {
        self.document.as_deref_mut()
    }

    /// Notes that the document was read as a whole while its text was not at hand. If that happens
    /// twice between two changes, it will happen again: the text is kept. O(document) then.
    pub fn note_whole_read(&mut self) {
        if self.read_whole
            && let Some(document) = &mut self.document
        {
            document.keep_text();
        }
        self.read_whole = true;
    }

    /// Notes that the document was changed.
    pub fn note_change(&mut self) {
        self.read_whole = false;
    }
}

impl DataType for Json {
    const KIND: Kind = Kind::Json;
    type Context = JsonTools;
    // No chunk of a document is worth a lock of its own, at a gigabyte a second.
    type Copying = Indivisible;
    type Assembly = Indivisible;

    fn is_empty(&self) -> bool {
        self.document.is_none()
    }

    /// A document is one.
    fn elements(&self) -> usize {
        1
    }

    /// Without what it shares with other documents: that is the registry's.
    fn memory(&self) -> usize {
        let of = |document: &Document| size_class(size_of::<Document>()) + document.memory();
        self.document().map_or(0, of)
    }

    fn encoding(&self) -> &'static str {
        "raw"
    }

    fn free_effort(&self) -> usize {
        self.document().map_or(0, Document::free_effort)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_framed(out, |out| image::encode(out, self));
    }

    fn decode(
        source: &mut Source<'_>,
        _limits: &PackLimits,
        tools: &mut JsonTools,
    ) -> Result<Self, Malformed> {
        image::decode(source.bytes()?, &mut tools.registry)
    }
}

/// What a worker that runs JSON commands keeps from one to the next.
pub struct JsonTools {
    /// What the documents share that were made here.
    pub registry: Registry,
    /// Paths that were compiled here.
    pub paths: PathCache,
    /// Work that the paths of the request at hand may still do, all of them together.
    pub budget: Budget,
    buffer: Vec<u8>,
    /// The session of the registry whose memory was told last.
    told: u32,
}

/// The tools side by side.
pub struct Parts<'t> {
    /// Paths that were compiled here.
    pub paths: &'t mut PathCache,
    /// What the documents share that were made here.
    pub registry: &'t mut Registry,
    /// An empty buffer.
    pub buffer: &'t mut Vec<u8>,
    /// Work that is left to the request.
    pub budget: &'t mut Budget,
}

/// Compiled paths that are kept.
const PATHS: usize = 4096;
/// Bytes they may take.
const PATH_BYTES: usize = 4 << 20;
/// Bytes of the buffer that are kept from one command to the next.
const BUFFER: usize = 256 << 10;

impl JsonTools {
    /// New ones; `seed` is random.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        JsonTools {
            registry: Registry::new(),
            paths: PathCache::new(PATHS, PATH_BYTES, seed),
            budget: Budget::default(),
            buffer: Vec::new(),
            told: 0,
        }
    }

    /// What a path of one command needs, side by side; the buffer is empty.
    #[inline]
    pub fn parts(&mut self) -> Parts<'_> {
        self.buffer.clear();
        let JsonTools { paths, registry, budget, buffer, .. } = self;
        Parts { paths, registry, buffer, budget }
    }

    /// What looking into a document needs.
    #[inline]
    pub fn lookers(&mut self) -> (&mut Registry, &mut Budget) {
        (&mut self.registry, &mut self.budget)
    }

    /// Lends out an empty buffer, to write a reply into.
    pub fn take_buffer(&mut self) -> Vec<u8> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer
    }

    /// Takes it back; one that is not brought back is given up.
    pub fn give_buffer(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// Gives up a buffer that has become large.
    #[inline]
    fn trim(&mut self) {
        if self.buffer.capacity() > BUFFER {
            self.buffer = Vec::new();
        }
    }
}

impl Context for JsonTools {
    fn seeded(rng: &mut Rng) -> Self {
        JsonTools::new(rng.next_u64())
    }

    /// Bytes that documents share.
    #[inline]
    fn new_memory(&mut self) -> Option<usize> {
        let session = self.registry.session();
        let told = std::mem::replace(&mut self.told, session);
        (told != session).then(|| self.registry.memory())
    }
}

/// Hosts that hold JSON documents.
pub trait Documents: Holds<Json> {
    /// Runs something that needs the tools beside the host, with a budget of its own.
    fn with_tools<R>(&mut self, work: impl FnOnce(&mut Self, &mut JsonTools) -> R) -> R
    where
        Self: Sized,
    {
        self.with_context(|host, tools| {
            tools.budget = Budget::default();
            let result = work(host, tools);
            tools.trim();
            result
        })
    }
}

impl<H: Holds<Json>> Documents for H {}
