//! How handlers run commands, and what else they do that can take long: beside the few threads that
//! serve the port, where it takes longer than a moment.
//!
//! Which commands do, the engine decides for all doors alike ([`engine::SideThreads`]). What a
//! handler does with bodies and replies (to read them, to write JSON) takes as long as they are.
//! Where too many wait a request is refused, but only before the first of its commands: what has
//! begun goes on to its end, however many commands and pages that takes.

use std::ops::{Deref, DerefMut};

use engine::Stage;
use engine::exchange::{self, DoorSession, Exchange};
use tokio::sync::OwnedMutexGuard;
use wire::Value;

use crate::session::{ClientSession, NoReply, Words, Workers, bytes_of, read};

/// The session of a connection, for as long as its request is answered.
pub struct SessionGuard {
    session: OwnedMutexGuard<ClientSession>,
    stage: Stage,
}

impl SessionGuard {
    /// Of a request that has run no command yet.
    #[must_use]
    pub fn new(session: OwnedMutexGuard<ClientSession>) -> Self {
        SessionGuard { session, stage: Stage::New }
    }

    /// Does something for the request with so many bytes, of which it says how long it takes.
    ///
    /// # Errors
    /// [`NoReply`].
    pub async fn work<R: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, NoReply> {
        do_at(self.session.workers(), bytes, self.stage, work).await
    }
}

impl Deref for SessionGuard {
    type Target = ClientSession;

    fn deref(&self) -> &ClientSession {
        &self.session
    }
}

impl DerefMut for SessionGuard {
    fn deref_mut(&mut self) -> &mut ClientSession {
        &mut self.session
    }
}

/// Runs a command, given by its own name, and waits for its reply; an error it answers is one.
///
/// # Errors
/// [`NoReply`].
pub async fn call(
    client: SessionGuard,
    name: &'static str,
    words: &[&[u8]],
) -> Result<(SessionGuard, Value), NoReply> {
    call_with(client, name, words.iter().map(|word| word.to_vec()).collect()).await
}

/// The same with words that may be long.
///
/// # Errors
/// [`NoReply`].
pub async fn call_with(
    client: SessionGuard,
    name: &'static str,
    words: Words,
) -> Result<(SessionGuard, Value), NoReply> {
    let (client, out) = call_raw(client, name, words).await?;
    let mut replies = client.work(out.len(), move || read(&out, 1)).await??;
    Ok((client, replies.pop().ok_or(NoReply::Broken)?))
}

/// The same, with its reply as the engine writes it. Of the words no copy is made on the way.
///
/// # Errors
/// [`NoReply`].
pub async fn call_raw(
    mut client: SessionGuard,
    name: &'static str,
    words: Words,
) -> Result<(SessionGuard, Vec<u8>), NoReply> {
    let called = client.called(name)?;
    let longest = client.workers().engine.config().clients.proto_max_bulk_len;
    if words.iter().any(|word| word.len() as u64 > longest) {
        return Err(NoReply::TooLong);
    }
    let stage = client.stage;
    let long = client.permit(&called, std::slice::from_ref(&words), stage)?;
    client.stage = Stage::Begun;
    let mut exchange = Exchange::of_words(std::iter::once(called).chain(words).collect());
    (client, exchange) = match long {
        Some(long) => exchange::aside(client, exchange, long).await?,
        None => {
            let exchange = exchange::on_port(&mut client, exchange).await?;
            (client, exchange)
        }
    };
    Ok((client, exchange.into_parts().0))
}

/// Runs a command many times, each with other words, one after another; others may do something in
/// between. The disk is waited for once. Answers the words, too.
///
/// # Errors
/// [`NoReply`].
pub async fn call_all(
    mut client: SessionGuard,
    name: &'static str,
    requests: Vec<Words>,
) -> Result<(SessionGuard, Vec<Value>, Vec<Words>), NoReply> {
    let called = client.called(name)?;
    let stage = client.stage;
    let (long, mut input) = (client.permit(&called, &requests, stage)?, client.take_kept());
    let bytes = bytes_of(&requests);
    let encode = move || {
        input.clear();
        for words in &requests {
            let argv: Vec<&Vec<u8>> = std::iter::once(&called).chain(words).collect();
            wire::encode(&mut input, argv);
        }
        (input, requests)
    };
    let (input, requests) = client.work(bytes, encode).await?;
    client.stage = Stage::Begun;
    let mut exchange = Exchange::of_bytes(input);
    (client, exchange) = match long {
        Some(long) => exchange::aside(client, exchange, long).await?,
        None => {
            let exchange = exchange::on_port(&mut client, exchange).await?;
            (client, exchange)
        }
    };
    let (out, input) = exchange.into_parts();
    client.keep_for_next(input);
    let count = requests.len();
    let replies = client.work(out.len(), move || read(&out, count)).await??;
    Ok((client, replies, requests))
}

/// Does something with so many bytes, of which it says how long it takes, for a request that has
/// run no command yet.
///
/// # Errors
/// [`NoReply`]: too much of the kind waits already; or it broke.
pub async fn work<R: Send + 'static>(
    workers: &Workers,
    bytes: usize,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, NoReply> {
    do_at(workers, bytes, Stage::New, work).await
}

async fn do_at<R: Send + 'static>(
    workers: &Workers,
    bytes: usize,
    stage: Stage,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, NoReply> {
    match workers.side.permit_bytes(bytes, stage).map_err(ClientSession::refusal)? {
        None => Ok(work()),
        Some(long) => long.run(move |_| work()).await.ok_or(NoReply::Broken),
    }
}
