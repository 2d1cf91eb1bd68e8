//! CLIENT LIST, CLIENT INFO.

use std::sync::Arc;

use base::{Args, CmdError, Command, Reply, Spec, error, num};
use wire::RespWriter;

use super::{ADMIN, CLIENT, ClientType, OWN};
use crate::admin::client_line::{Asking, Viewer, line};
use crate::client::Client;
use crate::control::{Act, Control};

/// Lists connections.
pub struct ClientList<'a> {
    words: &'a [&'a [u8]],
    filter: Filter,
}

enum Filter {
    All,
    Type(ClientType),
    Ids(Vec<i64>),
}

impl<'a> Command<'a> for ClientList<'a> {
    const SPEC: Spec = Spec {
        name: "client|list",
        since: "2.4.0",
        summary: "Lists connections, one line each.",
        complexity: "O(N) in the number of connections",
        grammar: "[TYPE normal_master_replica_pubsub=(NORMAL | MASTER | REPLICA | PUBSUB) \
                  @5.0.0] [ID id={client-id:integer...} @6.2.0]",
        flags: ADMIN,
        tips: &["nondeterministic_output"],
        history: &[
            ("2.8.12", "`id` in the reply."),
            ("5.0.0", "`TYPE`."),
            ("6.0.0", "`user` in the reply."),
            ("6.2.0", "`ID`, and `argv-mem`, `tot-mem`, `laddr`, `redir` in the reply."),
            ("7.0.0", "`resp`, `multi-mem`, `rbs`, `rbp` in the reply."),
            ("7.0.3", "`ssub` in the reply."),
        ],
        ..CLIENT
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let words = args.argv();
        let Some(option) = args.take() else {
            return Ok(ClientList { words, filter: Filter::All });
        };
        let filter = match args.rest() {
            [kind] if option.eq_ignore_ascii_case(b"TYPE") => Filter::Type(ClientType::read(kind)?),
            ids @ [_, ..] if option.eq_ignore_ascii_case(b"ID") => {
                let ids: Option<_> = ids.iter().map(|id| num::parse_i64(id)).collect();
                Filter::Ids(ids.ok_or(CmdError::new("ERR Invalid client ID"))?)
            }
            _ => return Err(error::SYNTAX),
        };
        Ok(ClientList { words, filter })
    }
}

impl Act for ClientList<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let clients = &control.engine.clients;
        let shown: Vec<Arc<Client>> = match self.filter {
            Filter::All => clients.all(),
            Filter::Type(kind) => {
                clients.all().into_iter().filter(|c| ClientType::of(c) == kind).collect()
            }
            Filter::Ids(ids) => {
                let find = |id: i64| clients.get(u64::try_from(id).ok()?);
                ids.into_iter().filter_map(find).collect()
            }
        };
        let asking = Asking { command: Self::SPEC.name, words: self.words };
        let viewer = Viewer::of(control);
        let mut text = String::new();
        for client in shown {
            text += &line(&viewer, &client, &asking);
            text.push('\n');
        }
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}

/// Shows the asking connection.
pub struct ClientInfo<'a> {
    words: &'a [&'a [u8]],
}

impl<'a> Command<'a> for ClientInfo<'a> {
    const SPEC: Spec = Spec {
        name: "client|info",
        since: "6.2.0",
        summary: "Shows this connection as CLIENT LIST would.",
        tips: &["nondeterministic_output"],
        ..OWN
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ClientInfo { words: args.argv() })
    }
}

impl Act for ClientInfo<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let client = Arc::clone(&control.session.client);
        let asking = Asking { command: Self::SPEC.name, words: self.words };
        let mut text = line(&Viewer::of(control), &client, &asking);
        text.push('\n');
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}
