//! What comes of a call: counted as it comes, handed on in whole messages, and given up when it
//! does not come.
//!
//! ```text
//!   DATA frames ─► partial: the message that is coming ─► whole messages ─► tonic's decoder
//!                  charged by what is there
//! ```
//!
//! The decoder makes room for a message as soon as it has read how long it will be. So it is not
//! shown that before the message is there: what is announced costs nothing, what has come is
//! counted, and a message longer than it may be is refused by its first five bytes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use engine::ClientMemory;
use engine::unauthenticated::{Charge, time_for};
use hyper::body::{Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::Status;

use crate::budget::{Budget, Share};
use crate::call_memory::CallMemory;
use crate::peer::UnknownCall;
use crate::status;

/// A flag and a length stand before each message.
const HEADER: usize = 5;

/// How much of a call has come and not been taken; shared with the reader.
#[derive(Clone)]
pub struct Meter(Arc<Mutex<(Share, ClientMemory)>>);

impl Meter {
    /// Nothing yet, of the connection that `of` counts for.
    pub fn new(budget: &Arc<Budget>, of: &ClientMemory) -> Self {
        Meter(Arc::new(Mutex::new((Share::of(budget), of.beside(0)))))
    }

    /// All that has come was taken.
    pub fn clear(&self) {
        let (share, memory) = &mut *self.0.lock();
        share.clear();
        memory.set(0);
    }

    /// Some more has come; whether there is room for it.
    fn take(&self, bytes: usize) -> bool {
        let (share, memory) = &mut *self.0.lock();
        memory.add(bytes);
        share.take(bytes)
    }
}

/// What holds for the messages of a call.
#[derive(Clone, Copy)]
pub struct Rules {
    /// The longest.
    pub most: usize,
    /// There may be many, with silence between them.
    pub many: bool,
    /// How long one may take to come.
    pub time: Option<Duration>,
}

/// What comes of a call.
pub struct Inbound {
    body: Incoming,
    rules: Rules,
    /// Counts it among what all calls leave half said.
    pub meter: Meter,
    /// Counts it among the bytes of unauthenticated callers.
    charge: Option<Charge>,
    /// The message that is coming.
    partial: BytesMut,
    /// One message is there, as a whole.
    begun: bool,
    /// Since when the present message is waited for, and how much of it has come.
    since: Instant,
    came: usize,
    clock: Option<Pin<Box<Sleep>>>,
}

impl Inbound {
    /// Of a call; with a charge if its caller is not known.
    pub fn new(body: Incoming, rules: Rules, meter: Meter, charge: Option<Charge>) -> Self {
        Inbound {
            body,
            rules,
            meter,
            charge,
            partial: BytesMut::new(),
            begun: false,
            since: Instant::now(),
            came: 0,
            clock: None,
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Status> {
        self.came += bytes;
        let room = self.charge.as_mut().is_none_or(|charge| charge.add(bytes));
        if room && self.meter.take(bytes) {
            Ok(())
        } else {
            Err(status::exhausted("too much is on its way to the server: try again"))
        }
    }

    /// Takes in some bytes; what can be handed on now.
    fn take(&mut self, mut data: Bytes) -> Option<Bytes> {
        if self.partial.is_empty() {
            // Nearly always: a message in one piece, which is never copied.
            let whole = whole(&data, self.rules.most);
            let ready = data.split_to(whole);
            self.partial.extend_from_slice(&data);
            return self.handed(ready);
        }
        self.partial.extend_from_slice(&data);
        let whole = whole(&self.partial, self.rules.most);
        let ready = self.partial.split_to(whole).freeze();
        if self.partial.is_empty() {
            // Its memory goes with what is handed on.
            self.partial = BytesMut::new();
        }
        self.handed(ready)
    }

    fn handed(&mut self, ready: Bytes) -> Option<Bytes> {
        if ready.is_empty() {
            return None;
        }
        self.begun = true;
        self.since = Instant::now();
        self.came = self.partial.len();
        self.clock = None;
        Some(ready)
    }

    /// Whether what is waited for must come in time: part of a message, the first one, or the end
    /// of a call that has no more than one.
    fn is_due(&self) -> bool {
        !(self.rules.many && self.begun && self.partial.is_empty())
    }

    /// Ready when it takes too long.
    fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(first) = self.rules.time.filter(|_| self.is_due()) else { return Poll::Pending };
        loop {
            let due = self.since + time_for(self.came, first);
            let clock = self.clock.get_or_insert_with(|| Box::pin(sleep_until(due)));
            ready!(clock.as_mut().poll(context));
            // More may have come since it was set.
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            clock.as_mut().reset(due);
        }
    }
}

/// Bytes of the whole messages at the beginning. One that is too long counts as whole once its
/// length is known: the decoder refuses it by that.
fn whole(bytes: &[u8], most: usize) -> usize {
    let mut at = 0;
    while let Some(mut header) = bytes.get(at + 1..at + HEADER) {
        let length = usize::try_from(header.get_u32()).unwrap_or(usize::MAX);
        if length > most {
            return bytes.len();
        }
        if bytes.len() - at - HEADER < length {
            break;
        }
        at += HEADER + length;
    }
    at
}

impl hyper::body::Body for Inbound {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        loop {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(frame) => frame,
                Poll::Pending => {
                    ready!(self.poll_late(context));
                    return Poll::Ready(Some(Err(status::did_not_come())));
                }
            };
            let frame = match frame {
                Some(Ok(frame)) => frame,
                Some(Err(error)) => {
                    return Poll::Ready(Some(Err(Status::from_error(error.into()))));
                }
                None if self.partial.is_empty() => return Poll::Ready(None),
                None => {
                    self.partial.clear();
                    return Poll::Ready(Some(Err(status::cut_off())));
                }
            };
            let data = match frame.into_data() {
                Ok(data) => data,
                Err(_) if !self.partial.is_empty() => {
                    self.partial.clear();
                    return Poll::Ready(Some(Err(status::cut_off())));
                }
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            };
            if let Err(status) = self.count(data.len()) {
                return Poll::Ready(Some(Err(status)));
            }
            if let Some(ready) = self.take(data) {
                return Poll::Ready(Some(Ok(Frame::data(ready))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.partial.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// The answer to a call. What it says is counted until the client has taken it, which the layers
/// below tell by dropping it; the call itself, until all that it says was taken.
pub struct Answered {
    body: tonic::body::Body,
    call: CallMemory,
    /// It came without credentials, and is open for as long as this is there.
    unknown: Option<UnknownCall>,
}

impl Answered {
    /// The call ends when the body does.
    pub fn new(body: tonic::body::Body, call: CallMemory, unknown: Option<UnknownCall>) -> Self {
        Answered { body, call, unknown }
    }
}

impl hyper::body::Body for Answered {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|data| {
                    self.unknown.iter().for_each(|call| call.queue(data.len()));
                    self.call.frame(data)
                })
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn messages_are_whole_or_wait() {
        let message = |length: u32, there: usize| {
            [&[0][..], &length.to_be_bytes(), &vec![b'x'; there]].concat()
        };
        assert_eq!(whole(&message(3, 3), 10), 8);
        assert_eq!(whole(&message(3, 2), 10), 0);
        assert_eq!(whole(&[0, 0, 0], 10), 0);
        assert_eq!(whole(&message(0, 0), 10), 5);
        let two = [message(1, 1), message(2, 1)].concat();
        assert_eq!(whole(&two, 10), 6);
        // What is too long is shown at once.
        assert_eq!(whole(&message(11, 0), 10), 5);
        assert_eq!(whole(&message(u32::MAX, 3), 10), 8);
    }
}
