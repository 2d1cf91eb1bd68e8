//! Requests that may take long, on threads of their own: the few that serve the port go on.
//!
//! How many keys a range has is read off the index, unless some of them have a deadline or may not
//! be seen by who asks: then they are looked at, all of them perhaps. A few such requests run at a
//! time, each with a worker of its own; others wait for their turn, without a thread, and no more
//! than so many. Whoever gives up waiting leaves the queue; what runs goes on to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::{Engine, Fed, Worker};
use journal::wall_clock;
use parking_lot::Mutex;
use tokio::sync::{OwnedMutexGuard, Semaphore};
use wire::Value;

use crate::session::{ClientSession, NoReply, Workers, read};

/// Requests that run at a time.
const RUNNING: usize = 4;
/// And those that may wait for their turn.
const WAITING: usize = 1024;

/// The places for them, and as many workers.
pub struct LongRequests {
    workers: Box<[Mutex<Worker>]>,
    permits: Arc<Semaphore>,
    /// Those who have a place, and those who wait for one.
    admitted: AtomicUsize,
}

impl LongRequests {
    /// Places at an engine. `seed` is unpredictable bits.
    pub fn new(engine: &Arc<Engine>, seed: u64) -> Self {
        let worker = |number: u64| Mutex::new(Worker::new(engine, seed.wrapping_add(number)));
        LongRequests {
            workers: (0..RUNNING as u64).map(worker).collect(),
            permits: Arc::new(Semaphore::new(RUNNING)),
            admitted: AtomicUsize::new(0),
        }
    }

    /// Sits down, for a thread that has one of the places, does `work`, and gets up.
    pub fn with<R>(&self, work: impl FnOnce(&mut Worker) -> R) -> R {
        // There are as many workers as places, so one is free; it would be waited for otherwise.
        let free = self.workers.iter().find_map(Mutex::try_lock);
        let mut worker = free.unwrap_or_else(|| self.workers[0].lock());
        worker.begin(wall_clock());
        work(&mut worker)
    }
}

/// One among those that run for long or wait for that.
struct Counted(Arc<Workers>);

impl Counted {
    fn new(workers: &Arc<Workers>) -> Result<Self, NoReply> {
        let counted = Counted(Arc::clone(workers));
        let before = workers.long_requests.admitted.fetch_add(1, Ordering::Relaxed);
        if before < RUNNING + WAITING { Ok(counted) } else { Err(NoReply::TooManyWaiting) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.long_requests.admitted.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a request has come to.
struct Begun {
    client: OwnedMutexGuard<ClientSession>,
    input: Vec<u8>,
    /// Bytes of the input that have been read.
    at: usize,
    out: Vec<u8>,
}

impl Begun {
    fn feed(&mut self) -> Fed {
        let rest = self.input.get_mut(self.at..).unwrap_or_default();
        let fed = self.client.feed_long(rest, &mut self.out);
        self.at += fed.consumed;
        fed
    }
}

/// Runs a command, given by its own name, aside, and waits for its reply; an error it answers is
/// one. The place is given back whenever the request waits for something, a pause or the disk.
///
/// # Errors
/// [`NoReply`].
pub async fn call(
    mut client: OwnedMutexGuard<ClientSession>,
    name: &'static str,
    words: &[&[u8]],
) -> Result<(OwnedMutexGuard<ClientSession>, Value), NoReply> {
    let workers = Arc::clone(client.workers());
    let _counted = Counted::new(&workers)?;
    let input = client.encode(name, &[words.to_vec()])?;
    let mut begun = Begun { client, input, at: 0, out: Vec::new() };
    loop {
        let permits = Arc::clone(&workers.long_requests.permits);
        let permit = permits.acquire_owned().await.map_err(|_| NoReply::Ended)?;
        let running = tokio::task::spawn_blocking(move || {
            // Given back when it is done, whoever still waits for it.
            let _permit = permit;
            let fed = begun.feed();
            (begun, fed)
        });
        let (done, fed) = running.await.map_err(|_| NoReply::Ended)?;
        begun = done;
        if begun.client.follow(fed.state).await? {
            break;
        }
    }
    let Begun { mut client, out, .. } = begun;
    client.wait_for_disk().await?;
    let reply = read(&out, 1)?.pop().ok_or(NoReply::Ended)?;
    Ok((client, reply))
}
