//! HELLO.

use base::{Args, CmdError, Command, Protocol, Reply, Spec, error, num};
use wire::RespWriter;

use super::INTRODUCTION;
use super::auth::authenticate;
use super::client::set_name;
use crate::admin::client_line::Asking;
use crate::control::{Act, Control, identity};

/// Agrees on a protocol; may open and name the session on the way.
pub struct Hello<'a> {
    protocol: Option<Protocol>,
    options: Args<'a>,
}

/// `HELLO 3 AUTH user password`
fn secret(argv: &[&[u8]], at: usize) -> bool {
    let is_auth = |at: usize| argv.get(at).is_some_and(|word| word.eq_ignore_ascii_case(b"AUTH"));
    at > 2 && (is_auth(at - 1) || is_auth(at - 2))
}

impl<'a> Command<'a> for Hello<'a> {
    const SPEC: Spec = Spec {
        name: "hello",
        since: "6.0.0",
        summary: "Chooses the protocol and introduces both sides.",
        grammar: "[arguments={protover:integer [AUTH username_password={username:string \
                  password:string}] [SETNAME clientname:string]}]",
        history: &[("6.2.0", "The version may be left out: then nothing is changed, only told.")],
        behaviour: INTRODUCTION.behaviour.secret(secret),
        ..INTRODUCTION
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let protocol = match args.take().map(num::parse_i64) {
            None => None,
            Some(Some(2)) => Some(Protocol::Resp2),
            Some(Some(3)) => Some(Protocol::Resp3),
            Some(Some(_)) => return Err(error::NO_PROTO),
            Some(None) => {
                return Err(CmdError::new(
                    "ERR Protocol version is not an integer or out of range",
                ));
            }
        };
        Ok(Hello { protocol, options: args })
    }
}

impl Act for Hello<'_> {
    fn act(mut self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let asking = Asking { command: Self::SPEC.name, words: self.options.argv() };
        // In the order given, and at once: an error in a later option leaves earlier ones done.
        while let Some(option) = self.options.take() {
            let is = |name: &[u8]| option.eq_ignore_ascii_case(name);
            if is(b"AUTH") && self.options.left() >= 2 {
                let (user, password) = (self.options.next()?, self.options.next()?);
                authenticate(control, user, password, &asking)?;
            } else if is(b"SETNAME") && self.options.left() >= 1 {
                set_name(control.session, self.options.next()?)?;
            } else {
                return Err(CmdError::quoting("ERR Syntax error in HELLO option '", option, "'"));
            }
        }
        if !control.session.user.authenticated && control.engine.users.asks_password() {
            return Err(CmdError::new(
                "NOAUTH HELLO must be called with the client already authenticated, otherwise \
                 the HELLO AUTH <user> <pass> option can be used to authenticate the client and \
                 select the RESP protocol version at the same time",
            ));
        }
        if let Some(protocol) = self.protocol {
            control.session.speak(protocol);
            out.set_protocol(protocol);
        }
        introduce(control, out);
        Ok(())
    }
}

fn introduce(control: &Control<'_>, out: &mut RespWriter<'_>) {
    let session = &control.session;
    out.map(7);
    out.bulk(b"server");
    out.bulk(b"redis");
    out.bulk(b"version");
    out.bulk(identity::REDIS_VERSION.as_bytes());
    out.bulk(b"proto");
    out.int(if session.protocol == Protocol::Resp3 { 3 } else { 2 });
    out.bulk(b"id");
    out.int(i64::try_from(session.client.id).unwrap_or(i64::MAX));
    out.bulk(b"mode");
    out.bulk(b"standalone");
    out.bulk(b"role");
    out.bulk(b"master");
    out.bulk(b"modules");
    identity::Module::write_all(out);
}
