//! Commands that read or write files: `CONFIG REWRITE`, `ACL SAVE`, `ACL LOAD`, `DEBUG RELOAD` and
//! their like.
//!
//! ```text
//!   command ─► leaves its work ─► request ends: the client waits, its thread goes on
//!                                      └─► background thread: the work ─► its reply, told
//! ```
//!
//! A disk can take as long as it likes, so no thread that has clients waits for one, nor with a
//! shard or a lock in its hands that other clients need. Inside `EXEC` the work is done when the
//! transaction has given its shards back, in the order of its commands; the reply of `EXEC` comes
//! when the last is done, with their replies where they belong.

use std::sync::Arc;

use base::{CmdError, Reply};
use parking_lot::Mutex;
use wire::RespWriter;

use crate::background::{BackgroundWorker, Place, Waiting};
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::context::{Control, Done, FileRequest, FileWork};
use crate::engine::worker::WorkerParts;

impl Control<'_> {
    /// Leaves work with files, which holds so many bytes of the request's words, to a thread that
    /// has no clients; the command's reply is that of the work, and nothing else may be written.
    ///
    /// # Errors
    /// Too many wait already.
    pub(crate) fn leave_to_background(
        &mut self,
        out: &mut RespWriter<'_>,
        bytes: usize,
        work: FileWork,
    ) -> Result<(), CmdError> {
        let place = if self.context.after_locks.file_requests.is_empty() {
            Some(Place::take(&self.engine.background, self.session)?)
        } else {
            None
        };
        let (at, silent, alone) = (out.raw().len(), self.session.replies.silent(), !self.in_exec);
        let request = FileRequest { at, silent, entry: None, alone, bytes, place, work };
        self.context.after_locks.file_requests.push(request);
        Ok(())
    }

    /// A command has run, before which so many requests were left: notes that those behind them are
    /// its own, or forgets them if it has failed.
    #[inline]
    pub(crate) fn settle_file_requests(&mut self, before: usize, entry: usize, failed: bool) {
        let left = &mut self.context.after_locks.file_requests;
        if left.len() > before {
            let own = left.get_mut(before..).unwrap_or_default();
            own.iter_mut().for_each(|request| _ = request.entry.get_or_insert(entry));
            left.truncate(if failed { before } else { left.len() });
        }
    }
}

impl WorkerParts<'_> {
    /// After a request that wrote from `start` on, with no shard in hand: hands the work with files
    /// that it has left to a background thread, and lets the client wait for the whole reply.
    #[inline]
    pub(crate) fn hand_over_files(
        &mut self,
        session: &mut Session,
        start: usize,
        writer: &mut RespWriter<'_>,
    ) {
        if !self.context.after_locks.file_requests.is_empty() {
            let left = std::mem::take(&mut self.context.after_locks.file_requests);
            hand_over(self.engine, session, left, (start, writer));
        }
    }
}

#[cold]
fn hand_over(
    engine: &Engine,
    session: &mut Session,
    mut left: Vec<FileRequest>,
    (start, writer): (usize, &mut RespWriter<'_>),
) {
    let Some(engine) = engine.me() else { return };
    let place = left.first_mut().and_then(|first| first.place.take());
    let (Some(mut place), own) = (place, Arc::clone(&engine)) else { return };
    let held: usize = left.iter().map(|request| request.bytes + size_of::<FileRequest>()).sum();
    let threads = &engine.background.file_threads;
    if writer.is_over() {
        // A reply that is too long is not sent, and its client is disconnected: it waits for
        // nothing.
        place.holds(held);
        let job = move |worker: &mut BackgroundWorker| {
            let _place = place;
            run_all(left, &own, worker, start);
        };
        threads.send(&engine, Box::new(job));
        return;
    }
    let mut written = writer.raw().split_off(start);
    // It may wait for long.
    written.shrink_to_fit();
    let alone = left.iter().all(|request| request.alone);
    place.holds(held);
    let written = Arc::new(Mutex::new(Some((place.holds_beside(written.capacity()), written))));
    let waiting = Waiting::begin(&engine.waits.blocked, place, session).at_once();
    // What has ended the session ends it behind the reply.
    let closes = std::mem::take(&mut session.closing);
    let kept = Arc::clone(&written);
    let work = move |waiting: Waiting, worker: &mut BackgroundWorker| {
        let (replies, gone) = run_all(left, &own, worker, start);
        let kept = kept.lock().take();
        if let Some((_held, written)) = kept {
            waiting.answer_whole(put_between(written, &replies), closes || gone);
        }
    };
    // Without a thread the wait is dropped, and the client told.
    if alone {
        waiting.run_on(threads, &engine, work);
    } else {
        // The rest of the transaction has happened: so will this, whether it is waited for or not.
        // No client waits for its reply, though.
        waiting.lets_go(move || drop(written.lock().take()));
        waiting.run_anyway_on(threads, &engine, work);
    }
}

/// Does all of it, in order: the replies, each with its place in what was written, and whether the
/// session ends.
fn run_all(
    left: Vec<FileRequest>,
    engine: &Arc<Engine>,
    worker: &mut BackgroundWorker,
    start: usize,
) -> (Vec<(usize, Vec<u8>)>, bool) {
    let (mut replies, mut gone) = (Vec::with_capacity(left.len()), false);
    for request in left {
        let (at, mut reply) = (request.at.saturating_sub(start), Vec::new());
        gone |= request.run(engine, worker, &mut reply);
        replies.push((at, reply));
    }
    // A client that is answered finds all of it counted.
    worker.txn.report_memory();
    (replies, gone)
}

/// What was written, with replies where they belong: not copied, as it may be long.
fn put_between(mut written: Vec<u8>, replies: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut end = written.len();
    written.resize(end + replies.iter().map(|(_, reply)| reply.len()).sum::<usize>(), 0);
    let mut to = written.len();
    for (at, reply) in replies.iter().rev() {
        let at = (*at).min(end);
        to -= end - at;
        written.copy_within(at..end, to);
        to -= reply.len();
        written[to..to + reply.len()].copy_from_slice(reply);
        end = at;
    }
    written
}

impl FileRequest {
    /// Does the work and appends its reply; whether the session ends.
    fn run(self, engine: &Arc<Engine>, worker: &mut BackgroundWorker, out: &mut Vec<u8>) -> bool {
        let done = (self.work)(engine, worker);
        // Both replies are the same in all protocols.
        let mut writer = RespWriter::new(out, base::Protocol::Resp2);
        match &done {
            Ok(_) if self.silent => {}
            Ok(_) => writer.ok(),
            Err(error) => {
                engine.metrics.stats.error(error.code());
                worker.counters.errors.add(1);
                if let Some(entry) = self.entry {
                    worker.counters.commands[entry].failed.add(1);
                }
                if !self.silent {
                    writer.error_bytes(error.bytes());
                }
            }
        }
        done == Ok(Done::OkAndGone)
    }
}

#[cfg(test)]
mod tests {
    use super::put_between;

    #[test]
    fn replies_stand_where_they_belong() {
        let put = |written: &str, replies: &[(usize, &str)]| {
            let replies: Vec<_> =
                replies.iter().map(|(at, reply)| (*at, reply.as_bytes().to_vec())).collect();
            String::from_utf8(put_between(written.as_bytes().to_vec(), &replies))
        };
        assert_eq!(put("", &[(0, "+OK")]).as_deref(), Ok("+OK"));
        assert_eq!(put("adf", &[(1, "bc"), (2, "e"), (3, "gh")]).as_deref(), Ok("abcdefgh"));
        assert_eq!(put("b", &[(0, "a"), (0, ""), (9, "c")]).as_deref(), Ok("abc"));
    }
}
