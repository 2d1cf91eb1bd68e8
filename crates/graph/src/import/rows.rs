//! Where the lines of a table end, for those that cut one without reading it: a line break in
//! quotes ends none.

/// The lines of a table.
pub struct Rows<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// A line, with its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// Its bytes.
    pub bytes: &'t [u8],
}

impl<'t> Rows<'t> {
    /// The lines of a table.
    #[must_use]
    pub fn new(bytes: &'t [u8]) -> Self {
        Rows { bytes, at: 0 }
    }

    /// Where the next line begins.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next line that has an end: `\n`, `\r\n` or `\r`, as where tables are read. What ends in
    /// a `\r` has no end yet, as a `\n` may follow it.
    pub fn next_ended(&mut self) -> Option<Row<'t>> {
        let rest = self.bytes.get(self.at..)?;
        let mut quoted = false;
        for (at, byte) in rest.iter().enumerate() {
            let end = match (byte, rest.get(at + 1)) {
                (b'"', _) => {
                    quoted = !quoted;
                    continue;
                }
                (b'\n', _) if !quoted => at + 1,
                (b'\r', Some(b'\n')) if !quoted => at + 2,
                (b'\r', Some(_)) if !quoted => at + 1,
                _ => continue,
            };
            self.at += end;
            return Some(Row { bytes: rest.get(..end)? });
        }
        None
    }
}

impl Row<'_> {
    /// Whether it is passed over where tables are read.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// How many lines of the file it takes: those that end in its quotes count, too.
    #[must_use]
    pub fn lines(&self) -> u64 {
        let mut lines = 0;
        for (at, byte) in self.bytes.iter().enumerate() {
            let is_end = match byte {
                b'\n' => true,
                b'\r' => self.bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            lines += u64::from(is_end);
        }
        lines
    }

    /// Its fields; `None` if it is no text.
    #[must_use]
    pub fn fields(&self) -> Option<Vec<String>> {
        let text = std::str::from_utf8(self.bytes).ok()?.trim_end_matches(['\r', '\n']);
        let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => {
                    letters.next();
                    field.push('"');
                }
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(std::mem::take(&mut field)),
                letter => field.push(letter),
            }
        }
        fields.push(field);
        Some(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;

    #[test]
    fn line_breaks_in_quotes_end_no_line() {
        let mut rows = Rows::new(b"a,\"b\n\"\"c\"\"\"\r\n1,2\nrest");
        let fields = rows.next_ended().and_then(|row| row.fields());
        assert_eq!(fields, Some(vec!["a".to_owned(), "b\n\"c\"".to_owned()]));
        assert_eq!(rows.next_ended().map(|row| row.bytes), Some(&b"1,2\n"[..]));
        assert_eq!((rows.next_ended(), rows.at()), (None, 17));
    }

    #[test]
    fn lines_end_as_where_tables_are_read() {
        let mut rows = Rows::new(b"a\rb\r\n\n \t\r\"c\rd\r\ne\nf\"\rg\r");
        let ended: Vec<_> = std::iter::from_fn(|| rows.next_ended()).collect();
        let bytes: Vec<&[u8]> = ended.iter().map(|row| row.bytes).collect();
        let expected: [&[u8]; 5] = [b"a\r", b"b\r\n", b"\n", b" \t\r", b"\"c\rd\r\ne\nf\"\r"];
        assert_eq!(bytes, expected);
        // A line feed may follow.
        assert_eq!(rows.at(), 20);
        let blank: Vec<bool> = ended.iter().map(|row| row.is_blank()).collect();
        assert_eq!(blank, [false, false, true, true, false]);
        let lines: Vec<u64> = ended.iter().map(|row| row.lines()).collect();
        assert_eq!(lines, [1, 1, 1, 1, 4]);
    }
}
