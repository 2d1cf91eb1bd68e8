//! The way out: replies and pushed messages, what is to be sent and was not sent yet, what the
//! kernel does not take of it, and the limits.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use base::Millis;
use config::Overflow;

use super::buffer::Output;
use super::thread_state::ThreadState;
use super::{Connection, Turn, limits};
use crate::withheld_replies::Withheld;

/// The reply buffer is given back to the allocator above this size.
const OUT_KEPT: usize = 1 << 20;

/// A connection's way out.
#[derive(Default)]
pub(super) struct Outgoing {
    /// What the kernel has not taken.
    pub(super) output: Output,
    /// Whether its replies wait for the disk.
    pub(super) withheld: Withheld,
    /// What is there is sent, then the connection is closed; requests are ignored.
    pub(super) closing: bool,
    /// Bytes pushed to it since it last had no output.
    pub(super) pushed: usize,
    /// Since when it has been over the soft limit.
    pub(super) over_soft_since: Option<Millis>,
}

impl Connection {
    /// An event says that the kernel takes replies again.
    pub fn writable(&mut self, thread: &mut ThreadState) -> Turn {
        if self.outgoing.output.is_empty() {
            self.stream.push_pending();
            return Turn::Wait;
        }
        let turn = self.flush(thread);
        self.account(thread);
        turn
    }

    /// Sends the replies on the thread state, or keeps what the kernel does not take.
    pub(super) fn send(&mut self, thread: &mut ThreadState) -> Turn {
        if thread.out.is_empty() {
            return if self.outgoing.closing { self.end_unless_output() } else { Turn::Wait };
        }
        let mut sent = 0;
        let withheld = self.outgoing.withheld.join(thread.worker.must_hold(&self.session));
        if self.outgoing.output.is_empty() && !withheld {
            thread.worker.context.counters.writes.add(1);
            sent = match self.stream.send(&thread.out) {
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(_) => {
                    thread.out.clear();
                    return Turn::Close;
                }
            };
            thread.worker.context.counters.net_output.add(sent as u64);
        }
        if sent == thread.out.len() {
            thread.out.clear();
        } else {
            self.outgoing.output.push(&mut thread.out, sent);
            if self.overflowed(thread) {
                return Turn::Close;
            }
        }
        if thread.out.capacity() > OUT_KEPT || thread.out.capacity() == 0 {
            thread.out = Vec::with_capacity(64 << 10);
        }
        if self.outgoing.closing { self.end_unless_output() } else { Turn::Wait }
    }

    /// Sends kept replies.
    pub fn flush(&mut self, thread: &mut ThreadState) -> Turn {
        let must_hold = self.must_hold(thread);
        if self.outgoing.withheld.decide(must_hold) {
            return Turn::Wait;
        }
        while !self.outgoing.output.is_empty() {
            thread.worker.context.counters.writes.add(1);
            match self.stream.send(self.outgoing.output.bytes()) {
                Ok(0) => return Turn::Close,
                Ok(n) => {
                    thread.worker.context.counters.net_output.add(n as u64);
                    self.outgoing.output.advance(n);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return Turn::Close,
            }
        }
        if self.overflowed(thread) {
            return Turn::Close;
        }
        if self.outgoing.output.is_empty()
            && let Some(transfer) = self.to_lend.take()
        {
            return self.lend(transfer);
        }
        if self.outgoing.closing { self.end_unless_output() } else { Turn::Wait }
    }

    /// Checks the limits of kept replies; `true` if it is to be closed.
    pub fn overflowed(&mut self, thread: &ThreadState) -> bool {
        let kept = self.outgoing.output.len();
        self.tell_output(kept);
        if kept == 0 {
            self.outgoing.pushed = 0;
        }
        let subscriber = self.session.is_subscriber();
        let waiting =
            limits::PendingOutput { kept, pushed: self.outgoing.pushed.min(kept), subscriber };
        match limits::output(waiting, self.outgoing.over_soft_since, thread) {
            Overflow::None => self.outgoing.over_soft_since = None,
            Overflow::Soft(since) => self.outgoing.over_soft_since = Some(since),
            Overflow::Close => {
                thread.worker.context.counters.output_overflows.add(1);
                let client = &self.session.client;
                tracing::warn!(
                    id = client.id,
                    addr = client.origin.addr,
                    bytes = kept,
                    "client closed for overcoming of output buffer limits"
                );
                return true;
            }
        }
        false
    }

    /// Lets others know what waits to be sent.
    fn tell_output(&self, bytes: usize) {
        let buffers = &self.session.client.buffers;
        let (room, pieces, behind, behind_room) = self.outgoing.output.layout();
        buffers.output.store(bytes, Relaxed);
        buffers.output_room.store(room, Relaxed);
        buffers.output_peak.fetch_max(room, Relaxed);
        buffers.output_pieces.store(pieces, Relaxed);
        buffers.output_behind.store(behind, Relaxed);
        buffers.output_behind_room.store(behind_room, Relaxed);
    }

    pub(super) fn end_unless_output(&self) -> Turn {
        if self.outgoing.output.is_empty() { Turn::Close } else { Turn::Wait }
    }
}
