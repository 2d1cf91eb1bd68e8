//! Requests as clients send them: an array of bulk strings.

/// Appends a request made of these words.
///
/// ```
/// let mut out = Vec::new();
/// kvist_wire::encode(&mut out, ["GET", "k"]);
/// assert_eq!(out, b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
/// ```
pub fn encode<I>(out: &mut Vec<u8>, words: I)
where
    I: IntoIterator<IntoIter: ExactSizeIterator, Item: AsRef<[u8]>>,
{
    let words = words.into_iter();
    header(out, b'*', words.len());
    for word in words {
        bulk(out, b'$', word.as_ref());
    }
}

/// A request made of these words; see [`encode`].
#[must_use]
pub fn request<I>(words: I) -> Vec<u8>
where
    I: IntoIterator<IntoIter: ExactSizeIterator, Item: AsRef<[u8]>>,
{
    let mut out = Vec::new();
    encode(&mut out, words);
    out
}

/// Appends the beginning of a request of this many words, for those who have no iterator of them.
///
/// ```
/// let mut out = Vec::new();
/// kvist_wire::begin_request(&mut out, 2);
/// kvist_wire::append_word(&mut out, b"GET");
/// kvist_wire::append_word(&mut out, b"k");
/// assert_eq!(out, kvist_wire::request(["GET", "k"]));
/// ```
#[inline]
pub fn begin_request(out: &mut Vec<u8>, words: usize) {
    header(out, b'*', words);
}

/// Appends the next word of a request; see [`begin_request`].
#[inline]
pub fn append_word(out: &mut Vec<u8>, word: &[u8]) {
    bulk(out, b'$', word);
}

/// Appends a type byte, a length and a line break.
#[inline]
pub(crate) fn header(out: &mut Vec<u8>, mark: u8, len: usize) {
    // The remainder of a division by ten fits.
    let digit = |n: usize| b'0' + (n % 10) as u8;
    match len {
        0..10 => out.extend_from_slice(&[mark, digit(len), b'\r', b'\n']),
        10..100 => out.extend_from_slice(&[mark, digit(len / 10), digit(len), b'\r', b'\n']),
        100..1000 => {
            let digits = [digit(len / 100), digit(len / 10), digit(len)];
            out.extend_from_slice(&[mark, digits[0], digits[1], digits[2], b'\r', b'\n']);
        }
        _ => line(out, mark, itoa::Buffer::new().format(len).as_bytes()),
    }
}

/// Appends a type byte, a text and a line break.
#[inline]
pub(crate) fn line(out: &mut Vec<u8>, mark: u8, text: &[u8]) {
    out.reserve(text.len() + 3);
    out.push(mark);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// Appends strings that all begin with `prefix`.
pub(crate) fn bulks(out: &mut Vec<u8>, prefix: &[u8], rests: &[&[u8]]) {
    for alike in rests.chunk_by(|one, next| one.len() == next.len()) {
        bulks_of_one_length(out, prefix, alike);
    }
}

/// The same of rests that have one length: the first is written as many times as there are strings,
/// in ever larger copies, and then the others' rests over its own.
fn bulks_of_one_length(out: &mut Vec<u8>, prefix: &[u8], rests: &[&[u8]]) {
    let Some((first, others)) = rests.split_first() else { return };
    let start = out.len();
    header(out, b'$', prefix.len() + first.len());
    out.extend_from_slice(prefix);
    let place = out.len() - start..out.len() - start + first.len();
    out.extend_from_slice(first);
    out.extend_from_slice(b"\r\n");
    let size = out.len() - start;
    let mut left = size * others.len();
    out.reserve(left);
    while left > 0 {
        let more = left.min(out.len() - start);
        out.extend_from_within(start..start + more);
        left -= more;
    }
    for (string, rest) in out[start + size..].chunks_exact_mut(size).zip(others) {
        string[place.clone()].copy_from_slice(rest);
    }
}

/// Appends bytes with their length before them.
#[inline]
pub(crate) fn bulk(out: &mut Vec<u8>, mark: u8, bytes: &[u8]) {
    out.reserve(bytes.len() + 16);
    header(out, mark, bytes.len());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}
