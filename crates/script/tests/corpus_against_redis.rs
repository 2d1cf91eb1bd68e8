//! Every script of the corpus answers what redis-server answers, to the byte, in RESP2 and RESP3.
//!
//! The files of `corpus/` hold scripts divided by lines of dashes. Scripts of a file run one after
//! another on the same server and interpreter, as some of what they set stays.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Protocol;

use crate::stage::{Stage, shown};

fn corpus(text: &str) {
    let Some(mut stage) = Stage::new() else { return };
    let (mut wrong, mut count) = (Vec::new(), 0);
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        for body in text.split("\n---\n").map(str::trim_end) {
            let args: &[&[u8]] = &[b"a1", b"2", b"3.5", b"x\0y", b""];
            if std::env::var_os("TRACE").is_some() {
                eprintln!("{body}");
            }
            let [ours, theirs] = stage.both(body.as_bytes(), args, protocol);
            count += 1;
            if ours != theirs {
                let (ours, theirs) = (shown(&ours), shown(&theirs));
                wrong.push(format!("{protocol:?} {body}\n  ours:   {ours}\n  theirs: {theirs}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    println!("{count} answers compared");
}

macro_rules! corpora {
    ($($name:ident: $file:literal;)*) => {
        $(#[test] fn $name() { corpus(include_str!(concat!("corpus/", $file))); })*
    };
}

corpora! {
    globals: "globals.lua";
    conversions: "conversions.lua";
    errors: "errors.lua";
    json: "json.lua";
    msgpack: "msgpack.lua";
    packing: "struct.lua";
    bits: "bit.lua";
    standard: "standard.lua";
    redis_table: "redis.lua";
    sandbox: "sandbox.lua";
}
