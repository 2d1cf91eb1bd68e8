//! The manifest of an append-only log: which files it has.
//!
//! A line is `file NAME seq NUMBER type LETTER`, in any order, with unknown words passed
//! over in pairs. Names that need it are in double quotes with backslashes. `b` is the base, at
//! most one; `i` is an increment, their numbers ascending; `h` is history, about to be deleted.

use std::fmt;

/// The longest line, its line break included; what Redis reads at once.
const LINE_MAX: usize = 1024;

/// A file of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a folder. Names are bytes on the systems that servers run on.
    pub name: Vec<u8>,
    /// Its number.
    pub seq: i64,
}

/// The files of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// What the log begins with, an RDB file or commands; none if it began empty.
    pub base: Option<File>,
    /// What was appended since.
    pub incr: Vec<File>,
    /// What is no longer needed.
    pub history: Vec<File>,
}

/// What is wrong with a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The line, from 1; 0 for the manifest as a whole.
    pub line: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "the manifest of the append-only file: {}", self.what),
            line => write!(f, "line {line} of the append-only file's manifest: {}", self.what),
        }
    }
}

impl std::error::Error for ManifestError {}

impl Manifest {
    /// Reads a manifest.
    ///
    /// ```
    /// use kvist_rdb::aof::Manifest;
    /// let manifest = Manifest::parse(b"file a.1.base.rdb seq 1 type b\n").unwrap();
    /// assert_eq!(manifest.base.unwrap().name, b"a.1.base.rdb");
    /// ```
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &[u8]) -> Result<Self, ManifestError> {
        let mut manifest = Manifest::default();
        if text.is_empty() {
            return Err(ManifestError { line: 0, what: "it is empty" });
        }
        for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let wrong = |what| ManifestError { line: number + 1, what };
            manifest.line(line).map_err(wrong)?;
        }
        Ok(manifest)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), &'static str> {
        if line.first() == Some(&b'#') {
            return Ok(());
        }
        if line.len() >= LINE_MAX || line.last() != Some(&b'\n') {
            return Err("it is too long, or has no end");
        }
        let words = words(line.trim_ascii()).ok_or("a quotation without an end")?;
        let (mut name, mut seq, mut kind) = (None, None, None);
        let (pairs, []) = words.as_chunks::<2>() else { return Err("a word without a value") };
        if pairs.is_empty() {
            return Err("it says nothing");
        }
        for [key, value] in pairs {
            if key.eq_ignore_ascii_case(b"file") {
                if value.contains(&b'/') {
                    return Err("the name of a file may not have a folder");
                }
                name = Some(value.clone());
            } else if key.eq_ignore_ascii_case(b"seq") {
                seq = base::num::parse_i64(value);
            } else if key.eq_ignore_ascii_case(b"type") {
                kind = value.first().copied();
            }
        }
        let (Some(name), Some(seq @ 1..), Some(kind)) = (name, seq, kind) else {
            return Err("a file needs a name, a number and a type");
        };
        let file = File { name, seq };
        match kind {
            b'b' if self.base.is_some() => return Err("there is a base already"),
            b'b' => self.base = Some(file),
            b'i' if self.incr.last().is_some_and(|last| last.seq >= seq) => {
                return Err("the numbers of increments must ascend");
            }
            b'i' => self.incr.push(file),
            b'h' => self.history.push(file),
            _ => return Err("an unknown type of file"),
        }
        Ok(())
    }

    /// The files to read, in order.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.base.iter().chain(&self.incr)
    }

    /// Writes a manifest that [`parse`](Self::parse) and Redis read.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let base = self.base.iter().map(|file| (file, 'b'));
        let history = self.history.iter().map(|file| (file, 'h'));
        let incr = self.incr.iter().map(|file| (file, 'i'));
        for (file, kind) in base.chain(history).chain(incr) {
            text.extend_from_slice(b"file ");
            quote(&mut text, &file.name);
            text.extend_from_slice(format!(" seq {} type {kind}\n", file.seq).as_bytes());
        }
        text
    }
}

/// Appends a name, in quotes if it needs them.
fn quote(text: &mut Vec<u8>, name: &[u8]) {
    let plain = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\');
    if !name.is_empty() && name.iter().all(plain) {
        return text.extend_from_slice(name);
    }
    text.push(b'"');
    for &byte in name {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', byte]),
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\t' => text.extend(b"\\t"),
            0x07 => text.extend(b"\\a"),
            0x08 => text.extend(b"\\b"),
            b' '..=b'~' => text.push(byte),
            _ => text.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
        }
    }
    text.push(b'"');
}

/// The words of a line; `None` if a quotation does not end where a word may.
fn words(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut words, mut rest) = (Vec::new(), line);
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Some(words);
        }
        let mut word = Vec::new();
        while let Some((&byte, tail)) = rest.split_first() {
            if byte.is_ascii_whitespace() {
                break;
            }
            rest = match byte {
                b'"' | b'\'' => quoted(tail, byte, &mut word)?,
                _ => {
                    word.push(byte);
                    tail
                }
            };
        }
        words.push(word);
    }
}

/// Reads up to the closing quote; what follows it, which must be the end of the word.
fn quoted<'a>(text: &'a [u8], quote: u8, word: &mut Vec<u8>) -> Option<&'a [u8]> {
    let mut rest = text;
    loop {
        let (&byte, tail) = rest.split_first()?;
        rest = tail;
        if byte == quote {
            let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
            return ends.then_some(rest);
        }
        match (byte, tail) {
            (b'\\', [b'\'', tail @ ..]) if quote == b'\'' => {
                word.push(b'\'');
                rest = tail;
            }
            (b'\\', [b'x', high, low, tail @ ..])
                if quote == b'"' && hex(*high, *low).is_some() =>
            {
                word.extend(hex(*high, *low));
                rest = tail;
            }
            (b'\\', [escaped, tail @ ..]) if quote == b'"' => {
                word.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                });
                rest = tail;
            }
            _ => word.push(byte),
        }
    }
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |letter: u8| char::from(letter).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(text: &str) -> &'static str {
        Manifest::parse(text.as_bytes()).unwrap_err().what
    }

    #[test]
    fn any_name_reads_back() {
        let names: [&[u8]; 5] =
            [b"plain.aof", b"two words", b"\"q\" \\ 'a'", b"\n\t\x07\x08\r\x00\xff", b"#"];
        let file = |at: usize| File { name: names[at].to_vec(), seq: at as i64 + 1 };
        let manifest = Manifest {
            base: Some(file(0)),
            incr: vec![file(1), file(2), file(3)],
            history: vec![file(4)],
        };
        assert_eq!(Manifest::parse(&manifest.to_bytes()).unwrap(), manifest);
        let names: Vec<_> = manifest.files().map(|file| file.seq).collect();
        assert_eq!(names, [1, 2, 3, 4]);
    }

    #[test]
    fn comments_and_unknown_words_are_passed_over() {
        let text = b"# hello\nTYPE i color blue seq 7 file 'it\\'s'\n";
        let manifest = Manifest::parse(text).unwrap();
        assert_eq!(manifest.incr, [File { name: b"it's".to_vec(), seq: 7 }]);
    }

    #[test]
    fn wrong_lines_are_told() {
        assert_eq!(what(""), "it is empty");
        assert_eq!(what("file a seq 1 type b"), "it is too long, or has no end");
        assert_eq!(what("\n"), "it says nothing");
        assert_eq!(what("file a seq 1 type\n"), "a word without a value");
        assert_eq!(what("file a seq x type b\n"), "a file needs a name, a number and a type");
        assert_eq!(what("file a/b seq 1 type b\n"), "the name of a file may not have a folder");
        assert_eq!(what("file \"a seq 1 type b\n"), "a quotation without an end");
        assert_eq!(what("file \"a\"b seq 1 type b\n"), "a quotation without an end");
        assert_eq!(what("file a seq 1 type z\n"), "an unknown type of file");
        let twice = "file a seq 1 type b\nfile b seq 2 type b\n";
        assert_eq!(Manifest::parse(twice.as_bytes()).unwrap_err().line, 2);
        let falling = "file a seq 2 type i\nfile b seq 2 type i\n";
        assert_eq!(what(falling), "the numbers of increments must ascend");
    }
}
