//! The copy of a large value on its way, of whatever type: what it was when the copy began, part by
//! part (see [`base::IncrementalCopy`]).

use base::{Changed, Copier, DataType, IncrementalCopy};

use super::Object;
use super::text_copy::TextCopy;
use super::text_notes::Bytes;

macro_rules! value_copy {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// See the [module](self).
        pub(crate) enum ValueCopy {
            Str(TextCopy),
            $($name(<$type as DataType>::Copying),)*
        }

        impl Object {
            /// Whether it can be copied in parts. Others are small, or quick to copy.
            pub(crate) fn is_divisible(&self) -> bool {
                match self {
                    Object::Str(_) => true,
                    $(Object::$name(value) => value.is_divisible(),)*
                }
            }
        }

        impl ValueCopy {
            /// Begins to copy a value as it is now; `None` if it is not divisible after all.
            pub fn begin(object: &mut Object, copier: &Copier) -> Option<ValueCopy> {
                Some(match object {
                    Object::Str(text) => ValueCopy::Str(TextCopy::begin(text.len())),
                    $(Object::$name(value) => {
                        ValueCopy::$name(IncrementalCopy::<$type>::begin(value, copier)?)
                    })*
                })
            }

            /// How many elements, nodes or bytes there were.
            pub fn count(&self) -> usize {
                match self {
                    ValueCopy::Str(copy) => copy.count(),
                    $(ValueCopy::$name(copy) => IncrementalCopy::<$type>::count(copy),)*
                }
            }

            /// Makes room for a part of so many bytes. Not under the lock.
            pub fn make_room(&mut self, bytes: usize) {
                match self {
                    ValueCopy::Str(copy) => copy.make_room(bytes),
                    $(ValueCopy::$name(copy) => IncrementalCopy::<$type>::make_room(copy, bytes),)*
                }
            }

            /// Reads the next part, which ends after so many bytes; whether there is more.
            ///
            /// # Errors
            /// The value is not followed any more, or another one is there.
            pub fn read(
                &mut self,
                object: &mut Object,
                copier: &Copier,
                bytes: usize,
            ) -> Result<bool, Changed> {
                match (self, object) {
                    (ValueCopy::Str(copy), Object::Str(text)) => copy.read(text, bytes),
                    $((ValueCopy::$name(copy), Object::$name(value)) => {
                        copy.read(value, copier, bytes)
                    })*
                    _ => Err(Changed),
                }
            }

            /// Appends the elements of the last part as they were.
            ///
            /// # Errors
            /// Too much was noted.
            pub fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
                match self {
                    ValueCopy::Str(copy) => {
                        copy.settle(out);
                        Ok(())
                    }
                    $(ValueCopy::$name(copy) => IncrementalCopy::<$type>::settle(copy, out),)*
                }
            }

            /// Appends what stands behind all parts.
            ///
            /// # Errors
            /// They did not come to as much as there was.
            pub fn finish(self, out: &mut Vec<u8>) -> Result<(), Changed> {
                match self {
                    ValueCopy::Str(copy) => copy.finish(),
                    $(ValueCopy::$name(copy) => IncrementalCopy::<$type>::finish(copy, out),)*
                }
            }

            /// Bytes that were read last.
            #[cfg(test)]
            pub fn last_read(&self) -> usize {
                match self {
                    ValueCopy::Str(copy) => copy.last_read(),
                    $(ValueCopy::$name(copy) => IncrementalCopy::<$type>::last_read(copy),)*
                }
            }

            /// Bytes of notes that are kept about elements to come; the shard has those of strings.
            #[cfg(test)]
            pub fn noted(&self) -> usize {
                match self {
                    ValueCopy::Str(_) => 0,
                    $(ValueCopy::$name(copy) => IncrementalCopy::<$type>::noted(copy),)*
                }
            }
        }
    };
}

base::objects!(value_copy);

impl ValueCopy {
    /// Takes the notes that belong to the part of a string that was read last.
    pub fn take_notes(&mut self, noted: Vec<Bytes>) {
        if let ValueCopy::Str(copy) = self {
            copy.take_notes(noted);
        }
    }
}
