//! How a primary wraps the RDB file that it sends to a replica.
//!
//! ```text
//!   $1234\r\n        file of 1234 bytes
//!   $EOF:<mark>\r\n  file of unknown length   <mark>          40 letters drawn at random
//! ```
//!
//! The second is for files that were never on a disk, whose length is not known beforehand.

use std::io::{self, Read, Write};

/// Bytes of a mark.
pub const MARK: usize = 40;

/// How the end of a file is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// By its length.
    Length(u64),
    /// By these bytes behind it.
    Mark([u8; MARK]),
}

impl Framing {
    /// Reads the line before a file, without its line break.
    ///
    /// ```
    /// use kvist_rdb::framing::Framing;
    /// assert_eq!(Framing::parse(b"$1234"), Some(Framing::Length(1234)));
    /// assert_eq!(Framing::parse(b"$EOF:short"), None);
    /// ```
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"$")?;
        if let Some(mark) = rest.strip_prefix(b"EOF:") {
            return mark.try_into().ok().map(Framing::Mark);
        }
        let length = base::num::parse_i64(rest)?;
        u64::try_from(length).ok().map(Framing::Length)
    }

    /// Writes the line before a file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn begin<W: Write>(&self, out: &mut W) -> io::Result<()> {
        match self {
            Framing::Length(length) => write!(out, "${length}\r\n"),
            Framing::Mark(mark) => {
                out.write_all(b"$EOF:")?;
                out.write_all(mark)?;
                out.write_all(b"\r\n")
            }
        }
    }

    /// Writes what is behind a file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn end<W: Write>(&self, out: &mut W) -> io::Result<()> {
        match self {
            Framing::Length(_) => Ok(()),
            Framing::Mark(mark) => out.write_all(mark),
        }
    }
}

/// A file whose end is told by a mark, without the mark: to store it without understanding it.
/// The source must end with the mark or be left alone behind it.
///
/// ```
/// use kvist_rdb::framing::UntilMark;
/// use std::io::Read;
/// let mark = [b'x'; 40];
/// let sent = [&b"file"[..], &mark].concat();
/// let mut file = Vec::new();
/// UntilMark::new(&sent[..], mark).read_to_end(&mut file)?;
/// assert_eq!(file, b"file");
/// # std::io::Result::Ok(())
/// ```
pub struct UntilMark<R> {
    source: R,
    mark: [u8; MARK],
    /// What was read; of its last bytes it is open whether they are of the mark.
    held: Vec<u8>,
    found: bool,
}

impl<R: Read> UntilMark<R> {
    /// Reads from `source` up to `mark`.
    pub fn new(source: R, mark: [u8; MARK]) -> Self {
        UntilMark { source, mark, held: Vec::new(), found: false }
    }
}

impl<R: Read> Read for UntilMark<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            let open = if self.found { 0 } else { MARK - 1 };
            let ready = self.held.len().saturating_sub(open).min(buf.len());
            if ready > 0 || self.found {
                buf[..ready].copy_from_slice(&self.held[..ready]);
                self.held.drain(..ready);
                return Ok(ready);
            }
            let before = self.held.len();
            let mut block = [0; 4096];
            let more = self.source.read(&mut block)?;
            if more == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.held.extend_from_slice(&block[..more]);
            // A mark that ends in what is new began at most so far before it.
            let from = before.saturating_sub(MARK - 1);
            let window = self.held[from..].windows(MARK).position(|bytes| *bytes == self.mark);
            if let Some(at) = window {
                self.held.truncate(from + at);
                self.found = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let limit = buf.len().min(self.1);
            self.0.read(&mut buf[..limit])
        }
    }

    #[test]
    fn the_end_is_found_however_it_arrives() {
        let mark: [u8; MARK] = *b"0123456789abcdef0123456789abcdef01234567";
        let file: Vec<u8> = [&mark[..39], b"x", &mark[1..], &[b'y'; 9000]].concat();
        let mut sent = Vec::new();
        Framing::Mark(mark).begin(&mut sent).unwrap();
        assert_eq!(Framing::parse(&sent[..sent.len() - 2]), Some(Framing::Mark(mark)));
        sent.clear();
        sent.extend_from_slice(&file);
        Framing::Mark(mark).end(&mut sent).unwrap();
        for step in [1, 7, 39, 40, 41, 4096] {
            let mut found = Vec::new();
            UntilMark::new(Drip(&sent, step), mark).read_to_end(&mut found).unwrap();
            assert!(found == file);
            let cut = Drip(&sent[..sent.len() - 1], step);
            assert!(UntilMark::new(cut, mark).read_to_end(&mut Vec::new()).is_err());
        }
    }
}
