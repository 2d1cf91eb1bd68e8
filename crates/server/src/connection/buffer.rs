//! A connection's two buffers: the part of a request that has come, the part of the replies that
//! has not gone. Both are empty, and own no memory, nearly all of the time.

use std::collections::VecDeque;

/// Up to this many bytes of an unfinished request are kept packed and read on through the worker's
/// buffer; longer ones get a buffer of their own that grows.
pub const SMALL: usize = 16 << 10;

/// Bytes of a request that is not complete yet.
///
/// A long one grows at least twofold, so that no byte is copied more than about twice, and up to
/// fourfold when the client has announced so much: a client's word alone never costs memory.
#[derive(Default)]
pub struct Input {
    bytes: Vec<u8>,
}

impl Input {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, to be decoded in place.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether it has a buffer of its own that grows.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.bytes.len() > SMALL
    }

    /// Memory it takes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Adds bytes that were read, of a request that was said to need `missing` more.
    pub fn grow(&mut self, read: &[u8], missing: usize) {
        let len = self.bytes.len();
        if self.bytes.capacity() - len < read.len() && missing >= len {
            self.bytes.reserve_exact(missing.min(3 * len).max(read.len()));
        }
        self.bytes.extend_from_slice(read);
    }

    /// Keeps these bytes instead of what is kept now.
    pub fn keep(&mut self, rest: &[u8]) {
        if rest.is_empty() {
            self.bytes = Vec::new();
            return;
        }
        if self.bytes.len() > SMALL || self.bytes.capacity() < rest.len() {
            self.bytes = Vec::with_capacity(rest.len());
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(rest);
    }

    /// Forgets the first `n` bytes of those kept.
    pub fn consume(&mut self, n: usize) {
        if self.bytes.len() - n <= SMALL {
            self.bytes = self.bytes[n..].to_vec();
        } else {
            self.bytes.drain(..n);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Input::default();
    }
}

/// Replies the kernel has not taken yet.
///
/// ```text
///   first: | sent | to send |   rest: | to send |   | to send |   …
/// ```
///
/// A list of pieces rather than one long buffer: what has been sent is given back piece by piece,
/// and a client that takes gigabytes slowly never makes the worker copy them.
#[derive(Default)]
pub struct Output {
    first: Vec<u8>,
    sent: usize,
    rest: VecDeque<Vec<u8>>,
    /// Bytes in `rest`.
    behind: usize,
    /// Memory that `rest` takes.
    room: usize,
}

/// Replies at least this long are kept by taking over the buffer they are in; shorter ones are
/// gathered in pieces of about this size.
const PIECE: usize = 64 << 10;

impl Output {
    /// The bytes to send next; empty only if there are none at all.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.first[self.sent..]
    }

    /// How many bytes are to be sent, all in all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() - self.sent + self.behind
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory it takes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.first.capacity() + self.room
    }

    /// How it is laid out: memory of the first piece, number of the others, bytes in them and the
    /// memory they take.
    #[must_use]
    pub fn layout(&self) -> (usize, usize, usize, usize) {
        (self.first.capacity(), self.rest.len(), self.behind, self.room)
    }

    /// Adds what follows the first `sent` bytes of `more`; `more` is empty afterwards.
    pub fn push(&mut self, more: &mut Vec<u8>, sent: usize) {
        if more.len() - sent < PIECE {
            self.extend(&more[sent..]);
            more.clear();
        } else {
            let mut piece = std::mem::take(more);
            if piece.capacity() > 2 * piece.len() {
                // Something longer has been in it before; this client must not keep so much.
                piece.shrink_to_fit();
            }
            if self.is_empty() {
                self.first = piece;
                self.sent = sent;
            } else {
                piece.drain(..sent);
                self.append(piece);
            }
        }
    }

    /// Adds a message.
    pub fn extend(&mut self, message: &[u8]) {
        if message.is_empty() {
            return;
        }
        match self.rest.back_mut() {
            None if self.first.len() < PIECE => self.first.extend_from_slice(message),
            Some(last) if last.len() < PIECE => {
                self.room -= last.capacity();
                last.extend_from_slice(message);
                self.room += last.capacity();
                self.behind += message.len();
            }
            _ => self.append(message.to_vec()),
        }
    }

    fn append(&mut self, piece: Vec<u8>) {
        self.behind += piece.len();
        self.room += piece.capacity();
        self.rest.push_back(piece);
    }

    /// The kernel took `n` bytes of those to send next.
    pub fn advance(&mut self, n: usize) {
        self.sent += n;
        if self.sent >= self.first.len() {
            self.sent = 0;
            self.first = self.rest.pop_front().unwrap_or_default();
            self.behind -= self.first.len();
            self.room -= self.first.capacity();
            if self.rest.is_empty() {
                self.rest = VecDeque::new();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rests_are_packed() {
        let mut input = Input::default();
        input.keep(b"*1\r\n$4");
        assert_eq!(input.bytes(), b"*1\r\n$4");
        assert!(!input.is_large());
        assert!(input.capacity() < 16);
        input.keep(b"");
        assert_eq!((input.len(), input.capacity()), (0, 0));
    }

    #[test]
    fn large_rests_grow_and_shrink_again() {
        let mut input = Input::default();
        input.keep(&[b'x'; SMALL + 1]);
        assert!(input.is_large());
        for _ in 0..100 {
            input.grow(&[b'y'; 5000], 1);
        }
        assert_eq!(input.len(), SMALL + 1 + 500_000);
        assert!(input.capacity() <= 2 * input.len());
        assert_eq!(input.bytes()[SMALL], b'x');
        assert!(input.bytes()[SMALL + 1..].iter().all(|&b| b == b'y'));
        input.consume(SMALL + 1);
        assert_eq!(input.len(), 500_000);
        assert!(input.bytes().iter().all(|&b| b == b'y'));
        input.consume(499_990);
        assert_eq!(input.bytes(), b"yyyyyyyyyy");
        assert!(input.capacity() < 64);
        input.consume(10);
        assert_eq!((input.len(), input.capacity()), (0, 0));
    }

    #[test]
    fn what_is_announced_is_believed_as_far_as_it_has_come() {
        let mut input = Input::default();
        input.keep(&[b'x'; 20_000]);
        input.grow(&[b'y'; 1000], usize::MAX);
        assert_eq!(input.capacity(), 80_000);
        input.grow(&[b'y'; 59_000], usize::MAX - 1000);
        assert_eq!(input.capacity(), 80_000);
        input.grow(b"y", 100_000);
        assert_eq!((input.len(), input.capacity()), (80_001, 180_000));
    }

    #[test]
    fn output_keeps_the_order() {
        let mut output = Output::default();
        let mut more = b"0123456789".to_vec();
        output.push(&mut more, 4);
        assert!(more.is_empty());
        output.advance(2);
        output.extend(b"ab");
        assert_eq!(output.bytes(), b"6789ab");
        output.advance(4);
        assert_eq!(output.len(), 2);
        more.extend_from_slice(b"cd");
        output.push(&mut more, 0);
        assert_eq!(output.bytes(), b"abcd");
        output.advance(4);
        assert!(output.is_empty());
        assert_eq!(output.capacity(), 0);
    }

    #[test]
    fn a_long_rest_is_taken_over() {
        let mut output = Output::default();
        let mut more = vec![b'z'; PIECE + 10];
        let place = more.as_ptr();
        output.push(&mut more, 10);
        assert_eq!(output.len(), PIECE);
        assert_eq!(output.first.as_ptr(), place);
    }

    #[test]
    fn pieces_of_all_sizes_come_out_as_they_went_in() {
        let mut output = Output::default();
        let (mut put, mut got) = (Vec::new(), Vec::new());
        for round in 0..400_usize {
            let size = [1, 500, PIECE - 1, PIECE, 3 * PIECE][round % 5];
            let message: Vec<u8> = (0..size).map(|at| (at * 31 + round).to_le_bytes()[0]).collect();
            put.extend_from_slice(&message);
            if round % 3 == 0 {
                output.extend(&message);
            } else {
                output.push(&mut message.clone(), 0);
            }
            for _ in 0..round % 4 {
                let n = output.bytes().len().min(40_000);
                got.extend_from_slice(&output.bytes()[..n]);
                output.advance(n);
            }
            assert_eq!(output.len(), put.len() - got.len());
            assert_eq!(output.is_empty(), output.bytes().is_empty());
        }
        while !output.is_empty() {
            got.extend_from_slice(output.bytes());
            output.advance(output.bytes().len());
        }
        assert!(got == put);
        assert_eq!((output.len(), output.capacity()), (0, 0));
    }
}
