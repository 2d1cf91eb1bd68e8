//! What a row has of its document: fields of a hash, values of a JSON document as text.

use std::ops::ControlFlow;

use ::search::highlight::{self, Tags, Terms};
use ::search::request::{Highlight, Returned, Search, Summarize};
use ::search::schema::{Definition, Source};
use json::Node;
use json::path::{Budget, Path};

use crate::search::document::Stored;

/// Names and values, in the order in which they are answered.
pub(super) type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// What of each document is answered.
pub(super) struct Content<'r> {
    pub definition: &'r Definition,
    /// `RETURN`; everything if absent.
    pub returns: Option<&'r [Returned]>,
    /// The attribute by which rows are sorted: JSON documents have it first.
    pub sorted_by: Option<&'r [u8]>,
    /// From dialect 3 on, several values of a path are all answered, as an array.
    pub dialect: u8,
    /// How words that matched are marked, and texts shortened.
    pub marks: Option<Marks<'r>>,
}

/// `SUMMARIZE` and `HIGHLIGHT`, for a query.
pub(super) struct Marks<'r> {
    pub summarize: Option<&'r Summarize>,
    pub highlight: Option<&'r Highlight>,
    /// What a query looks for, by the names of attributes.
    pub terms: Vec<(Vec<u8>, Terms<'r>)>,
}

impl<'r> Content<'r> {
    /// What a request wants.
    pub fn of(definition: &'r Definition, search: &'r Search, dialect: u8) -> Self {
        Content {
            definition,
            returns: search.returns.as_deref(),
            sorted_by: search.sort_by.as_ref().map(|by| &by.name[..]),
            dialect,
            marks: None,
        }
    }

    /// What is answered of a document.
    pub fn read(&self, stored: &Stored<'_>) -> Fields {
        let mut fields = match self.returns {
            Some(returns) => self.named(stored, returns),
            None => self.whole(stored),
        };
        if let Some(marks) = &self.marks {
            fields.iter_mut().for_each(|(name, text)| marks.apply(name, text));
        }
        fields
    }

    fn whole(&self, stored: &Stored<'_>) -> Fields {
        match stored {
            Stored::Hash(hash) => {
                hash.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
            }
            _ => {
                let mut fields = Fields::new();
                if let Some(name) = self.sorted_by
                    && let Some(id) = self.definition.attribute(name)
                {
                    let path = &self.definition.attributes[usize::from(id)].identifier;
                    if let Some(text) = self.value(stored, path) {
                        fields.push((name.to_vec(), text));
                    }
                }
                if let Some(text) = stored.text() {
                    let text = match self.dialect {
                        0..=2 => text,
                        _ => [b"[", &text[..], b"]"].concat(),
                    };
                    fields.push((b"$".to_vec(), text));
                }
                fields
            }
        }
    }

    fn named(&self, stored: &Stored<'_>, returns: &[Returned]) -> Fields {
        let of = |returned: &Returned| {
            let id = self.definition.attribute(&returned.identifier);
            let identifier = match id {
                Some(id) => &self.definition.attributes[usize::from(id)].identifier,
                None => &returned.identifier,
            };
            Some((returned.name.clone(), self.value(stored, identifier)?))
        };
        returns.iter().filter_map(of).collect()
    }

    /// The text of a field, or of what a path selects.
    fn value(&self, stored: &Stored<'_>, identifier: &[u8]) -> Option<Vec<u8>> {
        match stored {
            Stored::Hash(hash) => hash.get(identifier).map(<[u8]>::to_vec),
            _ => text_at(stored.root()?, identifier, self.dialect > 2),
        }
    }

    /// Whether documents are hashes.
    pub fn source(&self) -> Source {
        self.definition.source
    }
}

/// What a path selects as text: the first value, a string without its quotes; or all of them.
pub(super) fn text_at(root: Node<'_>, path: &[u8], all: bool) -> Option<Vec<u8>> {
    let path = Path::compile(std::str::from_utf8(path).ok()?).ok()?;
    let mut found = Vec::new();
    path.for_each(root, &mut Budget::default(), |node| {
        found.push(node);
        if all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .ok()?;
    let mut text = Vec::new();
    match found.first()? {
        _ if all => write_all(&found, &mut text),
        node => match node.as_bytes() {
            Some(string) => text.extend_from_slice(string),
            None => node.write(&mut text),
        },
    }
    Some(text)
}

fn write_all(nodes: &[Node<'_>], out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        node.write(out);
    }
    out.push(b']');
}

impl Marks<'_> {
    fn apply(&self, name: &[u8], text: &mut Vec<u8>) {
        let Some((_, terms)) = self.terms.iter().find(|(attribute, _)| attribute == name) else {
            return;
        };
        let concerns = |fields: &Option<Vec<Vec<u8>>>| {
            fields.as_ref().is_none_or(|fields| fields.iter().any(|field| field == name))
        };
        let summarize = self.summarize.filter(|options| concerns(&options.fields));
        let highlight = self.highlight.filter(|options| concerns(&options.fields));
        let tags = highlight.map(|options| Tags { open: &options.open, close: &options.close });
        *text = match (summarize, tags) {
            (Some(options), tags) => {
                let summary = highlight::Summary {
                    fragments: options.fragments,
                    words: options.length,
                    separator: &options.separator,
                    tags,
                };
                highlight::summarize(text, terms, summary)
            }
            (None, Some(tags)) => highlight::highlight(text, terms, tags),
            (None, None) => return,
        };
    }
}
