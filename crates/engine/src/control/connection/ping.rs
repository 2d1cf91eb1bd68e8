//! PING.

use base::{
    Args, Behaviour, Category, CmdError, Command, Flag, Group, InFile, Locks, Property, Protocol,
    Reply, Spec, error,
};
use wire::RespWriter;

use crate::control::{Act, Control};

/// Answers `PONG`, or the given message. A subscriber in RESP2 gets it as a message.
pub struct Ping<'a> {
    message: Option<&'a [u8]>,
}

impl<'a> Command<'a> for Ping<'a> {
    const SPEC: Spec = Spec {
        name: "ping",
        group: Group::Connection,
        since: "1.0.0",
        summary: "Asks the server for a sign of life.",
        complexity: "O(1)",
        grammar: "[message:string]",
        flags: &[Flag::Fast],
        categories: &[Category::Connection],
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        behaviour: Behaviour::NEW
            .locks(|_| Locks::Nothing)
            .properties(&[Property::AllowedWhileSubscribed, Property::RefusedOnDiskError])
            .in_file(InFile::Nothing),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() > 1 {
            return Err(error::wrong_arity("ping"));
        }
        Ok(Ping { message: args.take() })
    }
}

impl Act for Ping<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let session = &control.session;
        if session.is_subscriber() && session.protocol == Protocol::Resp2 {
            out.array(2);
            out.bulk(b"pong");
            out.bulk(self.message.unwrap_or_default());
            return Ok(());
        }
        match self.message {
            Some(message) => out.bulk(message),
            None => out.simple("PONG"),
        }
        Ok(())
    }
}
