//! Random requests that mostly succeed, of every family of commands that write.
#![allow(dead_code)] // each test program uses a part

use base::Rng;

/// What is sent. Letters stand for themselves but for these words:
/// `K` a key, `V` a value, `W` several values, `I` a small integer, `F` a field, `S` a score,
/// `P` fields with values, `Z` scores with members, `G` places with members, `B` an offset of a
/// bit, `L` a lot of padding, `D` a database, `T` a stream, `E` the id of an entry.
const REQUESTS: &[&str] = &[
    "SET K V",
    "SET K V",
    "SET K I",
    "SET K L",
    "SET K V EX 100000",
    "SET K V KEEPTTL",
    "SET K V NX",
    "SET K V XX GET",
    "SETNX K V",
    "SETEX K 5000 V",
    "PSETEX K 5000000 V",
    "GETSET K V",
    "GETDEL K",
    "GETEX K PERSIST",
    "GETEX K EX 90000",
    "APPEND K V",
    "APPEND K L",
    "SETRANGE K I V",
    "INCR K",
    "DECR K",
    "INCRBY K I",
    "DECRBY K I",
    "INCRBYFLOAT K S",
    "MSET K V K V K I",
    "MSETNX K V K V",
    "DEL K",
    "DEL K K",
    "UNLINK K",
    "RENAME K K",
    "RENAMENX K K",
    "COPY K K",
    "COPY K K REPLACE",
    "COPY K K DB D REPLACE",
    "COPY K K DB 0 DB D REPLACE",
    "MOVE K D",
    "EXPIRE K 100000",
    "PEXPIRE K 100000000 NX",
    "EXPIRE K 200000 GT",
    "EXPIREAT K 99999999999",
    "PEXPIREAT K 99999999999000 XX",
    "PERSIST K",
    "TOUCH K",
    "SORT K ALPHA STORE K",
    "SORT K BY nosort STORE K",
    "HSET K P",
    "HSET K P",
    "HSET K F L",
    "HMSET K P",
    "HSETNX K F V",
    "HDEL K F F",
    "HINCRBY K F I",
    "HINCRBYFLOAT K F S",
    "LPUSH K W",
    "RPUSH K W",
    "RPUSH K L",
    "LPUSHX K V",
    "RPUSHX K V",
    "LPOP K",
    "RPOP K",
    "LPOP K 2",
    "LSET K I V",
    "LREM K I V",
    "LTRIM K 0 20",
    "LINSERT K BEFORE V V",
    "LINSERT K AFTER V V",
    "LMOVE K K LEFT RIGHT",
    "RPOPLPUSH K K",
    "LMPOP 2 K K LEFT COUNT 2",
    "BLMOVE K K LEFT LEFT 0.01",
    "SADD K W",
    "SADD K W",
    "SADD K I I I",
    "SREM K W",
    "SMOVE K K V",
    "SINTERSTORE K K K",
    "SUNIONSTORE K K K",
    "SDIFFSTORE K K K",
    "ZADD K Z",
    "ZADD K Z",
    "ZADD K NX Z",
    "ZADD K XX Z",
    "ZADD K GT CH Z",
    "ZADD K INCR S V",
    "ZINCRBY K S V",
    "ZREM K W",
    "ZPOPMIN K",
    "ZPOPMAX K 2",
    "ZMPOP 2 K K MIN",
    "ZREMRANGEBYRANK K 0 1",
    "ZREMRANGEBYSCORE K 0 S",
    "ZRANGESTORE K K 0 5",
    "ZUNIONSTORE K 2 K K",
    "ZINTERSTORE K 2 K K WEIGHTS 2 I",
    "ZDIFFSTORE K 2 K K",
    "SETBIT K B 1",
    "SETBIT K B 0",
    "BITOP AND K K K",
    "BITOP XOR K K K",
    "BITOP NOT K K",
    "BITFIELD K SET u8 B I",
    "BITFIELD K OVERFLOW SAT INCRBY i5 #B I INCRBY u16 B I",
    // Where nothing but the length of a string changes, or an element fails after another was
    // added, Redis forgets to tell its append-only file.
    "BITFIELD K INCRBY u3 B 1 OVERFLOW FAIL SET u3 B I",
    "PFADD K V",
    "PFADD K",
    "PFADD h:1 W",
    "PFADD h:2 W",
    "PFCOUNT K",
    "PFCOUNT h:1",
    "PFCOUNT h:2 h:1",
    "PFMERGE h:1 h:2 K",
    "PFMERGE h:3 h:1",
    "PFMERGE K h:1",
    "PFDEBUG TODENSE h:3",
    "PFDEBUG GETREG h:3",
    "GEOADD K G",
    "GEOADD K CH G",
    "GEOADD K NX G",
    "GEOADD g G",
    "GEOSEARCHSTORE K g FROMLONLAT 0 0 BYRADIUS 900 km",
    "GEOSEARCHSTORE K K FROMLONLAT 1 1 BYBOX 800 900 km COUNT 3 STOREDIST",
    "GEORADIUS g 0 0 700 km STORE K",
    "GEORADIUS g 0 0 700 km STORE K STOREDIST K",
    "GEORADIUS K 0 0 700 mi STORE K STORE K COUNT 2",
    "GEORADIUSBYMEMBER g a 700 km STOREDIST K",
    "XADD T E F V",
    "XADD T E F V F I",
    "XADD T E F V F I F V",
    "XADD K E F V",
    "XADD T MAXLEN ~ 20 E F V",
    "XTRIM T MAXLEN 25",
    "XDEL T E E",
    "DEL T",
    "XSETID T 70-0",
    "COPY T T REPLACE",
    "RENAME T T",
];

/// What random numbers or the order of equals decide, or what is rare, as it is about whole
/// databases.
const WILD: &[&str] =
    &["SPOP K", "SPOP K 3", "ZREMRANGEBYLEX K - [b", "SWAPDB 0 D", "FLUSHDB", "FLUSHALL ASYNC"];

/// What depends on a clock.
const TIMED: &[&str] = &[
    "XADD T * F V",
    "XADD T * F V",
    "XADD T * F V F I",
    "XADD T * F V F I F V",
    "XADD T MAXLEN ~ 20 * F V",
    "XADD T MAXLEN 30 * F L",
    "XADD T NOMKSTREAM MINID ~ 1700000000500-0 * F V",
    "XTRIM T MAXLEN ~ 5 LIMIT 200",
    "XGROUP CREATE T g 0 MKSTREAM",
    "XGROUP CREATE T g $",
    "XGROUP CREATE T h $",
    "XGROUP SETID T g 0",
    "XGROUP CREATECONSUMER T g a",
    "XGROUP DELCONSUMER T g b",
    "XGROUP DESTROY T h",
    "XREADGROUP GROUP g a COUNT 4 STREAMS T >",
    "XREADGROUP GROUP g b STREAMS T >",
    "XREADGROUP GROUP g b COUNT 3 STREAMS T 0",
    "XREADGROUP GROUP g a NOACK COUNT 2 STREAMS T T > >",
    "XREADGROUP GROUP g c BLOCK 5 STREAMS T >",
    "XAUTOCLAIM T g b 0 0 COUNT 3",
    "XAUTOCLAIM T g a 1000 0 JUSTID",
    "XCLAIM T g c 0 E E E FORCE",
    "XACK T g E E E E",
];

/// What redis-server does not know: `J` is the key of a document, `A` a path, `O` a document.
const ON_DOCUMENTS: &[&str] = &[
    "JSON.SET J . O",
    "JSON.SET J $ O",
    "JSON.SET J A O",
    "JSON.SET J A O",
    "JSON.SET J A O NX",
    "JSON.SET J A O XX",
    "JSON.MSET J . O J A O",
    "JSON.MERGE J . O",
    "JSON.MERGE J A O",
    "JSON.GET J",
    "JSON.GET J A A",
    "JSON.NUMINCRBY J A I",
    "JSON.NUMINCRBY J A S",
    "JSON.NUMMULTBY J A 2",
    "JSON.NUMPOWBY J A 2",
    "JSON.STRAPPEND J A \"V\"",
    "JSON.TOGGLE J A",
    "JSON.CLEAR J A",
    "JSON.DEL J A",
    "JSON.DEL J",
    "JSON.FORGET J A",
    "JSON.ARRAPPEND J A O O",
    "JSON.ARRAPPEND J A I",
    "JSON.ARRINSERT J A 0 O",
    "JSON.ARRPOP J A",
    "JSON.ARRPOP J A 0",
    "JSON.ARRTRIM J A 0 5",
    "JSON.TYPE J A",
    "COPY J J REPLACE",
    "COPY J K DB D REPLACE",
    "RENAME J J",
    "EXPIRE J 100000",
    "PERSIST J",
    "MOVE J D",
    "DEL J",
    "SET J V",
];

const PATHS: &[&str] = &[
    "$",
    ".",
    "$.a",
    "a",
    ".b",
    "$.b[0]",
    "b[-1]",
    "$..a",
    "$.*",
    "$..*",
    "$.c.d",
    "$.new",
    "$.b",
    "$.b",
    "$.c",
    "$.b[*]",
    "$..[?(@.a>1)]",
];

const DOCUMENTS: &[&str] = &[
    "1",
    "-2.5",
    "true",
    "null",
    "\"text\"",
    "[1,2,3]",
    "[0.5,1.5,2.25]",
    "[]",
    "{}",
    "{\"a\":1,\"b\":[1,2,3],\"c\":{\"d\":true}}",
    "{\"a\":\"text\",\"b\":[{\"a\":1},{\"a\":2}],\"c\":{\"d\":null,\"a\":1.5}}",
    "{\"b\":null,\"new\":{\"a\":[[]]}}",
];

/// A request about documents.
pub fn document_request(rng: &mut Rng) -> Vec<Vec<u8>> {
    let template = ON_DOCUMENTS[rng.below(ON_DOCUMENTS.len())];
    let of_documents: Vec<String> = template
        .split(' ')
        .map(|word| match word {
            "J" => format!("doc:{}", rng.below(6)),
            "A" => PATHS[rng.below(PATHS.len())].to_owned(),
            "O" => DOCUMENTS[rng.below(DOCUMENTS.len())].to_owned(),
            "\"V\"" => format!("\"text {}\"", rng.below(100)),
            other => other.to_owned(),
        })
        .collect();
    // The rest is as in all others; documents have no letters that stand for something.
    of_documents
        .iter()
        .flat_map(|word| match word.as_str() {
            "K" | "V" | "I" | "S" | "D" => fill(rng, word),
            word => vec![word.as_bytes().to_vec()],
        })
        .collect()
}

/// A request that two servers carry out alike.
pub fn request(rng: &mut Rng) -> Vec<Vec<u8>> {
    let template = REQUESTS[rng.below(REQUESTS.len())];
    fill(rng, template)
}

/// Any request: also those with random results, or that are about whole databases.
pub fn any_request(rng: &mut Rng) -> Vec<Vec<u8>> {
    if rng.below(8) == 0 {
        let template = TIMED[rng.below(TIMED.len())];
        return fill(rng, template);
    }
    let at = match rng.below(800) {
        0..8 => rng.below(3),
        8 => 3 + rng.below(3),
        _ => return request(rng),
    };
    fill(rng, WILD[at])
}

fn fill(rng: &mut Rng, template: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    for word in template.split(' ') {
        match word {
            "K" => words.push(format!("key:{}", rng.below(40)).into_bytes()),
            "E" => words.push(format!("{}-{}", rng.below(60), rng.below(3)).into_bytes()),
            "T" => words.push(format!("stream:{}", rng.below(6)).into_bytes()),
            "V" => words.push(value(rng)),
            "W" => (0..1 + rng.below(5)).for_each(|_| words.push(value(rng))),
            "I" => words.push((rng.below(300) as i64 - 100).to_string().into_bytes()),
            "F" => words.push(format!("field{}", rng.below(12)).into_bytes()),
            "S" => words.push(score(rng)),
            "P" => (0..1 + rng.below(4)).for_each(|_| {
                words.push(format!("field{}", rng.below(12)).into_bytes());
                words.push(value(rng));
            }),
            "Z" => (0..1 + rng.below(4)).for_each(|_| {
                words.push(score(rng));
                words.push(value(rng));
            }),
            "B" => words.push(rng.below(900).to_string().into_bytes()),
            "#B" => words.push(format!("#{}", rng.below(90)).into_bytes()),
            "G" => (0..1 + rng.below(4)).for_each(|_| {
                words.push(format!("{}.5", rng.below(12)).into_bytes());
                words.push(format!("-{}.25", rng.below(9)).into_bytes());
                words.push(value(rng));
            }),
            "L" => words.push(vec![b'x'; rng.below(9000)]),
            "D" => words.push(rng.below(4).to_string().into_bytes()),
            other => words.push(other.as_bytes().to_vec()),
        }
    }
    words
}

fn value(rng: &mut Rng) -> Vec<u8> {
    match rng.below(8) {
        0..3 => [b"a", b"b", b"c", b"d"][rng.below(4)].to_vec(),
        3..6 => rng.below(50).to_string().into_bytes(),
        6 => (0..rng.below(80)).map(|_| rng.below(256) as u8).collect(),
        _ => format!("value {}", rng.below(10)).into_bytes(),
    }
}

fn score(rng: &mut Rng) -> Vec<u8> {
    match rng.below(6) {
        0 => "inf".into(),
        1 => format!("{}.25", rng.below(9)).into_bytes(),
        // Not -0, which redis-server reads back from its own file as 0.
        2 => format!("-{}e-3", 1 + rng.below(90)).into_bytes(),
        _ => rng.below(40).to_string().into_bytes(),
    }
}
