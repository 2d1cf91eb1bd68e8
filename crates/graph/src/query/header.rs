//! Headers whose values are written out whole, as clients send parameters: literals, in lists and
//! maps. They are read in one pass, from text to values.
//!
//! What is anything else, and whatever is wrong, is left to the parser, which knows what to say.

use std::sync::Arc;

use crate::cypher::Progress;
use crate::cypher::lexer::{self, Keyword, Kind, Number, Scanner, Token};
use crate::value::{Map, Value};

/// Lists and maps that lie deeper in each other are left to the parser.
const DEEPEST: usize = 16;
/// So many names of maps' entries are known again: rows have the same ones.
const KEYS: usize = 32;

/// The parameters of a header and the byte at which the query begins behind it. `None`: it is not
/// written out whole, or something is wrong with it, or it is to end.
pub(super) fn written_out(text: &str, progress: &Progress<'_>) -> Option<(Map, u32)> {
    // Offsets are 32 bits: what is longer is refused.
    u32::try_from(text.len()).ok()?;
    let (scanner, keys) = (Scanner::new(text, 0), Vec::new());
    let mut reader = Reader { text, scanner, progress, left: progress.most(), keys };
    if reader.next()?.keyword != Keyword::Cypher {
        return Some((Map::new([]), 0));
    }
    reader.parameters()
}

/// A position in a header.
struct Reader<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    progress: &'t Progress<'t>,
    /// How many tokens more there may be.
    left: usize,
    keys: Vec<Arc<str>>,
}

impl<'t> Reader<'t> {
    fn of(&self, token: Token) -> &'t str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    fn next(&mut self) -> Option<Token> {
        self.left = self.left.checked_sub(1)?;
        if self.progress.step() { self.scanner.token().ok() } else { None }
    }

    /// All parameters, up to the end or to a word that begins a clause and is no parameter's name.
    fn parameters(&mut self) -> Option<(Map, u32)> {
        let mut entries = Vec::new();
        loop {
            let token = self.next()?;
            if token.kind == Kind::End {
                return Some((Map::new(entries), token.start));
            }
            let is_named = self.next()?.kind == Kind::Equal;
            if !is_named && token.keyword.begins_clause() {
                return Some((Map::new(entries), token.start));
            }
            if !is_named || !is_name(token) || is_operator(token.keyword) {
                return None;
            }
            let name = lexer::name(self.of(token)).into();
            let token = self.next()?;
            entries.push((name, self.value(token, 0)?));
        }
    }

    /// The value that begins with a token.
    fn value(&mut self, token: Token, depth: usize) -> Option<Value> {
        match (token.kind, token.keyword) {
            (Kind::Number, _) => self.number(token, false),
            (Kind::Minus, _) => {
                let token = self.next()?;
                if token.kind == Kind::Number { self.number(token, true) } else { None }
            }
            (Kind::String, _) => {
                let text = lexer::string(self.of(token), token.start).ok()?;
                Some(Value::String(text.into()))
            }
            (Kind::OpenBracket, _) if depth < DEEPEST => self.list(depth + 1),
            (Kind::OpenBrace, _) if depth < DEEPEST => self.map(depth + 1),
            (Kind::Word, Keyword::Null) => Some(Value::Null),
            (Kind::Word, Keyword::True) => Some(Value::Boolean(true)),
            (Kind::Word, Keyword::False) => Some(Value::Boolean(false)),
            _ => None,
        }
    }

    fn number(&self, token: Token, negative: bool) -> Option<Value> {
        Some(match lexer::number(self.of(token), token.start).ok()? {
            Number::Float(value) => Value::Float(if negative { -value } else { value }),
            Number::Integer(value) if negative => {
                Value::Integer(0_i64.wrapping_sub_unsigned(value))
            }
            Number::Integer(value) => Value::Integer(i64::try_from(value).ok()?),
        })
    }

    /// What stands behind an opening bracket.
    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut values = Vec::new();
        let mut token = self.next()?;
        while token.kind != Kind::CloseBracket || !values.is_empty() {
            values.push(self.value(token, depth)?);
            match self.next()?.kind {
                Kind::Comma => token = self.next()?,
                Kind::CloseBracket => break,
                _ => return None,
            }
        }
        Value::list(values).checked().ok()
    }

    /// What stands behind an opening brace.
    fn map(&mut self, depth: usize) -> Option<Value> {
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        let mut token = self.next()?;
        while token.kind != Kind::CloseBrace || !entries.is_empty() {
            if !is_name(token) || self.next()?.kind != Kind::Colon {
                return None;
            }
            let key = self.key(token, entries.len());
            let token_of_value = self.next()?;
            entries.push((key, self.value(token_of_value, depth)?));
            match self.next()?.kind {
                Kind::Comma => token = self.next()?,
                Kind::CloseBrace => break,
                _ => return None,
            }
        }
        Value::Map(Arc::new(Map::new(entries))).checked().ok()
    }

    /// The name of an entry, which stands at a place of its map: that of the map before, mostly.
    fn key(&mut self, token: Token, place: usize) -> Arc<str> {
        let name = lexer::name(self.of(token));
        if let Some(known) = self.keys.get(place).filter(|known| ***known == *name) {
            return Arc::clone(known);
        }
        if let Some(known) = self.keys.iter().find(|known| ***known == *name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        if self.keys.len() < KEYS {
            self.keys.push(Arc::clone(&new));
        }
        new
    }
}

fn is_name(token: Token) -> bool {
    matches!(token.kind, Kind::Word | Kind::Quoted)
}

/// Whether the parser takes a word behind a value for an operator.
fn is_operator(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::And
            | Keyword::Or
            | Keyword::Xor
            | Keyword::In
            | Keyword::Starts
            | Keyword::Ends
            | Keyword::Contains
            | Keyword::Is
    )
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
