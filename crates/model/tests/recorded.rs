//! Replies that a redis-server 7.0.15 gave, byte for byte; `recorded/record.py` took them down.

use base::Protocol;

use crate::stage::Stage;

/// Runs every request of a recording and compares; all differences are shown at once.
fn replay(text: &str) {
    let mut stage = Stage::new();
    let mut lines = text.lines().enumerate().peekable();
    let mut differences = Vec::new();
    while let Some((number, line)) = lines.next() {
        if line == "HELLO 3" {
            stage.protocol = Protocol::Resp3;
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let recorded = lines.next_if(|(_, next)| next.starts_with(' ')).expect("a reply");
        let (recorded, reply) = (recorded.1.trim_start(), stage.reply(line));
        if reply != recorded {
            let number = number + 1;
            differences.push(format!("{number}: {line}\n  redis {recorded}\n  kvist {reply}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn hashes_answer_as_redis_does() {
    replay(include_str!("recorded/hash.txt"));
}

#[test]
fn sets_answer_as_redis_does() {
    replay(include_str!("recorded/set.txt"));
}

#[test]
fn sorted_sets_answer_as_redis_does() {
    replay(include_str!("recorded/zset.txt"));
}

#[test]
fn bitmaps_answer_as_redis_does() {
    replay(include_str!("recorded/bitmap.txt"));
}

#[test]
fn hyperloglogs_answer_as_redis_does() {
    replay(include_str!("recorded/hyperloglog.txt"));
}

#[test]
fn places_answer_as_redis_does() {
    replay(include_str!("recorded/geo.txt"));
}
