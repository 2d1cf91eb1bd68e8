//! What time makes of commands about streams, and what the journal is told: nothing that depends on
//! a clock, and nothing approximate.

use base::PackLimits;

use crate::stage::Stage;

fn stage_at(now: u64) -> Stage {
    let mut stage = Stage::new();
    stage.model.now = now;
    stage
}

#[test]
fn the_journal_is_told_what_replays_the_same() {
    let mut stage = stage_at(5000);
    for (line, effect) in [
        ("XADD s NOMKSTREAM * f v", "none"),
        ("XADD s 1-1 f v", "as sent"),
        ("XADD s 1-1 f v", "none"),
        ("XADD s 2-* f v", "XADD s 2-0 f v"),
        ("XADD s * f v", "XADD s 5000-0 f v"),
        ("XADD s * f v", "XADD s 5000-1 f v"),
        ("XADD s MAXLEN 4 * f v", "XADD s MAXLEN = 4 5000-2 f v"),
        ("XADD s MAXLEN ~ 1 6000-0 f v", "XADD s MAXLEN = 5 6000-0 f v"),
        ("XADD s MINID ~ 2 LIMIT 9 6000-1 f v", "XADD s MINID = 2-0 6000-1 f v"),
        ("XTRIM s MAXLEN ~ 3", "none"),
        ("XTRIM s MAXLEN 5", "as sent"),
        ("XDEL s 1-1 9-9", "none"),
        ("XDEL s 6000-1", "as sent"),
        ("XGROUP CREATE s g 0", "XGROUP CREATE s g 0"),
        ("XGROUP CREATE s g 0", "none"),
        ("XGROUP CREATE t g $ MKSTREAM", "as sent"),
        ("XGROUP CREATECONSUMER s g c", "XGROUP CREATECONSUMER s g c"),
        ("XGROUP CREATECONSUMER s g c", "none"),
        (
            "XREADGROUP GROUP g c COUNT 2 STREAMS s >",
            "XCLAIM s g c 0 5000-0 5000-1 TIME 5000 RETRYCOUNT 1 FORCE JUSTID; \
             XGROUP SETID s g 5000-1 ENTRIESREAD -1",
        ),
        (
            "XREADGROUP GROUP g d NOACK COUNT 1 STREAMS s t > >",
            "XGROUP CREATECONSUMER s g d; XGROUP SETID s g 5000-2 ENTRIESREAD -1",
        ),
        (
            "XREADGROUP GROUP g c STREAMS s 5000-0",
            "XCLAIM s g c 0 5000-1 TIME 5000 RETRYCOUNT 2 FORCE JUSTID",
        ),
        ("XREADGROUP GROUP g c BLOCK 0 STREAMS t >", "block"),
        ("XREADGROUP GROUP g c STREAMS t >", "none"),
        ("XDEL s 5000-0", "as sent"),
        (
            "XAUTOCLAIM s g d 0 0",
            "XCLAIM s g d 0 5000-1 TIME 5000 RETRYCOUNT 3 FORCE JUSTID; XACK s g 5000-0",
        ),
        (
            "XCLAIM s g e 0 5000-1 9-9 JUSTID IDLE 1000",
            "XGROUP CREATECONSUMER s g e; \
             XCLAIM s g e 0 5000-1 TIME 4000 RETRYCOUNT 3 FORCE JUSTID",
        ),
        ("XCLAIM s g c 2000 5000-1", "none"),
        ("XACK s g 5000-0", "none"),
        ("XACK s g 5000-1", "XACK s g 5000-1"),
        ("XGROUP SETID s g $", "XGROUP SETID s g $"),
        ("XGROUP DELCONSUMER s g c", "XGROUP DELCONSUMER s g c"),
        ("XGROUP DESTROY s g", "XGROUP DESTROY s g"),
        ("XGROUP DESTROY s g", "none"),
        ("XSETID s 9000-1", "XSETID s 9000-1"),
        ("XADD s * f v", "XADD s 9000-2 f v"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
}

#[test]
fn ids_come_from_the_time_of_the_request_and_never_go_back() {
    let mut stage = stage_at(1000);
    assert_eq!(stage.reply("XADD s * f v"), "$6|1000-0");
    stage.model.now = 900;
    assert_eq!(stage.reply("XADD s * f v"), "$6|1000-1");
    stage.model.now = 1001;
    assert_eq!(stage.reply("XADD s * f v"), "$6|1001-0");
    assert_eq!(
        stage.reply("XADD s 1001-18446744073709551615 f v"),
        "$25|1001-18446744073709551615"
    );
    assert_eq!(stage.reply("XADD s * f v"), "$6|1002-0");
}

#[test]
fn what_is_approximate_goes_by_whole_nodes() {
    let limits = PackLimits { stream_node_entries: 10, ..PackLimits::default() };
    let mut stage = Stage::with_limits(limits);
    for n in 1..=35 {
        stage.ask(&format!("XADD s {n}-1 f v"));
    }
    assert_eq!(stage.effect("XTRIM s MAXLEN ~ 12"), "XTRIM s MAXLEN = 15");
    assert_eq!(stage.effect("XTRIM s MINID ~ 29-1"), "none");
    assert_eq!(stage.effect("XTRIM s MINID ~ 31-1 LIMIT 9"), "none");
    assert_eq!(stage.effect("XTRIM s MINID ~ 31-1 LIMIT 10"), "XTRIM s MINID = 31-1");
}
