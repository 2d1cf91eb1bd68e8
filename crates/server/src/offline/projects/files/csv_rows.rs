//! CSV row by row, from bytes as they come, with values of more kinds than text.

use std::io::BufRead;

use haystack::{Col, Dict, Limits, Value, csv, name, trio, zinc};

use super::trio_pieces::LONGEST;

/// Rows that are read at once.
const ROWS: usize = 500;

/// Rows, each with the line that it begins on.
pub struct Rows<R> {
    source: R,
    /// Lines that were read.
    lines: u64,
    header: Vec<u8>,
    /// The lines on which the header, and what has no row yet, begin.
    begins: (u64, Vec<u64>),
    cols: Vec<Col>,
    /// Rows that were read, the last first, and what is wrong behind them.
    ready: Vec<(u64, Dict)>,
    wrong: Option<String>,
}

impl<R: BufRead> Rows<R> {
    /// Reads the line of names.
    pub fn new(source: R) -> Result<Self, String> {
        let begins = (0, Vec::new());
        let (header, cols, ready) = (Vec::new(), Vec::new(), Vec::new());
        let mut rows = Rows { source, lines: 0, header, begins, cols, ready, wrong: None };
        while is_blank(&rows.header) {
            rows.header.clear();
            rows.begins.0 = rows.lines;
            let mut header = Vec::new();
            if !rows.line(&mut header)? {
                return Err("there is no line of names".to_owned());
            }
            rows.header = header;
        }
        rows.cols = rows.parse(&[], |_| ())?;
        Ok(rows)
    }

    pub fn cols(&self) -> &[Col] {
        &self.cols
    }

    /// The next row; none behind the last. What is wrong is wrong with all that follow, too.
    pub fn next(&mut self) -> Result<Option<(u64, Dict)>, String> {
        if self.ready.is_empty() && self.wrong.is_none() {
            self.fill()?;
        }
        match self.ready.pop() {
            None => self.wrong.clone().map_or(Ok(None), Err),
            row => Ok(row),
        }
    }

    fn fill(&mut self) -> Result<(), String> {
        let mut text = Vec::new();
        self.begins.1.clear();
        while self.begins.1.len() < ROWS && text.len() < LONGEST {
            let (start, line) = (text.len(), self.lines);
            if !self.line(&mut text)? {
                break;
            }
            if is_blank(text.get(start..).unwrap_or_default()) {
                // Where there is one column, an empty line would be a row.
                text.truncate(if self.cols.len() == 1 { start } else { text.len() });
            } else {
                self.begins.1.push(line);
            }
        }
        let mut dicts = Vec::new();
        self.wrong = self.parse(&text, |dict| dicts.push(dict)).err();
        self.ready = self.begins.1.iter().copied().zip(dicts).collect();
        self.ready.reverse();
        Ok(())
    }

    /// Reads rows behind the header.
    fn parse(&self, rows: &[u8], mut row_read: impl FnMut(Dict)) -> Result<Vec<Col>, String> {
        let (first, lines) = (&self.begins.0, &self.begins.1);
        let text = [&self.header[..], rows].concat();
        let text = std::str::from_utf8(&text);
        let text = text.map_err(|_| {
            format!("line {}: the text is not valid UTF-8", lines.first().unwrap_or(first) + 1)
        })?;
        let own = lines_of(&self.header);
        // Where in the file what the parser counts so is.
        let told = |error: haystack::Error| {
            let at = error.line() as u64;
            let line = match at.checked_sub(own + 1) {
                Some(row) => row + lines.first().unwrap_or(first) + 1,
                None => at + first,
            };
            format!("line {line}: {}", error.message())
        };
        let mut reader = csv::Reader::new(text, Limits::DEFAULT).map_err(told)?;
        let mut row = Vec::new();
        while reader.next_row(&mut row).map_err(told)? {
            let mut dict = Dict::new();
            for (col, value) in reader.cols().iter().zip(row.drain(..)) {
                dict.set(col.name.clone(), typed(value));
            }
            row_read(dict);
        }
        Ok(reader.cols().to_vec())
    }

    /// Appends a line, or the lines that quotation marks hold together; whether there is one.
    fn line(&mut self, text: &mut Vec<u8>) -> Result<bool, String> {
        let (start, mut is_quoted) = (text.len(), false);
        loop {
            let bytes = self.source.fill_buf();
            let bytes = bytes.map_err(|error| format!("it cannot be read: {error}"))?;
            if bytes.is_empty() {
                let is_there = text.len() > start;
                if is_there {
                    text.push(b'\n');
                    self.lines += lines_of(text.get(start..).unwrap_or_default());
                }
                return Ok(is_there);
            }
            let end = bytes.iter().position(|byte| {
                is_quoted ^= *byte == b'"';
                *byte == b'\n' && !is_quoted
            });
            let used = end.map_or(bytes.len(), |end| end + 1);
            text.extend_from_slice(bytes.get(..used).unwrap_or_default());
            self.source.consume(used);
            if text.len() - start > LONGEST {
                return Err(format!("line {}: more than {LONGEST} bytes", self.lines + 1));
            }
            if end.is_some() {
                self.lines += lines_of(text.get(start..).unwrap_or_default());
                return Ok(true);
            }
        }
    }
}

fn lines_of(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
}

/// A value by its text: as a line of Trio has it, and refs with their names as CSV has them.
fn typed(value: Value) -> Value {
    let Some(text) = value.as_str() else { return value };
    if let Some(rest) = text.strip_prefix('@') {
        let (id, shown) = rest.split_once(' ').unwrap_or((rest, ""));
        let made = if shown.is_empty() { Value::id(id) } else { Value::id_dis(id, shown) };
        return if name::is_ref(id) { made.unwrap_or(value) } else { value };
    }
    if text.starts_with(['[', '{', '<']) {
        return zinc::read_value(text).unwrap_or(value);
    }
    match text {
        // Display texts of other kinds are words.
        "T" | "F" | "M" | "R" => value,
        text => trio::read_line(text).unwrap_or(value),
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;

    fn all(text: &str) -> Result<Vec<(u64, String)>, String> {
        let mut rows = Rows::new(std::io::BufReader::with_capacity(3, text.as_bytes()))?;
        let mut all = Vec::new();
        while let Some((line, dict)) = rows.next()? {
            all.push((line, format!("{dict:?}")));
        }
        Ok(all)
    }

    #[test]
    fn rows_have_kinds_and_lines() {
        let text = "\n\"id\",dis,area,site,on,l\r\n\
                    @a Main St,\"5\"\"\nx\",7m²,✓,true,\"[1, 2]\"\n\n@b,T,,,,";
        let expected = [
            (2, "{id:@a \"Main St\" dis:\"5\\\"\\nx\" area:7m² site on:T l:[1, 2]}".to_owned()),
            (5, "{id:@b dis:\"T\"}".to_owned()),
        ];
        assert_eq!(all(text), Ok(expected.to_vec()));
        let many: String = (0..1300).map(|n| format!("{n},\"a\nb\"\n")).collect();
        let rows = all(&format!("n,t\n{many}")).unwrap_or_default();
        assert_eq!((rows.len(), rows.last().map(|row| row.0)), (1300, Some(2599)));
        let wrong = all(&format!("n,t\n{many}1,2,3\n"));
        assert!(wrong.as_ref().is_err_and(|what| what.starts_with("line 2602: ")), "{wrong:?}");
        assert!(all("").is_err() && all("²\n").is_err_and(|what| what.starts_with("line 1: ")));
    }
}
