//! PUBSUB CHANNELS, NUMSUB, NUMPAT, SHARDCHANNELS, SHARDNUMSUB: channels and their listeners.

use std::sync::Arc;

use base::{Args, CmdError, Command, Reply, Spec, glob};
use wire::RespWriter;

use super::PUBSUB;
use crate::control::{Act, Control, bare, misused, worded};
use crate::notify::pubsub::Topic;

/// Declares a subcommand that lists names.
macro_rules! listing {
    ($(#[$doc:meta])* $name:ident, $topic:ident, $spec:expr) => {
        $(#[$doc])*
        pub struct $name<'a> {
            pattern: Option<&'a [u8]>,
        }

        impl<'a> Command<'a> for $name<'a> {
            const SPEC: Spec = $spec;

            fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
                let pattern = args.take();
                args.end().map_err(|_| misused(args.argv()))?;
                Ok($name { pattern })
            }
        }

        impl Act for $name<'_> {
            fn act(
                self,
                control: &mut Control<'_>,
                out: &mut RespWriter<'_>,
            ) -> Result<(), CmdError> {
                list(control, Topic::$topic, self.pattern, out);
                Ok(())
            }
        }
    };
}

/// Declares a subcommand that counts listeners.
macro_rules! counting {
    ($(#[$doc:meta])* $name:ident, $topic:ident, $spec:expr) => {
        worded! {
            $(#[$doc])*
            $name,
            $spec,
            |control, names, out| {
                count(control, Topic::$topic, names, out);
                Ok(())
            }
        }
    };
}

listing! {
    /// Lists channels that have listeners.
    PubSubChannels, Channel,
    Spec {
        name: "pubsub|channels",
        since: "2.8.0",
        summary: "Lists the channels that have subscribers.",
        complexity: "O(N) in the number of channels, for short names and patterns",
        grammar: "[pattern:pattern]",
        ..PUBSUB
    }
}

listing! {
    /// Lists shard channels that have listeners.
    PubSubShardChannels, Shard,
    Spec {
        name: "pubsub|shardchannels",
        since: "7.0.0",
        summary: "Lists the shard channels that have subscribers.",
        complexity: "O(N) in the number of shard channels, for short names and patterns",
        grammar: "[pattern:pattern]",
        ..PUBSUB
    }
}

counting! {
    /// Counts the listeners of channels.
    PubSubNumSub, Channel,
    Spec {
        name: "pubsub|numsub",
        since: "2.8.0",
        summary: "Counts the listeners of channels, those by pattern aside.",
        complexity: "O(N) in the number of channels given",
        grammar: "[channel:string...]",
        ..PUBSUB
    }
}

counting! {
    /// Counts the listeners of shard channels.
    PubSubShardNumSub, Shard,
    Spec {
        name: "pubsub|shardnumsub",
        since: "7.0.0",
        summary: "Counts the listeners of shard channels.",
        complexity: "O(N) in the number of shard channels given",
        grammar: "[shardchannel:string...]",
        ..PUBSUB
    }
}

bare! {
    /// Counts patterns.
    PubSubNumPat,
    Spec {
        name: "pubsub|numpat",
        since: "2.8.0",
        summary: "Counts the different patterns that are listened to.",
        ..PUBSUB
    }
}

impl Act for PubSubNumPat<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.count(control.engine.notify.pubsub.count(Topic::Pattern));
        Ok(())
    }
}

fn list(control: &Control<'_>, topic: Topic, pattern: Option<&[u8]>, out: &mut RespWriter<'_>) {
    let mut names: Vec<Arc<[u8]>> = control.engine.notify.pubsub.names(topic);
    names.retain(|name| pattern.is_none_or(|pattern| glob::matches(pattern, name)));
    out.array(names.len());
    for name in names {
        out.bulk(&name);
    }
}

fn count(control: &Control<'_>, topic: Topic, names: &[&[u8]], out: &mut RespWriter<'_>) {
    // A flat array in both protocols.
    out.array(names.len() * 2);
    for name in names {
        out.bulk(name);
        out.count(control.engine.notify.pubsub.listeners(topic, name));
    }
}
