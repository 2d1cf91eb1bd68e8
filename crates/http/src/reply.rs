//! What is sent back: responses, refusals, and bodies that are made while they are sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc::{self, Receiver, Sender};
use wire::Value;

use crate::session::NoReply;
use crate::text;

/// The type of JSON.
pub const JSON: &str = "application/json";

/// A body: there as a whole, or made piece by piece. A maker that fails breaks the connection off,
/// so that half a list is not taken for the whole.
pub enum Content {
    /// All of it; nothing once it was taken.
    Whole(Option<Bytes>),
    /// What a maker sends. It waits while the peer does not read.
    Made(Receiver<io::Result<Bytes>>),
}

impl Content {
    /// A body that is written to the other end of a channel.
    pub fn made() -> (Sender<io::Result<Bytes>>, Self) {
        let (sender, receiver) = mpsc::channel(2);
        (sender, Content::Made(receiver))
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Content::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Made(pieces) => {
                pieces.poll_recv(cx).map(|piece| piece.map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Made(_) => SizeHint::default(),
        }
    }
}

/// A response.
pub type Answer = Response<Content>;

/// A response with a body of this type.
#[must_use]
pub fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Content::Whole(Some(body.into())));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    if !kind.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// A response of JSON.
#[must_use]
pub fn json(body: String) -> Answer {
    answer(StatusCode::OK, JSON, body)
}

/// A response without a body.
#[must_use]
pub fn nothing() -> Answer {
    let mut answer = answer(StatusCode::NO_CONTENT, "", Bytes::new());
    *answer.body_mut() = Content::Whole(None);
    answer
}

/// Why a request is not done, in the shape that all refusals have: `{"error":…,"status":…}`.
#[derive(Debug)]
pub struct Refusal {
    /// The status.
    pub status: StatusCode,
    /// What is wrong.
    pub error: String,
    /// A second sentence, which stands in place of the status.
    pub message: Option<&'static str>,
    /// Further headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The connection is of no further use.
    pub closes: bool,
}

impl Refusal {
    /// Refuses.
    #[must_use]
    pub fn new(status: u16, error: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Refusal { status, error: error.into(), message: None, headers: Vec::new(), closes: false }
    }

    /// The same, after which the connection is closed.
    #[must_use]
    pub fn and_close(mut self) -> Self {
        self.closes = true;
        self.with(hyper::header::CONNECTION, "close")
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// What an error reply of a command means here.
    #[must_use]
    pub fn of_error(error: &[u8]) -> Self {
        let text = String::from_utf8_lossy(error).into_owned();
        let code = text.split(' ').next().unwrap_or_default();
        let retry = |refusal: Refusal| refusal.with(hyper::header::RETRY_AFTER, "1");
        match code {
            "NOAUTH" | "WRONGPASS" => Refusal::new(401, text),
            "NOPERM" => Refusal::new(403, text),
            "WRONGTYPE" => Refusal::new(409, text),
            "LOADING" | "BUSY" | "MISCONF" | "OOM" | "READONLY" | "TRYAGAIN" => {
                retry(Refusal::new(503, text))
            }
            _ if base::error::is_crowd(error) || error == base::error::QUERY_STOPPED.bytes() => {
                retry(Refusal::new(503, text))
            }
            // Of what was asked for there is too much.
            _ if error == base::error::REPLY_TOO_LONG.bytes() => Refusal::new(413, text),
            _ if text.starts_with("ERR unknown command")
                || text.starts_with("ERR range queries are disabled") =>
            {
                Refusal::new(501, text)
            }
            _ => Refusal::new(400, text),
        }
    }

    /// The response.
    #[must_use]
    pub fn answer(self) -> Answer {
        let mut body = String::from("{\"error\":");
        text::string(&mut body, &self.error);
        match self.message {
            Some(message) => {
                body.push_str(",\"message\":");
                text::string(&mut body, message);
            }
            None => body.push_str(&format!(",\"status\":{}", self.status.as_u16())),
        }
        body.push('}');
        let mut answer = answer(self.status, JSON, body);
        for (name, value) in self.headers {
            answer.headers_mut().append(name, value);
        }
        answer
    }
}

impl From<NoReply> for Refusal {
    fn from(why: NoReply) -> Self {
        match why {
            NoReply::Ended => Refusal::new(503, "the session was ended").and_close(),
            // What state its session is in is unknown, too.
            NoReply::Broken => {
                Refusal::new(500, "the request could not be run: the server's log says why")
                    .and_close()
            }
            NoReply::TooManyWaiting => {
                Refusal::new(503, "too many requests that run for long are waiting")
                    .with(hyper::header::RETRY_AFTER, "1")
            }
            NoReply::TooLong => Refusal::new(413, "a value is longer than proto-max-bulk-len"),
            NoReply::NotDurable(text) => {
                Refusal::new(503, format!("it is done, but not known to be durable: {text}"))
            }
            NoReply::Disabled(name) => {
                Refusal::new(403, format!("the command {name} is disabled on this server"))
            }
        }
    }
}

/// A reply that is no error.
///
/// # Errors
/// It is one.
pub fn fine(value: Value) -> Result<Value, Refusal> {
    match value.as_error() {
        Some(error) => Err(Refusal::of_error(error)),
        None => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use engine::exchange::{DoorSession, NoAnswer};

    use super::Refusal;
    use crate::session::ClientSession;

    /// Each reason why there is no answer is told as what it is.
    #[test]
    fn a_request_without_an_answer_is_told_why() {
        let told = |why| {
            let refusal = Refusal::from(ClientSession::refusal(why));
            (refusal.status.as_u16(), refusal.closes, refusal.error)
        };
        let (status, closes, error) = told(NoAnswer::Ended);
        assert!(status == 503 && closes && error.contains("session was ended"), "{error}");
        let (status, closes, error) = told(NoAnswer::Broken);
        assert!(status == 500 && closes && !error.contains("ended"), "{error}");
        let (status, closes, error) = told(NoAnswer::Crowded);
        assert!(status == 503 && !closes && error.contains("too many"), "{error}");
        let (status, closes, error) = told(NoAnswer::NotDurable("no disk".to_owned()));
        assert!(status == 503 && !closes && error.ends_with("no disk"), "{error}");
    }

    /// What passes by itself says when to try again.
    #[test]
    fn a_crowd_is_told_when_to_come_again() {
        let refusals = [
            Refusal::of_error(base::error::CROWDED.bytes()),
            Refusal::from(ClientSession::refusal(NoAnswer::Crowded)),
        ];
        for refusal in refusals {
            assert_eq!(refusal.status.as_u16(), 503, "{}", refusal.error);
            assert_eq!(refusal.headers, [(hyper::header::RETRY_AFTER, "1".parse().unwrap())]);
        }
    }
}
