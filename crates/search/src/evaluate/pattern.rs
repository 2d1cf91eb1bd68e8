//! The words of a dictionary that a pattern stands for, in order.

use memchr::memmem;

use super::context::Context;
use crate::partition::dictionary::Dictionary;

/// A pattern of words.
#[derive(Clone, Copy, Debug)]
pub enum Pattern<'q> {
    Prefix(&'q [u8]),
    Suffix(&'q [u8]),
    Infix(&'q [u8]),
    /// `?` stands for one character, `*` for any number; a backslash keeps them.
    Wildcard(&'q [u8]),
    Fuzzy(&'q [u8], u8),
}

/// The words that a pattern stands for, at most `most`; whether there are more. Costs a look at
/// each word that begins as the pattern does.
pub fn expand(
    dictionary: &Dictionary,
    pattern: Pattern<'_>,
    most: usize,
    context: &mut Context<'_>,
) -> (Vec<Vec<u8>>, bool) {
    let beginning = match pattern {
        Pattern::Prefix(text) => text,
        Pattern::Wildcard(text) => {
            &text[..memchr::memchr3(b'*', b'?', b'\\', text).unwrap_or(text.len())]
        }
        _ => &[],
    };
    let finder = match pattern {
        Pattern::Infix(text) => memmem::Finder::new(text),
        _ => memmem::Finder::new(b""),
    };
    let mut fuzzy = match pattern {
        Pattern::Fuzzy(text, distance) => Some(Fuzzy::new(text, distance)),
        _ => None,
    };
    let mut found = Vec::new();
    for term in dictionary.words_from(beginning) {
        let word = dictionary.text(term);
        if !word.starts_with(beginning) || context.tick(1) {
            break;
        }
        let matches = match pattern {
            Pattern::Prefix(_) => true,
            Pattern::Suffix(text) => word.ends_with(text),
            Pattern::Infix(_) => finder.find(word).is_some(),
            Pattern::Wildcard(text) => is_like(text, word),
            Pattern::Fuzzy(..) => fuzzy.as_mut().is_some_and(|fuzzy| fuzzy.matches(word)),
        };
        if matches && found.len() == most {
            return (found, true);
        }
        if matches {
            found.push(word.to_vec());
        }
    }
    (found, false)
}

/// Whether a pattern stands for a word.
pub fn is_match(pattern: Pattern<'_>, word: &[u8]) -> bool {
    match pattern {
        Pattern::Prefix(text) => word.starts_with(text),
        Pattern::Suffix(text) => word.ends_with(text),
        Pattern::Infix(text) => memmem::find(word, text).is_some(),
        Pattern::Wildcard(text) => is_like(text, word),
        Pattern::Fuzzy(text, distance) => Fuzzy::new(text, distance).matches(word),
    }
}

/// The bytes of the character at a place.
fn width(text: &[u8], at: usize) -> usize {
    let continues = |byte: &&u8| **byte & 0xc0 == 0x80;
    1 + text.iter().skip(at + 1).take(3).take_while(continues).count()
}

/// Whether a word is like a pattern with `*` and `?`. O(pattern · word).
pub fn is_like(pattern: &[u8], word: &[u8]) -> bool {
    let (mut p, mut w, mut star) = (0, 0, None);
    loop {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, w));
                p += 1;
                continue;
            }
            Some(b'?') if w < word.len() => {
                (p, w) = (p + 1, w + width(word, w));
                continue;
            }
            Some(byte) if *byte != b'?' => {
                let escaped = pattern.get(p + 1).filter(|_| *byte == b'\\');
                if word.get(w) == Some(escaped.unwrap_or(byte)) {
                    (p, w) = (p + 1 + usize::from(escaped.is_some()), w + 1);
                    continue;
                }
            }
            None if w >= word.len() => return true,
            _ => {}
        }
        // The last star takes one more character.
        let Some((after, from)) = star.filter(|(_, from)| *from < word.len()) else { return false };
        let next = from + width(word, from);
        star = Some((after, next));
        (p, w) = (after, next);
    }
}

/// Levenshtein distances to words in order, of which each shares a beginning with the one before.
struct Fuzzy {
    text: Vec<char>,
    most: u32,
    /// The previous word, and a row of the table of distances for each of its characters.
    word: Vec<char>,
    rows: Vec<Vec<u32>>,
    /// Of how many characters the beginning is from which no word can be near.
    dead: usize,
}

fn characters(text: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(text).chars().collect()
}

impl Fuzzy {
    fn new(text: &[u8], most: u8) -> Self {
        let text = characters(text);
        let first = (0..=text.len() as u32).collect();
        Self { text, most: most.into(), word: Vec::new(), rows: vec![first], dead: usize::MAX }
    }

    fn matches(&mut self, word: &[u8]) -> bool {
        let word = characters(word);
        let shared = self.word.iter().zip(&word).take_while(|(a, b)| a == b).count();
        if shared >= self.dead {
            return false;
        }
        self.rows.truncate(shared + 1);
        self.dead = usize::MAX;
        for (at, letter) in word.iter().enumerate().skip(shared) {
            let row = self.next_row(&self.rows[at], *letter);
            let least = row.iter().min().copied().unwrap_or(0);
            self.rows.push(row);
            if least > self.most {
                self.dead = at + 1;
                break;
            }
        }
        let is_near = self.dead == usize::MAX
            && self.rows.last().and_then(|row| row.last()).is_some_and(|far| *far <= self.most);
        self.word = word;
        self.word.truncate(self.rows.len() - 1);
        is_near
    }

    fn next_row(&self, above: &[u32], letter: char) -> Vec<u32> {
        let mut row = Vec::with_capacity(above.len());
        row.push(above[0] + 1);
        for (at, wanted) in self.text.iter().enumerate() {
            let replaced = above[at] + u32::from(*wanted != letter);
            row.push(replaced.min(above[at + 1] + 1).min(row[at] + 1));
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::{Fuzzy, is_like};

    #[test]
    fn wildcards() {
        for (pattern, word, is) in [
            ("a*", "a", true),
            ("a?b*", "axb", true),
            ("a?b*", "aéb!", true),
            ("a?b*", "ab", false),
            ("*b", "abab", true),
            ("*b?", "abab", false),
            ("", "", true),
            ("?", "", false),
            ("*", "", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("*a*b*c*", "xaxbxcx", true),
            ("*a*b*c", "xaxbxcx", false),
        ] {
            assert_eq!(is_like(pattern.as_bytes(), word.as_bytes()), is, "{pattern} {word}");
        }
        assert!(!is_like("*a".repeat(200).as_bytes(), "a".repeat(199).as_bytes()));
    }

    #[test]
    fn distances() {
        let mut fuzzy = Fuzzy::new(b"hello", 1);
        let words =
            ["ahello", "hallo", "hell", "hellen", "hello", "hello1", "hello12", "help", "jello"];
        let near: Vec<&str> =
            words.into_iter().filter(|word| fuzzy.matches(word.as_bytes())).collect();
        assert_eq!(near, ["ahello", "hallo", "hell", "hello", "hello1", "jello"]);
    }
}
