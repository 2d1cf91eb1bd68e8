//! Who may do what.

use crate::directive::Directive as D;
use crate::settings::Settings;

const GATE: &[&str] = &["no", "yes", "local"];

pub(super) const LIST: &[D] = &[
    D::text(
        "requirepass",
        "",
        "Password of the default user. Empty means that clients need none. It travels in clear \
         text and can be tried very often per second, so make it long.",
    ),
    D::text(
        "aclfile",
        "",
        "File of user declarations, relative to `dir`. Users are declared there or by `user` lines \
         in this file, not both.",
    )
    .at_start(),
    D::int(
        "acllog-max-len",
        "128",
        0,
        i64::MAX,
        "How many refused commands and failed logins ACL LOG remembers.",
    ),
    D::one_of(
        "acl-pubsub-default",
        &["allchannels", "resetchannels"],
        "resetchannels",
        "Whether a new user may use every pub/sub channel or none.",
    ),
    D::one_of(
        "enable-protected-configs",
        GATE,
        "no",
        "Who may change the protected directives (dir, dbfilename) at run time: no client, all \
         clients, or those on this machine.",
    )
    .at_start(),
    D::one_of(
        "enable-debug-command",
        GATE,
        "no",
        "Who may use DEBUG: no client, all clients, or those on this machine.",
    )
    .at_start(),
    D::one_of(
        "enable-module-command",
        GATE,
        "no",
        "Who may use MODULE LOAD and UNLOAD, which find no module they could load: no \
         client, all clients, or those on this machine.",
    )
    .at_start(),
];

/// Who may do what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecuritySettings {
    /// Users.
    pub acl: AclSettings,
    /// Who may use DEBUG.
    pub enable_debug_command: Gate,
    /// Who may use MODULE.
    pub enable_module_command: Gate,
    /// Who may change protected directives.
    pub enable_protected_configs: Gate,
}

impl SecuritySettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            acl: AclSettings::of(settings),
            enable_debug_command: gate(settings, "enable-debug-command"),
            enable_module_command: gate(settings, "enable-module-command"),
            enable_protected_configs: gate(settings, "enable-protected-configs"),
        }
    }
}

/// What is configured about users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AclSettings {
    /// Password of the default user, until that is declared.
    pub requirepass: Option<Vec<u8>>,
    /// File of users.
    pub file: Option<String>,
    /// Refused requests `ACL LOG` remembers.
    pub log_max_len: usize,
    /// New users may use every channel.
    pub all_channels: bool,
}

impl AclSettings {
    fn of(settings: &Settings) -> Self {
        Self {
            requirepass: settings.secret("requirepass"),
            file: settings.path("aclfile"),
            log_max_len: settings.int("acllog-max-len"),
            all_channels: settings.word("acl-pubsub-default") == "allchannels",
        }
    }
}

/// Who may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// No client.
    No,
    /// Every client.
    Yes,
    /// Clients on this machine.
    Local,
}

fn gate(settings: &Settings, name: &str) -> Gate {
    match settings.word(name) {
        "yes" => Gate::Yes,
        "local" => Gate::Local,
        _ => Gate::No,
    }
}
