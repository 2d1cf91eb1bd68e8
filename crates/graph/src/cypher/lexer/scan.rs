//! One token after another.

use super::super::error::{Class, Error};
use super::{Keyword, Kind, Token};

/// Where in a text the next token is looked for.
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    /// Starts at a byte of a text.
    pub fn new(text: &'t str, from: u32) -> Self {
        Self { text, at: from as usize }
    }

    /// The byte that is looked at next.
    #[expect(clippy::cast_possible_truncation, reason = "texts are shorter than 4 GiB")]
    pub fn at(&self) -> u32 {
        self.at as u32
    }

    /// The next token.
    pub fn token(&mut self) -> Result<Token, Error> {
        self.skip_blanks()?;
        let start = self.at();
        let kind = self.kind()?;
        let end = self.at();
        let keyword = match kind {
            Kind::Word => Keyword::of(self.text.get(start as usize..self.at).unwrap_or_default()),
            _ => Keyword::Other,
        };
        Ok(Token { kind, keyword, start, end })
    }

    fn kind(&mut self) -> Result<Kind, Error> {
        let Some(byte) = self.peek(0) else { return Ok(Kind::End) };
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Ok(self.word()),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => Ok(self.number()),
            b'\'' | b'"' => self.quoted(byte, Kind::String),
            b'`' => self.quoted(byte, Kind::Quoted),
            b'$' => self.parameter(),
            0x80.. => self.unicode(),
            _ => self.sign(byte),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn char(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    /// Blanks and comments.
    fn skip_blanks(&mut self) -> Result<(), Error> {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b' ' | b'\t'..=b'\r' | 0x1c..=0x1f, _) => self.at += 1,
                (b'/', Some(b'/')) => self.skip_line(),
                (b'/', Some(b'*')) => self.skip_comment()?,
                (0x80.., _) => match self.char() {
                    Some(char) if char.is_whitespace() || char == '\u{feff}' => {
                        self.at += char.len_utf8();
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) -> Result<(), Error> {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        if let Some(length) = rest.find("*/") {
            self.at += length + 4;
            return Ok(());
        }
        self.at = self.text.len();
        Err(self.error("Invalid input at end of input: expected '*/'"))
    }

    fn error(&self, message: &str) -> Error {
        Error::new(Class::UnexpectedSyntax, self.at(), message)
    }

    fn word(&mut self) -> Kind {
        loop {
            match self.peek(0) {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9') => self.at += 1,
                Some(0x80..) => match self.char() {
                    Some(char) if char.is_alphanumeric() => self.at += char.len_utf8(),
                    _ => return Kind::Word,
                },
                _ => return Kind::Word,
            }
        }
    }

    /// A character beyond ASCII: it begins a name, or it is nothing.
    fn unicode(&mut self) -> Result<Kind, Error> {
        match self.char() {
            Some(char) if char.is_alphabetic() => Ok(self.word()),
            char => {
                let message = format!("Invalid input '{}'", char.unwrap_or('\u{fffd}'));
                Err(Error::new(Class::InvalidUnicodeCharacter, self.at(), message))
            }
        }
    }

    /// A number, with all letters that stick to it: what is wrong with it is told later.
    fn number(&mut self) -> Kind {
        let based = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X' | b'o'));
        let mut dotted = based;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'.' if !dotted && self.peek(1).is_some_and(|next| next.is_ascii_digit()) => {
                    dotted = true;
                    self.at += 1;
                }
                b'e' | b'E' if !based => {
                    dotted = true;
                    let sign = matches!(self.peek(1), Some(b'+' | b'-'));
                    let digit = self.peek(2).is_some_and(|next| next.is_ascii_digit());
                    self.at += if sign && digit { 2 } else { 1 };
                }
                b'0'..=b'9' => self.at += 1,
                _ => break,
            }
            if based && self.peek(0).is_some_and(|next| !next.is_ascii_digit()) {
                break;
            }
        }
        self.word();
        Kind::Number
    }

    /// A string or a name in quotes.
    fn quoted(&mut self, quote: u8, kind: Kind) -> Result<Kind, Error> {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'\\' && kind == Kind::String {
                self.at += 1;
            } else if byte == quote {
                if kind == Kind::String || self.peek(0) != Some(quote) {
                    return Ok(kind);
                }
                self.at += 1;
            }
        }
        self.at = self.text.len();
        let quote = char::from(quote);
        Err(self.error(&format!("Invalid input at end of input: expected {quote}")))
    }

    fn parameter(&mut self) -> Result<Kind, Error> {
        self.at += 1;
        match self.peek(0) {
            Some(b'`') => self.quoted(b'`', Kind::Parameter),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9') => {
                self.word();
                Ok(Kind::Parameter)
            }
            Some(0x80..) => self.unicode().map(|_| Kind::Parameter),
            _ => Err(self.error("Invalid input: expected the name of a parameter")),
        }
    }

    fn sign(&mut self, byte: u8) -> Result<Kind, Error> {
        let (kind, length) = match (byte, self.peek(1)) {
            (b'.', Some(b'.')) => (Kind::DotDot, 2),
            (b'+', Some(b'=')) => (Kind::PlusEqual, 2),
            (b'<', Some(b'>')) => (Kind::NotEqual, 2),
            (b'<', Some(b'=')) => (Kind::LessEqual, 2),
            (b'>', Some(b'=')) => (Kind::GreaterEqual, 2),
            (b'=', Some(b'~')) => (Kind::Matches, 2),
            _ => match single(byte) {
                Some(kind) => (kind, 1),
                None => {
                    let shown = char::from(byte).escape_default();
                    return Err(self.error(&format!("Invalid input '{shown}'")));
                }
            },
        };
        self.at += length;
        Ok(kind)
    }
}

/// The signs of one character.
fn single(byte: u8) -> Option<Kind> {
    Some(match byte {
        b'(' => Kind::OpenParen,
        b')' => Kind::CloseParen,
        b'[' => Kind::OpenBracket,
        b']' => Kind::CloseBracket,
        b'{' => Kind::OpenBrace,
        b'}' => Kind::CloseBrace,
        b',' => Kind::Comma,
        b'.' => Kind::Dot,
        b':' => Kind::Colon,
        b';' => Kind::Semicolon,
        b'|' => Kind::Pipe,
        b'&' => Kind::Ampersand,
        b'!' => Kind::Exclamation,
        b'+' => Kind::Plus,
        b'-' => Kind::Minus,
        b'*' => Kind::Star,
        b'/' => Kind::Slash,
        b'%' => Kind::Percent,
        b'^' => Kind::Caret,
        b'=' => Kind::Equal,
        b'<' => Kind::Less,
        b'>' => Kind::Greater,
        _ => return None,
    })
}
