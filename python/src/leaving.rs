//! Letting the interpreter go and taking it again, also while it ends.
//!
//! Threads that are daemons live on while the interpreter is taken down. Before Python 3.14 it ends
//! such a thread where that asks for the interpreter, by unwinding its stack; where a frame of this
//! library is on that stack, the process aborts. So nobody here asks any more once the end has
//! begun: who comes back from waiting then stays away, as all do since Python 3.14.
//!
//! ```text
//!   a daemon:  … waits │ crossing + 1 │ ending? then stay │ takes the interpreter │ crossing - 1
//!   the last:  … atexit: ending │ lets go of it until nobody is crossing │ goes on to end it
//! ```
//!
//! The thread that ends the interpreter goes on as before: what is closed late is closed by it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How many threads are about to take the interpreter.
static CROSSING: AtomicUsize = AtomicUsize::new(0);

/// Who ends the interpreter, once that has begun.
static LAST: OnceLock<ThreadId> = OnceLock::new();

/// The process that loaded this. In one forked from it threads may be counted that are not there.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// How long the end waits for those who are crossing. They want nothing but the interpreter.
const PATIENCE: Duration = Duration::from_secs(10);
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

/// The interpreter is about to end: nobody else takes it from here on.
#[pyfunction]
fn ends(py: Python<'_>) {
    LAST.get_or_init(|| thread::current().id());
    let here = PROCESS.get() == Some(&std::process::id());
    let until = Instant::now() + if here { PATIENCE } else { PATIENCE_OF_A_FORK };
    py.detach(|| {
        while CROSSING.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            thread::sleep(Duration::from_micros(100));
        }
    });
}

/// About to take the interpreter. Does not return if it ends.
fn cross() {
    CROSSING.fetch_add(1, Ordering::SeqCst);
    let is_mine = |last: &ThreadId| *last == thread::current().id();
    if LAST.get().is_none_or(is_mine) {
        return;
    }
    crossed();
    loop {
        thread::park();
    }
}

fn crossed() {
    CROSSING.fetch_sub(1, Ordering::SeqCst);
}

/// Runs something without the interpreter.
pub fn without<T: Send>(py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
    let done = py.detach(|| {
        let done = act();
        cross();
        done
    });
    crossed();
    done
}

/// Runs something with the interpreter, where it was let go.
pub fn within<T>(act: impl FnOnce(Python<'_>) -> T) -> T {
    cross();
    Python::attach(|py| {
        crossed();
        act(py)
    })
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
