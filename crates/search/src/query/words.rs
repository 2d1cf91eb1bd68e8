//! Conditions on words: words, phrases, affixes, patterns, `%fuzzy%`.

use super::lower;
use super::parse::{Parser, one_or};
use super::scan::{is_letter, unescape};
use super::tree::Node;
use crate::error::{Error, Result};
use crate::schema::Kind;

/// Whether a `*` begins the end of a word rather than being the condition of all documents.
pub(super) fn is_affix(text: &[u8], parameters: bool) -> bool {
    let next = text.get(1).copied();
    next.is_some_and(|byte| is_letter(byte) || byte == b'\\' || (parameters && byte == b'$'))
}

/// What a text with `*` at its ends is.
pub(super) enum Affix {
    None,
    Prefix,
    Suffix,
    Infix,
}

impl Affix {
    pub(super) fn of(before: bool, after: bool) -> Self {
        match (before, after) {
            (false, false) => Self::None,
            (false, true) => Self::Prefix,
            (true, false) => Self::Suffix,
            (true, true) => Self::Infix,
        }
    }
}

impl Parser<'_> {
    /// Words: in dialect 1 all that are side by side, after it one.
    pub(super) fn words(&mut self) -> Result<Option<Node>> {
        let first = self.scan.word();
        if self.scan.take(b'*') {
            return Ok(Some(Node::Prefix(lower(&first))));
        }
        let mut words = Vec::from_iter(self.as_word(&first));
        while !self.is_new() {
            let before = self.scan;
            self.scan.separators();
            if !self.scan.is_word() {
                break;
            }
            let next = self.scan.word();
            if self.scan.peek() == Some(b'*') {
                self.scan = before;
                break;
            }
            words.extend(self.as_word(&next));
        }
        Ok(one_or(words, Node::And))
    }

    /// A word that is no stop word.
    fn as_word(&self, word: &[u8]) -> Option<Node> {
        let text = lower(word);
        if text.is_empty() || self.is_dropped(&text) {
            return None;
        }
        Some(Node::Word { text, expand: self.unexpanded == 0 && !self.options.verbatim })
    }

    fn is_dropped(&self, word: &[u8]) -> bool {
        !self.options.no_stop_words && self.definition.is_stop_word(word)
    }

    /// A word or a parameter with `*` at its ends, or a parameter alone: its words.
    pub(super) fn affix(&mut self) -> Result<Option<Node>> {
        let before = self.scan.take(b'*');
        let is_parameter = self.scan.peek() == Some(b'$');
        let text = if self.is_new() && self.scan.take(b'$') {
            let name = self.scan.word();
            self.parameter(&name)?.to_vec()
        } else {
            self.scan.word()
        };
        let after = self.scan.take(b'*');
        let node = match Affix::of(before, after) {
            Affix::None if is_parameter => return Ok(self.words_of(&text)),
            Affix::None => return Ok(self.as_word(&text)),
            Affix::Prefix => Node::Prefix(lower(&text)),
            Affix::Suffix => Node::Suffix(lower(&text)),
            Affix::Infix => Node::Infix(lower(&text)),
        };
        Ok(Some(node))
    }

    /// The words of a parameter's text, in which nothing has a meaning.
    fn words_of(&self, text: &[u8]) -> Option<Node> {
        let words = text.split(|byte| !is_letter(*byte)).filter_map(|word| self.as_word(word));
        one_or(words.collect(), Node::And)
    }

    /// `"…"`.
    pub(super) fn phrase(&mut self) -> Result<Option<Node>> {
        self.scan.advance(1);
        let mut words = Vec::new();
        let mut is_empty = true;
        loop {
            if self.scan.is_word() {
                is_empty = false;
                let word = lower(&self.scan.word());
                if !word.is_empty() && !self.is_dropped(&word) {
                    words.push(word);
                }
            } else {
                match self.scan.next() {
                    Some(b'"') => break,
                    Some(_) => is_empty = false,
                    None => return Err(self.scan.syntax()),
                }
            }
        }
        if is_empty {
            return self.empty().map(Some);
        }
        Ok(match words.len() {
            0 | 1 => words.pop().map(|text| Node::Word { text, expand: false }),
            _ => Some(Node::Phrase(words)),
        })
    }

    /// `""`: a text that is empty, which is found where the schema says so.
    fn empty(&self) -> Result<Node> {
        let attributes = self.definition.attributes.iter().enumerate();
        let is_in_scope = |at: usize| match &self.scope {
            Some(scope) => scope.iter().any(|id| usize::from(*id) == at),
            None => true,
        };
        let mut texts = attributes.filter(|(at, attribute)| {
            matches!(attribute.kind, Kind::Text { .. }) && attribute.index_empty && is_in_scope(*at)
        });
        if texts.next().is_none() {
            return Err(not_empty());
        }
        Ok(Node::Word { text: Vec::new(), expand: false })
    }

    /// `%word%` to `%%%word%%%`.
    pub(super) fn fuzzy(&mut self) -> Result<Option<Node>> {
        let mut distance = 0;
        while self.scan.take(b'%') {
            distance += 1;
        }
        if !(1..=3).contains(&distance) {
            return Err(self.scan.syntax());
        }
        let text = if self.is_new() && self.scan.take(b'$') {
            let name = self.scan.word();
            self.parameter(&name)?.to_vec()
        } else {
            self.scan.word()
        };
        for _ in 0..distance {
            self.scan.must(b'%')?;
        }
        if text.is_empty() || self.scan.peek() == Some(b'%') {
            return Err(self.scan.syntax());
        }
        Ok(Some(Node::Fuzzy { text: lower(&text), distance }))
    }

    /// `w'…'`.
    pub(super) fn wildcard(&mut self) -> Result<Option<Node>> {
        Ok(Some(Node::Wildcard(lower(&self.pattern()?))))
    }

    /// The pattern of `w'…'`: a backslash stays where it makes `?`, `*` or itself a character.
    pub(super) fn pattern(&mut self) -> Result<Vec<u8>> {
        self.scan.advance(2);
        let written = self.scan.quoted(b'\'')?;
        let (mut pattern, mut bytes) = (Vec::with_capacity(written.len()), written.iter());
        while let Some(byte) = bytes.next() {
            if *byte != b'\\' {
                pattern.push(*byte);
                continue;
            }
            let next = bytes.next();
            if next.is_some_and(|next| b"?*\\".contains(next)) {
                pattern.push(b'\\');
            }
            pattern.extend(next);
        }
        if pattern.is_empty() {
            return Err(self.scan.syntax());
        }
        Ok(pattern)
    }

    /// The text between quotation marks, without escapes.
    pub(super) fn exact(&mut self) -> Result<Vec<u8>> {
        self.scan.advance(1);
        Ok(unescape(self.scan.quoted(b'"')?))
    }
}

/// The attribute does not index texts that are empty.
pub(super) fn not_empty() -> Error {
    Error::new("Use `INDEXEMPTY` in field creation in order to index and query for empty strings")
}
