//! Rust source with code told apart from comments, strings and tests.
//!
//! Not a parser: a scanner that knows just enough of Rust's lexical rules (nested comments, raw
//! strings, characters against lifetimes) to blank out what is not code, so that the rules can
//! search the rest as plain text. It never fails; odd input merely stays unblanked.

/// Stands in for every character inside a string, so that a line of a long string still counts
/// as code while no word in it can be taken for a keyword.
const IN_STRING: char = '"';

/// One file, prepared for the rules.
#[derive(Clone)]
pub struct Source {
    /// The file's lines with comments blanked and strings filled with [`IN_STRING`].
    pub code: Vec<String>,
    /// For each line, whether it belongs to an item under `#[cfg(test)]`.
    pub is_test: Vec<bool>,
}

impl Source {
    /// Scans a file.
    pub fn new(text: &str) -> Source {
        let masked = mask(text);
        let code: Vec<String> = masked.lines().map(str::to_owned).collect();
        let mut is_test = vec![false; code.len()];
        for (first, last) in test_items(&masked) {
            for line in is_test.iter_mut().take(last + 1).skip(first) {
                *line = true;
            }
        }
        Source { code, is_test }
    }

    /// Lines of code between `first` and `last` (from 0, both included), tests left out.
    pub fn lines_of_code(&self, first: usize, last: usize) -> usize {
        let lines = self.code.iter().zip(&self.is_test).take(last + 1).skip(first);
        lines.filter(|(code, is_test)| !**is_test && !code.trim().is_empty()).count()
    }

    /// The functions with a body: name, first and last line (from 0).
    pub fn functions(&self) -> Vec<(String, usize, usize)> {
        let text: Vec<char> = self.code.join("\n").chars().collect();
        let mut found = Vec::new();
        let mut line = 0;
        for at in 0..text.len() {
            if text[at] == '\n' {
                line += 1;
            }
            if !is_word_at(&text, at, "fn") {
                continue;
            }
            let mut name_at = at + 2;
            while text.get(name_at).is_some_and(|c| c.is_whitespace()) {
                name_at += 1;
            }
            let name: String = text[name_at..].iter().take_while(|c| is_name(**c)).collect();
            // A type such as `fn(u8) -> u8` has no name.
            if name.is_empty() {
                continue;
            }
            if let Some(end) = end_of_item(&text, name_at).filter(|&end| text[end] == '}') {
                let lines = text[at..end].iter().filter(|c| **c == '\n').count();
                found.push((name, line, line + lines));
            }
        }
        found
    }

    /// The lines (from 0) on which the whole word stands in code.
    pub fn lines_with_word(&self, word: &str) -> Vec<usize> {
        let has_word = |line: &String| {
            let chars: Vec<char> = line.chars().collect();
            (0..chars.len()).any(|at| is_word_at(&chars, at, word))
        };
        (0..self.code.len()).filter(|&n| has_word(&self.code[n])).collect()
    }
}

/// Whether a character is part of a name.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_word_at(text: &[char], at: usize, word: &str) -> bool {
    let length = word.chars().count();
    let fits = text[at..].iter().take(length).copied().eq(word.chars());
    fits && (at == 0 || !is_name(text[at - 1]))
        && !text.get(at + length).copied().is_some_and(is_name)
}

/// Whether a struct's field begins at `at`: a name, and the one colon before its type.
fn is_field(text: &[char], at: usize) -> bool {
    let declared: String = text[at..].iter().take_while(|c| !"{};=<".contains(**c)).collect();
    let public = declared.trim_start().trim_start_matches("pub");
    let name = public.trim_start_matches(|c: char| c != ')' && public.starts_with('('));
    let name = name.trim_start_matches(')').trim_start();
    let rest = name.trim_start_matches(is_name);
    rest.len() < name.len() && rest.starts_with(':') && !rest.starts_with("::")
}

/// Where the field that begins at `at` ends: before its comma, or its struct's closing brace.
fn end_of_field(text: &[char], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (n, &c) in text.iter().enumerate().skip(at) {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ',' | '}' if depth == 0 => return Some(n),
            // The arrow of a function's type is no bracket.
            '>' if n > 0 && text[n - 1] == '-' => {}
            ')' | ']' | '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Where the item that begins at `at` ends: its closing brace, or its semicolon.
fn end_of_item(text: &[char], at: usize) -> Option<usize> {
    let mut braces = 0_usize;
    let mut others = 0_usize;
    for (n, &c) in text.iter().enumerate().skip(at) {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            ';' if braces == 0 && others == 0 => return Some(n),
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                // A `}` inside brackets ends a constant such as `[u8; { N }]`, not the item.
                if braces == 0 && others == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
    }
    None
}

/// First and last line of every item under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn test_items(masked: &str) -> Vec<(usize, usize)> {
    let text: Vec<char> = masked.chars().collect();
    let mut items = Vec::new();
    let mut line = 0;
    for at in 0..text.len() {
        if text[at] == '\n' {
            line += 1;
        }
        if text[at] != '#' {
            continue;
        }
        let attribute: String = text[at..].iter().take(22).filter(|c| **c != ' ').collect();
        if attribute.starts_with("#[cfg(test)") || attribute.starts_with("#[cfg(all(test,") {
            let close = text[at..].iter().position(|c| *c == ']').map_or(at, |n| at + n + 1);
            let is_field = is_field(&text, close);
            let end = if is_field { end_of_field } else { end_of_item }(&text, close);
            if let Some(end) = end {
                let lines = text[at..end].iter().filter(|c| **c == '\n').count();
                items.push((line, line + lines));
            }
        }
    }
    items
}

/// What the scanner is inside of.
#[derive(Clone, Copy)]
enum Inside {
    Code,
    LineComment,
    /// Nested this deep.
    BlockComment(usize),
    Text,
    /// Closed by a quote and this many `#`.
    RawText(usize),
}

/// The text with comments replaced by spaces and strings by [`IN_STRING`]; lines stay lines.
fn mask(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut inside = Inside::Code;
    let mut at = 0;
    while at < chars.len() {
        let (length, next) = step(&chars, at, inside);
        for &c in &chars[at..at + length] {
            out.push(match (c, inside, next) {
                ('\n', ..) => '\n',
                (_, Inside::LineComment | Inside::BlockComment(_), _) => ' ',
                (_, Inside::Code, Inside::LineComment | Inside::BlockComment(_)) => ' ',
                (_, Inside::Text | Inside::RawText(_), _) => IN_STRING,
                (_, Inside::Code, Inside::Text | Inside::RawText(_)) => IN_STRING,
                (_, Inside::Code, Inside::Code) if length > 1 => IN_STRING,
                (c, Inside::Code, Inside::Code) => c,
            });
        }
        inside = next;
        at += length;
    }
    out
}

/// How many characters belong together at `at`, and what follows them. More than one character
/// that leads from code to code is a character literal.
fn step(chars: &[char], at: usize, inside: Inside) -> (usize, Inside) {
    let here = chars[at];
    let next = chars.get(at + 1).copied();
    match inside {
        Inside::LineComment if here == '\n' => (1, Inside::Code),
        Inside::LineComment => (1, inside),
        Inside::BlockComment(depth) => match (here, next) {
            ('*', Some('/')) if depth == 1 => (2, Inside::Code),
            ('*', Some('/')) => (2, Inside::BlockComment(depth - 1)),
            ('/', Some('*')) => (2, Inside::BlockComment(depth + 1)),
            _ => (1, inside),
        },
        Inside::Text => match here {
            '\\' if next.is_some() => (2, inside),
            '"' => (1, Inside::Code),
            _ => (1, inside),
        },
        Inside::RawText(hashes) => {
            let closes = here == '"'
                && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
            if closes { (1 + hashes, Inside::Code) } else { (1, inside) }
        }
        Inside::Code => step_in_code(chars, at),
    }
}

fn step_in_code(chars: &[char], at: usize) -> (usize, Inside) {
    let next = chars.get(at + 1).copied();
    match (chars[at], next) {
        ('/', Some('/')) => (2, Inside::LineComment),
        ('/', Some('*')) => (2, Inside::BlockComment(1)),
        ('"', _) => (1, Inside::Text),
        ('r', Some('"' | '#')) if starts_literal(chars, at) => {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            match chars.get(at + 1 + hashes) {
                Some('"') => (2 + hashes, Inside::RawText(hashes)),
                _ => (1, Inside::Code),
            }
        }
        ('\'', Some('\\')) => {
            let end = chars.iter().skip(at + 3).position(|c| *c == '\'');
            (end.map_or(1, |n| n + 4), Inside::Code)
        }
        ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => (3, Inside::Code),
        _ => (1, Inside::Code),
    }
}

/// Whether the `r` at `at` begins a raw string: it is no part of a name, but for the `b` or `c`
/// of `br"…"` and `cr"…"`.
fn starts_literal(chars: &[char], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|n| chars[n]);
    match before(1) {
        Some('b' | 'c') => !before(2).is_some_and(is_name),
        Some(c) => !is_name(c),
        None => true,
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
