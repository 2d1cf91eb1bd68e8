//! Making the journal durable for clients that ask for it: `FLUSHWAL`.
//!
//! A disk can take as long as it likes, so one thread waits for it, and whoever asks waits for that
//! thread: all who came before it begins are answered by one sync.

use std::sync::Arc;

use base::Reply;
use parking_lot::Mutex;

use crate::background_requests::Waiting;
use crate::engine::Engine;

/// Those who wait for the journal to be durable.
#[derive(Default)]
pub(crate) struct Flushes(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    /// There is a thread that answers them.
    served: bool,
}

impl Engine {
    /// Makes everything so far durable and answers a client that waits for it, in a thread of its
    /// own.
    pub(crate) fn flush_journal_for(self: &Arc<Self>, client: Waiting) {
        let mut state = self.persistence.flushes.0.lock();
        state.waiting.push(client);
        if state.served {
            return;
        }
        let own = Arc::clone(self);
        let thread = std::thread::Builder::new().name("flush".to_owned());
        state.served = thread.spawn(move || own.serve_flushes()).is_ok();
        if !state.served {
            // Without a thread the waits are dropped, and the clients told.
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            drop(waiting);
        }
    }

    fn serve_flushes(&self) {
        loop {
            let clients = {
                let mut state = self.persistence.flushes.0.lock();
                state.served = !state.waiting.is_empty();
                if !state.served {
                    return;
                }
                std::mem::take(&mut state.waiting)
            };
            let synced = self.store.log().sync();
            for client in clients {
                match &synced {
                    Ok(()) => client.answer(|out| out.simple("OK")),
                    Err(error) => {
                        self.stats.error("ERR");
                        client.answer(|out| out.error_bytes(format!("ERR {error}").as_bytes()));
                    }
                }
            }
        }
    }
}
