//! The first words on a connection: protocol, user, name, database.
//!
//! ```text
//!   HELLO 3 AUTH u p │ CLIENT SETNAME │ CLIENT SETINFO ×2 │ SELECT      one write
//!        └ unknown to servers before 6.0: AUTH │ CLIENT SETNAME │ … │ SELECT   a second one
//! ```
//!
//! It is a state machine without a socket, so that blocking connections and event loops say the
//! same. All requests go out at once and each reply is checked against the request it answers: a
//! connection costs one round trip whatever it is told.

use crate::error::{Class, Error, ServerError};
use crate::options::{Options, Protocol};
use std::collections::VecDeque;
use wire::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Hello,
    Auth,
    Name,
    Info,
    Select,
}

/// A handshake under way.
#[derive(Debug)]
pub struct Handshake {
    awaited: VecDeque<Step>,
    failure: Option<Error>,
    /// What to try once the replies of this attempt are in.
    next: Option<Attempt>,
    /// Whether a wrong user name must not be sent again.
    with_username: bool,
    greeting: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Resp3,
    Resp2,
    /// For servers before 6.0, which know one password and no users.
    PasswordOnly,
}

impl Handshake {
    /// Appends the first requests to `out`.
    #[must_use]
    pub fn begin(options: &Options, out: &mut Vec<u8>) -> Self {
        let mut handshake = Handshake {
            awaited: VecDeque::new(),
            failure: None,
            next: None,
            with_username: options.username.is_some(),
            greeting: None,
        };
        let attempt = match options.protocol {
            Protocol::Resp2 => Attempt::Resp2,
            Protocol::Newest | Protocol::Resp3 => Attempt::Resp3,
        };
        handshake.send(attempt, options, out);
        handshake
    }

    /// Whether every request has been answered.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.awaited.is_empty()
    }

    /// What the server said of itself in answer to `HELLO`; nothing over RESP2.
    #[must_use]
    pub fn greeting(&self) -> Option<&Value> {
        self.greeting.as_ref()
    }

    /// Which protocol the connection speaks once the handshake is done: 2 or 3.
    #[must_use]
    pub fn protocol(&self) -> u8 {
        if self.greeting.is_some() { 3 } else { 2 }
    }

    /// Takes a reply; may append further requests to `out`.
    ///
    /// # Errors
    /// The server refused something that matters. All its replies have been read by then.
    pub fn answer(
        &mut self,
        reply: &Value,
        options: &Options,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        if matches!(reply, Value::Push(_)) {
            return Ok(());
        }
        let Some(step) = self.awaited.pop_front() else { return Ok(()) };
        match reply.as_error() {
            Some(text) => self.refused(step, &String::from_utf8_lossy(text), options),
            None if step == Step::Hello => self.greeting = Some(reply.clone()),
            None => {}
        }
        if !self.awaited.is_empty() {
            return Ok(());
        }
        if let Some(attempt) = self.next.take() {
            self.failure = None;
            self.send(attempt, options, out);
            return Ok(());
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    fn refused(&mut self, step: Step, text: &str, options: &Options) {
        let error = ServerError::new(text);
        let too_old = text.starts_with("ERR unknown command") || text.starts_with("NOPROTO");
        match step {
            Step::Hello if too_old && options.protocol == Protocol::Newest => {
                self.next = Some(Attempt::Resp2);
            }
            Step::Auth if error.class == Class::AuthenticationArguments && self.with_username => {
                self.next = Some(Attempt::PasswordOnly);
            }
            // Servers before 7.2 do not want to know.
            Step::Info => {}
            // The first refusal is the reason for those that follow.
            _ if self.failure.is_none() => self.failure = Some(Error::Server(error)),
            _ => {}
        }
    }

    fn send(&mut self, attempt: Attempt, options: &Options, out: &mut Vec<u8>) {
        let user = options.username.as_deref();
        let password = options.password.as_deref();
        let secret = password.or(user.and(Some("")));
        match (attempt, secret) {
            (Attempt::Resp3, Some(secret)) => {
                let user = user.unwrap_or("default");
                self.ask(Step::Hello, &["HELLO", "3", "AUTH", user, secret], out);
            }
            (Attempt::Resp3, None) => self.ask(Step::Hello, &["HELLO", "3"], out),
            (Attempt::Resp2, Some(secret)) => match user {
                Some(user) => self.ask(Step::Auth, &["AUTH", user, secret], out),
                None => self.ask(Step::Auth, &["AUTH", secret], out),
            },
            (Attempt::PasswordOnly, Some(secret)) => {
                self.with_username = false;
                self.ask(Step::Auth, &["AUTH", secret], out);
            }
            (_, None) => {}
        }
        if let Some(name) = &options.name {
            self.ask(Step::Name, &["CLIENT", "SETNAME", name], out);
        }
        if let Some((name, version)) = &options.library {
            for (about, text) in [("LIB-NAME", name), ("LIB-VER", version)] {
                if !text.is_empty() {
                    self.ask(Step::Info, &["CLIENT", "SETINFO", about, text], out);
                }
            }
        }
        if options.db != 0 {
            self.ask(Step::Select, &["SELECT", &options.db.to_string()], out);
        }
    }

    fn ask(&mut self, step: Step, words: &[&str], out: &mut Vec<u8>) {
        wire::encode(out, words);
        self.awaited.push_back(step);
    }
}

#[cfg(test)]
#[path = "handshake_tests.rs"]
mod tests;
