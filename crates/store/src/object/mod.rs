//! What a key can hold, beyond a short string: one variant for each line of [`base::objects`].
//!
//! ```text
//!   | type | form | * * * * * * * * | - - - - - - |      16 bytes, of which 10 are used
//! ```
//!
//! Every key with a collection pays for a box of this, so it is of the smallest class there is: a
//! type is a tag and one pointer, and what it needs beyond that lies behind the pointer.

mod assembly;
pub mod image;
pub(crate) mod large;
mod text_copy;
pub(crate) mod text_notes;
pub(crate) mod usage;
pub(crate) mod value_copy;

use std::sync::Arc;

use base::codec::{Malformed, Source, put_bytes};
use base::{DataType, Kind, PackLimits, Versions};
use table::{Content, EntryRef, UnalignedBox, size_class};
use types::Contexts;

pub use assembly::{Assembled, Assemblies};
pub use large::ChunkSink;
pub use usage::Measure;

/// The number of strings among types.
const STRING: u8 = 0;
/// User flag of an entry: the string is reported with encoding `raw` whatever it holds.
pub(crate) const RAW: u8 = 1;
/// User flag of an entry: the string is never reported with encoding `int`.
pub(crate) const NOT_INT: u8 = 2;

macro_rules! object {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// The value of an entry that is not a short inline string.
        #[derive(Clone)]
        pub enum Object {
            /// A string longer than [`crate::INLINE_MAX`].
            Str(UnalignedBox<Vec<u8>>),
            $(
                #[doc = concat!("A value of the type `", stringify!($name), "`.")]
                $name($type),
            )*
        }

        impl Object {
            /// The type.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self {
                    Object::Str(_) => Kind::String,
                    $(Object::$name(_) => <$type>::KIND,)*
                }
            }

            /// How many elements it has; a string is one. O(1).
            pub(crate) fn elements(&self) -> usize {
                match self {
                    Object::Str(_) => 1,
                    $(Object::$name(value) => value.elements(),)*
                }
            }

            /// Heap bytes owned behind the box. O(1).
            #[must_use]
            pub fn memory(&self) -> usize {
                match self {
                    Object::Str(bytes) => size_class(size_of::<Vec<u8>>()) + bytes.capacity(),
                    $(Object::$name(value) => value.memory(),)*
                }
            }

            /// The account of what versions keep of it, where versions of it are there. O(1).
            pub(crate) fn versions(&self) -> Option<&Arc<Versions>> {
                match self {
                    Object::Str(_) => None,
                    $(Object::$name(value) => value.versions(),)*
                }
            }

            /// The name `OBJECT ENCODING` answers.
            #[must_use]
            pub fn encoding(&self) -> &'static str {
                match self {
                    Object::Str(_) => "raw",
                    $(Object::$name(value) => value.encoding(),)*
                }
            }

            /// How many allocations freeing it will visit, roughly.
            #[must_use]
            pub fn free_effort(&self) -> usize {
                match self {
                    Object::Str(_) => 1,
                    $(Object::$name(value) => value.free_effort(),)*
                }
            }

            /// The number by which snapshots and records know its type.
            pub(crate) fn tag(&self) -> u8 {
                match self {
                    Object::Str(_) => STRING,
                    $(Object::$name(_) => $tag,)*
                }
            }

            /// Appends it as snapshots and records hold it.
            pub(crate) fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    Object::Str(bytes) => put_bytes(out, bytes),
                    $(Object::$name(value) => value.encode(out),)*
                }
            }

            /// Reads a value of the type with this number, which is no string.
            pub(crate) fn decode(
                tag: u8,
                source: &mut Source<'_>,
                limits: &PackLimits,
                contexts: &mut Contexts,
            ) -> Result<Object, Malformed> {
                match tag {
                    $($tag => {
                        let context = contexts.get::<$type>();
                        <$type>::decode(source, limits, context).map(Object::$name)
                    })*
                    _ => Err(UNKNOWN),
                }
            }

            /// Passes over a value of the type with this number, which is no string.
            pub(crate) fn skip(tag: u8, source: &mut Source<'_>) -> Result<(), Malformed> {
                match tag {
                    $($tag => <$type>::skip(source),)*
                    _ => Err(UNKNOWN),
                }
            }

            /// Whether it is an empty collection, which no key may hold.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                match self {
                    Object::Str(_) => false,
                    $(Object::$name(value) => value.is_empty(),)*
                }
            }
        }
    };
}

base::objects!(object);

const UNKNOWN: Malformed = Malformed("a value of unknown type");

const _: () = assert!(size_of::<Object>() == 16, "millions of keys pay for every word here");

impl Object {
    /// A string longer than [`crate::INLINE_MAX`].
    #[must_use]
    pub fn string(bytes: Vec<u8>) -> Object {
        Object::Str(UnalignedBox::new(bytes))
    }

    /// Bytes of what an entry holds, wherever they lie. O(1).
    pub(crate) fn memory_of(entry: &EntryRef<'_, Object>) -> usize {
        match entry.content() {
            Content::Bytes(bytes) => bytes.len(),
            Content::Object(object) => object.memory(),
        }
    }
}
