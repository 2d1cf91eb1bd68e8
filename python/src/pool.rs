//! Connections that wait to be used, the last used first.
//!
//! The lock is held for moments, never while Python code runs, and only with the interpreter held:
//! so no other thread can hold it while one forks, and a child finds it open. A child finds its
//! parent's connections too; it closes its copies and starts with none.

use crate::connection::{Connection, Look};
use crate::leaving;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct State {
    free: Vec<Py<Connection>>,
    /// Connections that exist, in use or not.
    made: usize,
    /// The process they belong to.
    pid: u32,
    /// Raised when all connections are to be closed: those in use are when they come back.
    lease: u64,
}

/// What `kvist.connection.ConnectionPool` is built on.
#[pyclass(frozen, subclass, module = "kvist._core", name = "Pool")]
pub struct Pool {
    state: Mutex<State>,
    /// The database that a `SELECT` through a client chose for all its connections, plus one.
    db: AtomicU32,
    /// How many threads wait for a connection to be given back.
    waiting: AtomicUsize,
}

impl Pool {
    /// The state, which in a child of the process that had it is empty.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let pid = std::process::id();
        if state.pid != pid {
            state.lease += 1;
            state.pid = pid;
            state.made = 0;
            let inherited = std::mem::take(&mut state.free);
            drop(state);
            drop(inherited); // runs Python code, so not under the lock
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// A connection that is ready for a request.
    pub fn take<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Connection>> {
        let connection = Self::claim(slf)?;
        let db = slf.get().db.load(Ordering::Relaxed).checked_sub(1);
        match Connection::prepare(&connection, db, Look::Quiet) {
            Ok(()) => Ok(connection),
            Err(error) => {
                Connection::hold(&connection)?.drop_socket();
                Self::give_back(slf, &connection)?;
                Err(error)
            }
        }
    }

    /// A connection in whatever state.
    fn claim<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Connection>> {
        let py = slf.py();
        loop {
            let free = slf.get().state().free.pop();
            if let Some(connection) = free {
                return Ok(connection.into_bound(py));
            }
            let limit = slf.getattr(pyo3::intern!(py, "max_connections"))?.extract::<usize>()?;
            let lease = {
                let mut state = slf.get().state();
                if state.made < limit {
                    state.made += 1;
                    Some(state.lease)
                } else {
                    None
                }
            };
            let Some(lease) = lease else {
                // Raises, or returns once it is worth looking again.
                slf.call_method0(pyo3::intern!(py, "_exhausted"))?;
                continue;
            };
            let made = slf
                .call_method0(pyo3::intern!(py, "make_connection"))
                .and_then(|made| Ok(made.cast_into::<Connection>()?));
            return match made {
                Ok(connection) => {
                    Connection::hold(&connection)?.lease = lease;
                    Ok(connection)
                }
                Err(error) => {
                    let mut state = slf.get().state();
                    state.made = state.made.saturating_sub(1);
                    Err(error)
                }
            };
        }
    }

    /// Takes a connection back; one on which a reply is in doubt is closed.
    pub fn give_back(slf: &Bound<'_, Self>, connection: &Bound<'_, Connection>) -> PyResult<()> {
        let lease = {
            let mut inner = Connection::hold(connection)?;
            if !inner.is_sure() {
                inner.drop_socket();
            }
            inner.rest();
            inner.lease
        };
        let mut state = slf.get().state();
        let ours = state.lease == lease;
        if ours {
            state.free.push(connection.clone().unbind());
        }
        drop(state);
        if !ours {
            // A parent's, or one that was to be closed: it counts no more.
            Connection::hold(connection)?.drop_socket();
        }
        if slf.get().waiting.load(Ordering::Relaxed) > 0 {
            slf.call_method0(pyo3::intern!(slf.py(), "_released"))?;
        }
        Ok(())
    }

    /// The database that was chosen for all connections, if one was.
    pub fn selected(&self) -> Option<u32> {
        self.db.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Chooses the database of all connections, when each is used next.
    pub fn select(&self, db: u32) {
        self.db.store(db.saturating_add(1), Ordering::Relaxed);
    }
}

#[pymethods]
impl Pool {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        let state = State { pid: std::process::id(), ..State::default() };
        Pool { state: Mutex::new(state), db: AtomicU32::new(0), waiting: AtomicUsize::new(0) }
    }

    /// A connection that is ready for a request. It must be given back with `release`.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn get_connection<'py>(
        slf: &Bound<'py, Self>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, Connection>> {
        let _call = leaving::enter(slf.py());
        Self::take(slf)
    }

    /// Takes a connection back. If it is not certain what its next bytes answer it is closed.
    fn release(slf: &Bound<'_, Self>, connection: &Bound<'_, Connection>) -> PyResult<()> {
        let _call = leaving::enter(slf.py());
        Self::give_back(slf, connection)
    }

    /// Closes the connections that are not in use; those in use too, as soon as they are given
    /// back, unless `inuse_connections` is false.
    #[pyo3(signature = (inuse_connections=true))]
    fn disconnect(&self, py: Python<'_>, inuse_connections: bool) {
        let free = {
            let mut state = self.state();
            if inuse_connections {
                state.lease += 1;
            }
            let free = std::mem::take(&mut state.free);
            if inuse_connections {
                state.made = 0
            } else {
                state.made -= free.len()
            }
            free
        };
        for connection in free {
            // A program may still hold it, and may use it again.
            if let Ok(mut connection) = connection.bind(py).try_borrow_mut() {
                connection.drop_socket();
            }
        }
    }

    /// Says that a thread waits for a connection, or that it does no longer.
    fn _wait(&self, begins: bool) {
        if begins {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        } else {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// How many connections wait to be used, and how many are in use.
    fn _counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.free.len(), state.made.saturating_sub(state.free.len()))
    }
}
