//! The same rules and the same requests to Kvist and to a redis-server: the users they make must be
//! described in the same words, and the same requests refused for the same reasons.
//!
//! Redis lists single commands in an order that changes with every start; here they are compared
//! in the order of the alphabet. `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Rng;
use kvist_engine::Engine;
use testkit::oracle::{Client, Oracle};
use testkit::seed;

use crate::test_client::{TestClient, engine};

/// A reply as `oracle::Client` gives it: parts, an array's header first.
type Reply = Vec<Vec<u8>>;

/// Commands of ours that Redis does not know.
fn own(engine: &Engine, redis: &BTreeSet<String>) -> BTreeSet<String> {
    let names = engine.table.entries().iter().map(|entry| entry.name().to_owned());
    names.filter(|name| !redis.contains(name)).collect()
}

/// Runs a request; the reply in parts.
fn ask(client: &mut TestClient, words: &[&[u8]]) -> Reply {
    let mut input = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        input.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        input.extend_from_slice(word);
        input.extend_from_slice(b"\r\n");
    }
    let mut out = Vec::new();
    client.worker.begin(1_000_000);
    client.worker.feed(&mut client.session, &mut input, &mut out);
    parts(&out)
}

fn parts(mut bytes: &[u8]) -> Reply {
    let mut parts = Vec::new();
    while let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") {
        let line = &bytes[..end];
        bytes = &bytes[end + 2..];
        match std::str::from_utf8(&line[1..]).unwrap_or_default().parse::<usize>() {
            Ok(len) if line[0] == b'$' => {
                parts.push(bytes[..len].to_vec());
                bytes = &bytes[len + 2..];
            }
            _ => parts.push(line.to_vec()),
        }
    }
    parts
}

/// A description of rules with runs of single commands in order, without those of ours and
/// without the category that they have to themselves.
fn in_order(text: &[u8], own: &BTreeSet<String>) -> Vec<u8> {
    let is_rules =
        text.starts_with(b"user ") || [b"+@all", b"-@all"].iter().any(|all| text.starts_with(*all));
    if !is_rules {
        return text.to_vec();
    }
    let text = text.escape_ascii().to_string().replace(')', " )");
    let is_single = |word: &str| word.starts_with(['+', '-']) && !word[1..].starts_with('@');
    let is_own = |word: &str| {
        (is_single(word) && own.contains(&word[1..]))
            || ["json", "graph", "folio"].iter().any(|ours| word.ends_with(&format!("@{ours}")))
    };
    let words = text.split(' ').filter(|word| !is_own(word));
    let mut words: Vec<&str> = words.collect();
    words.chunk_by_mut(|a, b| is_single(a) && is_single(b)).for_each(<[&str]>::sort_unstable);
    words.join(" ").into_bytes()
}

fn shown(reply: &Reply) -> String {
    reply.iter().map(|part| part.escape_ascii().to_string()).collect::<Vec<_>>().join(" ")
}

struct Pair {
    oracle: Oracle,
    redis: Client,
    engine: Arc<Engine>,
    kvist: TestClient,
    /// All commands of Redis, and those of ours that are not among them.
    names: BTreeSet<String>,
    own: BTreeSet<String>,
}

impl Pair {
    fn new() -> Option<Self> {
        let oracle = Oracle::start(&[])?;
        let mut redis = Client::new(&oracle);
        let list = redis.ask(&[b"COMMAND", b"LIST"]);
        let text = |part: &Vec<u8>| String::from_utf8(part.clone()).unwrap();
        let mut names: BTreeSet<String> = list[1..].iter().map(text).collect();
        // COMMAND LIST leaves subcommands out; categories have them.
        for category in ["slow", "fast"] {
            let all = redis.ask(&[b"ACL", b"CAT", category.as_bytes()]);
            names.extend(all[1..].iter().map(text));
        }
        let engine = engine();
        let own = own(&engine, &names);
        let kvist = TestClient::new(&engine);
        Some(Pair { oracle, redis, engine, kvist, names, own })
    }

    fn agree(&mut self, words: &[&[u8]], story: &dyn Fn() -> String) -> Reply {
        let theirs = self.redis.ask(words);
        let ours = ask(&mut self.kvist, words);
        let order = |reply: &Reply| -> Reply {
            reply.iter().map(|part| in_order(part, &self.own)).collect()
        };
        let request = words.iter().map(|w| w.escape_ascii().to_string()).collect::<Vec<_>>();
        let (theirs, ours_in_order) = (order(&theirs), order(&ours));
        assert_eq!(
            shown(&ours_in_order),
            shown(&theirs),
            "{}\nafter {}",
            request.join(" "),
            story()
        );
        ours
    }
}

fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())].clone()
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "on", "off", "nopass", "resetpass", ">p", ">q", "<p", "allkeys", "resetkeys", "~*", "~k*",
    "~a?b", "%R~r*", "%W~w*", "%RW~rw", "%w~r*", "%r~w*", "%RR~x", "%~x", "%R", "~", "allchannels",
    "resetchannels", "&*", "&ch*", "&x", "allcommands", "nocommands", "+@all", "-@all", "reset",
    "RESETKEYS", "clearselectors", "sanitize-payload", "skip-sanitize-payload", "(+get ~k*)",
    "(~* -@all +@hash)", "(&ch* +@pubsub)", "(%R~r* +@read)", "(+@all -@write ~*", "allkeys)",
    "(on)", "()", "", "bad", "+nope", "-nope", "+@nope", "+get|x", "+select|0", "+SELECT|0",
    "+debug|object", "+config|", "+config|nope", "+config|get|x", "-get|x", "+|", "+", "-", "@all",
    "#c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65", "#c86", "!c86", "~a b",
    "!c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65", "&a\tb", "~\u{e9}",
];

fn rule(rng: &mut Rng, names: &[String]) -> String {
    // The last is that of documents.
    let of_redis = &acl::CATEGORIES[..acl::CATEGORIES.len() - 3];
    let sign = pick(rng, &["+", "-"]);
    match rng.below(10) {
        0..4 => format!("{sign}{}", pick(rng, names)),
        4..7 => format!("{sign}@{}", pick(rng, of_redis)),
        _ => pick(rng, WORDS).to_owned(),
    }
}

#[test]
fn users_made_by_the_same_rules_are_described_in_the_same_words() {
    let Some(mut pair) = Pair::new() else { return };
    let mut rng = seed::rng_of(7_015);
    let names: Vec<String> = pair.names.iter().cloned().collect();
    for _ in 0..250 {
        let mut told: Vec<String> = Vec::new();
        for _ in 0..=rng.below(5) {
            // Few at a time: a rule that is refused takes the others with it.
            let rules: Vec<String> = (0..=rng.below(3)).map(|_| rule(&mut rng, &names)).collect();
            told.push(rules.join(" "));
            let mut words: Vec<&[u8]> = vec![b"ACL", b"SETUSER", b"u"];
            words.extend(rules.iter().map(String::as_bytes));
            pair.agree(&words, &|| told.join(" / "));
        }
        pair.agree(&[b"ACL", b"GETUSER", b"u"], &|| told.join(" / "));
        pair.agree(&[b"ACL", b"LIST"], &|| told.join(" / "));
        pair.agree(&[b"ACL", b"DELUSER", b"u"], &|| told.join(" / "));
    }
}

#[rustfmt::skip]
const ARGUMENTS: &[&str] = &[
    "k1", "k2", "r1", "w1", "rw", "a1b", "zz", "ch1", "ch*", "x", "0", "1", "2", "3", "-1", "STORE",
    "BY", "GET", "get", "LIMIT", "ASC", "WITHSCORES", "NX", "EX", "LEFT", "RIGHT", "COUNT", "*", "",
    "\u{e9}", "MATCH", "WEIGHTS",
];

/// A request of a command that both know, of the right length, filled with whatever.
fn request(rng: &mut Rng, engine: &Engine, own: &BTreeSet<String>) -> Vec<String> {
    loop {
        let entries = engine.table.entries();
        let entry = &entries[rng.below(entries.len())];
        if own.contains(entry.name()) || !entry.naming.children.is_empty() {
            continue;
        }
        let mut words: Vec<String> = entry.name().split('|').map(str::to_owned).collect();
        let least = usize::try_from(entry.syntax.arity.unsigned_abs()).unwrap();
        let more = if entry.syntax.arity < 0 { rng.below(5) } else { 0 };
        while words.len() < least + more {
            words.push(pick(rng, ARGUMENTS).to_owned());
        }
        if rng.below(3) == 0 {
            words[0] = words[0].to_ascii_uppercase();
        }
        return words;
    }
}

#[test]
fn the_same_requests_are_allowed_and_refused() {
    let Some(mut pair) = Pair::new() else { return };
    let mut rng = seed::rng_of(7_015);
    let names: Vec<String> = pair.names.iter().cloned().collect();
    let (mut allowed, mut refused) = (0, 0);
    for _ in 0..150 {
        let mut rules: Vec<String> =
            (0..2 + rng.below(8)).map(|_| rule(&mut rng, &names)).collect();
        if rng.below(3) > 0 {
            // Few requests get past the command otherwise.
            rules.insert(0, "+@all".to_owned());
        }
        for rule in &rules {
            let words: [&[u8]; 4] = [b"ACL", b"SETUSER", b"u", rule.as_bytes()];
            pair.agree(&words, &String::new);
        }
        for _ in 0..60 {
            let request = request(&mut rng, &pair.engine, &pair.own);
            // Without sources Redis finds no key in it, and lets the destination pass.
            if request.len() == 2 && request[0].eq_ignore_ascii_case("pfmerge") {
                continue;
            }
            let mut words: Vec<&[u8]> = vec![b"ACL", b"DRYRUN", b"u"];
            words.extend(request.iter().map(String::as_bytes));
            let reply = pair.agree(&words, &|| rules.join(" "));
            if reply[0] == b"+OK" {
                allowed += 1;
            } else {
                refused += 1;
            }
        }
        pair.agree(&[b"ACL", b"DELUSER", b"u"], &String::new);
    }
    assert!(allowed > 500 && refused > 500, "{allowed} allowed, {refused} refused");
}

#[test]
fn categories_are_those_of_redis_and_those_of_modules() {
    let Some(mut pair) = Pair::new() else { return };
    let theirs = pair.redis.ask(&[b"ACL", b"CAT"]);
    let ours = ask(&mut pair.kvist, &[b"ACL", b"CAT"]);
    assert_eq!(
        shown(&ours[1..].to_vec()),
        format!("{} json graph folio", shown(&theirs[1..].to_vec()))
    );
}

#[test]
fn categories_have_the_same_commands() {
    let Some(mut pair) = Pair::new() else { return };
    for category in acl::CATEGORIES {
        let theirs = pair.redis.ask(&[b"ACL", b"CAT", category.as_bytes()]);
        let ours = ask(&mut pair.kvist, &[b"ACL", b"CAT", category.as_bytes()]);
        let text = |part: &Vec<u8>| String::from_utf8(part.clone()).unwrap();
        let have = |name: &String| pair.engine.table.by_name(name.as_bytes()).is_some();
        let theirs: BTreeSet<String> = theirs[1..].iter().map(text).filter(have).collect();
        let ours: BTreeSet<String> = ours[1..].iter().map(text).collect();
        let ours: BTreeSet<String> = ours.difference(&pair.own).cloned().collect();
        assert_eq!(ours, theirs, "{category}");
    }
}

/// What three clients say, in turn: whose line, and the line. Client 0 is the default user.
#[rustfmt::skip]
const TALK: &[(usize, &str)] = &[
    (0, "ACL SETUSER u on nopass -@all +get +mget +set +sort +sort_ro +subscribe +psubscribe \
         +publish +spublish +multi +exec +client +hello +object|encoding +zunionstore +lmpop ~k* \
         %R~r* %W~w* &ch*"),
    (0, "ACL SETUSER v on >pw +@all ~* &*"),
    (1, "AUTH u x"), (2, "AUTH v no"), (2, "AUTH v pw"), (2, "ACL WHOAMI"), (1, "ACL WHOAMI"),
    (1, "DEL x"), (1, "dEL x"), (1, "GET x"), (1, "gEt k1"), (1, "GET w1"), (1, "SET r1 1"),
    (1, "SET w1 1"), (1, "SET w1 1 GET"), (1, "set w1 1 gEt"), (1, "MGET k1 r1 w1 z"),
    (1, "SUBSCRIBE zz"), (1, "PSUBSCRIBE ch1*"), (1, "PUNSUBSCRIBE ch*"), (1, "PUBLISH z z"),
    (1, "SPUBLISH z z"), (1, "PUBLISH ch1 z"), (1, "CONFIG GET x"), (1, "OBJECT FREQ k"),
    (1, "object ENCODING k"), (1, "OBJECT encoding z"), (1, "DEL"), (1, "nope"), (1, "CONFIG nope"),
    (1, "SORT k1 BY w_* GET #"), (1, "SORT k1 BY nosort GET #"), (1, "SORT k1 GET #"),
    (1, "SORT k1 BY a*"), (1, "SORT k1 FOO BY a*"), (1, "SORT k1 BY a* FOO"),
    (1, "SORT k1 STORE r1"),
    (1, "SORT k1 STORE w1"), (1, "SORT_RO k1 BY a*"), (1, "SORT k1 LIMIT a b BY a*"),
    (1, "SORT k1 LIMIT 0 1 STORE w1 BY a*"), (1, "SORT_RO r1 STORE w1"), (1, "SORT k1 BY"),
    (1, "ZUNIONSTORE w1 2 k1 x"), (1, "ZUNIONSTORE w1 2 k1 w1"), (1, "ZUNIONSTORE w1 x k1 x"),
    (1, "ZUNIONSTORE k1 5 k1 x"), (1, "LMPOP 1 w1 LEFT"), (1, "LMPOP 1 k1 LEFT"),
    (1, "LMPOP 2 k1 x LEFT"), (1, "LMPOP 9 k1 x LEFT"),
    (1, "MULTI"), (1, "DEL k"), (1, "GET k1"), (1, "EXEC"),
    (1, "MULTI"), (1, "GET k1"), (1, "SET k1 1"), (1, "SORT k1 BY a*"), (1, "GET k2"),
    (0, "ACL SETUSER u -get +@keyspace"), (1, "SET k3 3"), (1, "EXEC"),
    (0, "ACL SETUSER u +get"), (1, "MULTI"), (1, "GET k1"), (0, "ACL SETUSER u resetkeys"),
    (1, "EXEC"), (1, "GET k1"), (0, "ACL SETUSER u (+get ~sel*) (+set ~set*)"), (1, "GET sel"),
    (1, "SET sel 1"), (1, "SET set 1"), (0, "ACL SETUSER u clearselectors"), (1, "GET sel"),
    (0, "ACL SETUSER u off"), (1, "OBJECT ENCODING x"), (1, "AUTH u x"), (1, "ACL WHOAMI"),
    (0, "ACL SETUSER u on +debug|object +select|0 +@all"), (1, "SELECT 1"),
    (0, "ACL SETUSER u -select +select|0"), (1, "SELECT 1"), (1, "SELECT 0"), (1, "select 0"),
    (2, "CLIENT KILL USER nope"), (2, "CLIENT KILL USER v SKIPME yes"), (2, "RESET"),
    (2, "ACL WHOAMI"), (2, "AUTH v pw"), (2, "ACL DELUSER nope default x"), (2, "ACL USERS"),
    (0, "ACL DELUSER x default"), (0, "ACL SETUSER x"), (0, "ACL DELUSER x default"),
    (0, "ACL USERS"),
    (2, "MULTI"), (2, "AUTH default x"), (2, "ACL WHOAMI"), (2, "EXEC"),
    (0, "CONFIG SET requirepass foo"), (0, "ACL GETUSER default"), (0, "ACL SETUSER default >bar"),
    (0, "CONFIG GET requirepass"), (2, "RESET"), (2, "GET x"), (2, "HELLO 2"), (2, "AUTH baz"),
    (2, "AUTH bar"), (2, "GET x"), (2, "RESET"), (2, "AUTH default foo"), (2, "GET x"),
    (0, "ACL SETUSER default nopass"), (2, "RESET"), (2, "GET x"), (2, "AUTH zzz"),
    (2, "AUTH default zzz"), (0, "CONFIG SET requirepass foo"), (0, "ACL GETUSER default"),
    (0, "CONFIG SET requirepass foo2"), (0, "ACL GETUSER default"), (0, "ACL SETUSER default off"),
    (2, "GET x"), (2, "RESET"), (2, "GET x"), (2, "AUTH foo2"), (0, "ACL SETUSER default on"),
    (2, "AUTH foo2"), (0, "CONFIG SET acl-pubsub-default allchannels"), (0, "ACL SETUSER z (+get)"),
    (0, "ACL GETUSER z"), (0, "ACL SETUSER z reset"), (0, "ACL LIST"),
    (0, "ACL GENPASS 0"), (0, "ACL GENPASS 4097"), (0, "ACL GENPASS x"), (0, "ACL GENPASS 1 2"),
    (0, "ACL LOG x"), (0, "ACL LOG 1 2"), (0, "ACL LOG -1"), (0, "ACL SAVE"), (0, "ACL LOAD"),
    (0, "ACL CAT x"), (0, "ACL DRYRUN nope get"), (0, "ACL DRYRUN u"), (0, "ACL DRYRUN u nope"),
    (0, "ACL DRYRUN u get"), (0, "ACL DRYRUN u config nope"), (0, "ACL DRYRUN u config"),
    (0, "ACL SETUSER"), (0, "ACL GETUSER nope"), (0, "ACL WHOAMI x"), (0, "ACL LOG RESET"),
    (0, "ACL LOG"),
];

#[test]
fn clients_are_refused_what_their_users_may_not() {
    let Some(mut pair) = Pair::new() else { return };
    let mut theirs: Vec<Client> = (0..3).map(|_| Client::new(&pair.oracle)).collect();
    let mut ours: Vec<TestClient> = (0..3).map(|_| TestClient::new(&pair.engine)).collect();
    let mut refused = 0;
    for (number, (who, line)) in TALK.iter().enumerate() {
        if *line == "ACL LOG RESET" {
            refused = same_log(&mut pair);
        }
        let words: Vec<&[u8]> =
            line.split(' ').filter(|w| !w.is_empty()).map(str::as_bytes).collect();
        let order = |reply: Reply| -> Reply {
            reply.iter().map(|part| in_order(part, &pair.own)).collect()
        };
        let expected = shown(&order(theirs[*who].ask(&words)));
        let answer = shown(&order(ask(&mut ours[*who], &words)));
        assert_eq!(answer, expected, "line {number}: {who} {line}");
    }
    assert!(refused > 10, "{refused} refusals were logged");
}

/// The logs of both say the same but for when and from where; how many entries there are.
fn same_log(pair: &mut Pair) -> usize {
    let log: [&[u8]; 3] = [b"ACL", b"LOG", b"100"];
    // The time in a test stands still, so entries are not told apart by it.
    let fields = |reply: Reply| -> Vec<Vec<String>> {
        let entries = reply[1..].chunks(15);
        entries
            .map(|entry| {
                let text = |at: usize| entry[at].escape_ascii().to_string();
                let names = [1, 3, 5, 7, 9, 11, 13].map(text);
                let all = [
                    "count",
                    "reason",
                    "context",
                    "object",
                    "username",
                    "age-seconds",
                    "client-info",
                ];
                assert_eq!(names, all);
                assert!(text(12).parse::<f64>().is_ok_and(|age| age >= 0.0), "{}", text(12));
                assert!(text(14).starts_with("id=") && text(14).contains(" user="), "{}", text(14));
                let command = text(14).split(" cmd=").nth(1).map(str::to_owned).unwrap();
                let user = command.split(" redir=").next().unwrap().to_owned();
                [2, 4, 6, 8, 10].map(text).into_iter().chain([user]).collect()
            })
            .collect()
    };
    let theirs = fields(pair.redis.ask(&log));
    let ours = fields(ask(&mut pair.kvist, &log));
    assert_eq!(ours, theirs);
    ours.len()
}
