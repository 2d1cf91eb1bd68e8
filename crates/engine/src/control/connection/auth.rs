//! AUTH, and the password check that HELLO shares.

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::INTRODUCTION;
use crate::access::{self, Context, Reason};
use crate::admin::client_line::Asking;
use crate::control::{Act, Control};

/// Opens the session with a password.
pub struct Auth<'a> {
    words: &'a [&'a [u8]],
    user: Option<&'a [u8]>,
    password: &'a [u8],
}

impl<'a> Command<'a> for Auth<'a> {
    const SPEC: Spec = Spec {
        name: "auth",
        summary: "Opens the session with a password.",
        complexity: "O(N) in the number of passwords the user has",
        grammar: "[username:string @6.0.0] password:string",
        history: &[("6.0.0", "A user name may stand before the password.")],
        behaviour: INTRODUCTION.behaviour.secret(|_, at| at > 0),
        ..INTRODUCTION
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let words = args.argv();
        let first = args.next()?;
        let second = args.take();
        args.end()?;
        Ok(match second {
            Some(password) => Auth { words, user: Some(first), password },
            None => Auth { words, user: None, password: first },
        })
    }
}

impl Act for Auth<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if self.user.is_none() && control.engine.users.is_open() {
            return Err(CmdError::new(
                "ERR AUTH <password> called without any password configured for the default \
                 user. Are you sure your configuration is correct?",
            ));
        }
        let asking = Asking { command: Self::SPEC.name, words: self.words };
        authenticate(control, self.user.unwrap_or(access::DEFAULT), self.password, &asking)?;
        out.ok();
        Ok(())
    }
}

/// Opens the session as a user if the password is right. A failure is logged.
///
/// # Errors
/// `WRONGPASS`; the session stays as it was.
pub(super) fn authenticate(
    control: &mut Control<'_>,
    user: &[u8],
    password: &[u8],
    asking: &Asking<'_>,
) -> Result<(), CmdError> {
    let (engine, now) = (control.engine, control.context.now);
    let account = engine.users.find(user).filter(|account| account.lets_in(password));
    let Some(account) = account else {
        let context = if control.in_exec { Context::Multi } else { Context::TopLevel };
        let object = asking.words.first().copied().unwrap_or_default();
        let what = (Reason::Auth, context);
        engine.log_refusal(now, &control.session.client, asking, what, object, user);
        return Err(error::WRONG_PASS);
    };
    control.session.log_in(account);
    Ok(())
}
