//! An entry of the store as a value of a file.

use std::io::{self, Write};

use rdb::{Encoder, Portable, Value};
use store::{Object, Seen, Value as Held};

macro_rules! values {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// The value of an entry, copied. O(n).
        pub(super) fn value(seen: &Seen<'_>) -> Value {
            match seen.value {
                Held::Text(bytes) => Value::String(bytes.to_vec()),
                Held::Object(Object::Str(bytes)) => Value::String(bytes.to_vec()),
                $(Held::Object(Object::$name(value)) => value.to_value(),)*
            }
        }

        /// Writes an entry, its key included.
        pub(super) fn write<W: Write>(
            encoder: &mut Encoder,
            out: &mut W,
            seen: Seen<'_>,
        ) -> io::Result<()> {
            let key = Some(seen.key);
            match seen.value {
                Held::Text(bytes) => encoder.string(out, key, bytes),
                Held::Object(Object::Str(bytes)) => encoder.string(out, key, bytes),
                $(Held::Object(Object::$name(value)) => value.write(encoder, out, key),)*
            }
        }
    };
}

base::objects!(values);
