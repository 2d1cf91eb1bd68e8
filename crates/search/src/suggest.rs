//! Suggestions that complete what is typed: the values of `FT.SUGADD`'s keys.
//!
//! A sorted map from texts in lower case: those with a beginning are a range of it. Scores are
//! floats of 32 bits, whose digits clients see. Must not know keys or replies.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::error::{Error, Result};
use crate::query::lower;
use crate::spelling::{letters, next_row};

/// The score of the very text that was typed.
const EXACT: f32 = 2_147_483_648.0;
/// How many letters may be mistyped with `FUZZY`.
const MAX_DISTANCE: usize = 1;
/// Bytes of an entry of the map beside its texts, about.
const ENTRY: usize = 64;
/// The first byte of an image.
const VERSION: u8 = 1;

/// A text in one spelling.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    /// The text, if it is not in lower case.
    text: Option<Box<[u8]>>,
    score: f32,
    payload: Option<Box<[u8]>>,
}

/// All suggestions of a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestions {
    forms: BTreeMap<Box<[u8]>, Vec<Form>>,
    count: usize,
    memory: usize,
}

/// A suggestion that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub text: Vec<u8>,
    /// By which suggestions are ordered.
    pub score: f32,
    pub payload: Option<Vec<u8>>,
}

impl Form {
    fn size(&self) -> usize {
        let length = |bytes: &Option<Box<[u8]>>| bytes.as_ref().map_or(0, |bytes| bytes.len());
        size_of::<Self>() + length(&self.text) + length(&self.payload)
    }
}

impl Suggestions {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes that they take.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.memory
    }

    /// Adds a text, or replaces its score (or adds to it) and its payload.
    pub fn add(&mut self, text: &[u8], score: f32, increment: bool, payload: Option<&[u8]>) {
        let key = lower(text);
        let text = (key != text).then(|| text.into());
        let is_new = !self.forms.contains_key(&key[..]);
        self.memory += if is_new { ENTRY + key.len() } else { 0 };
        let forms = self.forms.entry(key.into()).or_default();
        let payload = payload.map(Into::into);
        let Some(form) = forms.iter_mut().find(|form| form.text == text) else {
            let form = Form { text, score, payload };
            self.memory += form.size();
            forms.push(form);
            self.count += 1;
            return;
        };
        self.memory -= form.size();
        form.score = if increment { form.score + score } else { score };
        // An increment without a payload leaves the one there is.
        if payload.is_some() || !increment {
            form.payload = payload;
        }
        self.memory += form.size();
    }

    /// Takes a text away; whether it was there.
    pub fn remove(&mut self, text: &[u8]) -> bool {
        let key = lower(text);
        let Some(forms) = self.forms.get_mut(&key[..]) else { return false };
        let is = |form: &Form| form.text.as_deref().unwrap_or(&key) == text;
        let Some(at) = forms.iter().position(is) else { return false };
        self.memory -= forms.swap_remove(at).size();
        self.count -= 1;
        if forms.is_empty() {
            self.forms.remove(&key[..]);
            self.memory -= ENTRY + key.len();
        }
        true
    }

    /// The best ones that begin with a text, in any case; with `fuzzy`, also those that would if
    /// one letter were other, absent or more.
    pub fn find(&self, prefix: &[u8], fuzzy: bool, most: usize) -> Vec<Suggestion> {
        let prefix = lower(prefix);
        let typed = letters(&prefix);
        let mut best = Best { prefix: &prefix, typed: typed.len(), most, list: Vec::new() };
        if fuzzy {
            self.find_fuzzy(&typed, &mut best);
        } else {
            let from = (Bound::Included(&prefix[..]), Bound::Unbounded);
            for (key, forms) in self.forms.range::<[u8], _>(from) {
                if !key.starts_with(&prefix) {
                    break;
                }
                best.add(key, forms, 0);
            }
        }
        best.finish()
    }

    /// Walks the map, and passes over all that begins with what is too far from what was typed.
    fn find_fuzzy<'a>(&'a self, typed: &[u32], best: &mut Best<'a, '_>) {
        let mut from = Bound::Included(Vec::new());
        loop {
            let start = match &from {
                Bound::Included(key) => Bound::Included(&key[..]),
                _ => Bound::Unbounded,
            };
            let mut next = None;
            for (key, forms) in self.forms.range::<[u8], _>((start, Bound::Unbounded)) {
                match nearness(key, typed) {
                    Nearness::Near(distance) => best.add(key, forms, distance),
                    Nearness::Short => {}
                    Nearness::Far(length) => {
                        next = Some(after_all(&key[..length]));
                        break;
                    }
                }
            }
            match next {
                Some(Some(key)) => from = Bound::Included(key),
                _ => return,
            }
        }
    }

    /// All of it as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut image = vec![VERSION];
        write_length(&mut image, self.count);
        for (key, forms) in &self.forms {
            for form in forms {
                write(&mut image, form.text.as_deref().unwrap_or(key));
                image.extend_from_slice(&form.score.to_le_bytes());
                image.push(u8::from(form.payload.is_some()));
                if let Some(payload) = &form.payload {
                    write(&mut image, payload);
                }
            }
        }
        image
    }

    /// What [`Suggestions::encode`] wrote.
    ///
    /// # Errors
    /// Bytes that it did not write.
    pub fn decode(image: &[u8]) -> Result<Self> {
        let damaged = || Error::new("Suggestions: the image is damaged");
        let mut rest = image.strip_prefix(&[VERSION]).ok_or_else(damaged)?;
        let mut suggestions = Self::default();
        let count = read_length(&mut rest).ok_or_else(damaged)?;
        for _ in 0..count {
            let (text, score, payload) = read_form(&mut rest).ok_or_else(damaged)?;
            suggestions.add(text, score, false, payload);
        }
        let is_whole = rest.is_empty() && suggestions.count == count;
        if is_whole { Ok(suggestions) } else { Err(damaged()) }
    }
}

/// The suggestions that are best so far.
struct Best<'a, 'p> {
    prefix: &'p [u8],
    /// Letters of the prefix.
    typed: usize,
    most: usize,
    list: Vec<(f32, &'a [u8], &'a Form)>,
}

impl<'a> Best<'a, '_> {
    fn add(&mut self, key: &'a [u8], forms: &'a [Form], distance: usize) {
        #[allow(clippy::cast_precision_loss)] // letters of a text
        let beyond = letters(key).len().saturating_sub(self.typed) as f32;
        for form in forms {
            let is_exact = form.text.is_none() && key == self.prefix;
            let penalty = if distance > 0 { (-2.0_f32).exp() } else { 1.0 };
            let score = if is_exact { EXACT } else { form.score * penalty / (1.0 + beyond).sqrt() };
            self.list.push((score, key, form));
        }
        if self.list.len() >= self.most.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.list.sort_by(|a, b| {
            let text = |of: &(f32, &'a [u8], &'a Form)| of.2.text.as_deref().unwrap_or(of.1);
            b.0.total_cmp(&a.0).then_with(|| text(a).cmp(text(b)))
        });
        self.list.truncate(self.most);
    }

    fn finish(mut self) -> Vec<Suggestion> {
        self.cut();
        let found = self.list.into_iter().map(|(score, key, form)| Suggestion {
            text: form.text.as_deref().unwrap_or(key).to_vec(),
            score,
            payload: form.payload.as_deref().map(<[u8]>::to_vec),
        });
        found.collect()
    }
}

/// How near the beginning of a key is to what was typed.
enum Nearness {
    /// Letters that differ.
    Near(usize),
    /// It is too short, which longer ones may not be.
    Short,
    /// No key is near that begins with so many bytes of this one.
    Far(usize),
}

fn nearness(key: &[u8], typed: &[u32]) -> Nearness {
    let mut row: Vec<usize> = (0..=typed.len()).collect();
    let mut best = typed.len();
    let (mut length, mut is_far) = (0, false);
    for letter in letters(key) {
        next_row(&mut row, typed, letter);
        // A byte that is no character is one byte long.
        length += char::from_u32(letter).map_or(1, char::len_utf8);
        best = best.min(row.last().copied().unwrap_or(usize::MAX));
        is_far = row.iter().all(|distance| *distance > MAX_DISTANCE);
        if is_far {
            break;
        }
    }
    match best {
        0..=MAX_DISTANCE => Nearness::Near(best),
        _ if is_far => Nearness::Far(length),
        _ => Nearness::Short,
    }
}

/// The least key after all that begin with this one; `None` if there is none.
fn after_all(key: &[u8]) -> Option<Vec<u8>> {
    let last = key.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut after = key[..=last].to_vec();
    after[last] += 1;
    Some(after)
}

/// Seven bits a byte, the lowest first.
fn write_length(to: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        to.push(length.to_le_bytes()[0] | 0x80);
        length >>= 7;
    }
    to.push(length.to_le_bytes()[0]);
}

fn write(to: &mut Vec<u8>, bytes: &[u8]) {
    write_length(to, bytes.len());
    to.extend_from_slice(bytes);
}

fn read_length(from: &mut &[u8]) -> Option<usize> {
    let mut length = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}

fn read<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = read_length(from)?;
    let (bytes, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(bytes)
}

/// A text, its score, its payload.
type Encoded<'a> = (&'a [u8], f32, Option<&'a [u8]>);

fn read_form<'a>(from: &mut &'a [u8]) -> Option<Encoded<'a>> {
    let text = read(from)?;
    let (score, rest) = from.split_first_chunk::<4>()?;
    let (has_payload, rest) = rest.split_first()?;
    *from = rest;
    let payload = match has_payload {
        0 => None,
        1 => Some(read(from)?),
        _ => return None,
    };
    Some((text, f32::from_le_bytes(*score), payload))
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
