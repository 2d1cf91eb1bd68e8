//! A query as `FT.EXPLAIN` prints it: an indented tree.

use std::fmt::Write;

use super::tree::{Bound, Node, NodeOptions, Query, TagValue};
use crate::schema::{AttributeId, Definition};

/// The text so far.
struct Printer<'a> {
    text: String,
    depth: usize,
    definition: &'a Definition,
    /// `@f:`, which each line of conditions on words begins with.
    scope: String,
    expand: &'a dyn Fn(&[u8]) -> Vec<Vec<u8>>,
}

impl Query {
    /// Prints the tree. `expand` returns what else a word matches: its stem, its synonyms.
    pub fn explain(
        &self,
        definition: &Definition,
        expand: &dyn Fn(&[u8]) -> Vec<Vec<u8>>,
    ) -> String {
        let (text, scope) = (String::new(), String::new());
        let mut to = Printer { text, depth: 0, definition, scope, expand };
        match &self.knn {
            None => to.node(&self.root),
            Some(knn) => {
                let (field, name) = (to.name(knn.attribute), lossy(&knn.distance_name));
                to.open("VECTOR");
                to.line(&format!(
                    "K={} nearest vectors of @{field}, yields distance as `{name}`",
                    knn.k
                ));
                to.node(&self.root);
                to.close();
            }
        }
        to.text
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

impl Printer<'_> {
    fn name(&self, id: AttributeId) -> String {
        lossy(self.definition.attributes.get(usize::from(id)).map_or(b"NULL", |a| &a.name))
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * self.depth);
    }

    /// A line about words.
    fn scoped(&mut self, text: &str) {
        self.line(&format!("{}{text}", self.scope));
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    fn group(&mut self, name: &str, nodes: &[Node]) {
        self.open(&format!("{}{name}", self.scope));
        for node in nodes {
            self.node(node);
        }
        self.close();
    }

    fn one(&mut self, name: &str, node: &Node) {
        self.scoped(&format!("{name}{{"));
        self.depth += 1;
        self.node(node);
        self.close();
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::All => self.line("<WILDCARD>"),
            Node::Nothing => self.line("<EMPTY>"),
            Node::Word { text, expand } => self.word(text, *expand),
            Node::Phrase(words) => {
                self.open(&format!("{}EXACT", self.scope));
                for word in words {
                    self.scoped(&lossy(word));
                }
                self.close();
            }
            Node::Prefix(text) => self.scoped(&format!("PREFIX{{{}*}}", lossy(text))),
            Node::Suffix(text) => self.scoped(&format!("SUFFIX{{*{}}}", lossy(text))),
            Node::Infix(text) => self.scoped(&format!("INFIX{{*{}*}}", lossy(text))),
            Node::Wildcard(text) => self.scoped(&format!("WILDCARD{{{}}}", lossy(text))),
            Node::Fuzzy { text, .. } => self.scoped(&format!("FUZZY{{{}}}", lossy(text))),
            Node::And(nodes) => self.group("INTERSECT", nodes),
            Node::Or(nodes) => self.group("UNION", nodes),
            Node::Not(node) => self.one("NOT", node),
            Node::Optional(node) => self.one("OPTIONAL", node),
            Node::In { attributes, node } => {
                let names: Vec<String> = attributes.iter().map(|id| self.name(*id)).collect();
                let outer = std::mem::replace(&mut self.scope, format!("@{}:", names.join("|")));
                self.node(node);
                self.scope = outer;
            }
            Node::With { node, options } => {
                self.node(node);
                self.options(options);
            }
            _ => self.attribute(node),
        }
    }

    /// Conditions on attributes that have no words.
    fn attribute(&mut self, node: &Node) {
        match node {
            Node::Numeric { attribute, min, max } => {
                let sign = |bound: &Bound| if bound.exclusive { "<" } else { "<=" };
                let (name, lower, upper) = (self.name(*attribute), sign(min), sign(max));
                let (min, max) = (min.value, max.value);
                self.line(&format!("NUMERIC {{{min:.6} {lower} @{name} {upper} {max:.6}}}"));
            }
            Node::Geo { attribute, longitude, latitude, meters } => {
                let name = self.name(*attribute);
                self.line(&format!(
                    "GEO {name}:{{{longitude:.6},{latitude:.6} --> {meters:.6} m}}"
                ));
            }
            Node::Tag { attribute, values } => {
                self.open(&format!("TAG:@{}", self.name(*attribute)));
                for value in values {
                    self.line(&tag(value));
                }
                self.close();
            }
            Node::Missing(id) => self.line(&format!("ISMISSING{{@{}}}", self.name(*id))),
            Node::VectorRange(range) => {
                let name = self.name(range.attribute);
                let yields = match &range.distance_name {
                    Some(name) => format!(", yields distance as `{}`", lossy(name)),
                    None => String::new(),
                };
                self.line(&format!(
                    "VECTOR {{Vectors that are within {} distance radius from @{name}{yields}}}",
                    crate::number::print(range.radius)
                ));
            }
            _ => {}
        }
    }

    fn word(&mut self, text: &[u8], expand: bool) {
        let word = lossy(text);
        if !expand {
            return self.scoped(&word);
        }
        let others = (self.expand)(text);
        if others.is_empty() {
            return self.scoped(&word);
        }
        self.open(&format!("{}UNION", self.scope));
        self.scoped(&word);
        for other in others {
            self.scoped(&format!("{}(expanded)", lossy(&other)));
        }
        self.close();
    }

    /// Options, after the last line.
    fn options(&mut self, options: &NodeOptions) {
        let mut list = String::new();
        if let Some(weight) = options.weight {
            let _ = write!(list, "$weight: {}; ", crate::number::print(weight));
        }
        if let Some(slop) = options.slop {
            let _ = write!(list, "$slop: {slop}; ");
        }
        if let Some(in_order) = options.in_order {
            let _ = write!(list, "$inorder: {in_order}; ");
        }
        if let Some(phonetic) = options.phonetic {
            let _ = write!(list, "$phonetic: {phonetic}; ");
        }
        self.text.truncate(self.text.trim_end_matches('\n').len());
        let _ = writeln!(self.text, " => {{ {list}}}");
    }
}

fn tag(value: &TagValue) -> String {
    match value {
        TagValue::Exact(text) => lossy(text),
        TagValue::Prefix(text) => format!("PREFIX{{{}*}}", lossy(text)),
        TagValue::Suffix(text) => format!("SUFFIX{{*{}}}", lossy(text)),
        TagValue::Infix(text) => format!("INFIX{{*{}*}}", lossy(text)),
        TagValue::Wildcard(text) => format!("WILDCARD{{{}}}", lossy(text)),
    }
}
