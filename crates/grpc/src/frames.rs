//! Streams that are open on a connection, as its frames tell that pass by in both directions.
//!
//! A stream is open from the head of its call to the end of the answer, as the other end gets it:
//! what is answered and waits in a queue, because the other end reads nothing, is open. HTTP/2's
//! own layer tells neither; and it takes in all that has come before the first call has its turn.

use smallvec::SmallVec;

/// What every connection begins with.
const PREFACE: u32 = 24;
/// Bytes before each frame's payload.
const HEAD: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const ENHANCE_YOUR_CALM: u8 = 11;

/// What stands before a frame's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    length: u32,
    kind: u8,
    flags: u8,
    stream: u32,
}

/// Finds the heads of frames in bytes that pass piece by piece.
#[derive(Clone, Copy, Debug, Default)]
struct Scanner {
    /// Bytes to pass before the next head.
    rest: u32,
    /// What has passed of that head.
    head: [u8; HEAD],
    have: usize,
}

impl Scanner {
    /// Takes the rest of a payload, or what there is of a head: how many bytes, and the head once
    /// it is complete.
    fn step(&mut self, bytes: &[u8]) -> (usize, Option<Head>) {
        if self.rest > 0 {
            let passed = bytes.len().min(self.rest as usize);
            self.rest -= u32::try_from(passed).unwrap_or(self.rest);
            return (passed, None);
        }
        let took = bytes.len().min(HEAD - self.have);
        self.head[self.have..self.have + took].copy_from_slice(&bytes[..took]);
        self.have += took;
        if self.have < HEAD {
            return (took, None);
        }
        let [a, b, c, kind, flags, s, t, u, v] = self.head;
        let length = u32::from_be_bytes([0, a, b, c]);
        (self.have, self.rest) = (0, length);
        let stream = u32::from_be_bytes([s & 0x7f, t, u, v]);
        (took, Some(Head { length, kind, flags, stream }))
    }
}

/// The streams of a connection.
pub struct Streams {
    open: SmallVec<[u32; 16]>,
    /// The last that was begun.
    last: u32,
    begun: usize,
    incoming: Scanner,
    outgoing: Scanner,
}

impl Streams {
    /// Of a connection that nothing has passed through.
    pub fn new() -> Self {
        Streams {
            open: SmallVec::new(),
            last: 0,
            begun: 0,
            incoming: Scanner { rest: PREFACE, ..Scanner::default() },
            outgoing: Scanner::default(),
        }
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// How many were begun so far.
    pub fn begun(&self) -> usize {
        self.begun
    }

    /// How many of these bytes of the client may pass now: those before a frame that begins one
    /// stream more than `most`.
    pub fn come(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let before = self.incoming;
            let (took, head) = self.incoming.step(&bytes[at..]);
            match head {
                Some(head) if head.kind == HEADERS && head.stream > self.last => {
                    if self.open.len() >= most {
                        self.incoming = before;
                        return at;
                    }
                    self.last = head.stream;
                    self.begun += 1;
                    self.open.push(head.stream);
                }
                Some(head) if head.kind == RESET => self.end(head.stream),
                _ => {}
            }
            at += took;
        }
        at
    }

    /// These bytes went to the client; how many bytes of messages were in them, about.
    pub fn went(&mut self, bytes: &[u8]) -> usize {
        let (mut at, mut data) = (0, 0);
        while at < bytes.len() {
            let (took, head) = self.outgoing.step(&bytes[at..]);
            at += took;
            let Some(head) = head else { continue };
            if head.kind == DATA {
                data += head.length as usize;
            }
            let ends = matches!(head.kind, DATA | HEADERS) && head.flags & END_STREAM != 0;
            if ends || head.kind == RESET {
                self.end(head.stream);
            }
        }
        data
    }

    fn end(&mut self, stream: u32) {
        if let Some(at) = self.open.iter().position(|&open| open == stream) {
            self.open.swap_remove(at);
        }
    }

    /// The frame that tells the client that it asks too much, if a frame may begin now.
    pub fn farewell(&self) -> Option<[u8; HEAD + 8]> {
        if self.outgoing.rest > 0 || self.outgoing.have > 0 {
            return None;
        }
        let mut frame = [0; HEAD + 8];
        (frame[2], frame[3]) = (8, GOAWAY);
        frame[HEAD..HEAD + 4].copy_from_slice(&self.last.to_be_bytes());
        frame[HEAD + 7] = ENHANCE_YOUR_CALM;
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, stream: u8, length: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, stream];
        frame.resize(HEAD + usize::from(length), b'x');
        frame
    }

    /// Calls on three streams, where the second is given up.
    fn calls() -> Vec<u8> {
        let (one, two, three) = (frame(1, 4, 1, 3), frame(1, 4, 3, 0), frame(1, 4, 5, 2));
        [vec![b'P'; 24], one, frame(0, 0, 1, 7), two, frame(3, 0, 3, 4), three].concat()
    }

    #[test]
    fn frames_are_found_in_pieces_of_any_size() {
        for size in 1..40 {
            let mut streams = Streams::new();
            for piece in calls().chunks(size) {
                assert_eq!(streams.come(piece, 2), piece.len());
            }
            assert_eq!((streams.open(), streams.last), (2, 5));
            // Headers, and the end with a message; the other stream ends with headers alone.
            let answers = [frame(1, 4, 1, 9), frame(0, 1, 1, 5), frame(1, 5, 5, 1)].concat();
            let data: usize = answers.chunks(size).map(|piece| streams.went(piece)).sum();
            assert_eq!((data, streams.open()), (5, 0));
        }
    }

    #[test]
    fn one_too_many_waits() {
        for size in 1..80 {
            let mut streams = Streams::new();
            let sent = calls();
            let (mut passed, mut kept) = (Vec::new(), Vec::new());
            for piece in sent.chunks(size) {
                kept.extend_from_slice(piece);
                let may = streams.come(&kept, 1);
                passed.extend(kept.drain(..may));
            }
            // Everything of the first, and at most a part of the head of the second.
            assert!((52..61).contains(&passed.len()), "{size}: {}", passed.len());
            streams.went(&frame(3, 0, 1, 4));
            let may = streams.come(&kept, 1);
            passed.extend(kept.drain(..may));
            assert_eq!((passed, streams.open()), (sent, 1), "{size}");
        }
    }

    #[test]
    fn a_farewell_stands_between_frames() {
        let mut streams = Streams::new();
        streams.come(&calls(), 9);
        assert_eq!(streams.farewell().map(|frame| (frame[12], frame[16])), Some((5, 11)));
        streams.went(&frame(0, 0, 1, 5)[..11]);
        assert_eq!(streams.farewell(), None);
    }
}
