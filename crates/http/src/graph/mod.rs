//! Statements on graphs: `POST /api/v1/graph/{key}/query`.
//!
//! ```text
//!   {"query", "parameters", …} ─► CYPHER a=… query ─► GRAPH.QUERY key … --json
//!   {"columns": […], "rows": [ … , … ], "statistics": {…}} ◄─ row by row, while it is sent
//! ```
//!
//! The command runs as it does at Redis's port, with its bounds: what it answers is no longer than
//! `max-reply-size`. Rows come from it as JSON, so that here nothing is made of them: they are
//! written piece by piece from where they lie, as the peer takes them. The reply counts for the
//! connection for as long as it is there, as the statement does before: once a body has been read
//! nothing but the statement is kept of it.

mod literal;
mod parameters;
mod statement_reply;

use std::io;

use bytes::Bytes;
use engine::{ClientMemory, CountedBytes};
use hyper::StatusCode;
use tokio::sync::mpsc::Sender;

use self::statement_reply::StatementReply;
use crate::aside::{self, SessionGuard};
use crate::records::{absent, fields};
use crate::reply::{self, Answer, Content, Refusal};
use crate::request::ApiRequest;
use crate::session::{NoReply, Words, bytes_of, read};
use crate::text;

/// Bytes of a piece that is sent.
const PIECE: usize = 64 << 10;
/// Bytes that parameters take beside those that they have in JSON, if they are few.
const AROUND: usize = 64;

const NO_GRAPH: &[u8] = b"ERR Invalid graph operation on empty key";

/// What a body asks for: the command, and its words behind the key.
struct StatementRequest {
    command: &'static str,
    words: Words,
}

fn statement_request(body: &[u8]) -> Result<StatementRequest, Refusal> {
    let fields = fields(body, &["query", "parameters", "timeout", "read_only"])?;
    let wrong = |what: &str| Refusal::new(422, what);
    let query = fields.get("query").ok_or_else(|| wrong("query is required"))?;
    let query = literal::text_of(query.get()).map_err(|_| wrong("query must be a string"))?;
    let given = fields.get("parameters");
    // As long as they are in JSON, as a rule.
    let about = given.map_or(0, |given| given.get().len() + AROUND) + query.len();
    let mut statement = String::with_capacity(about);
    if let Some(given) = given {
        parameters::header(given, &mut statement)?;
    }
    statement.push_str(&query);
    let read_only = match fields.get("read_only").map(|raw| raw.get()) {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(wrong("read_only must be true or false")),
    };
    let mut words = vec![statement.into_bytes(), b"--json".to_vec()];
    if let Some(timeout) = fields.get("timeout") {
        let millis: Option<i64> = serde_json::from_str(timeout.get()).ok();
        let millis = millis.filter(|millis| *millis >= 0).ok_or_else(|| {
            wrong("timeout must be a whole number of milliseconds that is not negative")
        })?;
        words.extend([b"TIMEOUT".to_vec(), millis.to_string().into_bytes()]);
    }
    Ok(StatementRequest {
        command: if read_only { "graph.ro_query" } else { "graph.query" },
        words,
    })
}

/// `POST /api/v1/graph/{key}/query`
pub async fn query(mut request: ApiRequest) -> Result<Answer, Refusal> {
    let StatementRequest { command, words } = request.take_body(statement_request).await?;
    let key = request.key().to_vec();
    // The statement is there until it is answered.
    let mut memory = request.memory.beside(bytes_of(std::slice::from_ref(&words)));
    let words = std::iter::once(key.clone()).chain(words).collect();
    let (client, said) = aside::call_raw(request.session().await, command, words).await?;
    if said.starts_with(b"-") || said.starts_with(b"!") {
        return Err(refused(&said)?);
    }
    memory.set(0);
    let reply = StatementReply::new(said, &memory);
    let reply = reply.ok_or_else(|| Refusal::new(500, "the graph answered in another shape"))?;
    client.evict_clients();
    let (sender, content) = Content::made();
    tokio::spawn(async move {
        let text = Vec::new();
        let writer = Writer { client, asked: (command, key), reply, memory, sender: &sender, text };
        if let Err(error) = writer.all().await {
            // If the peer is gone, the error need not be sent.
            let _ = sender.send(Err(error)).await;
        }
    });
    let mut answer = reply::answer(StatusCode::OK, reply::JSON, "");
    *answer.body_mut() = content;
    Ok(answer)
}

/// What an error says.
fn refused(said: &[u8]) -> Result<Refusal, NoReply> {
    let said = read(said, 1)?.pop().ok_or(NoReply::Broken)?;
    let error = said.as_error().ok_or(NoReply::Broken)?;
    if error == NO_GRAPH {
        return Ok(Refusal { error: "Graph not found".to_owned(), ..absent() });
    }
    Ok(Refusal::of_error(error))
}

/// Writes an answer while it is sent.
struct Writer<'s> {
    /// No other request of the connection begins before.
    client: SessionGuard,
    /// The command, and the key it is about.
    asked: (&'static str, Vec<u8>),
    reply: StatementReply,
    /// Counts for the connection.
    memory: ClientMemory,
    sender: &'s Sender<io::Result<Bytes>>,
    /// What is not sent yet.
    text: Vec<u8>,
}

impl Writer<'_> {
    async fn all(mut self) -> io::Result<()> {
        self.text.extend_from_slice(b"{\"columns\":[");
        if self.reply.has_rows() {
            self.names()?;
        }
        self.text.extend_from_slice(b"],\"rows\":[");
        if self.reply.has_rows() {
            self.rows().await?;
        }
        self.text.extend_from_slice(b"],\"statistics\":");
        self.statistics()?;
        self.text.push(b'}');
        self.send().await
    }

    fn names(&mut self) -> io::Result<()> {
        for at in 0..self.reply.part().ok_or_else(broken)? {
            let name = self.reply.text().ok_or_else(broken)?;
            let mut text = String::from(if at == 0 { "" } else { "," });
            text::string(&mut text, &String::from_utf8_lossy(self.reply.bytes(name)));
            self.text.extend_from_slice(text.as_bytes());
        }
        Ok(())
    }

    /// Rows are JSON already. One of them may be longer than a piece.
    async fn rows(&mut self) -> io::Result<()> {
        for at in 0..self.reply.part().ok_or_else(broken)? {
            let mut row = self.reply.text().ok_or_else(broken)?;
            self.text.extend_from_slice(if at == 0 { b"" } else { b"," });
            while !row.is_empty() {
                let end = row.end.min(row.start + PIECE);
                self.text.extend_from_slice(self.reply.bytes(row.start..end));
                row.start = end;
                if self.text.len() >= PIECE {
                    self.send().await?;
                }
            }
        }
        Ok(())
    }

    fn statistics(&mut self) -> io::Result<()> {
        let mut lines = Vec::new();
        for _ in 0..self.reply.part().ok_or_else(broken)? {
            let line = self.reply.text().ok_or_else(broken)?;
            lines.push(String::from_utf8_lossy(self.reply.bytes(line)).into_owned());
        }
        let mut text = String::new();
        statistics(&mut text, &lines);
        self.text.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// Waits until the peer has taken enough of what was sent before. Breaks off if the user who
    /// has asked may not any more.
    async fn send(&mut self) -> io::Result<()> {
        let (command, key) = &self.asked;
        let may = self.client.may_go_on(command, key);
        may.map_err(|why| io::Error::other(Refusal::from(why).error))?;
        // It is there until the peer has taken it.
        let piece = CountedBytes::new(std::mem::take(&mut self.text), &self.memory);
        let piece = Bytes::from_owner(piece);
        self.sender.send(Ok(piece)).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

fn broken() -> io::Error {
    io::Error::other("the graph answered in another shape")
}

/// Appends the lines about a statement as fields: `Nodes created: 1` as `"nodes_created":1`.
fn statistics(out: &mut String, lines: &[impl AsRef<str>]) {
    out.push('{');
    let mut first = true;
    for line in lines {
        let Some((name, value)) = line.as_ref().split_once(": ") else { continue };
        let (name, value) = match name {
            "Cached execution" => ("cached_execution", if value == "1" { "true" } else { "false" }),
            "Query internal execution time" => {
                ("execution_time_ms", value.split(' ').next().unwrap_or_default())
            }
            _ => (name, value),
        };
        // What is no number here is none of JSON either.
        let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
        if !is_number && !matches!(value, "true" | "false") {
            continue;
        }
        out.push_str(if first { "" } else { "," });
        first = false;
        text::string(out, &name.to_ascii_lowercase().replace(' ', "_"));
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
