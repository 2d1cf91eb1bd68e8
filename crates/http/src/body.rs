//! Bodies of requests: read piece by piece, never longer than they may be, and all of them together
//! never more than they may be.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use config::Config;
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, timeout_at};

use engine::unauthenticated::time_for;
use engine::{ClientMemory, Engine};

use crate::reply::Refusal;

/// A body that is not wanted is passed over if it has so many bytes at most.
const PASSED_OVER: u64 = 64 << 10;
/// And if it comes within this time.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Beside the value a body holds a key and some JSON around them.
const AROUND: u64 = 64 << 10;

/// Bytes of a chunk of a body.
const CHUNK: usize = 256 << 10;

/// Memory that the bodies of all requests take.
#[derive(Default)]
pub struct Budget(AtomicUsize);

/// A body that was read; its memory is counted among that of clients until it is dropped.
///
/// As long as it comes it lies in chunks. One piece of memory that grows with it would be there
/// twice whenever it is moved, and what it had before would be of no use to any other.
pub struct BufferedBody {
    chunks: Vec<Vec<u8>>,
    /// Bytes of all chunks, and the memory they take.
    len: usize,
    room: usize,
    counted: usize,
    budget: Arc<Budget>,
    memory: ClientMemory,
}

impl BufferedBody {
    fn new(budget: &Arc<Budget>, memory: ClientMemory) -> Self {
        let (chunks, budget) = (Vec::new(), Arc::clone(budget));
        BufferedBody { chunks, len: 0, room: 0, counted: 0, budget, memory }
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes, which are brought together for it, if they are many: then it takes as long as
    /// they are.
    pub fn bytes(&mut self) -> &[u8] {
        if self.chunks.len() > 1 {
            let mut all = Vec::with_capacity(self.len);
            // Each is freed once it has been copied.
            let chunks = std::mem::take(&mut self.chunks).into_iter();
            chunks.for_each(|chunk| all.extend_from_slice(&chunk));
            self.room = all.capacity();
            self.memory.set(self.room);
            self.chunks.push(all);
        }
        self.chunks.first().map_or(&[], Vec::as_slice)
    }

    /// What it is unpacked by gzip: counted, and bounded, as a body that came so.
    ///
    /// # Errors
    /// 400 if it is not packed so, 413 or 503 if it is too long.
    pub fn inflated(&mut self, engine: &Engine) -> Result<BufferedBody, Refusal> {
        let (most, all) = bounds(&engine.config());
        let mut out = BufferedBody::new(&self.budget, self.memory.beside(0));
        let mut packed = flate2::read::MultiGzDecoder::new(self.bytes());
        let mut piece = vec![0; 64 << 10];
        loop {
            match packed.read(&mut piece) {
                Ok(0) => return Ok(out),
                Ok(bytes) if (out.len + bytes) as u64 <= most => {
                    out.count(bytes, all)?;
                    out.push(&piece[..bytes]);
                }
                Ok(_) => return Err(too_long(most)),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(Refusal::new(400, "the body is not packed by gzip")),
            }
        }
    }

    /// Adds a piece. Room is made for what has come, and for no more than a chunk.
    fn push(&mut self, mut piece: &[u8]) {
        self.len += piece.len();
        while !piece.is_empty() {
            if self.chunks.last().is_none_or(|last| last.len() >= CHUNK) {
                let room = if self.chunks.is_empty() { 0 } else { CHUNK };
                self.chunks.push(Vec::with_capacity(room));
                self.room += room;
            }
            let Some(last) = self.chunks.last_mut() else { return };
            let (some, rest) = piece.split_at(piece.len().min(CHUNK - last.len()));
            let (before, wanted) = (last.capacity(), last.len() + some.len());
            if wanted > before {
                last.reserve_exact(wanted.max(2 * before).min(CHUNK) - last.len());
            }
            last.extend_from_slice(some);
            self.room += last.capacity() - before;
            piece = rest;
        }
        self.memory.set(self.room);
    }

    /// Counts so many bytes more among those of all bodies.
    fn count(&mut self, bytes: usize, most: usize) -> Result<(), Refusal> {
        self.counted += bytes;
        let before = self.budget.0.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > most {
            let why = "the requests that are being received take too much memory";
            return Err(Refusal::new(503, why).with(hyper::header::RETRY_AFTER, "1").and_close());
        }
        Ok(())
    }
}

impl Drop for BufferedBody {
    fn drop(&mut self) {
        self.budget.0.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

/// Passes over the body of a request that was answered without it, so that the next request can
/// follow: if it is short, and is there or comes at once. `false` if the connection has to end.
/// Not for one that waits to be told to send it (`Expect`): that would tell it.
pub async fn pass_over(mut body: Incoming) -> bool {
    // Most requests have none: no clock is asked for these.
    if body.is_end_stream() {
        return true;
    }
    let rest = async {
        let mut left = PASSED_OVER;
        while !body.is_end_stream() {
            if body.size_hint().lower() > left {
                return false;
            }
            let next = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx));
            let Some(frame) = next.await else { break };
            let Ok(frame) = frame else { return false };
            let len = frame.data_ref().map_or(0, |data| data.len() as u64);
            let Some(fewer) = left.checked_sub(len) else { return false };
            left = fewer;
        }
        true
    };
    tokio::time::timeout(AT_ONCE, rest).await.unwrap_or(false)
}

/// Bytes of a body, and of all of them, at most.
fn bounds(config: &Config) -> (u64, usize) {
    // As long as one value can be; one that JSON makes longer has to be shorter.
    let most = config.clients.proto_max_bulk_len.saturating_add(AROUND);
    let all = usize::try_from(config.clients.client_query_buffer_limit).unwrap_or(usize::MAX);
    (most, all)
}

fn too_long(most: u64) -> Refusal {
    Refusal::new(413, format!("the body is longer than {most} bytes")).and_close()
}

/// Reads a body. A peer that does not send it in time is disconnected.
///
/// # Errors
/// 413 if it is too long, 408 if it does not come, 400 if it is broken, 503 if all bodies together
/// are too long.
pub async fn read(
    mut body: Incoming,
    (engine, budget): (&Arc<Engine>, &Arc<Budget>),
    memory: ClientMemory,
) -> Result<BufferedBody, Refusal> {
    let config = engine.config();
    let (most, all) = bounds(&config);
    if body.size_hint().lower() > most {
        return Err(too_long(most));
    }
    let mut held = BufferedBody::new(budget, memory);
    let since = Instant::now();
    loop {
        let time = config.clients.callers.request_body_timeout;
        let due = time.and_then(|time| since.checked_add(time_for(held.len, time)));
        let next = std::future::poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx));
        let piece = match due {
            Some(due) => timeout_at(due, next).await,
            None => Ok(next.await),
        };
        let piece = match piece {
            Ok(None) => return Ok(held),
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => return Err(Refusal::new(400, "the body is broken").and_close()),
            Err(_) => return Err(Refusal::new(408, "the body did not come").and_close()),
        };
        // Trailers say nothing that is wanted here.
        let Some(data) = piece.data_ref() else { continue };
        if held.len as u64 + data.len() as u64 > most {
            return Err(too_long(most));
        }
        held.count(data.len(), all)?;
        held.push(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_its_pieces() {
        let sent: Vec<u8> = (0..3 * CHUNK + 100).map(|n| (n % 251) as u8).collect();
        for step in [1, 1000, CHUNK, CHUNK + 1, sent.len()] {
            let mut body = BufferedBody::new(&Arc::default(), ClientMemory::default());
            let ((), rise) =
                testkit::scale::rise(|| sent.chunks(step).for_each(|piece| body.push(piece)));
            assert!(rise <= (body.len() + CHUNK) as isize, "{rise} in steps of {step}");
            assert!(body.room >= body.len() && body.room <= sent.len() + 2 * CHUNK, "{step}");
            assert_eq!((body.len(), body.bytes() == &sent[..]), (sent.len(), true), "{step}");
            assert_eq!((body.len(), body.bytes() == &sent[..]), (sent.len(), true), "{step}");
        }
        let mut none = BufferedBody::new(&Arc::default(), ClientMemory::default());
        assert_eq!(none.bytes(), b"");
    }
}
