//! AUTH, and the password check that HELLO shares.

use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::INTRODUCTION;
use crate::control::{Act, Control, identity};

/// Opens the session with a password.
pub struct Auth<'a> {
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
        ..INTRODUCTION
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let first = args.next()?;
        let second = args.take();
        args.end()?;
        Ok(match second {
            Some(password) => Auth { user: Some(first), password },
            None => Auth { user: None, password: first },
        })
    }
}

impl Act for Auth<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if self.user.is_none() && control.engine.config().requirepass.is_none() {
            return Err(CmdError::new(
                "ERR AUTH <password> called without any password configured for the default \
                 user. Are you sure your configuration is correct?",
            ));
        }
        let user = self.user.unwrap_or(identity::USER.as_bytes());
        authenticate(control, user, self.password)?;
        out.ok();
        Ok(())
    }
}

/// Opens the session if user and password are right. Without `requirepass` the default user takes
/// any password.
///
/// # Errors
/// `WRONGPASS`; the session stays as it was.
pub(super) fn authenticate(
    control: &mut Control<'_>,
    user: &[u8],
    password: &[u8],
) -> Result<(), CmdError> {
    // Not the batch's view: a password that was just changed must hold at once.
    let config = control.engine.config();
    let right = config.requirepass.as_ref().is_none_or(|expected| same(expected, password));
    if user != identity::USER.as_bytes() || !right {
        return Err(error::WRONG_PASS);
    }
    control.session.authenticated = true;
    Ok(())
}

/// Compares in a time that depends only on the length of `given`, so that a password cannot be
/// found out byte by byte.
fn same(expected: &[u8], given: &[u8]) -> bool {
    let mut difference = usize::from(expected.len() != given.len());
    for (at, byte) in given.iter().enumerate() {
        let other = expected.get(at % expected.len().max(1)).copied().unwrap_or_default();
        difference |= usize::from(byte ^ other);
    }
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn passwords_are_compared_whole() {
        assert!(same(b"secret", b"secret"));
        assert!(!same(b"secret", b"secreT"));
        assert!(!same(b"secret", b"secretsecret"));
        assert!(!same(b"secret", b""));
    }
}
