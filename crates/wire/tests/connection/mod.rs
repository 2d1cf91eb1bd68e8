//! A connection as a server sees it: bytes come in pieces, requests go out.
#![allow(dead_code)] // each test program uses a part

use kvist_wire::{Decoder, Limits, ProtocolError, Step, Word};

/// What a stream of bytes came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded {
    pub requests: Vec<Vec<Vec<u8>>>,
    pub error: Option<ProtocolError>,
    /// Bytes of an unfinished request at the end.
    pub left: usize,
}

/// Decodes bytes that arrive in these pieces, keeping leftovers at the front of the buffer.
pub fn receive<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limits: Limits) -> Decoded {
    let mut decoder = Decoder::new();
    let mut buf: Vec<u8> = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut requests = Vec::new();
    for piece in pieces {
        buf.extend_from_slice(piece);
        let mut at = 0;
        // A whole batch is collected before its words are read, as a server does.
        words.clear();
        let mut counts = Vec::new();
        let end = loop {
            let before = words.len();
            match decoder.next(&mut buf, at, &limits, &mut words) {
                Ok(Step::Request { words: count, bytes }) => {
                    assert!(count > 0 && words.len() == before + count && bytes > 0);
                    counts.push(count);
                    at += bytes;
                }
                Ok(Step::Empty { bytes }) => {
                    assert!(bytes > 0 && words.len() == before);
                    at += bytes;
                }
                Ok(Step::Partial { missing }) => {
                    assert!(missing > 0 && words.len() == before);
                    break Ok(());
                }
                Err(error) => {
                    assert_eq!(words.len(), before);
                    break Err(error);
                }
            }
            assert!(at <= buf.len());
        };
        let mut rest = &words[..];
        for count in counts {
            let (request, others) = rest.split_at(count);
            requests.push(request.iter().map(|word| word.of(&buf).to_vec()).collect());
            rest = others;
        }
        assert!(rest.is_empty());
        if let Err(error) = end {
            return Decoded { requests, error: Some(error), left: buf.len() - at };
        }
        buf.drain(..at);
    }
    Decoded { requests, error: None, left: buf.len() }
}

/// Cuts bytes into pieces whose lengths `next` chooses; 0 counts as 1.
pub fn cut(mut bytes: &[u8], mut next: impl FnMut() -> usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(next().clamp(1, bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}
