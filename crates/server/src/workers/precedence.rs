//! How far each worker is, as the other workers see it: whether it has yet to serve requests that
//! have arrived (the protocol is in `rounds.rs`).
//!
//! A published message reaches every client whose subscription arrived before it, also over a
//! connection of another worker (`engine`'s `precedence.rs` says why). So a worker with a request
//! that publishes asks whether another is *behind*, and if so keeps the request until each other
//! worker has
//!
//! * been seen at rest with nothing to read, or
//! * begun and ended a round of its loop since: what is still unread then, it leaves unread on
//!   purpose, as what stands behind a blocked request.
//!
//! The kernel knows what there is to read: each worker's sockets are registered a second time, in
//! an epoll that no thread waits on and that can itself be polled. The first one cannot tell, as it
//! reports each event once: between the report and the round that serves it, it looks as if nothing
//! had arrived.
//!
//! ```text
//!   a socket has bytes ─► arrivals ──────────────┐
//!   a message lies in the inbox ─────────────────┼──► behind
//!   the worker serves what it has seen (busy) ───┘
//! ```
//!
//! A worker that is in the middle of something long is waited for [`rounds::PATIENCE`] once, and
//! not again before it has finished: requests it has not seen yet count as later than those of
//! others.

use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use base::Millis;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use smallvec::SmallVec;

use super::pool::WorkerPool;
use super::rounds::{self, Deferred, Rounds, Workers};
use crate::slab::ConnectionKey;

thread_local! {
    /// The worker that this thread is: its pool, and its number there.
    static THIS_WORKER: RefCell<Option<(Arc<WorkerPool>, usize)>> = const { RefCell::new(None) };
}

/// Makes this thread a worker.
pub fn attach_thread(pool: &Arc<WorkerPool>, number: usize) {
    THIS_WORKER.set(Some((Arc::clone(pool), number)));
}

/// Whether another worker has yet to serve something that has come to it. A system call unless one
/// is at work. O(workers).
pub fn others_first() -> bool {
    THIS_WORKER.with_borrow(|context| {
        let Some((pool, own)) = context else { return false };
        rounds::others_first(&**pool, *own)
    })
}

impl Workers for WorkerPool {
    fn count(&self) -> usize {
        self.progress.len()
    }

    fn rounds_of(&self, number: usize) -> &Rounds {
        &self.progress[number].rounds
    }

    fn has_new_connections(&self, number: usize) -> bool {
        self.inboxes[number].has_new_connections()
    }

    fn has_arrivals(&self, which: &[usize]) -> bool {
        let arrivals = |&n: &usize| PollFd::new(&self.progress[n].arrivals, PollFlags::IN);
        let mut fds: SmallVec<[PollFd<'_>; 16]> = which.iter().map(arrivals).collect();
        // What cannot be asked is taken for a yes: then rounds of the others are waited for.
        !fds.is_empty() && !matches!(poll(&mut fds, Some(&Timespec::default())), Ok(0))
    }

    fn wake(&self, number: usize) {
        self.inboxes[number].wake();
    }

    fn lost_patience(&self) {
        tracing::debug!("workers are not waited for any longer");
    }
}

impl WorkerPool {
    /// Has a socket of a worker watched, until it is closed. Not with a single worker: it asks no
    /// other, and the kernel would do its work for watched sockets twice for each packet.
    ///
    /// # Errors
    /// The kernel watches no more.
    pub fn watch(&self, number: usize, socket: impl AsFd) -> io::Result<()> {
        if self.progress.len() == 1 {
            return Ok(());
        }
        let (nothing, what) = (epoll::EventData::new_u64(0), epoll::EventFlags::IN);
        Ok(epoll::add(&self.progress[number].arrivals, socket, nothing, what)?)
    }

    /// Whether it has been in one round for so long that a new connection had better go elsewhere.
    pub fn is_stalled(&self, number: usize, now: Millis) -> bool {
        self.progress[number].rounds.is_stalled(now)
    }

    /// How many rounds of each worker have ended.
    pub fn rounds(&self) -> SmallVec<[u64; 16]> {
        self.progress.iter().map(|it| it.rounds.ended()).collect()
    }

    /// Whether a worker is in the round that comes after so many of its own.
    pub fn is_in_one_of(&self, rounds: &[u64]) -> bool {
        let mut all = self.progress.iter().zip(rounds);
        all.any(|(it, &ended)| it.rounds.is_busy() && it.rounds.ended() == ended)
    }

    /// A worker waits for something to do, or looks once more if it `rests` not.
    pub fn end_round(&self, number: usize, rests: bool) {
        rounds::end_round(self, number, rests);
    }
}

/// The requests that one worker keeps until others have served what came before them.
pub type DeferredQueue = Deferred<ConnectionKey, Arc<WorkerPool>>;

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::AtomicUsize;

    use super::super::inbox::Inbox;
    use super::super::pool::Replacements;
    use super::super::progress::Progress;
    use super::super::rounds::PATIENCE;
    use crate::slab::Slab;

    use super::*;

    /// Two workers, of which this thread is the first.
    fn pool() -> (Arc<WorkerPool>, Vec<mio::Poll>) {
        pool_of(2)
    }

    fn pool_of(size: usize) -> (Arc<WorkerPool>, Vec<mio::Poll>) {
        let polls: Vec<mio::Poll> = (0..size).map(|_| mio::Poll::new().unwrap()).collect();
        let waker = |poll: &mio::Poll| mio::Waker::new(poll.registry(), mio::Token(0)).unwrap();
        let pool = Arc::new(WorkerPool {
            replacements: Replacements::default(),
            inboxes: polls.iter().map(|poll| Arc::new(Inbox::new(waker(poll)))).collect(),
            progress: (0..size).map(|_| Progress::new().unwrap()).collect(),
            connected: AtomicUsize::new(0),
            most: AtomicUsize::new(1),
        });
        attach_thread(&pool, 0);
        (pool, polls)
    }

    /// A round of the second worker, which ends at rest.
    fn round(pool: &WorkerPool) {
        pool.progress[1].begin(0);
        pool.progress[1].end();
        pool.end_round(1, true);
    }

    fn is_woken(poll: &mut mio::Poll) -> bool {
        let mut events = mio::Events::with_capacity(8);
        poll.poll(&mut events, Some(std::time::Duration::ZERO)).unwrap();
        !events.is_empty()
    }

    #[test]
    fn a_worker_with_something_to_read_or_to_serve_is_behind() {
        let (pool, _polls) = pool();
        assert!(!others_first());
        let (mut client, socket) = UnixStream::pair().unwrap();
        pool.watch(1, &socket).unwrap();
        assert!(!others_first());
        client.write_all(b"x").unwrap();
        assert!(others_first() && others_first(), "looking takes nothing away");
        pool.progress[1].begin(0);
        std::io::Read::read(&mut &socket, &mut [0; 9]).unwrap();
        assert!(others_first(), "it was read, but not served");
        pool.progress[1].end();
        pool.end_round(1, true);
        assert!(!others_first());
    }

    #[test]
    fn the_kernel_is_asked_to_watch_for_others_only() {
        for size in [1, 2] {
            let (pool, _polls) = pool_of(size);
            let (mut client, socket) = UnixStream::pair().unwrap();
            pool.watch(0, &socket).unwrap();
            client.write_all(b"x").unwrap();
            assert_eq!(pool.has_arrivals(&[0]), size > 1, "of {size}");
        }
    }

    #[test]
    fn a_request_is_kept_for_two_rounds_or_until_the_others_rest() {
        let (pool, mut polls) = pool();
        let key = Slab::<()>::new().next_key().unwrap();
        let mut queue = DeferredQueue::new(Arc::clone(&pool), 0);
        pool.progress[1].begin(0);
        queue.keep(key, 1000);
        assert_eq!(queue.next(1000), None);
        pool.progress[1].end();
        pool.end_round(1, false);
        assert!(is_woken(&mut polls[0]));
        assert_eq!(queue.next(1001), None, "what came meanwhile is served in the next");
        pool.progress[1].end();
        pool.end_round(1, false);
        assert!(is_woken(&mut polls[0]));
        assert_eq!(queue.next(1002), Some(key));

        queue.keep(key, 1000);
        assert_eq!(queue.next(1001), None);
        pool.progress[1].end();
        pool.end_round(1, true);
        assert_eq!(queue.next(1002), Some(key), "it rests, and there is nothing to read");
        assert_eq!((queue.next(1003), queue.until()), (None, None));
    }

    #[test]
    fn what_a_worker_leaves_unread_keeps_nothing_for_long() {
        let (pool, mut polls) = pool();
        let (mut client, socket) = UnixStream::pair().unwrap();
        pool.watch(1, &socket).unwrap();
        client.write_all(b"x").unwrap();
        let key = Slab::<()>::new().next_key().unwrap();
        let mut queue = DeferredQueue::new(Arc::clone(&pool), 0);
        queue.keep(key, 1000);
        for _ in 0..2 {
            assert_eq!(queue.next(1000), None);
            assert!(is_woken(&mut polls[1]), "it is made to say that it goes no further");
            round(&pool);
            assert!(is_woken(&mut polls[0]));
        }
        assert_eq!(queue.next(1000), Some(key));
    }

    #[test]
    fn no_worker_is_waited_for_twice_in_one_long_round() {
        let (pool, _polls) = pool();
        let key = Slab::<()>::new().next_key().unwrap();
        let mut queue = DeferredQueue::new(Arc::clone(&pool), 0);
        pool.progress[1].begin(0);
        queue.keep(key, 1000);
        assert_eq!((queue.next(1000), queue.until()), (None, Some(1000 + PATIENCE)));
        assert_eq!(queue.next(1000 + PATIENCE), Some(key));
        assert!(!others_first());
        pool.progress[1].end();
        assert!(others_first(), "the next round is another one");
    }
}
