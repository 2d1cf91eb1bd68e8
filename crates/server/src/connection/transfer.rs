//! A copy of the dataset on its way to a client, in threads of its own: one makes it, one sends it.
//!
//! ```text
//!   connection ─ lends its socket ─► sender ◄─ the file ─ maker
//!        ▲                              │ newlines while it waits, then the file
//!        └──────── Message::Kill ───────┘
//! ```
//!
//! The connection keeps its place, so that `CLIENT LIST` and `CLIENT KILL` know it; its worker
//! neither reads nor writes meanwhile. A sender ends when its client has everything, has gone, has
//! taken nothing for a minute, or is killed: then the connection shuts the socket for both.

use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use engine::{Client, Transfer};
use mio::{Events, Interest, Poll, Token};

use super::secure::ROOM_MIN;
use super::stream::{Received, Stream};

/// Bytes read from the file at a time.
const CHUNK: usize = 256 << 10;
/// How often a client that waits is told that it is not forgotten; as Redis does.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// A client that takes nothing for so long is given up; as Redis does.
const STALLED: Duration = Duration::from_secs(60);
/// How long a client that has everything may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(5);

/// Sends a copy through a connection's socket, in another thread.
///
/// # Errors
/// The system gives no second descriptor, or no thread.
pub fn start(stream: &mut Stream, transfer: Arc<Transfer>, client: Arc<Client>) -> io::Result<()> {
    let mut sender = Sender::new(stream.lend()?)?;
    std::thread::Builder::new().name("transfer".to_owned()).spawn(move || {
        let addr = client.origin.addr.as_str();
        match sender.send(&transfer) {
            Ok(bytes) => tracing::info!(addr, bytes, "a copy was sent"),
            Err(error) => tracing::warn!(addr, %error, "a copy was not sent"),
        }
        client.kill();
    })?;
    Ok(())
}

struct Sender {
    stream: Stream,
    poll: Poll,
    events: Events,
}

impl Sender {
    fn new(mut stream: Stream) -> io::Result<Self> {
        let poll = Poll::new()?;
        let interests = Interest::READABLE | Interest::WRITABLE;
        poll.registry().register(&mut stream, Token(0), interests)?;
        Ok(Sender { stream, poll, events: Events::with_capacity(1) })
    }

    /// Sends all of it; how many bytes the file had.
    fn send(&mut self, transfer: &Arc<Transfer>) -> io::Result<u64> {
        self.write(&transfer.greeting)?;
        let (tell, told) = sync_channel(1);
        let own = Arc::clone(transfer);
        std::thread::Builder::new().name("copy".to_owned()).spawn(move || {
            // The client may have disconnected.
            let _ = tell.send(own.prepare());
        })?;
        let rdb = loop {
            match told.recv_timeout(HEARTBEAT) {
                Ok(Ok(rdb)) => break rdb,
                Ok(Err(what)) => {
                    self.write(format!("-ERR {what}\r\n").as_bytes())?;
                    self.say_goodbye();
                    return Err(io::Error::other(what));
                }
                Err(RecvTimeoutError::Timeout) => self.write(b"\n")?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("making it failed"));
                }
            }
        };
        // Made up only now, so that no client can have put it into the data.
        let mark = transfer.marked.then(mark).transpose()?;
        let head = match &mark {
            Some(mark) => format!("$EOF:{mark}\r\n"),
            None => format!("${}\r\n", rdb.bytes),
        };
        self.write(head.as_bytes())?;
        let mut chunk = vec![0; CHUNK];
        let mut at = 0;
        while at < rdb.bytes {
            let want = usize::try_from(rdb.bytes - at).map_or(CHUNK, |left| left.min(CHUNK));
            rdb.file.read_exact_at(&mut chunk[..want], at)?;
            self.write(&chunk[..want])?;
            at += want as u64;
        }
        self.write(mark.unwrap_or_default().as_bytes())?;
        self.say_goodbye();
        Ok(rdb.bytes)
    }

    /// Writes all of it, as fast as the client takes it.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut since = Instant::now();
        while !bytes.is_empty() {
            match self.stream.send(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => {
                    bytes = &bytes[n..];
                    since = Instant::now();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = STALLED.saturating_sub(since.elapsed());
                    if left.is_zero() {
                        return Err(ErrorKind::TimedOut.into());
                    }
                    self.wait(left)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn wait(&mut self, most: Duration) -> io::Result<()> {
        match self.poll.poll(&mut self.events, Some(most)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// Says that this was all, and waits for the other side to close. What it still says is read:
    /// closing over unread bytes would throw away what it has not read yet itself.
    fn say_goodbye(&mut self) {
        let until = Instant::now() + FAREWELL;
        let mut scrap = vec![0; ROOM_MIN];
        if self.stream.finish().is_err() {
            return;
        }
        loop {
            match self.stream.receive(&mut scrap) {
                Received::Bytes(..) | Received::Later | Received::Greeted => {}
                Received::Nothing => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() || self.wait(left).is_err() {
                        return;
                    }
                }
                Received::End | Received::Broken => return,
            }
            if Instant::now() >= until {
                return;
            }
        }
    }
}

/// Forty unpredictable characters.
fn mark() -> io::Result<String> {
    let [a, b, c, _] = engine::entropy()?;
    Ok(format!("{a:016x}{b:016x}{:08x}", c >> 32))
}
