//! What is wrong with a text, and where: the words clients know.
//!
//! RedisJSON shows its parser's errors to clients, `expected value at line 1 column 2`, so the
//! same words are said of the same places. This walk is only made of texts that were refused; it
//! is slow, plain, and separate, so that reading good texts carries no positions along.
//!
//! A column is the number of bytes of the line that were looked at. Most errors are about a byte
//! that was only peeked at, and count it; [`Walk::here`] and [`Walk::peeked`] are these two.

use std::fmt;

use crate::lex::{Fail, MAX_DEPTH, hex4};

/// What is wrong with a text. Lines and columns count from 1, columns in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    what: Fault,
    line: usize,
    column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    EndInList,
    EndInObject,
    EndInString,
    EndInValue,
    Colon,
    CommaOrBracket,
    CommaOrBrace,
    Ident,
    Value,
    Escape,
    Number,
    OutOfRange,
    CodePoint,
    Control,
    NameNotString,
    Surrogate,
    HexEnd,
    TrailingComma,
    TrailingCharacters,
    Depth,
    TooLarge,
}

impl Fault {
    fn text(self) -> &'static str {
        match self {
            Fault::EndInList => "EOF while parsing a list",
            Fault::EndInObject => "EOF while parsing an object",
            Fault::EndInString => "EOF while parsing a string",
            Fault::EndInValue => "EOF while parsing a value",
            Fault::Colon => "expected `:`",
            Fault::CommaOrBracket => "expected `,` or `]`",
            Fault::CommaOrBrace => "expected `,` or `}`",
            Fault::Ident => "expected ident",
            Fault::Value => "expected value",
            Fault::Escape => "invalid escape",
            Fault::Number => "invalid number",
            Fault::OutOfRange => "number out of range",
            Fault::CodePoint => "invalid unicode code point",
            Fault::Control => "control character (\\u0000-\\u001F) found while parsing a string",
            Fault::NameNotString => "key must be a string",
            Fault::Surrogate => "lone leading surrogate in hex escape",
            Fault::HexEnd => "unexpected end of hex escape",
            Fault::TrailingComma => "trailing comma",
            Fault::TrailingCharacters => "trailing characters",
            Fault::Depth => "recursion limit exceeded",
            Fault::TooLarge => "document too large",
        }
    }
}

impl ParseError {
    /// Whether the text is only nested too deep.
    #[must_use]
    pub fn is_depth(&self) -> bool {
        self.what == Fault::Depth
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.what.text(), self.line, self.column)
    }
}

impl std::error::Error for ParseError {}

/// The error of a text that was refused. O(n).
#[cold]
pub(crate) fn diagnose(text: &[u8], fail: Fail) -> ParseError {
    let mut walk = Walk { text, at: 0 };
    let found = match fail {
        Fail::TooLarge => walk.here(Fault::TooLarge),
        Fail::Syntax => walk.document(),
    };
    // What was refused has an error; should the two ever disagree, the text stays refused.
    let (what, at) = found.err().unwrap_or((Fault::Value, text.len()));
    let before = &text[..at.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |nl| nl + 1);
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    ParseError { what, line, column: before.len() - line_start }
}

type Found = Result<(), (Fault, usize)>;

struct Walk<'t> {
    text: &'t [u8],
    at: usize,
}

impl Walk<'_> {
    fn here(&self, fault: Fault) -> Found {
        Err((fault, self.at))
    }

    fn peeked(&self, fault: Fault) -> Found {
        Err((fault, self.text.len().min(self.at + 1)))
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    fn document(&mut self) -> Found {
        self.value(0)?;
        match self.skip_space() {
            Some(_) => self.peeked(Fault::TrailingCharacters),
            None => Ok(()),
        }
    }

    fn value(&mut self, depth: usize) -> Found {
        let Some(first) = self.skip_space() else { return self.peeked(Fault::EndInValue) };
        match first {
            b'n' => self.ident(b"null"),
            b't' => self.ident(b"true"),
            b'f' => self.ident(b"false"),
            b'-' | b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'[' | b'{' if depth == MAX_DEPTH => self.peeked(Fault::Depth),
            b'[' => self.array(depth + 1),
            b'{' => self.object(depth + 1),
            _ => self.peeked(Fault::Value),
        }
    }

    fn ident(&mut self, word: &[u8]) -> Found {
        for &expected in word {
            match self.next() {
                None => return self.here(Fault::EndInValue),
                Some(byte) if byte != expected => return self.here(Fault::Ident),
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Found {
        self.at += 1;
        let mut is_first = true;
        loop {
            match self.skip_space() {
                None => return self.peeked(Fault::EndInList),
                Some(b']') => break,
                Some(_) if is_first => {}
                Some(b',') => {
                    self.at += 1;
                    match self.skip_space() {
                        Some(b']') => return self.peeked(Fault::TrailingComma),
                        Some(_) => {}
                        None => return self.peeked(Fault::EndInValue),
                    }
                }
                Some(_) => return self.peeked(Fault::CommaOrBracket),
            }
            is_first = false;
            self.value(depth)?;
        }
        self.at += 1;
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Found {
        self.at += 1;
        let mut is_first = true;
        loop {
            match self.skip_space() {
                None => return self.peeked(Fault::EndInObject),
                Some(b'}') => break,
                Some(b'"') if is_first => {}
                Some(_) if is_first => return self.peeked(Fault::NameNotString),
                Some(b',') => {
                    self.at += 1;
                    match self.skip_space() {
                        Some(b'"') => {}
                        Some(b'}') => return self.peeked(Fault::TrailingComma),
                        Some(_) => return self.peeked(Fault::NameNotString),
                        None => return self.peeked(Fault::EndInValue),
                    }
                }
                Some(_) => return self.peeked(Fault::CommaOrBrace),
            }
            is_first = false;
            self.string()?;
            match self.skip_space() {
                Some(b':') => self.at += 1,
                Some(_) => return self.peeked(Fault::Colon),
                None => return self.peeked(Fault::EndInObject),
            }
            self.value(depth)?;
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Found {
        self.at += 1;
        let mut from = self.at;
        loop {
            match self.next() {
                None => return self.here(Fault::EndInString),
                Some(b'"') => return self.code_points(from, self.at - 1),
                Some(b'\\') => {
                    // Bytes that are no text are found at the closing quote, so not here.
                    if str::from_utf8(&self.text[from..self.at - 1]).is_ok() {
                        from = self.at - 1;
                    }
                    self.escape()?;
                }
                Some(0..0x20) => return self.here(Fault::Control),
                Some(_) => {}
            }
        }
    }

    fn code_points(&self, from: usize, to: usize) -> Found {
        match str::from_utf8(&self.text[from..to]) {
            Ok(_) => Ok(()),
            Err(_) => self.here(Fault::CodePoint),
        }
    }

    fn escape(&mut self) -> Found {
        match self.next() {
            None => self.here(Fault::EndInString),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => self.unicode(),
            Some(_) => self.here(Fault::Escape),
        }
    }

    fn hex(&mut self) -> Result<u32, (Fault, usize)> {
        if self.text.len() < self.at + 4 {
            return Err((Fault::EndInString, self.text.len()));
        }
        self.at += 4;
        hex4(self.text, self.at - 4).ok_or((Fault::Escape, self.at))
    }

    fn unicode(&mut self) -> Found {
        match self.hex()? {
            0xDC00..=0xDFFF => self.here(Fault::Surrogate),
            0xD800..=0xDBFF => {
                for expected in *b"\\u" {
                    match self.next() {
                        None => return self.here(Fault::EndInString),
                        Some(byte) if byte != expected => return self.here(Fault::HexEnd),
                        Some(_) => {}
                    }
                }
                match self.hex()? {
                    0xDC00..=0xDFFF => Ok(()),
                    _ => self.here(Fault::Surrogate),
                }
            }
            _ => Ok(()),
        }
    }

    fn skip_digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Found {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.next() {
            None => return self.here(Fault::EndInValue),
            Some(b'0') if self.peek().is_some_and(|byte| byte.is_ascii_digit()) => {
                return self.peeked(Fault::Number);
            }
            Some(b'0'..=b'9') => self.skip_digits(),
            Some(_) => return self.here(Fault::Number),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            let first = self.at;
            self.skip_digits();
            if self.at == first {
                let is_end = self.peek().is_none();
                return self.peeked(if is_end { Fault::EndInValue } else { Fault::Number });
            }
        }
        let significand = self.at;
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.exponent(start, significand)?;
        }
        let text = str::from_utf8(&self.text[start..self.at]).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(()),
            _ => self.here(Fault::OutOfRange),
        }
    }

    fn exponent(&mut self, start: usize, significand: usize) -> Found {
        let is_negative = self.peek() == Some(b'-');
        if let Some(b'+' | b'-') = self.peek() {
            self.at += 1;
        }
        let mut exponent = match self.next() {
            None => return self.here(Fault::EndInValue),
            Some(digit @ b'0'..=b'9') => i32::from(digit - b'0'),
            Some(_) => return self.here(Fault::Number),
        };
        let is_zero =
            self.text[start..significand].iter().all(|byte| !(b'1'..=b'9').contains(byte));
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            self.at += 1;
            let next = exponent.checked_mul(10).and_then(|e| e.checked_add((digit - b'0').into()));
            match next {
                Some(next) => exponent = next,
                None if is_negative || is_zero => {
                    self.skip_digits();
                    return Ok(());
                }
                None => return self.here(Fault::OutOfRange),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "diagnose_tests.rs"]
mod tests;
