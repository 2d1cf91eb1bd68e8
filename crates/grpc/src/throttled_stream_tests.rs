//! What unauthenticated clients send and are charged where the layer below takes more than the
//! client.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::task::Waker;

use config::Settings;
use engine::unauthenticated::Connection;
use engine::{CloseSignal, Engine, Origin, Start};

use super::*;
use crate::shared::{Hooks, Shared};

/// As TLS does, it takes whatever is written; the other end takes it when it is told to.
struct Below {
    incoming: Vec<u8>,
    taken: bool,
}

impl AsyncRead for Below {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.incoming.is_empty() {
            return Poll::Pending;
        }
        let some = buf.remaining().min(self.incoming.len());
        buf.put_slice(&self.incoming[..some]);
        self.incoming.drain(..some);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Below {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.taken { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// An engine that asks for a password.
fn engine() -> Arc<Engine> {
    let mut settings = Settings::new(1);
    settings.apply_text(b"appendonly no\nrequirepass secret\n", "a test").unwrap();
    Engine::new(Start::new(settings, [1, 2, 3, 4], 1)).unwrap()
}

fn unauthenticated(
    engine: &Arc<Engine>,
    incoming: Vec<u8>,
    below: usize,
) -> ThrottledStream<Below> {
    let hooks =
        Hooks { stopping: Box::new(|| ()), enter: Box::new(|| true), leave: Box::new(|| ()) };
    let signal = Arc::new(CloseSignal::default());
    let connection = Connection::new(engine, Arc::clone(&signal) as _, 0);
    let handles = (signal, Arc::clone(&connection));
    let peer = Peer::new(&Shared::new(engine, 1, None, hooks), Origin::default(), false, handles);
    let below_it = Below { incoming, taken: false };
    ThrottledStream::new(below_it, &peer, connection.charge(), below)
}

fn frame(kind: u8, flags: u8, stream: u8) -> [u8; 10] {
    [0, 0, 1, kind, flags, 0, 0, 0, stream, b'x']
}

/// Bytes that are read at once, if any are.
fn read(stream: &mut ThrottledStream<Below>) -> Option<usize> {
    let mut bytes = [0; 1000];
    let mut buf = ReadBuf::new(&mut bytes);
    let mut context = Context::from_waker(Waker::noop());
    match Pin::new(stream).poll_read(&mut context, &mut buf) {
        Poll::Ready(Ok(())) => Some(buf.filled().len()),
        Poll::Ready(Err(error)) => panic!("{error}"),
        Poll::Pending => None,
    }
}

#[tokio::test]
async fn what_tls_has_taken_is_not_with_the_other_end() {
    let engine = engine();
    let heads = |from: u8| (0..8).flat_map(move |n| frame(1, 4, from + 2 * n));
    let incoming = [b'P'; 24].into_iter().chain(heads(1)).collect();
    let mut stream = unauthenticated(&engine, incoming, 1000);
    assert_eq!(read(&mut stream), Some(104));
    assert_eq!(engine.unauthenticated_bytes(), CONNECTION + 1000 + 8 * STREAM);
    // Every call is answered, in headers that end the stream.
    let answers: Vec<u8> = (0..8).flat_map(|n| frame(1, 5, 1 + 2 * n)).collect();
    let mut context = Context::from_waker(Waker::noop());
    let wrote = Pin::new(&mut stream).poll_write(&mut context, &answers);
    assert!(matches!(wrote, Poll::Ready(Ok(80))));
    stream.inner.incoming.extend(heads(17));
    // The other end has taken nothing, so nothing more is read of it, and nothing is forgotten.
    assert_eq!(read(&mut stream), None);
    assert_eq!(engine.unauthenticated_bytes(), CONNECTION + 1000 + 8 * STREAM + 80);
    assert!(Pin::new(&mut stream).poll_write(&mut context, &answers).is_pending());
    stream.inner.taken = true;
    assert_eq!(read(&mut stream), Some(80));
    assert_eq!(engine.unauthenticated_bytes(), CONNECTION + 1000 + 8 * STREAM);
    drop(stream);
    assert_eq!(engine.unauthenticated_bytes(), 0);
}
