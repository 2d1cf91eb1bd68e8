//! A definition as `FT.INFO` shows it. Names and positions are those that clients read: redisvl
//! takes the type of the source from the second place of the definition and the prefixes from the
//! fourth, and reads options of an attribute from its seventh place on.

use super::{Algorithm, Attribute, Definition, Kind, Source, vector};

/// A value that `FT.INFO` shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// A text.
    Text(Vec<u8>),
    /// A number (text in RESP2, where it is not whole).
    Number(f64),
    /// Texts.
    List(Vec<Vec<u8>>),
}

/// What `FT.INFO` shows of an attribute: pairs, then flags (a list in the same array in RESP2; the
/// value of `flags` in RESP3).
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// `identifier`, `attribute`, `type` and what the type has.
    pub pairs: Vec<(&'static str, Detail)>,
    /// `SORTABLE`, `UNF` and so on.
    pub flags: Vec<&'static str>,
}

impl Definition {
    /// The value of `index_options`.
    pub fn index_options(&self) -> Vec<&'static str> {
        let all = [
            (!self.frequencies, "NOFREQS"),
            (!self.highlight, "NOHL"),
            (!self.fields, "NOFIELDS"),
            (!self.offsets, "NOOFFSETS"),
            (self.max_text_fields, "MAXTEXTFIELDS"),
        ];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect()
    }

    /// The value of `index_definition`.
    pub fn index_definition(&self) -> Vec<(&'static str, Detail)> {
        let text = |text: &str| Detail::Text(text.as_bytes().to_vec());
        let mut pairs = vec![
            ("key_type", text(if self.source == Source::Hash { "HASH" } else { "JSON" })),
            ("prefixes", Detail::List(self.prefixes.clone())),
        ];
        let field = |name, value: &Option<Vec<u8>>| value.clone().map(|v| (name, Detail::Text(v)));
        pairs.extend(field("filter", &self.filter));
        if self.language != super::Language::default() {
            pairs.push(("default_language", text(&self.language.0)));
        }
        pairs.extend(field("language_field", &self.language_field));
        pairs.push(("default_score", Detail::Number(self.score)));
        pairs.extend(field("score_field", &self.score_field));
        pairs.extend(field("payload_field", &self.payload_field));
        pairs.push(("indexes_all", text(if self.index_all { "true" } else { "false" })));
        pairs
    }
}

impl Attribute {
    /// One element of `attributes`.
    pub fn describe(&self) -> Description {
        let mut pairs = vec![
            ("identifier", Detail::Text(self.identifier.clone())),
            ("attribute", Detail::Text(self.name.clone())),
            ("type", Detail::Text(self.kind.name().as_bytes().to_vec())),
        ];
        let mut flags = vec![(self.sortable, "SORTABLE"), (self.unnormalized, "UNF")];
        match &self.kind {
            Kind::Text { weight, no_stem, phonetic, suffix_trie } => {
                pairs.push(("WEIGHT", Detail::Number(*weight)));
                if let Some(matcher) = phonetic {
                    pairs.push(("PHONETIC", Detail::Text(matcher.clone())));
                }
                flags.extend([(*no_stem, "NOSTEM"), (*suffix_trie, "WITHSUFFIXTRIE")]);
            }
            Kind::Tag { separator, case_sensitive, suffix_trie } => {
                let separator = separator.map_or(Vec::new(), |byte| vec![byte]);
                pairs.push(("SEPARATOR", Detail::Text(separator)));
                flags
                    .extend([(*case_sensitive, "CASESENSITIVE"), (*suffix_trie, "WITHSUFFIXTRIE")]);
            }
            Kind::Numeric | Kind::Geo => {}
            Kind::Vector(options) => pairs.extend(describe_vector(options)),
        }
        flags.extend([
            (self.no_index, "NOINDEX"),
            (self.index_empty, "INDEXEMPTY"),
            (self.index_missing, "INDEXMISSING"),
        ]);
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect();
        Description { pairs, flags }
    }
}

fn describe_vector(options: &super::VectorOptions) -> Vec<(&'static str, Detail)> {
    let text = |text: &str| Detail::Text(text.as_bytes().to_vec());
    #[allow(clippy::cast_precision_loss)] // small
    let number = |number: usize| Detail::Number(number as f64);
    let mut pairs = vec![
        ("algorithm", text(vector::name_of(&vector::ALGORITHMS, &options.algorithm))),
        ("data_type", text(vector::name_of(&vector::ELEMENTS, &options.element))),
        ("dim", number(options.dimension)),
        ("distance_metric", text(vector::name_of(&vector::METRICS, &options.metric))),
    ];
    match options.algorithm {
        Algorithm::Flat => {}
        Algorithm::Hnsw => pairs.extend([
            ("M", number(options.m)),
            ("ef_construction", number(options.ef_construction)),
        ]),
        Algorithm::Vamana => pairs.extend([
            ("graph_max_degree", number(options.m)),
            ("construction_window_size", number(options.ef_construction)),
        ]),
    }
    pairs
}
