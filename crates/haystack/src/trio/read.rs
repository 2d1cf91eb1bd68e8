//! Dicts from Trio.

use crate::limits::NESTED;
use crate::name::is_tag_byte;
use crate::scan::Cursor;
use crate::{Dict, Error, Limits, Tag, Value, zinc};

/// Reads dict by dict.
pub struct Reader<'a> {
    text: Cursor<'a>,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// Reads a text from its start.
    pub fn new(text: &'a str, limits: Limits) -> Result<Reader<'a>, Error> {
        crate::json::check_size(text, limits)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = Cursor::within(text, limits);
        Ok(Reader { text, depth: limits.depth })
    }

    /// The next dict that has tags.
    pub fn next_dict(&mut self) -> Result<Option<Dict>, Error> {
        let mut dict = Dict::new();
        self.text.charge(NESTED)?;
        while !self.text.is_end() {
            self.text.skip_blanks();
            match self.text.peek() {
                Some(b'-') => {
                    take_line(&mut self.text);
                    if !dict.is_empty() {
                        break;
                    }
                }
                Some(b'/') if self.text.peek_at(1) == Some(b'/') => drop(take_line(&mut self.text)),
                _ if self.text.is_line_end() => drop(self.text.take_line_end()),
                _ => self.entry(&mut dict)?,
            }
        }
        Ok((!dict.is_empty()).then_some(dict))
    }

    fn entry(&mut self, dict: &mut Dict) -> Result<(), Error> {
        if !self.text.peek().is_some_and(|byte| byte.is_ascii_lowercase()) {
            return Err(self.text.expected("the name of a tag"));
        }
        let name = Tag::known(self.text.take_while(is_tag_byte));
        self.text.charge(3)?;
        self.text.skip_blanks();
        if self.text.is_line_end() {
            dict.set(name, Value::MARKER);
            return Ok(());
        }
        self.text.expect(b':')?;
        self.text.skip_blanks();
        let value = self.value()?;
        dict.set(name, value);
        Ok(())
    }

    fn value(&mut self) -> Result<Value, Error> {
        let text = &mut self.text;
        // These may go on in the lines that follow.
        if matches!(text.peek(), Some(b'[' | b'{')) || text.rest().starts_with("<<") {
            let value = zinc::value_at(text, self.depth)?;
            text.skip_blanks();
            return if text.is_line_end() { Ok(value) } else { Err(text.expected("the end")) };
        }
        let start = *text;
        let line = take_line(text).trim_end();
        match line {
            "" => Ok(indented(text).into()),
            "Zinc:" | "Trio:" => {
                let place = start.place();
                let inner = indented(text);
                // As if all of it were the shortest of dicts.
                text.charge(3 * inner.len())?;
                let depth = self.depth.checked_sub(1);
                let depth = depth.ok_or_else(|| start.error("Nested too deep"))?;
                let read = if line == "Zinc:" { inner_zinc } else { inner_dicts };
                read(&inner, depth).map_err(|error| start.error_at(place, error.to_string()))
            }
            line => scalar(start, line),
        }
    }
}

/// Takes what is left of the line, with its end.
fn take_line<'a>(text: &mut Cursor<'a>) -> &'a str {
    let line = text.take_while(|byte| !matches!(byte, b'\n' | b'\r'));
    text.take_line_end();
    line
}

/// A value of one line: what Zinc has, or else a string as it stands there.
pub(super) fn scalar(start: Cursor<'_>, line: &str) -> Result<Value, Error> {
    match line {
        "true" => return Ok(true.into()),
        "false" => return Ok(false.into()),
        // Null is no value that a tag may have.
        "N" => return Ok(line.into()),
        _ => {}
    }
    let mut text = Cursor::new(line);
    let value = zinc::value_at(&mut text, 0);
    match value {
        Ok(value) if text.is_end() => Ok(value),
        _ if !line.starts_with('"') => Ok(line.into()),
        Ok(_) => Err(start.error_at(start.place() + text.place(), "Text behind a string")),
        Err(error) => Err(start.error(error.message())),
    }
}

/// The lines that follow and are indented, without what all of them are indented by. Empty lines
/// between them belong to them.
fn indented(text: &mut Cursor<'_>) -> String {
    let mut lines = Vec::new();
    let mut empty = 0;
    loop {
        let mut ahead = *text;
        let line = take_line(&mut ahead).trim_end_matches([' ', '\t']);
        if line.is_empty() && !ahead.is_end() && ahead.place() > text.place() {
            empty += 1;
            *text = ahead;
            continue;
        }
        if !line.starts_with([' ', '\t']) {
            break;
        }
        lines.resize(lines.len() + empty, "");
        empty = 0;
        lines.push(line);
        *text = ahead;
    }
    let blanks = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = lines.iter().filter(|line| !line.is_empty()).map(blanks).min().unwrap_or(0);
    let lines = lines.iter().map(|line| line.get(least..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// A grid, or a list or dict with grids in it.
fn inner_zinc(text: &str, depth: usize) -> Result<Value, Error> {
    if text.starts_with(['[', '{']) {
        let mut text = Cursor::new(text);
        let value = zinc::value_at(&mut text, depth)?;
        text.skip_space();
        return if text.is_end() { Ok(value) } else { Err(text.expected("the end")) };
    }
    let limits = Limits { depth, ..Limits::DEFAULT };
    zinc::read_grid_within(text, limits).map(Value::grid)
}

/// One dict as such, several as a list.
fn inner_dicts(text: &str, depth: usize) -> Result<Value, Error> {
    let mut reader = Reader::new(text, Limits { depth, ..Limits::DEFAULT })?;
    let mut dicts = Vec::new();
    while let Some(dict) = reader.next_dict()? {
        dicts.push(Value::dict(dict));
    }
    match dicts.len() {
        1 => Ok(dicts.remove(0)),
        _ => Ok(dicts.into()),
    }
}
