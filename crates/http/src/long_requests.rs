//! Requests that may take long, on threads of their own: the few threads that serve the port go on.
//!
//! How many keys a range has is read off the index, unless some of them have a deadline or may not
//! be seen by who asks: then they are looked at, all of them perhaps. So they are for a page, if
//! its user may not see every key.

use engine::exchange::{self, Exchange};
use tokio::sync::OwnedMutexGuard;
use wire::Value;

use crate::session::{ClientSession, NoReply, read};

/// Runs a command, given by its own name, aside, and waits for its reply; an error it answers is
/// one.
///
/// # Errors
/// [`NoReply`].
pub async fn call(
    mut client: OwnedMutexGuard<ClientSession>,
    name: &'static str,
    words: &[&[u8]],
) -> Result<(OwnedMutexGuard<ClientSession>, Value), NoReply> {
    let long = client.workers().long.enter().ok_or(NoReply::TooManyWaiting)?;
    let input = client.encode(name, &[words.to_vec()])?;
    let (client, exchange) = exchange::aside(client, Exchange::of_bytes(input), long).await?;
    let reply = read(&exchange.into_parts().0, 1)?.pop().ok_or(NoReply::Ended)?;
    Ok((client, reply))
}
