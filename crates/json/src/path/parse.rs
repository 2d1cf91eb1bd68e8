//! From text to a query: segments, brackets, names, indices, slices.
//!
//! ```text
//! path      = query | expression                  an expression is computed
//! query     = ("$" | "@") segment* ["~"]          legacy paths leave the "$" or "$." out
//! segment   = "." name | ".*" | ["."] brackets | ".." (name | "*" | brackets)
//! brackets  = "[" selector ("," selector)* "]"
//! selector  = string | integer | [integer] ":" [integer] [":" [integer]] | "*" | "?" condition
//! ```
//!
//! Recursive descent over bytes; white space is skipped where RFC 9535 allows it. Nesting and the
//! number of segments one inside another are bounded, because running the result recurses with
//! both. Conditions and expressions are in `parse_expression`, literals in `parse_literal`.

use super::error::PathError;
use super::limits::MAX_NESTING;
use super::pattern::Allowance;
use super::syntax::{Expr, Origin, Query, Segment, Selector, Slice, price_of};

/// How many segments a path may have, those of the filters it leads through included. Documents are
/// at most 128 deep.
const MAX_SEGMENTS: usize = 256;

/// The largest index, and the smallest negated: what a double counts exactly.
const MAX_INDEX: u64 = (1 << 53) - 1;

pub(super) type Parsed<X> = Result<X, PathError>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Brackets, parentheses and signs around this place.
    nesting: usize,
    /// Segments before this place, in this query and those around it.
    chain: usize,
    /// Filters around this place: only there is `@` known.
    filters: usize,
    /// The `$` of a legacy path, which is not in the text, is still to come.
    implied: bool,
    /// For the patterns that are still to come.
    pub(super) allowance: Allowance,
}

/// Whether a path follows the `$` rules; anything else is a legacy path, to which `$.` is added.
pub(super) fn is_jsonpath(text: &str) -> bool {
    // A name may begin with a sign, but then neither a dollar nor a parenthesis follows.
    let signed = text.starts_with(['+', '-']);
    let rest = if signed { text.trim_start_matches(['+', '-', ' ']) } else { text };
    let bytes = rest.as_bytes();
    match bytes.first() {
        Some(b'$') => {
            matches!(bytes.get(1), None | Some(b'.' | b'[' | b'~' | b' ' | b'\t' | b'\n' | b'\r'))
        }
        Some(b'(') => true,
        _ => begins_call(rest),
    }
}

/// `name(`, maybe with blanks between.
fn begins_call(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    rest.len() < text.len() && rest.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('(')
}

/// What may stand in a name without quotes: letters, digits, some signs, all that is not ASCII.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'-' | b'_' | b'`' | b'+' | b'#' | b'%' | b'$' | b'^' | b'/' | b':')
}

impl<'t> Parser<'t> {
    /// A parser at the start; `legacy` if the text leaves out its `$` or `$.`.
    pub fn new(text: &'t str, legacy: bool) -> Parser<'t> {
        Parser {
            text,
            at: 0,
            nesting: 0,
            chain: 0,
            filters: 0,
            implied: legacy,
            allowance: Allowance::default(),
        }
    }

    /// The whole text, and what its patterns took.
    pub fn path(mut self) -> Parsed<(Expr, Allowance)> {
        if self.peek() == Some(b'$') && !self.implied {
            // Nearly always there is nothing else.
            let query = self.query(Origin::Root)?;
            if self.at == self.text.len() {
                return Ok((Expr::Query(query), self.allowance));
            }
            self.at = 0;
        }
        let term = self.expression(super::parse_expression::SUM)?;
        if self.at < self.text.len() {
            return Err(self.fail("'.name', '[...]', '..', an operator, the end of the path"));
        }
        let value = self.value(term)?;
        Ok((*value, self.allowance))
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) fn peek_after(&self, bytes: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + bytes).copied()
    }

    /// Takes the bytes if they come next.
    #[inline]
    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted.as_bytes());
        if found {
            self.at += wanted.len();
        }
        found
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    pub(super) fn slice(&self, from: usize) -> &'t str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    #[cold]
    pub(super) fn fail(&self, expected: &'static str) -> PathError {
        self.fail_at(self.at, expected)
    }

    #[cold]
    pub(super) fn fail_at(&self, at: usize, expected: &'static str) -> PathError {
        PathError::syntax(self.text, at, expected)
    }

    /// One level further in.
    pub(super) fn nested<X>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<X>) -> Parsed<X> {
        if self.nesting >= MAX_NESTING {
            return Err(PathError::TooDeep);
        }
        self.nesting += 1;
        let read = read(self)?;
        self.nesting -= 1;
        Ok(read)
    }

    /// Whether the query of a legacy path comes next: once, at its start.
    pub(super) fn implied_comes(&mut self) -> bool {
        std::mem::take(&mut self.implied)
    }

    /// The query of a legacy path.
    pub(super) fn implied(&mut self) -> Parsed<Query> {
        let mut segments = Vec::with_capacity(4);
        if self.text.is_empty() {
            return Err(self.fail("'$', a name, '*', '[...]'"));
        }
        if self.text != "." && self.peek() != Some(b'.') {
            self.after_dot(&mut segments)?;
        } else if self.text == "." {
            self.at = 1;
        }
        self.segments(&mut segments)?;
        Ok(query(Origin::Root, segments))
    }

    /// `$` or `@` and what follows.
    pub(super) fn query(&mut self, from: Origin) -> Parsed<Query> {
        self.at += 1;
        let before = self.chain;
        let mut segments = Vec::with_capacity(4);
        if from == Origin::Current {
            self.bare(&mut segments)?;
        }
        if self.rest() == b"." && self.filters == 0 && from == Origin::Root {
            // `$.` is the root, as a legacy `.` is.
            self.at += 1;
        }
        self.segments(&mut segments)?;
        self.chain = before;
        Ok(query(from, segments))
    }

    /// `@` outside of filters means nothing.
    pub(super) fn in_filter(&self) -> bool {
        self.filters > 0
    }

    /// `@name` and `@*` mean `@.name` and `@.*`; the words of operators do not.
    fn bare(&mut self, segments: &mut Vec<Segment>) -> Parsed<()> {
        match self.peek() {
            Some(b'*') => self.after_dot(segments),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..) => {
                let at = self.at;
                let name = self.name();
                self.at = at;
                let reserved = super::parse_expression::relation_named(name).is_some();
                if reserved { Ok(()) } else { self.after_dot(segments) }
            }
            _ => Ok(()),
        }
    }

    /// As many segments as there are; stops before a method, `.name(`.
    fn segments(&mut self, segments: &mut Vec<Segment>) -> Parsed<()> {
        loop {
            let start = self.at;
            self.space();
            match (self.peek(), self.peek_after(1)) {
                (Some(b'.'), Some(b'.')) => {
                    self.at += 2;
                    let selectors = self.below()?;
                    segments.push(Segment::Descendant(selectors));
                    self.count()?;
                }
                (Some(b'.'), _) => {
                    self.at += 1;
                    let name = self.at;
                    self.after_dot(segments)?;
                    if self.peek() == Some(b'(') && self.at > name {
                        segments.pop();
                        self.at = start;
                        return Ok(());
                    }
                }
                (Some(b'['), _) => {
                    let selectors = self.brackets()?;
                    segments.push(child(selectors));
                    self.count()?;
                }
                _ => {
                    self.at = start;
                    return Ok(());
                }
            }
        }
    }

    fn count(&mut self) -> Parsed<()> {
        self.chain += 1;
        if self.chain > MAX_SEGMENTS { Err(PathError::TooDeep) } else { Ok(()) }
    }

    /// What follows a single dot, or begins a legacy path.
    fn after_dot(&mut self, segments: &mut Vec<Segment>) -> Parsed<()> {
        let segment = match self.peek() {
            Some(b'[') => child(self.brackets()?),
            Some(b'*') => {
                self.at += 1;
                Segment::Child(Box::new([Selector::Wildcard]))
            }
            Some(byte) if is_name_byte(byte) => Segment::Name(self.name().into()),
            _ => return Err(self.fail("a name, '*', '[...]'")),
        };
        segments.push(segment);
        self.count()
    }

    /// What follows two dots.
    fn below(&mut self) -> Parsed<Box<[Selector]>> {
        match self.peek() {
            Some(b'[') => self.brackets(),
            Some(b'*') => {
                self.at += 1;
                Ok(Box::new([Selector::Wildcard]))
            }
            Some(byte) if is_name_byte(byte) => Ok(Box::new([Selector::Name(self.name().into())])),
            _ => Err(self.fail("a name, '*', '[...]'")),
        }
    }

    /// The longest run of characters that may be in a name.
    pub(super) fn name(&mut self) -> &'t str {
        let from = self.at;
        let run = self.rest().iter().take_while(|&&byte| is_name_byte(byte)).count();
        self.at += run;
        self.slice(from)
    }

    /// `[…]`.
    fn brackets(&mut self) -> Parsed<Box<[Selector]>> {
        self.at += 1;
        self.nested(|parser| {
            parser.space();
            let first = parser.selector()?;
            parser.space();
            if parser.eat("]") {
                return Ok(Box::from([first]));
            }
            let mut selectors = vec![first];
            loop {
                parser.space();
                if parser.eat("]") {
                    return Ok(selectors.into());
                }
                if !parser.eat(",") {
                    return Err(parser.fail("',', ']'"));
                }
                parser.space();
                selectors.push(parser.selector()?);
            }
        })
    }

    fn selector(&mut self) -> Parsed<Selector> {
        match self.peek() {
            Some(b'\'' | b'"') => Ok(Selector::Name(self.string()?)),
            Some(b'*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some(b'?') => {
                self.at += 1;
                self.filters += 1;
                let condition = self.condition()?;
                self.filters -= 1;
                Ok(Selector::Filter(condition))
            }
            Some(b'-' | b':' | b'0'..=b'9') => self.index_or_slice(),
            _ => Err(self.fail("a name in quotes, an index, 'start:end:step', '*', '?filter'")),
        }
    }

    fn index_or_slice(&mut self) -> Parsed<Selector> {
        let start = self.integer()?;
        let after = self.at;
        self.space();
        if !self.eat(":") {
            self.at = after;
            return match start {
                Some(index) => Ok(Selector::Index(index)),
                None => Err(self.fail("an index, 'start:end:step'")),
            };
        }
        self.space();
        let end = self.integer()?;
        self.space();
        let mut step = None;
        if self.eat(":") {
            self.space();
            step = self.integer()?;
        }
        Ok(Selector::Slice(Slice { start, end, step: step.unwrap_or(1) }))
    }

    /// An integer as RFC 9535 writes them, if one comes next.
    fn integer(&mut self) -> Parsed<Option<i64>> {
        const EXPECTED: &str = "an integer between -9007199254740991 and 9007199254740991";
        let from = self.at;
        let negative = self.eat("-");
        let digits = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        let text = self.slice(digits);
        if text.is_empty() && !negative {
            return Ok(None);
        }
        let zero_first = text.starts_with('0') && (text.len() > 1 || negative);
        let value = text.parse().ok().filter(|&value: &u64| value <= MAX_INDEX && !zero_first);
        let value = value.and_then(|value| i64::try_from(value).ok());
        let Some(value) = value else { return Err(self.fail_at(from, EXPECTED)) };
        Ok(Some(if negative { -value } else { value }))
    }
}

/// Brackets after a value; a name or an index alone has a form of its own.
fn child(selectors: Box<[Selector]>) -> Segment {
    match &*selectors {
        [Selector::Index(index)] => Segment::Index(*index),
        [Selector::Name(name)] => Segment::Name(name.clone()),
        _ => Segment::Child(selectors),
    }
}

fn query(from: Origin, segments: Vec<Segment>) -> Query {
    let single = |segment: &Segment| matches!(segment, Segment::Name(_) | Segment::Index(_));
    let singular = segments.iter().all(single);
    let price = segments.iter().map(|segment| match segment {
        Segment::Name(name) => price_of(name),
        _ => 1,
    });
    let price = price.sum();
    Query { from, segments, singular, price }
}
