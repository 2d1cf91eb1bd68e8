//! What the journal is told of bitmaps, HyperLogLogs and places, and what they do with strings that
//! are none.

use base::{Effect, PackLimits, Protocol};

use crate::stage::{Stage, elements};

#[test]
fn the_journal_is_told_of_bits_that_changed() {
    let mut stage = Stage::new();
    for (line, effect) in [
        ("SETBIT b 7 1", "as sent"),
        ("SETBIT b 7 1", "none"),
        ("SETBIT b 3 0", "none"),
        ("SETBIT b 80 0", "as sent"),
        ("SETBIT b 900 0", "as sent"),
        ("SETBIT b 7 1", "none"),
        ("GETBIT b 7", "none"),
        ("BITCOUNT b", "none"),
        ("BITPOS b 1", "none"),
        ("BITOP NOT c b", "as sent"),
        ("BITOP AND c missing", "as sent"),
        ("BITOP AND c missing", "none"),
        ("BITFIELD b GET u8 0", "none"),
        ("BITFIELD b SET u8 0 1", "none"),
        ("BITFIELD b SET u8 0 2", "as sent"),
        ("BITFIELD b OVERFLOW FAIL SET u8 0 256", "none"),
        // A string that grows has changed, even if nothing could be written.
        ("BITFIELD b OVERFLOW FAIL SET u8 8000 256", "as sent"),
        ("BITFIELD b INCRBY i8 8 0", "none"),
        ("BITFIELD_RO b GET u8 0", "none"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
}

#[test]
fn the_journal_is_told_of_hyperloglogs_that_changed() {
    let mut stage = Stage::new();
    for (line, effect) in [
        ("PFADD h a b", "as sent"),
        ("PFADD h a b", "none"),
        ("PFADD empty", "as sent"),
        ("PFADD empty", "none"),
        ("PFCOUNT h", "as sent"),
        ("PFCOUNT h", "none"),
        ("PFADD h c", "as sent"),
        ("PFCOUNT h empty", "none"),
        ("PFCOUNT missing", "none"),
        ("PFMERGE h", "as sent"),
        ("PFMERGE g h empty", "as sent"),
        ("PFDEBUG ENCODING g", "none"),
        ("PFDEBUG DECODE g", "none"),
        ("PFDEBUG TODENSE g", "as sent"),
        ("PFDEBUG TODENSE g", "none"),
        ("PFDEBUG GETREG g", "none"),
        ("PFDEBUG GETREG h", "as sent"),
        ("PFSELFTEST", "none"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
}

#[test]
fn the_journal_is_told_of_places_that_changed() {
    let mut stage = Stage::new();
    for (line, effect) in [
        ("GEOADD g 1 1 a 2 2 b", "as sent"),
        ("GEOADD g 1 1 a 2 2 b", "none"),
        ("GEOADD g XX 1 1 c", "none"),
        ("GEOADD missing XX 1 1 c", "none"),
        ("GEOPOS g a", "none"),
        ("GEODIST g a b", "none"),
        ("GEOHASH g a", "none"),
        ("GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 km", "none"),
        ("GEOSEARCHSTORE d g FROMLONLAT 1 1 BYRADIUS 1 km", "as sent"),
        ("GEOSEARCHSTORE d g FROMLONLAT 9 9 BYRADIUS 1 km", "as sent"),
        ("GEOSEARCHSTORE d g FROMLONLAT 9 9 BYRADIUS 1 km", "none"),
        ("GEORADIUS g 1 1 1 km", "none"),
        ("GEORADIUS g 1 1 1 km STORE d", "as sent"),
        ("GEORADIUSBYMEMBER g a 1 km STOREDIST g", "as sent"),
        ("GEORADIUSBYMEMBER missing a 1 km STORE d", "as sent"),
        ("GEORADIUSBYMEMBER missing a 1 km STORE d", "none"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
    assert_eq!(stage.reply("EXISTS missing d"), ":0");
}

#[test]
fn bits_end_where_strings_may() {
    let mut stage = Stage::with_limits(PackLimits { string_max: 100, ..PackLimits::default() });
    assert_eq!(stage.reply("SETBIT b 799 1"), ":0");
    let beyond = "-ERR bit offset is not an integer or out of range";
    assert_eq!(stage.reply("SETBIT b 800 1"), beyond);
    assert_eq!(stage.reply("GETBIT b 800"), beyond);
    assert_eq!(stage.reply("BITFIELD b GET u8 #100"), beyond);
    assert_eq!(stage.reply("BITFIELD b GET u8 #99"), "*1|:1");
    // As in Redis, only the first bit of a field counts.
    assert_eq!(stage.reply("BITFIELD b SET i64 799 -1"), "*1|:-9223372036854775808");
    assert_eq!(stage.reply("STRLEN b"), ":108");
}

#[test]
fn any_bytes_may_stand_where_a_hyperloglog_is_expected() {
    let mut rng = base::Rng::new(99);
    let mut stage = Stage::new();
    for round in 0..600 {
        let mut bytes = b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80".to_vec();
        let length = if round % 20 == 0 { 12_288 } else { rng.below(50) };
        bytes[4] = u8::from(length != 12_288);
        bytes.extend((0..length).map(|_| u8::try_from(rng.below(256)).unwrap()));
        for words in [
            &[&b"SET"[..], b"h", &bytes][..],
            &[b"PFCOUNT", b"h"],
            &[b"PFADD", b"h", b"a", b"b"],
            &[b"PFCOUNT", b"h", b"h"],
            &[b"PFMERGE", b"other", b"h"],
            &[b"PFDEBUG", b"DECODE", b"h"],
            &[b"PFDEBUG", b"GETREG", b"h"],
            &[b"PFMERGE", b"h", b"other"],
        ] {
            let outcome = stage.run(words);
            assert!(!matches!(outcome.effect, Effect::Rewritten(_) | Effect::Several(_)));
            assert!(!outcome.reply.is_empty());
        }
    }
}

#[test]
fn a_search_shows_what_it_was_asked_for() {
    let mut stage = Stage::new();
    stage.protocol = Protocol::Resp3;
    stage.ask("GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania");
    let reply = stage.ask("GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHDIST WITHHASH");
    let wanted =
        ["Catania", "56.4413", "3479447370796909", "Palermo", "190.4424", "3479099956230698"];
    assert_eq!(elements(&reply.reply), wanted);
}
