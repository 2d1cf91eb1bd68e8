//! Matching a pattern of Lua against a text.
//!
//! A matcher goes forward through text and pattern; where there is a choice, the other ways are
//! noted in a list and taken up in turn when the way taken leads nowhere. The list is as long as
//! there are items in the pattern at most, so no pattern is too deep. A pattern can have
//! exponentially many ways all the same: each step is counted, and the host is asked
//! now and then whether to go on.

use crate::interpreter::interrupt::tick;
use crate::interpreter::stack::{Raise, Stack};
use crate::interpreter::state::{ScriptState, Way};

/// The most captures a pattern may have.
const CAPTURES: usize = 32;
const ESCAPE: u8 = b'%';

/// What a pair of parentheses has found.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    pub start: usize,
    pub end: End,
}

/// Where a capture ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// Not yet.
    Open,
    At(usize),
    /// It is a position.
    Position,
}

/// What is wrong with a pattern, or why matching stopped.
pub enum Stop {
    Fault(&'static str),
    Raise(Raise),
}

impl From<Raise> for Stop {
    fn from(raise: Raise) -> Self {
        Stop::Raise(raise)
    }
}

const NO_CLASS: Stop = Stop::Fault("malformed pattern (ends with '%')");
const NO_SET: Stop = Stop::Fault("malformed pattern (missing ']')");

/// A pattern on its way through a text. Plain data: an error may jump over it.
#[derive(Clone, Copy)]
pub struct Matcher<'t> {
    text: &'t [u8],
    pattern: &'t [u8],
    captures: [Capture; CAPTURES],
    count: usize,
}

impl<'t> Matcher<'t> {
    /// A zero byte ends a pattern, as C has it.
    pub fn new(text: &'t [u8], pattern: &'t [u8]) -> Self {
        let end = memchr::memchr(0, pattern).unwrap_or(pattern.len());
        let none = Capture { start: 0, end: End::Open };
        Matcher { text, pattern: &pattern[..end], captures: [none; CAPTURES], count: 0 }
    }

    /// What the parentheses have found.
    pub fn captures(&self) -> &[Capture] {
        &self.captures[..self.count]
    }

    /// Where the match that begins at `at` ends, if there is one.
    pub fn run(
        &mut self,
        stack: Stack<'_>,
        script: &mut ScriptState,
        at: usize,
    ) -> Result<Option<usize>, Stop> {
        self.count = 0;
        script.ways.clear();
        let mut place = Some((at, 0));
        loop {
            tick(stack, script, 1)?;
            let Some((at, item)) = place else {
                match self.back(script) {
                    Some(other) => place = Some(other),
                    None if script.ways.is_empty() => return Ok(None),
                    None => {}
                }
                continue;
            };
            if item == self.pattern.len() {
                return Ok(Some(at));
            }
            place = self.step(stack, script, at, item)?;
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.pattern.get(at).copied()
    }

    /// One item of the pattern: where it leads, or none if nowhere.
    fn step(
        &mut self,
        stack: Stack<'_>,
        script: &mut ScriptState,
        at: usize,
        item: usize,
    ) -> Result<Option<(usize, usize)>, Stop> {
        match (self.pattern[item], self.byte(item + 1)) {
            (b'(', Some(b')')) => {
                self.begin(script, at, End::Position).map(|()| Some((at, item + 2)))
            }
            (b'(', _) => self.begin(script, at, End::Open).map(|()| Some((at, item + 1))),
            (b')', _) => self.end(script, at).map(|()| Some((at, item + 1))),
            (b'$', None) => Ok((at == self.text.len()).then_some((at, item + 1))),
            (ESCAPE, Some(b'b')) => self.balance(stack, script, at, item),
            (ESCAPE, Some(b'f')) => self.frontier(at, item + 2),
            (ESCAPE, Some(digit)) if digit.is_ascii_digit() => self.again(at, digit, item + 2),
            _ => self.single(stack, script, at, item),
        }
    }

    fn begin(&mut self, script: &mut ScriptState, start: usize, end: End) -> Result<(), Stop> {
        if self.count >= CAPTURES {
            return Err(Stop::Fault("too many captures"));
        }
        self.captures[self.count] = Capture { start, end };
        self.count += 1;
        script.ways.push(Way::NotBegun);
        Ok(())
    }

    fn end(&mut self, script: &mut ScriptState, at: usize) -> Result<(), Stop> {
        let is_open = |capture: &Capture| matches!(capture.end, End::Open);
        let last = self.captures().iter().rposition(is_open);
        let last = last.ok_or(Stop::Fault("invalid pattern capture"))?;
        self.captures[last].end = End::At(at);
        script.ways.push(Way::NotEnded(last));
        Ok(())
    }

    /// `%bxy`: from an `x` to the `y` that belongs to it.
    fn balance(
        &self,
        stack: Stack<'_>,
        script: &mut ScriptState,
        at: usize,
        item: usize,
    ) -> Result<Option<(usize, usize)>, Stop> {
        let (Some(open), Some(close)) = (self.byte(item + 2), self.byte(item + 3)) else {
            return Err(Stop::Fault("unbalanced pattern"));
        };
        if self.text.get(at) != Some(&open) {
            return Ok(None);
        }
        let mut depth = 1usize;
        for (n, &byte) in self.text[at + 1..].iter().enumerate() {
            tick(stack, script, 1)?;
            if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some((at + n + 2, item + 4)));
                }
            } else if byte == open {
                depth += 1;
            }
        }
        Ok(None)
    }

    /// `%f[set]`: between a byte that is not in the set and one that is.
    fn frontier(&self, at: usize, set: usize) -> Result<Option<(usize, usize)>, Stop> {
        if self.byte(set) != Some(b'[') {
            return Err(Stop::Fault("missing '[' after '%f' in pattern"));
        }
        let end = self.item_end(set)?;
        let before = at.checked_sub(1).map_or(0, |at| self.text[at]);
        let here = self.text.get(at).copied().unwrap_or(0);
        let is = !self.is_in_set(before, set, end) && self.is_in_set(here, set, end);
        Ok(is.then_some((at, end)))
    }

    /// `%1`: what a capture has found, once more.
    fn again(&self, at: usize, digit: u8, next: usize) -> Result<Option<(usize, usize)>, Stop> {
        let capture = digit.checked_sub(b'1').and_then(|n| self.captures().get(usize::from(n)));
        let found = match capture {
            Some(Capture { start, end: End::At(end) }) => &self.text[*start..*end],
            // A position is as long as nothing can be.
            Some(Capture { end: End::Position, .. }) => return Ok(None),
            _ => return Err(Stop::Fault("invalid capture index")),
        };
        Ok(self.text[at..].starts_with(found).then_some((at + found.len(), next)))
    }

    /// A class, a set or a byte, which may be repeated.
    fn single(
        &self,
        stack: Stack<'_>,
        script: &mut ScriptState,
        at: usize,
        item: usize,
    ) -> Result<Option<(usize, usize)>, Stop> {
        let end = self.item_end(item)?;
        let fits = |at: usize| self.text.get(at).is_some_and(|&byte| self.is_one(byte, item, end));
        match self.byte(end) {
            Some(b'?') if fits(at) => {
                script.ways.push(Way::Without { at, next: end + 1 });
                Ok(Some((at + 1, end + 1)))
            }
            Some(b'?') => Ok(Some((at, end + 1))),
            Some(b'-') => {
                script.ways.push(Way::More { at, item, end });
                Ok(Some((at, end + 1)))
            }
            Some(sign @ (b'*' | b'+')) => {
                let start = if sign == b'*' { at } else { at + 1 };
                if sign == b'+' && !fits(at) {
                    return Ok(None);
                }
                let mut count = 0;
                while fits(start + count) {
                    count += 1;
                    tick(stack, script, 1)?;
                }
                if count > 0 {
                    script.ways.push(Way::Fewer { start, count, next: end + 1 });
                }
                Ok(Some((start + count, end + 1)))
            }
            _ => Ok(fits(at).then_some((at + 1, end))),
        }
    }

    /// Undoes what led nowhere, and takes up the next other way: none if this step found none.
    fn back(&mut self, script: &mut ScriptState) -> Option<(usize, usize)> {
        match script.ways.pop()? {
            Way::NotBegun => {
                self.count -= 1;
                None
            }
            Way::NotEnded(capture) => {
                self.captures[capture].end = End::Open;
                None
            }
            Way::Without { at, next } => Some((at, next)),
            Way::Fewer { start, count, next } => {
                if count > 1 {
                    script.ways.push(Way::Fewer { start, count: count - 1, next });
                }
                Some((start + count - 1, next))
            }
            Way::More { at, item, end } => {
                let byte = *self.text.get(at)?;
                if !self.is_one(byte, item, end) {
                    return None;
                }
                script.ways.push(Way::More { at: at + 1, item, end });
                Some((at + 1, end + 1))
            }
        }
    }

    /// Where the class, set or byte at `item` ends.
    fn item_end(&self, item: usize) -> Result<usize, Stop> {
        match self.pattern[item] {
            ESCAPE if item + 1 == self.pattern.len() => Err(NO_CLASS),
            ESCAPE => Ok(item + 2),
            b'[' => {
                let mut at = item + 1;
                if self.byte(at) == Some(b'^') {
                    at += 1;
                }
                // The first byte of a set belongs to it, even if it is a bracket.
                loop {
                    match self.byte(at) {
                        None => return Err(NO_SET),
                        Some(ESCAPE) if at + 1 < self.pattern.len() => at += 2,
                        Some(_) => at += 1,
                    }
                    if self.byte(at) == Some(b']') {
                        return Ok(at + 1);
                    }
                }
            }
            _ => Ok(item + 1),
        }
    }

    /// Whether a byte is what the item from `item` to `end` stands for.
    #[inline]
    fn is_one(&self, byte: u8, item: usize, end: usize) -> bool {
        match self.pattern[item] {
            b'.' => true,
            ESCAPE => is_of_class(byte, self.pattern[item + 1]),
            b'[' => self.is_in_set(byte, item, end),
            other => other == byte,
        }
    }

    fn is_in_set(&self, byte: u8, item: usize, end: usize) -> bool {
        let last = end - 1; // the bracket
        let mut at = item + 1;
        let negated = self.pattern[at] == b'^';
        if negated {
            at += 1;
        }
        while at < last {
            let (found, next) = match self.pattern[at] {
                ESCAPE => (is_of_class(byte, self.pattern[at + 1]), at + 2),
                low if self.pattern[at + 1] == b'-' && at + 2 < last => {
                    ((low..=self.pattern[at + 2]).contains(&byte), at + 3)
                }
                other => (other == byte, at + 1),
            };
            if found {
                return !negated;
            }
            at = next;
        }
        negated
    }
}

/// `%a` and its like; an upper-case letter stands for all else.
fn is_of_class(byte: u8, class: u8) -> bool {
    let is = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => matches!(byte, b' ' | 9..=13),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is != class.is_ascii_uppercase()
}
