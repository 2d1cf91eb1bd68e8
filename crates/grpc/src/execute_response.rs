//! The answer to `Execute`, which may be as long as any reply.
//!
//! Such a one is made into bytes of its message where it is read, on another thread, as to do that
//! takes as long as to read it: the thread of the port only copies them. Over the wire it is what
//! `proto/kvist/v1/kvist.proto` says, `message ExecuteResponse { Value reply = 1; }`.

use bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, message, skip_field};
use prost::{DecodeError, Message};

use crate::generated::kvist::Value;

/// The number of the field.
const REPLY: u32 = 1;

/// What a command was answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecuteResponse {
    /// The reply.
    pub reply: Option<Value>,
    /// The message as bytes, in place of the reply.
    encoded: Bytes,
}

impl ExecuteResponse {
    /// With a reply.
    #[must_use]
    pub fn new(reply: Value) -> Self {
        ExecuteResponse { reply: Some(reply), encoded: Bytes::new() }
    }

    /// The same as the bytes that are sent. Takes as long as the reply is.
    #[must_use]
    pub fn into_encoded(self) -> Self {
        ExecuteResponse { encoded: self.encode_to_vec().into(), reply: None }
    }
}

impl Message for ExecuteResponse {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        buf.put_slice(&self.encoded);
        self.reply.iter().for_each(|reply| message::encode(REPLY, reply, buf));
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            REPLY => message::merge(wire_type, self.reply.get_or_insert_default(), buf, context),
            _ => skip_field(wire_type, tag, buf, context),
        }
    }

    fn encoded_len(&self) -> usize {
        let reply = self.reply.as_ref().map_or(0, |reply| message::encoded_len(REPLY, reply));
        self.encoded.len() + reply
    }

    fn clear(&mut self) {
        *self = ExecuteResponse::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::kvist::operation_result::Kind as Outcome;
    use crate::generated::kvist::{OperationResult, ValueList, value::Kind};

    #[test]
    fn bytes_are_those_of_the_message() {
        let one = Value { kind: Some(Kind::Integer(-7)) };
        let list = ValueList { items: vec![one.clone(), Value { kind: Some(Kind::Null(true)) }] };
        for value in [Value::default(), one, Value { kind: Some(Kind::List(list)) }] {
            let plain = ExecuteResponse::new(value.clone());
            let encoded = plain.clone().into_encoded();
            assert_eq!(encoded.encode_to_vec(), plain.encode_to_vec());
            let read = ExecuteResponse::decode(&encoded.encode_to_vec()[..]).expect("a message");
            assert_eq!(read.reply, Some(value));
            // In a batch, too.
            let within = |answer| OperationResult { kind: Some(Outcome::Execute(answer)) };
            assert_eq!(within(encoded).encode_to_vec(), within(plain).encode_to_vec());
        }
        assert!(ExecuteResponse::default().encode_to_vec().is_empty());
    }
}
