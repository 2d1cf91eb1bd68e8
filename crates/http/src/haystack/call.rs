//! An operation that is asked for, and how it runs commands on its project.

use engine::ClientMemory;
use haystack::{Dict, Grid, Value, zinc};

use std::sync::Arc;

use super::Format;
use super::fault::Fault;
use crate::aside::{self, SessionGuard};
use crate::port::Http;
use crate::reply::Refusal;
use crate::session::{NoReply, Words, bytes_of};

/// An operation that is asked for.
pub struct Call {
    /// The port.
    pub http: Arc<Http>,
    /// The client's session: none while a command runs, or after one could not.
    pub session: Option<SessionGuard>,
    /// Counts what is kept for it.
    pub memory: ClientMemory,
    /// The token of its login.
    pub token: Option<String>,
    /// The key of its project.
    pub project: Vec<u8>,
    /// What it was given.
    pub args: Grid,
    /// Bytes that this takes.
    pub bytes: usize,
    /// In which format its answer is wanted.
    pub format: Format,
}

/// What an operation answers.
pub enum Reply {
    /// A grid.
    Grid(Grid),
    /// A grid as text, in the format that is wanted.
    Text(Vec<u8>),
}

impl From<Grid> for Reply {
    fn from(grid: Grid) -> Self {
        Reply::Grid(grid)
    }
}

impl Call {
    /// The first row of what it was given.
    pub fn arg(&self) -> Dict {
        self.args.row(0).to_dict()
    }

    /// A text among the arguments.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn text(&self, name: &str) -> Result<String, Fault> {
        let value = self.args.row(0).get(name).as_str().map(str::to_owned);
        value.ok_or_else(|| Fault::argument(format!("a text '{name}' is needed")))
    }

    /// The ids in a column, row by row.
    ///
    /// # Errors
    /// A row has none.
    pub fn ids(&self) -> Result<Vec<Vec<u8>>, Fault> {
        let id = |value: &Value| value.as_id().map(|id| id.as_str().as_bytes().to_vec());
        let ids = self.args.rows().map(|row| id(row.get("id")));
        let ids: Option<Vec<_>> = ids.collect();
        ids.ok_or_else(|| Fault::argument("each row needs a Ref 'id'"))
    }

    /// The name of its user.
    pub fn user(&self) -> String {
        let user =
            self.session.as_ref().and_then(|session| session.session.client.user.lock().clone());
        user.map_or_else(
            || "default".to_owned(),
            |account| String::from_utf8_lossy(account.name()).into_owned(),
        )
    }

    /// Runs a command, of which all words are given.
    ///
    /// # Errors
    /// What it answers as an error; that it cannot be run.
    pub async fn run(&mut self, name: &'static str, words: Words) -> Result<wire::Value, Fault> {
        let session = self.session.take().ok_or(NoReply::Broken)?;
        let _words = self.memory.beside(bytes_of(std::slice::from_ref(&words)));
        let (session, said) = aside::call_with(session, name, words).await?;
        self.session = Some(session);
        match said.as_error() {
            Some(error) => Err(Fault::of_error(error)),
            None => Ok(said),
        }
    }

    /// Runs a command on the project.
    ///
    /// # Errors
    /// As [`Call::run`] says.
    pub async fn ask(&mut self, name: &'static str, words: Words) -> Result<wire::Value, Fault> {
        let words = std::iter::once(self.project.clone()).chain(words).collect();
        self.run(name, words).await
    }

    /// Runs a command on the project that answers a grid, in the format that is wanted.
    ///
    /// # Errors
    /// As [`Call::run`] says.
    pub async fn ask_text(
        &mut self,
        name: &'static str,
        words: Words,
        format: Format,
    ) -> Result<Vec<u8>, Fault> {
        let format = [b"FORMAT".to_vec(), format.of_commands().as_bytes().to_vec()];
        let said = self.ask(name, words.into_iter().chain(format).collect()).await?;
        let text = match said {
            wire::Value::Bulk(text) => text,
            other => other.as_bytes().map(<[u8]>::to_vec).ok_or(NoReply::Broken)?,
        };
        self.memory.set(text.len());
        if let Some(session) = &self.session {
            session.evict_clients();
        }
        Ok(text)
    }

    /// Runs a command on the project that answers a grid, to do something with it.
    ///
    /// # Errors
    /// As [`Call::run`] says.
    pub async fn ask_grid(&mut self, name: &'static str, words: Words) -> Result<Grid, Fault> {
        let text = self.ask_text(name, words, Format::Zinc).await?;
        // A grid takes some times as much as its text.
        let bytes = 4 * text.len();
        let _made = self.memory.beside(bytes);
        let read = move || {
            let text = String::from_utf8_lossy(&text);
            zinc::read_grid(&text)
        };
        self.work(bytes, read).await?.map_err(|error| {
            Fault::Refused(Refusal::new(500, format!("the project answered no grid: {error}")))
        })
    }

    /// Does something with so many bytes, of which it says how long it takes: beside the threads of
    /// the port, if that is long.
    ///
    /// # Errors
    /// Too much waits already; or it broke.
    pub async fn work<R: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Fault> {
        let session = self.session.as_ref().ok_or(NoReply::Broken)?;
        Ok(session.work(bytes, work).await?)
    }

    /// Counts bytes that are kept for it beside its arguments and answers; clients that have become
    /// too large are closed.
    pub fn keep(&self, kept: &mut ClientMemory, bytes: usize) {
        if kept.set(bytes)
            && let Some(session) = &self.session
        {
            session.evict_clients();
        }
    }

    /// The record of an id.
    ///
    /// # Errors
    /// There is none; and as [`Call::run`] says.
    pub async fn record(&mut self, id: &str) -> Result<Dict, Fault> {
        let words = [&b"1"[..], id.as_bytes()].map(<[u8]>::to_vec).to_vec();
        let found = self.ask_grid("folio.readbyids", words).await?;
        Ok(found.row(0).to_dict())
    }
}
