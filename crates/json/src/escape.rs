//! Strings as JSON writes them.

use crate::lex::plain_end;

/// Appends a string in quotes, escaped where JSON requires it; whether nothing had to be.
pub fn write_string(text: &[u8], out: &mut Vec<u8>) -> bool {
    out.push(b'"');
    let mut written = 0;
    while let Some(found) = next_escaped(text, written) {
        out.extend_from_slice(&text[written..found]);
        write_escape(text[found], out);
        written = found + 1;
    }
    out.extend_from_slice(&text[written..]);
    out.push(b'"');
    written == 0
}

/// Whether a string is written as it is.
#[inline]
pub(crate) fn is_clean(text: &[u8]) -> bool {
    next_escaped(text, 0).is_none()
}

#[inline]
fn next_escaped(text: &[u8], from: usize) -> Option<usize> {
    Some(plain_end(text, from)).filter(|&end| end < text.len())
}

pub(crate) fn write_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        8 => b'b',
        9 => b't',
        10 => b'n',
        12 => b'f',
        13 => b'r',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
