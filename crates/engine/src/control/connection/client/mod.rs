//! CLIENT: the connections, as seen by one of them.

mod evict;
mod id;
mod kill;
mod list;
mod name;
mod pause;
mod reply;
mod setinfo;
mod tracking;
mod unblock;

use base::{Behaviour, Category, CmdError, Flag, Group, Locks, Property, Spec};

use self::evict::{ClientNoEvict, ClientNoTouch};
use self::id::ClientId;
use self::kill::ClientKill;
use self::list::{ClientInfo, ClientList};
pub(super) use self::name::set_name;
use self::name::{ClientGetName, ClientSetName};
use self::pause::{ClientPause, ClientUnpause};
use self::reply::ClientReply;
use self::setinfo::ClientSetInfo;
use self::tracking::{ClientCaching, ClientGetRedir, ClientTracking, ClientTrackingInfo};
use self::unblock::ClientUnblock;
use crate::control::help::{HELP, help};
use crate::control::{acts, container};
use crate::engine::entry::Action;

static CONTAINER: Spec = Spec {
    name: "client",
    group: Group::Connection,
    since: "2.4.0",
    summary: "Looks at connections and controls them.",
    complexity: "Depends on subcommand.",
    ..Spec::NEW
};

/// What the subcommands have in common.
const CLIENT: Spec = Spec {
    group: Group::Connection,
    flags: &[Flag::NoScript, Flag::Loading, Flag::Stale],
    categories: &[Category::Connection],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing).properties(&[Property::KeepsCaching]),
    ..Spec::NEW
};

/// What those have in common that speak of the session they come in.
const OWN: Spec = Spec {
    behaviour: CLIENT.behaviour.properties(&[Property::OfSession, Property::KeepsCaching]),
    ..CLIENT
};

/// Flags of those that reach into other sessions.
const ADMIN: &[Flag] = &[Flag::Admin, Flag::NoScript, Flag::Loading, Flag::Stale];

help! {
    /// CLIENT HELP.
    ClientHelp,
    Spec {
        name: "client|help",
        group: Group::Connection,
        since: "5.0.0",
        categories: &[Category::Connection],
        behaviour: HELP.behaviour.properties(CLIENT.behaviour.properties),
        ..HELP
    }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![
        ClientCaching,
        ClientGetName,
        ClientGetRedir,
        ClientHelp,
        ClientId,
        ClientInfo,
        ClientKill,
        ClientList,
        ClientNoEvict,
        ClientNoTouch,
        ClientPause,
        ClientReply,
        ClientSetInfo,
        ClientSetName,
        ClientTracking,
        ClientTrackingInfo,
        ClientUnblock,
        ClientUnpause,
    ];
    rows.push(container(&CONTAINER));
    rows
}

/// What kind of client a filter asks for. There is no replication, so no client is a master or a
/// replica; the names are known all the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClientType {
    Normal,
    PubSub,
    Replication,
}

impl ClientType {
    fn read(word: &[u8]) -> Result<Self, CmdError> {
        match word.to_ascii_lowercase().as_slice() {
            b"normal" => Ok(ClientType::Normal),
            b"pubsub" => Ok(ClientType::PubSub),
            b"master" | b"replica" | b"slave" => Ok(ClientType::Replication),
            _ => Err(CmdError::quoting("ERR Unknown client type '", word, "'")),
        }
    }

    fn of(client: &crate::client::Client) -> Self {
        if client.is_subscriber() { ClientType::PubSub } else { ClientType::Normal }
    }
}
