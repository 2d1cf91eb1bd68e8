//! What was taken out of a document, as values of RESP3 or as text.

use ::json::{Kind, Node, Num, Tree, write_num};
use base::Reply;

/// Writes a number: whole ones as integers, all others as doubles.
pub(super) fn number(num: Num, out: &mut dyn Reply) {
    match num {
        Num::I64(value) => out.int(value),
        Num::F64(value) => out.double(value),
        // Beyond what an integer of the protocol can be.
        Num::U64(_) => {
            let mut digits = Vec::new();
            write_num(num, &mut digits);
            out.big_number(&String::from_utf8_lossy(&digits));
        }
    }
}

/// Writes a value with all that is in it.
pub(super) fn value(node: Node<'_>, out: &mut dyn Reply) {
    match node.kind() {
        Kind::Array => {
            out.array(node.len());
            (0..node.len()).filter_map(|index| node.at(index)).for_each(|node| value(node, out));
        }
        Kind::Object => {
            out.map(node.len());
            for index in 0..node.len() {
                out.bulk(node.name_at(index).unwrap_or_default().as_bytes());
                match node.at(index) {
                    Some(node) => value(node, out),
                    None => out.null(), // never: there are as many
                }
            }
        }
        _ => scalar_or_text(node, out),
    }
}

/// Writes a scalar as itself and a container as its text.
pub(super) fn scalar_or_text(node: Node<'_>, out: &mut dyn Reply) {
    match node.kind() {
        Kind::Null => out.null(),
        Kind::Bool => out.boolean(node.as_bool() == Some(true)),
        Kind::Integer | Kind::Number => match node.as_num() {
            Some(num) => number(num, out),
            None => out.null(), // never: it is one
        },
        Kind::String => out.bulk(node.as_bytes().unwrap_or_default()),
        Kind::Array | Kind::Object => text(node, out),
    }
}

/// Writes a value as its text.
pub(super) fn text(node: Node<'_>, out: &mut dyn Reply) {
    let mut text = Vec::new();
    node.write(&mut text);
    out.bulk(&text);
}
