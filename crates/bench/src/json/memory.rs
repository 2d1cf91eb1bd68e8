//! What documents take: one, and many of the same form.

use std::io;

use super::documents::Document;
use super::{Options, Side};
use crate::client::{Client, Reply, encode};
use crate::keyvalue::{progress, weigh};
use crate::report::{KeyGroup, Memory, Report};

/// How documents are stored, and whether a path is read from each.
#[derive(Clone, Copy)]
struct Way {
    title: &'static str,
    documents: bool,
    touch: bool,
}

const WAYS: [Way; 3] = [
    Way { title: "as strings", documents: false, touch: false },
    Way { title: "as documents", documents: true, touch: false },
    // Servers that keep the text until a part is read have been asked for one.
    Way { title: "as documents, a path of each read", documents: true, touch: true },
];

/// Weighs a document on every server, once and many times; the servers are empty afterwards.
pub(super) fn weigh_all(
    document: &Document,
    sides: &[Side<'_>],
    options: &Options,
    report: &mut Report,
) -> io::Result<()> {
    for copies in [1, options.copies] {
        for way in WAYS {
            let title = format!("{} × {copies} {}", document.title(), way.title);
            let mut memory = Vec::new();
            for side in sides {
                memory.push(if way.documents && !side.documents {
                    Memory { used: f64::NAN, resident: f64::NAN }
                } else if copies == 1 {
                    weigh_one(document, side, way)?
                } else {
                    weigh_many(document, side, way, copies)?
                });
            }
            report.kinds.push(KeyGroup { title, memory });
        }
    }
    Ok(())
}

fn put(document: &Document, way: Way, key: &str) -> Vec<Vec<u8>> {
    let command = |words: &[&str]| {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let mut bytes = Vec::new();
        encode(&words, &mut bytes);
        bytes
    };
    let mut commands = vec![if way.documents {
        command(&["JSON.SET", key, ".", &document.text])
    } else {
        command(&["SET", key, &document.text])
    }];
    if way.touch {
        let path = document.scalars.first().copied().unwrap_or(".");
        commands.push(command(&["JSON.GET", key, path]));
    }
    commands
}

fn send(client: &mut Client, side: &Side<'_>, commands: &[Vec<u8>]) -> io::Result<()> {
    client.send(&commands.concat())?;
    for _ in commands {
        if let Reply::Error(message) = client.read()? {
            return Err(io::Error::other(format!("{}: {message}", side.peer.name)));
        }
    }
    Ok(())
}

/// One key, by what the server says of it: a single one is lost in the noise of a process.
fn weigh_one(document: &Document, side: &Side<'_>, way: Way) -> io::Result<Memory> {
    let mut client = Client::connect(&side.peer.addr)?;
    client.call(&[b"FLUSHALL"])?;
    send(&mut client, side, &put(document, way, "doc"))?;
    let answer = client.call(&[b"MEMORY", b"USAGE", b"doc", b"SAMPLES", b"0"])?;
    client.call(&[b"FLUSHALL"])?;
    match answer {
        Reply::Int(bytes) => Ok(Memory { used: bytes as f64, resident: f64::NAN }),
        other => Err(io::Error::other(format!("{}: MEMORY USAGE: {other:?}", side.peer.name))),
    }
}

fn weigh_many(document: &Document, side: &Side<'_>, way: Way, copies: u64) -> io::Result<Memory> {
    const BATCH: u64 = 20;
    Client::connect(&side.peer.addr)?.call(&[b"FLUSHALL"])?;
    let memory = weigh(side.peer, copies, |client| {
        for first in (0..copies).step_by(20) {
            let keys = first..(first + BATCH).min(copies);
            let commands: Vec<Vec<u8>> =
                keys.flat_map(|key| put(document, way, &format!("doc:{key:08}"))).collect();
            send(client, side, &commands)?;
            let number = |n: u64| usize::try_from(n).unwrap_or(0);
            progress(number(first), number(copies), way.title);
        }
        Ok(())
    })?;
    Client::connect(&side.peer.addr)?.call(&[b"FLUSHALL"])?;
    Ok(memory)
}
