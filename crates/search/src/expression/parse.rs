//! Reads an expression.

use super::function::Function;
use super::tree::{Expression, Node, Operator};
use super::value::Value;
use crate::arguments::text;
use crate::error::{Error, Result};
use crate::number;
use crate::query::Parameters;

/// How many operands it may have: so many are evaluated for each row.
const MAX_OPERANDS: usize = 100_000;
/// How deeply parentheses, signs and calls may be nested.
const MAX_DEPTH: usize = 128;

/// The place of a property in rows, or why there is none.
type Resolve<'a> = dyn FnMut(&[u8]) -> Result<usize> + 'a;

/// What remains to be read.
struct Parser<'a, 'r> {
    text: &'a [u8],
    at: usize,
    /// The word read last, which errors quote.
    near: &'a [u8],
    depth: usize,
    operands: usize,
    parameters: &'a Parameters,
    resolve: &'r mut Resolve<'r>,
}

/// Operators from the weakest rank to the strongest; longer ones first.
const RANKS: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or), ("&&", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
    &[("^", Operator::Power)],
];

impl Expression {
    /// Reads an expression. `resolve` returns the place of a property in rows.
    ///
    /// # Errors
    /// Where it is wrong, in the words of Redis.
    pub fn parse<'r>(
        text: &[u8],
        parameters: &Parameters,
        resolve: &'r mut (dyn FnMut(&[u8]) -> Result<usize> + 'r),
    ) -> Result<Self> {
        let (near, depth, operands) = (&b""[..], 0, 0);
        let mut parser = Parser { text, at: 0, near, depth, operands, parameters, resolve };
        let root = parser.rank(0)?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.syntax());
        }
        Ok(Self { root })
    }
}

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn syntax(&self) -> Error {
        let (at, near) = (self.at, text(self.near));
        Error::new(format!("Syntax error at offset {at} near '{near}'"))
    }

    /// Runs one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            let at = self.at;
            return Err(Error::new(format!(
                "Expression is nested too deeply at offset {at}: more than {MAX_DEPTH} levels"
            )));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The operator of this rank that is next.
    fn operator(&mut self, rank: usize) -> Option<Operator> {
        self.space();
        let rest = self.rest();
        let found = RANKS[rank].iter().find(|(sign, _)| rest.starts_with(sign.as_bytes()))?;
        self.at += found.0.len();
        Some(found.1)
    }

    /// Operands with operators of a rank between them.
    fn rank(&mut self, rank: usize) -> Result<Node> {
        if rank == RANKS.len() {
            self.operands += 1;
            if self.operands > MAX_OPERANDS {
                return Err(Error::new(format!(
                    "Expression is too long: it has more than {MAX_OPERANDS} operands"
                )));
            }
            return self.operand();
        }
        // Below `&&` and above comparisons, as in RediSearch: `!@a == 1` is `!(@a == 1)`.
        let first = if rank == 1 { self.negated()? } else { self.rank(rank + 1)? };
        let mut others = Vec::new();
        while let Some(operator) = self.operator(rank) {
            let operand = if rank == 1 { self.negated()? } else { self.rank(rank + 1)? };
            others.push((operator, operand));
        }
        Ok(if others.is_empty() { first } else { Node::Chain(Box::new(first), others) })
    }

    fn negated(&mut self) -> Result<Node> {
        self.space();
        let is_not = self.peek() == Some(b'!') && !self.rest().starts_with(b"!=");
        if !is_not {
            return self.rank(2);
        }
        self.at += 1;
        Ok(Node::Not(Box::new(self.nested(|this| this.rank(1))?)))
    }

    fn operand(&mut self) -> Result<Node> {
        self.space();
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let node = self.nested(|this| this.rank(0))?;
                if self.take(b')') { Ok(node) } else { Err(self.syntax()) }
            }
            Some(quote @ (b'"' | b'\'')) => self.quoted(quote),
            Some(b'@') => {
                self.at += 1;
                let name = self.name()?;
                Ok(Node::Property((self.resolve)(&name)?))
            }
            Some(b'$') => {
                self.at += 1;
                let name = self.name()?;
                self.parameter(&name)
            }
            Some(b'-' | b'+') => self.signed(),
            Some(b'!') => {
                self.at += 1;
                Ok(Node::Not(Box::new(self.nested(Self::operand)?)))
            }
            Some(byte) if byte.is_ascii_digit() || byte == b'.' => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.word(),
            _ => Err(self.syntax()),
        }
    }

    /// A number after a sign is one number; before anything else, `-` turns it around.
    fn signed(&mut self) -> Result<Node> {
        let is_minus = self.peek() == Some(b'-');
        self.at += 1;
        let is_number = self.peek().is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
        let node = if is_number { self.number()? } else { self.nested(Self::operand)? };
        Ok(match node {
            node if !is_minus => node,
            Node::Constant(Value::Number(number)) => Node::Constant(Value::Number(-number)),
            node => Node::Negate(Box::new(node)),
        })
    }

    fn number(&mut self) -> Result<Node> {
        let rest = self.rest();
        let digits = |from: usize| {
            let more = rest.get(from..).unwrap_or_default();
            from + more.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut end = digits(0);
        if rest.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end = if exponent > end + 1 + sign { exponent } else { end };
        }
        let written = &rest[..end];
        let number = number::parse(written).ok_or_else(|| self.syntax())?;
        self.at += end;
        self.near = written;
        Ok(Node::Constant(Value::Number(number)))
    }

    /// A name of a property or a parameter; a backslash keeps what is no letter.
    fn name(&mut self) -> Result<Vec<u8>> {
        let (start, mut name) = (self.at, Vec::new());
        while let Some(byte) = self.peek() {
            if byte == b'\\' {
                self.at += 1;
                name.extend(self.peek());
                self.at = (self.at + 1).min(self.text.len());
            } else if byte.is_ascii_alphanumeric() || b"_.".contains(&byte) || !byte.is_ascii() {
                self.at += 1;
                name.push(byte);
            } else {
                break;
            }
        }
        self.near = &self.text[start..self.at];
        if name.is_empty() { Err(self.syntax()) } else { Ok(name) }
    }

    fn parameter(&mut self, name: &[u8]) -> Result<Node> {
        let Some(value) = self.parameters.get(name) else {
            return Err(Error::new(format!("No such parameter `{}`", text(name))));
        };
        let number = number::parse(value).map(Value::Number);
        Ok(Node::Constant(number.unwrap_or_else(|| Value::text(value.clone()))))
    }

    fn quoted(&mut self, quote: u8) -> Result<Node> {
        self.at += 1;
        let mut value = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return Err(self.syntax()) };
            self.at += 1;
            match byte {
                byte if byte == quote => return Ok(Node::Constant(Value::Text(value))),
                b'\\' => {
                    value.extend(self.peek());
                    self.at = (self.at + 1).min(self.text.len());
                }
                byte => value.push(byte),
            }
        }
    }

    /// A function and its arguments, or `NULL`.
    fn word(&mut self) -> Result<Node> {
        let name = self.name()?;
        if !self.take(b'(') {
            if name.eq_ignore_ascii_case(b"null") {
                return Ok(Node::Constant(Value::Null));
            }
            return Err(Error::new(format!("Unknown symbol '{}'", text(&name))));
        }
        let Some(function) = Function::find(&name) else {
            return Err(Error::new(format!("Unknown function name '{}'", text(&name))));
        };
        let mut arguments = Vec::new();
        if !self.take(b')') {
            loop {
                arguments.push(self.nested(|this| this.rank(0))?);
                if self.take(b')') {
                    break;
                }
                if !self.take(b',') {
                    return Err(self.syntax());
                }
            }
        }
        let (least, most) = function.arguments();
        if !(least..=most).contains(&arguments.len()) {
            let name = text(&name);
            return Err(Error::new(format!("Invalid arguments for function '{name}'")));
        }
        Ok(Node::Call(function, arguments))
    }
}
