//! Trio record by record, from bytes as they come.

use std::io::{BufRead, Read};

/// Bytes of a record, and of a line of CSV.
pub const LONGEST: usize = 64 << 20;

/// The texts of records, each with the line that it begins on.
pub struct Pieces<R> {
    source: R,
    /// Lines that were read.
    lines: u64,
}

impl<R: BufRead> Pieces<R> {
    pub fn new(source: R) -> Self {
        Pieces { source, lines: 0 }
    }

    /// The next text, up to a line of hyphens. It may hold no record.
    pub fn next(&mut self) -> Result<Option<(u64, String)>, String> {
        let (first, mut text, mut is_end) = (self.lines, Vec::new(), false);
        loop {
            let start = text.len();
            let room = (LONGEST + 1).saturating_sub(start) as u64;
            let read = Read::take(&mut self.source, room).read_until(b'\n', &mut text);
            read.map_err(|error| format!("it cannot be read: {error}"))?;
            let line = text.get(start..).unwrap_or_default();
            if text.len() > LONGEST {
                return Err(format!("line {}: a record of more than {LONGEST} bytes", first + 1));
            }
            is_end |= line.is_empty();
            self.lines += u64::from(!line.is_empty());
            if is_end || line.starts_with(b"---") {
                break;
            }
        }
        if is_end && text.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8(text);
        text.map(|text| Some((first, text)))
            .map_err(|_| format!("line {}: the text is not valid UTF-8", first + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;

    #[test]
    fn pieces_end_with_hyphens() {
        let mut pieces = Pieces::new(&b"a\n---\nb:\n  ---\n-----\n---\nc"[..]);
        let mut all = Vec::new();
        while let Ok(Some((line, text))) = pieces.next() {
            all.push((line, text));
        }
        let expected = [(0, "a\n---\n"), (2, "b:\n  ---\n-----\n"), (5, "---\n"), (6, "c")];
        assert_eq!(all, expected.map(|(line, text)| (line, text.to_owned())));
        assert!(Pieces::new(&b"a\n\xff"[..]).next().is_err_and(|what| what.contains("UTF-8")));
    }
}
