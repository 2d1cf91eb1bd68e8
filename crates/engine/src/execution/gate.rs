//! Which clients may use DEBUG and MODULE: all, those on this machine, or none, as the
//! configuration file at the start says. Nothing a client sends can change that.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base::{CmdError, Flag};
use config::{Config, Gate};

use crate::client::Origin;
use crate::engine::entry::Entry;

/// What a configuration says of a family of commands.
type Says = fn(&Config) -> Gate;

/// The directive of each protected family.
const GATES: [(&str, Says); 2] = [
    ("enable-debug-command", |config| config.security.enable_debug_command),
    ("enable-module-command", |config| config.security.enable_module_command),
];

/// Refuses a protected command to clients that may not use it. Asked before authentication, as in
/// Redis.
///
/// # Errors
/// The directive that stands in the way.
#[inline]
pub(crate) fn pass(config: &Config, origin: &Origin, entry: &Entry) -> Result<(), CmdError> {
    if entry.has(Flag::Protected) { check(config, origin, entry) } else { Ok(()) }
}

#[cold]
fn check(config: &Config, origin: &Origin, entry: &Entry) -> Result<(), CmdError> {
    let family = family(entry);
    let gate = gate_of(family).map_or(Gate::No, |of| of(config));
    if gate == Gate::Yes || (gate == Gate::Local && is_local(origin)) {
        return Ok(());
    }
    Err(CmdError::owned(format!(
        "ERR {} command not allowed. If the enable-{family}-command option is set to \"local\", \
         you can run it from a local connection, otherwise you need to set this option in the \
         configuration file, and then restart the server.",
        family.to_ascii_uppercase()
    )))
}

/// The name of a command, or of the one that it is part of.
fn family(entry: &Entry) -> &str {
    entry.name().split('|').next().unwrap_or_default()
}

/// What says who may use a family of commands.
fn gate_of(family: &str) -> Option<Says> {
    let directive = format!("enable-{family}-command");
    GATES.iter().find(|(name, _)| *name == directive).map(|&(_, says)| says)
}

/// Whether the peer is on this machine, as far as can be told.
pub(crate) fn is_local(origin: &Origin) -> bool {
    let host = origin.addr.rsplit_once(':').map_or("", |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    origin.unix || host.parse().is_ok_and(is_local_address)
}

/// Whether this is the address of this machine as Redis knows it: `127.0.0.1` or `::1`, no other
/// one of the loopback device.
#[must_use]
pub fn is_local_address(ip: IpAddr) -> bool {
    let ip = ip.to_canonical();
    ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST
}

#[cfg(test)]
mod tests {
    use base::Flag;

    use super::{family, gate_of, is_local};
    use crate::client::Origin;
    use crate::command_table;

    #[test]
    fn each_protected_command_has_a_directive() {
        let table = command_table().unwrap();
        let protected: Vec<_> = table.entries().iter().filter(|e| e.has(Flag::Protected)).collect();
        assert!(!protected.is_empty());
        for entry in protected {
            assert!(gate_of(family(entry)).is_some(), "none says who may use {}", entry.name());
        }
    }

    #[test]
    fn loopback_and_unix_sockets_are_local() {
        let from = |addr: &str, unix| Origin { addr: addr.into(), unix, ..Origin::default() };
        assert!(is_local(&from("127.0.0.1:5000", false)));
        assert!(is_local(&from("[::1]:5000", false)));
        assert!(is_local(&from("/tmp/kvist.sock:0", true)));
        assert!(is_local(&from("[::ffff:127.0.0.1]:5000", false)));
        assert!(!is_local(&from("127.0.0.2:5000", false)));
        assert!(!is_local(&from("10.1.2.3:5000", false)));
        assert!(!is_local(&from("", false)));
    }
}
