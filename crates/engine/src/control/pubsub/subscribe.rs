//! SUBSCRIBE, PSUBSCRIBE, SSUBSCRIBE and their opposites: one reply per name.

use std::sync::Arc;

use base::{Channels, CmdError, Command, Flag, KeyFlag, KeySpec, Property, Reply, Spec};
use wire::RespWriter;

use super::PUBSUB;
use crate::client::session::Session;
use crate::control::{Control, worded};
use crate::execution::rights::may_stay_subscribed;
use crate::notify::pubsub::Topic;

/// What the six have in common.
const LISTENING: Spec = Spec {
    flags: &[Flag::PubSub, Flag::NoScript, Flag::Loading, Flag::Stale],
    behaviour: PUBSUB.behaviour.properties(&[
        Property::OfSession,
        Property::Streams,
        Property::AllowedWhileSubscribed,
        Property::ChangesListeners,
    ]),
    ..PUBSUB
};
const SHARD_KEYS: &[KeySpec] = &[KeySpec::range(1, -1, 1, &[KeyFlag::NotKey])];

/// Declares one of the six.
macro_rules! listening {
    ($(#[$doc:meta])* $name:ident, $work:ident($topic:ident), $spec:expr) => {
        worded! {
            $(#[$doc])*
            $name,
            $spec,
            |control, names, out| {
                $work(control, Topic::$topic, <$name<'_> as Command<'_>>::SPEC.name, names, out)?;
                control.session.replies.keep(out.raw());
                Ok(())
            }
        }
    };
}

listening! {
    /// Listens to channels.
    Subscribe, join(Channel),
    Spec {
        name: "subscribe",
        since: "2.0.0",
        summary: "Listens to channels.",
        complexity: "O(N) in the number of channels given",
        grammar: "channel:string...",
        behaviour: LISTENING.behaviour.channels(Channels::Subscribe),
        ..LISTENING
    }
}

listening! {
    /// Listens to all channels that match.
    PSubscribe, join(Pattern),
    Spec {
        name: "psubscribe",
        since: "2.0.0",
        summary: "Listens to all channels that match patterns.",
        complexity: "O(N) in the number of patterns given",
        grammar: "pattern={pattern:pattern} ...",
        behaviour: LISTENING.behaviour.channels(Channels::SubscribePatterns),
        ..LISTENING
    }
}

listening! {
    /// Listens to shard channels.
    SSubscribe, join(Shard),
    Spec {
        name: "ssubscribe",
        since: "7.0.0",
        summary: "Listens to shard channels.",
        complexity: "O(N) in the number of channels given",
        grammar: "shardchannel:string...",
        keys: SHARD_KEYS,
        behaviour: LISTENING.behaviour.channels(Channels::Subscribe),
        ..LISTENING
    }
}

listening! {
    /// Stops listening to channels.
    Unsubscribe, leave(Channel),
    Spec {
        name: "unsubscribe",
        since: "2.0.0",
        summary: "Stops listening to channels; to all without arguments.",
        complexity: "O(N) in the number of channels left",
        grammar: "[channel:string...]",
        ..LISTENING
    }
}

listening! {
    /// Stops listening to patterns.
    PUnsubscribe, leave(Pattern),
    Spec {
        name: "punsubscribe",
        since: "2.0.0",
        summary: "Stops listening to patterns; to all without arguments.",
        complexity: "O(N) in the number of patterns left",
        grammar: "[pattern:pattern...]",
        ..LISTENING
    }
}

listening! {
    /// Stops listening to shard channels.
    SUnsubscribe, leave(Shard),
    Spec {
        name: "sunsubscribe",
        since: "7.0.0",
        summary: "Stops listening to shard channels; to all without arguments.",
        complexity: "O(N) in the number of channels left",
        grammar: "[shardchannel:string...]",
        keys: SHARD_KEYS,
        ..LISTENING
    }
}

fn join(
    control: &mut Control<'_>,
    topic: Topic,
    word: &str,
    names: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    // As in Redis, which has an exception for the other two.
    if topic == Topic::Shard && control.in_exec {
        return Err(CmdError::new("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"));
    }
    for name in names {
        control.engine.notify.pubsub.subscribe(control.session, topic, name);
        let is_pattern = topic == Topic::Pattern;
        if !may_stay_subscribed(control.engine, control.session, name, is_pattern) {
            control.session.closing = true;
        }
        confirm(control.session, topic, word, Some(name), out);
    }
    Ok(())
}

fn leave(
    control: &mut Control<'_>,
    topic: Topic,
    word: &str,
    names: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    for name in names {
        control.engine.notify.pubsub.unsubscribe(control.session, topic, name);
        confirm(control.session, topic, word, Some(name), out);
    }
    if !names.is_empty() {
        return Ok(());
    }
    let all: Vec<Arc<[u8]>> = match topic {
        Topic::Channel => control.session.listens.channels.iter().map(Arc::clone).collect(),
        Topic::Pattern => control.session.listens.patterns.iter().map(Arc::clone).collect(),
        Topic::Shard => control.session.listens.shard_channels.iter().map(Arc::clone).collect(),
    };
    if all.is_empty() {
        confirm(control.session, topic, word, None, out);
    }
    for name in all {
        control.engine.notify.pubsub.unsubscribe(control.session, topic, &name);
        confirm(control.session, topic, word, Some(&name), out);
    }
    Ok(())
}

/// What was done, to which name, and how many names are left. Shard channels are counted by
/// themselves.
fn confirm(
    session: &Session,
    topic: Topic,
    word: &str,
    name: Option<&[u8]>,
    out: &mut RespWriter<'_>,
) {
    out.push(3);
    out.bulk(word.as_bytes());
    out.bulk_or_null(name);
    out.count(match topic {
        Topic::Shard => session.listens.shard_channels.len(),
        Topic::Channel | Topic::Pattern => {
            session.listens.channels.len() + session.listens.patterns.len()
        }
    });
}
