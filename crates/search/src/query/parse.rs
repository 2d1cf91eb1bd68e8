//! Reads a query: how conditions are combined, in the first dialect and in those after it.
//!
//! | | dialect 1 | dialects 2 to 4 |
//! |---|---|---|
//! | `a b \| "c" d` | `(a b \| "c") d` | `(a b) \| ("c" d)` |
//! | `-a b`, `~a b` | of all that follows up to the next `-` or `~` | of `a` |
//! | `@f:a b` | both in `f` | `b` in any attribute |
//!
//! Dialect 1 is what RediSearch 1.2 answers to `FT.EXPLAIN`: words side by side are one operand,
//! `|` binds tighter than what else is side by side. `None` is a condition that stop words left
//! nothing of.

use hashbrown::HashMap;

use super::scan::Scanner;
use super::tree::{Node, Query};
use super::words::is_affix;
use crate::error::{Error, Result};
use crate::schema::{AttributeId, Definition};

/// How deeply conditions may be nested: what walks the tree calls itself that often.
const MAX_DEPTH: usize = 128;
/// How many bytes of parameters a query may be filled with: one that names a long parameter again
/// and again would be far longer than its request.
const MAX_FILLED: usize = 64 << 20;

/// `PARAMS`: values by name.
pub type Parameters = HashMap<Vec<u8>, Vec<u8>, foldhash::fast::RandomState>;

/// How a query is read.
#[derive(Clone, Debug)]
pub struct ParseOptions<'a> {
    /// 1 to 4.
    pub dialect: u8,
    /// What `$name` stands for.
    pub parameters: &'a Parameters,
    /// `VERBATIM`: words are not expanded.
    pub verbatim: bool,
    /// `NOSTOPWORDS`: stop words are words.
    pub no_stop_words: bool,
    /// `INFIELDS`: words are looked for in these attributes alone.
    pub in_fields: Option<Vec<AttributeId>>,
}

/// What is being read.
pub(super) struct Parser<'a> {
    pub(super) scan: Scanner<'a>,
    pub(super) definition: &'a Definition,
    pub(super) options: &'a ParseOptions<'a>,
    /// The attributes that words here are looked for in.
    pub(super) scope: Option<Vec<AttributeId>>,
    /// How many `-` and `~` this is in: words there are not expanded.
    pub(super) unexpanded: usize,
    depth: usize,
    filled: usize,
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// Where it is wrong, in the words of Redis.
    pub fn parse(text: &[u8], definition: &Definition, options: &ParseOptions<'_>) -> Result<Self> {
        let mut parser = Parser {
            scan: Scanner::new(text),
            definition,
            options,
            scope: options.in_fields.clone(),
            unexpanded: 0,
            depth: 0,
            filled: 0,
        };
        parser.scan.separators();
        let mut root = match parser.scan.peek() {
            None => None,
            Some(_) => parser.expression()?,
        };
        let knn = if parser.is_new() { parser.knn()? } else { None };
        parser.scan.separators();
        if parser.scan.peek().is_some() {
            return Err(parser.scan.syntax());
        }
        if let Some(attributes) = options.in_fields.clone() {
            root = root.map(|node| Node::In { attributes, node: Box::new(node) });
        }
        Ok(Self { root: root.unwrap_or(Node::Nothing), knn })
    }
}

impl<'a> Parser<'a> {
    /// Whether this is a dialect after the first.
    pub(super) fn is_new(&self) -> bool {
        self.options.dialect >= 2
    }

    /// Runs one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            let at = self.scan.at();
            return Err(Error::new(format!(
                "Query is nested too deeply at offset {at}: more than {MAX_DEPTH} levels"
            )));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The value of a parameter.
    pub(super) fn parameter(&mut self, name: &[u8]) -> Result<&'a [u8]> {
        let Some(value) = self.options.parameters.get(name) else {
            let name = crate::arguments::text(name);
            return Err(Error::new(format!("No such parameter `{name}`")));
        };
        self.filled += value.len();
        if self.filled > MAX_FILLED {
            return Err(Error::new("Query is too long once its parameters are filled in"));
        }
        Ok(value)
    }

    fn expression(&mut self) -> Result<Option<Node>> {
        self.nested(|this| if this.is_new() { this.union() } else { this.old_sequence() })
    }

    /// Whether a condition begins here, after separators.
    fn begins(&mut self) -> bool {
        self.scan.separators();
        let is_end = |byte: u8| b")|]}".contains(&byte);
        self.scan.peek().is_some_and(|byte| !is_end(byte)) && !self.scan.rest().starts_with(b"=>")
    }

    /// Dialect 2: conditions with `|` between them.
    fn union(&mut self) -> Result<Option<Node>> {
        let mut parts = Vec::new();
        loop {
            parts.extend(self.intersection()?);
            if !self.scan.take(b'|') {
                return Ok(one_or(parts, Node::Or));
            }
        }
    }

    /// Dialect 2: conditions side by side.
    fn intersection(&mut self) -> Result<Option<Node>> {
        if !self.begins() {
            return Err(self.scan.syntax());
        }
        let mut parts = Vec::new();
        while self.begins() {
            parts.extend(self.unary()?);
        }
        Ok(one_or(parts, Node::And))
    }

    /// Dialect 2: `-` and `~` before one condition.
    fn unary(&mut self) -> Result<Option<Node>> {
        match self.scan.peek() {
            Some(sign @ (b'-' | b'~')) => self.signed(sign, Self::unary),
            _ => self.operand(),
        }
    }

    /// `-` or `~`, and what it applies to.
    fn signed(
        &mut self,
        sign: u8,
        read: impl FnOnce(&mut Self) -> Result<Option<Node>>,
    ) -> Result<Option<Node>> {
        self.scan.advance(1);
        if !self.begins() {
            return Err(self.scan.syntax());
        }
        self.unexpanded += 1;
        let node = self.nested(read)?.map(Box::new);
        self.unexpanded -= 1;
        Ok(node.map(if sign == b'-' { Node::Not } else { Node::Optional }))
    }

    /// Dialect 1: unions side by side.
    fn old_sequence(&mut self) -> Result<Option<Node>> {
        if !self.begins() {
            return Err(self.scan.syntax());
        }
        let mut parts = Vec::new();
        while self.begins() {
            parts.extend(self.old_union()?);
        }
        Ok(one_or(parts, Node::And))
    }

    /// Dialect 1: operands with `|` between them.
    fn old_union(&mut self) -> Result<Option<Node>> {
        let mut parts = Vec::new();
        loop {
            if !self.begins() {
                return Err(self.scan.syntax());
            }
            parts.extend(match self.scan.peek() {
                Some(sign @ (b'-' | b'~')) => self.signed(sign, Self::old_run)?,
                _ => self.operand()?,
            });
            self.scan.separators();
            if !self.scan.take(b'|') {
                return Ok(one_or(parts, Node::Or));
            }
        }
    }

    /// Dialect 1: what `-` applies to: all up to the next one.
    fn old_run(&mut self) -> Result<Option<Node>> {
        if let Some(sign @ (b'-' | b'~')) = self.scan.peek() {
            return self.signed(sign, Self::old_run);
        }
        let mut parts = Vec::new();
        while self.begins() && !matches!(self.scan.peek(), Some(b'-' | b'~')) {
            parts.extend(self.old_union()?);
        }
        Ok(one_or(parts, Node::And))
    }

    /// A condition without a sign, and its options.
    fn operand(&mut self) -> Result<Option<Node>> {
        let mut node = self.primary()?;
        while self.is_options() {
            node = self.node_options(node)?;
        }
        Ok(node)
    }

    fn primary(&mut self) -> Result<Option<Node>> {
        match self.scan.peek() {
            Some(b'(') => {
                self.scan.advance(1);
                let node = self.expression()?;
                self.scan.separators();
                self.scan.must(b')')?;
                Ok(node)
            }
            Some(b'@') => self.modifier(),
            Some(b'"') => self.phrase(),
            Some(b'%') => self.fuzzy(),
            Some(b'*') if !is_affix(self.scan.rest(), self.is_new()) => {
                self.scan.advance(1);
                Ok(Some(Node::All))
            }
            Some(b'*') => self.affix(),
            Some(b'$') if self.is_new() => self.affix(),
            Some(b'w') if self.is_new() && self.scan.rest().starts_with(b"w'") => self.wildcard(),
            Some(_) if self.is_new() && self.is_missing() => self.missing(),
            Some(_) if self.scan.is_word() => self.words(),
            _ => Err(self.scan.syntax()),
        }
    }

    /// What follows `@f:` and is looked for in `f`.
    pub(super) fn in_attributes(&mut self, found: Vec<AttributeId>) -> Result<Option<Node>> {
        let attributes = match &self.scope {
            Some(outer) => found.into_iter().filter(|id| outer.contains(id)).collect(),
            None => found,
        };
        if !self.begins() {
            return Err(self.scan.syntax());
        }
        let outer = self.scope.replace(attributes.clone());
        let is_new = self.is_new();
        let node = self.nested(|this| if is_new { this.unary() } else { this.old_union() });
        self.scope = outer;
        Ok(node?.map(|node| match attributes.is_empty() {
            true => Node::Nothing,
            false => Node::In { attributes, node: Box::new(node) },
        }))
    }
}

/// The only part, or all of them together.
pub(super) fn one_or(mut parts: Vec<Node>, all: impl FnOnce(Vec<Node>) -> Node) -> Option<Node> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(all(parts)),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
