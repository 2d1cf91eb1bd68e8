//! PUBLISH, SPUBLISH.

use base::{Args, Channels, CmdError, Command, Flag, InFile, KeyFlag, KeySpec, Reply, Spec};
use wire::RespWriter;

use super::PUBSUB;
use crate::client::ClientId;
use crate::control::{Act, Control};
use crate::notify::pubsub::PubSub;

/// What the two have in common.
const PUBLISHING: Spec = Spec {
    flags: &[Flag::PubSub, Flag::Loading, Flag::Stale, Flag::Fast, Flag::MayReplicate],
    behaviour: PUBSUB.behaviour.in_file(InFile::Nothing),
    ..PUBSUB
};

/// Sends a message to a channel's listeners.
pub struct Publish<'a> {
    channel: &'a [u8],
    message: &'a [u8],
}

impl<'a> Command<'a> for Publish<'a> {
    const SPEC: Spec = Spec {
        name: "publish",
        since: "2.0.0",
        summary: "Sends a message to all subscribers of a channel.",
        complexity: "O(N+M) for N listeners of the channel and M patterns that are subscribed to",
        grammar: "channel:string message:string",
        behaviour: PUBLISHING.behaviour.channels(Channels::Publish),
        ..PUBLISHING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Publish { channel: args.next()?, message: args.next()? })
    }
}

impl Act for Publish<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        tell(control, out, |pubsub, publisher, own| {
            pubsub.publish(self.channel, self.message, publisher, own)
        });
        Ok(())
    }
}

/// Sends a message to a shard channel's listeners.
pub struct SPublish<'a> {
    channel: &'a [u8],
    message: &'a [u8],
}

impl<'a> Command<'a> for SPublish<'a> {
    const SPEC: Spec = Spec {
        name: "spublish",
        since: "7.0.0",
        summary: "Sends a message to all subscribers of a shard channel.",
        complexity: "O(N) in the number of listeners",
        grammar: "shardchannel:string message:string",
        keys: &[KeySpec::one(1, &[KeyFlag::NotKey])],
        behaviour: PUBLISHING.behaviour.channels(Channels::PublishShard),
        ..PUBLISHING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SPublish { channel: args.next()?, message: args.next()? })
    }
}

impl Act for SPublish<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        tell(control, out, |pubsub, publisher, own| {
            pubsub.publish_shard(self.channel, self.message, publisher, own)
        });
        Ok(())
    }
}

/// Publishes once the requests before it have been served, and answers how many clients got it.
/// What the publisher itself hears comes before that, whatever it has said about replies.
fn tell(
    control: &mut Control<'_>,
    out: &mut RespWriter<'_>,
    publish: impl FnOnce(&PubSub, ClientId, &mut dyn FnMut(&[u8])) -> usize,
) {
    if control.must_give_way() {
        return;
    }
    let publisher = control.session.client.id;
    let mut own = |message: &[u8]| out.raw().extend_from_slice(message);
    let receivers = publish(&control.engine.notify.pubsub, publisher, &mut own);
    control.session.replies.keep(out.raw());
    out.count(receivers);
}
