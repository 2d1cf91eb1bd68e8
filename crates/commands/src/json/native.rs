//! Values as replies of their own types, not as JSON text: `JSON.RESP`, and the formats `EXPAND`
//! and `EXPAND1` of RESP3.

use ::json::path::Computed;
use ::json::{Kind, Node, Num, Style, Tree};
use base::Reply;

use super::text;

/// How values become replies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Maps, arrays, booleans: what RESP3 has.
    Expanded,
    /// As that, but what is in containers is JSON text.
    Shallow,
    /// As RedisJSON did it before there was RESP3: an array tells by its first element whether it
    /// was an array or an object, whose names and values take turns.
    Marked,
}

/// A result of a path. `buffer` is for text.
pub(super) fn reply(
    result: &Computed<'_, Node<'_>>,
    form: Form,
    buffer: &mut Vec<u8>,
    out: &mut dyn Reply,
) {
    match result {
        Computed::Node(node) if form == Form::Shallow && is_container(*node) => {
            write_text(result, buffer, out);
        }
        Computed::Literal(literal) if form == Form::Shallow && is_container(*literal) => {
            write_text(result, buffer, out);
        }
        Computed::List(_) if form == Form::Shallow => write_text(result, buffer, out),
        Computed::Node(node) => value(*node, form, out),
        Computed::Literal(literal) => value(*literal, form, out),
        Computed::Num(num) => number(*num, out),
        Computed::Str(text) => out.bulk(text.as_bytes()),
        Computed::Bool(truth) => boolean(*truth, form, out),
        Computed::List(items) => {
            begin_array(items.len(), form, out);
            items.iter().for_each(|item| reply(item, form, buffer, out));
        }
    }
}

fn is_container<'a>(value: impl Tree<'a>) -> bool {
    matches!(value.kind(), Kind::Array | Kind::Object)
}

fn write_text(result: &Computed<'_, Node<'_>>, buffer: &mut Vec<u8>, out: &mut dyn Reply) {
    buffer.clear();
    text::write_result(result, &Style::default(), 0, buffer);
    out.bulk(buffer);
}

fn begin_array(len: usize, form: Form, out: &mut dyn Reply) {
    if form == Form::Marked {
        out.array(len + 1);
        return out.simple("[");
    }
    out.array(len);
}

fn begin_object(len: usize, form: Form, out: &mut dyn Reply) {
    if form == Form::Marked {
        out.array(len * 2 + 1);
        return out.simple("{");
    }
    out.map(len);
}

fn boolean(truth: bool, form: Form, out: &mut dyn Reply) {
    match form {
        Form::Marked => out.simple(if truth { "true" } else { "false" }),
        Form::Expanded | Form::Shallow => out.boolean(truth),
    }
}

/// A number: whole ones as integers, as long as they fit.
pub(super) fn number(num: Num, out: &mut dyn Reply) {
    match num {
        Num::I64(value) => out.int(value),
        Num::U64(value) => out.big_number(&value.to_string()),
        Num::F64(value) => out.double(value),
    }
}

/// A value. It nests as deep as a document may.
fn value<'a, T: Tree<'a>>(value: T, form: Form, out: &mut dyn Reply) {
    match value.kind() {
        Kind::Null => out.null(),
        Kind::Bool => boolean(value.as_bool() == Some(true), form, out),
        Kind::Integer | Kind::Number => number(value.as_num().unwrap_or(Num::I64(0)), out),
        Kind::String => out.bulk(value.as_str().as_deref().unwrap_or_default().as_bytes()),
        Kind::Array => {
            begin_array(value.len(), form, out);
            for index in 0..value.len() {
                child(value.at(index), form, out);
            }
        }
        Kind::Object => {
            begin_object(value.len(), form, out);
            for position in 0..value.len() {
                out.bulk(value.name_at(position).unwrap_or_default().as_bytes());
                child(value.at(position), form, out);
            }
        }
    }
}

fn child<'a, T: Tree<'a>>(at: Option<T>, form: Form, out: &mut dyn Reply) {
    match at {
        Some(child) => value(child, form, out),
        None => out.null(),
    }
}
