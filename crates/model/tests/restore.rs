//! What the journal is told of RESTORE, and that DUMP brings back what it took.

use base::Effect;

use crate::stage::{Stage, shown};

fn payload(stage: &mut Stage, key: &[u8]) -> Vec<u8> {
    let reply = stage.run(&[b"DUMP", key]).reply;
    let at = reply.iter().position(|&byte| byte == b'\n').expect("a string") + 1;
    reply[at..reply.len() - 2].to_vec()
}

#[test]
fn the_journal_gets_absolute_deadlines() {
    let mut stage = Stage::new();
    stage.model.now = 100_000;
    stage.ask("SET k v");
    let bytes = payload(&mut stage, b"k");
    let words = |effect: Effect| -> Vec<Vec<u8>> {
        match effect {
            Effect::Rewritten(argv) => argv.iter().map(<[u8]>::to_vec).collect(),
            Effect::AsSent => vec![b"as sent".to_vec()],
            Effect::None => vec![b"none".to_vec()],
            other => panic!("{other:?}"),
        }
    };
    let mut told = |line: &[&[u8]]| words(stage.run(line).effect);
    assert_eq!(told(&[b"RESTORE", b"a", b"0", &bytes]), [b"as sent"]);
    assert_eq!(told(&[b"RESTORE", b"a", b"0", &bytes]), [b"none"], "an error");
    assert_eq!(told(&[b"RESTORE", b"b", b"900000", &bytes, b"ABSTTL"]), [b"as sent"]);
    let rewritten: [&[u8]; 8] =
        [b"restore", b"c", b"100500", &bytes, b"REPLACE", b"IDLETIME", b"3", b"ABSTTL"];
    assert_eq!(told(&[b"restore", b"c", b"500", &bytes, b"REPLACE", b"IDLETIME", b"3"]), rewritten);
    assert_eq!(told(&[b"RESTORE", b"d", b"99999", &bytes, b"ABSTTL"]), [b"none"], "too late");
    let gone: [&[u8]; 2] = [b"DEL", b"a"];
    assert_eq!(told(&[b"RESTORE", b"a", b"99999", &bytes, b"ABSTTL", b"REPLACE"]), gone);
    assert_eq!(stage.model.keys(), [b"b", b"c", b"k"]);
    assert_eq!(stage.reply("OBJECT IDLETIME c"), ":3");
    assert_eq!(stage.reply("PEXPIRETIME c"), ":100500");
}

#[test]
fn every_type_comes_back() {
    let mut stage = Stage::new();
    for (make, look) in [
        ("SET k hello", "GET k"),
        ("RPUSH k a b 3", "LRANGE k 0 -1"),
        ("SADD k 1 2 3", "SMEMBERS k"),
        ("SADD k x", "SMEMBERS k"),
        ("HSET k f v g 7", "HGETALL k"),
        ("ZADD k 1.5 a -inf b", "ZRANGE k 0 -1 WITHSCORES"),
    ] {
        stage.ask("DEL k");
        stage.ask(make);
        let before = (stage.reply(look), stage.reply("OBJECT ENCODING k"));
        let bytes = payload(&mut stage, b"k");
        stage.ask("DEL k");
        let reply = stage.run(&[b"RESTORE", b"k", b"0", &bytes]).reply;
        assert_eq!(shown(&reply), "+OK");
        assert_eq!((stage.reply(look), stage.reply("OBJECT ENCODING k")), before, "{make}");
    }
}
