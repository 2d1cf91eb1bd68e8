//! From tokens to the tree: one method for each rule of the grammar, one file for each group.
//!
//! The parser never goes back. Where several rules begin alike, it looks at the next tokens, or at
//! those behind the partner of a bracket (`lookahead`), so that its time is in proportion to the
//! text.

mod atom;
mod call;
mod collection;
mod cursor;
mod expression;
mod function;
mod header;
mod labels;
mod literal;
mod lookahead;
mod pattern;
mod postfix;
mod projection;
mod query;
mod reading;
mod relationship;
mod schema;
mod writing;

pub use cursor::MAX_NESTING;
pub use header::{Header, header};

use super::ast::{Body, Statement};
use super::error::Error;
use super::progress::Progress;
use cursor::Parser;

/// Parses a statement with its header.
pub fn parse(text: &str) -> Result<Statement, Error> {
    let progress = &Progress::within(usize::MAX);
    let header = header(text, progress)?;
    let body = statement(text, header.body, progress)?;
    Ok(Statement { parameters: header.parameters, body })
}

/// Parses what follows the header, which ends at a byte of the text.
pub fn statement(text: &str, from: u32, progress: &Progress<'_>) -> Result<Body, Error> {
    Parser::new(text, from, progress)?.body()
}
