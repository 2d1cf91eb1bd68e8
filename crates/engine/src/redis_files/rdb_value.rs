//! An entry of the store as the neutral value of a file.

use base::StreamId;
use commands::portable;
use rdb::Value;
use store::{Object, Seen};

/// The value of an entry, copied. O(n).
pub(super) fn value(seen: &Seen<'_>) -> Value {
    let object = match seen.value {
        store::Value::Text(bytes) => return Value::String(bytes.to_vec()),
        store::Value::Object(object) => object,
    };
    match object {
        Object::Str(bytes) => Value::String(bytes.to_vec()),
        Object::List(list) => Value::List(list.iter().map(<[u8]>::to_vec).collect()),
        Object::Set(set) => Value::Set(set.iter().map(|member| member.text().to_vec()).collect()),
        Object::Hash(hash) => Value::Hash(
            hash.iter().map(|(field, value)| (field.to_vec(), value.to_vec())).collect(),
        ),
        Object::ZSet(zset) => {
            Value::ZSet(zset.iter().map(|(member, score)| (member.to_vec(), score)).collect())
        }
        Object::Json(json) => Value::Module(portable::module_of(json)),
        Object::Stream(stream) => Value::Stream(Box::new(rdb::Stream {
            entries: stream.log().range(StreamId::MIN, StreamId::MAX).map(entry).collect(),
            ..portable::stream_rest(stream)
        })),
    }
}

fn entry(entry: types::stream::Entry<'_>) -> rdb::StreamEntry {
    let (names, values): (Vec<_>, Vec<_>) =
        entry.fields().map(|(name, value)| (name.to_vec(), value.to_vec())).unzip();
    rdb::StreamEntry { id: entry.id, names: names.into(), values }
}
