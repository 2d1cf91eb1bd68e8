//! What paths found, as JSON text.

use ::json::path::{Budget, Computed, Literal, Path};
use ::json::{Kind, Node, Style, Tree, write_num, write_string};
use base::CmdError;

use super::document;

/// What a path gives for a document: its first result if it is legacy, else an array of all.
/// Whether there is something to show.
pub(super) fn write_found(
    path: &Path,
    root: Node<'_>,
    style: &Style<'_>,
    (out, budget): (&mut Vec<u8>, &mut Budget),
) -> Result<bool, CmdError> {
    if !path.is_legacy() {
        return write_all(path, root, style, 0, (out, budget)).map(|()| true);
    }
    write_first(path, root, style, 0, (out, budget))
}

/// The first result of a path; whether there is one.
pub(super) fn write_first(
    path: &Path,
    root: Node<'_>,
    style: &Style<'_>,
    level: usize,
    (out, budget): (&mut Vec<u8>, &mut Budget),
) -> Result<bool, CmdError> {
    if path.is_projection() {
        let results = path.results(root, budget).map_err(document::of_path)?;
        if let Some(result) = results.first() {
            write_result(result, style, level, out);
        }
        return Ok(!results.is_empty());
    }
    let found = path.first(root, budget).map_err(document::of_path)?;
    if let Some(node) = found {
        node.write_styled(style, level, out);
    }
    Ok(found.is_some())
}

/// All results of a path, as an array that begins `level` levels deep in a larger text.
pub(super) fn write_all(
    path: &Path,
    root: Node<'_>,
    style: &Style<'_>,
    level: usize,
    (out, budget): (&mut Vec<u8>, &mut Budget),
) -> Result<(), CmdError> {
    if path.is_static() {
        let one = path.one(root);
        write_items(one.iter().copied(), style, level, out, |node, level, out| {
            node.write_styled(style, level, out);
        });
        return Ok(());
    }
    let results = path.results(root, budget).map_err(document::of_path)?;
    write_items(results.iter(), style, level, out, |result, level, out| {
        write_result(result, style, level, out);
    });
    Ok(())
}

/// A result of a path.
pub(super) fn write_result(
    result: &Computed<'_, Node<'_>>,
    style: &Style<'_>,
    level: usize,
    out: &mut Vec<u8>,
) {
    match result {
        Computed::Node(node) => node.write_styled(style, level, out),
        Computed::Literal(literal) => write_literal(literal, style, level, out),
        Computed::Num(num) => write_num(*num, out),
        Computed::Str(text) => {
            write_string(text.as_bytes(), out);
        }
        Computed::Bool(value) => write_bool(*value, out),
        Computed::List(items) => {
            write_items(items.iter(), style, level, out, |item, level, out| {
                write_result(item, style, level, out);
            })
        }
    }
}

/// Begins a line.
pub(super) fn line(style: &Style<'_>, level: usize, out: &mut Vec<u8>) {
    if out.len() > style.room {
        return;
    }
    out.extend_from_slice(style.newline);
    for _ in 0..level {
        out.extend_from_slice(style.indent);
    }
}

/// An array.
fn write_items<T>(
    items: impl ExactSizeIterator<Item = T>,
    style: &Style<'_>,
    level: usize,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, usize, &mut Vec<u8>),
) {
    let is_empty = items.len() == 0;
    out.push(b'[');
    for (index, item) in items.enumerate() {
        // It is longer than a reply may be, and refused when it is written.
        if out.len() > style.room {
            return;
        }
        if index > 0 {
            out.push(b',');
        }
        line(style, level + 1, out);
        write(item, level + 1, out);
    }
    if !is_empty {
        line(style, level, out);
    }
    out.push(b']');
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// A value that stands in the path. Paths nest no deeper than documents.
fn write_literal(value: &Literal, style: &Style<'_>, level: usize, out: &mut Vec<u8>) {
    match value.kind() {
        Kind::Null => out.extend_from_slice(b"null"),
        Kind::Bool => write_bool(value.as_bool() == Some(true), out),
        Kind::Integer | Kind::Number => value.as_num().into_iter().for_each(|n| write_num(n, out)),
        Kind::String => {
            write_string(value.as_str().as_deref().unwrap_or_default().as_bytes(), out);
        }
        Kind::Array => {
            let items: Vec<&Literal> = (0..value.len()).filter_map(|at| value.at(at)).collect();
            write_items(items.into_iter(), style, level, out, |item, level, out| {
                write_literal(item, style, level, out);
            });
        }
        Kind::Object => write_members(value, style, level, out),
    }
}

fn write_members(value: &Literal, style: &Style<'_>, level: usize, out: &mut Vec<u8>) {
    out.push(b'{');
    for position in 0..value.len() {
        let (Some(name), Some(member)) = (value.name_at(position), value.at(position)) else {
            continue;
        };
        if position > 0 {
            out.push(b',');
        }
        line(style, level + 1, out);
        write_string(name.as_bytes(), out);
        out.push(b':');
        out.extend_from_slice(style.space);
        write_literal(member, style, level + 1, out);
    }
    if value.len() > 0 {
        line(style, level, out);
    }
    out.push(b'}');
}
