//! From text to tokens, and for each bracket its partner.
//!
//! A token is 12 bytes: kind, keyword, where it starts and ends. Values of numbers and strings are
//! made where the parser takes them, so that what is wrong with one is told of the place where it
//! may stand at all.

mod escape;
mod keyword;
mod number;
mod scan;

pub use escape::{name, string};
pub use keyword::Keyword;
pub use number::{Number, integer_overflow, number};
pub use scan::Scanner;

use super::error::{Class, Error};
use super::progress::Progress;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Kind {
    /// A name, or a keyword.
    Word,
    /// A name in backticks.
    Quoted,
    /// A number in any form, even a wrong one.
    Number,
    /// A string, with its quotes.
    String,
    /// `$name`.
    Parameter,
    /// Something that no token can be made of: the last one.
    Invalid,
    /// The end of the text.
    End,
    OpenParen, CloseParen, OpenBracket, CloseBracket, OpenBrace, CloseBrace,
    Comma, Dot, DotDot, Colon, Semicolon, Pipe, Ampersand, Exclamation,
    Plus, PlusEqual, Minus, Star, Slash, Percent, Caret,
    Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Matches,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Which keyword a word is.
    pub keyword: Keyword,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

/// The tokens of a text.
pub struct Tokens {
    /// The tokens; the last is `End`.
    pub list: Vec<Token>,
    /// For each token that opens a bracket, the one that closes it, or itself.
    pub partners: Vec<u32>,
    /// What was wrong where the last token before the end is `Invalid`.
    pub error: Option<Error>,
}

/// The longest text: offsets are 32 bits.
const MAX_LENGTH: usize = (u32::MAX - 1) as usize;

/// Makes tokens of a text, from a byte of it on; no more than there may be. Where it is to end, the
/// text ends.
pub fn tokens(text: &str, from: u32, progress: &Progress<'_>) -> Result<Tokens, Error> {
    let too_long = |at| Err(Error::new(Class::TooComplex, at, "Query is too long"));
    if text.len() > MAX_LENGTH {
        return too_long(0);
    }
    let mut scanner = Scanner::new(text, from);
    let mut list = Vec::with_capacity(16);
    let mut error = None;
    loop {
        match scanner.token() {
            Ok(token) if list.len() >= progress.most() => return too_long(token.start),
            Ok(token) if !progress.step() => {
                list.push(Token { kind: Kind::End, ..token });
                break;
            }
            Ok(token) => {
                list.push(token);
                if token.kind == Kind::End {
                    break;
                }
            }
            Err(problem) => {
                let at = scanner.at();
                list.push(Token {
                    kind: Kind::Invalid,
                    keyword: Keyword::Other,
                    start: at,
                    end: at,
                });
                list.push(Token { kind: Kind::End, keyword: Keyword::Other, start: at, end: at });
                error = Some(problem);
                break;
            }
        }
    }
    let partners = partners(&list);
    Ok(Tokens { list, partners, error })
}

/// Finds the partner of each bracket. One that is closed by another kind has none.
fn partners(list: &[Token]) -> Vec<u32> {
    let mut partners: Vec<u32> = (0..).take(list.len()).collect();
    let mut open: Vec<(Kind, usize)> = Vec::new();
    for (index, token) in list.iter().enumerate() {
        match token.kind {
            Kind::OpenParen => open.push((Kind::CloseParen, index)),
            Kind::OpenBracket => open.push((Kind::CloseBracket, index)),
            Kind::OpenBrace => open.push((Kind::CloseBrace, index)),
            Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => match open.pop() {
                Some((kind, opened)) if kind == token.kind => {
                    if let Some(partner) = partners.get_mut(opened) {
                        *partner = u32::try_from(index).unwrap_or(u32::MAX);
                    }
                }
                _ => break,
            },
            _ => {}
        }
    }
    partners
}
