//! From JSON text to a value, in one pass.
//!
//! An object is expected to have the shape of the last one that began with the same name: then
//! its names are compared with the text in one go and neither searched for their ends nor hashed.
//!
//! Recursion is bounded by [`MAX_DEPTH`]. Nothing is allocated per value.

use std::sync::Arc;

use crate::build::{Builder, Mark};
use crate::cell::Cell;
use crate::diagnose::{ParseError, diagnose};
use crate::escape::is_clean;
use crate::hash::hash;
use crate::lex::{self, Fail, MAX_DEPTH, Number, Word};
use crate::registry::Registry;
use crate::shape::Shape;
use crate::shared::{Shared, What};
use crate::tree::Num;
use crate::value::Value;

impl Value {
    /// The value of a JSON text, with nothing but white space around it.
    ///
    /// Of members with one name the last counts, at the place of the first.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    ///
    /// ```
    /// use kvist_json::{Registry, Value};
    /// let mut registry = Registry::new();
    /// let value = Value::parse(br#" {"a": [1, 2.50]} "#, &mut registry)?;
    /// let mut text = Vec::new();
    /// value.root().write(&mut text);
    /// assert_eq!(text, br#"{"a":[1,2.5]}"#);
    /// let error = Value::parse(b"[1,]", &mut registry).unwrap_err();
    /// assert_eq!(error.to_string(), "trailing comma at line 1 column 4");
    /// # Ok::<(), kvist_json::ParseError>(())
    /// ```
    pub fn parse(text: &[u8], registry: &mut Registry) -> Result<Value, ParseError> {
        if str::from_utf8(text).is_err() {
            return Err(diagnose(text, Fail::Syntax));
        }
        parse(text, registry).map_err(|fail| diagnose(text, fail))
    }
}

/// The value of a text that is UTF-8.
fn parse(text: &[u8], registry: &mut Registry) -> Result<Value, Fail> {
    let buffer = std::mem::take(&mut registry.scratch.text);
    let mut parser = Parser { text, at: 0, buffer, build: Builder::new(registry) };
    let root = parser.value(0).and_then(|root| match parser.peek() {
        Err(_) => Ok(root), // the end, as it should be
        Ok(_) => Err(Fail::Syntax),
    });
    let buffer = parser.buffer;
    let value = match root {
        Ok(root) => parser.build.finish(root),
        Err(fail) => {
            parser.build.abandon();
            Err(fail)
        }
    };
    registry.scratch.text = buffer;
    value
}

struct Parser<'t, 'r> {
    text: &'t [u8],
    at: usize,
    buffer: Vec<u8>,
    build: Builder<'r>,
}

/// The shape that an object is expected to have.
struct Guess {
    id: u32,
    shared: Arc<Shared>,
}

impl Guess {
    #[inline]
    fn shape(&self) -> Option<&Shape> {
        match &self.shared.what {
            What::Shape(shape) => Some(shape),
            What::Page(_) => None,
        }
    }
}

impl Parser<'_, '_> {
    /// The next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Result<u8, Fail> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Fail::Syntax),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Cell, Fail> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.string()
            }
            b'{' => self.object(depth + 1),
            b'[' => self.array(depth + 1),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.literal(b"true", Cell::TRUE),
            b'f' => self.literal(b"false", Cell::FALSE),
            b'n' => self.literal(b"null", Cell::NULL),
            _ => Err(Fail::Syntax),
        }
    }

    #[inline]
    fn literal(&mut self, word: &[u8], cell: Cell) -> Result<Cell, Fail> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Fail::Syntax);
        }
        self.at += word.len();
        Ok(cell)
    }

    /// A string as it is in the text or the buffer.
    #[inline]
    fn word(&mut self) -> Result<Word, Fail> {
        let (word, next) = lex::string(self.text, self.at, &mut self.buffer)?;
        self.at = next;
        Ok(word)
    }

    #[inline]
    fn string(&mut self) -> Result<Cell, Fail> {
        Ok(match self.word()? {
            Word::Plain(from, to) => self.build.string(&self.text[from..to], true),
            Word::Unescaped => self.build.string(&self.buffer, is_clean(&self.buffer)),
        })
    }

    fn number(&mut self) -> Result<Cell, Fail> {
        let (number, next) = lex::number(self.text, self.at)?;
        self.at = next;
        Ok(match number {
            Number::Int(value) => self.build.num(Num::I64(value)),
            Number::Uint(value) => self.build.num(Num::U64(value)),
            Number::Float(value) => self.build.num(Num::F64(value)),
            Number::Decimal(negative, mantissa, places) => {
                Cell::decimal(negative, mantissa, places).ok_or(Fail::Syntax)?
            }
        })
    }

    fn array(&mut self, depth: usize) -> Result<Cell, Fail> {
        if depth > MAX_DEPTH {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        let mark = self.build.mark();
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(Cell::EMPTY_ARRAY);
        }
        loop {
            let cell = self.value(depth)?;
            self.build.push(cell);
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return Err(Fail::Syntax),
            }
        }
        self.at += 1;
        Ok(self.build.array(mark))
    }

    fn object(&mut self, depth: usize) -> Result<Cell, Fail> {
        if depth > MAX_DEPTH {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(Cell::EMPTY_OBJECT);
        }
        let mark = self.build.mark();
        let mut guess = self.first_name()?;
        let mut count = 0;
        loop {
            let cell = self.value(depth)?;
            self.build.push(cell);
            count += 1;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return Err(Fail::Syntax),
            }
            if guess.is_none() || !self.guessed_name(&mut guess, count)? {
                self.name()?;
            }
        }
        self.at += 1;
        Ok(self.end_object(mark, guess, count))
    }

    fn end_object(&mut self, mark: Mark, mut guess: Option<Guess>, count: usize) -> Cell {
        match &guess {
            Some(Guess { id, shared: _ }) if self.is_whole(&guess, count) => {
                self.build.shaped(mark, *id)
            }
            Some(_) => {
                self.give_up_guess(&mut guess, count);
                self.build.object(mark)
            }
            None => self.build.object(mark),
        }
    }

    fn is_whole(&self, guess: &Option<Guess>, count: usize) -> bool {
        guess.as_ref().and_then(Guess::shape).is_some_and(|shape| shape.len() == count)
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Fail> {
        if self.peek()? != b':' {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a name with its colon.
    fn name(&mut self) -> Result<(), Fail> {
        if self.peek()? != b'"' {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        match self.word()? {
            Word::Plain(from, to) => self.build.name(&self.text[from..to]),
            Word::Unescaped => self.build.name(&self.buffer),
        }
        self.colon()
    }

    /// Reads the first name of an object, and guesses its shape.
    fn first_name(&mut self) -> Result<Option<Guess>, Fail> {
        if self.peek()? != b'"' {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        let word = self.word()?;
        let name = match word {
            Word::Plain(from, to) => &self.text[from..to],
            Word::Unescaped => &self.buffer,
        };
        let hash = hash(name);
        let guess = self.build.registry.guess(hash).map(|(id, shared)| Guess { id, shared });
        let guess = guess
            .filter(|guess| guess.shape().is_some_and(|shape| shape.name(0).as_bytes() == name));
        if guess.is_none() {
            self.build.hashed_name(name, hash);
        }
        self.colon()?;
        Ok(guess)
    }

    /// Whether the next name, with its colon, is the one that was expected; then it is read.
    #[inline]
    fn guessed_name(&mut self, guess: &mut Option<Guess>, count: usize) -> Result<bool, Fail> {
        self.peek()?;
        let Some(shape) = guess.as_ref().and_then(Guess::shape) else { return Ok(false) };
        let (wire, rest) = (shape.wire(count), &self.text[self.at..]);
        if let Some((_, quoted)) = wire.split_last() {
            if rest.starts_with(wire) {
                self.at += wire.len();
                return Ok(true);
            }
            if rest.starts_with(quoted) {
                self.at += quoted.len();
                self.colon()?;
                return Ok(true);
            }
        }
        self.give_up_guess(guess, count);
        Ok(false)
    }

    /// Turns to reading names, as the object is not what it was expected to be.
    fn give_up_guess(&mut self, guess: &mut Option<Guess>, count: usize) {
        let Some(given_up) = guess.take() else { return };
        let Some(shape) = given_up.shape() else { return };
        for position in 0..count {
            self.build.name(shape.name(position).as_bytes());
        }
    }
}
