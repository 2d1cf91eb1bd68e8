//! The token that is looked at, and what may be asked of it.

use crate::cypher::ast::Expr;
use crate::cypher::error::{Class, Error};
use crate::cypher::lexer::{self, Keyword, Kind, Token, Tokens};
use crate::cypher::name::{Name, Span};
use crate::cypher::progress::Progress;

/// How deep expressions, subqueries and operators of different ranks may lie in each other.
///
/// The parser and all walks over the tree call themselves: for so deep a query they take less than
/// half of a thread's 2 MiB of stack.
pub const MAX_NESTING: usize = 150;

/// A position in the tokens of a text.
pub struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: Tokens,
    at: usize,
    depth: usize,
    progress: &'t Progress<'t>,
    /// Whether `|` ends the expression that is parsed, instead of meaning another label.
    pub(super) bar_ends: bool,
}

impl<'t> Parser<'t> {
    /// Starts at a byte of a text.
    pub fn new(text: &'t str, from: u32, progress: &'t Progress<'t>) -> Result<Self, Error> {
        let tokens = lexer::tokens(text, from, progress)?;
        Ok(Self { text, tokens, at: 0, depth: 0, progress, bar_ends: false })
    }

    /// The token that is some places ahead.
    pub(super) fn ahead(&self, places: usize) -> Token {
        self.token_at(self.at + places)
    }

    /// A token by its number; the end, if there is none.
    pub(super) fn token_at(&self, index: usize) -> Token {
        let end = || Token { kind: Kind::End, keyword: Keyword::Other, start: 0, end: 0 };
        let tokens = &self.tokens.list;
        tokens.get(index).or(tokens.last()).copied().unwrap_or_else(end)
    }

    /// The number of the token that is looked at.
    pub(super) fn index(&self) -> usize {
        self.at
    }

    /// The number of the token that closes the bracket at a token; that itself, if none does.
    pub(super) fn partner(&self, index: usize) -> usize {
        self.tokens.partners.get(index).map_or(index, |partner| *partner as usize)
    }

    pub(super) fn kind(&self) -> Kind {
        self.ahead(0).kind
    }

    pub(super) fn keyword(&self) -> Keyword {
        self.ahead(0).keyword
    }

    /// Where the token that is looked at starts.
    pub(super) fn start(&self) -> u32 {
        self.ahead(0).start
    }

    /// From a byte to the end of the last token that was taken.
    pub(super) fn since(&self, start: u32) -> Span {
        let last = self.at.checked_sub(1).map(|index| self.token_at(index).end);
        Span { start, end: last.unwrap_or(start) }
    }

    /// Takes the token. Where the parser is to end, the text ends.
    pub(super) fn bump(&mut self) -> Token {
        if !self.progress.step() {
            self.at = self.tokens.list.len().saturating_sub(1);
        }
        let token = self.ahead(0);
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Takes the token if it is of a kind.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let is = self.kind() == kind;
        if is {
            self.bump();
        }
        is
    }

    /// Takes the token if it is a keyword.
    pub(super) fn eat_word(&mut self, keyword: Keyword) -> bool {
        let is = self.keyword() == keyword;
        if is {
            self.bump();
        }
        is
    }

    /// Takes a token of a kind, which messages call so.
    pub(super) fn expect(&mut self, kind: Kind, called: &str) -> Result<Token, Error> {
        if self.kind() == kind { Ok(self.bump()) } else { Err(self.unexpected(called)) }
    }

    /// Takes a keyword.
    pub(super) fn expect_word(&mut self, keyword: Keyword) -> Result<(), Error> {
        if self.eat_word(keyword) { Ok(()) } else { Err(self.unexpected(keyword.text())) }
    }

    /// The token cannot stand here: something else is expected.
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let token = self.ahead(0);
        if let (Kind::Invalid, Some(error)) = (token.kind, &self.tokens.error) {
            return error.clone();
        }
        let rest = self.text.get(token.start as usize..).and_then(|rest| rest.chars().next());
        let found = match rest {
            Some(char) if token.kind != Kind::End => format!("Invalid input '{char}'"),
            _ => "Invalid input at end of input".to_owned(),
        };
        Error::new(Class::UnexpectedSyntax, token.start, format!("{found}: expected {expected}"))
    }

    /// Goes a level deeper; `leave` comes back. An error ends the parser, so that none is missed.
    pub(super) fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("Query is nested deeper than {MAX_NESTING} levels");
            return Err(Error::new(Class::TooComplex, self.start(), message));
        }
        Ok(())
    }

    /// Comes back from `enter`.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// A name of a label, a property, …: any word.
    pub(super) fn any_name(&mut self, called: &str) -> Result<Name, Error> {
        match self.kind() {
            Kind::Word | Kind::Quoted => Ok(self.take_name()),
            _ => Err(self.unexpected(called)),
        }
    }

    /// A name of a variable: a word that is not reserved.
    pub(super) fn variable(&mut self) -> Result<Name, Error> {
        if self.is_variable() {
            Ok(self.take_name())
        } else {
            Err(self.unexpected("an identifier"))
        }
    }

    /// Whether the token can be the name of a variable.
    pub(super) fn is_variable(&self) -> bool {
        is_variable(self.ahead(0))
    }

    fn take_name(&mut self) -> Name {
        let token = self.bump();
        let span = Span { start: token.start, end: token.end };
        Name::new(&lexer::name(span.of(self.text)), span)
    }

    /// The name of a parameter.
    pub(super) fn parameter(&mut self) -> Name {
        let token = self.bump();
        let span = Span { start: token.start + 1, end: token.end };
        let name = Name::new(&lexer::name(span.of(self.text)), span);
        Name { span: Span { start: token.start, end: token.end }, ..name }
    }

    /// What a rule finds, once and after each comma.
    pub(super) fn list<T>(
        &mut self,
        mut rule: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut list = vec![rule(self)?];
        while self.eat(Kind::Comma) {
            list.push(rule(self)?);
        }
        Ok(list)
    }

    /// An expression after a keyword, if it is there.
    pub(super) fn after_word(&mut self, keyword: Keyword) -> Result<Option<Expr>, Error> {
        if self.eat_word(keyword) { self.expr().map(Some) } else { Ok(None) }
    }

    /// What a rule finds, where `|` ends an expression or means another label.
    pub(super) fn with_bar<T>(
        &mut self,
        ends: bool,
        rule: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let before = std::mem::replace(&mut self.bar_ends, ends);
        let result = rule(self);
        self.bar_ends = before;
        result
    }
}

/// Whether a token can be the name of a variable.
pub fn is_variable(token: Token) -> bool {
    match token.kind {
        Kind::Quoted => true,
        Kind::Word => !token.keyword.is_reserved(),
        _ => false,
    }
}
