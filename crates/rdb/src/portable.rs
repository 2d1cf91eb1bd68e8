//! What values of a type are in Redis's files, in what `DUMP` answers, and in digests.

use std::io::{self, Write};

use base::codec::Source;
use base::{DataType, PackLimits};

use crate::{Encoder, Module, ModulePart, Value};

/// Types whose values can be written into Redis's files, and read from them.
///
/// A type that Redis does not know says nothing here: its values are those of a module whose type
/// has the name of its [`Kind`](base::Kind), which must have nine letters then, and what is written
/// is what [`DataType::encode`] says. One that Redis knows, as its own or as a module's, says it
/// all.
pub trait Portable: DataType {
    /// The name of the module's type that its values are of, if they are of one: nine letters.
    const NAME: &str = Self::KIND.name();
    /// The version of its encoding, where it is as a module's.
    const VERSION: u16 = 1;

    /// As a value of a file. O(n).
    #[must_use]
    fn to_value(&self) -> Value {
        let mut image = Vec::new();
        self.encode(&mut image);
        module::<Self>(image)
    }

    /// Whether this is a value of the type, in whatever version.
    #[must_use]
    fn takes(value: &Value) -> bool {
        matches!(value, Value::Module(module) if module.name() == Self::NAME)
    }

    /// Makes one of a value of a file that [is of the type](Self::takes), or of its first elements.
    /// `None` if a member or field repeats, which no server wrote, or if it cannot be read. O(n),
    /// O(n log n) for a sorted set.
    #[must_use]
    fn from_value(value: Value, limits: &PackLimits, context: &mut Self::Context) -> Option<Self> {
        let Value::Module(module) = value else { return None };
        let Some(ModulePart::String(image)) = module.parts.first() else { return None };
        if module.version() != Self::VERSION {
            return None;
        }
        let mut source = Source::new(image);
        let value = Self::decode(&mut source, limits, context).ok()?;
        (source.is_done() && !value.is_empty()).then_some(value)
    }

    /// Adds further elements to a collection, as large ones are read in parts. `None` if one of
    /// them is there already, or they are of another type.
    #[must_use]
    fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
        let _ = (more, limits);
        None
    }

    /// Writes it; `key` as in [`Encoder`].
    ///
    /// # Errors
    /// Those of `out`.
    fn write<W: Write>(
        &self,
        encoder: &mut Encoder,
        out: &mut W,
        key: Option<&[u8]>,
    ) -> io::Result<()> {
        encoder.value(out, key, &self.to_value())
    }
}

/// These bytes as a value of the module's type that stands for this one.
#[must_use]
pub fn module<T: Portable>(bytes: Vec<u8>) -> Value {
    const ID: &str = "a name in files has nine letters of A-Z a-z 0-9 - _, a version is below 1024";
    let id = const { Module::id_of(T::NAME, T::VERSION).expect(ID) };
    Value::Module(Module { id, parts: vec![ModulePart::String(bytes)] })
}
