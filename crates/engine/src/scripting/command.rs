//! How a command runs that a script has called: in the script's transaction, and what is left of it
//! to other threads elsewhere with the script's shards in hand.

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::{Channels, CmdError, Edit, Flag, Pace, QueryBounds, Reply, error};
use script::{Host, Refusal};
use store::Txn;
use wire::{ReplyParser, RespWriter};

use super::caller::{Caller, Published, UNKNOWN};
use crate::client::held::Held;
use crate::engine::context::{Control, ControlRun};
use crate::engine::entry::{Action, Entry};
use crate::execution::block;
use crate::execution::data_command::Call;
use crate::execution::query::{self, edit, import_folder};
use crate::execution::request::Request;
use crate::execution::settle::Unfinished;

const WAITS: &str = "command is not allowed with BLOCK option from scripts";

impl Caller<'_> {
    pub(super) fn run(
        &mut self,
        entry: &Entry,
        words: &[&[u8]],
        out: &mut dyn Reply,
    ) -> Result<(), Refusal> {
        match entry.action {
            _ if entry.facts.publishes => {
                let sharded = entry.spec.behaviour.words.channels == Channels::PublishShard;
                out.count(self.publish(sharded, words[1], words[2]));
            }
            _ if entry.has(Flag::Blocking) && (entry.spec.behaviour.words.asks_to_wait)(words) => {
                let text = [b"ERR ", words[0], b" ", WAITS.as_bytes()].concat();
                return Err(CmdError::from_bytes(text).into());
            }
            Action::Data(run) => return Ok(self.data(entry, run, words, out)?),
            Action::Control(run) => self.control(entry, run, words, out),
            Action::Container => return Err(UNKNOWN.into()),
        }
        Ok(())
    }

    fn data(
        &mut self,
        entry: &Entry,
        own: base::Handler<Txn>,
        words: &[&[u8]],
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let Caller { engine, txn, context, session, .. } = self;
        let request = Request { argv: words, entry: Some(entry), hash: None };
        let call = Call::new(engine, txn, &*context.counters, session, entry, &request, own);
        txn.select(self.db);
        txn.set_scripted(true);
        txn.set_unlimited(self.mode.allow_oom);
        let done = call.run_held(txn, out);
        txn.set_scripted(false);
        txn.set_unlimited(false);
        match done? {
            None => Ok(()),
            Some(Unfinished::Waits(wait)) => {
                block::nothing(wait.in_transaction, out);
                Ok(())
            }
            Some(Unfinished::Reads(query)) => {
                let (engine, counters) = (self.engine, Arc::clone(&self.context.counters));
                let held = Held::new(&self.session.client, 0);
                let pace = &mut OfScript { started: Instant::now(), caller: self, held };
                query::in_place(engine, &*counters, (entry, words), query, pace, out)
            }
            Some(Unfinished::Edits(edit)) => self.edit((entry, words, own), edit, out),
        }
    }

    /// Works an edit out, and installs it: the script holds its shard until then.
    fn edit(
        &mut self,
        (entry, words, run): (&Entry, &[&[u8]], base::Handler<Txn>),
        edit: Edit,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let (engine, counters) = (self.engine, Arc::clone(&self.context.counters));
        let request = Request { argv: words, entry: Some(entry), hash: None };
        let (counters, request) = (&*counters, &request);
        let call = Call { engine, counters, entry, request, run, reader: None, edited: None };
        let held = Held::new(&self.session.client, 0);
        let pace = &mut OfScript { started: Instant::now(), caller: self, held };
        let edited = edit::at_pace(&call, edit, pace, out)?;
        let txn = &mut *self.txn;
        txn.set_scripted(true);
        txn.set_unlimited(self.mode.allow_oom);
        let done = edit::install(&call, txn, edited, out);
        txn.set_scripted(false);
        txn.set_unlimited(false);
        done
    }

    /// Runs a command about sessions or the server, which writes bytes.
    fn control(&mut self, entry: &Entry, run: ControlRun, words: &[&[u8]], out: &mut dyn Reply) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        // It sees the database and the protocol of the script; the client's own stay.
        let (db, protocol) = (self.session.db, self.session.protocol);
        (self.session.db, self.session.protocol) = (self.db, out.protocol());
        let Caller { engine, txn, context, session, .. } = self;
        let most = context.config.clients.callers.max_reply_size;
        let mut writer = RespWriter::new(&mut bytes, out.protocol()).within(most);
        Control { engine, txn, context, session, in_exec: true, in_script: true }.run(
            entry,
            run,
            words,
            &mut writer,
        );
        let over = writer.is_over();
        self.db = self.session.db;
        self.session.select(db);
        self.session.protocol = protocol;
        if over {
            out.error_bytes(error::REPLY_TOO_LONG.bytes());
        } else {
            repeat(&bytes, out);
        }
        self.bytes = bytes;
    }

    /// Publishes when the script has run; how many listen now.
    fn publish(&mut self, sharded: bool, channel: &[u8], message: &[u8]) -> usize {
        let (channel, message) = (channel.to_vec(), message.to_vec());
        let receivers = self.engine.notify.pubsub.receivers(&channel, sharded);
        self.after.published.push(Published { sharded, channel, message });
        receivers
    }
}

/// The pace of a query inside a script: what ends the script ends it.
struct OfScript<'a, 'c> {
    caller: &'a mut Caller<'c>,
    started: Instant,
    /// Counts what it holds as its client's memory.
    held: Held,
}

impl Pace for OfScript<'_, '_> {
    fn go_on(&mut self, out: &dyn Reply, holds: usize) -> Result<(), CmdError> {
        self.held.holds(holds);
        if self.caller.interrupted() {
            return Err(query::BEGUN_ANEW);
        }
        if out.is_over() { Err(error::REPLY_TOO_LONG) } else { Ok(()) }
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn bounds(&self) -> QueryBounds {
        self.caller.context.config.queries.bounds()
    }

    fn open(&self, path: &str) -> Result<Box<dyn Read>, CmdError> {
        let folder = self.caller.context.config.queries.graph_import_folder.as_deref();
        import_folder::open(folder, path)
    }
}

/// Writes a reply that has been written as bytes.
fn repeat(bytes: &[u8], out: &mut dyn Reply) {
    let mut parser = ReplyParser::default();
    parser.feed(bytes);
    match parser.next_value() {
        Ok(Some(value)) => value.write(out),
        // A command that answers nothing has nothing to say to a script either.
        Ok(None) | Err(_) => out.null(),
    }
}
