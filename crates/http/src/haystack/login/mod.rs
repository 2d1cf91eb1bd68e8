//! How callers of the Haystack API log in: SCRAM once, then a token with every request.
//!
//! ```text
//!   HELLO username=…          ─► 401 handshakeToken, hash          handshakes: so many, 30 s
//!   SCRAM data=client-first   ─► 401 data=server-first
//!   SCRAM data=client-final   ─► 200 authToken, data=server-final  tokens: so many, an hour idle
//!                              └► 403                              failures: so often
//!   BEARER authToken=…        ─► the request, or 403
//! ```
//!
//! Users are those of ACL; how they come to keys for SCRAM, the engine knows. Who says a name that
//! no user has, or of a user without keys, is challenged as all are, and refused at last. A wrong
//! password is 403 and never 401: clients would try it for ever. What the other routes take, Basic
//! and `http-token`, is taken here, too.

mod failures;
mod handshakes;
mod header;
mod scram;
mod tokens;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Instant;

use bytes::Bytes;
use engine::{Engine, entropy};
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{HeaderMap, StatusCode};

use self::failures::Failures;
use self::handshakes::{Exchange, Handshake, Handshakes};
use self::header::{HASH, Said, encoded};
use self::scram::{ClientFinal, ClientFirst};
use self::tokens::{Login, Tokens};
use crate::aside;
use crate::auth;
use crate::port::Http;
use crate::reply::{self, Answer, Refusal};
use crate::session::{Admitted, ClientSession};

/// To make a user's keys takes as long as what is about so many bytes.
const MAKING_KEYS: usize = 1 << 20;

/// What is known of those who log in and have logged in.
#[derive(Default)]
pub struct Logins {
    handshakes: Handshakes,
    tokens: Tokens,
    failures: Failures,
}

/// What becomes of a request.
pub enum Entry {
    /// It is let in, by this token if by one.
    Admitted(Option<String>),
    /// It is part of a login, and answered.
    Answered(Answer),
}

/// A request that says who it is of.
struct Caller<'c> {
    http: &'c Http,
    client: &'c mut ClientSession,
    from: IpAddr,
    now: Instant,
}

/// Lets a request in, or answers it as a part of a login.
///
/// # Errors
/// 400 for what cannot be read, 401 without credentials, 403 with wrong ones.
pub async fn enter(
    http: &Http,
    client: &mut ClientSession,
    headers: &HeaderMap,
) -> Result<Entry, Refusal> {
    client.admitted = Admitted::Not;
    let from = client.session.client.origin.addr.parse().map(|addr: SocketAddr| addr.ip());
    let from = from.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let mut caller = Caller { http, client, from, now: Instant::now() };
    match header::read(headers) {
        Said::Nonsense(why) => Err(Refusal::new(400, why)),
        Said::Hello(user) => caller.hello(user).await.map(Entry::Answered),
        Said::Scram { handshake, message } => {
            caller.scram(handshake, &message).await.map(Entry::Answered)
        }
        Said::Bearer(token) => caller.bearer(token).map(Entry::Admitted),
        Said::Other => caller.other(headers).await.map(|()| Entry::Admitted(None)),
    }
}

/// Ends what a token is good for.
pub fn close(http: &Http, token: &str) {
    http.logins.tokens.end(token);
}

impl Caller<'_> {
    fn engine(&self) -> &Engine {
        &self.http.workers.engine
    }

    /// The first message: a login begins, of whatever name.
    async fn hello(&mut self, user: String) -> Result<Answer, Refusal> {
        let engine = &self.http.workers.engine;
        if engine.users.waits_for_keys(user.as_bytes()) {
            let (engine, user) = (engine.clone(), user.clone());
            let make = move || engine.users.make_keys(user.as_bytes());
            aside::work(&self.http.workers, MAKING_KEYS, make).await?;
        }
        let token = random()?;
        self.http.logins.handshakes.begin(token.clone(), user, self.from, self.now);
        challenge(&format!("SCRAM handshakeToken={token}, hash={HASH}"))
    }

    /// The second message, or the third.
    async fn scram(&mut self, token: String, message: &str) -> Result<Answer, Refusal> {
        let handshake = self.http.logins.handshakes.take(&token, self.now);
        let handshake = handshake.ok_or_else(|| Refusal::new(403, "there is no such login"))?;
        match handshake.said.clone() {
            None => self.first(token, handshake, message),
            Some(said) => self.last(&handshake.user, &said, message).await,
        }
    }

    fn first(&self, token: String, of: Handshake, message: &str) -> Result<Answer, Refusal> {
        let first = ClientFirst::read(message);
        let first = first.ok_or_else(|| Refusal::new(400, "no client-first message of SCRAM"))?;
        if !first.is_of(&of.user) {
            return Err(wrong());
        }
        let challenge_of = self.engine().users.challenge(of.user.as_bytes());
        let nonce = format!("{}{}", first.nonce, random()?);
        let answer = scram::server_first(&nonce, &challenge_of.salt, challenge_of.rounds);
        let said = Exchange {
            head: first.head.to_owned(),
            messages: format!("{},{answer}", first.bare),
            nonce,
        };
        self.http.logins.handshakes.go_on(token.clone(), of, said);
        let data = encoded(answer.as_bytes());
        challenge(&format!("SCRAM handshakeToken={token}, hash={HASH}, data={data}"))
    }

    async fn last(
        &mut self,
        user: &str,
        said: &Exchange,
        message: &str,
    ) -> Result<Answer, Refusal> {
        let last = ClientFinal::read(message, &said.head, &said.nonce);
        let last = last.ok_or_else(|| Refusal::new(400, "no client-final message of SCRAM"))?;
        self.may_try(Some(user))?;
        let messages = format!("{},{}", said.messages, last.bare);
        let users = &self.engine().users;
        let Some((credential, signature)) =
            users.prove(user.as_bytes(), messages.as_bytes(), &last.proof)
        else {
            self.failed(user).await?;
            return Err(wrong());
        };
        let token = format!("s-{}", random()?);
        let account = credential.account().clone();
        // It has been proven by one of its passwords.
        let password = credential.password().cloned().ok_or_else(wrong)?;
        self.http.logins.tokens.give(&token, Login { account, password }, self.now);
        let data = scram::server_final(&signature);
        let mut answer = reply::answer(StatusCode::OK, "", Bytes::new());
        let info = format!("authToken={token}, hash={HASH}, data={data}");
        let name = HeaderName::from_static("authentication-info");
        answer.headers_mut().insert(name, in_header(&info)?);
        Ok(answer)
    }

    /// A token that was given at the end of a login.
    fn bearer(&mut self, token: String) -> Result<Option<String>, Refusal> {
        let users = &self.http.workers.engine.users;
        let Some(credential) = self.http.logins.tokens.show(&token, users, self.now) else {
            self.client.session.log_out(users);
            return Err(Refusal::new(403, "the token is not, or no more, that of a login"));
        };
        auth::become_user(self.client, credential);
        Ok(Some(token))
    }

    /// What the other routes know.
    async fn other(&mut self, headers: &HeaderMap) -> Result<(), Refusal> {
        let (engine, config) = (self.http.workers.engine.clone(), self.engine().config());
        if headers.contains_key(AUTHORIZATION) {
            self.may_try(None)?;
        }
        let admitted = auth::admit(&engine, &config, headers, self.client).await;
        admitted.map_err(|mut refusal| {
            if headers.contains_key(AUTHORIZATION) {
                self.http.logins.failures.add(self.from, None, self.now);
            }
            let scram = HeaderValue::from_static("SCRAM hash=SHA-256");
            refusal.headers.insert(0, (WWW_AUTHENTICATE, scram));
            refusal
        })
    }

    /// Whether this address may try to log in with this name, or any.
    fn may_try(&self, user: Option<&str>) -> Result<(), Refusal> {
        let Some(wait) = self.http.logins.failures.wait(self.from, user, self.now) else {
            return Ok(());
        };
        let mut refusal = Refusal::new(403, "too many logins have failed");
        refusal.headers.push((RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1)));
        Err(refusal)
    }

    /// A login has failed: it counts here, and is in the log as any other.
    async fn failed(&mut self, user: &str) -> Result<(), Refusal> {
        self.http.logins.failures.add(self.from, Some(user), self.now);
        let account = self.engine().users.find(user.as_bytes());
        // The command that tells of it would let any caller be such a user.
        if account.is_some_and(|account| account.rules().takes_any_password()) {
            return Ok(());
        }
        self.client.refuse_password(user.as_bytes(), random()?.as_bytes()).await;
        self.client.session.log_out(&self.http.workers.engine.users);
        Ok(())
    }
}

fn wrong() -> Refusal {
    Refusal::new(403, "the user or the password is wrong, or the user cannot log in by SCRAM")
}

fn in_header(text: &str) -> Result<HeaderValue, Refusal> {
    HeaderValue::from_str(text).map_err(|_| Refusal::new(400, "a name or a nonce of wrong letters"))
}

/// An answer that asks for more.
fn challenge(text: &str) -> Result<Answer, Refusal> {
    let mut answer = reply::answer(StatusCode::UNAUTHORIZED, "", Bytes::new());
    answer.headers_mut().insert(WWW_AUTHENTICATE, in_header(text)?);
    Ok(answer)
}

/// A text that no caller can guess: 64 hexadecimal digits, which all clients take for a token.
fn random() -> Result<String, Refusal> {
    let words = entropy();
    let words = words.map_err(|_| Refusal::new(503, "the system has no random numbers"))?;
    Ok(words.iter().map(|word| format!("{word:016x}")).collect())
}
