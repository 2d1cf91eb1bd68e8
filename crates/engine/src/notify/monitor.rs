//! The clients that monitor: see `execution/monitor.rs`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::RwLock;

use super::request_flags::RequestFlags;
use crate::client::session::Session;
use crate::client::{Client, ClientId, Message};

/// The clients that monitor.
#[derive(Default)]
pub struct Monitors(RwLock<Vec<Arc<Client>>>);

impl Monitors {
    /// A session begins to monitor; `false` if it did already.
    pub(crate) fn join(&self, request_flags: &RequestFlags, session: &mut Session) -> bool {
        if std::mem::replace(&mut session.listens.monitors, true) {
            return false;
        }
        session.client.state.monitors.store(true, Ordering::Relaxed);
        let mut listeners = self.0.write();
        listeners.push(Arc::clone(&session.client));
        request_flags.set_monitored(true);
        true
    }

    /// A session monitors no longer, if it did.
    pub(crate) fn leave(&self, request_flags: &RequestFlags, session: &mut Session) {
        if !std::mem::take(&mut session.listens.monitors) {
            return;
        }
        session.client.state.monitors.store(false, Ordering::Relaxed);
        let mut listeners = self.0.write();
        listeners.retain(|client| client.id != session.client.id);
        request_flags.set_monitored(!listeners.is_empty());
    }

    /// Sends `line` to all of them but `own`, which is its own writer.
    pub(crate) fn send(&self, line: &[u8], own: ClientId) {
        let mut shared: Option<Arc<[u8]>> = None;
        for client in self.0.read().iter().filter(|client| client.id != own) {
            // `CLIENT REPLY OFF` silences this too.
            if !client.state.silent.load(Ordering::Relaxed) {
                let line = Arc::clone(shared.get_or_insert_with(|| line.into()));
                client.mailbox.post(client.id, Message::Push(line));
            }
        }
    }
}
