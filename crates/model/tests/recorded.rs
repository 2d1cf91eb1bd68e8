//! Replies that a redis-server 7.0.15 gave, byte for byte; `recorded/record.py` took them down.

use base::Protocol;
use testkit::transcript;

use crate::stage::Stage;

/// Runs every request of a recording and compares; all differences are shown at once.
fn replay(text: &str) {
    let mut stage = Stage::new();
    transcript::play(text, |line| {
        if line == "HELLO 3" {
            stage.protocol = Protocol::Resp3;
            return String::new();
        }
        stage.reply(line)
    });
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
