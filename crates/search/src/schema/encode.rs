//! A definition as words that `Definition::parse` reads: what is journaled and kept in manifests.
//!
//! The words are the format: a definition of an older server is read as one of its clients wrote
//! it.

use super::{Algorithm, Attribute, Definition, Kind, Source, VectorOptions, vector};

/// The words so far.
struct Writer(Vec<Vec<u8>>);

impl Writer {
    fn word(&mut self, word: &str) {
        self.0.push(word.as_bytes().to_vec());
    }

    fn flag(&mut self, is_set: bool, word: &str) {
        if is_set {
            self.word(word);
        }
    }

    fn pair(&mut self, option: &str, value: impl AsRef<[u8]>) {
        self.word(option);
        self.0.push(value.as_ref().to_vec());
    }

    fn optional(&mut self, option: &str, value: Option<&Vec<u8>>) {
        if let Some(value) = value {
            self.pair(option, value);
        }
    }

    fn list(&mut self, option: &str, values: &[Vec<u8>]) {
        self.pair(option, values.len().to_string());
        self.0.extend_from_slice(values);
    }
}

impl Definition {
    /// The words after the index's name that define this index: `parse(to_words(d)) == d`.
    pub fn to_words(&self) -> Vec<Vec<u8>> {
        let mut to = Writer(Vec::new());
        to.pair("ON", if self.source == Source::Hash { "HASH" } else { "JSON" });
        to.list("PREFIX", &self.prefixes);
        if self.index_all {
            to.pair("INDEXALL", "ENABLE");
        }
        to.optional("FILTER", self.filter.as_ref());
        to.pair("LANGUAGE", &self.language.0);
        to.optional("LANGUAGE_FIELD", self.language_field.as_ref());
        to.pair("SCORE", self.score.to_string());
        to.optional("SCORE_FIELD", self.score_field.as_ref());
        to.optional("PAYLOAD_FIELD", self.payload_field.as_ref());
        to.flag(self.max_text_fields, "MAXTEXTFIELDS");
        if let Some(seconds) = self.temporary {
            to.pair("TEMPORARY", seconds.to_string());
        }
        to.flag(!self.offsets, "NOOFFSETS");
        to.flag(!self.highlight, "NOHL");
        to.flag(!self.fields, "NOFIELDS");
        to.flag(!self.frequencies, "NOFREQS");
        if let Some(words) = &self.stop_words {
            to.list("STOPWORDS", words);
        }
        to.flag(self.skip_initial_scan, "SKIPINITIALSCAN");
        to.word("SCHEMA");
        for attribute in &self.attributes {
            attribute.write(&mut to);
        }
        to.0
    }
}

impl Attribute {
    /// The words that define this attribute, as `Attribute::parse_list` reads them.
    pub fn to_words(&self) -> Vec<Vec<u8>> {
        let mut to = Writer(Vec::new());
        self.write(&mut to);
        to.0
    }

    fn write(&self, to: &mut Writer) {
        to.0.push(self.identifier.clone());
        to.pair("AS", &self.name);
        match &self.kind {
            Kind::Text { weight, no_stem, phonetic, suffix_trie } => {
                to.word("TEXT");
                to.pair("WEIGHT", weight.to_string());
                to.flag(*no_stem, "NOSTEM");
                to.optional("PHONETIC", phonetic.as_ref());
                to.flag(*suffix_trie, "WITHSUFFIXTRIE");
            }
            Kind::Tag { separator, case_sensitive, suffix_trie } => {
                to.word("TAG");
                if let Some(separator) = separator {
                    to.pair("SEPARATOR", [*separator]);
                }
                to.flag(*case_sensitive, "CASESENSITIVE");
                to.flag(*suffix_trie, "WITHSUFFIXTRIE");
            }
            Kind::Numeric => to.word("NUMERIC"),
            Kind::Geo => to.word("GEO"),
            Kind::Vector(options) => write_vector(options, to),
        }
        to.flag(self.sortable, "SORTABLE");
        to.flag(self.unnormalized, "UNF");
        to.flag(self.no_index, "NOINDEX");
        to.flag(self.index_empty, "INDEXEMPTY");
        to.flag(self.index_missing, "INDEXMISSING");
    }
}

fn write_vector(options: &VectorOptions, to: &mut Writer) {
    let mut pairs = vec![
        ("TYPE", vector::name_of(&vector::ELEMENTS, &options.element).to_owned()),
        ("DIM", options.dimension.to_string()),
        ("DISTANCE_METRIC", vector::name_of(&vector::METRICS, &options.metric).to_owned()),
    ];
    let names = match options.algorithm {
        Algorithm::Flat => None,
        Algorithm::Hnsw => Some(["M", "EF_CONSTRUCTION", "EF_RUNTIME"]),
        Algorithm::Vamana => {
            Some(["GRAPH_MAX_DEGREE", "CONSTRUCTION_WINDOW_SIZE", "SEARCH_WINDOW_SIZE"])
        }
    };
    if let Some(names) = names {
        let values = [options.m, options.ef_construction, options.ef_runtime];
        pairs.extend(names.into_iter().zip(values.map(|value| value.to_string())));
        pairs.push(("EPSILON", options.epsilon.to_string()));
    }
    for (name, value) in [("INITIAL_CAP", options.initial_cap), ("BLOCK_SIZE", options.block_size)]
    {
        pairs.extend(value.map(|value| (name, value.to_string())));
    }
    to.pair("VECTOR", vector::name_of(&vector::ALGORITHMS, &options.algorithm));
    to.word(&(2 * pairs.len()).to_string());
    for (name, value) in pairs {
        to.pair(name, value);
    }
}
