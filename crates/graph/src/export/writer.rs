//! Text that is written within its bounds, and asks whether it goes on.

use super::{About, Error, PartLimits, Piece};
use crate::query::Interrupt;
use crate::storage::{Entity, KeyId, PropertyRef, View};
use crate::value::{literal, stored};

/// So many units of values are a piece of work.
const WORK: u32 = 1 << 12;
/// So many bytes of a text are written at once.
const STRETCH: usize = 64 << 10;

/// Writes the pieces of a part.
pub(super) struct Writer<'a> {
    pub view: &'a View,
    pub pieces: Vec<Piece>,
    /// Nodes and relationships that were written.
    pub entities: usize,
    /// The piece that is being written.
    pub text: String,
    /// Bytes of the pieces.
    written: usize,
    limits: PartLimits,
    interrupt: &'a dyn Interrupt,
    /// Since it was last asked.
    units: u32,
}

impl<'a> Writer<'a> {
    pub fn new(view: &'a View, limits: PartLimits, interrupt: &'a dyn Interrupt) -> Self {
        let (pieces, text) = (Vec::new(), String::new());
        Writer { view, pieces, entities: 0, text, written: 0, limits, interrupt, units: 0 }
    }

    /// How many more nodes and relationships the part has room for.
    pub fn left(&self) -> usize {
        self.limits.entities.saturating_sub(self.entities).max(1)
    }

    /// Whether the part has no room for more.
    pub fn is_full(&self) -> bool {
        self.entities >= self.limits.entities || self.written >= self.limits.bytes
    }

    /// Ends a piece.
    pub fn end(&mut self, about: About) {
        let mut text = std::mem::take(&mut self.text);
        text.shrink_to_fit();
        self.written += text.len();
        self.pieces.push(Piece { about, text });
    }

    /// Notes work, and asks now and then whether it goes on.
    ///
    /// # Errors
    /// It does not.
    pub fn work(&mut self, units: u32) -> Result<(), Error> {
        self.units = self.units.saturating_add(units);
        if self.units < WORK {
            return Ok(());
        }
        self.units = 0;
        let holds = self.written + self.text.capacity();
        if holds > self.limits.memory {
            return Err(Error::out_of_memory(self.limits.memory));
        }
        Ok(self.interrupt.check(holds)?)
    }

    /// A name, in backticks unless it is one without them everywhere.
    pub fn name(&mut self, name: &str) {
        write_name(name, &mut self.text);
    }

    /// The name of a property.
    pub fn key(&mut self, key: KeyId) {
        let view = self.view;
        self.name(view.key_name(key).unwrap_or_default());
    }

    /// A value as an expression.
    ///
    /// # Errors
    /// It is to end.
    pub fn value(&mut self, value: PropertyRef<'_>) -> Result<(), Error> {
        if let PropertyRef::Text(text) = value {
            return self.quoted(text);
        }
        self.work(value.units())?;
        // What is stored has a literal: no node or path is.
        let literal = literal::literal(&stored::from_property(value));
        self.text.push_str(literal.as_deref().unwrap_or("null"));
        self.work(value.units())
    }

    fn quoted(&mut self, text: &str) -> Result<(), Error> {
        self.text.push('\'');
        self.stretches(text, literal::escaped)?;
        self.text.push('\'');
        Ok(())
    }

    /// Writes a text that may be long, some of it at a time.
    ///
    /// # Errors
    /// It is to end.
    pub fn stretches(
        &mut self,
        text: &str,
        mut write: impl FnMut(&str, &mut String),
    ) -> Result<(), Error> {
        let mut rest = text;
        while !rest.is_empty() {
            let (stretch, more) = rest.split_at(rest.floor_char_boundary(STRETCH));
            write(stretch, &mut self.text);
            self.work(u32::try_from(stretch.len() / 16).unwrap_or(u32::MAX) + 1)?;
            rest = more;
        }
        Ok(())
    }

    /// The properties of a node or a relationship as a map, behind what it has already.
    ///
    /// # Errors
    /// It is to end.
    pub fn properties(&mut self, entity: Entity, first: bool) -> Result<(), Error> {
        let mut first = first;
        for (key, value) in self.view.properties(entity) {
            self.text.push_str(if first { "" } else { ", " });
            first = false;
            self.key(key);
            self.text.push_str(": ");
            self.value(value)?;
        }
        Ok(())
    }
}

/// Appends a name, in backticks unless it is one without them in every dialect.
pub(super) fn write_name(name: &str, out: &mut String) {
    if crate::cypher::is_keyword(name) {
        out.push('`');
        out.push_str(name);
        out.push('`');
    } else {
        literal::name(name, out);
    }
}
