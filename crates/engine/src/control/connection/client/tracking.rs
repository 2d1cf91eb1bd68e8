//! CLIENT TRACKING and its companions.

use std::sync::atomic::Ordering;

use base::{CmdError, Property, Reply, Spec, error, num};
use wire::RespWriter;

use super::OWN;
use crate::client::ClientId;
use crate::client::session::Session;
use crate::control::{Act, Control, bare, worded};
use crate::notify::tracking::Mode;

worded! {
    /// Asks to be told when copies of values are stale.
    ClientTracking,
    Spec {
        name: "client|tracking",
        since: "6.0.0",
        summary: "Asks to be told when keys that were read change.",
        complexity: "O(1). Some options may introduce additional complexity.",
        grammar: "status=(ON | OFF) [REDIRECT client-id:integer] [PREFIX prefix:string+...] \
                  [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
        behaviour: OWN.behaviour.properties(&[
            Property::OfSession,
            Property::KeepsCaching,
            Property::ChangesListeners,
        ]),
        ..OWN
    },
    track
}

/// What stands behind ON or OFF.
#[derive(Default)]
struct Options<'a> {
    mode: Mode,
    prefixes: Vec<&'a [u8]>,
}

const TWO_REDIRECTIONS: CmdError =
    CmdError::new("ERR A client can only redirect to a single other client");
const NO_SUCH_CLIENT: CmdError =
    CmdError::new("ERR The client ID you want redirect to does not exist");
const NO_BROADCAST: CmdError = CmdError::new("ERR PREFIX option requires BCAST mode to be enabled");
const OTHER_BROADCAST: CmdError = CmdError::new(
    "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then \
     re-enabling it with a different mode.",
);
const BROADCAST_CHOICE: CmdError =
    CmdError::new("ERR OPTIN and OPTOUT are not compatible with BCAST");
const BOTH_CHOICES: CmdError =
    CmdError::new("ERR You can't specify both OPTIN mode and OPTOUT mode");
const OTHER_CHOICE: CmdError = CmdError::new(
    "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then \
     re-enabling it with a different mode.",
);

/// All options are read, and checked one by one, before ON or OFF is looked at.
fn track(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let Some((switch, options)) = words.split_first() else { return Err(error::SYNTAX) };
    let options = read_options(control, options)?;
    let engine = control.engine;
    if switch.eq_ignore_ascii_case(b"ON") {
        check(control.session, &options)?;
        let Options { mode, prefixes } = options;
        engine.notify.tracking.enable(&engine.store, control.session, mode, &prefixes);
    } else if switch.eq_ignore_ascii_case(b"OFF") {
        engine.notify.tracking.disable(&engine.store, control.session);
    } else {
        return Err(error::SYNTAX);
    }
    out.ok();
    Ok(())
}

fn read_options<'a>(
    control: &Control<'_>,
    mut words: &[&'a [u8]],
) -> Result<Options<'a>, CmdError> {
    let mut options = Options::default();
    let mode = &mut options.mode;
    while let [word, rest @ ..] = words {
        words = rest;
        match (word.to_ascii_uppercase().as_slice(), rest) {
            (b"REDIRECT", [id, rest @ ..]) => {
                words = rest;
                if mode.redirect != 0 {
                    return Err(TWO_REDIRECTIONS);
                }
                mode.redirect = find(control, id)?;
            }
            (b"PREFIX", [prefix, rest @ ..]) => {
                words = rest;
                options.prefixes.push(prefix);
            }
            (b"BCAST", _) => mode.broadcast = true,
            (b"OPTIN", _) => mode.opt_in = true,
            (b"OPTOUT", _) => mode.opt_out = true,
            (b"NOLOOP", _) => mode.no_loop = true,
            _ => return Err(error::SYNTAX),
        }
    }
    Ok(options)
}

/// The number of a client that is there.
fn find(control: &Control<'_>, text: &[u8]) -> Result<ClientId, CmdError> {
    let id = num::parse_i64(text).ok_or(error::NOT_INTEGER)?;
    let id = ClientId::try_from(id).map_err(|_| NO_SUCH_CLIENT)?;
    control.engine.clients.get(id).map(|client| client.id).ok_or(NO_SUCH_CLIENT)
}

/// So many prefixes are compared each with each other.
const FEW: usize = 1000;

/// Whether the options go together, and with what the session has asked for before.
fn check(session: &Session, options: &Options<'_>) -> Result<(), CmdError> {
    let (old, new) = (&session.tracking.mode, &options.mode);
    if !new.broadcast && !options.prefixes.is_empty() {
        return Err(NO_BROADCAST);
    }
    if old.on && old.broadcast != new.broadcast {
        return Err(OTHER_BROADCAST);
    }
    if new.broadcast && (new.opt_in || new.opt_out) {
        return Err(BROADCAST_CHOICE);
    }
    if new.opt_in && new.opt_out {
        return Err(BOTH_CHOICES);
    }
    if new.opt_in && old.opt_out || new.opt_out && old.opt_in {
        return Err(OTHER_CHOICE);
    }
    let old = session.tracking.prefixes.iter().map(|prefix| &**prefix);
    let all: Vec<&[u8]> = old.chain(options.prefixes.iter().copied()).collect();
    let few = all.len() <= FEW;
    match any_overlapping(all) {
        None => return Ok(()),
        Some((prefix, other)) if !few => {
            return Err(overlapping(prefix, "another provided", other));
        }
        // The first ones in the order of the request are told, as Redis does.
        Some(_) => {}
    }
    let overlap = |a: &[u8], b: &[u8]| a.starts_with(b) || b.starts_with(a);
    for (n, prefix) in options.prefixes.iter().enumerate() {
        if let Some(other) = session.tracking.prefixes.iter().find(|old| overlap(old, prefix)) {
            return Err(overlapping(prefix, "an existing", other));
        }
        if let Some(other) = options.prefixes[n + 1..].iter().find(|next| overlap(next, prefix)) {
            return Err(overlapping(prefix, "another provided", other));
        }
    }
    Ok(())
}

/// Two of these of which the first one begins with the other, if there are any: then there are two
/// that are neighbours in their order.
fn any_overlapping(mut prefixes: Vec<&[u8]>) -> Option<(&[u8], &[u8])> {
    prefixes.sort_unstable();
    let mut pairs = prefixes.windows(2).map(|pair| (pair[1], pair[0]));
    pairs.find(|(prefix, other)| prefix.starts_with(other))
}

fn overlapping(prefix: &[u8], which: &str, other: &[u8]) -> CmdError {
    let parts: [&[u8]; 7] = [
        b"ERR Prefix '",
        error::until_zero(prefix),
        b"' overlaps with ",
        which.as_bytes(),
        b" prefix '",
        error::until_zero(other),
        b"'. Prefixes for a single client must not overlap.",
    ];
    CmdError::from_bytes(parts.concat())
}

worded! {
    /// Decides whether the keys of the next request are remembered.
    ClientCaching,
    Spec {
        name: "client|caching",
        since: "6.0.0",
        summary: "Says whether the keys of the next request are to be tracked.",
        grammar: "mode=(YES | NO)",
        ..OWN
    },
    cache
}

fn cache(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let tracking = &mut control.session.tracking;
    if !tracking.mode.on {
        return Err(CmdError::new(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN \
             or OPTOUT mode enabled",
        ));
    }
    let word = words.first().copied().unwrap_or_default();
    if word.eq_ignore_ascii_case(b"YES") {
        if !tracking.mode.opt_in {
            return Err(CmdError::new(
                "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.",
            ));
        }
    } else if word.eq_ignore_ascii_case(b"NO") {
        if !tracking.mode.opt_out {
            return Err(CmdError::new(
                "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.",
            ));
        }
    } else {
        return Err(error::SYNTAX);
    }
    tracking.caching = true;
    out.ok();
    Ok(())
}

bare! {
    /// Answers where notices are sent instead.
    ClientGetRedir,
    Spec {
        name: "client|getredir",
        since: "6.0.0",
        summary: "Answers which connection gets this one's invalidations.",
        ..OWN
    }
}

impl Act for ClientGetRedir<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.int(redirection(control.session));
        Ok(())
    }
}

/// Where a session's notices go: 0 to itself, -1 nowhere, as it does not track.
fn redirection(session: &Session) -> i64 {
    let Mode { on, redirect, .. } = session.tracking.mode;
    if on { i64::try_from(redirect).unwrap_or(i64::MAX) } else { -1 }
}

bare! {
    /// Answers how keys are tracked.
    ClientTrackingInfo,
    Spec {
        name: "client|trackinginfo",
        since: "6.2.0",
        summary: "Answers how keys are tracked for this connection.",
        ..OWN
    }
}

impl Act for ClientTrackingInfo<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let session = &control.session;
        let tracking = &session.tracking;
        let Mode { on, broadcast, opt_in, opt_out, no_loop, .. } = tracking.mode;
        let broken = session.client.tracking.broken_redirect.load(Ordering::Relaxed);
        let flags = [
            (on, "on"),
            (!on, "off"),
            (broadcast, "bcast"),
            (opt_in, "optin"),
            (opt_in && tracking.caching, "caching-yes"),
            (opt_out, "optout"),
            (opt_out && tracking.caching, "caching-no"),
            (no_loop, "noloop"),
            (broken, "broken_redirect"),
        ];
        out.map(3);
        out.bulk(b"flags");
        out.set(flags.iter().filter(|(set, _)| *set).count());
        for (_, flag) in flags.iter().filter(|(set, _)| *set) {
            out.bulk(flag.as_bytes());
        }
        out.bulk(b"redirect");
        out.int(redirection(session));
        out.bulk(b"prefixes");
        out.array(tracking.prefixes.len());
        tracking.prefixes.iter().for_each(|prefix| out.bulk(prefix));
        Ok(())
    }
}
