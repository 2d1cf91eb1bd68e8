//! How rows are answered: a list in RESP2, a map in RESP3.

use ::search::number;
use base::{Protocol, Reply};
use wire::RespWriter;

use super::content::Fields;

/// A document that was found, as it is answered.
pub(super) struct Row {
    pub key: Box<[u8]>,
    pub score: f64,
    /// `EXPLAINSCORE`.
    pub explanation: Option<Explanation>,
    /// `WITHPAYLOADS`: `Some(None)` if the document has none.
    pub payload: Option<Option<Vec<u8>>>,
    /// `WITHSORTKEYS`: `Some(None)` if the document has none.
    pub sort_key: Option<Option<SortKey>>,
    /// `None` without content.
    pub fields: Option<Fields>,
}

/// What a row was sorted by.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SortKey {
    Number(f64),
    Text(Vec<u8>),
}

/// How a score came to be.
pub(super) struct Explanation {
    pub text: String,
    pub parts: Vec<Explanation>,
}

/// Which parts rows have.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub with_scores: bool,
    pub total: usize,
}

/// Answers rows.
pub(super) fn put(out: &mut RespWriter<'_>, shape: Shape, rows: &[Row]) {
    match out.protocol() {
        Protocol::Resp2 => put_list(out, shape, rows),
        Protocol::Resp3 => put_map(out, shape, rows),
    }
}

fn put_list(out: &mut RespWriter<'_>, shape: Shape, rows: &[Row]) {
    let parts = |row: &Row| {
        1 + usize::from(shape.with_scores)
            + usize::from(row.payload.is_some())
            + usize::from(row.sort_key.is_some())
            + usize::from(row.fields.is_some())
    };
    out.array(1 + rows.iter().map(parts).sum::<usize>());
    out.count(shape.total);
    for row in rows {
        out.bulk(&row.key);
        if shape.with_scores {
            put_score(out, row);
        }
        if let Some(payload) = &row.payload {
            out.bulk_or_null(payload.as_deref());
        }
        if let Some(key) = &row.sort_key {
            put_sort_key(out, key.as_ref());
        }
        if let Some(fields) = &row.fields {
            out.array(2 * fields.len());
            for (name, text) in fields {
                out.bulk(name);
                out.bulk(text);
            }
        }
    }
}

fn put_map(out: &mut RespWriter<'_>, shape: Shape, rows: &[Row]) {
    begin_map(out, shape.total, rows.len());
    for row in rows {
        let parts = 2
            + usize::from(shape.with_scores)
            + usize::from(row.payload.is_some())
            + usize::from(row.sort_key.is_some())
            + usize::from(row.fields.is_some());
        out.map(parts);
        out.bulk(b"id");
        out.bulk(&row.key);
        if shape.with_scores {
            out.bulk(b"score");
            put_score(out, row);
        }
        if let Some(payload) = &row.payload {
            out.bulk(b"payload");
            out.bulk_or_null(payload.as_deref());
        }
        if let Some(key) = &row.sort_key {
            out.bulk(b"sortkey");
            put_sort_key(out, key.as_ref());
        }
        if let Some(fields) = &row.fields {
            out.bulk(b"extra_attributes");
            out.map(fields.len());
            for (name, text) in fields {
                out.bulk(name);
                out.bulk(text);
            }
        }
        out.bulk(b"values");
        out.array(0);
    }
}

/// The map around rows, up to the rows.
pub(super) fn begin_map(out: &mut RespWriter<'_>, total: usize, rows: usize) {
    out.map(5);
    out.bulk(b"attributes");
    out.array(0);
    out.bulk(b"warning");
    out.array(0);
    out.bulk(b"total_results");
    out.count(total);
    out.bulk(b"format");
    out.bulk(b"STRING");
    out.bulk(b"results");
    out.array(rows);
}

/// A score: 17 digits in RESP2, as Redis prints it.
fn put_score(out: &mut RespWriter<'_>, row: &Row) {
    let score = |out: &mut RespWriter<'_>| match out.protocol() {
        Protocol::Resp2 => out.bulk(number::print_digits(row.score, 17).as_bytes()),
        Protocol::Resp3 => out.double(row.score),
    };
    match &row.explanation {
        None => score(out),
        Some(explanation) => {
            out.array(2);
            score(out);
            put_explanation(out, explanation);
        }
    }
}

fn put_explanation(out: &mut RespWriter<'_>, explanation: &Explanation) {
    if explanation.parts.is_empty() {
        return out.bulk(explanation.text.as_bytes());
    }
    out.array(2);
    out.bulk(explanation.text.as_bytes());
    out.array(explanation.parts.len());
    explanation.parts.iter().for_each(|part| put_explanation(out, part));
}

fn put_sort_key(out: &mut RespWriter<'_>, key: Option<&SortKey>) {
    match key {
        None => out.null(),
        Some(SortKey::Number(number)) => {
            out.bulk(format!("#{}", number::print_digits(*number, 17)).as_bytes());
        }
        Some(SortKey::Text(text)) => out.bulk(&[b"$", &text[..]].concat()),
    }
}
