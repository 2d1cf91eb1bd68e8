//! What a client sends behind a request that waits.
//!
//! It is read on although it cannot run yet: only so can the server see that the client has gone,
//! as the end of a stream stands behind all that was sent. Else a request of a client that is no
//! more would be served, and what stands behind it would run.

use std::collections::VecDeque;

/// Reads shorter than this are gathered.
const CHUNK: usize = 16 << 10;

/// Bytes that were read and are fed later, in the order in which they came. Takes no memory as long
/// as there are none. They go as they came, so that a long pipeline is never moved as a whole.
#[derive(Default)]
pub struct ReadAhead(Option<Box<Chunks>>);

#[derive(Default)]
struct Chunks {
    chunks: VecDeque<Vec<u8>>,
    /// How many bytes of the first chunk were taken.
    taken: usize,
    /// Bytes that are there to be taken.
    len: usize,
    /// Memory that the chunks take.
    room: usize,
}

impl ReadAhead {
    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |chunks| chunks.len)
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Memory it takes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, |chunks| {
            size_of::<Chunks>() + chunks.chunks.capacity() * size_of::<Vec<u8>>() + chunks.room
        })
    }

    /// Adds what has come.
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let own = self.0.get_or_insert_default();
        own.len += bytes.len();
        if let Some(last) = own.chunks.back_mut().filter(|last| last.len() + bytes.len() <= CHUNK) {
            own.room -= last.capacity();
            last.extend_from_slice(bytes);
            own.room += last.capacity();
        } else {
            let chunk = bytes.to_vec();
            own.room += chunk.capacity();
            own.chunks.push_back(chunk);
        }
    }

    /// Moves the first bytes into `room`, as many as it has room for or one read has brought; how
    /// many.
    pub fn take(&mut self, room: &mut [u8]) -> usize {
        let Some(own) = &mut self.0 else { return 0 };
        let Some(first) = own.chunks.front() else { return 0 };
        let rest = &first[own.taken..];
        let n = rest.len().min(room.len());
        room[..n].copy_from_slice(&rest[..n]);
        own.taken += n;
        own.len -= n;
        if own.taken == first.len() {
            own.room -= first.capacity();
            own.taken = 0;
            own.chunks.pop_front();
        }
        if own.chunks.is_empty() {
            self.0 = None;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_as_they_came() {
        let mut ahead = ReadAhead::default();
        let sent: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
        let mut at = 0;
        for step in [1, 10, 16_000, 500, 40_000, 16_384, 7].iter().cycle() {
            let end = (at + step).min(sent.len());
            ahead.push(&sent[at..end]);
            at = end;
            if at == sent.len() {
                break;
            }
        }
        assert_eq!(ahead.len(), sent.len());
        assert!(ahead.capacity() >= sent.len());
        let (mut taken, mut room) = (Vec::new(), vec![0; 9000]);
        while !ahead.is_empty() {
            let n = ahead.take(&mut room);
            assert!(n > 0);
            taken.extend_from_slice(&room[..n]);
        }
        assert_eq!(taken, sent);
        assert_eq!((ahead.len(), ahead.capacity(), ahead.take(&mut room)), (0, 0, 0));
    }
}
