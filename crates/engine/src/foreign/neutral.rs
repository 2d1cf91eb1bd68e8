//! An entry of the store as the neutral value of a file.

use rdb::Value;
use store::{Object, Seen};

/// The value of an entry, copied. O(n).
pub(super) fn value(seen: &Seen<'_>) -> Value {
    let object = match seen.value {
        store::Value::Text(bytes) => return Value::String(bytes.to_vec()),
        store::Value::Object(object) => object,
    };
    match object {
        Object::Str(bytes) => Value::String(bytes.clone()),
        Object::List(list) => Value::List(list.iter().map(<[u8]>::to_vec).collect()),
        Object::Set(set) => Value::Set(set.iter().map(|member| member.text().to_vec()).collect()),
        Object::Hash(hash) => Value::Hash(
            hash.iter().map(|(field, value)| (field.to_vec(), value.to_vec())).collect(),
        ),
        Object::ZSet(zset) => {
            Value::ZSet(zset.iter().map(|(member, score)| (member.to_vec(), score)).collect())
        }
    }
}
