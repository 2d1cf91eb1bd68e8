//! An element of a compact collection: listpacks and ziplists hold integers as such.

/// Bytes, or an integer that stands for its decimal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// Stored as bytes.
    Bytes(&'a [u8]),
    /// Stored as an integer.
    Int(i64),
}

/// What is wrong with a compact collection.
pub type Bad = &'static str;

impl Entry<'_> {
    /// Its bytes, copied.
    pub fn to_vec(self) -> Vec<u8> {
        match self {
            Entry::Bytes(bytes) => bytes.to_vec(),
            Entry::Int(number) => itoa::Buffer::new().format(number).into(),
        }
    }

    /// Its number, if it is stored as one.
    pub fn int(self) -> Option<i64> {
        match self {
            Entry::Bytes(_) => None,
            Entry::Int(number) => Some(number),
        }
    }
}

/// Takes the first `N` bytes off `rest`.
pub fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*head)
}

/// Takes the first `len` bytes off `rest`.
pub fn take_slice<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(len)?;
    *rest = tail;
    Some(head)
}

/// Three bytes, low one first, with a sign.
pub fn int24([a, b, c]: [u8; 3]) -> i64 {
    (i32::from_le_bytes([0, a, b, c]) >> 8).into()
}
