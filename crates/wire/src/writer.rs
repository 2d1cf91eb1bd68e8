//! Replies as Redis 7.0 writes them, in RESP2 and RESP3.
//!
//! One reply is one call, or an aggregate's header followed by its elements. Which form an
//! element takes depends on the connection's protocol; commands do not see the difference.

use crate::encode;
use base::{Protocol, Reply};

/// Appends replies to a buffer, in the protocol of a connection.
///
/// ```
/// use base::{Protocol, Reply};
/// use kvist_wire::RespWriter;
///
/// let mut out = Vec::new();
/// let mut reply = RespWriter::new(&mut out, Protocol::Resp3);
/// reply.map(1);
/// reply.bulk(b"pi");
/// reply.double(3.5);
/// assert_eq!(out, b"%1\r\n$2\r\npi\r\n,3.5\r\n");
/// ```
#[derive(Debug)]
pub struct RespWriter<'a> {
    out: &'a mut Vec<u8>,
    protocol: Protocol,
    /// How long `out` may become; 0 once it would have become longer.
    end: usize,
}

impl<'a> RespWriter<'a> {
    /// A writer behind what is in `out` already.
    #[inline]
    #[must_use]
    pub fn new(out: &'a mut Vec<u8>, protocol: Protocol) -> Self {
        RespWriter { out, protocol, end: usize::MAX }
    }

    /// The same, for no more than so many bytes: what would make them more is not kept, nor
    /// anything after it.
    #[inline]
    #[must_use]
    pub fn within(mut self, bytes: usize) -> Self {
        self.end = self.out.len().saturating_add(bytes.max(1));
        self
    }

    /// What is written from `start` on may become so many bytes from now on, whatever was said
    /// before.
    #[inline]
    pub fn set_limit(&mut self, start: usize, bytes: usize) {
        self.end = start.saturating_add(bytes.max(1));
    }

    /// Whether something was not kept.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.end == 0
    }

    #[inline]
    fn fits(&mut self, bytes: usize) -> bool {
        let fits = self.out.len().saturating_add(bytes) <= self.end;
        if !fits {
            self.end = 0;
        }
        fits
    }

    /// The buffer, for replies that are encoded already.
    #[inline]
    pub fn raw(&mut self) -> &mut Vec<u8> {
        self.out
    }

    /// Another protocol from here on, as `HELLO` asks.
    #[inline]
    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    #[inline]
    fn is_resp3(&self) -> bool {
        self.protocol == Protocol::Resp3
    }

    /// A type byte by protocol, and a length.
    #[inline]
    fn header(&mut self, resp2: u8, resp3: u8, len: usize) {
        if self.fits(SMALL) {
            encode::header(self.out, if self.is_resp3() { resp3 } else { resp2 }, len);
        }
    }
}

/// What a reply takes beside its text, at most: a mark, a number, line breaks.
const SMALL: usize = 32;

impl Reply for RespWriter<'_> {
    fn room(&self) -> usize {
        self.end.saturating_sub(self.out.len())
    }

    fn is_over(&self) -> bool {
        RespWriter::is_over(self)
    }

    #[inline]
    fn protocol(&self) -> Protocol {
        self.protocol
    }

    #[inline]
    fn ok(&mut self) {
        if self.fits(SMALL) {
            self.out.extend_from_slice(b"+OK\r\n");
        }
    }

    #[inline]
    fn simple(&mut self, text: &str) {
        if self.fits(text.len() + SMALL) {
            one_line(self.out, b'+', text.as_bytes());
        }
    }

    fn simple_bytes(&mut self, text: &[u8]) {
        if self.fits(text.len() + SMALL) {
            one_line(self.out, b'+', text);
        }
    }

    fn error_bytes(&mut self, text: &[u8]) {
        if self.fits(text.len() + SMALL) {
            one_line(self.out, b'-', text);
        }
    }

    #[inline]
    fn int(&mut self, n: i64) {
        if !self.fits(SMALL) {
            return;
        }
        match u8::try_from(n) {
            Ok(n @ 0..10) => self.out.extend_from_slice(&[b':', b'0' + n, b'\r', b'\n']),
            _ => encode::line(self.out, b':', itoa::Buffer::new().format(n).as_bytes()),
        }
    }

    #[inline]
    fn bulk(&mut self, bytes: &[u8]) {
        if self.fits(bytes.len() + SMALL) {
            encode::bulk(self.out, b'$', bytes);
        }
    }

    fn bulks(&mut self, prefix: &[u8], rests: &[&[u8]]) {
        let mut left = self.room();
        let fit = rests.iter().take_while(|rest| {
            let takes = prefix.len() + rest.len() + SMALL;
            let fits = takes <= left;
            left = left.saturating_sub(takes);
            fits
        });
        let fit = fit.count();
        encode::bulks(self.out, prefix, &rests[..fit]);
        if fit < rests.len() {
            self.end = 0;
        }
    }

    #[inline]
    fn null(&mut self) {
        if self.fits(SMALL) {
            self.out.extend_from_slice(if self.is_resp3() { b"_\r\n" } else { b"$-1\r\n" });
        }
    }

    #[inline]
    fn null_array(&mut self) {
        if self.fits(SMALL) {
            self.out.extend_from_slice(if self.is_resp3() { b"_\r\n" } else { b"*-1\r\n" });
        }
    }

    #[inline]
    fn array(&mut self, len: usize) {
        self.header(b'*', b'*', len);
    }

    #[inline]
    fn map(&mut self, len: usize) {
        if self.is_resp3() {
            self.header(b'%', b'%', len);
        } else {
            self.header(b'*', b'*', len.saturating_mul(2));
        }
    }

    #[inline]
    fn set(&mut self, len: usize) {
        self.header(b'*', b'~', len);
    }

    #[inline]
    fn push(&mut self, len: usize) {
        self.header(b'*', b'>', len);
    }

    fn double(&mut self, d: f64) {
        if !self.fits(2 * SMALL) {
            return;
        }
        if self.is_resp3() {
            self.out.push(b',');
            base::num::write_f64(self.out, d);
            self.out.extend_from_slice(b"\r\n");
            return;
        }
        // The length goes first and has one digit or two; leave room for two, then close up.
        let start = self.out.len();
        self.out.extend_from_slice(b"$00\r\n");
        base::num::write_f64(self.out, d);
        let len = u8::try_from(self.out.len() - start - 5).unwrap_or(0); // at most 24
        if len < 10 {
            self.out.remove(start + 1);
            self.out[start + 1] = b'0' + len;
        } else {
            self.out[start + 1] = b'0' + len / 10;
            self.out[start + 2] = b'0' + len % 10;
        }
        self.out.extend_from_slice(b"\r\n");
    }

    fn double_digits(&mut self, digits: &str) {
        if self.is_resp3() && self.fits(digits.len() + SMALL) {
            self.out.push(b',');
            self.out.extend_from_slice(digits.as_bytes());
            self.out.extend_from_slice(b"\r\n");
            return;
        }
        self.bulk(digits.as_bytes());
    }

    #[inline]
    fn boolean(&mut self, b: bool) {
        if !self.fits(SMALL) {
            return;
        }
        self.out.extend_from_slice(match (self.protocol, b) {
            (Protocol::Resp2, false) => b":0\r\n",
            (Protocol::Resp2, true) => b":1\r\n",
            (Protocol::Resp3, false) => b"#f\r\n",
            (Protocol::Resp3, true) => b"#t\r\n",
        });
    }

    fn verbatim(&mut self, format: &str, text: &[u8]) {
        if !self.is_resp3() {
            return self.bulk(text);
        }
        if !self.fits(text.len() + SMALL) {
            return;
        }
        // Always three letters: cut, or padded with spaces.
        let mut name = [b' '; 4];
        name.iter_mut().zip(format.bytes().take(3)).for_each(|(slot, c)| *slot = c);
        name[3] = b':';
        self.out.reserve(text.len() + 20);
        encode::header(self.out, b'=', text.len() + name.len());
        self.out.extend_from_slice(&name);
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(b"\r\n");
    }

    fn big_number(&mut self, digits: &str) {
        if self.is_resp3() && self.fits(digits.len() + SMALL) {
            one_line(self.out, b'(', digits.as_bytes());
        } else {
            self.bulk(digits.as_bytes());
        }
    }
}

/// A line whose text may quote what a client sent: line breaks inside become spaces, those at the
/// end vanish, so that no text can end the reply early.
fn one_line(out: &mut Vec<u8>, mark: u8, text: &[u8]) {
    let start = out.len() + 1;
    encode::line(out, mark, text);
    if memchr::memchr2(b'\r', b'\n', text).is_some() {
        let end = text.iter().rposition(|c| !matches!(c, b'\r' | b'\n')).map_or(0, |last| last + 1);
        out.truncate(start + end);
        for c in &mut out[start..] {
            if matches!(c, b'\r' | b'\n') {
                *c = b' ';
            }
        }
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
