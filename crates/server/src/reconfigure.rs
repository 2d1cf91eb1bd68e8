//! What a changed configuration means for sockets: how many clients there may be, where the server
//! listens, and the certificates of TLS at every door.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use config::{Config, SetError};
use rustls::ServerConfig;

use crate::accepting::Listening;
use crate::process::room_for_clients;
use crate::workers::WorkerPool;

/// Carries out what a changed configuration says about the outside.
///
/// # Errors
/// What cannot be, in Redis's words; then nothing has changed.
pub fn follow(
    pool: &WorkerPool,
    listening: &Listening,
    before: &Config,
    after: &Config,
    named: &[&'static str],
) -> Result<(), SetError> {
    let mut most = None;
    if after.clients.maxclients != before.clients.maxclients {
        let room = room_for_clients(after.clients.maxclients, pool.inboxes.len());
        if u64::try_from(room).is_ok_and(|room| room < u64::from(after.clients.maxclients)) {
            let reason = format!(
                "The operating system is not able to handle the specified number of clients, try \
                 with {room}"
            );
            return Err(SetError::failed("maxclients", &reason));
        }
        most = Some(room);
    }
    let old = follow_tls(listening, after, named)?;
    if let Err(error) = listening.relocate(before, after) {
        listening.secure_with(old);
        tracing::warn!("{error}");
        let reason = "Unable to listen on this port. Check server logs.";
        return Err(if after.network.port != before.network.port {
            SetError::failed("port", reason)
        } else if after.tls.port != before.tls.port {
            SetError::failed("tls-port", reason)
        } else {
            SetError::failed("bind", "Failed to bind to specified addresses.")
        });
    }
    if let Some(most) = most {
        pool.most.store(most, Ordering::Relaxed);
    }
    Ok(())
}

/// Reads the files of TLS anew if any of its directives was named and it is in use; open
/// connections keep theirs. What was in force before.
fn follow_tls(
    listening: &Listening,
    after: &Config,
    named: &[&'static str],
) -> Result<Option<Arc<ServerConfig>>, SetError> {
    let old = listening.context();
    if after.tls.port > 0 {
        if let Some(context) = tls_anew(after, named)? {
            listening.secure_with(Some(context));
        }
    } else if names_tls(named).is_some() {
        listening.secure_with(None);
    }
    Ok(old)
}

/// What TLS is made with from now on, at any door, if one of its directives was named.
///
/// # Errors
/// The files cannot be used.
pub fn tls_anew(
    after: &Config,
    named: &[&'static str],
) -> Result<Option<Arc<ServerConfig>>, SetError> {
    let Some(name) = names_tls(named) else { return Ok(None) };
    let context = tls::server::context(&after.tls).map_err(|error| {
        tracing::warn!("{error}");
        tracing::warn!(
            "Failed applying new configuration. Possibly related to new {name} setting. Restoring \
             previous settings."
        );
        SetError::failed(name, "Unable to update TLS configuration. Check server logs.")
    })?;
    Ok(Some(context))
}

fn names_tls(named: &[&'static str]) -> Option<&'static str> {
    named.iter().copied().find(|name| name.starts_with("tls-"))
}
