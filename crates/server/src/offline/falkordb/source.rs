//! A running FalkorDB: its commands, and its replies in their compact form.

use std::time::Duration;

use client::{Connection, Options, Value};

use crate::offline::fetch::address;

/// One page may take so long.
const PATIENCE: Duration = Duration::from_secs(600);

/// A connection to it.
pub(super) struct Source {
    connection: Connection,
    name: String,
    /// So many rows it answers at most, if it leaves out the others.
    pub most_rows: Option<usize>,
}

impl Source {
    /// Connects.
    ///
    /// # Errors
    /// It cannot be reached, or is none.
    pub fn connect(
        at: &str,
        username: Option<String>,
        password: Option<String>,
    ) -> Result<Self, String> {
        let (host, port) = address(at)?;
        let options =
            Options { username, password, timeout: Some(PATIENCE), ..Options::tcp(host, port) };
        let connection = Connection::open(&options).map_err(|error| format!("{at}: {error}"))?;
        let mut source = Source { connection, name: at.to_owned(), most_rows: None };
        let answer = source.ask(&["GRAPH.CONFIG", "GET", "RESULTSET_SIZE"])?;
        let most = match &answer {
            Value::Array(parts) => parts.get(1).and_then(Value::as_i64),
            _ => None,
        };
        source.most_rows = most.and_then(|most| usize::try_from(most).ok());
        if source.most_rows == Some(0) {
            return Err(source.says("its RESULTSET_SIZE is 0: it answers no rows"));
        }
        Ok(source)
    }

    /// An error of it.
    pub fn says(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.name)
    }

    fn ask(&mut self, words: &[&str]) -> Result<Value, String> {
        let answer = self.connection.call(words.iter().copied());
        answer.map_err(|error| self.says(error))
    }

    /// The names of its graphs.
    ///
    /// # Errors
    /// It says so.
    pub fn graphs(&mut self) -> Result<Vec<String>, String> {
        let answer = self.ask(&["GRAPH.LIST"])?;
        let names = array(answer).ok_or_else(|| self.says("GRAPH.LIST has no list"))?;
        let names: Option<Vec<String>> = names.into_iter().map(text).collect();
        names.ok_or_else(|| self.says("a graph's name is not UTF-8"))
    }

    /// The rows of a query that only reads: each value with its type.
    ///
    /// # Errors
    /// It says so.
    pub fn rows(&mut self, graph: &str, query: &str) -> Result<Vec<Vec<Value>>, String> {
        let answer = self.ask(&["GRAPH.RO_QUERY", graph, query, "--compact"])?;
        let parts = array(answer).filter(|parts| parts.len() == 3);
        let rows = parts.and_then(|mut parts| array(parts.swap_remove(1)));
        let rows: Option<Vec<_>> =
            rows.and_then(|rows| rows.into_iter().map(array).collect::<Option<Vec<_>>>());
        rows.ok_or_else(|| self.says(format!("no rows are answered to {query}")))
    }

    /// All rows of a query that may have more than it answers at a time; `ordered` says by what
    /// they are put in order then.
    ///
    /// # Errors
    /// It says so.
    pub fn all_rows(
        &mut self,
        graph: &str,
        query: &str,
        ordered: &str,
    ) -> Result<Vec<Vec<Value>>, String> {
        let Some(most) = self.most_rows else { return self.rows(graph, query) };
        let mut all = Vec::new();
        loop {
            let page = format!("{query} ORDER BY {ordered} SKIP {} LIMIT {most}", all.len());
            let rows = self.rows(graph, &page)?;
            let is_last = rows.len() < most;
            all.extend(rows);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// The one number that a query answers.
    ///
    /// # Errors
    /// It says so.
    pub fn number(&mut self, graph: &str, query: &str) -> Result<Option<i64>, String> {
        let rows = self.rows(graph, query)?;
        let cell = rows.into_iter().next().and_then(|row| row.into_iter().next());
        let parts = cell.and_then(array).ok_or_else(|| self.says("a row has no cell"))?;
        Ok(parts.get(1).and_then(Value::as_i64))
    }
}

/// The elements of an array.
pub(super) fn array(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(elements) => Some(elements),
        // RESP3 has maps of their own.
        Value::Map(pairs) => {
            Some(pairs.into_iter().flat_map(|(key, value)| [key, value]).collect())
        }
        _ => None,
    }
}

/// A text.
pub(super) fn text(value: Value) -> Option<String> {
    match value {
        Value::Bulk(bytes) | Value::Simple(bytes) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}
