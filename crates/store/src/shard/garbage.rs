//! Values on their way out. Large ones are freed off the data path.

use base::{Charge, EndedVersion};

use super::db::Keys;
use super::readers::Readers;
use crate::Object;

/// Freeing more than this many allocations is left to the background.
const LAZY_EFFORT: usize = 64;
/// And that of a longer string: the system takes its pages back one by one.
const LAZY_BYTES: usize = 16 << 20;

/// A removed value that has not been freed yet.
#[must_use = "dropping it here frees it on the data path"]
pub enum Garbage {
    /// Nothing, or something already freed because it was small.
    Nothing,
    /// A large value.
    Object(Box<Object>),
    /// One that versions share. What they hold of it is known when it is freed; until then all of
    /// it counts as theirs, as nothing becomes free that is not counted.
    Shared(SharedObject),
    /// A whole table.
    Keys(Box<Keys>),
    /// Who had read which keys.
    Readers(Box<Readers>),
    /// A version of a value that nothing reads any more.
    Version(EndedVersion),
    /// What a value was made of before it became what a fork of it was.
    Left(Box<dyn Send>),
}

/// A removed value that versions share, and its charge until it is freed.
pub struct SharedObject(Option<(Box<Object>, Charge)>);

impl Drop for SharedObject {
    fn drop(&mut self) {
        if let Some((object, charge)) = self.0.take() {
            charge.divide(|| drop(object));
        }
    }
}

impl Garbage {
    /// Frees a small value now and keeps a large one for later.
    pub(crate) fn of(object: Option<Box<Object>>) -> Self {
        match object {
            Some(object) if object.free_effort() > LAZY_EFFORT => match object.versions() {
                Some(versions) => {
                    let charge = versions.charge(object.memory());
                    Garbage::Shared(SharedObject(Some((object, charge))))
                }
                None => Garbage::Object(object),
            },
            Some(object) if matches!(&*object, Object::Str(text) if text.len() > LAZY_BYTES) => {
                Garbage::Object(object)
            }
            _ => Garbage::Nothing,
        }
    }
}
