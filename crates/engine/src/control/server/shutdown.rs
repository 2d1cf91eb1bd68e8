//! SHUTDOWN.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{Args, CmdError, Command, Flag, Reply, Spec, error};
use wire::RespWriter;

use super::SERVER;
use crate::background::{BackgroundWorker, Waiting};
use crate::client::Message;
use crate::client::session::Session;
use crate::control::{Act, Control, acts};
use crate::engine::Engine;
use crate::engine::entry::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Shutdown]
}

/// Stops the server. What the journal does not hold is saved first, as configured or asked for.
pub struct Shutdown {
    abort: bool,
    /// Whether to save, if that was said.
    save: Option<bool>,
    force: bool,
}

impl<'a> Command<'a> for Shutdown {
    const SPEC: Spec = Spec {
        name: "shutdown",
        summary: "Stops the server.",
        complexity: "O(1)",
        grammar: "[nosave_save=(NOSAVE | SAVE)] [NOW @7.0.0] [FORCE @7.0.0] [ABORT @7.0.0]",
        flags: &[
            Flag::Admin,
            Flag::NoScript,
            Flag::Loading,
            Flag::Stale,
            Flag::NoMulti,
            Flag::AllowBusy,
        ],
        history: &[("7.0.0", "`NOW`, `FORCE`, `ABORT`.")],
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (mut abort, mut save, mut no_save) = (false, false, false);
        let (mut other, mut force) = (false, false);
        while let Some(option) = args.take() {
            match option.to_ascii_uppercase().as_slice() {
                b"SAVE" => save = true,
                b"NOSAVE" => no_save = true,
                b"NOW" => other = true,
                b"FORCE" => (other, force) = (true, true),
                b"ABORT" => abort = true,
                _ => return Err(error::SYNTAX),
            }
        }
        if (abort && (save || no_save || other)) || (save && no_save) {
            return Err(error::SYNTAX);
        }
        let save = if save || no_save { Some(save) } else { None };
        Ok(Shutdown { abort, save, force })
    }
}

impl Act for Shutdown {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if self.abort {
            // A shutdown is over before a client could take it back.
            return Err(CmdError::new("ERR No shutdown in progress."));
        }
        if control.engine.store.locks.is_obstructed() && self.save != Some(false) {
            return Err(control.engine.busy());
        }
        tracing::info!(client = control.session.client.origin.addr, "a client asked to shut down");
        let (engine, config) = (control.engine, &control.context.config);
        // Where the journal is on and has not begun, what it begins with is saved in any case.
        // Nothing is waited for after NOSAVE: what is owed is saved when scripts have been ended.
        let owed = engine.owes_journal() && self.save != Some(false);
        let journaling = engine.durability.is_journaling() || owed;
        let wanted = self.save.unwrap_or(!journaling && !config.persistence.save.is_empty());
        // Only a snapshot keeps what the journal could not.
        let troubled = journaling && engine.store.log().is_troubled();
        let needed = troubled && self.save != Some(false);
        match engine.me() {
            // What has been read in part is in no case all that there is.
            Some(engine) if owed || needed || (wanted && !engine.durability.is_loading()) => {
                self.save_first(&engine, control.session, needed || wanted);
            }
            _ => {
                self.stop(engine);
                // Without a reply: the closing of the connection is the answer.
                control.session.closing = true;
            }
        }
        Ok(())
    }
}

impl Shutdown {
    /// Saves while clients can still be told that it failed, in a thread of its own: it may have to
    /// wait, and this one has other clients.
    fn save_first(self, engine: &Arc<Engine>, session: &mut Session, all: bool) {
        // It is refused nothing: it is what ends requests that hang.
        let waiting = Waiting::without_place(&engine.waits.blocked, session).at_once();
        let (own, client) = (Arc::clone(engine), Arc::clone(&session.client));
        let work = move |waiting: Waiting, _: &mut BackgroundWorker| {
            let engine = own;
            let journal = engine.durability.is_journaling() || engine.owes_journal();
            let saved = match all {
                true => engine.save_finally(journal).map(drop),
                false => engine.begin_owed_journal(),
            };
            if let Err(error) = saved {
                tracing::error!(%error, "the dataset could not be saved before exiting");
                if !self.force {
                    let text = "ERR Errors trying to SHUTDOWN. Check logs.";
                    engine.metrics.stats.error("ERR");
                    return waiting.answer(|out| out.error(text));
                }
            }
            self.stop(&engine);
            waiting.hand_over();
            client.mailbox.post(client.id, Message::Kill);
        };
        // Without a thread the wait is dropped, and the client told.
        waiting.run_anyway_on(&engine.background.shutdowns, engine, work);
    }

    fn stop(&self, engine: &Engine) {
        let asked = match self.save {
            None => 0,
            Some(true) => 1,
            Some(false) => 2,
        };
        engine.durability.shutdown_saves.store(asked, Ordering::Relaxed);
        engine.run.stopping.store(true, Ordering::Release);
    }
}
