//! Publish and subscribe: thin words over `notify/pubsub.rs`.

mod channels;
mod publish;
mod subscribe;

use base::{Behaviour, Flag, Group, Locks, Spec};

use self::channels::{
    PubSubChannels, PubSubNumPat, PubSubNumSub, PubSubShardChannels, PubSubShardNumSub,
};
use self::publish::{Publish, SPublish};
use self::subscribe::{PSubscribe, PUnsubscribe, SSubscribe, SUnsubscribe, Subscribe, Unsubscribe};
use crate::control::help::{HELP, help};
use crate::control::{acts, container};
use crate::engine::entry::Action;

static CONTAINER: Spec = Spec {
    name: "pubsub",
    group: Group::PubSub,
    since: "2.8.0",
    summary: "Tells who listens to what.",
    complexity: "Depends on subcommand.",
    ..Spec::NEW
};

/// What the family has in common.
const PUBSUB: Spec = Spec {
    group: Group::PubSub,
    flags: &[Flag::PubSub, Flag::Loading, Flag::Stale],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
    ..Spec::NEW
};

help! {
    /// PUBSUB HELP.
    PubSubHelp,
    Spec { name: "pubsub|help", group: Group::PubSub, since: "6.2.0", ..HELP }
}

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![
        PSubscribe,
        PUnsubscribe,
        PubSubChannels,
        PubSubHelp,
        PubSubNumPat,
        PubSubNumSub,
        PubSubShardChannels,
        PubSubShardNumSub,
        Publish,
        SPublish,
        SSubscribe,
        SUnsubscribe,
        Subscribe,
        Unsubscribe,
    ];
    rows.push(container(&CONTAINER));
    rows
}
