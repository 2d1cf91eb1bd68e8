//! `DUMP` payloads: a value by itself.
//!
//! ```text
//!   | form | value | version, 2 bytes | crc64 of all before, 8 bytes |      low bytes first
//! ```

use std::fmt;

use crate::object::{self, Options, Parts};
use crate::{Encoder, Error, FieldTtls, Input, Loaded, Magic, Value, crc64, writer};

/// Bytes of a payload that are looked at in one piece.
const BLOCK: usize = 64 << 10;
/// The greatest version of a payload that is taken: that of Redis 7.2.
const NEWEST: u16 = 11;

/// Why a payload is not taken.
#[derive(Debug)]
pub enum DumpError {
    /// Too short, too new, or changed on the way.
    Footer,
    /// It holds no value; where known, why.
    Format(Option<Error>),
}

impl DumpError {
    /// What `RESTORE` answers.
    #[must_use]
    pub fn text(&self) -> &'static str {
        match self {
            DumpError::Footer => "ERR DUMP payload version or checksum are wrong",
            DumpError::Format(_) => "ERR Bad data format",
        }
    }
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())?;
        match self {
            DumpError::Format(Some(error)) => write!(f, ": {error}"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for DumpError {}

/// Adds the footer to a value as [`Encoder`] wrote it, without a key.
#[must_use]
pub fn seal(mut value: Vec<u8>) -> Vec<u8> {
    value.extend(writer::VERSION.to_le_bytes());
    let sum = crc64(&value);
    value.extend(sum.to_le_bytes());
    value
}

/// The payload of a value.
///
/// ```
/// use kvist_rdb::{Encoder, Value, dump};
/// let mut encoder = Encoder::new(Default::default(), true);
/// let value = Value::String(b"v".to_vec());
/// let payload = dump::encode(&mut encoder, &value);
/// assert_eq!(payload, b"\x00\x01v\n\x00\x91\x08\xce\xb2\x198\x8a\xce");
/// assert_eq!(dump::decode(&payload).unwrap(), value);
/// ```
#[must_use]
pub fn encode(encoder: &mut Encoder, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to a vector does not fail.
    let _ = encoder.value(&mut out, None, value);
    seal(out)
}

/// Checks the footer; what is before it.
///
/// # Errors
/// [`DumpError::Footer`].
pub fn open(payload: &[u8]) -> Result<&[u8], DumpError> {
    let Some((rest, sum)) = payload.split_last_chunk::<8>() else { return Err(DumpError::Footer) };
    let Some((value, version)) = rest.split_last_chunk::<2>() else {
        return Err(DumpError::Footer);
    };
    let known = u16::from_le_bytes(*version) <= NEWEST;
    if known && crc64(rest) == u64::from_le_bytes(*sum) {
        Ok(value)
    } else {
        Err(DumpError::Footer)
    }
}

/// The value of a payload. What may follow it before the footer is ignored, as Redis does.
///
/// # Errors
/// If the payload is not in order. Members that repeat are not noticed (see [`Value`]).
pub fn decode(payload: &[u8]) -> Result<Value, DumpError> {
    let mut input = Input::with_block(open(payload)?, payload.len());
    let options = Options { magic: Magic::Redis, field_ttls: FieldTtls::Refuse };
    let kind = input.byte().map_err(|error| DumpError::Format(Some(error)))?;
    match object::load(&mut input, kind, options) {
        Ok(Loaded::Value(value) | Loaded::WithoutTtls(value, _)) => Ok(value),
        Ok(Loaded::Refused(_)) => Err(DumpError::Format(None)),
        Err(error) => Err(DumpError::Format(Some(error))),
    }
}

/// Reads the value of a payload in parts of about so many bytes. `take` says whether to go on.
///
/// # Errors
/// If the payload is not in order, or `take` says so.
pub fn decode_in_parts(
    payload: &[u8],
    bytes: usize,
    take: &mut dyn FnMut(Value) -> bool,
) -> Result<(), DumpError> {
    let broken = |error| DumpError::Format(Some(error));
    let mut input = Input::with_block(open(payload)?, payload.len().min(BLOCK));
    let kind = input.byte().map_err(broken)?;
    let Some(mut parts) = Parts::begin(&mut input, kind).map_err(broken)? else {
        let value = decode(payload)?;
        return if take(value) { Ok(()) } else { Err(DumpError::Format(None)) };
    };
    let mut begun = false;
    loop {
        let part = parts.next(&mut input, bytes).map_err(broken)?;
        // Nodes without elements may come last.
        let (is_empty, is_first) = (part.is_empty(), !std::mem::replace(&mut begun, true));
        if (is_empty && is_first) || !(is_empty || take(part)) {
            return Err(DumpError::Format(None));
        }
        if parts.is_done() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_broken_footer_is_noticed() {
        let mut encoder = Encoder::new(crate::Limits::default(), true);
        let payload = encode(&mut encoder, &Value::List(vec![b"a".to_vec(), b"300".to_vec()]));
        for at in 0..payload.len() {
            let mut broken = payload.clone();
            broken[at] ^= 1;
            assert!(matches!(open(&broken), Err(DumpError::Footer)));
            assert!(matches!(open(&payload[..at]), Err(DumpError::Footer)));
        }
        assert!(matches!(open(b""), Err(DumpError::Footer)));
    }

    #[test]
    fn a_sealed_empty_collection_is_no_value() {
        for form in [1, 2, 3, 4, 5, 14, 18] {
            let payload = seal(vec![form, 0]);
            assert_eq!(decode(&payload).unwrap_err().text(), "ERR Bad data format");
        }
        assert_eq!(decode(&seal(vec![])).unwrap_err().text(), "ERR Bad data format");
        assert_eq!(decode(&seal(vec![200])).unwrap_err().text(), "ERR Bad data format");
    }
}
