//! Many operations in each message: what a call costs beside its operation is paid once for all of
//! them.
//!
//! Operations run in order, and so do messages. Between some hundred of them other calls have their
//! turn; what has been answered is sent when it is large, so that a batch of small questions with
//! large answers never lies here whole.

use std::sync::Arc;

use engine::{ClientMemory, LongRequest};
use futures_util::stream::{self, Stream};
use prost::Message;
use smallvec::SmallVec;
use tonic::{Status, Streaming};

use super::operation::{Operation, check, read_reply};
use crate::caller::{Begun, Caller, before};
use crate::connection_user::SessionGuard;
use crate::generated::kvist as pb;
use crate::generated::kvist::operation::Kind;
use crate::generated::kvist::operation_result::Kind as Outcome;
use crate::generated::kvist::{BatchRequest, BatchResponse, OperationError, OperationResult};
use crate::inbound::Meter;
use crate::shared::{Shared, WorkerSlot};
use crate::status;

/// Operations that run in one go.
const BURST: usize = 256;
/// Bytes of results that are sent on their own.
const LARGE: usize = 256 << 10;

/// The answers to a stream of batches.
pub fn answers(
    caller: Caller,
    requests: Streaming<BatchRequest>,
    meter: Option<Meter>,
) -> impl Stream<Item = Result<BatchResponse, Status>> + Send {
    let held = caller.memory.memory().beside(0);
    let work = BatchState { caller, requests, meter, held, batch: None };
    stream::try_unfold(work, |mut work| async move {
        let answer = work.next().await?;
        Ok(answer.map(|answer| (answer, work)))
    })
}

struct BatchState {
    caller: Caller,
    requests: Streaming<BatchRequest>,
    /// Counts what has come and makes no batch yet.
    meter: Option<Meter>,
    /// Counts the batch that is being answered.
    held: ClientMemory,
    /// The batch that is being answered, and how many of its operations have been.
    batch: Option<(BatchRequest, usize)>,
}

impl BatchState {
    async fn next(&mut self) -> Result<Option<BatchResponse>, Status> {
        let (batch, from) = match self.batch.take() {
            Some(begun) => begun,
            None => match self.message().await? {
                Some(batch) => {
                    self.held.set(batch.encoded_len());
                    self.meter.iter().for_each(Meter::clear);
                    (batch, 0)
                }
                None => return Ok(None),
            },
        };
        let until = self.caller.until;
        let (results, to) = before(until, run(&self.caller, &batch.operations, from)).await??;
        let more = to < batch.operations.len();
        if !more {
            self.held.set(0);
        }
        let id = batch.id;
        self.batch = more.then_some((batch, to));
        Ok(Some(BatchResponse { id, results, more }))
    }

    /// The next batch. What the last one was answered is with the client by now, or counted as
    /// bytes on their way there.
    async fn message(&mut self) -> Result<Option<BatchRequest>, Status> {
        self.caller.memory.answered(0);
        before(self.caller.until, self.requests.message()).await?
    }
}

/// Runs operations from one on, until their results are large; how far it came.
async fn run(
    caller: &Caller,
    operations: &[pb::Operation],
    from: usize,
) -> Result<(Vec<OperationResult>, usize), Status> {
    let mut results = Vec::with_capacity((operations.len() - from).min(BURST));
    let mut guard = caller.take_session()?;
    let shared = Arc::clone(guard.shared());
    let (mut at, mut bytes) = (from, 0);
    while at < operations.len() && bytes < LARGE {
        let mut waits = None;
        {
            let mut slot = shared.lock_worker();
            for operation in operations[at..].iter().take(BURST) {
                at += 1;
                match begin(&mut guard, &mut slot, operation) {
                    Started::Done(kind) => results.push(OperationResult { kind: Some(kind) }),
                    started => {
                        waits = Some((operation, started));
                        break;
                    }
                }
                bytes += slot.out.len();
                if bytes >= LARGE {
                    break;
                }
            }
        }
        if let Some((operation, started)) = waits {
            let reply = match started {
                Started::Waits(out) => guard.finish(out).await,
                Started::Aside(long, words) => guard.ask_aside(long, words).await,
                Started::Done(_) => Err(status::broken()),
            };
            let kind;
            (guard, kind) = match reply {
                Ok((guard, reply)) => {
                    bytes += reply.len();
                    let outcome = read_aside(&shared, operation, reply).await;
                    (guard, outcome.unwrap_or_else(|status| refused(&status)))
                }
                // Its session has gone with it.
                Err(status) => (caller.take_session()?, refused(&status)),
            };
            results.push(OperationResult { kind: Some(kind) });
        }
        if at < operations.len() {
            tokio::task::yield_now().await;
        }
    }
    shared.look_whether_stopping();
    Ok((results, at))
}

/// What became of an operation at once.
enum Started {
    Done(Outcome),
    /// It waits; what was written so far.
    Waits(Vec<u8>),
    /// It runs on another thread: its words.
    Aside(LongRequest, Vec<Vec<u8>>),
}

fn begin(guard: &mut SessionGuard, slot: &mut WorkerSlot, operation: &pb::Operation) -> Started {
    match &operation.kind {
        Some(Kind::Get(one)) => start(guard, slot, one, Outcome::Get),
        Some(Kind::Set(one)) => start(guard, slot, one, Outcome::Set),
        Some(Kind::Delete(one)) => start(guard, slot, one, Outcome::Delete),
        Some(Kind::Expire(one)) => start(guard, slot, one, Outcome::Expire),
        Some(Kind::Ttl(one)) => start(guard, slot, one, Outcome::Ttl),
        Some(Kind::JsonGet(one)) => start(guard, slot, one, Outcome::JsonGet),
        Some(Kind::JsonSet(one)) => start(guard, slot, one, Outcome::JsonSet),
        Some(Kind::Execute(one)) => match check(&slot.worker.engine, &one.words) {
            Ok(()) => start(guard, slot, one, Outcome::Execute),
            Err(status) => Started::Done(refused(&status)),
        },
        None => Started::Done(refused(&status::invalid("kind", "there is no operation"))),
    }
}

fn start<O: Operation>(
    guard: &mut SessionGuard,
    slot: &mut WorkerSlot,
    operation: &O,
    wrap: fn(O::Result) -> Outcome,
) -> Started {
    let begun = operation.words().and_then(|words| {
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let begun = guard.begin(slot, operation.db(), &argv)?;
        Ok(match begun {
            Begun::Answered => {
                Started::Done(operation.read(&slot.out).map_or_else(|why| refused(&why), wrap))
            }
            Begun::Waits => Started::Waits(std::mem::take(&mut slot.out)),
            Begun::Aside(long) => {
                Started::Aside(long, argv.iter().map(|word| word.to_vec()).collect())
            }
        })
    });
    begun.unwrap_or_else(|status| Started::Done(refused(&status)))
}

/// What an operation resulted in that had to wait.
async fn read_aside(
    shared: &Shared,
    operation: &pb::Operation,
    reply: Vec<u8>,
) -> Result<Outcome, Status> {
    let kind = operation.kind.clone().ok_or_else(status::broken)?;
    Ok(match kind {
        Kind::Get(one) => Outcome::Get(read_reply(shared, reply, one).await?),
        Kind::Set(one) => Outcome::Set(read_reply(shared, reply, one).await?),
        Kind::Delete(one) => Outcome::Delete(read_reply(shared, reply, one).await?),
        Kind::Expire(one) => Outcome::Expire(read_reply(shared, reply, one).await?),
        Kind::Ttl(one) => Outcome::Ttl(read_reply(shared, reply, one).await?),
        Kind::JsonGet(one) => Outcome::JsonGet(read_reply(shared, reply, one).await?),
        Kind::JsonSet(one) => Outcome::JsonSet(read_reply(shared, reply, one).await?),
        Kind::Execute(one) => Outcome::Execute(read_reply(shared, reply, one).await?),
    })
}

fn refused(status: &Status) -> Outcome {
    let message = status.message().to_owned();
    // The first word of an error is its code, where it is an error of a command's.
    let word = status::reason(&message);
    let is_code = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let reason = if is_code { word.to_owned() } else { String::new() };
    Outcome::Error(OperationError { code: i32::from(status.code()), message, reason })
}
