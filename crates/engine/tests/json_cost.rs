//! Changing a part of a large document costs what the part costs: no request here may allocate
//! more than a little, nor tell the journal more than it was sent.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::atomic::Ordering;

use testkit::folder::Folder;
use testkit::scale;

use crate::data_dir::open;
use crate::test_client::{TestClient, engine_with};

/// A document of some megabytes.
fn large() -> String {
    let item = |n: usize| format!(r#"{{"id":{n},"on":true,"text":"text {n}","list":[{n},"x"]}}"#);
    let items: Vec<String> = (0..40_000).map(item).collect();
    format!(r#"{{"items":[{}],"end":[]}}"#, items.join(","))
}

const EDITS: [&str; 10] = [
    "JSON.NUMINCRBY k $.items[30000].id 1",
    "JSON.NUMINCRBY k items[30000].id 1",
    "JSON.NUMMULTBY k $.items[3].id 2",
    "JSON.TOGGLE k $.items[-1].on",
    "JSON.STRAPPEND k $.items[100].text '\"more of it\"'",
    "JSON.ARRAPPEND k $.items[77].list 1 2 3",
    "JSON.ARRPOP k items[77].list",
    "JSON.ARRINSERT k $.end 0 1",
    "JSON.DEL k $.items[500].text",
    "JSON.CLEAR k $.items[600].list",
];

fn put(client: &mut TestClient) {
    let text = large();
    assert!(text.len() > 2 << 20);
    let words: [&[u8]; 4] = [b"JSON.SET", b"k", b".", text.as_bytes()];
    client.worker.execute(&mut client.session, &words, &mut Vec::new());
}

#[test]
fn a_small_edit_of_a_large_document_is_small() {
    const LITTLE: isize = 8 << 10;
    let engine = engine_with("latency-tracking no");
    let mut client = TestClient::new(&engine);
    put(&mut client);
    // The first builds the tree; then room is made at its end: amortised, as in a vector.
    for line in EDITS {
        assert!(!client.ask(line).starts_with('-'), "{line}");
    }
    for line in EDITS {
        // The members that were deleted or cleared are others now.
        let line = line.replace("500]", "501]").replace("600]", "601]");
        let (reply, rise) = scale::rise(|| client.ask(&line));
        assert!(!reply.starts_with('-'), "{line}: {reply}");
        assert!(rise < LITTLE, "{line} allocates {rise} bytes");
    }
}

#[test]
fn the_journal_is_told_of_the_part_alone() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), "appendonly yes\nsave \"\"").unwrap();
    let mut client = TestClient::new(&engine);
    put(&mut client);
    let size = || {
        engine.store.log().sync().unwrap();
        engine.store.log().figures.size.load(Ordering::Relaxed)
    };
    let before = size();
    assert!(before > 2 << 20);
    for line in EDITS {
        client.ask(line);
    }
    assert!(size() - before < 8 << 10);
    engine.close_data_dir();
}

/// Several changes may fail halfway where a document has grown near its limit, and only then is it
/// worth a copy.
#[test]
fn several_edits_of_a_large_document_do_not_copy_it() {
    let engine = engine_with("latency-tracking no");
    let mut client = TestClient::new(&engine);
    let text = format!("[{},{},{}]", large(), large(), large());
    let text = format!("[{text},{text}]");
    let words: [&[u8]; 4] = [b"JSON.SET", b"k", b".", text.as_bytes()];
    client.worker.execute(&mut client.session, &words, &mut Vec::new());
    for line in [
        "JSON.NUMINCRBY k $[*][0].items[5,6,7].id 1",
        "JSON.TOGGLE k $[0,1][1].items[0].on",
        "JSON.ARRAPPEND k $[*][2].end 1 2",
        "JSON.DEL k $[*][2].items[9].text",
    ] {
        assert!(!client.ask(line).starts_with('-'), "{line}");
        let line = line.replace("[9]", "[10]");
        let (reply, rise) = scale::rise(|| client.ask(&line));
        assert!(!reply.starts_with('-'), "{line}: {reply}");
        assert!(rise < 1 << 20, "{line} allocates {rise} bytes");
    }
}
