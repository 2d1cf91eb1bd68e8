//! Files of the formats as they were, which later versions must read; and hostile entries.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{HashFunction, Hashing};
use journal::codec::{Source, put_bytes, put_number};
use journal::snapshot::Reader;
use journal::{Directory, Disk, Manifest, manifest};
use kvist_engine::persistence::{DataDir, Reason, check, repair};
use kvist_engine::{Engine, Start, redis_files};
use store::image;
use testkit::folder::Folder;
use types::Contexts;

use crate::data_dir::open;
use crate::disk::{Liar, Random};
use crate::test_client::{self, TestClient, engine_with};

const CONFIG: &str =
    "appendonly yes\nappendfsync always\nshards 4\ndatabases 4\nsave \"\"\ndir /liar";

/// The files that a version of the formats made of some commands.
struct Fixture {
    folder: &'static str,
    /// What was done. It is not done again: this says what is in the files.
    done: &'static [&'static str],
    /// What must be answered by an engine that has read them.
    asked: &'static [(&'static str, &'static str)],
}

impl Fixture {
    fn path(&self) -> PathBuf {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../journal/tests/fixtures");
        fixtures.join(self.folder)
    }

    fn disk(&self) -> Liar {
        let disk = Liar::default();
        for entry in std::fs::read_dir(self.path()).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            disk.put(&name, &std::fs::read(entry.path()).unwrap());
        }
        disk
    }
}

fn start(disk: &Liar) -> TestClient {
    start_with(disk, 4)
}

fn start_with(disk: &Liar, shards: usize) -> TestClient {
    let mut data_dir = DataDir::on(Arc::new(disk.clone())).unwrap();
    (data_dir.segment_size, data_dir.block_size) = (4096, 1);
    let config = CONFIG.replace("shards 4", &format!("shards {shards}"));
    let engine =
        Engine::new(Start { kept: data_dir.manifest.clone(), ..test_client::start(&config) });
    let engine = engine.unwrap();
    engine.attach_data_dir(data_dir);
    engine.recover().unwrap();
    TestClient::new(&engine)
}

const VERSION_1: Fixture = Fixture {
    folder: "1",
    done: &[
        "set text one",
        "set number 12345",
        "set dies later px 9000000000000",
        "rpush list a b c",
        "sadd ints 1 2 3",
        "sadd words x y",
        "hset hash f v",
        "zadd zset 1.5 m -inf n",
        "select 3",
        "set elsewhere 1",
        "select 0",
        "save",
        "append text two",
        "lpop list",
        "rename words names",
        "select 3",
        "flushdb",
        "set after flush",
    ],
    asked: &[
        ("dbsize", ":8"),
        ("get text", "$6\r\nonetwo"),
        ("get number", "$5\r\n12345"),
        ("pexpiretime dies", ":9000001000000"),
        ("lrange list 0 -1", "*2\r\n$1\r\nb\r\n$1\r\nc"),
        ("smembers ints", "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3"),
        ("scard names", ":2"),
        ("exists words", ":0"),
        ("hget hash f", "$1\r\nv"),
        ("zscore zset n", "$4\r\n-inf"),
        ("select 3", "+OK"),
        ("dbsize", ":1"),
        ("get after", "$5\r\nflush"),
    ],
};

/// Its journal has records of every kind, of databases other than the first, and a long one.
const VERSION_2: Fixture = Fixture {
    folder: "2",
    done: &[
        "set text one",
        "rpush list a b c",
        "hset hash f v",
        "select 3",
        "set elsewhere 1",
        "select 0",
        "save",
        "set text two",
        "append text three",
        "set dies later px 9000000000000",
        "set empty ''",
        "set gone soon",
        "setrange long 300 end",
        "set long '0123456789012345678901234567890123456789012345678901234567890123456789\
         012345678901234567890123456789012345678901234567890123456789012345678901234567890123456'",
        "lpop list",
        "del gone",
        "mset m1 a m2 b",
        "rename hash table",
        "select 3",
        "flushdb",
        "set after flush",
        "swapdb 3 2",
        "set here third",
        "select 1",
        "set x y",
        "select 0",
    ],
    asked: &[
        ("dbsize", ":8"),
        ("get text", "$8\r\ntwothree"),
        ("pexpiretime dies", ":9000001000000"),
        ("pexpiretime text", ":-1"),
        ("strlen empty", ":0"),
        ("strlen long", ":157"),
        ("lrange list 0 -1", "*2\r\n$1\r\nb\r\n$1\r\nc"),
        ("exists gone hash", ":0"),
        ("mget m1 m2", "*2\r\n$1\r\na\r\n$1\r\nb"),
        ("hget table f", "$1\r\nv"),
        ("select 1", "+OK"),
        ("get x", "$1\r\ny"),
        ("select 2", "+OK"),
        ("get after", "$5\r\nflush"),
        ("dbsize", ":1"),
        ("select 3", "+OK"),
        ("get here", "$5\r\nthird"),
        ("dbsize", ":1"),
    ],
};

/// Its journal's frames have a secret.
const VERSION_3: Fixture = Fixture { folder: "3", ..VERSION_2 };

/// Its journal has records that name each other.
const VERSION_4: Fixture = Fixture {
    folder: "4",
    done: &[
        "set text one",
        "setrange large 140000 x",
        "save",
        "set text two",
        "append text three",
        "set gone soon",
        "del gone",
        "hset hash f v",
        "rename hash table",
        "copy large copied",
        "copy large elsewhere db 3",
        "rename large renamed",
        "bitop not inverted renamed",
        "bitop or all copied renamed inverted text",
        "mset m1 a m2 b",
        "select 3",
        "set after move",
        "move elsewhere 2",
        "select 2",
        "flushdb",
        "swapdb 3 2",
        "select 3",
        "set x y",
        "select 0",
    ],
    asked: &[
        ("dbsize", ":8"),
        ("hget table f", "$1\r\nv"),
        ("get text", "$8\r\ntwothree"),
        ("exists large gone", ":0"),
        ("getrange copied 139999 -1", "$2\r\n\0x"),
        ("strlen renamed", ":140001"),
        ("bitcount inverted", ":1120004"),
        ("bitcount all", ":1120008"),
        ("getbit all 1120001", ":1"),
        ("select 2", "+OK"),
        ("get after", "$4\r\nmove"),
        ("select 3", "+OK"),
        ("get x", "$1\r\ny"),
        ("dbsize", ":1"),
    ],
};

/// Its keys are hashed with secret numbers, which the manifest and the snapshot say.
const KEYS: Fixture = Fixture { folder: "keys-2", ..VERSION_1 };

const DOCUMENTS: Fixture = Fixture {
    folder: "documents-1",
    done: &[
        "json.set text $ '[1, {\"a\": \"\\u00e4\"}, 1e300]'",
        "json.set tree $ '{\"a\":1,\"b\":[\"x\",null,true],\"c\":{\"d\":-2.5}}'",
        "json.set like $ '{\"a\":2,\"b\":[],\"c\":{\"d\":18446744073709551615}}'",
        "json.type tree $.b",
        "json.type like $.b",
        "json.set half $ [0.5,1.25,-3.921875] fpha fp16",
        "json.set brain $ [0.5,1.25,-3.0] fpha bf16",
        "json.set single $ [0.1,2.5] fpha fp32",
        "json.set double $ [0.1,2.5] fpha fp64",
        "json.set bytes $ [1,2,255]",
        "json.type bytes $[0]",
        "json.set dies $ {} px 9000000000000",
        "select 3",
        "json.set elsewhere $ 1",
        "select 0",
        "save",
        "json.numincrby tree $.a 41",
        "json.arrappend tree $.b '{\"new\":[]}' 7",
        "json.merge like $ '{\"a\":null,\"c\":{\"e\":\"f\"}}'",
        "json.arrpop half $ 0",
        "json.set single $[0] 0.2",
        "json.arrinsert bytes $ 0 256",
        "json.del text $[0]",
        "json.mset m1 $ 1 m2 $ '[\"two\"]'",
        "json.strappend m2 $[0] '\"!\"'",
        "json.set m1 $ true",
        "json.toggle m1 $",
        "copy double copy",
        "json.clear copy $",
        "rename m2 renamed",
        "json.set fresh $ '{\"z\":0}' px 9000000000001",
        "move brain 3",
        "select 3",
        "json.del elsewhere",
        "json.set after $ null",
    ],
    asked: &[
        ("dbsize", ":12"),
        ("json.get text", "$18\r\n[{\"a\":\"ä\"},1e300]"),
        (
            "json.get tree",
            "$56\r\n{\"a\":42,\"b\":[\"x\",null,true,{\"new\":[]},7],\"c\":{\"d\":-2.5}}",
        ),
        ("json.get like", "$47\r\n{\"b\":[],\"c\":{\"d\":18446744073709551615,\"e\":\"f\"}}"),
        ("json.get half", "$16\r\n[1.25,-3.921875]"),
        ("json.get single", "$9\r\n[0.2,2.5]"),
        ("json.get double", "$9\r\n[0.1,2.5]"),
        ("json.get bytes", "$13\r\n[256,1,2,255]"),
        ("pexpiretime dies", ":9000001000000"),
        ("json.get m1", "$5\r\nfalse"),
        ("json.get renamed", "$8\r\n[\"two!\"]"),
        ("json.get copy", "$2\r\n[]"),
        ("pexpiretime fresh", ":9000001000001"),
        ("select 3", "+OK"),
        ("dbsize", ":2"),
        ("json.get brain", "$15\r\n[0.5,1.25,-3.0]"),
        ("json.get after", "$4\r\nnull"),
    ],
};

const FUNCTIONS: Fixture = Fixture {
    folder: "functions-1",
    done: &[
        "function load \"#!lua name=gone\\nredis.register_function('g', function() end)\"",
        "function load \"#!lua name=old\\nredis.register_function{function_name='fo', \
         callback=function() return 1 end, description='d', \
         flags={'no-writes', 'allow-cross-slot-keys'}}\"",
        "function load \"#!lua name=new\\nredis.register_function('fn', function() return 1 end)\"",
        "set text one",
        "save",
        "function delete gone",
        "function load replace \"#!lua name=new\\nredis.register_function('fn', function() \
         return 2 end)\\nredis.register_function('fm', function(keys) \
         return redis.call('get', keys[1]) end)\"",
        "set text two",
    ],
    asked: &[
        ("dbsize", ":1"),
        ("fcall_ro fo 0", ":1"),
        ("fcall fn 0", ":2"),
        ("fcall fm 1 text", "$3\r\ntwo"),
        ("fcall g 0", "-ERR Function not found"),
        (
            "function list libraryname old",
            "*1\r\n*6\r\n$12\r\nlibrary_name\r\n$3\r\nold\r\n$6\r\nengine\r\n$3\r\nLUA\r\n\
             $9\r\nfunctions\r\n*1\r\n*6\r\n$4\r\nname\r\n$2\r\nfo\r\n$11\r\ndescription\r\n$1\r\n\
             d\r\n$5\r\nflags\r\n*2\r\n+no-writes\r\n+allow-cross-slot-keys",
        ),
    ],
};

/// The snapshot is of version 2: its large values stand in chunks.
const PIECES: Fixture = Fixture {
    folder: "pieces-2",
    done: &[
        "config set hash-max-listpack-entries 2",
        "config set zset-max-listpack-entries 2",
        "config set list-max-listpack-size 2",
        "config set stream-node-max-entries 2",
        "set small one",
        "setrange text 5000 end",
        "rpush list a b c d e",
        "sadd set 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 \
         30 31 32 33 x",
        "hset hash a 1 b 2 c 3 d 4",
        "zadd zset 1 a 2 b 3 c 4 d",
        "xadd stream 1-1 f 1",
        "xadd stream 1-2 f 2",
        "xadd stream 1-3 f 3",
        "xgroup create stream group 0",
        "xreadgroup group group one count 2 streams stream >",
        "pexpire hash 9000000000000",
        "select 3",
        "hset elsewhere a 1 b 2 c 3",
        "select 0",
        "save",
        "hset hash a 5",
        "rpush list f",
    ],
    asked: &[
        ("dbsize", ":7"),
        ("get small", "$3\r\none"),
        ("strlen text", ":5003"),
        ("getrange text 4998 -1", "$5\r\n\0\0end"),
        ("lrange list 3 -1", "*3\r\n$1\r\nd\r\n$1\r\ne\r\n$1\r\nf"),
        ("scard set", ":34"),
        ("smismember set 33 x y", "*3\r\n:1\r\n:1\r\n:0"),
        ("hlen hash", ":4"),
        ("hmget hash a d", "*2\r\n$1\r\n5\r\n$1\r\n4"),
        ("pexpiretime hash", ":9000001000000"),
        ("zrange zset 2 -1", "*2\r\n$1\r\nc\r\n$1\r\nd"),
        ("xlen stream", ":3"),
        (
            "xpending stream group",
            "*4\r\n:2\r\n$3\r\n1-1\r\n$3\r\n1-2\r\n*1\r\n*2\r\n$3\r\none\r\n$1\r\n2",
        ),
        ("select 3", "+OK"),
        ("hlen elsewhere", ":3"),
    ],
};

/// Graphs, in a snapshot and as changes behind it, with every kind of property.
const GRAPHS: Fixture = Fixture {
    folder: "graphs-1",
    done: &[
        "graph.query empty 'RETURN 1'",
        "graph.query g \"CREATE (:A {i: 1, f: 2.5, t: 'text', b: true, l: [1, 'x', 2.5, false], \
         d: date('2020-02-03'), u: duration('P1DT2H')})-[:R {since: 7}]->(:B {i: 2})\"",
        "graph.query g \"UNWIND range(1, 1030) AS i CREATE (:Many {i: i})\"",
        "select 3",
        "graph.query elsewhere 'CREATE (:X)'",
        "select 0",
        "save",
        "graph.query g \"CREATE (:C {p: point({latitude: 1.5, longitude: 2.25})})\"",
        "graph.query g \"CREATE ()-[:S]->({i: 'mixed'})\"",
        "graph.query new \"CREATE (:New {i: -1})\"",
        "graph.copy new copy",
        "graph.query gone 'CREATE ()'",
        "graph.delete gone",
    ],
    asked: &[
        ("dbsize", ":4"),
        (
            "eval \"return redis.call('graph.ro_query', KEYS[1], 'MATCH (a:A)-[r:R]->(b) RETURN \
             a.i, a.f, a.t, a.b, a.l, a.d, a.u, r.since, b.i')[2]\" 1 g",
            "*1\r\n*9\r\n:1\r\n$3\r\n2.5\r\n$4\r\ntext\r\n$4\r\ntrue\r\n$23\r\n[1, x, 2.500000, \
             false]\r\n$10\r\n2020-02-03\r\n$6\r\nP1DT2H\r\n:7\r\n:2",
        ),
        (
            "eval \"return redis.call('graph.ro_query', KEYS[1], 'MATCH (n) RETURN count(n), \
             count(n.i)')[2]\" 1 g",
            "*1\r\n*2\r\n:1035\r\n:1033",
        ),
        (
            "eval \"return redis.call('graph.ro_query', KEYS[1], 'MATCH (n:C) RETURN n.p')[2]\" 1 \
             g",
            "*1\r\n*1\r\n$46\r\npoint({latitude:1.500000, longitude:2.250000})",
        ),
        (
            "eval \"return redis.call('graph.ro_query', KEYS[1], 'MATCH (n:New) RETURN n.i')[2]\" \
             1 copy",
            "*1\r\n*1\r\n:-1",
        ),
        ("exists empty gone", ":1"),
        ("select 3", "+OK"),
        ("graph.list", "*1\r\n$9\r\nelsewhere"),
    ],
};

/// Projects, in a snapshot and as changes behind it, with values of every kind.
const PROJECTS: Fixture = Fixture {
    folder: "projects-1",
    done: &[
        "folio.open empty prefix x",
        "folio.open p",
        "folio.commit p add '{id:@a dis:\"A\" n:1.5kW u:3_own i:-2 b:T d:2024-01-01 t:08:00:00 \
         ts:2024-01-01T00:00:00Z UTC z:2024-07-01T08:00:00+08:00 Shanghai c:C(1.5,2.5) s:^a-b \
         x:Bin(\"t\") l:[1, @a, {k}] m:{k:`http://a`} r:@a}'",
        "folio.commit p add '[{id:@gone}, {id:@b old}, {id:@thrown trash}, {id:@t point his \
         kind:\"Number\" tz:\"Berlin\" unit:\"kW\"}]'",
        "folio.commit p force remove {id:@gone}",
        "folio.his.write p t '[{ts:2024-01-01T00:00:00+01:00 Berlin val:1.5}, \
         {ts:2024-01-01T00:01:00+01:00 Berlin val:NA}]'",
        "select 3",
        "folio.open elsewhere",
        "select 0",
        "save",
        "folio.commit p force update '{id:@b old:R new:2m}' add {id:@later} remove {id:@thrown}",
        "folio.his.write p t '[{ts:2024-01-01T00:01:00+01:00 Berlin val:R}, \
         {ts:2024-01-01T00:02:00+01:00 Berlin val:3kW}]'",
        "folio.his.clear p t range - '2024-01-01T00:01:00+01:00 Berlin'",
        "copy p copy",
        "folio.open deleted",
        "del deleted",
    ],
    asked: &[
        ("dbsize", ":3"),
        ("exists empty p copy deleted", ":3"),
        ("folio.count p id", ":4"),
        ("folio.count p id trash", ":0"),
        (
            "folio.count p 'dis == \"A\" and n == 1.5kW and u == 3_own and i == -2 and b == true \
             and d == 2024-01-01 and t == 08:00:00 and ts->date == 2024-01-01 and z->tz == \
             \"Shanghai\" and s == ^a-b and m->k == `http://a` and r->dis and c and x and l'",
            ":1",
        ),
        ("folio.count copy 'not old and new == 2m'", ":1"),
        (
            "folio.his.read copy t",
            "*1\r\n*2\r\n$32\r\n2024-01-01T00:02:00+01:00 Berlin\r\n$3\r\n3kW",
        ),
        ("folio.count p 'hisSize == 1'", ":1"),
        ("folio.open empty prefix x", "+OK"),
        ("folio.open empty prefix y", "-ERR the project is there with another prefix"),
        ("select 3", "+OK"),
        ("folio.list", "*1\r\n$9\r\nelsewhere"),
    ],
};

/// Writes the fixtures anew: for a new version of a format, into a folder of its own.
#[test]
#[ignore = "writes files into the source"]
fn write_fixtures() {
    let all = [
        VERSION_1, DOCUMENTS, FUNCTIONS, VERSION_2, VERSION_3, VERSION_4, PIECES, KEYS, GRAPHS,
        PROJECTS,
    ];
    for fixture in all {
        if fixture.path().exists() {
            continue;
        }
        let disk = Liar::default();
        let mut client = start(&disk);
        if fixture.folder == PIECES.folder {
            // All that has chunks is copied so.
            client.worker.engine.store.copy_in_chunks_from(0, 1);
        }
        for line in fixture.done {
            if *line == "save" {
                // Not in a thread of its own.
                client.worker.engine.save(Reason::Save, true).unwrap();
                continue;
            }
            let reply = client.ask(line);
            assert!(!reply.starts_with('-'), "{line}: {reply}");
        }
        client.worker.engine.close_data_dir();
        std::fs::create_dir_all(fixture.path()).unwrap();
        for (name, len) in disk.files() {
            if name.contains("spare") {
                continue;
            }
            let mut bytes = disk.bytes(&name);
            bytes.truncate(usize::try_from(len.next_multiple_of(8)).unwrap().min(bytes.len()));
            std::fs::write(fixture.path().join(name), bytes).unwrap();
        }
    }
}

fn is_read(fixture: &Fixture) {
    let mut client = start(&fixture.disk());
    for (line, reply) in fixture.asked {
        assert_eq!(client.ask(line), *reply, "{line}");
    }
    client.worker.engine.close_data_dir();
}

#[test]
fn files_with_projects_are_read() {
    is_read(&PROJECTS);
}

#[test]
fn files_with_graphs_are_read() {
    is_read(&GRAPHS);
}

#[test]
fn files_of_version_1_are_read() {
    is_read(&VERSION_1);
}

#[test]
fn files_with_a_journal_of_version_2_are_read() {
    is_read(&VERSION_2);
}

#[test]
fn files_with_a_journal_of_version_3_are_read() {
    is_read(&VERSION_3);
}

#[test]
fn files_with_a_journal_of_version_4_are_read() {
    is_read(&VERSION_4);
}

#[test]
fn files_of_version_1_with_documents_are_read() {
    is_read(&DOCUMENTS);
}

#[test]
fn a_snapshot_of_version_2_with_pieces_is_read() {
    is_read(&PIECES);
}

#[test]
fn files_of_version_1_with_functions_are_read() {
    is_read(&FUNCTIONS);
}

#[test]
fn files_whose_keys_are_hashed_with_secret_numbers_are_read() {
    is_read(&KEYS);
}

/// What manifest and snapshot say of how keys are hashed.
fn hashing_of(disk: &Liar) -> Hashing {
    let manifest = Manifest::read(disk).unwrap().unwrap();
    let header = Reader::open(disk, manifest.snapshot.as_ref().unwrap()).unwrap().header;
    assert_eq!(header.hashing, manifest.hashing);
    manifest.hashing
}

/// A directory that goes on from a fixture. Each of its keys grows by a letter in each life.
struct Life {
    disk: Liar,
    /// Keys of the fixture.
    others: usize,
    letters: String,
}

impl Life {
    const KEYS: usize = 200;

    /// With so many shards: all that there was is there; all keys grow in the snapshot, and half of
    /// them once more in the journal behind it.
    fn live(&mut self, shards: usize, letter: char, saves: bool) {
        let mut client = start_with(&self.disk, shards);
        let there = if self.letters.is_empty() { 0 } else { Self::KEYS };
        assert_eq!(client.ask("DBSIZE"), format!(":{}", self.others + there), "{shards}");
        for n in 0..there {
            let mut wanted = self.letters.clone();
            if n % 2 == 0 {
                wanted.push('+');
            }
            let reply = format!("${}\r\n{wanted}", wanted.len());
            assert_eq!(client.ask(&format!("GET more:{n}")), reply, "{n} of {shards} shards");
            assert_eq!(client.ask(&format!("SET more:{n} {}", self.letters)), "+OK");
        }
        self.letters.push(letter);
        let grown = format!(":{}", self.letters.len());
        (0..Self::KEYS).for_each(|n| {
            assert_eq!(client.ask(&format!("APPEND more:{n} {letter}")), grown);
        });
        if saves {
            client.worker.engine.save(Reason::Save, true).unwrap();
        }
        (0..Self::KEYS).step_by(2).for_each(|n| {
            client.ask(&format!("APPEND more:{n} +"));
        });
        client.worker.engine.close_data_dir();
    }
}

/// A directory goes on with the hash it was begun with: from the journal behind the fixture's
/// snapshot, from one of its own, and with other numbers of shards.
fn goes_on(fixture: &Fixture, function: HashFunction) {
    for lost in [false, true] {
        let disk = fixture.disk();
        let hashing = hashing_of(&disk);
        assert_eq!(hashing.function, function);
        if lost {
            disk.remove(manifest::NAME).unwrap();
            let disk: Arc<dyn Disk> = Arc::new(disk.clone());
            let checked = check(&*disk).unwrap();
            repair(&disk, None, &checked.problems[0]).unwrap();
        }
        assert_eq!(hashing_of(&disk), hashing, "lost: {lost}");
        let others = fixture.asked[0].1[1..].parse().unwrap();
        let mut life = Life { disk: disk.clone(), others, letters: String::new() };
        for (shards, letter, saves) in
            [(4, 'a', false), (4, 'b', false), (4, 'c', true), (4, 'd', false), (16, 'e', true)]
        {
            life.live(shards, letter, saves);
            assert_eq!(hashing_of(&disk), hashing, "{shards} {letter} lost: {lost}");
        }
        life.live(2, 'f', false);
        life.live(2, 'g', false);
        assert_eq!(hashing_of(&disk), hashing);
    }
}

#[test]
fn directories_go_on_with_the_hash_they_were_begun_with() {
    goes_on(&VERSION_1, HashFunction::KnownNumbers);
    goes_on(&PIECES, HashFunction::KnownNumbers);
    goes_on(&KEYS, HashFunction::SecretNumbers);
}

#[test]
fn a_directory_written_anew_gets_the_hash_of_today() {
    let old: Arc<dyn Disk> = Arc::new(VERSION_1.disk());
    let manifest = Manifest::read(&*old).unwrap().unwrap();
    let (folder, settings) = (Folder::new("engine"), config::Settings::new(1));
    let to = folder.join("dump.rdb");
    redis_files::export(&settings, (&old, &manifest), redis_files::Until::End, &to).unwrap();
    for _ in 0..2 {
        let (engine, _) = open(folder.path(), "appendonly yes\nsave \"\"").unwrap();
        let mut client = TestClient::new(&engine);
        for (line, reply) in VERSION_1.asked {
            assert_eq!(client.ask(line), *reply, "{line}");
        }
        engine.close_data_dir();
        let manifest = Manifest::read(&Directory::open(folder.path()).unwrap()).unwrap().unwrap();
        assert_eq!(manifest.hashing, Hashing::new(1));
    }
}

#[test]
fn an_engine_that_hashes_otherwise_reads_nothing() {
    let engine = engine_with(CONFIG);
    engine.attach_data_dir(DataDir::on(Arc::new(VERSION_1.disk())).unwrap());
    let refused = engine.recover().unwrap_err();
    assert!(refused.contains("would look for its keys elsewhere"), "{refused}");
    engine.close_data_dir();
}

/// Entries as they stand in a snapshot, one of each type.
fn images() -> Vec<Vec<u8>> {
    let head = |kind: u8, flags: u8| {
        let mut out = vec![kind, flags];
        if flags & 128 != 0 {
            out.extend_from_slice(&9_u64.to_le_bytes());
        }
        put_number(&mut out, 77);
        put_bytes(&mut out, b"the key");
        out
    };
    let words: Vec<Vec<u8>> = (0..20).map(|n: u32| format!("{n}").into_bytes()).collect();
    let document = |form: u8, rest: &[u8]| {
        let mut out = head(6, 128);
        put_bytes(&mut out, &[&[form], rest].concat());
        out
    };
    let text = br#"{"a":[1,2.5,"x\n",null,true],"b":{"a":-1e300},"c":[0.5,1.5]}"#;
    let mut tree = Vec::new();
    let value = json::Value::parse(text, &mut json::Registry::new()).unwrap();
    value.root().encode(&mut tree);
    (0..5)
        .map(|kind| {
            let mut out = head(kind, if kind % 2 == 0 { 128 } else { 0 });
            if kind == 0 {
                put_bytes(&mut out, b"a value");
                return out;
            }
            put_number(&mut out, words.len() as u64);
            for word in &words {
                put_bytes(&mut out, word);
                match kind {
                    3 => put_bytes(&mut out, b"value"),
                    4 => out.extend_from_slice(&1.5_f64.to_bits().to_le_bytes()),
                    _ => {}
                }
            }
            out
        })
        .chain([document(0, text), document(1, &tree)])
        .collect()
}

#[test]
fn broken_entries_are_refused_or_read() {
    let engine = engine_with("");
    let limits = engine.store.limits();
    let mut random = Random::new(11);
    let mut read = [0; 2];
    for original in images() {
        assert!(image::read(&mut Source::new(&original), &limits, &mut Contexts::new(0)).is_ok());
        for _ in 0..6_000 {
            let mut bytes = original.clone();
            for _ in 0..=random.below(2) {
                let at = usize::try_from(random.below(bytes.len() as u64)).unwrap();
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = 0xff,
                    2 => bytes.truncate(at + 1),
                    _ => bytes.insert(at, 0x80),
                }
            }
            let (mut whole, mut passed) = (Source::new(&bytes), Source::new(&bytes));
            let found = image::read(&mut whole, &limits, &mut Contexts::new(0)).is_ok();
            let skipped = image::skip(&mut passed).is_ok();
            // What can be read is as long as what is passed over.
            assert!(!found || (skipped && whole.rest() == passed.rest()), "{bytes:?}");
            read[usize::from(found)] += 1;
        }
    }
    assert!(read.iter().all(|&count| count > 1000), "{read:?}");
}
