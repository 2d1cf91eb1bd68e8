//! CONFIG: the settings of the running server, and the counters it resets.

use base::{Args, CmdError, Command, Property, Reply, Spec, error};
use config::{Changes, Peer, SetError};
use wire::RespWriter;

use super::{ADMIN, SERVER};
use crate::client::Origin;
use crate::client::words_memory;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container};
use crate::engine::context::Done;
use crate::engine::entry::Action;
use crate::engine::{Engine, without_number};
use crate::execution::gate;

static CONTAINER: Spec = Spec {
    name: "config",
    since: "2.0.0",
    summary: "Looks at settings and changes them.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

const CONFIG: Spec = Spec { since: "2.0.0", flags: ADMIN, ..SERVER };

help! {
    /// CONFIG HELP.
    ConfigHelp,
    Spec { name: "config|help", group: SERVER.group, since: "5.0.0", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![ConfigGet, ConfigHelp, ConfigResetStat, ConfigRewrite, ConfigSet];
    rows.push(container(&CONTAINER));
    rows
}

/// Shows settings.
pub struct ConfigGet<'a> {
    patterns: &'a [&'a [u8]],
}

impl<'a> Command<'a> for ConfigGet<'a> {
    const SPEC: Spec = Spec {
        name: "config|get",
        summary: "Shows the settings whose names match.",
        complexity: "O(N) in the number of patterns given",
        grammar: "parameter={parameter:string} ...",
        history: &[("7.0.0", "Several names or patterns at a time.")],
        behaviour: CONFIG.behaviour.properties(&[Property::AllowedInScriptsByDebug]),
        ..CONFIG
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ConfigGet { patterns: args.rest() })
    }
}

impl Act for ConfigGet<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let found = control.engine.configuration.settings.lock().get(self.patterns);
        out.map(found.len());
        for (name, value) in found {
            out.bulk(name.as_bytes());
            out.bulk(&value);
        }
        Ok(())
    }
}

/// Settings whose values are secret.
const SECRETS: &[&str] = &[
    "requirepass",
    "masterauth",
    "http-token",
    "grpc-api-key",
    "tls-key-file-pass",
    "tls-client-key-file-pass",
];

/// `CONFIG SET setting value setting value`
fn secret(argv: &[&[u8]], at: usize) -> bool {
    let named = |word: &[u8]| SECRETS.iter().any(|s| word.eq_ignore_ascii_case(s.as_bytes()));
    at > 2 && at % 2 == 1 && argv.get(at - 1).is_some_and(|word| named(word))
}

/// Changes settings: all of them, or none.
pub struct ConfigSet<'a> {
    pairs: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Command<'a> for ConfigSet<'a> {
    const SPEC: Spec = Spec {
        name: "config|set",
        summary: "Changes settings, all of them or none.",
        complexity: "O(N) in the number of settings given",
        grammar: "parameter_value={parameter:string value:string} ...",
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        history: &[("7.0.0", "Several settings at a time.")],
        behaviour: CONFIG
            .behaviour
            .properties(&[Property::AllowedInScriptsByDebug, Property::ChangesListeners])
            .secret(secret),
        ..CONFIG
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let mut pairs = Vec::with_capacity(args.left() / 2);
        while let Some(name) = args.take() {
            pairs.push((name, args.take().ok_or(error::SYNTAX)?));
        }
        Ok(ConfigSet { pairs })
    }
}

impl Act for ConfigSet<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = control.engine;
        let (id, peer) = (control.session.client.id, peer_of(&control.session.client.origin));
        let reaches_out = engine.configuration.settings.lock().reaches_out(&self.pairs);
        if reaches_out && !control.in_script {
            // What is wrong by itself is told at once.
            let mut tried = engine.configuration.settings.lock().clone();
            tried.set(&self.pairs, peer).map_err(refused)?;
            let own = |&(name, value): &(&[u8], &[u8])| (name.to_vec(), value.to_vec());
            let pairs: Vec<_> = self.pairs.iter().map(own).collect();
            let words: Vec<&[u8]> =
                self.pairs.iter().flat_map(|&(name, value)| [name, value]).collect();
            let bytes = words_memory(&words);
            return control.leave_to_background(
                out,
                bytes,
                Box::new(move |engine, _| {
                    let changes = engine.change_settings_slowly(&pairs, peer).map_err(refused)?;
                    engine.follow_settings(None);
                    tell(&changes, id);
                    Ok(Done::Ok)
                }),
            );
        }
        change(control, &self.pairs).map_err(refused)?;
        // A client that waits is answered by another thread.
        if control.session.blocked.is_none() {
            out.ok();
        }
        Ok(())
    }
}

/// Changes settings that do not reach out of the process.
///
/// # Errors
/// Why not.
pub(crate) fn change(control: &mut Control<'_>, pairs: &[(&[u8], &[u8])]) -> Result<(), SetError> {
    let engine = control.engine;
    let (id, peer) = (control.session.client.id, peer_of(&control.session.client.origin));
    let changes = engine.change_settings(pairs, peer)?;
    // The rest of this batch, or of this transaction, goes by the new settings.
    control.context.configure(engine, control.txn);
    control.when_free(Engine::follow_settings);
    tell(&changes, id);
    Ok(())
}

fn peer_of(origin: &Origin) -> Peer {
    if gate::is_local(origin) { Peer::Local } else { Peer::Remote }
}

fn refused(refusal: SetError) -> CmdError {
    match refusal {
        SetError::UnknownOption(name) => {
            let before = "ERR Unknown option or number of arguments for CONFIG SET - '";
            CmdError::quoting(before, &name, "'")
        }
        SetError::Failed { .. } => CmdError::owned(refusal.to_string()),
    }
}

/// Tells the log.
fn tell(changes: &Changes, client: u64) {
    for name in &changes.changed {
        // Not the value: it may be a password.
        tracing::info!(name, client, "a setting was changed");
    }
    for warning in &changes.warnings {
        tracing::warn!("{warning}");
    }
}

bare! {
    /// Sets counters to zero.
    ConfigResetStat,
    Spec {
        name: "config|resetstat",
        summary: "Sets the counters that INFO shows to zero.",
        ..CONFIG
    }
}

impl Act for ConfigResetStat<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let engine = control.engine;
        engine.metrics.stats.reset();
        engine.store.reset_counts();
        engine.metrics.evictions.reset(engine.run.clock.elapsed());
        out.ok();
        Ok(())
    }
}

bare! {
    /// Writes the settings back to the file they came from.
    ConfigRewrite,
    Spec {
        name: "config|rewrite",
        since: "2.8.0",
        summary: "Writes the settings back to the file they came from.",
        ..CONFIG
    }
}

impl Act for ConfigRewrite<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if control.engine.configuration.file.is_empty() {
            return Err(CmdError::new("ERR The server is running without a config file"));
        }
        control.leave_to_background(
            out,
            0,
            Box::new(|engine, _| {
                let file = engine.configuration.file.as_str();
                engine.rewrite_settings(false).map_err(|error| {
                    tracing::warn!(file, %error, "CONFIG REWRITE failed");
                    let why = without_number(&error);
                    CmdError::owned(format!("ERR Rewriting config file: {why}"))
                })?;
                tracing::info!(file, "the configuration file was rewritten");
                Ok(Done::Ok)
            }),
        )
    }
}
