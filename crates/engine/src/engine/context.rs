//! What a command about sessions or the server is given, and what it may leave to be done.

use std::sync::Arc;

use base::{Args, CmdError};
use store::Txn;
use wire::RespWriter;

use super::Engine;
use super::worker::WorkerContext;
use crate::background::{BackgroundWorker, Place};
use crate::client::session::Session;

/// What a control command may use.
pub struct Control<'c> {
    /// What all workers share.
    pub engine: &'c Engine,
    /// The transaction at the store. Inside `EXEC` it holds the transaction's shards already.
    pub txn: &'c mut Txn,
    /// The thread's own.
    pub context: &'c mut WorkerContext,
    /// The session that asks.
    pub session: &'c mut Session,
    /// Whether it runs inside `EXEC`, or in a script.
    pub in_exec: bool,
    /// Whether it runs in a script, which cannot wait for its reply.
    pub in_script: bool,
}

/// What a control command has left to be done, for a client that can wait, if one is named.
pub(crate) type WhenFree = fn(&Engine, Option<&mut Session>);

impl Control<'_> {
    /// Does what may have to wait for other threads, or for any shard: at once, or inside `EXEC`
    /// when that has given its shards back, before it answers. Outside of that the client can wait
    /// for what takes long.
    pub(crate) fn when_free(&mut self, work: WhenFree) {
        if self.in_exec {
            self.context.after_locks.when_free.push(work);
        } else {
            work(self.engine, Some(self.session));
        }
    }
}

/// Parses and runs one control command.
pub type ControlRun =
    for<'a, 'c> fn(&mut Control<'c>, Args<'a>, &mut RespWriter<'_>) -> Result<(), CmdError>;

/// The behaviour of a control command. Unlike data commands these may write several replies
/// (`SUBSCRIBE`) or none (`CLIENT REPLY OFF`).
pub trait Act {
    /// Does the work and writes the reply.
    ///
    /// # Errors
    /// What the client sees instead of a reply.
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError>;
}

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
    pub(crate) at: usize,
    /// Its reply is not wanted.
    pub(crate) silent: bool,
    /// The number of the command, once that is noted.
    pub(crate) entry: Option<usize>,
    /// It is all of its client's request.
    pub(crate) alone: bool,
    /// Bytes that it holds of its client's words.
    pub(crate) bytes: usize,
    /// The first one's, for all of a request.
    pub(crate) place: Option<Place>,
    /// The work.
    pub(crate) work: FileWork,
}
