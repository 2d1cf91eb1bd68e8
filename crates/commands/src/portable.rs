//! Values of whatever type, to and from the form in which files and `DUMP` hold them: each type
//! says what that is (see [`rdb::Portable`]).

use std::io::{self, Write};

use base::{CmdError, Deadline, Holds, Key, Kind, PackLimits};
use rdb::{Encoder, Portable, Value};

use crate::Host;

/// Large collections of files and payloads are read about so many bytes at a time.
pub const PART: usize = 1 << 20;

macro_rules! restored {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// A value as it is kept here.
        pub enum Restored {
            /// A string.
            String(Vec<u8>),
            $(
                #[doc = concat!("A value of the type `", stringify!($name), "`.")]
                $name($type),
            )*
        }

        /// Whether there is a type here that has such values.
        #[must_use]
        pub fn is_known(value: &Value) -> bool {
            matches!(value, Value::String(_)) $(|| <$type>::takes(value))*
        }

        /// Makes a value of one from a file, or of its first elements. `None` if it is in no order,
        /// or of a type that is not known here. O(n), O(n log n) for a sorted set.
        pub fn restore<H: Host>(
            host: &mut H,
            value: Value,
            limits: &PackLimits,
        ) -> Option<Restored> {
            $(
                if <$type>::takes(&value) {
                    let restore = |_: &mut H, context: &mut _| {
                        <$type>::from_value(value, limits, context)
                    };
                    return Holds::<$type>::with_context(host, restore).map(Restored::$name);
                }
            )*
            match value {
                Value::String(bytes) => Some(Restored::String(bytes)),
                _ => None,
            }
        }

        impl Restored {
            /// Adds further elements to a collection. `None` if one of them is there already, or
            /// the value is no collection of their type.
            #[must_use]
            pub fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
                match self {
                    Restored::String(_) => None,
                    $(Restored::$name(value) => Portable::extend(value, more, limits),)*
                }
            }
        }

        /// Stores a value at `key`, whatever is there.
        pub fn put<H: Host>(host: &mut H, key: Key<'_>, value: Restored, deadline: Deadline) {
            match value {
                Restored::String(bytes) => host.set_string(key, &bytes, deadline),
                $(Restored::$name(value) => Holds::put(host, key, value, deadline),)*
            }
        }

        /// Writes the value at `key`, without the name; `None` if it is not there.
        ///
        /// # Errors
        /// None, as the type was asked for. Inside: those of `out`.
        pub(crate) fn write<H: Host, W: Write>(
            host: &H,
            key: Key<'_>,
            encoder: &mut Encoder,
            out: &mut W,
        ) -> Result<Option<io::Result<()>>, CmdError> {
            let Some(kind) = host.kind(key) else { return Ok(None) };
            Ok(match kind {
                Kind::String => host.string(key)?.map(|bytes| encoder.string(out, None, bytes)),
                $(Kind::$name => {
                    Holds::<$type>::peek(host, key)?.map(|value| value.write(encoder, out, None))
                })*
            })
        }
    };
}

base::objects!(restored);
