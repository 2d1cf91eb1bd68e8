//! Whether all servers answer alike: what does not is not timed.

use std::io;

use super::sides::Side;
use crate::client::{Client, Reply};

/// How far apart floats may be: sums of the same numbers in another order are.
const CLOSE: f64 = 1e-9;

/// Asks all servers a statement; they must give the same rows, in whatever order.
pub(super) fn compare(sides: &[Side], graph: &str, statement: &str) -> io::Result<()> {
    let mut first: Option<Vec<Vec<String>>> = None;
    for side in sides {
        let rows =
            rows(&mut Client::connect(&side.peer.addr)?, graph, statement).map_err(|error| {
                io::Error::other(format!("{}: {statement}: {error}", side.peer.name))
            })?;
        match &first {
            None => first = Some(rows),
            Some(first) if alike(first, &rows) => {}
            Some(first) => {
                let text = format!("{} answers {statement} differently", side.peer.name);
                return Err(io::Error::other(format!("{text}: {first:?} and {rows:?}")));
            }
        }
    }
    Ok(())
}

/// The rows of a statement as texts, sorted.
fn rows(client: &mut Client, graph: &str, statement: &str) -> io::Result<Vec<Vec<String>>> {
    let words: [&[u8]; 3] = [b"GRAPH.QUERY", graph.as_bytes(), statement.as_bytes()];
    let parts = match client.call(&words)? {
        Reply::List(parts) => parts,
        other => return Err(io::Error::other(format!("{other:?}"))),
    };
    let rows = match parts.into_iter().nth(1) {
        Some(Reply::List(rows)) => rows,
        other => return Err(io::Error::other(format!("no rows, but {other:?}"))),
    };
    let row = |row: Reply| match row {
        Reply::List(cells) => cells.iter().map(text).collect(),
        other => vec![text(&other)],
    };
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(row).collect();
    rows.sort();
    Ok(rows)
}

fn text(reply: &Reply) -> String {
    match reply {
        Reply::Int(number) => number.to_string(),
        Reply::Bytes(Some(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        other => format!("{other:?}"),
    }
}

/// Whether rows are the same, but for the last digits of floats.
pub(super) fn alike(one: &[Vec<String>], other: &[Vec<String>]) -> bool {
    let same = |a: &String, b: &String| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= CLOSE * a.abs().max(b.abs()),
        _ => a == b,
    };
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)))
}
