//! Users of a real server: files of users, starts that are refused, connections that are closed, a
//! file that is whole whenever the server is killed.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use wire::Value;

use crate::server::{Server, eventually, free_port, ok, temporary};

fn is_error(value: &Value, text: &str) -> bool {
    matches!(value, Value::Error(error) if String::from_utf8_lossy(error).starts_with(text))
}

fn lines(value: Value) -> Vec<String> {
    let Value::Array(lines) = value else { panic!("{value:?}") };
    let text = |line: &Value| String::from_utf8(line.as_bytes().unwrap().to_vec()).unwrap();
    lines.iter().map(text).collect()
}

/// What a start with this configuration file says before it fails.
fn refused(file: &Path) -> String {
    let mut server = Server::launch(free_port(), &[file.to_str().unwrap()]);
    assert!(!server.ended().success());
    // The log is read by another thread.
    eventually("the error", || Some(server.log()).filter(|log| log.contains("kvist: ")))
}

#[test]
fn wrong_declarations_stop_the_start_and_say_where() {
    let folder = temporary("wrong-users");
    std::fs::create_dir_all(&folder).unwrap();
    let (conf, acl) = (folder.join("kvist.conf"), folder.join("users.acl"));
    std::fs::write(&conf, "timeout 5\nuser good on +get\nuser bad on +nope\n").unwrap();
    let log = refused(&conf);
    assert!(log.contains("kvist.conf, at line 3"), "{log}");
    assert!(log.contains("'+nope': Unknown command or category name in ACL"), "{log}");
    let aclfile = format!("aclfile {}\n", acl.display());
    std::fs::write(&conf, &aclfile).unwrap();
    assert!(refused(&conf).contains("No such file or directory"));
    std::fs::write(&acl, "user good on\nuser bad %X~y\nnonsense\n").unwrap();
    let log = refused(&conf);
    assert!(log.contains("users.acl:2: Syntax error."), "{log}");
    assert!(log.contains("users.acl:3 should start with user keyword"), "{log}");
    std::fs::write(&conf, format!("{aclfile}user x on\n")).unwrap();
    assert!(refused(&conf).contains("but not both"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn users_are_saved_and_loaded() {
    let folder = temporary("saved-users");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("users.acl");
    std::fs::write(&file, "user first on nopass ~* +@all\n").unwrap();
    let args = ["--aclfile", file.to_str().unwrap()];
    let server = Server::start(&args);
    let mut admin = server.connect();
    let rules = ["on", ">secret", "~a*", "%R~b", "&c", "+@read", "(+set", "~z)"];
    let mut request = vec!["ACL", "SETUSER", "second"];
    request.extend(rules);
    assert_eq!(admin.ask(&request), ok());
    assert_eq!(admin.ask(&["ACL", "SAVE"]), ok());
    let saved = lines(admin.ask(&["ACL", "LIST"]));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().collect::<Vec<_>>(), saved);
    assert!(!text.contains("secret"));

    let server = Server::start(&args);
    let mut admin = server.connect();
    assert_eq!(lines(admin.ask(&["ACL", "LIST"])), saved);
    let mut client = server.connect();
    assert_eq!(client.ask(&["AUTH", "second", "secret"]), ok());
    assert!(is_error(&client.ask(&["SET", "a", "1"]), "NOPERM"));
    assert_eq!(client.ask(&["SET", "z", "1"]), ok());
    // What is wrong with a file changes nothing.
    std::fs::write(&file, format!("{text}user third +nope\n")).unwrap();
    assert!(is_error(&admin.ask(&["ACL", "LOAD"]), "ERR "));
    assert_eq!(client.ask(&["SET", "z", "1"]), ok());
    // A good one replaces all users, and their clients must come again.
    std::fs::write(&file, &text).unwrap();
    assert_eq!(admin.ask(&["ACL", "LOAD"]), ok());
    client.say(&["SET", "z", "1"]);
    client.closed();
    // So must one that has asked for it: it is told, and nothing behind that is run.
    let mut own = server.connect();
    assert_eq!(own.ask(&["AUTH", "first", "any"]), ok());
    own.send(&[wire::request(["ACL", "LOAD"]), wire::request(["SET", "late", "1"])].concat());
    assert_eq!(own.hear(), ok());
    own.closed();
    assert_eq!(admin.ask(&["EXISTS", "late"]), Value::Int(0));
    assert_eq!(lines(admin.ask(&["ACL", "LIST"])), saved);
    // A folder that is gone is an error, and told as one.
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(is_error(&admin.ask(&["ACL", "SAVE"]), "ERR There was an error trying to save"));
    assert!(is_error(&admin.ask(&["ACL", "LOAD"]), "ERR Error loading ACLs, opening file"));
}

#[test]
fn connections_end_with_what_they_were_allowed() {
    let server = Server::start(&[]);
    let mut admin = server.connect();
    assert_eq!(admin.ask(&["ACL", "SETUSER", "u", "on", "nopass", "+@all", "~*", "&*"]), ok());
    let mut clients: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.ask(&["AUTH", "u", "x"]), ok());
    }
    clients[0].ask(&["SUBSCRIBE", "news"]);
    clients[1].say(&["BLPOP", "nothing", "0"]);
    eventually("the wait", || (server.info(&mut admin, "blocked_clients") == "1").then_some(()));
    assert_eq!(admin.ask(&["ACL", "SETUSER", "u", "resetchannels"]), ok());
    clients.remove(0).closed();
    assert_eq!(admin.ask(&["CLIENT", "KILL", "USER", "u", "ID", "999"]), Value::Int(0));
    assert_eq!(admin.ask(&["ACL", "DELUSER", "u"]), Value::Int(1));
    for mut client in clients {
        client.closed();
    }
    assert_eq!(admin.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
}

#[test]
fn users_are_written_to_the_configuration_file() {
    let folder = temporary("rewritten-users");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("kvist.conf");
    std::fs::write(&path, "timeout 5\n").unwrap();
    let file = path.to_str().unwrap();
    let read = || std::fs::read_to_string(&path).unwrap();
    let server = Server::start(&[file]);
    let mut admin = server.connect();
    assert_eq!(admin.ask(&["CONFIG", "REWRITE"]), ok());
    assert!(!read().contains("user "), "no user has been declared: {}", read());
    assert_eq!(admin.ask(&["ACL", "SETUSER", "u", "on", ">pw", "~a\"b", "+get"]), ok());
    assert_eq!(admin.ask(&["CONFIG", "REWRITE"]), ok());
    let listed = lines(admin.ask(&["ACL", "LIST"])).into_iter();
    let listed =
        listed.map(|line| line.replace("default on nopass", "default on nopass sanitize-payload"));
    let server = Server::start(&[file]);
    let mut admin = server.connect();
    // As in Redis, a declaration of the default user begins with `reset`, which leaves a flag.
    let again = lines(admin.ask(&["ACL", "LIST"]));
    assert_eq!(again, listed.collect::<Vec<_>>());
    assert_eq!(admin.ask(&["ACL", "DELUSER", "u"]), Value::Int(1));
    assert_eq!(admin.ask(&["CONFIG", "REWRITE"]), ok());
    assert!(!read().contains("user u"), "{}", read());
    let server = Server::start(&[file]);
    assert_eq!(lines(server.connect().ask(&["ACL", "USERS"])), ["default"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// All users get a pattern of the same number before each save: a file that is not whole, or of two
/// saves, has different numbers or too few lines.
#[test]
fn a_kill_during_a_save_leaves_a_whole_file() {
    const USERS: usize = 300;
    let folder = temporary("killed-save");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("users.acl");
    std::fs::write(&file, "").unwrap();
    let args = ["--aclfile", file.to_str().unwrap()];
    for round in 0..8 {
        let mut server = Server::start(&args);
        let saved = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let mut client = server.connect();
            let saved = &saved;
            scope.spawn(move || {
                for number in 0.. {
                    let mut batch = Vec::new();
                    for user in 0..USERS {
                        let (name, keys) = (format!("user{user}"), format!("~{number}"));
                        let words = ["ACL", "SETUSER", &name, "resetkeys", &keys];
                        batch.extend_from_slice(&wire::request(words));
                    }
                    if client.tcp().write_all(&batch).is_err() {
                        return;
                    }
                    for _ in 0..USERS {
                        if client.try_hear().is_none() {
                            return;
                        }
                    }
                    let save = wire::request(["ACL", "SAVE"]);
                    for _ in 0..20 {
                        if client.tcp().write_all(&save).is_err() || client.try_hear().is_none() {
                            return;
                        }
                        saved.fetch_add(1, Ordering::Release);
                    }
                }
            });
            let enough = 1 + 3 * round;
            eventually("the saves", || (saved.load(Ordering::Acquire) >= enough).then_some(()));
            server.signal("KILL");
            server.ended();
        });
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.ends_with('\n'));
        let patterns: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("user default "))
            .map(|line| line.split(' ').find(|word| word.starts_with('~')).unwrap())
            .collect();
        assert_eq!(patterns.len(), USERS);
        assert!(patterns.iter().all(|pattern| *pattern == patterns[0]), "{text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
