//! Commands whose replies may rightly differ: cursors and random choices.
//!
//! A cursor command is run to its end on each server and the elements seen are compared as a set. A
//! random command must answer in the same shape, with members that are there, each once where that
//! is promised; what it removed is then removed from both servers, so that they stay equal.

use std::collections::BTreeSet;
use std::io;

use crate::command::Command;
use crate::connection::Connection;
use crate::pair::cut;
use crate::resp::{Reply, Value};
use crate::rules::{counts_of, difference, same_shape};

/// The kind of a difference and both replies, if there is one.
pub type Outcome = Option<(String, [String; 2])>;

fn both(connections: &mut [Connection; 2], command: &Command) -> io::Result<[Reply; 2]> {
    let [a, b] = connections;
    a.send(&[command])?;
    b.send(&[command])?;
    Ok([a.receive()?, b.receive()?])
}

/// ZRANGEBYLEX and its like. Over members of different scores the answer is undefined: a skip list
/// then gives what its random levels lead to. Such a command is not sent.
///
/// # Errors
/// When a server does not answer.
pub fn lexical(
    connections: &mut [Connection; 2],
    command: &Command,
    slack: i64,
) -> io::Result<Outcome> {
    for key in command.args().iter().skip(1).take(2) {
        let encoding = Command::new(vec![b"OBJECT".to_vec(), b"ENCODING".to_vec(), key.clone()]);
        let scores = ["0", "-1", "WITHSCORES"].iter().map(|word| word.as_bytes().to_vec());
        let mut range = vec![b"ZRANGE".to_vec(), key.clone()];
        range.extend(scores);
        let [oracle, _] = connections;
        if oracle.ask(&encoding)?.value.bytes() != Some(b"skiplist") {
            continue;
        }
        let leaves = oracle.ask(&Command::new(range))?.value.leaves();
        let scores: BTreeSet<&[u8]> =
            leaves.chunks(2).filter_map(|p| Some(&p.get(1)?[..])).collect();
        if scores.len() > 1 {
            return Ok(None);
        }
    }
    let [a, b] = both(connections, command)?;
    let kind = difference(command, &[], [&a, &b], slack);
    Ok(kind.map(|kind| (kind, cut([&a.raw, &b.raw]))))
}

fn exactly(command: &Command, replies: [&Reply; 2]) -> Outcome {
    let kind = difference(command, &[], replies, 0)?;
    Some((kind, cut([&replies[0].raw, &replies[1].raw])))
}

/// The cursor and elements of a page.
fn page(reply: &Reply) -> Option<(Vec<u8>, &[Value])> {
    let [cursor, elements] = reply.value.items()? else { return None };
    Some((cursor.bytes()?.to_vec(), elements.items()?))
}

/// SCAN, HSCAN, SSCAN, ZSCAN.
///
/// # Errors
/// When a server does not answer.
pub fn scan(connections: &mut [Connection; 2], command: &Command) -> io::Result<Outcome> {
    let [a, b] = both(connections, command)?;
    let (Some(_), Some(_)) = (page(&a), page(&b)) else {
        return Ok(exactly(command, [&a, &b]));
    };
    let cursor_at = if command.name() == "SCAN" { 1 } else { 2 };
    if command.args().get(cursor_at).is_none_or(|cursor| cursor != b"0") {
        return Ok(None);
    }
    let [x, y] = connections;
    let seen = (walk(x, command, cursor_at, a)?, walk(y, command, cursor_at, b)?);
    let (Some(one), Some(two)) = seen else {
        let kind = "the cursor never came back to 0".to_owned();
        return Ok(Some((kind, [String::new(), String::new()])));
    };
    if one == two {
        return Ok(None);
    }
    let only = |these: &BTreeSet<Vec<Value>>, those: &BTreeSet<Vec<Value>>| {
        let mut out = Vec::new();
        these.difference(those).flatten().for_each(|value| value.encode(&mut out));
        format!("{} elements, only here: {}", these.len(), cut([&out, b""])[0])
    };
    Ok(Some(("other elements".to_owned(), [only(&one, &two), only(&two, &one)])))
}

/// All elements from the first page on (pairs for HSCAN and ZSCAN); `None` if it does not end.
fn walk(
    connection: &mut Connection,
    command: &Command,
    cursor_at: usize,
    first: Reply,
) -> io::Result<Option<BTreeSet<Vec<Value>>>> {
    let width = if matches!(command.name().as_str(), "HSCAN" | "ZSCAN") { 2 } else { 1 };
    let mut seen = BTreeSet::new();
    let mut reply = first;
    for _ in 0..20_000 {
        let Some((cursor, elements)) = page(&reply) else { return Ok(None) };
        seen.extend(elements.chunks(width).map(<[Value]>::to_vec));
        if cursor == b"0" {
            return Ok(Some(seen));
        }
        let mut args = command.args().to_vec();
        args[cursor_at] = cursor;
        reply = connection.ask(&Command::new(args))?;
    }
    Ok(None)
}

/// SPOP, SRANDMEMBER, HRANDFIELD, ZRANDMEMBER, RANDOMKEY.
///
/// # Errors
/// When a server does not answer.
pub fn random(connections: &mut [Connection; 2], command: &Command) -> io::Result<Outcome> {
    let Some(look) = look_for(command) else {
        let [a, b] = both(connections, command)?;
        return Ok(exactly(command, [&a, &b]));
    };
    let mut replies = Vec::new();
    for connection in connections.iter_mut() {
        connection.send(&[&look, command, &look])?;
        replies.push([connection.receive()?, connection.receive()?, connection.receive()?]);
    }
    let [[before_a, a, after_a], [before_b, b, after_b]] = &replies[..] else {
        return Ok(None);
    };
    if a.value.error().is_some() || b.value.error().is_some() {
        return Ok(exactly(command, [a, b]));
    }
    let shown = || cut([&a.raw, &b.raw]);
    if command.name() != "RANDOMKEY" && !same_shape(&a.value, &b.value) {
        return Ok(Some(("other shape".to_owned(), shown())));
    }
    for [before, reply, after] in [[before_a, a, after_a], [before_b, b, after_b]] {
        if let Some(wrong) = implausible(command, before, reply, after) {
            return Ok(Some((wrong, shown())));
        }
    }
    if command.name() == "SPOP" && before_a.value != after_a.value {
        let repair = Command::new(vec![b"DEL".to_vec(), command.args()[1].clone()]);
        let [a, b] = both(connections, &repair)?;
        return Ok(exactly(&repair, [&a, &b]));
    }
    Ok(None)
}

fn look_for(command: &Command) -> Option<Command> {
    let key = || command.args().get(1).cloned();
    Some(match command.name().as_str() {
        "SPOP" | "SRANDMEMBER" => Command::new(vec![b"SMEMBERS".to_vec(), key()?]),
        "HRANDFIELD" => Command::new(vec![b"HGETALL".to_vec(), key()?]),
        "ZRANDMEMBER" => {
            let range: [&[u8]; 3] = [b"0", b"-1", b"WITHSCORES"];
            let mut args = vec![b"ZRANGE".to_vec(), key()?];
            args.extend(range.iter().map(|arg| arg.to_vec()));
            Command::new(args)
        }
        _ => Command::words(&["KEYS", "*"]),
    })
}

/// What is wrong with a random reply, given the data before and after.
fn implausible(command: &Command, before: &Reply, reply: &Reply, after: &Reply) -> Option<String> {
    let paired = matches!(command.upper(3).as_str(), "WITHVALUES" | "WITHSCORES");
    let width = if paired { 2 } else { 1 };
    let name = command.name();
    let all = before.value.leaves();
    let step = if name == "HRANDFIELD" || name == "ZRANDMEMBER" { 2 } else { 1 };
    let drawn = reply.value.leaves();
    let nil = matches!(reply.value, Value::Line { kind: b'_', .. });
    if nil || drawn.is_empty() {
        let empty = all.is_empty();
        let asked_none = command.args().get(2).is_some_and(|count| count == b"0");
        return (!empty && !asked_none).then(|| "nothing, though there is something".to_owned());
    }
    let members: BTreeSet<&[Vec<u8>]> =
        all.chunks(step).map(|pair| &pair[..width.min(pair.len())]).collect();
    if drawn.chunks(width).any(|member| !members.contains(member)) {
        return Some("a member that is not there".to_owned());
    }
    let negative = command.args().get(2).is_some_and(|count| count.starts_with(b"-"));
    let distinct: BTreeSet<&[Vec<u8>]> = drawn.chunks(width).collect();
    if !negative && distinct.len() * width != drawn.len() {
        return Some("a member twice".to_owned());
    }
    if name == "SPOP" {
        let left = after.value.leaves();
        let (left, all, gone) = (counts_of(&left), counts_of(&all), counts_of(&drawn));
        let right = all.iter().filter(|(m, _)| !gone.contains_key(*m)).map(|(m, _)| *m);
        if !right.eq(left.keys().copied()) {
            return Some("popped and removed are not the same".to_owned());
        }
    }
    None
}
