//! What `FT.CREATE` defines: which documents an index holds, and how each attribute is indexed.
//!
//! ```text
//!   words ─► parse (attribute, vector) ─► Definition ─► encode ─► words, in the journal
//!                                             └──────► describe ─► FT.INFO
//! ```
//!
//! Must not know documents, indexes or replies.

mod attribute;
mod describe;
mod encode;
mod parse;
mod vector;

pub use describe::{Description, Detail};
pub use parse::Alteration;

/// The greatest number of attributes of an index.
pub const MAX_ATTRIBUTES: usize = 1024;
/// The greatest number of stop words of an index.
pub const MAX_STOP_WORDS: usize = 1024;

/// The stop words of an index that does not name its own; sorted.
pub const DEFAULT_STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// The languages that `LANGUAGE` may name.
pub const LANGUAGES: [&str; 30] = [
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "chinese",
    "danish",
    "dutch",
    "english",
    "estonian",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
];

/// What an index holds, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Hashes or JSON documents.
    pub source: Source,
    /// The beginnings of the keys that are indexed; one that is empty is the beginning of all.
    pub prefixes: Vec<Vec<u8>>,
    /// `INDEXALL ENABLE`, which is only reported.
    pub index_all: bool,
    /// `FILTER`: an expression that a document must satisfy, as it was written.
    pub filter: Option<Vec<u8>>,
    /// `LANGUAGE`: how text is stemmed where a document does not say.
    pub language: Language,
    /// `LANGUAGE_FIELD`.
    pub language_field: Option<Vec<u8>>,
    /// `SCORE`: of documents that do not say; 0 to 1.
    pub score: f64,
    /// `SCORE_FIELD`.
    pub score_field: Option<Vec<u8>>,
    /// `PAYLOAD_FIELD`.
    pub payload_field: Option<Vec<u8>>,
    /// `MAXTEXTFIELDS`.
    pub max_text_fields: bool,
    /// `TEMPORARY`: seconds without use after which the index is dropped.
    pub temporary: Option<u64>,
    /// Not `NOOFFSETS`: positions of words are kept.
    pub offsets: bool,
    /// Not `NOHL`: highlighting is supported.
    pub highlight: bool,
    /// Not `NOFIELDS`: in which attribute a word stands is kept.
    pub fields: bool,
    /// Not `NOFREQS`: how often a word stands in a document is kept.
    pub frequencies: bool,
    /// `STOPWORDS`: in place of the default ones; none if empty.
    pub stop_words: Option<Vec<Vec<u8>>>,
    /// `SKIPINITIALSCAN`: documents that exist already are not indexed.
    pub skip_initial_scan: bool,
    /// What is indexed of each document.
    pub attributes: Vec<Attribute>,
}

/// What kind of value is a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A hash.
    Hash,
    /// A JSON document.
    Json,
}

/// How text is stemmed. The names are those that clients send, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language(pub String);

/// The place of an attribute in `Definition::attributes`.
pub type AttributeId = u16;

/// A field of a hash or a path of a JSON document, and how it is indexed.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The field's name, or the path.
    pub identifier: Vec<u8>,
    /// What queries call it: `AS`, else the identifier.
    pub name: Vec<u8>,
    /// What it is indexed as.
    pub kind: Kind,
    /// `SORTABLE`: its value is kept beside the index.
    pub sortable: bool,
    /// `UNF`: it is kept as it is, not in lower case.
    pub unnormalized: bool,
    /// `NOINDEX`: it is kept for sorting only.
    pub no_index: bool,
    /// `INDEXEMPTY`: the empty text is a value.
    pub index_empty: bool,
    /// `INDEXMISSING`: `ismissing(@name)` finds documents without it.
    pub index_missing: bool,
}

/// What an attribute is indexed as.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Words.
    Text {
        /// By which a word's frequency in it is multiplied.
        weight: f64,
        /// `NOSTEM`.
        no_stem: bool,
        /// `PHONETIC`: `dm:en` and its like.
        phonetic: Option<Vec<u8>>,
        /// `WITHSUFFIXTRIE`.
        suffix_trie: bool,
    },
    /// Whole values, divided at a separator.
    Tag {
        /// `None`: a value is not divided (the default of JSON).
        separator: Option<u8>,
        /// `CASESENSITIVE`.
        case_sensitive: bool,
        /// `WITHSUFFIXTRIE`.
        suffix_trie: bool,
    },
    /// Numbers.
    Numeric,
    /// Places: longitude, latitude.
    Geo,
    /// Vectors of numbers.
    Vector(VectorOptions),
}

/// How vectors are kept and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOptions {
    /// `FLAT`, `HNSW` or `SVS-VAMANA` (which is built as HNSW).
    pub algorithm: Algorithm,
    /// What a number is in a blob.
    pub element: ::vector::Element,
    /// Numbers in a vector.
    pub dimension: usize,
    /// How far two vectors are apart.
    pub metric: ::vector::Metric,
    /// `M` of HNSW: links of a vector on each layer (twice as many on the lowest).
    pub m: usize,
    /// `EF_CONSTRUCTION` of HNSW.
    pub ef_construction: usize,
    /// `EF_RUNTIME` of HNSW.
    pub ef_runtime: usize,
    /// `EPSILON` of HNSW, for `VECTOR_RANGE`.
    pub epsilon: f64,
    /// `INITIAL_CAP`, which is only reported.
    pub initial_cap: Option<usize>,
    /// `BLOCK_SIZE`, which is only reported.
    pub block_size: Option<usize>,
}

/// How nearest neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// All vectors are compared.
    Flat,
    /// A graph of small worlds is walked.
    Hnsw,
    /// Reported as asked for, built as HNSW.
    Vamana,
}

impl Default for Language {
    fn default() -> Self {
        Self("english".to_owned())
    }
}

impl Language {
    /// The language of this name, in any case.
    pub fn parse(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?.to_ascii_lowercase();
        LANGUAGES.contains(&name.as_str()).then_some(Self(name))
    }
}

impl Kind {
    /// The word of `SCHEMA` for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text { .. } => "TEXT",
            Self::Tag { .. } => "TAG",
            Self::Numeric => "NUMERIC",
            Self::Geo => "GEO",
            Self::Vector(_) => "VECTOR",
        }
    }
}

impl Definition {
    /// An index of all documents of this kind, without attributes.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            prefixes: vec![Vec::new()],
            index_all: false,
            filter: None,
            language: Language::default(),
            language_field: None,
            score: 1.0,
            score_field: None,
            payload_field: None,
            max_text_fields: false,
            temporary: None,
            offsets: true,
            highlight: true,
            fields: true,
            frequencies: true,
            stop_words: None,
            skip_initial_scan: false,
            attributes: Vec::new(),
        }
    }

    /// Whether a word, in lower case, is not indexed.
    pub fn is_stop_word(&self, word: &[u8]) -> bool {
        match &self.stop_words {
            Some(words) => words.iter().any(|listed| listed == word),
            None => {
                DEFAULT_STOP_WORDS.binary_search_by(|listed| listed.as_bytes().cmp(word)).is_ok()
            }
        }
    }

    /// The attribute that queries call by this name.
    pub fn attribute(&self, name: &[u8]) -> Option<AttributeId> {
        let found = self.attributes.iter().position(|attribute| attribute.name == name);
        found.and_then(|place| AttributeId::try_from(place).ok())
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
