//! The HTTP API of Project Haystack: `/api/{project}/{op}`, for clients that know nothing of Kvist.
//!
//! ```text
//!   login ─► op? method? formats? ─► arguments: a grid ─► the op ─► a grid ─► answer
//!     └ 401, 403     404 405 406 415     400                 └ an error: a grid, too, and 200
//! ```
//!
//! A project is a key. What an operation does is done by commands, as their user: rights to
//! commands and keys, loading, trouble with the disk or with memory are what they are at the other
//! ports, and have their own statuses.

mod about;
mod answer;
mod arguments;
mod call;
mod commit;
mod eval;
mod fault;
mod formats;
mod his;
mod invoke;
mod lists;
mod login;
mod nav;
mod ops;
mod point_write;
mod read;
mod watch;

use std::sync::Arc;

use engine::ClientMemory;
use hyper::Method;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ALLOW, HeaderValue};
use hyper::http::request::Parts;
use tokio::sync::Mutex;

use self::call::Call;
use self::fault::Fault;
pub use self::formats::Format;
use self::login::Entry;
pub use self::login::Logins;
use crate::aside::SessionGuard;
use crate::port::Http;
use crate::reply::{Answer, Refusal};
use crate::session::ClientSession;

/// A request as it came.
pub struct Arrival<'r> {
    /// The port.
    pub http: &'r Arc<Http>,
    /// The client's session.
    pub client: &'r Arc<Mutex<ClientSession>>,
    /// Counts for the connection.
    pub memory: &'r ClientMemory,
    /// All but the body.
    pub head: Parts,
    /// The body.
    pub unread: &'r mut Option<Incoming>,
    /// Project and operation.
    pub values: Vec<Vec<u8>>,
}

/// Answers a request.
///
/// # Errors
/// Why not; an operation that has failed is answered by a grid.
pub async fn answer(arrival: Arrival<'_>) -> Result<Answer, Refusal> {
    let Arrival { http, client, memory, head, unread, values } = arrival;
    let entered = {
        let mut client = client.lock().await;
        let entered = login::enter(http, &mut client, &head.headers).await?;
        if matches!(entered, Entry::Admitted(_)) {
            client.let_in();
        }
        entered
    };
    let token = match entered {
        Entry::Answered(answer) => return Ok(answer),
        Entry::Admitted(token) => token,
    };
    let name = values.get(1).map_or(&[][..], Vec::as_slice);
    let op = ops::find(name).ok_or_else(|| Refusal::new(404, "there is no such operation"))?;
    if head.method != Method::POST && !op.changes_nothing {
        let mut refusal = Refusal::new(405, "this operation changes something: POST it");
        refusal.headers.push((ALLOW, HeaderValue::from_static("POST")));
        return Err(refusal);
    }
    let accept = head.headers.get(ACCEPT).map(|accept| accept.to_str().unwrap_or_default());
    let format = Format::accepted(accept);
    let format = format.ok_or_else(|| Refusal::new(406, "none of these formats is spoken"))?;
    let (args, bytes) = arguments::read(http, memory, &head, unread).await?;
    let kept = memory.beside(bytes);
    let session = Some(SessionGuard::new(Arc::clone(client).lock_owned().await));
    let project = values.into_iter().next().unwrap_or_default();
    let http_ = Arc::clone(http);
    let call = Call { http: http_, session, memory: kept, token, project, args, bytes, format };
    let (reply, format) = match ops::run(op, call).await {
        Ok(reply) => (reply, op.format(format)),
        Err(Fault::Refused(refusal)) => return Err(refusal),
        Err(Fault::Failed { kind, text }) => {
            let format = if format.tells_meta() { format } else { Format::Zinc };
            (fault::grid(&kind, &text).into(), format)
        }
    };
    answer::write(http, &head.headers, format, reply).await
}
