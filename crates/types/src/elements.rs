//! Elements of collections as they stand in snapshots and records: a count, and one after the
//! other, not as they lie in memory. So a small collection takes the form that the limits of the
//! server that reads it give it.

use base::codec::{Malformed, Source, put_bytes};

/// `each` strings for every one of a count.
pub(crate) fn strings<'a>(
    source: &mut Source<'a>,
    each: usize,
) -> Result<Vec<&'a [u8]>, Malformed> {
    let count = source.length()?.checked_mul(each).ok_or(Malformed("a count is too large"))?;
    // Each takes at least a byte.
    let mut found = Vec::with_capacity(count.min(source.rest().len()));
    for _ in 0..count {
        found.push(source.bytes()?);
    }
    Ok(found)
}

/// Passes over the elements of a collection.
pub(crate) fn skip(
    source: &mut Source<'_>,
    one: fn(&mut Source<'_>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    for _ in 0..source.length()? {
        one(source)?;
    }
    Ok(())
}

/// Appends a member with its score.
pub(crate) fn put_scored(out: &mut Vec<u8>, (member, score): (&[u8], f64)) {
    put_bytes(out, member);
    out.extend_from_slice(&score.to_bits().to_le_bytes());
}

/// Reads a score.
pub(crate) fn score(source: &mut Source<'_>) -> Result<f64, Malformed> {
    let score = f64::from_bits(source.fixed_u64()?);
    if score.is_nan() { Err(Malformed("a score that is not a number")) } else { Ok(score) }
}

#[cfg(test)]
mod tests {
    use base::{DataType, PackLimits};

    use super::*;
    use crate::{Contexts, Hash, Json, List, Set, SlotOf, Stream, ZSet};

    /// The value is written as these bytes, read from them, and passed over; of fewer of them
    /// nothing is read.
    fn has_form<T: DataType>(value: &T, form: &[u8])
    where
        Contexts: SlotOf<T>,
    {
        let (limits, mut contexts) = (PackLimits::default(), Contexts::new(7));
        let mut written = Vec::new();
        value.encode(&mut written);
        assert_eq!(written, form, "{:?}", T::KIND);
        let mut source = Source::new(form);
        let read = T::decode(&mut source, &limits, contexts.get::<T>()).expect("a value");
        assert!(source.is_done());
        written.clear();
        read.encode(&mut written);
        assert_eq!(written, form, "{:?}, read", T::KIND);
        let mut source = Source::new(form);
        T::skip(&mut source).expect("a value");
        assert!(source.is_done());
        for len in 0..form.len() {
            let short = || Source::new(&form[..len]);
            assert!(T::decode(&mut short(), &limits, contexts.get::<T>()).is_err());
            assert!(T::skip(&mut short()).is_err());
        }
    }

    #[test]
    fn no_byte_of_a_form_may_change() {
        let limits = &PackLimits::default();
        has_form(&List::collect([&b"a"[..], b"bc"], limits), b"\x02\x01a\x02bc");
        has_form(&Set::collect([&b"2"[..], b"10"], limits), b"\x02\x012\x0210");
        has_form(&Set::collect([&b"x"[..]], limits), b"\x01\x01x");
        has_form(&Hash::collect([(&b"f"[..], &b"v"[..])], limits), b"\x01\x01f\x01v");
        let pairs = [(&b"one"[..], 1.5), (b"no", f64::NEG_INFINITY)];
        let form = b"\x02\x02no\0\0\0\0\0\0\xf0\xff\x03one\0\0\0\0\0\0\xf8\x3f";
        has_form(&ZSet::collect(pairs, limits), form);
        // No nodes, three ids of 16 bytes, no entry ever added, no groups.
        let form: Vec<u8> = std::iter::once(51).chain([0; 51]).collect();
        has_form(&Stream::default(), &form);
        let registry = &mut Contexts::new(7);
        let registry = &mut registry.get::<Json>().registry;
        let document = ::json::Document::from_text(b"[ 1]", registry).expect("a document");
        has_form(&Json::from(document), b"\x04\0[1]");
    }
}
