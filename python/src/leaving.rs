//! Letting the interpreter go and taking it again, also while it ends.
//!
//! Threads that are daemons live on while the interpreter is taken down. Before Python 3.14 it ends
//! such a thread where that asks for the interpreter, by unwinding its stack; where a frame of this
//! library is on that stack, the process aborts. So once the end has begun no thread but the one
//! that ends it comes in here, or back from waiting: it stays away, as all do since Python 3.14.
//! And the end waits for threads that are inside, since they may run Python code there.
//!
//! ```text
//!   a daemon:  enter │ inside + 1 │ … inside - 1 │ waits │ inside + 1 … │ leave │ inside - 1
//!                                 └─ ending? then stay ──────────────┘
//!   the last:  … atexit: ending │ lets go of it until no call is inside │ goes on to end it
//! ```
//!
//! The thread that ends the interpreter goes on as before: what is closed late is closed by it.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How many threads are inside: in a call, and not waiting without the interpreter.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many calls this thread is in, one inside another.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// The thread that ends the interpreter, once that has begun.
static LAST: OnceLock<ThreadId> = OnceLock::new();

/// The process that loaded this. In one forked from it threads may be counted that are not there.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// How long the end waits for threads that are inside. Most want nothing but the interpreter, but a
/// function of the program that is called there may wait for ever.
const PATIENCE: Duration = Duration::from_secs(2);
const PATIENCE_OF_A_FORK: Duration = Duration::from_millis(100);

/// Has the end of the interpreter announced.
///
/// # Errors
/// Python's, if `atexit` is not there.
pub fn announce(module: &Bound<'_, PyModule>) -> PyResult<()> {
    PROCESS.get_or_init(std::process::id);
    let ends = wrap_pyfunction!(ends, module)?;
    module.py().import("atexit")?.call_method1("register", (ends,))?;
    Ok(())
}

/// The interpreter is about to end: no other thread takes it from here on.
#[pyfunction]
fn ends(py: Python<'_>) {
    LAST.get_or_init(|| thread::current().id());
    let here = PROCESS.get() == Some(&std::process::id());
    let until = Instant::now() + if here { PATIENCE } else { PATIENCE_OF_A_FORK };
    py.detach(|| {
        while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            thread::sleep(Duration::from_micros(100));
        }
    });
}

/// Whether the interpreter ends, and by another thread.
fn ends_elsewhere() -> bool {
    LAST.get().is_some_and(|last| *last != thread::current().id())
}

/// About to be inside, without the interpreter. Does not return if that ends.
fn come() {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    if ends_elsewhere() {
        go();
        loop {
            thread::park();
        }
    }
}

fn go() {
    INSIDE.fetch_sub(1, Ordering::SeqCst);
}

/// A call of something that may run Python code, or let the interpreter go.
pub struct Call(());

/// Begins a call. Does not return if the interpreter ends.
pub fn enter(py: Python<'_>) -> Call {
    let calls = CALLS.get();
    if calls == 0 {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        if ends_elsewhere() {
            py.detach(|| {
                go();
                loop {
                    thread::park();
                }
            });
        }
    }
    CALLS.set(calls + 1);
    Call(())
}

impl Drop for Call {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
        if CALLS.get() == 0 {
            go();
        }
    }
}

/// While this lives, its thread counts as outside; dropped, it comes back in. A panic comes back
/// like every thread, so that each entry has its exit.
struct Outside(());

impl Outside {
    fn new() -> Self {
        go();
        Outside(())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        come();
    }
}

/// While this lives, a thread that came from outside counts as inside.
struct Inside(());

impl Inside {
    fn new() -> Self {
        come();
        Inside(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        go();
    }
}

/// Runs something without the interpreter.
pub fn without<T: Send>(py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
    let _call = enter(py);
    py.detach(|| {
        let _outside = Outside::new();
        act()
    })
}

/// Runs something with the interpreter, where it was let go.
pub fn within<T>(act: impl FnOnce(Python<'_>) -> T) -> T {
    let _inside = Inside::new();
    Python::attach(act)
}

/// Waits, handling signals meanwhile.
///
/// # Errors
/// What the handler of a signal raised.
pub fn pause(py: Python<'_>, time: Duration) -> PyResult<()> {
    const AT_ONCE: Duration = Duration::from_millis(20);
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        without(py, || thread::sleep(left.min(AT_ONCE)));
        py.check_signals()?;
    }
    Ok(())
}
