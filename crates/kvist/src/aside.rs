//! Scripts that take long, in threads of their own: the thread that called can be interrupted, and
//! ask its program whether to wait on, while nothing of the engine's is in its hands.
//!
//! ```text
//!   calling thread                          a thread of the script's own
//!   begins the script, for 20 ms
//!   takes it back ── the session ─────────► runs it again from its start
//!   waits, asks `is_cancelled`              │
//!     ◄───────────── the session ────────── ends
//!     or leaves: "cancelled" ─────────────► ends it if it can be undone; disconnects the session
//! ```
//!
//! Most scripts are over before they would be moved, and cost nothing more. One that holds the
//! whole dataset, and may write, cannot be taken back, so it is moved before it begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use crate::client_session::ClientSession;
use crate::error::Error;
use crate::inbox::SLICE;
use crate::shared::{CancelCheck, Shared, resume};

/// Where a session is whose script runs on another thread.
enum Whereabouts {
    /// In its script.
    Away(Option<Box<ClientSession>>),
    /// Back, until it is fetched; missing if its thread broke.
    Back(Option<Box<ClientSession>>),
    /// It will not be fetched.
    Unwanted,
}

struct Meeting {
    whereabouts: Mutex<Whereabouts>,
    came_back: Condvar,
}

/// A session whose script runs on another thread. Dropping this cancels the script, and ends the
/// session.
pub(crate) struct Aside {
    shared: Arc<Shared>,
    meeting: Arc<Meeting>,
    cancelled: Arc<AtomicBool>,
}

impl Aside {
    /// Runs the request of a session that [`goes_aside`](engine::Session::goes_aside).
    pub fn begin(shared: &Arc<Shared>, mut client: Box<ClientSession>) -> Self {
        let cancelled = Arc::new(AtomicBool::new(false));
        client.session.terms.leaves_long = false;
        client.session.terms.cancelled = Some(Arc::clone(&cancelled));
        let whereabouts = Mutex::new(Whereabouts::Away(Some(client)));
        let meeting = Arc::new(Meeting { whereabouts, came_back: Condvar::new() });
        let runs = Runs { shared: Arc::clone(shared), meeting: Arc::clone(&meeting) };
        let thread = std::thread::Builder::new().name("script".to_owned());
        if thread.spawn(move || runs.run()).is_err() {
            // The system has no thread to spare: then it runs here, and cannot be interrupted.
            Runs { shared: Arc::clone(shared), meeting: Arc::clone(&meeting) }.run();
        }
        Aside { shared: Arc::clone(shared), meeting, cancelled }
    }

    /// Waits until the session is back, or until `deadline`: nothing then.
    ///
    /// # Errors
    /// Its thread broke.
    pub fn wait(&self, deadline: Instant) -> Result<Option<Box<ClientSession>>, Error> {
        let mut whereabouts = self.meeting.whereabouts.lock();
        loop {
            if let Whereabouts::Back(client) = &mut *whereabouts {
                let mut client = client.take().ok_or(Error::Closed)?;
                client.session.terms.leaves_long = true;
                client.session.terms.cancelled = None;
                return Ok(Some(client));
            }
            if self.meeting.came_back.wait_until(&mut whereabouts, deadline).timed_out()
                && !matches!(*whereabouts, Whereabouts::Back(_))
            {
                return Ok(None);
            }
        }
    }

    /// Waits until the session is back.
    ///
    /// # Errors
    /// The program does not want to wait any more; or as [`Aside::wait`].
    pub fn ended(self, is_cancelled: CancelCheck<'_>) -> Result<Box<ClientSession>, Error> {
        loop {
            match self.wait(Instant::now() + SLICE)? {
                Some(client) => return Ok(client),
                None if is_cancelled() => return Err(Error::Interrupted),
                None => {}
            }
        }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Release);
        let mut whereabouts = self.meeting.whereabouts.lock();
        let before = std::mem::replace(&mut *whereabouts, Whereabouts::Unwanted);
        drop(whereabouts);
        match before {
            Whereabouts::Back(Some(client)) => self.shared.disconnect(client),
            // Its thread has not fetched it yet, or it is fetched: see `run`.
            Whereabouts::Away(Some(client)) => self.shared.disconnect(client),
            _ => {}
        }
    }
}

/// The other end: what the script's thread holds.
struct Runs {
    shared: Arc<Shared>,
    meeting: Arc<Meeting>,
}

impl Runs {
    fn run(self) {
        let mut back = Back { runs: &self, client: None };
        let fetched = match &mut *self.meeting.whereabouts.lock() {
            Whereabouts::Away(client) => client.take(),
            _ => None,
        };
        let Some(mut client) = fetched else { return };
        match self.shared.lock_worker() {
            Ok(mut slot) => resume(&mut slot.worker, &mut client),
            Err(_) => client.over = true,
        }
        back.client = Some(client);
    }
}

/// Says that the session is back when it is dropped, however the thread ends.
struct Back<'r> {
    runs: &'r Runs,
    client: Option<Box<ClientSession>>,
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        let Runs { shared, meeting } = self.runs;
        let mut client = self.client.take();
        let mut whereabouts = meeting.whereabouts.lock();
        if let Whereabouts::Away(_) = *whereabouts {
            *whereabouts = Whereabouts::Back(client.take());
        }
        drop(whereabouts);
        meeting.came_back.notify_all();
        client.into_iter().for_each(|client| shared.disconnect(client));
    }
}
