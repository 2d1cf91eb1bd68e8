//! Bodies of requests: read piece by piece, never longer than they may be, and all of them together
//! never more than they may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

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

/// Memory that the bodies of all requests take.
#[derive(Default)]
pub struct Budget(AtomicUsize);

/// A body that was read; its memory is counted among that of clients until it is dropped.
pub struct BufferedBody {
    /// The bytes.
    pub bytes: Vec<u8>,
    counted: usize,
    budget: Arc<Budget>,
    memory: ClientMemory,
}

impl BufferedBody {
    /// Counts so many bytes more.
    fn count(&mut self, bytes: usize, most: usize) -> Result<(), Refusal> {
        self.counted += bytes;
        self.memory.add(bytes);
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
    // As long as one value can be; one that JSON makes longer has to be shorter.
    let most = config.clients.proto_max_bulk_len.saturating_add(AROUND);
    let all = usize::try_from(config.clients.client_query_buffer_limit).unwrap_or(usize::MAX);
    let too_long =
        || Refusal::new(413, format!("the body is longer than {most} bytes")).and_close();
    if body.size_hint().lower() > most {
        return Err(too_long());
    }
    let mut held =
        BufferedBody { bytes: Vec::new(), counted: 0, budget: Arc::clone(budget), memory };
    let since = Instant::now();
    loop {
        let time = config.clients.callers.request_body_timeout;
        let due = time.and_then(|time| since.checked_add(time_for(held.bytes.len(), time)));
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
        if held.bytes.len() as u64 + data.len() as u64 > most {
            return Err(too_long());
        }
        held.count(data.len(), all)?;
        held.bytes.extend_from_slice(data);
    }
}
