//! FAILOVER, ROLE, REPLICAOF, SLAVEOF, WAIT: this server is a master without replicas.

use base::{
    Args, Category, CmdError, Command, Deprecated, Flag, Group, Property, Reply, Spec, error, num,
};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Control, acts, bare};
use crate::engine::entry::Action;

/// The rows of these commands.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Failover, ReplicaOf, Role, SlaveOf, Wait]
}

bare! {
    /// Answers `master`, its offset, and its replicas.
    Role,
    Spec {
        name: "role",
        since: "2.8.12",
        summary: "Answers this server's part in replication.",
        flags: &[Flag::NoScript, Flag::Loading, Flag::Stale, Flag::Fast],
        categories: &[Category::Admin, Category::Dangerous],
        ..SERVER
    }
}

impl Act for Role<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.array(3);
        out.bulk(b"master");
        out.int(0);
        out.array(0);
        Ok(())
    }
}

/// Declares the two spellings.
macro_rules! following {
    ($(#[$doc:meta])* $name:ident, $spec:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl<'a> Command<'a> for $name {
            const SPEC: Spec = $spec;

            fn parse(args: Args<'a>) -> Result<Self, CmdError> {
                only_no_one(args)?;
                Ok($name)
            }
        }

        impl Act for $name {
            fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
                // A master already.
                out.ok();
                Ok(())
            }
        }
    };
}

const FOLLOWING: Spec = Spec {
    grammar: "args=(host-port={host:string port:integer} | no-one={NO ONE})",
    flags: &[Flag::Admin, Flag::NoScript, Flag::Stale, Flag::NoAsyncLoading],
    ..SERVER
};

following! {
    /// Follows another server, or none.
    ReplicaOf,
    Spec {
        name: "replicaof",
        since: "5.0.0",
        summary: "Keeps this server a master; following another is not supported.",
        ..FOLLOWING
    }
}

following! {
    /// The older spelling of REPLICAOF.
    SlaveOf,
    Spec {
        name: "slaveof",
        summary: "The older spelling of REPLICAOF.",
        deprecated: Some(Deprecated { since: "5.0.0", instead: "`REPLICAOF`" }),
        ..FOLLOWING
    }
}

fn only_no_one(mut args: Args<'_>) -> Result<(), CmdError> {
    let (host, port) = (args.next()?, args.next()?);
    if host.eq_ignore_ascii_case(b"no") && port.eq_ignore_ascii_case(b"one") {
        return Ok(());
    }
    if num::parse_i64(port).is_none_or(|port| !(0..=65535).contains(&port)) {
        return Err(CmdError::new("ERR Invalid master port"));
    }
    Err(CmdError::new("ERR replication is not supported by this server"))
}

/// Waits until so many replicas have everything. There are none, and none can come: the answer
/// is known at once.
pub struct Wait;

impl<'a> Command<'a> for Wait {
    const SPEC: Spec = Spec {
        name: "wait",
        group: Group::Generic,
        since: "3.0.0",
        summary: "Answers how many replicas have all writes of this connection: none.",
        grammar: "numreplicas:integer timeout:integer",
        flags: &[Flag::NoScript],
        categories: &[Category::Connection],
        tips: &["request_policy:all_shards", "response_policy:agg_min"],
        behaviour: SERVER.behaviour.properties(&[Property::AllowedInScriptsByDebug]),
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        args.integer()?;
        let timeout = num::parse_i64(args.next()?);
        let timeout =
            timeout.ok_or(CmdError::new("ERR timeout is not an integer or out of range"))?;
        if timeout < 0 { Err(error::TIMEOUT_NEGATIVE) } else { Ok(Wait) }
    }
}

impl Act for Wait {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.int(0);
        Ok(())
    }
}

/// Hands the part of the master to a replica. There is none: after its words have been read,
/// only the errors are left.
pub struct Failover {
    abort: bool,
}

impl<'a> Command<'a> for Failover {
    const SPEC: Spec = Spec {
        name: "failover",
        since: "6.2.0",
        summary: "Fails: there are no replicas to hand over to.",
        grammar: "[TO target={host:string port:integer [FORCE]}] [ABORT] [TIMEOUT \
                  milliseconds:integer]",
        flags: &[Flag::Admin, Flag::NoScript, Flag::Stale],
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() == 1 && args.token("ABORT") {
            return Ok(Failover { abort: true });
        }
        let (mut to, mut timeout, mut force) = (false, false, false);
        while args.left() > 0 {
            if !timeout && args.left() > 1 && args.token("TIMEOUT") {
                if args.integer()? <= 0 {
                    return Err(CmdError::new("ERR FAILOVER timeout must be greater than 0"));
                }
                timeout = true;
            } else if !to && args.left() > 2 && args.token("TO") {
                args.next()?;
                args.integer()?;
                to = true;
            } else if !force && args.token("FORCE") {
                force = true;
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(Failover { abort: false })
    }
}

impl Act for Failover {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Err(CmdError::new(match self.abort {
            true => "ERR No failover in progress.",
            false => "ERR FAILOVER requires connected replicas.",
        }))
    }
}
