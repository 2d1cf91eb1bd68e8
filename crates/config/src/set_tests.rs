//! CONFIG GET and CONFIG SET: replies observed on redis-server 7.0.15. `tests/redis.rs` compares
//! many more with a running one.

use crate::{Change, Kind, Peer, Settings, Value};

fn reply(settings: &mut Settings, pairs: &[(&str, &str)]) -> String {
    match settings.set(pairs, Peer::Local) {
        Ok(_) => "OK".into(),
        Err(error) => error.to_string(),
    }
}

fn shown(settings: &Settings, name: &str) -> String {
    String::from_utf8_lossy(&settings.get(&[name])[0].1).into_owned()
}

fn failed(name: &str, reason: &str) -> String {
    format!("ERR CONFIG SET failed (possibly related to argument '{name}') - {reason}")
}

#[test]
fn which_error_wins() {
    let integer = "argument couldn't be parsed into an integer";
    let immutable = "can't set immutable config";
    let unknown =
        |name| format!("ERR Unknown option or number of arguments for CONFIG SET - '{name}'");
    let cases: &[(&[(&str, &str)], String)] = &[
        (&[("a", "b")], unknown("a")),
        (&[("a\nb", "1")], unknown("a b")),
        (&[("include", "x")], unknown("include")),
        (&[("user", "x")], unknown("user")),
        (&[("timeout", "1"), ("timeout", "2")], failed("timeout", "duplicate parameter")),
        (&[("timeout", "1"), ("TIMEOUT", "2")], failed("TIMEOUT", "duplicate parameter")),
        (&[("TIMEOUT", "abc")], failed("timeout", integer)),
        (&[("hash-max-ZIPLIST-entries", "x")], failed("hash-max-ziplist-entries", integer)),
        (&[("DAEMONIZE", "yes")], failed("DAEMONIZE", immutable)),
        (&[("daemonize", "no")], failed("daemonize", immutable)),
        (&[("timeout", "x"), ("bogus", "1")], unknown("bogus")),
        (&[("timeout", "1"), ("daemonize", "yes"), ("bogus", "1")], failed("daemonize", immutable)),
        (&[("timeout", "7"), ("hz", "abc")], failed("hz", integer)),
        (&[("timeout", "x"), ("hz", "1"), ("hz", "1")], failed("hz", "duplicate parameter")),
        (&[("timeout", "9"), ("dir", "/tmp")], failed("dir", "can't set protected config")),
        (&[("hash-max-ziplist-entries", "5"), ("hash-max-listpack-entries", "6")], "OK".into()),
        (&[("Timeout", "4"), ("hz", "50")], "OK".into()),
    ];
    let mut settings = Settings::new(1);
    for (pairs, expected) in cases {
        assert_eq!(&reply(&mut settings, pairs), expected, "{pairs:?}");
    }
    assert_eq!(shown(&settings, "hash-max-listpack-entries"), "6");
    assert_eq!(shown(&settings, "timeout"), "4");
}

#[test]
fn all_or_nothing() {
    let mut settings = Settings::new(1);
    let before = settings.get(&["*"]);
    reply(&mut settings, &[("timeout", "7"), ("save", ""), ("maxmemory", "1gb"), ("hz", "abc")]);
    let mut after = settings.get(&["*"]);
    let mut sorted = before.clone();
    sorted.sort();
    after.sort();
    assert_eq!(after, sorted);
}

#[test]
fn get_as_redis_does() {
    let mut settings = Settings::new(1);
    reply(&mut settings, &[("timeout", "4")]);
    let names = |patterns: &[&str]| {
        let mut names: Vec<_> = settings.get(patterns).into_iter().map(|(name, _)| name).collect();
        names.sort();
        names
    };
    assert_eq!(settings.get(&["TimeOut"]), [("TimeOut".into(), b"4".to_vec())]);
    assert_eq!(names(&["time*", "hz", "time*"]), ["hz", "timeout"]);
    assert_eq!(names(&["nope"]), [""; 0]);
    assert_eq!(names(&["tim?out"]), ["timeout"]);
    assert_eq!(names(&["TIM*"]), ["timeout"]);
    assert_eq!(names(&["[st]imeout"]), ["timeout"]);
    assert_eq!(names(&["\\timeout"]), [""; 0]);
    assert_eq!(names(&["slaveof"]), ["slaveof"]);
    assert_eq!(names(&["*slaveof", "replicaof"]), ["replicaof", "slaveof"]);
    assert_eq!(names(&["watchdog*"]), [""; 0]);
    assert_eq!(names(&["watchdog-period"]), ["watchdog-period"]);
    assert_eq!(names(&["timeout", "TIMEOUT", "tim*"]), ["timeout"]);
    assert_eq!(names(&["TIMEOUT", "timeout"]), ["TIMEOUT"]);
    assert_eq!(
        names(&["hash-max-*"]),
        [
            "hash-max-listpack-entries",
            "hash-max-listpack-value",
            "hash-max-ziplist-entries",
            "hash-max-ziplist-value"
        ]
    );
    assert_eq!(names(&["\u{fffd}"]), [""; 0]);
}

#[test]
fn protected_directives() {
    let text = |gate: &str| format!("enable-protected-configs {gate}\n");
    for (gate, local, remote) in [("no", false, false), ("local", true, false), ("yes", true, true)]
    {
        let mut settings = Settings::new(1);
        settings.apply_text(text(gate).as_bytes(), "t").unwrap();
        assert_eq!(settings.set(&[("dbfilename", "x")], Peer::Local).is_ok(), local, "{gate}");
        assert_eq!(settings.set(&[("dbfilename", "x")], Peer::Remote).is_ok(), remote, "{gate}");
    }
}

#[test]
fn changes_tell_what_to_carry_out_and_can_be_undone() {
    let mut settings = Settings::new(1);
    let changes = settings
        .set(&[("port", "7000"), ("timeout", "0"), ("repl-timeout", "5")], Peer::Local)
        .unwrap();
    assert_eq!(changes.changed, ["port", "repl-timeout"]);
    assert!(changes.touch("port") && !changes.touch("timeout"));
    assert_eq!(
        changes.warnings,
        ["CONFIG SET: 'repl-timeout' is known, but has no effect in this release"]
    );
    assert_eq!(settings.config().network.port, 7000);
    settings.revert(changes);
    assert_eq!(settings.config().network.port, 6379);
    assert_eq!(shown(&settings, "repl-timeout"), "60");

    let pairs = [("hash-max-ziplist-entries", "5"), ("hash-max-listpack-entries", "6")];
    let changes = settings.set(&pairs, Peer::Local).unwrap();
    assert_eq!(changes.changed, ["hash-max-listpack-entries"]);
    settings.revert(changes);
    assert_eq!(shown(&settings, "hash-max-listpack-entries"), "512");
}

#[test]
fn what_is_not_there_is_refused_but_its_default_never() {
    let mut settings = Settings::new(1);
    assert_eq!(
        reply(&mut settings, &[("min-replicas-to-write", "1")]),
        failed(
            "min-replicas-to-write",
            "not implemented yet: 'min-replicas-to-write' can only be '0' in this release"
        )
    );
    assert_eq!(reply(&mut settings, &[("min-replicas-to-write", "0")]), "OK");
    assert_eq!(reply(&mut settings, &[("notify-keyspace-events", "")]), "OK");
}

#[test]
fn every_default_is_accepted_silently() {
    let fresh = Settings::new(4);
    for slot in &fresh.slots {
        let directive = slot.directive;
        let text = String::from_utf8(slot.render()).unwrap();
        let mut settings = Settings::new(4);
        if !matches!(directive.kind, Kind::ReplicaOf) {
            let line = format!("{} {}", directive.name, crate::line::quote(text.as_bytes()));
            settings.apply_text(line.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
        }
        assert!(settings.warnings().is_empty(), "{}", directive.name);
        assert_eq!(settings.slots.iter().filter(|slot| slot.value != slot.default).count(), 0);
        if directive.change == Change::RunTime {
            let changes = settings.set(&[(directive.name, text)], Peer::Local).unwrap();
            // What names a file counts, as the file may be another.
            let counts = directive.name.starts_with("tls-")
                && ["-file", "-dir"].iter().any(|end| directive.name.ends_with(end));
            assert_eq!(!changes.changed.is_empty(), counts, "{}", directive.name);
            assert!(changes.warnings.is_empty(), "{}", directive.name);
        }
    }
}

#[test]
fn the_lists_are_sound() {
    let settings = Settings::new(4);
    let mut names = std::collections::HashSet::new();
    for slot in &settings.slots {
        let directive = slot.directive;
        for name in [Some(directive.name), directive.alias].into_iter().flatten() {
            assert!(names.insert(name), "{name} is listed twice");
            assert_eq!(name, name.to_ascii_lowercase());
            assert!(crate::directives::file_only::find(name).is_none(), "{name}");
        }
        assert!(directive.doc.len() > 10, "{}", directive.name);
        assert!(directive.doc.ends_with(['.', '?']), "{}: {}", directive.name, directive.doc);
        if directive.own {
            assert!(directive.alias.is_none());
        }
        if let Kind::Enum(words) = directive.kind {
            assert!(matches!(slot.value, Value::Word(word) if words.contains(&word)));
        }
    }
    for (name, _) in crate::DEFAULTS_OF_OUR_OWN {
        assert!(names.contains(name), "{name}");
    }
}

#[test]
fn the_typed_configuration() {
    let mut settings = Settings::new(6);
    let config = settings.config();
    assert_eq!(
        (config.process.io_threads, config.network.port, config.memory.maxmemory),
        (6, 6379, None)
    );
    assert_eq!(config.network.bind.len(), 2);
    assert!(!config.network.bind[0].optional && config.network.bind[1].optional);
    assert_eq!(config.network.bind[1].address, "::1");
    assert_eq!(config.clients.client_output_buffer_limit.replica.hard, 256 << 20);
    assert_eq!((config.network.timeout, config.security.acl.requirepass), (None, None));
    assert_eq!(config.process.dir, "./kvist-data");
    let text = "unixsocketperm 700\nshutdown-on-sigint nosave now\nshards 64\ntimeout 5\n\
                requirepass \"\\xff\"\n";
    settings.apply_text(text.as_bytes(), "t").unwrap();
    settings.resolve_dir(std::path::Path::new("/srv/kvist"));
    let config = settings.config();
    assert_eq!(config.network.unixsocketperm, Some(0o700));
    assert!(config.process.shutdown_on_sigint.nosave && config.process.shutdown_on_sigint.now);
    assert_eq!(config.process.shards, Some(64));
    assert_eq!(config.network.timeout, Some(std::time::Duration::from_secs(5)));
    assert_eq!(config.security.acl.requirepass.as_deref(), Some(&b"\xff"[..]));
    assert_eq!(shown(&settings, "dir"), "/srv/kvist");
    assert_eq!(Settings::new(0).config().process.io_threads, 1);
    assert_eq!(Settings::new(1000).config().process.io_threads, 128);
}
