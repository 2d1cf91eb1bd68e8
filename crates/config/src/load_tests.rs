//! Loading: each expectation is what redis-server 7.0.15 did with the same line, unless it says
//! ours.

use std::path::Path;

use testkit::folder::Folder;

use crate::{LoadError, Settings, Source};

fn args(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

fn shown(settings: &Settings, name: &str) -> String {
    let found = settings.get(&[name]);
    String::from_utf8_lossy(&found[0].1).into_owned()
}

fn after(text: &str, flags: &[&str]) -> Result<Settings, LoadError> {
    let mut settings = Settings::new(4);
    settings.apply_text(text.as_bytes(), "t.conf")?;
    settings.apply_args(&args(flags))?;
    Ok(settings)
}

fn reason(text: &str, flags: &[&str]) -> String {
    match after(text, flags) {
        Err(LoadError::Rejected { reason, .. }) => reason,
        other => panic!("{text:?} {flags:?}: {other:?}"),
    }
}

#[test]
fn accepted_lines() {
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("\n\n# c\n   timeout   5   \n  # x\n", &[], "timeout", "5"),
        ("TIMEOUT\t5\r\n", &[], "timeout", "5"),
        ("timeout \"\\x35\"", &[], "timeout", "5"),
        ("timeout 5\0\n", &[], "timeout", "5"),
        ("timeout 1\ntimeout 2\n", &[], "timeout", "2"),
        ("save 900 1\n", &["--save", "60", "1"], "save", "900 1 60 1"),
        ("save 900 1\n", &["--save", ""], "save", ""),
        ("save 900 1\nsave 60 2\n", &[], "save", "900 1 60 2"),
        ("save 900 1 60 5\n", &[], "save", "900 1 60 5"),
        ("save \"900 1 60 1\"\n", &[], "save", "900 1 60 1"),
        ("save \"\"\nsave 60 2\n", &[], "save", "60 2"),
        ("save 60 2\nsave \"\"\n", &[], "save", ""),
        ("save\n", &[], "save", ""),
        ("", &["--save", "--timeout", "5"], "save", ""),
        ("", &["--save", "--timeout", "5"], "timeout", "5"),
        ("", &["--timeout", "5", "--save"], "save", ""),
        ("maxmemory 1gb\n", &["--maxmemory 2gb"], "maxmemory", "2147483648"),
        ("bind 127.0.0.1 -::1\nbind 127.0.0.1\n", &[], "bind", "127.0.0.1"),
        ("bind\n", &[], "bind", ""),
        ("bind \"\"\n", &[], "bind", ""),
        (
            "client-output-buffer-limit normal 1 2 3\nclient-output-buffer-limit slave 1mb 2mb 3\n",
            &[],
            "client-output-buffer-limit",
            "normal 1 2 3 slave 1048576 2097152 3 pubsub 33554432 8388608 60",
        ),
        (
            "client-output-buffer-limit \"normal 1 2 3 replica 4 5 6\"\n",
            &[],
            "client-output-buffer-limit",
            "normal 1 2 3 slave 4 5 6 pubsub 33554432 8388608 60",
        ),
        ("oom-score-adj-values \"1 2 3\"\n", &[], "oom-score-adj-values", "1 2 3"),
        (
            "latency-tracking-info-percentiles 50 60\n",
            &[],
            "latency-tracking-info-percentiles",
            "50 60",
        ),
        ("latency-tracking-info-percentiles \"\"\n", &[], "latency-tracking-info-percentiles", ""),
        ("unixsocketperm 0777\n", &[], "unixsocketperm", "777"),
        ("hz 1000\n", &[], "hz", "500"),
        ("shutdown-on-sigint now nosave\n", &[], "shutdown-on-sigint", "nosave now"),
        ("enable-debug-command LOCAL\n", &[], "enable-debug-command", "local"),
        ("replicaof no one\n", &[], "replicaof", ""),
        ("hash-max-ziplist-entries 7\n", &[], "hash-max-listpack-entries", "7"),
        ("lua-time-limit 7\n", &[], "busy-reply-threshold", "7"),
        ("list-max-ziplist-entries 5\nlua-replicate-commands no\n", &[], "timeout", "0"),
    ];
    for (text, flags, name, expected) in cases {
        let settings = after(text, flags).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(&shown(&settings, name), expected, "{text:?} {flags:?}");
    }
}

#[test]
fn rejected_lines() {
    let cases: &[(&str, &str)] = &[
        ("save 900", "Invalid save parameters"),
        ("save 900 x", "Invalid save parameters"),
        ("save 0 1", "Invalid save parameters"),
        ("timeout \"5", "Unbalanced quotes in configuration line"),
        ("timeout \"5\"x", "Unbalanced quotes in configuration line"),
        ("timeout 5 6", "wrong number of arguments"),
        ("timeout", "wrong number of arguments"),
        ("timeout 5 # comment", "wrong number of arguments"),
        ("maxmemory 1 gb", "wrong number of arguments"),
        ("notify-keyspace-events K \"E\"", "wrong number of arguments"),
        ("replicaof a", "wrong number of arguments"),
        ("replicaof h 70000", "Invalid master port"),
        ("bogus 1", "Bad directive or wrong number of arguments"),
        ("include a b", "Bad directive or wrong number of arguments"),
        ("rename-command GET", "Bad directive or wrong number of arguments"),
        ("user", "Bad directive or wrong number of arguments"),
        ("loadmodule", "Bad directive or wrong number of arguments"),
        ("list-max-ziplist-entries 5 6 7", "Bad directive or wrong number of arguments"),
        ("\u{feff}timeout 5", "Bad directive or wrong number of arguments"),
        ("sentinel monitor", "sentinel directive while not in sentinel mode"),
        ("timeout \"\\x3\"", "argument couldn't be parsed into an integer"),
        ("databases 0", "argument must be between 1 and 2147483647 inclusive"),
        ("io-threads 129", "argument must be between 1 and 128 inclusive"),
        ("unixsocketperm 1000", "argument must be between 0 and 777 inclusive"),
        ("unixsocketperm -1", "argument must be between 0 and 777 inclusive"),
        ("unixsocketperm 8", "argument couldn't be parsed as an octal number"),
        ("appenddirname \"\"", "appenddirname can't be empty"),
        ("appenddirname a/b", "appenddirname can't be a path, just a dirname"),
        ("appendfilename a/b", "appendfilename can't be a path, just a filename"),
        ("dbfilename a/b", "dbfilename can't be a path, just a filename"),
        (
            "client-output-buffer-limit normal 1 2",
            "Wrong number of arguments in buffer limit configuration.",
        ),
        (
            "client-output-buffer-limit \"\"",
            "Wrong number of arguments in buffer limit configuration.",
        ),
        ("bind a b c d e f g h i j k l m n o p q", "Too many bind addresses specified."),
        (
            "syslog-facility x",
            "argument(s) must be one of the following: user, local0, local1, local2, local3, \
             local4, local5, local6, local7",
        ),
        ("proc-title-template \"\"", "template format is invalid or contains unknown variables"),
        ("shards 3", "argument must be 0 or a power of two"),
        // Ours: known, but not there yet.
        (
            "min-replicas-to-write 1",
            "not implemented yet: 'min-replicas-to-write' can only be '0' in this release",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(&reason(text, &[]), expected, "{text:?}");
    }
}

#[test]
fn command_line_like_redis() {
    // The argument right behind a directive is its value, whatever it looks like.
    assert_eq!(reason("", &["--timeout", "--port", "5"]), "wrong number of arguments");
    assert_eq!(reason("", &["--timeout"]), "wrong number of arguments");
    assert_eq!(reason("", &["--port", "1", "foo"]), "wrong number of arguments");
    assert_eq!(
        reason("", &["foo"]),
        "Bad directive or wrong number of arguments",
        "ours: a stray word isn't glued to the file's last line"
    );
    assert!(after("", &["--"]).is_ok());
    assert!(after("", &["--requirepass", "a \"b\"\n\\"]).is_ok());
    let settings = after("", &["--requirepass", "a \"b\"\n\\"]).unwrap();
    assert_eq!(shown(&settings, "requirepass"), "a \"b\"\n\\");
}

#[test]
fn errors_say_where() {
    let error = after("\n\nbogus 1\n", &[]).unwrap_err();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        error.to_string(),
        format!(
            "\n*** FATAL CONFIG FILE ERROR (Kvist {version}) ***\nReading the configuration file \
             t.conf, at line 3\n>>> 'bogus 1'\nBad directive or wrong number of arguments"
        )
    );
    let error = after("", &["--timeout", "1", "--hz", "x"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "\n*** FATAL CONFIG ERROR (Kvist {version}) ***\n\
             Reading the command line, at option 2\n\
             >>> 'hz \"x\"'\nargument couldn't be parsed into an integer"
        )
    );
    let mut settings = Settings::new(1);
    let error = settings.apply_env([("KVIST_HZ".into(), "x".into())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "\n*** FATAL CONFIG ERROR (Kvist {version}) ***\n\
             Reading environment variable KVIST_HZ\n\
             >>> 'x'\nargument couldn't be parsed into an integer"
        )
    );
}

#[test]
fn the_command_line_beats_files_beat_the_environment() {
    let environment = || {
        [
            ("KVIST_TIMEOUT", "1"),
            ("KVIST_HZ", "11"),
            ("KVIST_PORT", "7001"),
            ("KVIST_SAVE", "5 5"),
            ("KVIST_BIND", "127.0.0.1 ::1"),
            ("KVIST_HASH_MAX_ZIPLIST_ENTRIES", "9"),
            ("KVIST_NONSENSE", "1"),
            ("HOME", "/"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let file: &[u8] = b"timeout 2\nhz 12\nsave 6 6\n";
    let flags = args(&["--timeout", "3"]);
    let mut strongest_last = Settings::new(1);
    strongest_last.apply_env(environment()).unwrap();
    strongest_last.apply_text(file, "f").unwrap();
    strongest_last.apply_args(&flags).unwrap();
    let mut strongest_first = Settings::new(1);
    strongest_first.apply_args(&flags).unwrap();
    strongest_first.apply_text(file, "f").unwrap();
    strongest_first.apply_env(environment()).unwrap();
    for settings in [strongest_last, strongest_first] {
        assert_eq!(shown(&settings, "timeout"), "3");
        assert_eq!(shown(&settings, "hz"), "12");
        assert_eq!(shown(&settings, "port"), "7001");
        assert_eq!(shown(&settings, "save"), "6 6");
        assert_eq!(shown(&settings, "bind"), "127.0.0.1 ::1");
        assert_eq!(shown(&settings, "hash-max-listpack-entries"), "9");
        let notes: Vec<_> =
            settings.warnings().into_iter().filter(|text| text.contains("KVIST_")).collect();
        assert_eq!(notes, ["KVIST_NONSENSE in the environment names no directive"]);
    }
}

#[test]
fn includes() {
    let folder = Folder::new("includes");
    let dir = folder.text();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    write("10-a.conf", "timeout 1\nhz 20\n");
    write("20-b.conf", "timeout 2\n");
    write(".hidden.conf", "timeout 3\n");
    let main = write("main.conf", &format!("timeout 9\ninclude {dir}/[0-9]*.conf\n"));
    let mut settings = Settings::new(1);
    settings.apply_file(&main).unwrap();
    assert_eq!((shown(&settings, "timeout"), shown(&settings, "hz")), ("2".into(), "20".into()));

    let nothing = write("nothing.conf", &format!("include {dir}/none*.conf\n"));
    assert!(Settings::new(1).apply_file(&nothing).is_ok());

    let missing = write("missing.conf", &format!("include {dir}/none.conf\n"));
    let error = Settings::new(1).apply_file(&missing).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("Fatal error, can't open config file '{dir}/none.conf': No such file or directory")
    );

    let inner = write("inner.conf", "hz 1\nbogus\n");
    let outer = write("outer.conf", &format!("\n\ninclude {}\n", inner.display()));
    match Settings::new(1).apply_file(&outer) {
        Err(LoadError::Rejected { source: Source::File { name, line: 2 }, .. }) => {
            assert_eq!(Path::new(&name), inner);
        }
        other => panic!("{other:?}"),
    }

    // Ours: Redis recurses until it crashes.
    let circle = write("circle.conf", "");
    write("circle.conf", &format!("include {}\n", circle.display()));
    match Settings::new(1).apply_file(&circle) {
        Err(LoadError::Rejected { reason, .. }) => {
            assert_eq!(reason, "files include each other too deeply, or in a circle");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_has_no_effect_yet_is_said_once_and_only_when_asked_for() {
    let calm =
        after("appendonly no\nsave \"\"\nrepl-timeout 60\nactiverehashing no\n", &[]).unwrap();
    assert_eq!(calm.warnings(), Vec::<String>::new());

    assert_eq!(Settings::new(4).warnings(), Vec::<String>::new());

    let text =
        "appendonly yes\nsave \"\"\n\naof-timestamp-enabled yes\nlua-replicate-commands yes\n";
    let eager = after(text, &["--daemonize", "yes"]).unwrap().warnings();
    assert_eq!(eager.len(), 3, "{eager:?}");
    assert_eq!(eager[0], "command line: 'daemonize' is known, but has no effect in this release");
    let timestamps =
        "t.conf:4: 'aof-timestamp-enabled' is known, but has no effect in this release";
    assert_eq!(eager[1], timestamps);
    assert_eq!(eager[2], "t.conf:5: 'lua-replicate-commands' is obsolete and ignored");
}

/// Damaged and random text must be refused or accepted, never more than that.
#[test]
fn any_text_is_read_without_a_panic() {
    let words: &[&[u8]] = &[
        b"save",
        b"bind",
        b"\"",
        b"'",
        b"\\x4",
        b"\\",
        b" ",
        b"\n",
        b"\t",
        b"\0",
        b"900 1",
        b"-1",
        b"port",
        b"#",
        b"maxmemory",
        b"99999999999999999999gb",
        b"{",
        b"}",
        b"%",
        b"hz",
        b"\xff",
        b"proc-title-template",
        b"include ",
        b"unixsocketperm",
        b"client-output-buffer-limit",
        b"maxmemory-clients",
        b"latency-tracking-info-percentiles",
        b"normal",
        b"nan",
        b"1e400",
    ];
    // A linear congruential generator is random enough here, and the same every time.
    let mut state: u64 = 42;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..4_000 {
        let mut text = Vec::new();
        for _ in 0..=next(8) {
            text.extend_from_slice(words[next(words.len())]);
            if next(2) == 0 {
                text.push(b' ');
            }
        }
        let mut settings = Settings::new(2);
        if settings.apply_text(&text, "random").is_ok() {
            let _ = settings.config();
            let _ = settings.get(&["*"]);
        }
    }
}

#[test]
fn user_lines_are_kept_with_their_places() {
    let mut settings = Settings::new(4);
    settings.apply_text(b"port 7000\nuser a on \">x y\" ~*\nuser b\n", "f.conf").unwrap();
    let users = settings.users();
    assert_eq!(users.len(), 2);
    assert_eq!(users[0].words, [b"a".to_vec(), b"on".to_vec(), b">x y".to_vec(), b"~*".to_vec()]);
    assert!(users[0].rejected("no".into()).to_string().contains("'user a on (redacted) ~*'"));
    let text = users[1].rejected("no".into()).to_string();
    assert!(text.contains("f.conf, at line 3\n>>> 'user b'\nno"), "{text}");
}
