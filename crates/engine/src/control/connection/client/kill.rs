//! CLIENT KILL, in its old form (an address) and its new one (filters).

use std::sync::Arc;

use base::{Args, CmdError, Command, Reply, Spec, error, num};
use wire::RespWriter;

use super::{ADMIN, CLIENT, ClientType};
use crate::access::{self, Account};
use crate::client::Client;
use crate::control::{Act, Control};

/// Closes connections.
pub struct ClientKill<'a> {
    filter: Filter<'a>,
    skip_me: bool,
    old_form: bool,
}

#[derive(Default)]
struct Filter<'a> {
    id: Option<u64>,
    addr: Option<&'a [u8]>,
    laddr: Option<&'a [u8]>,
    kind: Option<ClientType>,
    user: Option<&'a [u8]>,
}

impl<'a> Command<'a> for ClientKill<'a> {
    const SPEC: Spec = Spec {
        name: "client|kill",
        since: "2.4.0",
        summary: "Closes connections.",
        complexity: "O(N) in the number of connections",
        grammar: "filter=(ip:port:string @..2.8.12 | new-format=([ID client-id:integer @2.8.12] \
                  | [TYPE normal_master_slave_pubsub=(NORMAL | MASTER @3.2.0 | SLAVE | REPLICA \
                  @5.0.0 | PUBSUB) @2.8.12] | [USER username:string] | [ADDR ip:port:string] | \
                  [LADDR ip:port:string @6.2.0] | [SKIPME yes/no:string]) ...)",
        arity: -3,
        flags: ADMIN,
        history: &[
            ("2.8.12", "The form with filters."),
            ("2.8.12", "`ID`."),
            ("3.2.0", "`TYPE master`."),
            ("5.0.0", "`TYPE replica`, another word for `slave`."),
            ("6.2.0", "`LADDR`."),
        ],
        ..CLIENT
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let mut kill =
            ClientKill { filter: Filter::default(), skip_me: true, old_form: args.left() == 1 };
        if kill.old_form {
            kill.filter.addr = args.take();
            kill.skip_me = false;
            return Ok(kill);
        }
        while let Some(option) = args.take() {
            kill.option(option, args.take().ok_or(error::SYNTAX)?)?;
        }
        Ok(kill)
    }
}

impl<'a> ClientKill<'a> {
    fn option(&mut self, option: &[u8], value: &'a [u8]) -> Result<(), CmdError> {
        let filter = &mut self.filter;
        match option.to_ascii_uppercase().as_slice() {
            b"ID" => {
                let id = num::parse_i64(value).and_then(|id| u64::try_from(id).ok());
                filter.id = Some(
                    id.filter(|&id| id > 0)
                        .ok_or(CmdError::new("ERR client-id should be greater than 0"))?,
                );
            }
            b"TYPE" => filter.kind = Some(ClientType::read(value)?),
            b"ADDR" => filter.addr = Some(value),
            b"LADDR" => filter.laddr = Some(value),
            b"USER" => filter.user = Some(value),
            b"SKIPME" if value.eq_ignore_ascii_case(b"yes") => self.skip_me = true,
            b"SKIPME" if value.eq_ignore_ascii_case(b"no") => self.skip_me = false,
            _ => return Err(error::SYNTAX),
        }
        Ok(())
    }
}

impl Filter<'_> {
    fn takes(&self, client: &Client, user: Option<&Arc<Account>>) -> bool {
        let is = |wanted: Option<&[u8]>, text: &str| wanted.is_none_or(|w| w == text.as_bytes());
        self.id.is_none_or(|id| id == client.id)
            && is(self.addr, &client.origin.addr)
            && is(self.laddr, &client.origin.laddr)
            && self.kind.is_none_or(|kind| kind == ClientType::of(client))
            && user.is_none_or(|user| match &*client.user.lock() {
                Some(account) => Arc::ptr_eq(account, user),
                None => user.name() == access::DEFAULT,
            })
    }
}

impl Act for ClientKill<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let own = control.session.client.id;
        let user = match self.filter.user {
            None => None,
            Some(name) => match control.engine.users.find(name) {
                None => return Err(CmdError::quoting("ERR No such user '", name, "'")),
                known => known,
            },
        };
        let mut killed = 0;
        for client in control.engine.clients.all() {
            if !self.filter.takes(&client, user.as_ref()) || (self.skip_me && client.id == own) {
                continue;
            }
            killed += 1;
            if client.id == own {
                // After the reply.
                control.session.closing = true;
            } else {
                client.kill();
                // Its owner will close it in a moment; for all others it is gone now.
                control.engine.clients.remove(client.id);
            }
        }
        match (self.old_form, killed) {
            (true, 0) => return Err(CmdError::new("ERR No such client")),
            (true, _) => out.ok(),
            (false, killed) => out.count(killed),
        }
        Ok(())
    }
}
