//! Literals in a path: strings, numbers, and whole JSON values.
//!
//! Strings take either quote and the escapes of RFC 9535: those of JSON, and the quote the string
//! is in. Control characters need no escape, since names of members may have them.

use super::literal::{Literal, Members};
use super::parse::{Parsed, Parser};
use crate::tree::Num;

impl Parser<'_> {
    /// A string; the next byte is its quote.
    pub(super) fn string(&mut self) -> Parsed<Box<str>> {
        let Some(quote) = self.peek() else { return Err(self.fail("a quote")) };
        self.at += 1;
        let from = self.at;
        // Neither quotes nor backslashes are parts of longer characters in UTF-8.
        let stop = |byte: &u8| *byte == quote || *byte == b'\\';
        let Some(length) = self.rest().iter().position(stop) else {
            return Err(self.fail_at(self.text.len(), "the closing quote"));
        };
        self.at += length;
        let plain = self.slice(from);
        if self.peek() == Some(quote) {
            self.at += 1;
            return Ok(plain.into());
        }
        let mut text = String::from(plain);
        loop {
            let from = self.at;
            let length = self.rest().iter().position(stop);
            self.at += length.unwrap_or(self.rest().len());
            text.push_str(self.slice(from));
            match self.peek() {
                Some(b'\\') => text.push(self.escape(quote)?),
                Some(_) => {
                    self.at += 1;
                    return Ok(text.into());
                }
                None => return Err(self.fail("the closing quote")),
            }
        }
    }

    /// A backslash and what belongs to it.
    fn escape(&mut self, quote: u8) -> Parsed<char> {
        let from = self.at;
        self.at += 1;
        let escaped = self.peek();
        self.at += 1;
        Ok(match escaped {
            Some(byte) if byte == quote => char::from(quote),
            Some(byte @ (b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(from),
            _ => return Err(self.fail_at(from, "an escape of JSON, an escaped quote")),
        })
    }

    /// Four hexadecimal digits, or two such escapes that are a surrogate pair.
    fn unicode(&mut self, from: usize) -> Parsed<char> {
        let mut unit = || {
            let digits = self.text.get(self.at..self.at + 4)?;
            let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            self.at += 4;
            if hex { u32::from_str_radix(digits, 16).ok() } else { None }
        };
        let first = unit();
        let mut code = first;
        if let Some(high @ 0xd800..0xdc00) = first {
            code = None;
            if self.eat("\\u") {
                let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
                let low = u32::from_str_radix(digits, 16).ok();
                if let Some(low @ 0xdc00..0xe000) = low {
                    self.at += 4;
                    code = Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                }
            }
        }
        let found = code.and_then(char::from_u32);
        found.ok_or_else(|| self.fail_at(from, "four hexadecimal digits, a pair of surrogates"))
    }

    /// A number as JSON writes them.
    pub(super) fn number(&mut self) -> Parsed<Num> {
        let from = self.at;
        self.eat("-");
        let whole = self.digits();
        let mut good = whole == 1 || whole > 1 && self.text.as_bytes()[self.at - whole] != b'0';
        let mut integer = true;
        if good && self.eat(".") {
            integer = false;
            good = self.digits() > 0;
        }
        if good && let Some(b'e' | b'E') = self.peek() {
            integer = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            good = self.digits() > 0;
        }
        let glued = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_';
        if !good || self.peek().is_some_and(glued) {
            return Err(self.fail_at(from, "a number of JSON"));
        }
        let text = self.slice(from);
        if integer && let Ok(value) = text.parse() {
            return Ok(Num::I64(value));
        }
        if integer && let Ok(value) = text.parse() {
            return Ok(Num::U64(value));
        }
        match text.parse() {
            Ok(value) if f64::is_finite(value) => Ok(Num::F64(value)),
            _ => Err(self.fail_at(from, "a number that a double can hold")),
        }
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// `true`, `false`, `null`.
    pub(super) fn word(&mut self) -> Option<Literal> {
        let from = self.at;
        let word = self.name();
        let literal = match word {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "null" => Literal::Null,
            _ => {
                self.at = from;
                return None;
            }
        };
        Some(literal)
    }

    /// Any value of JSON, its strings in either quote.
    pub(super) fn literal(&mut self) -> Parsed<Literal> {
        match self.peek() {
            Some(b'\'' | b'"') => Ok(Literal::Str(self.string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Literal::Num(self.number()?)),
            Some(b'[') => self.array(),
            Some(b'{') => self.object(),
            _ => match self.word() {
                Some(literal) => Ok(literal),
                None => Err(self.fail("a value of JSON")),
            },
        }
    }

    /// `[value, …]`; the next byte is the bracket.
    fn array(&mut self) -> Parsed<Literal> {
        self.at += 1;
        self.nested(|parser| {
            let mut items = Vec::new();
            parser.space();
            if parser.eat("]") {
                return Ok(Literal::Array(items));
            }
            loop {
                parser.space();
                items.push(parser.literal()?);
                parser.space();
                if parser.eat("]") {
                    return Ok(Literal::Array(items));
                }
                if !parser.eat(",") {
                    return Err(parser.fail("',', ']'"));
                }
            }
        })
    }

    /// `{"name": value, …}`; the next byte is the brace.
    fn object(&mut self) -> Parsed<Literal> {
        self.at += 1;
        self.nested(|parser| {
            let mut members = Vec::new();
            parser.space();
            if parser.eat("}") {
                return Ok(Literal::Object(Members::new(members)));
            }
            loop {
                parser.space();
                let Some(b'\'' | b'"') = parser.peek() else {
                    return Err(parser.fail("a name in quotes"));
                };
                let name = parser.string()?;
                parser.space();
                if !parser.eat(":") {
                    return Err(parser.fail("':'"));
                }
                parser.space();
                members.push((name, parser.literal()?));
                parser.space();
                if parser.eat("}") {
                    return Ok(Literal::Object(Members::new(members)));
                }
                if !parser.eat(",") {
                    return Err(parser.fail("',', '}'"));
                }
            }
        })
    }
}
