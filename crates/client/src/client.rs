//! A connection that comes back: reconnects after failures, and tries again.

use crate::connection::Connection;
use crate::error::{Error, ServerError};
use crate::options::Options;
use crate::pipeline::Pipeline;
use crate::retry::Retry;
use wire::Value;

/// A client with one connection, which it makes when it first needs it and whenever it is lost.
///
/// After a failure the same request is sent again, so one that is not idempotent may run twice: the
/// server may have served it before the connection broke. [`Retry::never`] is for programs that
/// must know.
///
/// ```no_run
/// use kvist_client::{Client, Options};
///
/// let mut client = Client::new(Options::from_url("redis://localhost/1")?);
/// let visits = client.call(["INCR", "visits"])?.as_i64();
/// # Ok::<(), kvist_client::Error>(())
/// ```
#[derive(Debug)]
pub struct Client {
    options: Options,
    retry: Retry,
    connection: Option<Connection>,
}

impl Client {
    /// A client that has not connected yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Client { options, retry: Retry::default(), connection: None }
    }

    /// The same client with other ideas of when to try again.
    #[must_use]
    pub fn with_retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Sends a request and waits for its reply.
    ///
    /// # Errors
    /// Those of [`Connection::call`], once retrying did not help.
    pub fn call<I>(&mut self, words: I) -> Result<Value, Error>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator + Clone, Item: AsRef<[u8]>>,
    {
        let words = words.into_iter();
        self.persist(|connection| connection.call(words.clone()))
    }

    /// Sends many requests in one write and collects their replies.
    ///
    /// # Errors
    /// Those of [`Connection::pipeline`], once retrying did not help.
    pub fn pipeline(
        &mut self,
        pipeline: &Pipeline,
    ) -> Result<Vec<Result<Value, ServerError>>, Error> {
        self.persist(|connection| connection.pipeline(pipeline))
    }

    /// The connection, made if there is none.
    ///
    /// # Errors
    /// Those of [`Connection::open`].
    pub fn connection(&mut self) -> Result<&mut Connection, Error> {
        if !self.connection.as_ref().is_some_and(Connection::is_usable) {
            self.connection = None;
        }
        match &mut self.connection {
            Some(connection) => Ok(connection),
            none => Ok(none.insert(Connection::open(&self.options)?)),
        }
    }

    fn persist<T>(
        &mut self,
        mut act: impl FnMut(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut failures = 0;
        loop {
            match self.connection().and_then(&mut act) {
                Err(error) if error.class().is_worth_retrying() => {
                    self.connection = None;
                    failures += 1;
                    if failures > self.retry.retries {
                        return Err(error);
                    }
                    std::thread::sleep(self.retry.wait(failures));
                }
                other => return other,
            }
        }
    }
}
