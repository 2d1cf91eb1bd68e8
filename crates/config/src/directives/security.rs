//! Who may do what.

use crate::directive::Directive as D;

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
