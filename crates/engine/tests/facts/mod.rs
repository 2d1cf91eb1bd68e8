//! What a spec says of its command agrees with itself and with the command's grammar.
//!
//! Most of these facts can be forgotten without anything failing until a password is logged or a
//! journal lacks a key. So requests are made of every grammar, whose arguments are known by their
//! names and kinds, and what the spec says of them is compared with that.

use base::grammar::{Arg, Kind};
use base::{
    Channels, Extent, Flag, InFile, InTransaction, KeyFlag, Locks, Makes, Property, RunTime,
    ScriptBy, Stores,
};
use kvist_engine::{Action, Entry, Table};
use testkit::transcript::words;

/// A word of a request, and the argument that it is.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    name: String,
    is_key: bool,
    is_number: bool,
}

/// Requests of an argument: the shortest, and one with each of its options.
fn forms_of(arg: &Arg) -> Vec<Vec<Word>> {
    let word = |text: &str| Word {
        text: text.to_owned(),
        name: arg.name.clone(),
        is_key: matches!(arg.kind, Kind::Key(_)),
        is_number: arg.kind == Kind::Integer,
    };
    let mut forms = match &arg.kind {
        Kind::PureToken => vec![Vec::new()],
        Kind::OneOf(args) => args.iter().flat_map(forms_of).collect(),
        Kind::Block(args) => forms(args),
        Kind::Integer | Kind::Double | Kind::UnixTime => vec![vec![word("1")]],
        Kind::String | Kind::Key(_) | Kind::Pattern(_) => vec![vec![word("x")]],
    };
    if let Some(token) = &arg.token {
        let token = Word { is_key: false, is_number: false, ..word(token) };
        forms.iter_mut().for_each(|form| form.insert(0, token.clone()));
    }
    forms
}

/// Requests of arguments.
fn forms(args: &[Arg]) -> Vec<Vec<Word>> {
    let mut all = vec![Vec::new()];
    let needed = |arg: &Arg| match arg.optional {
        true => Vec::new(),
        false => forms_of(arg).swap_remove(0),
    };
    for (at, arg) in args.iter().enumerate() {
        let others = |part: &[Arg]| part.iter().flat_map(needed).collect::<Vec<_>>();
        for form in forms_of(arg) {
            all.push([others(&args[..at]), form, others(&args[at + 1..])].concat());
        }
    }
    all[0] = args.iter().flat_map(needed).collect();
    all
}

/// All requests of a command.
fn requests(entry: &Entry) -> Vec<Vec<Word>> {
    let named = |text: &str| Word {
        text: text.to_owned(),
        name: String::new(),
        is_key: false,
        is_number: false,
    };
    let name: Vec<Word> = entry.name().split('|').map(named).collect();
    let all = forms(&entry.syntax.arguments).into_iter();
    all.map(|form| [name.clone(), form].concat()).filter(|all| entry.accepts(all.len())).collect()
}

/// Calls `check` with every command and every request of it.
fn each(table: &Table, mut check: impl FnMut(&Entry, &[&[u8]], &[Word])) {
    for entry in table.entries() {
        for request in requests(entry) {
            let argv: Vec<&[u8]> = request.iter().map(|word| word.text.as_bytes()).collect();
            check(entry, &argv, &request);
        }
    }
}

fn table() -> Table {
    kvist_engine::command_table().expect("a table")
}

fn is_on_data(entry: &Entry) -> bool {
    matches!(entry.action, Action::Data(_))
}

#[test]
fn what_may_be_a_password_is_secret() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        for (at, word) in words.iter().enumerate() {
            let is_token = word.text != "x";
            if word.name.contains("password") && !is_token {
                assert!((entry.spec.behaviour.words.secret)(argv, at), "{argv:?}: {at}");
                seen += 1;
            }
            assert!(
                at > 0 || !(entry.spec.behaviour.words.secret)(argv, at),
                "{argv:?} has no name"
            );
        }
    });
    assert!(seen >= 5, "{seen} passwords");
}

#[test]
fn every_key_in_a_request_is_found() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        if !is_on_data(entry) {
            return;
        }
        let mut found = Vec::new();
        entry.spec.key_positions(argv, &mut found).expect("keys");
        found.extend((entry.spec.behaviour.keys.target)(argv));
        for at in (0..words.len()).filter(|&at| words[at].is_key) {
            assert!(found.contains(&at), "{argv:?}: {at} is not among {found:?}");
            seen += 1;
        }
    });
    assert!(seen > 500, "{seen} keys");
}

/// A group, a consumer or an option's value may be the word that the keys stand behind.
#[test]
fn a_word_of_an_option_is_not_the_word_before_the_keys() {
    let table = table();
    for line in [
        "XREADGROUP COUNT 1 GROUP streams c STREAMS key >",
        "XREADGROUP NOACK GROUP g streams STREAMS key1 key2 > 0",
        "XREADGROUP BLOCK 5 COUNT 1 NOACK GROUP streams streams streams key >",
        "XREADGROUP GROUP streams streams COUNT 1 STREAMS key streams",
        "XREAD COUNT 1 STREAMS key streams",
    ] {
        let argv = words(line);
        let entry = table.find(&argv).expect(line);
        let mut found = Vec::new();
        entry.spec.key_positions(&argv, &mut found).expect(line);
        let keys: Vec<usize> = (0..argv.len()).filter(|&at| argv[at].starts_with(b"key")).collect();
        assert_eq!(found, keys, "{line}");
    }
}

#[test]
fn a_key_in_another_database_is_found() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        let has_keys = is_on_data(entry) && !entry.spec.keys.is_empty();
        let names = words.iter().any(|word| word.is_number && word.name.ends_with("db"));
        if has_keys && names {
            let database = entry.spec.behaviour.keys.database.map(|database| database(argv));
            assert_eq!(database, Some(Some(1)), "{argv:?}");
            seen += 1;
        }
    });
    assert!(seen >= 2, "{seen} databases");
}

#[test]
fn a_time_from_now_is_told_from_a_date() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        let is_span = |word: &Word| {
            word.is_number && ["seconds", "milliseconds", "ttl"].contains(&word.name.as_str())
        };
        let is_date = words.iter().any(|word| word.text == "ABSTTL");
        let writes = is_on_data(entry) && entry.has(Flag::Write) && !entry.has(Flag::Blocking);
        let expected = writes && !is_date && words.iter().any(is_span);
        assert_eq!((entry.spec.behaviour.words.from_now)(argv), expected, "{argv:?}");
        seen += usize::from(expected);
    });
    assert!(seen >= 9, "{seen} times from now");
}

#[test]
fn what_waits_by_an_option_blocks() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        let expected = words.iter().any(|word| word.text == "BLOCK");
        assert_eq!((entry.spec.behaviour.words.asks_to_wait)(argv), expected, "{argv:?}");
        assert!(!expected || entry.has(Flag::Blocking), "{argv:?}");
        seen += usize::from(expected);
    });
    assert!(seen >= 2, "{seen} that wait");
}

#[test]
fn the_facts_of_a_command_go_together() {
    for entry in table().entries() {
        let (spec, name) = (entry.spec, entry.name());
        let is_control = matches!(entry.action, Action::Control(_));
        let of_controls = [
            Property::OfSession,
            Property::Streams,
            Property::AllowedWhileSubscribed,
            Property::ChangesListeners,
            Property::KeepsCaching,
            Property::RefusedOnDiskError,
            Property::AllowedInScriptsByDebug,
        ];
        assert!(is_control || of_controls.iter().all(|&property| !entry.is(property)), "{name}");
        assert!(is_control || spec.behaviour.in_file == InFile::Unknown, "{name}");
        assert!(is_control || spec.behaviour.transaction == InTransaction::Queued, "{name}");
        assert!(is_control || spec.behaviour.words.channels == Channels::None, "{name}");
        assert!(entry.is(Property::OfSession) || !entry.is(Property::Streams), "{name}");
        let by_debug = entry.is(Property::AllowedInScriptsByDebug);
        assert!(entry.has(Flag::NoScript) || !by_debug, "{name} is allowed in scripts anyway");
        let runs = spec.behaviour.words.script != ScriptBy::None;
        assert!(!runs || spec.behaviour.in_file == InFile::Scripts, "{name}");
        assert!(
            !runs || spec.behaviour.cost.run_time == RunTime::ByLocks,
            "{name} may run for long"
        );
        let inspects = entry.is(Property::ReadsMetadata);
        assert!(!inspects || entry.has(Flag::ReadOnly), "{name} has no misses anyway");
        let unknown = spec.keys.iter().any(|key| key.find == base::Find::Unknown);
        assert_eq!(entry.is(Property::ReadsByPattern), unknown, "{name}");
        let variable = spec.keys.iter().any(|key| key.flags.contains(&KeyFlag::VariableFlags));
        if variable {
            let (key, most) = (&spec.keys[0], spec.keys[0].flags);
            let asked = (spec.behaviour.keys.flags)(key, &[b"x", b"k"]);
            assert!(!asked.contains(&KeyFlag::VariableFlags) && asked != most, "{name}");
        }
        let stores_one = entry.is(Property::StoresString);
        assert!(!stores_one || spec.grammar.starts_with("key:key value:string"), "{name}");
        assert!(spec.behaviour.stores == Stores::Anything || entry.has(Flag::Write), "{name}");
    }
}

/// Whether a request, written as a line, runs for long.
fn is_long(line: &str) -> bool {
    let table = table();
    let words = words(line);
    table.find(&words).expect(line).spec.runs_long(&words)
}

#[test]
fn what_may_look_at_every_key_runs_for_long() {
    for line in [
        "DEBUG JMAP",
        "EVAL s 0",
        "EVAL_RO s 0",
        "EVALSHA s 0",
        "EVALSHA_RO s 0",
        "FCALL f 0",
        "FCALL_RO f 0",
        "FUNCTION LOAD f",
        "KEYS *",
        "PREFIX p",
        "PREFIX p LIMIT 10 TYPE list",
        "PREFIX CURSOR",
        "PREFIX p CURSOR 0 LIMIT 100000",
        "PREFIX.COUNT p",
        "RANGE - +",
        "RANGE - CURSOR",
        "RANGE - + CURSOR 0 LIMIT 10 LIMIT 1000000",
        "RANGE - + CURSOR 0 LIMIT 10 WITHVALUES",
        "PREFIX p CURSOR 0 withvalues",
        "RANGE.AGGREGATE - + SUM",
        "RANGE.COUNT - +",
        "RANGE.DELETE - +",
        "SAVE",
        "SCAN 0 COUNT 1000000",
        "SCAN 0 count x",
        "LCS a b",
        "SORT k",
        "SORT_RO k",
    ] {
        assert!(is_long(line), "{line}");
    }
}

#[test]
fn what_looks_at_few_keys_does_not() {
    for line in [
        "CLIENT PAUSE 1",
        "DBSIZE",
        "FLUSHALL",
        "GET k",
        "INFO",
        "MGET a b",
        "PING",
        "PREFIX p CURSOR 0",
        "RANGE - + REV cursor 0 limit 1000",
        "SCAN 0",
        "SCAN 0 MATCH p COUNT 1000",
        "SCRIPT KILL",
        "SET k v",
    ] {
        assert!(!is_long(line), "{line}");
    }
}

/// A command that is fast for one element is not for as many as a count says, nor one that answers
/// a whole string.
#[test]
fn what_goes_through_more_than_its_words_says_how_much() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        let counts = words.iter().any(|word| word.is_number && word.name == "count");
        if entry.facts.quick && counts && !entry.spec.keys.is_empty() {
            let said = !matches!(entry.spec.behaviour.cost.extent, Extent::ByFlags);
            assert!(said, "{argv:?} has a count, and its spec says nothing of it");
            seen += 1;
        }
    });
    assert!(seen >= 5, "{seen} counts");
    let extent = |line: &str| {
        let table = table();
        let words = words(line);
        let entry = table.find(&words).expect(line);
        entry.spec.behaviour.cost.extent.of(entry.facts.quick, &words).most
    };
    for line in [
        "GET k",
        "MGET a b",
        "GETSET k v",
        "GETDEL k",
        "GETEX k",
        "LRANGE k 0 1",
        "DUMP k",
        "APPEND k v",
        "XADD k MAXLEN 0 * f v",
        "XADD k NOMKSTREAM MINID = 5 * f v",
        "XADD k MAXLEN ~ 5 LIMIT 0 * f v",
        "XTRIM k MAXLEN 5",
        "LTRIM k 1 2",
        "ZREMRANGEBYRANK k 0 1",
        "ZREMRANGEBYSCORE k 0 1",
        "ZREMRANGEBYLEX k - +",
        "LREM k 0 v",
        "DEL k",
        "RENAME a b",
    ] {
        assert_eq!(extent(line), usize::MAX, "{line}");
    }
    for line in
        ["SET k v", "SET k v EX 10", "INCR k", "HSET k f v", "ZADD k 1 m", "TTL k", "XADD k * f v"]
    {
        assert_eq!(extent(line), 0, "{line}");
    }
    for (line, elements) in [
        ("HGET k f", 1),
        ("HMGET k f g", 2),
        ("HMGET k", 0),
        ("LPOP k", 1),
        ("RPOP k 5000000", 5_000_000),
        ("SPOP k 7", 7),
        ("SPOP k -7", 0),
        ("ZPOPMIN k 7", 7),
        ("ZPOPMAX k x", 0),
        ("SET k v XX GET", 1),
        ("XAUTOCLAIM k g c 0 0", 100),
        ("XAUTOCLAIM k g c 0 0 COUNT 9", 9),
        ("XCLAIM k g c 0 1-1 2-2", 7),
        ("XADD k MAXLEN ~ 1000 * f v", 10_000),
        ("XTRIM k MINID ~ 1000 LIMIT 7", 7),
    ] {
        assert_eq!(extent(line), elements, "{line}");
    }
}

/// A command that writes at an offset, or answers as often as a count says, makes what neither its
/// words nor its keys' values have.
#[test]
fn what_makes_more_than_it_is_given_says_how_much() {
    let mut seen = 0;
    each(&table(), |entry, argv, words| {
        let (writes, repeats) = (entry.has(Flag::Write), entry.name().contains("rand"));
        // That of LIMIT is one among what there is.
        let offset = words.iter().any(|word| word.name == "offset")
            && !words.iter().any(|word| word.text == "LIMIT");
        let count = words.iter().any(|word| word.is_number && word.name == "count");
        if (writes && offset && is_on_data(entry)) || (repeats && count) {
            let said = !matches!(entry.spec.behaviour.cost.makes, Makes::Nothing);
            assert!(said, "{argv:?} may make anything, and its spec says nothing of it");
            seen += 1;
        }
    });
    assert!(seen >= 6, "{seen} that make something");
    let made = |line: &str| {
        let table = table();
        let words = words(line);
        match table.find(&words).expect(line).spec.behaviour.cost.makes {
            Makes::Nothing => None,
            Makes::Bytes(made) | Makes::Length(made) => Some(made(&words)),
        }
    };
    for (line, bytes) in [
        ("SET k v", None),
        ("SETBIT k 0 1", Some(1)),
        ("SETBIT k 4294967295 1", Some(512 << 20)),
        ("SETBIT k x 1", Some(0)),
        ("SETRANGE k 500000000 x", Some(500_000_001)),
        ("SETRANGE k -1 x", Some(0)),
        ("BITFIELD k GET u8 4294967280", Some(0)),
        ("BITFIELD k SET u8 8 1 OVERFLOW FAIL INCRBY i16 #1000000 5", Some(2_000_002)),
        ("SRANDMEMBER k", Some(0)),
        ("SRANDMEMBER k 100", Some(0)),
        ("HRANDFIELD k -100 WITHVALUES", Some(3200)),
        ("ZRANDMEMBER k -9223372036854775808", Some(usize::MAX)),
        ("RESTORE k 0 0123456789", Some(160)),
    ] {
        assert_eq!(made(line), bytes, "{line}");
    }
}

/// What is said of how long a command runs says something.
#[test]
fn run_times_are_exceptions_from_the_rule() {
    for entry in table().entries() {
        let walks = matches!((entry.spec.behaviour.cost.locks)(&[]), Locks::Each | Locks::Every);
        match entry.spec.behaviour.cost.run_time {
            RunTime::ByLocks => {}
            RunTime::Long => assert!(!walks, "{} runs for long anyway", entry.name()),
            RunTime::Short | RunTime::Page(_) => assert!(walks, "{} does not", entry.name()),
        }
    }
}
