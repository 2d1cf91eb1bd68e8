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
use wire::RespWriter;

use crate::background_requests::{BackgroundWorker, Waiting};
use crate::control::Control;
use crate::engine::Engine;
use crate::session::Session;
use crate::worker::WorkerParts;

/// How such a command has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// The answer is `OK`.
    Ok,
    /// The same, and the session ends: its user is there no more.
    OkAndGone,
}

/// What is to be done with files. It may wait for them, and for shards, one at a time.
pub(crate) type FileWork =
    Box<dyn FnOnce(&Arc<Engine>, &mut BackgroundWorker) -> Result<Done, CmdError> + Send>;

/// A command that has run but for its work with files.
pub(crate) struct FileRequest {
    /// Where in the output its reply belongs.
    at: usize,
    /// Its reply is not wanted.
    silent: bool,
    /// The number of the command, once that is noted.
    entry: Option<usize>,
    work: FileWork,
}

impl Control<'_> {
    /// Leaves work with files to a thread that has no clients; the command's reply is that of the
    /// work, and nothing else may be written.
    pub(crate) fn leave_to_background(&mut self, out: &mut RespWriter<'_>, work: FileWork) {
        let (at, silent) = (out.raw().len(), self.session.replies.silent());
        self.context.file_requests.push(FileRequest { at, silent, entry: None, work });
    }

    /// A command has run, before which so many requests were left: notes that those behind them are
    /// its own, or forgets them if it has failed.
    #[inline]
    pub(crate) fn settle_file_requests(&mut self, before: usize, entry: usize, failed: bool) {
        let left = &mut self.context.file_requests;
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
        if !self.context.file_requests.is_empty() {
            let left = std::mem::take(&mut self.context.file_requests);
            hand_over(self.engine, session, left, (start, writer));
        }
    }
}

#[cold]
fn hand_over(
    engine: &Engine,
    session: &mut Session,
    left: Vec<FileRequest>,
    (start, writer): (usize, &mut RespWriter<'_>),
) {
    let Some(engine) = engine.me() else { return };
    // A reply that is too long is not sent, and its client is disconnected: it waits for nothing.
    let client = (!writer.is_over()).then(|| {
        let written = writer.raw().split_off(start);
        (Waiting::begin(&engine, session).at_once(), written)
    });
    // What has ended the session ends it behind the reply.
    let closes = client.is_some() && std::mem::take(&mut session.closing);
    let own = Arc::clone(&engine);
    let job = move |worker: &mut BackgroundWorker| {
        let (client, written) = client.map_or((None, Vec::new()), |(c, w)| (Some(c), w));
        let (mut reply, mut told, mut gone) = (Vec::new(), 0, closes);
        for request in left {
            let before = request.at.saturating_sub(start).min(written.len());
            reply.extend_from_slice(&written[told..before]);
            told = before;
            gone |= request.run(&own, worker, &mut reply);
        }
        reply.extend_from_slice(&written[told..]);
        // Who is answered finds all of it counted.
        worker.txn.report_memory();
        if let Some(client) = client {
            client.answer_whole(reply, gone);
        }
    };
    // Without a thread the wait is dropped, and the client told.
    engine.background.send_for_files(&engine, Box::new(job));
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
                engine.stats.error(error.code());
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
