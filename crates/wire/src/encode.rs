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

/// Appends strings that all begin with `prefix`. What stands between two rests is the same as long
/// as they are of one length: it is made once, and a string is two copies.
pub(crate) fn bulks(out: &mut Vec<u8>, prefix: &[u8], rests: &mut dyn Iterator<Item = &[u8]>) {
    let mut between = Vec::new();
    let mut len = None;
    for rest in rests {
        if len != Some(rest.len()) {
            let end: &[u8] = if len.is_some() { b"\r\n" } else { b"" };
            len = Some(rest.len());
            between.clear();
            between.extend_from_slice(b"\r\n");
            header(&mut between, b'$', prefix.len() + rest.len());
            between.extend_from_slice(prefix);
            out.extend_from_slice(end);
            out.extend_from_slice(&between[2..]);
        } else {
            out.extend_from_slice(&between);
        }
        out.extend_from_slice(rest);
    }
    if len.is_some() {
        out.extend_from_slice(b"\r\n");
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
