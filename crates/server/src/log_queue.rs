//! Lines of the log on their way to a file: one thread writes them, so no other waits for a disk
//! that hangs.
//!
//! ```text
//!   event ─► line ─► queue ─► thread `log` ─► file
//!              │       └─ too long: the line is dropped, and counted
//!              └─ waits until it is written, as long as the disk keeps up
//! ```
//!
//! A line that was logged is in the file when its thread goes on, as if that had written it: what
//! stands in a log before a crash is what happened before it. Only where one write takes longer
//! than [`PATIENCE`] no thread waits any more, until the disk has caught up.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Bytes of lines that may wait.
const ROOM: usize = 1 << 20;
/// How long a thread waits for its line.
const PATIENCE: Duration = Duration::from_millis(20);

/// The lines, and the thread that writes them.
pub struct LogQueue {
    state: Mutex<State>,
    /// Told when there is a line more.
    more: Condvar,
    /// Told when something has been written.
    written: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    /// Bytes of them.
    bytes: usize,
    /// So many lines have come, those that were dropped not counted, and been written.
    come: u64,
    done: u64,
    /// Lines that were dropped since that was last told.
    dropped: u64,
    /// The disk does not keep up: no thread waits for it.
    behind: bool,
}

impl LogQueue {
    /// A queue whose thread calls `write` for each line. It goes on for as long as the process.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(mut write: impl FnMut(&str) + Send + 'static) -> io::Result<Arc<Self>> {
        let queue = Arc::new(LogQueue {
            state: Mutex::default(),
            more: Condvar::new(),
            written: Condvar::new(),
        });
        let own = Arc::clone(&queue);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                write(&own.next());
                own.is_written();
            }
        })?;
        Ok(queue)
    }

    /// Has a line written, and waits for that while the disk keeps up.
    pub fn push(&self, line: String) {
        let mut state = self.state.lock();
        if state.bytes > 0 && state.bytes + line.len() > ROOM {
            state.dropped += 1;
            return;
        }
        state.bytes += line.len();
        state.lines.push_back(line);
        state.come += 1;
        let number = state.come;
        self.more.notify_one();
        if !state.behind && !self.wait_for(&mut state, number, PATIENCE) {
            state.behind = true;
        }
    }

    /// The same for a thread that must not wait long whatever the disk does: not at all while that
    /// does not keep up.
    pub fn flush_unless_behind(&self, time: Duration) {
        let behind = self.state.lock().behind;
        if !behind {
            self.flush(time);
        }
    }

    /// Waits until all that has come is written, so long at most; whether it is.
    pub fn flush(&self, time: Duration) -> bool {
        let mut state = self.state.lock();
        let number = state.come;
        self.wait_for(&mut state, number, time)
    }

    fn wait_for(
        &self,
        state: &mut parking_lot::MutexGuard<'_, State>,
        number: u64,
        time: Duration,
    ) -> bool {
        let deadline = Instant::now() + time;
        while state.done < number {
            if self.written.wait_until(state, deadline).timed_out() {
                return state.done >= number;
            }
        }
        true
    }

    /// The next line, waited for.
    fn next(&self) -> String {
        let mut state = self.state.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.bytes -= line.len();
                return line;
            }
            self.more.wait(&mut state);
        }
    }

    fn is_written(&self) {
        let mut state = self.state.lock();
        state.done += 1;
        if state.lines.is_empty() {
            state.behind = false;
            let dropped = std::mem::take(&mut state.dropped);
            if dropped > 0 {
                state.tell_dropped(dropped);
            }
        }
        drop(state);
        self.written.notify_all();
    }
}

impl State {
    /// Says in the log itself what it does not say.
    fn tell_dropped(&mut self, lines: u64) {
        let line = crate::logging::line_of_its_own(&format!(
            "{lines} lines of the log were dropped: they could not be written as fast as they came"
        ));
        self.bytes += line.len();
        self.come += 1;
        self.lines.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    /// A queue whose file takes a line when it is told to, or all when it is told no more.
    fn hanging() -> (Arc<LogQueue>, Sender<()>, Arc<Mutex<Vec<String>>>) {
        let (go, told): (Sender<()>, Receiver<()>) = channel();
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let own = Arc::clone(&lines);
        let queue = LogQueue::start(move |line| {
            let _ = told.recv();
            own.lock().push(line.to_owned());
        });
        (queue.unwrap(), go, lines)
    }

    #[test]
    fn lines_are_written_when_their_threads_go_on() {
        let (queue, go, lines) = hanging();
        drop(go);
        for n in 0..1000 {
            queue.push(format!("line {n}\n"));
            // Unless this machine took longer for one of them than a disk may.
            if !queue.state.lock().behind && queue.state.lock().done > n {
                assert_eq!(lines.lock()[n as usize], format!("line {n}\n"));
            }
        }
        assert!(queue.flush(LONG));
        assert_eq!(lines.lock().len(), 1000);
    }

    #[test]
    fn no_thread_waits_for_a_file_that_hangs() {
        let (queue, go, lines) = hanging();
        let line = "x".repeat(100);
        // As many as would take an hour if each were waited for.
        for _ in 0..200_000 {
            queue.push(line.clone());
        }
        assert!(queue.state.lock().bytes <= ROOM);
        assert!(!queue.flush(Duration::from_millis(10)), "it hangs");
        drop(go);
        // The last line, which comes with the last but one, tells of the others.
        assert!(queue.flush(LONG) && queue.flush(LONG));
        let lines = lines.lock();
        let written = lines.iter().filter(|one| **one == line).count();
        assert!((ROOM / 100..ROOM / 100 + 5).contains(&written), "{written}");
        let told = format!(" {} lines of the log were dropped", 200_000 - written);
        assert!(lines.last().unwrap().contains(&told), "{:?}", lines.last());
    }
}
