//! What a statement has answered, read where it lies.
//!
//! ```text
//!   *3  *columns $name …  *rows $[…] $[…] …  *lines $line …        of one that answers rows
//!   *1                                       *lines $line …        of others
//!                              ▲
//!                              at
//! ```
//!
//! Rows may be a million: as a tree they would take ten times the bytes that they are.

use std::ops::Range;

use engine::ClientMemory;

/// The reply, and how far it has been read. It counts for its connection until it is dropped.
pub struct StatementReply {
    bytes: Vec<u8>,
    at: usize,
    has_rows: bool,
    _memory: ClientMemory,
}

impl StatementReply {
    /// A reply that is no error, counted for the connection that `of` counts for. `None` if it is
    /// no reply to a statement.
    pub fn new(mut bytes: Vec<u8>, of: &ClientMemory) -> Option<Self> {
        bytes.shrink_to_fit();
        let memory = of.beside(bytes.capacity());
        let mut reply = StatementReply { bytes, at: 0, has_rows: false, _memory: memory };
        reply.has_rows = match reply.part()? {
            1 => false,
            3 => true,
            _ => return None,
        };
        Some(reply)
    }

    /// Whether names of columns and rows stand before the lines.
    pub fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// How many texts the next part has. `None` if none begins here.
    pub fn part(&mut self) -> Option<usize> {
        self.number(b'*')
    }

    /// Where the next text of a part lies. `None` if there is none.
    pub fn text(&mut self) -> Option<Range<usize>> {
        let length = self.number(b'$')?;
        let text = self.at..self.at.checked_add(length)?;
        self.at = text.end.checked_add(2)?;
        (self.at <= self.bytes.len()).then_some(text)
    }

    /// The bytes that lie there.
    pub fn bytes(&self, text: Range<usize>) -> &[u8] {
        self.bytes.get(text).unwrap_or_default()
    }

    /// The number on a line that begins with this mark.
    fn number(&mut self, mark: u8) -> Option<usize> {
        let rest = self.bytes.get(self.at..)?.strip_prefix(&[mark])?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        self.at += 1 + digits + 2;
        rest[digits..].starts_with(b"\r\n").then_some(number)
    }
}
