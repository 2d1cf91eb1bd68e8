//! Dicts to Trio.

use super::read::Reader;
use crate::{Cell, Dict, Limits, zinc};

/// Appends the lines of a dict.
pub fn append_dict(out: &mut Vec<u8>, dict: &Dict) {
    for (tag, value) in dict.iter() {
        out.extend_from_slice(tag.as_bytes());
        match value.cell() {
            Cell::Marker => {}
            Cell::Bool(value) => out.extend_from_slice(if value { b":true" } else { b":false" }),
            Cell::Str(text) => append_str(out, text),
            Cell::Grid(grid) => {
                out.extend_from_slice(b": Zinc:\n");
                let mut lines = Vec::new();
                zinc::write_grid(&mut lines, grid);
                append_lines(out, &String::from_utf8_lossy(&lines));
                continue;
            }
            cell => {
                out.push(b':');
                zinc::append(out, &cell);
            }
        }
        out.push(b'\n');
    }
}

fn append_str(out: &mut Vec<u8>, text: &str) {
    out.push(b':');
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
    } else if is_block(text) {
        out.push(b'\n');
        append_lines(out, text);
        // The end of the last line is that of the entry.
        out.pop();
    } else {
        zinc::append(out, &Cell::Str(text));
    }
}

fn append_lines(out: &mut Vec<u8>, text: &str) {
    for line in text.lines() {
        if !line.is_empty() {
            out.extend_from_slice(b"  ");
        }
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
}

/// Whether a text reads back as itself without quotation marks: words that are no value of Zinc.
fn is_plain(text: &str) -> bool {
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',');
    let begins = text.starts_with(char::is_alphabetic) && !text.ends_with(' ');
    if !begins || !text.chars().all(is_safe) {
        return false;
    }
    // Short words may be literals; what is longer than those is none.
    text.len() > 5 || reads_back(text)
}

fn reads_back(text: &str) -> bool {
    let line = format!("a:{text}\n");
    let read = Reader::new(&line, Limits::DEFAULT).and_then(|mut reader| reader.next_dict());
    let value = read.ok().flatten().and_then(|dict| dict.get("a").cloned());
    value.is_some_and(|value| value.as_str() == Some(text))
}

/// Whether a text of several lines reads back from lines that are indented.
fn is_block(text: &str) -> bool {
    let good = |line: &str| {
        let is_printed = line.chars().all(|c| !c.is_control());
        is_printed && !line.ends_with(char::is_whitespace)
    };
    text.contains('\n')
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with('\n')
        && text.split('\n').all(good)
}
